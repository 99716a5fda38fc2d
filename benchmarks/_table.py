"""The results as Markdown that also reads well in a terminal."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from ._case import Reading
from ._measure import Result, blas_threads

HEAD = ("what", "peer", "BLAS threads", "ours", "peer's", "ratio", "quartiles", "goal", "met", "audit")


def machine() -> str:
    """Where and when, in one line."""
    packages = ("discriminant", "scikit-learn", "numpy", "scipy", "numba")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    here = f"{cores} cores, {_cpu()}, {platform.system()}, BLAS threads by default {blas_threads()}{busy}"
    return f"{date.today()}: {here}; Python {platform.python_version()}, {versions}"


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def duration(seconds: float) -> str:
    """Seconds with three digits and a fitting unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def row(found: Result | Reading) -> tuple[str, ...]:
    """The cells of one line."""
    if isinstance(found, Reading):
        value, limit = (f"{number:.3g} {found.unit}" for number in (found.value, found.limit))
        value, met = f"> {value}" if found.more else value, "yes" if found.met else "NO"
        return found.name, "–", "–", value, "–", "–", "–", f"≤ {limit}", met, found.audit
    goal, times = found.goal, (duration(found.ours), duration(found.theirs))
    quartiles = f"{found.low:.2f}–{found.high:.2f}"
    ratio, met = goal.written(found.ratio), "yes" if goal.met(found.ratio) else "NO"
    return found.contest, found.peer, str(found.threads), *times, ratio, quartiles, str(goal), met, found.audit


def table(found: Sequence[Result | Reading]) -> str:
    """An aligned Markdown table."""
    lines = [HEAD, *map(row, found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    written = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    written.insert(1, " | ".join("-" * width for width in widths))
    return "\n".join(f"| {line} |" for line in written)

"""Numbers that only a fresh process can give."""

from __future__ import annotations

import ctypes
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PEAK = "from benchmarks._child import above\n"  # for the code of a child
CLEAR = Path("/proc/self/clear_refs")  # only Linux tells the peak of a process from now on


def above(work: Callable[[], object]) -> float:
    """By how many bytes the peak of this process exceeds what it holds now; getrusage's begins with the parent's.

    Nan where the system does not tell.
    """
    if not CLEAR.exists():
        work()
        return math.nan
    ctypes.CDLL(None).malloc_trim(0)
    CLEAR.write_text("5")
    before = _peak()
    work()
    return _peak() - before


def _peak() -> int:
    (size,) = re.findall(r"VmHWM:\s*([0-9]+)", Path("/proc/self/status").read_text())
    return 1024 * int(size)


def environment(cache: str | Path | None = None) -> dict[str, str]:
    """That of this process, with a directory for compiled code if one is given; byte code is kept, as a user's is."""
    env = os.environ | ({"NUMBA_CACHE_DIR": str(cache)} if cache else {})
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return env


def run(code: str, cache: str | Path | None = None, seconds: float | None = None) -> tuple[str, str]:
    """What ``code`` prints in a new Python, and why it ended early: ``time`` after so many seconds, or its last words.

    It gets its own directory for compiled code if one is given.
    """
    env = environment(cache)
    command = [sys.executable, "-W", "ignore", "-c", code]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(), "time"  # bytes whatever text says
    return done.stdout, (done.stderr.strip() or f"exit code {done.returncode}") if done.returncode else ""


def numbers(code: str, cache: str | Path | None = None) -> list[float]:
    """The numbers that ``code`` prints in a new Python."""
    printed, failure = run(code, cache)
    if failure:
        raise RuntimeError(f"a child process failed:\n{code}\n{failure}")
    return [float(word) for word in printed.split()]


def child(code: str, cache: str | Path | None = None) -> float:
    """The one number that ``code`` prints in a new Python."""
    (number,) = numbers(code, cache)
    return number

"""`python -m benchmarks [P1 growth …] [--quick] [--one-thread] [--cpu]`; a full run writes benchmarks/results.md."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import pkgutil
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from . import __path__ as here
from ._case import CASES, AuditError, Case, Contest, Reading
from ._measure import QUICK, Effort, Result, measure, one_thread
from ._table import machine, table

BEGIN = time.perf_counter()
RESULTS = Path(__file__).with_name("results.md")


def discover() -> list[str]:
    """Import every module of cases; the ids in their natural order, then the modules."""
    for module in pkgutil.iter_modules(here):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__package__}.{module.name}")
    CASES.sort(key=lambda case: (case.id[0], int(case.id[1:])))
    return list(dict.fromkeys([*(case.id for case in CASES), *sorted(case.module for case in CASES)]))


def arguments() -> argparse.Namespace:
    known = discover()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure against the peers.")
    parser.add_argument("cases", nargs="*", metavar="case", help=f"any of {', '.join(known)}; all by default")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: audits only, the times mean nothing")
    parser.add_argument("--one-thread", action="store_true", help="only with BLAS limited to one thread")
    parser.add_argument("--cpu", action="store_true", help="by the processor's clock, for a busy machine; one thread")
    given = parser.parse_args()
    if unknown := set(given.cases) - set(known):
        parser.error(f"unknown case {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return given


def results(case: Case, given: argparse.Namespace) -> Iterator[Result | Reading | str]:
    """Everything a case has to say, each contest with all BLAS threads and with one."""
    effort = QUICK if given.quick else Effort(clock=time.process_time) if given.cpu else Effort()
    for outcome in case.outcomes(given.quick):
        name = outcome if isinstance(outcome, str) else outcome.name
        print(f"{time.perf_counter() - BEGIN:5.0f} s  {case.id} {name}", file=sys.stderr, flush=True)
        if not isinstance(outcome, Contest):
            yield outcome
            continue
        for limit in [one_thread] if given.one_thread or given.cpu else [contextlib.nullcontext, one_thread]:
            with limit():
                yield from measure(outcome, effort)


def section(case: Case, given: argparse.Namespace) -> tuple[str, bool]:
    """The section of a case, and whether its audits passed."""
    found: list[Result | Reading] = []
    notes: list[str] = []
    sound = True
    try:
        for outcome in results(case, given):
            notes.append(outcome) if isinstance(outcome, str) else found.append(outcome)
    except AuditError as error:
        notes.append(f"AUDIT FAILED: {error}")
        sound = False
    parts = [f"## {case.id} {case.title}", *([table(found)] if found else []), *notes]
    return "\n\n".join(parts), sound


def main() -> int:
    given = arguments()
    if "NUMBA_CACHE_DIR" not in os.environ:
        print("NUMBA_CACHE_DIR is not set: compiled code may be stale; use make bench", file=sys.stderr)
    warnings.simplefilter("ignore")  # fits that end after a set number of passes say that they have not converged
    clock = " Processor time of one thread, not the wall's." if given.cpu else ""
    written, sound = [f"# Benchmarks\n\n{machine()}.{clock}"], True
    print(written[0], flush=True)
    for case in CASES:
        if not given.cases or {case.id, case.module} & set(given.cases):
            text, passed = section(case, given)
            print(f"\n{text}", flush=True)
            written.append(text)
            sound &= passed
    if not (given.cases or given.quick or given.one_thread or given.cpu):
        RESULTS.write_text("\n\n".join(written) + "\n", encoding="utf-8")
        print(f"\n{RESULTS}", file=sys.stderr)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())

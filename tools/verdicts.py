"""Random problems of separability against an exact oracle: ``python tools/verdicts.py --count 10000 --seed 1``.

Two to eight classes and counts, ties, factors, decimals, repeated rows, aliased columns, wide tables: the verdict, the
separated and the boundary rows, the proof by every way to check it, and the plane. Each mismatch comes with the line
that tries it again; the exit code is 1 if there are any. Set PYTHONPATH to examine another source tree.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from verdict_problems import Problem, faults, problem

import discriminant
from discriminant import separability


class Tried(NamedTuple):
    number: int
    faults: list[str]
    kind: str
    verdict: str
    seconds: float


def drawn(seed: int, classes: tuple[int, int], number: int) -> Problem:
    return problem(np.random.default_rng([seed, number]), *classes)


def tried(seed: int, classes: tuple[int, int], number: int) -> Tried:
    """Examine one problem, and tell what it is."""
    given = drawn(seed, classes, number)
    begin = time.perf_counter()
    verdict, found = faults(given)
    kind = "counts" if "family" in given.options else f"{np.unique(given.y).size} classes"
    return Tried(number, found, kind, verdict, time.perf_counter() - begin)


def shown(given: Problem) -> str:
    """The problem as Python, and what the library says to it."""
    X = given.X.toarray() if hasattr(given.X, "toarray") else given.X
    made = f"X = np.array({X.tolist()}, np.{X.dtype})\ny = {given.y.tolist()}\nseparability(X, y, **{given.options})"
    return f"{made}\n{separability(given.X, given.y, progress=False, **given.options)}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/verdicts.py", description="Verdicts against an exact oracle.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--classes", default="2-8", help="least and most, such as 2-8, or one number")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="one problem of the seed, in full")
    given = parser.parse_args()
    least, _, most = given.classes.partition("-")
    classes = int(least), int(most or least)
    work = partial(tried, given.seed, classes)
    if given.only is not None:
        print(*work(given.only).faults or ["no fault"], shown(drawn(given.seed, classes, given.only)), sep="\n")
        return 0
    print(discriminant.__file__, flush=True)
    done: list[Tried] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        for one in pool.map(work, range(given.count), chunksize=10):
            done.append(one)
            for fault in one.faults:
                again = f"tools/verdicts.py --seed {given.seed} --classes {given.classes} --only {one.number}"
                print(f"{fault}\n    python {again}", flush=True)
    wrong, slowest = sum(bool(one.faults) for one in done), max(done, key=lambda one: one.seconds)
    for counts in (Counter(one.kind for one in done), Counter(one.verdict for one in done)):
        print(", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items())))
    print(f"{wrong:,} of {given.count:,} problems with faults")
    print(f"the slowest, number {slowest.number}, took {slowest.seconds:.2f} s with the oracle")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

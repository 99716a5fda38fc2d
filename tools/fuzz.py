"""Hard data for every estimator, for as long as asked: ``make fuzz SECONDS=600``, or one case again, ``CASE='…'``.

Cases are drawn one after the other from the seed; the findings are grouped by their words, each group with the first
case that shows it. The exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np
from hard_cases import ESTIMATORS, Case, draw
from promised_functions import FUNCTIONS
from promises import SORTS, Finding
from supervised import supervisor

Found = list[tuple[Case, Finding]]


def drawn(seed: int, only: str) -> Iterator[Case]:
    """Cases without end, of the subjects whose names begin so."""
    subjects = [subject for subject in [*ESTIMATORS, *FUNCTIONS] if subject.startswith(only)]
    return (draw(subjects, np.random.default_rng([seed, number])) for number in itertools.count())


class Run:
    """A run over cases in several child processes."""

    def __init__(self, cases: Iterator[Case], seconds: float) -> None:
        self.cases, self.end = cases, time.monotonic() + seconds
        self.found: Found = []
        self.slowest: list[tuple[float, Case]] = []
        self.n_cases = self.n_calls = 0
        self._lock = threading.Lock()

    def go(self, workers: int) -> None:
        """Examine cases until the time is over."""
        threads = [threading.Thread(target=self._work) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _next(self) -> Case | None:
        with self._lock:
            return next(self.cases, None) if time.monotonic() < self.end else None

    def _work(self) -> None:
        with supervisor() as child:
            while (case := self._next()) is not None:
                begin = time.monotonic()
                findings = child.examine(case)
                with self._lock:
                    self.n_cases += 1
                    self.slowest = sorted([*self.slowest, (time.monotonic() - begin, case)], reverse=True)[:5]
                    self.found += [(case, finding) for finding in findings]
            with self._lock:
                self.n_calls += child.calls


def show(run: Run) -> None:
    """The findings, those of the same words together, with a reproducer for each estimator; then the figures."""
    groups: dict[tuple[str, str], dict[str, Found]] = {}
    for case, finding in run.found:
        words = finding.sort, re.sub(r"-?\d[\d.e+-]*%?", "#", finding.text)
        groups.setdefault(words, {}).setdefault(case.subject.split("(")[0], []).append((case, finding))
    for (sort, _), members in sorted(groups.items(), key=lambda group: SORTS.index(group[0][0])):
        print(f"{sort}: {next(iter(members.values()))[0][1].text}")
        for found in members.values():
            print(f"    {len(found):>3} times, {found[0][1].stage}:  {found[0][0]}")
    print("slowest:", *(f"{seconds:.1f} s  {case}" for seconds, case in run.slowest), sep="\n    ")
    counts = Counter(finding.sort for _, finding in run.found)
    figures = ", ".join(f"{counts[sort]} {sort}{'s' * (counts[sort] != 1)}" for sort in SORTS)
    print(f"{run.n_cases:,} cases, {run.n_calls:,} calls: {figures}")


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="subjects whose names begin so, such as Perceptron")
    parser.add_argument("--case", action="append", help="a reproducer, such as 'Perceptron() | far 1e9 | 3'")
    asked = parser.parse_args()
    if asked.case:
        run = Run(iter([Case.read(text) for text in asked.case]), float("inf"))
        run.go(1)
    else:
        run = Run(drawn(asked.seed, asked.only), asked.seconds)
        run.go(asked.workers)
    show(run)
    return 1 if run.found else 0


if __name__ == "__main__":
    sys.exit(main())

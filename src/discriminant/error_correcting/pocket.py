"""The pocket: the best weights that a perceptron has had, for patterns that are not separable.

The perceptron visits patterns at random, with replacement.  A run is the number of correct answers since the last
correction.  When a run is longer than that of the weights in the pocket, all patterns are tested, and the weights go
into the pocket if they make fewer errors than those there (the ratchet).  It ends at zero errors.

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.7 and Computer exercise 3; Cristianini, Shawe-Taylor,
*An Introduction to Support Vector Machines*, Remark 2.9 (Gallant's algorithm).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from .._engine.driver import CHUNK, Watch
from .._engine.path import copy_into
from .._engine.problem import Problem
from .._engine.rows import compiled, finite
from ..solution import Epoch, Findings, Status
from .corrections import CorrectionPlan, ErrorCorrectingRule, all_errors
from .visits import Array, PassTotals, Visits, correct, count_errors, visit


class PocketCounts(NamedTuple):
    """What is counted beside the two weight vectors: the one at work and the one in the pocket."""

    run: int = 0  # correct answers since the last correction
    tested: bool = False  # whether the errors of the weights at work are known
    errors: int = 0  # then, these
    pocket_run: int = 0
    pocket_errors: int = -1  # not counted yet
    copies: int = 0  # into the pocket


@compiled
def _visits(visits: Visits, A: Array, pocket: Array, counts: PocketCounts, b: Any, bias: Any, tests: int) -> Any:
    """Visit the drawn patterns until the pocket is free of errors or A has been tested so many times."""
    X, labels, weight, order, etas, criterion = visits
    run, tested, errors, pocket_run, pocket_errors, copies = counts
    corrections, visited, fine = 0, order.size, True
    for t in range(order.size):
        if corrections == etas.size or tests == 0 or pocket_errors == 0:
            visited = t
            break
        i = order[t]
        margin, rival = visit(X, i, labels[i], A)
        if not finite(margin):
            fine = False
            break
        if margin <= b:
            eta = etas[corrections] * weight[i] if weight.size else etas[corrections]
            correct(X, i, labels[i], rival, eta, bias, A)
            run, tested = 0, False
            criterion += b - margin
            corrections += 1
            continue
        run += 1
        if run > pocket_run:
            if not tested:
                start: Any = np.int64(0)  # numba would compile a form of its own for a literal 0
                errors, fine = count_errors(X, labels, start, labels.size, A, pocket_errors)
                tested, tests = True, tests - 1
                if not fine:
                    break
            if errors < pocket_errors:
                copy_into(A.ravel(), pocket.ravel())
                pocket_run, pocket_errors, copies = run, errors, copies + 1
    totals = visited, corrections, pocket_errors, criterion, np.inf, fine
    return totals, (run, tested, errors, pocket_run, pocket_errors, copies)


@dataclass(frozen=True, kw_only=True)
class PocketFindings(Findings):
    """The weights at the end of the last pass, and how often the pocket changed."""

    last: Array
    copies: int


class PocketRule(ErrorCorrectingRule):
    """One epoch is as many random visits as there are patterns."""

    def __init__(self, A: Array, plan: CorrectionPlan) -> None:
        super().__init__(A, plan)
        self.draw = check_random_state(plan.random_state)
        self.pocket = self.A.copy()
        self.counts = PocketCounts()

    @property
    def answer(self) -> Array:
        return np.atleast_2d(self.pocket)

    @property
    def findings(self) -> PocketFindings:
        return PocketFindings(notes=self.notes, last=np.atleast_2d(self.A).copy(), copies=self.counts.copies)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """Draw and visit; the errors are those of the pocket on all patterns."""
        if self.counts.pocket_errors < 0 or self.online:  # what the pocket did on other portions says nothing here
            errors = all_errors(problem, self.pocket, watch)
            self.counts = self.counts._replace(pocket_errors=errors, tested=False)
        part = np.flatnonzero(problem.part)
        draws = part[self.draw.randint(part.size, size=part.size)]
        before, criterion = self.k, 0.0
        tests = max(1, CHUNK // max(problem.work, 1))

        def go(visits: Visits) -> Any:
            totals, counted = _visits(visits, self.A, self.pocket, self.counts, self.b, self.bias, tests)
            self.counts = PocketCounts(*counted)
            return totals

        for start, stop in watch.chunks(part.size, problem.work):
            while start < stop and self.counts.pocket_errors > 0:
                watch.check()
                met = self.along(self.visits(problem, draws[start:stop], self.steps(stop - start)), go)
                self.k += met.corrections
                if not met.finite:
                    raise problem.refuse()
                start, criterion = start + met.visited, criterion + met.criterion
        errors = self.counts.pocket_errors
        self.schedule.observe(errors=errors)
        totals = PassTotals(corrections=self.k - before, errors=errors, criterion=criterion)
        return self.summary(totals, None if errors else Status.SEPARATED)

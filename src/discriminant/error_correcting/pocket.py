"""The pocket: the best weights that a perceptron has had, for patterns that are not separable.

The perceptron visits patterns at random, with replacement.  A run is the number of correct answers since the last
correction.  When a run is longer than that of the weights in the pocket, all patterns are tested, and the weights go
into the pocket if they make fewer errors than those there (the ratchet).  It ends at zero errors.

Sources: Duda, Hart, Stork, *Pattern Classification*, section 5.7 and Computer exercise 3; Cristianini, Shawe-Taylor,
*An Introduction to Support Vector Machines*, Remark 2.9 (Gallant's algorithm).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._engine.driver import CHUNK, Watch
from .._engine.path import copy_into, record
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite
from ..solution import Epoch, Findings, Status
from .visits import ErrorCorrectingRule, Sweep, correct, visit

if TYPE_CHECKING:
    from .perceptron import Perceptron


@compiled
def count_errors(X: Rows, labels: NDArray[np.int32], start: int, stop: int, A: NDArray[Any], limit: int) -> int:
    """Count the patterns that A does not classify correctly, up to a limit; -1 when one is not finite."""
    errors = 0
    for i in range(start, stop):
        if labels[i] >= 0:
            margin, _ = visit(X, i, labels[i], A)
            if not finite(margin):
                return -1
            errors += margin <= 0
            if errors >= limit:
                break
    return errors


@compiled
def _visits(
    X: Rows,
    labels: NDArray[np.int32],
    weight: NDArray[Any],
    draws: NDArray[np.int64],
    A: NDArray[Any],
    pocket: NDArray[Any],
    state: NDArray[np.int64],
    b: Any,
    etas: NDArray[Any],
    bias: Any,
    path: NDArray[Any] | None,
    cursor: NDArray[np.int64],
    patience: int,
) -> Any:
    """Visit the drawn patterns; ``state`` = (run, run of the pocket, its errors, errors of A or -1, copies).

    Returns the visits made (-1 when an inner product is not finite; fewer when ``etas`` is used up, the pocket is free
    of errors, or A has been tested ``patience`` times), corrections, criterion.
    """
    corrections, criterion = 0, 0.0
    for t in range(draws.size):
        i = draws[t]
        if corrections == etas.size or patience == 0:
            return t, corrections, criterion
        margin, rival = visit(X, i, labels[i], A)
        if not finite(margin):
            return -1, corrections, criterion
        if margin <= b:
            eta = etas[corrections] * weight[i] if weight.size else etas[corrections]
            correct(X, i, labels[i], rival, eta, bias, A)
            if path is not None:
                record(path, cursor, A)
            state[0], state[3] = 0, -1
            criterion += b - margin
            corrections += 1
            continue
        state[0] += 1
        if state[0] > state[1]:
            if state[3] < 0:
                state[3] = count_errors(X, labels, 0, labels.size, A, state[2])
                patience -= 1
            if state[3] < state[2]:
                copy_into(A.ravel(), pocket.ravel())
                state[1], state[2] = state[0], state[3]
                state[4] += 1
                if state[2] == 0:
                    return t + 1, corrections, criterion
    return draws.size, corrections, criterion


def all_errors(problem: Problem, A: NDArray[Any], watch: Watch) -> int:
    """How many patterns A does not classify correctly."""
    errors = 0
    for start, stop in watch.chunks(problem.n_rows, problem.work):
        found = int(count_errors(problem.rows, problem.labels, start, stop, A, problem.n_rows + 1))
        if found < 0:
            raise problem.refuse()
        errors += found
    return errors


@dataclass(frozen=True, kw_only=True)
class PocketFindings(Findings):
    """The weights at the end of the last pass, and how often the pocket changed."""

    last: NDArray[Any]
    copies: int


class PocketRule(ErrorCorrectingRule):
    """One epoch is as many random visits as there are patterns."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: Perceptron, online: bool) -> None:
        super().__init__(A, model.margin, model.schedule, model)
        self.bias = A.dtype.type(model._bias_step(problem))
        self.draw = check_random_state(model.random_state)
        self.pocket = self.A.copy()
        self.state = np.array([0, 0, -1, -1, 0])
        self.online = online

    @property
    def answer(self) -> NDArray[Any]:
        """What is in the pocket."""
        return np.atleast_2d(self.pocket)

    @property
    def findings(self) -> PocketFindings:
        """The weights at the end, and how often the pocket changed."""
        return PocketFindings(notes=self.notes, last=np.atleast_2d(self.A).copy(), copies=int(self.state[4]))

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """Draw and visit; the errors are those of the pocket on all patterns."""
        if self.state[2] < 0 or self.online:  # a new portion: what the pocket did on others says nothing here
            self.state[2:4] = all_errors(problem, self.pocket, watch), -1
        part = np.flatnonzero(problem.part)
        draws = part[self.draw.randint(part.size, size=part.size)]
        before, criterion = self.k, 0.0
        patience = max(1, CHUNK // max(problem.work, 1))
        for start, stop in watch.chunks(part.size, problem.work):
            while start < stop and self.state[2] > 0:
                watch.check()
                visited, corrections, met = _visits(
                    problem.rows, problem.labels, problem.weight, draws[start:stop], self.A, self.pocket, self.state,
                    self.b, self.steps(stop - start), self.bias, self.trail.rows, self.trail.cursor, patience,
                )  # fmt: skip
                self.k += corrections
                if visited < 0:
                    raise problem.refuse()
                start, criterion = start + visited, criterion + met
        errors = int(self.state[2])
        self.schedule.observe(errors=errors)
        return self.told(Sweep(errors, criterion, self.k - before, 0.0), None if errors else Status.SEPARATED)

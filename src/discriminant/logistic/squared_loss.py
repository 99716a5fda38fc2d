"""The squared error of a sigmoid unit, and gradient descent on it, as the source has it.

    E/2 = ½ sum of (t - sigma(g))²,        a <- a + eta sum of (t - sigma) sigma (1 - sigma) y

with targets t of 1 and 0. The source drops the 2 of dE/da, so that its steps are on E/2.

Symbols: a = (w₀, w); y = (1, x); g = a'y; v weights of the rows; eta the step.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.5.2, Example 14.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.path import Path
from .._engine.problem import EMPTY, Problem
from .._engine.rows import Rows, compiled, inlined, row_axpy, row_dot
from .._engine.threads import RUNS, in_runs
from ..geometry import safe_norm
from ..multiclass import n_problems
from ..schedules import Constant, get
from ..solution import Epoch, Findings, Status

Vector = NDArray[np.float64]

STEEP = 0.0772  # the largest second derivative of (1 - sigma)²/2


@inlined
def signal(t: Any, p: Any) -> Any:
    """(t - sigma) sigma (1 - sigma): what a row adds to a, in units of eta y."""
    return (t - p) * p * (1 - p)


@compiled
def _pass(
    X: Rows, own: NDArray[np.int32], v: Vector, a: Vector, start: int, stop: int, pull: Vector
) -> tuple[float, int]:
    """½ sum of v (t - sigma)² and the errors of some rows; v signal y is added to the pull."""
    total, errors = 0.0, 0
    for i in range(start, stop):
        if own[i] < 0:
            continue
        t, g = float(own[i]), row_dot(X, i, a)
        p, weight = 1 / (1 + math.exp(-g)), v[i] if v.size else 1.0
        total += 0.5 * weight * (t - p) ** 2
        errors += 0 if (2 * t - 1) * g > 0 else 1
        row_axpy(X, i, weight * signal(t, p), 1.0, pull)
    return total, errors


class SquaredRule:
    """Gradient descent on E/2."""

    def __init__(self, start: NDArray[Any], problem: Problem, v: Vector | None, model: Any) -> None:
        self.a, self.v, self.dtype = start[0].astype(np.float64), EMPTY if v is None else v, problem.dtype
        self.tol, self.k = max(float(model.tol), 100 * float(np.finfo(problem.dtype).eps)), 0
        self.runs = int(np.clip(problem.entries // max(50_000, problem.n_features), 1, RUNS))
        self.schedule = Constant(self._safe(problem)) if model.schedule is None else get(model.schedule)
        self.steepest = 0.0
        self.findings = Findings(details={"method": "gradient descent"})
        self.trail = Path(self.answer[0], model.record == "weights", n_problems(model.classes_.size, model.multiclass_))

    def _safe(self, problem: Problem) -> float:
        """A step with which E never rises: one over a bound of the second derivatives."""
        radius = problem.squared_radius()
        weight = float(self.v[problem.part].sum()) if self.v.size else float(np.count_nonzero(problem.part))
        return 1 / (STEEP * weight * (1 + radius))

    @property
    def answer(self) -> NDArray[Any]:
        """The weights, in the type of the data."""
        return np.asarray(self.a[None], self.dtype)

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded weights."""
        return self.trail.so_far(self.answer[0])

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step; the errors and the criterion are those before it."""
        watch.check()

        def work(start: int, stop: int) -> list[Any]:
            pull = np.zeros(self.a.size)
            return [*_pass(problem.rows, problem.labels, self.v, self.a, start, stop, pull), pull]

        value, errors, pull = in_runs(problem.n_rows, self.runs, work)
        if not (np.isfinite(value) and np.all(np.isfinite(pull))):
            raise problem.refuse()
        self.k += 1
        eta, steep = self.schedule(self.k), float(safe_norm(pull))
        self.schedule.observe(errors=errors)
        self.steepest = max(self.steepest, steep)
        self.a = self.a + eta * pull
        self.trail.add(self.answer[0])
        short = eta * steep <= self.tol * max(1.0, float(safe_norm(self.a)))
        done = Status.CONVERGED if short and steep <= self.tol * self.steepest else None
        return Epoch(int(errors), float(value), eta, 1, done)

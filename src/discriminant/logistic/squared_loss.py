"""The squared error of a sigmoid unit, and gradient descent on it, as the source has it.

    E/2 = ½ Σ (t − σ(g))²,        a ← a + η Σ (t − σ) σ (1 − σ) y

with targets t of 1 and 0. The source drops the 2 of dE/da, so that its steps are on E/2.

This is descent on ``criteria.Sigmoid``, with a pass of its own: the criterion's products with Y and its exponentials of
whole vectors read X twice and take six times as long (100,000 rows of 50 features: 30 ms a step, here 5 ms). The stop
needs no Hessian, which the criterion may lack where it is flat; the weights are float64 whatever the data.

Symbols: a = (w₀, w); y = (1, x); g = aᵗy; v weights of the rows; η the step.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.5.2, Example 14.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Plan, Watch
from .._engine.linalg import Matrix
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, inlined, row_axpy, row_dot
from .._engine.threads import RUNS, in_runs
from .._guards.validation import all_finite
from ..geometry import safe_norm
from ..schedules import Constant, get
from ..solution import Epoch, Status
from .regression import RegressionFindings
from .softmax import Labels

STEEP = 0.0772  # the largest second derivative of (1 − σ)²/2


@inlined
def signal(t: Any, p: Any) -> Any:
    """(t − σ) σ (1 − σ): what a row adds to a, in units of η y."""
    return (t - p) * p * (1 - p)


@compiled
def _pass(X: Rows, own: Labels, v: Matrix, a: Matrix, start: int, stop: int, pull: Matrix) -> tuple[float, int]:
    """½ Σ v (t − σ)² and the errors of some rows; v signal y is added to the pull."""
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

    findings = RegressionFindings(details={"method": "gradient descent"})

    def __init__(self, start: NDArray[Any], problem: Problem, schedule: Any, tol: float, plan: Plan) -> None:
        self.answer, self.a, self.v = start, start[0].astype(np.float64), problem.weight.astype(np.float64)
        self.tol, self.k = max(float(tol), 100 * float(np.finfo(problem.dtype).eps)), 0
        self.runs = int(np.clip(problem.entries // max(50_000, problem.n_features), 1, RUNS))
        self.schedule = Constant(self._safe(problem)) if schedule is None else get(schedule)
        self.steepest = 0.0
        self.recorded = Path(self.answer[0], plan.record, plan.shares)

    def _safe(self, problem: Problem) -> float:
        """A step with which E never rises: one over a bound of the second derivatives."""
        part = problem.part
        weight = float(self.v[part].sum()) if self.v.size else float(np.count_nonzero(part))
        return 1 / (STEEP * weight * (1 + problem.squared_radius()))

    @property
    def path(self) -> NDArray[Any] | None:
        return self.recorded.so_far(self.answer[0])

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step; the errors and the criterion are those before it."""
        watch.check()

        def work(start: int, stop: int) -> list[Any]:
            pull = np.zeros(self.a.size)
            return [*_pass(problem.rows, problem.labels, self.v, self.a, start, stop, pull), pull]

        value, errors, pull = in_runs(problem.n_rows, self.runs, work)
        if not (np.isfinite(value) and all_finite(pull)):
            raise problem.refuse()
        self.k += 1
        eta, steep = self.schedule(self.k), float(safe_norm(pull))
        self.schedule.observe(errors=errors)
        self.steepest = max(self.steepest, steep)
        self.a = self.a + eta * pull
        self.answer = np.asarray(self.a[None], problem.dtype)
        self.recorded.add(self.answer[0])
        short = eta * steep <= self.tol * max(1.0, float(safe_norm(self.a)))
        done = Status.CONVERGED if short and steep <= self.tol * self.steepest else None
        return Epoch(int(errors), float(value), eta, 1, done)

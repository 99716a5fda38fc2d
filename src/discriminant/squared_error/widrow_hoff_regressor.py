"""Widrow-Hoff (LMS, Adaline) as a regressor: every pattern aims at its own target.

The rules, their equations and their theorems stand in ``widrow_hoff``; here are the parameters and what is published.

Source: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.2, Table 2.3.

Tests: ``tests/squared_error/test_widrow_hoff.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule
from .._engine.problem import make_problem
from .._guards.held import COURSE
from ..base.regressor import IterativeRegressor
from ..schedules import Schedule
from ..solution import Solution
from .aimed_patterns import AimedProblem
from .widrow_hoff import WidrowHoffRule, rule_of
from .widrow_hoff_parameters import Progress, WidrowHoffParameters


class WidrowHoffRegressor(WidrowHoffParameters, IterativeRegressor):
    """Linear regression by the Widrow-Hoff procedure (Adaline): pattern by pattern or all at once, primal or dual.

    Minimizes the sum of (wᵗx + w₀ - y)².  A constant step moves the weights for ever, unless the plane goes through
    every point: a falling schedule or ``batch=True`` makes them converge.  Sample weights multiply the steps.

    Parameters
    ----------
    batch : bool, default=False
        Step along the sum over all patterns, instead of one by one (Table 2.3).
    dual : bool, default=False
        Run on the Gram matrix: the same steps, with the weights kept as Σ αᵢ(1, xᵢ), and ``alpha_``
        published.
    schedule : float, str, callable or Schedule, default=None
        The step η(k) of the k-th visit, or of the k-th batch step: a number, ``"1/k"``, a function of k; for single
        samples also ``"rls"``, for the batch rule ``"optimal"``.  None is a constant: 0.1 / max‖(1, x)‖² for single
        samples, 1/λ_max for the batch rule.
    tol : float, default=1e-4
        It stops when the longest step of a pass is below ``tol``, relative to the length of the weights where that
        exceeds one, the gradient is shorter than ``tol`` times that at w = 0, w₀ = 0, and the sum of squares cannot
        fall by more than ``tol`` of itself, or ``tol``² of that at w = 0, w₀ = 0 where that is more.
    order : {"cyclic", "random"}, default="cyclic"
        The rows' order, or a new permutation each pass.
    start : array of shape (d+1,), default=None
        Augmented start vector (w₀, w); None is zero.
    max_iter : int, default=1000
        At most so many passes, or batch steps.
    random_state : int, RandomState instance or None, default=None
        Seed of the random order.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w.
    intercept_ : float
        Threshold weight w₀.
    weights_ : array of shape (d+1,)
        Augmented weights (w₀, w).
    alpha_ : array of shape (n,)
        With ``dual``: the weights are Σ αᵢ(1, xᵢ).
    n_iter_, n_corrections_ : int
        Passes and changes of the weights.
    history_ : dict of arrays
        ``"criterion"``, ``"step"``, ``"corrections"`` of each pass, as met on the way.
    status_, report_
        Why it stopped, and what happened in words.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.3, Exercises 1 and 2.

    Examples
    --------
    Three points on the plane y = x1 + 2 x2 (*Machine Learning: Theory and Practice*, Example 12):

    >>> from discriminant import WidrowHoffRegressor, datasets
    >>> X, y = datasets.regression_example()
    >>> model = WidrowHoffRegressor(schedule=0.1, tol=1e-8).fit(X, y)
    >>> model.weights_.round(4).tolist(), model.status_.name
    ([0.0, 1.0, 2.0], 'CONVERGED')
    """

    _held = COURSE | {"alpha_?": "float n", "_progress": Progress.fits}

    record = None
    _criterion = "sum of (w'x + w0 - y)^2"
    _exact = "LeastSquaresRegressor"
    _watched = None

    def __init__(
        self,
        *,
        batch: bool = False,
        dual: bool = False,
        schedule: float | str | Callable[[int], float] | Schedule | None = None,
        tol: float = 1e-4,
        order: str = "cyclic",
        start: Any = None,
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.batch = batch
        self.dual = dual
        self.schedule = schedule
        self.tol = tol
        self.order = order
        self.start = start
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_rule()

    def _aimed(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> AimedProblem:
        """Aim at the values themselves, once the data have passed."""
        X, y = self._validated(X, y, reset)
        return AimedProblem.at(y, make_problem(X, np.zeros(y.size, np.int32), sample_weight, 2))

    def _begin(self, problem: AimedProblem, start: NDArray[Any], online: bool) -> Rule:
        return rule_of(self._form(), problem, start)

    def _resume(self, problem: AimedProblem, problems: list[AimedProblem], first: bool) -> list[Rule]:
        rules = super()._resume(problem, problems, first)
        if not first:
            cast(WidrowHoffRule, rules[0]).go_on_from(self._progress)
        return rules

    def _publish(self, solutions: list[Solution[Any]], problem: AimedProblem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        findings = solutions[0].findings
        if self.dual:
            self.alpha_ = findings.alpha
        self._progress: Progress = findings.progress
        for rule in self._rules:
            cast(WidrowHoffRule, rule).forget()

"""Widrow-Hoff (LMS, Adaline) as a regressor: every pattern aims at its own target.

The rules, their equations and their theorems stand in ``widrow_hoff``; here are the parameters and what is published.

Source: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, section 2.2, Table 2.3.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from .._engine.callbacks import CallbackSupportMixin, listen, with_callbacks
from .._engine.driver import Rule, Watch, drive, watching
from .._engine.problem import Problem, make_problem
from .._guards.state import all_or_nothing, unchanged_on_failure
from .._guards.validation import floats
from ..base.classifier import available_when
from ..base.regressor import LinearRegressor
from ..exceptions import warn_of
from ..schedules import Schedule
from ..solution import Epochs, Findings, Solution, Status, history_of
from .aimed_patterns import AimedProblem
from .widrow_hoff import WidrowHoffRule, rule_of
from .widrow_hoff_parameters import WidrowHoffParameters, streams


class WidrowHoffRegressor(WidrowHoffParameters, CallbackSupportMixin, LinearRegressor):
    """Linear regression by the Widrow-Hoff procedure (Adaline): pattern by pattern or all at once, primal or dual.

    Minimizes the sum of (w'x + w0 - y)^2.  A constant step moves the weights for ever, unless the plane goes through
    every point: a falling schedule or ``batch=True`` makes them converge.  Sample weights multiply the steps.

    Parameters
    ----------
    batch : bool, default=False
        Step along the sum over all patterns, instead of one by one (Table 2.3).
    dual : bool, default=False
        Run on the Gram matrix: the same steps, with the weights kept as a sum of alpha_i (1, x_i), and ``alpha_``
        published.
    schedule : float, str, callable or Schedule, default=None
        The step eta(k) of the k-th visit, or of the k-th batch step: a number, ``"1/k"``, a function of k; for single
        samples also ``"rls"``, for the batch rule ``"optimal"``.  None is a constant: 0.1 / max|(1, x)|^2 for single
        samples, 1 / lambda_max for the batch rule.
    tol : float, default=1e-4
        It stops when the longest step of a pass is below ``tol``, relative to the length of the weights where that
        exceeds one, the gradient is shorter than ``tol`` times that at w = 0, w0 = 0, and the sum of squares cannot
        fall by more than ``tol`` of itself, or ``tol``^2 of that at w = 0, w0 = 0 where that is more.
    order : {"cyclic", "random"}, default="cyclic"
        The rows' order, or a new permutation each pass.
    start : array of shape (d+1,), default=None
        Augmented start vector (w0, w); None is zero.
    max_iter : int, default=1000
        Passes, or batch steps, at the most.
    random_state : int, RandomState instance or None, default=None
        Seed of the random order.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w.
    intercept_ : float
        Threshold weight w0.
    weights_ : array of shape (d+1,)
        Augmented weights (w0, w).
    alpha_ : array of shape (n,)
        With ``dual``: the weights are the sum of alpha_i (1, x_i).
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

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from patterns X with values y.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.
        y : array of shape (n,)
            Values.
        sample_weight : array of shape (n,), default=None
            Weights; a row of weight zero counts as absent.

        Returns
        -------
        self
            The fitted regressor.
        """
        with unchanged_on_failure(self):
            given = X, y, sample_weight
            problem = self._aimed(X, y, sample_weight, reset=True)
            self._going: WidrowHoffRule | None = None
            with watching() as watch:
                self._tell(self._solution(problem, watch, *given), problem)
            warn_of(self.report_, watch.interrupted)
        return self

    def _solution(self, problem: AimedProblem, watch: Watch, X: Any, y: Any, sample_weight: Any) -> Solution[Any]:
        """Drive the rule; callbacks that listen see the model as it would be if the fit ended now."""
        rule, epochs = rule_of(self._form(), problem, self._first(problem)), 0
        listener = listen(self, int(self.max_iter), X, y, sample_weight)
        if listener is None:
            return drive(rule, problem, int(self.max_iter), watch)

        def attributes() -> dict[str, Any]:
            seen = copy(self)
            seen._set_weights(rule.answer[0])
            return {**seen.__dict__, "n_iter_": epochs}

        def end() -> bool:
            nonlocal epochs
            epochs += 1
            return listener.end(attributes)

        solution = drive(rule, problem, int(self.max_iter), watch, listener.begin, end)
        self._tell(solution, problem)  # so that the callbacks find a fitted model
        listener.finish()
        return solution

    @available_when(streams)
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Make one pass over a portion of data, going on from the present weights.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.
        y : array of shape (n,)
            Values.
        sample_weight : array of shape (n,), default=None
            Weights.

        Returns
        -------
        self
            The regressor.
        """
        first = not hasattr(self, "status_")
        problem = self._aimed(X, y, sample_weight, reset=first)
        if first:
            self._going, self._epochs = rule_of(self._form(), problem, self._first(problem)), Epochs()
        elif self._going is None:
            self._going = rule_of(self._form(), problem, self.weights_[None].astype(problem.dtype))
            self._going.go_on_from(self._progress)
        with watching() as watch:
            solution = drive(cast(Rule, self._going), problem, 1, watch)
        self._epochs.extend(solution.epochs)
        solution.epochs = self._epochs
        self._tell(solution, problem)
        return self

    def _aimed(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> AimedProblem:
        """The problem, once parameters and data have passed."""
        self._check_rule()
        X, y = self._validated(X, y, reset)
        return AimedProblem.at(y, make_problem(X, np.zeros(y.size, np.int32), sample_weight, 2))

    def _first(self, problem: Problem) -> NDArray[Any]:
        """The start vector."""
        if self.start is None:
            return problem.zeros()
        a = floats("start", self.start, problem.dtype, "give finite weights")
        if a.shape != (wanted := (problem.n_features + 1,)) or not np.all(np.isfinite(a)):
            raise ValueError(f"start has shape {a.shape}: give finite weights (w0, w) of shape {wanted}.")
        return a[None]

    def _set_weights(self, a: NDArray[Any]) -> None:
        self.weights_, self.coef_, self.intercept_ = a.copy(), a[1:].copy(), float(a[0])

    def _tell(self, solution: Solution[Any], problem: Problem) -> None:
        """Set the fitted attributes."""
        if self.dual:
            self.alpha_ = solution.findings.alpha
        self._progress, self._epochs = solution.findings.progress, solution.told
        if self._going is not None:
            self._going.forget()
        self.n_iter_, self.n_corrections_ = max(1, solution.n_iter), solution.n_corrections
        self.history_ = {name: column for name, column in history_of([solution]).items() if name != "errors"}
        value = float(solution.epochs[-1].criterion) if solution.epochs else None
        details = {"iterations": self.n_iter_, "corrections": self.n_corrections_, "criterion value": value}
        findings = Findings(details=details | dict(solution.findings.details))
        remedy = self._remedy() if solution.status is Status.BUDGET else None
        self._publish(solution.weights[0], problem.source, findings, solution.status, remedy)

"""Widrow-Hoff (LMS) as a classifier: patterns of the positive class aim at b, the others at -b.

The rules, their equations and their theorems stand in ``_lms``; here are the parameters and what is published.

Source: Duda, Hart, Stork, *Pattern Classification*, section 5.8.4, Algorithm 10.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule
from .._engine.problem import Problem
from .._guards.parameters import choice
from ..base.classifier import OnlineClassifier
from ..multiclass import n_problems
from ..schedules import Schedule
from ..solution import Solution
from .aimed_patterns import AimedProblem, LeastMeanSquaresRule, Progress, WidrowHoffParameters


class WidrowHoff(WidrowHoffParameters, OnlineClassifier):
    """Widrow-Hoff procedure (LMS): descend on the sum of squared errors, pattern by pattern or all at once.

    Minimizes J_s(a), the sum of (a'y - b)^2 over the normalized patterns.  The answer approximates the Bayes
    discriminant; it need not separate, even where a separating vector exists.  A constant step moves the weights for
    ever, unless Ya = b can be met: a falling schedule or ``batch=True`` makes them converge.  Sample weights multiply
    the steps.

    Parameters
    ----------
    batch : bool, default=False
        Step along the sum over all patterns, instead of one by one (Algorithm 10).
    dual : bool, default=False
        Run on the Gram matrix: the same steps, with the weights kept as a sum of alpha_i y_i, and ``alpha_`` published.
    targets : "ones" or array of shape (n,), default="ones"
        The values b > 0 that a'y should take.
    schedule : float, str, callable or Schedule, default=None
        The step eta(k) of the k-th visit, or of the k-th batch step: a number, ``"1/k"``, a function of k; for single
        samples also ``"rls"``, for the batch rule ``"optimal"`` (twice the eta of Eq. 14).  None is a constant:
        0.1 / max|y|^2 for single samples, 1 / lambda_max(Y'Y) for the batch rule.
    tol : float, default=1e-4
        It stops when the longest step of a pass is below ``tol``, relative to the length of a where that exceeds one,
        the gradient Y'(Ya - b) is shorter than ``tol`` times Y'b, and J_s cannot fall by more than ``tol`` of itself,
        or ``tol``^2 of J_s(0) where that is more.
    order : {"cyclic", "random"}, default="cyclic"
        The rows' order, or a new permutation each pass.
    start : array of shape (d+1,) or (c, d+1), default=None
        Augmented start vector (w0, w); None is zero.
    max_iter : int, default=1000
        Passes, or batch steps, at the most.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``.
    multiclass : {"one-vs-rest", "one-vs-one"}, default="one-vs-rest"
        What to do with more than two classes.
    random_state : int, RandomState instance or None, default=None
        Seed of the random order.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), or (c, d) and (c,)
        Weights w and w0.
    weights_ : array of shape (d+1,) or (c, d+1)
        Augmented weights (w0, w).
    alpha_ : array of shape (n,), or (n, number of problems)
        With ``dual``: the weights are the sum of alpha_i y_i over the normalized patterns.
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Passes and changes of the weights.
    history_, status_, report_
        What happened, why it stopped, and both in words.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, sections 5.8.4 and 5.8.5, Algorithm 10, Eqs. 61 and 67.
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, Table 2.3, Exercise 1.

    Examples
    --------
    The answer of Example 1, a = (11/3, -4/3, -2/3), without a pseudoinverse:

    >>> from discriminant import WidrowHoff, datasets
    >>> X, y = datasets.pseudoinverse_example()
    >>> model = WidrowHoff(batch=True, tol=1e-8, max_iter=10_000).fit(X, y)
    >>> model.weights_.round(5).tolist(), model.status_.name
    ([3.66667, -1.33333, -0.66667], 'CONVERGED')
    """

    _criterion = "J_s(a) = sum of (a'y - b)^2 over all patterns"

    def __init__(
        self,
        *,
        batch: bool = False,
        dual: bool = False,
        targets: Any = "ones",
        schedule: float | str | Callable[[int], float] | Schedule | None = None,
        tol: float = 1e-4,
        order: str = "cyclic",
        start: Any = None,
        max_iter: int = 1000,
        record: str | None = None,
        multiclass: str = "one-vs-rest",
        random_state: Any = None,
    ) -> None:
        self.batch = batch
        self.dual = dual
        self.targets = targets
        self.schedule = schedule
        self.tol = tol
        self.order = order
        self.start = start
        self.max_iter = max_iter
        self.record = record
        self.multiclass = multiclass
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_rule()

    def _problems(self, problem: Problem) -> list[Problem]:
        b = margins_of(self.targets, problem.n_rows)
        return [AimedProblem.at(np.where(part.labels == 1, b, -b), part) for part in super()._problems(problem)]

    def _shares(self) -> int:
        return n_problems(self.classes_.size, self.multiclass_)

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return self._rule(cast(AimedProblem, problem), start)

    def _resume(self, problem: Problem, problems: list[Problem], first: bool) -> list[Rule]:
        rules = super()._resume(problem, problems, first)
        if not first:
            for rule, earlier in zip(rules, self._progress, strict=True):
                cast(LeastMeanSquaresRule, rule).go_on_from(earlier)
        return rules

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        rules = [solution.findings.rule for solution in solutions]
        self._progress: list[Progress] = [rule.progress for rule in rules]
        if self.dual:
            signs = [2 * (part.labels == 1) - 1 for part in self._problems(problem)]
            columns = [rule.alpha * z.astype(problem.dtype) for rule, z in zip(rules, signs, strict=True)]
            self.alpha_ = columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
        for rule in rules:
            rule.forget()


def margins_of(targets: Any, n: int) -> NDArray[np.float64]:
    """The margins b > 0 that ``targets`` stands for, one a pattern."""
    if isinstance(targets, str):
        choice("targets", targets, ("ones",))
        return np.ones(n)
    b = np.asarray(targets, np.float64)
    if b.shape != (n,):
        raise ValueError(f"targets has shape {b.shape}: give 'ones', or one positive number for each of the {n} rows.")
    if not np.all((b > 0) & np.isfinite(b)):
        bad = b[~((b > 0) & np.isfinite(b))][0]
        raise ValueError(f"targets holds {bad:g}: give finite numbers > 0, the values of a'y on normalized patterns.")
    return b

"""Widrow-Hoff (LMS, Adaline) as a regressor: every pattern aims at its own target.

The rules, their equations and their theorems stand in ``widrow_hoff``; here are the parameters and what is published.

Source: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.2, Table 2.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule
from .._engine.problem import make_problem
from .._guards.held import COURSE
from ..base.regressor import IterativeRegressor
from ..solution import Solution
from .aimed_patterns import AimedProblem
from .widrow_hoff import rule_of
from .widrow_hoff_parameters import Progress, WidrowHoffParameters


class WidrowHoffRegressor(WidrowHoffParameters, IterativeRegressor):
    """Linear regression by the Widrow-Hoff procedure (Adaline): pattern by pattern or all at once, primal or dual.

    Minimizes the sum of (wᵗx + w₀ - y)².  A constant step moves the weights for ever, unless the plane goes through
    every point: a falling schedule or ``batch=True`` makes them converge.  Sample weights multiply the steps.

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

    _page = "widrow_hoff"
    _added_parameters = ("record",)
    _criterion = "sum of (w'x + w0 - y)^2"
    _exact = "LeastSquaresRegressor"
    _watched = None
    _holds_several = False

    def _aimed(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> AimedProblem:
        """Aim at the values themselves, once the data have passed."""
        X, y = self._validated(X, y, reset)
        return AimedProblem.at(y, make_problem(X, np.zeros(y.size, np.int32), sample_weight, 2))

    def _begin(self, problem: AimedProblem, start: NDArray[Any], online: bool) -> Rule:
        return rule_of(self._form(), problem, start)

    def _publish(self, solutions: list[Solution[Any]], problem: AimedProblem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        if self.dual:
            self.alpha_ = solutions[0].findings.alpha

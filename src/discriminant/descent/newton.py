"""Newton's algorithm on any criterion function that has a Hessian.

    a(k+1) = a(k) − H⁻¹∇J(a(k))      until ‖H⁻¹∇J‖ < θ                                  (Algorithm 2, Eq. 15)

The step minimizes the second-order expansion of J: on a quadratic criterion it is the answer, and the second iteration
only confirms it.  Where H is singular many steps do so, and the shortest is taken.  Where J is not quadratic it may
overshoot, and is halved until J does not rise.

Symbols: a the augmented weights (w₀, w), J the criterion on the normalized patterns, H its Hessian, θ = ``tol``.

Source: Duda, Hart, Stork, *Pattern Classification*, §5.4.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule, Watch
from .._engine.problem import Problem
from .._guards.parameters import refused
from ..base.expansion import newton_step
from ..base.inherited_docs import estimator
from ..criteria import get
from ..solution import Findings
from .rule import CriterionClassifier, CriterionRule, Place, length


class NewtonDescentRule(CriterionRule):
    """Algorithm 2."""

    def step(self, here: Place, watch: Watch) -> tuple[NDArray[Any], float]:
        """H⁻¹∇J, or the shortest such step where H is singular."""
        gradient = here.gradient
        if not np.any(gradient):
            return gradient, 1.0
        self.found = newton_step(self.criterion, here.margins, gradient, watch)
        if not np.any(self.found.step):  # J is so flat that H underflows: down the gradient, as far as a is long
            return gradient * (max(1.0, length(self.a)) / length(gradient)), 1.0
        if 0 < self.found.rank < gradient.size:
            rank = f"rank {self.found.rank} of {gradient.size}"
            note = f"The Hessian is singular ({rank}): the shortest of the Newton steps was taken."
            self.findings = Findings(notes=[note])
        return np.asarray(self.found.step, self.a.dtype), 1.0

    def fall(self, here: Place, watch: Watch) -> float:
        """What the step of this place has promised."""
        return self.found.fall


@estimator
class NewtonDescent(CriterionClassifier):
    """Newton's algorithm (Algorithm 2) on any criterion function that has a Hessian.

    Where the Hessian is singular, the shortest of the steps that minimize the second-order expansion is taken, and
    ``report_`` says so.  A step that would raise the criterion is halved.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.4.2, Algorithm 2, Eq. 15.

    Examples
    --------
    A quadratic criterion takes one step, and a second to see that it was enough:

    >>> from discriminant import NewtonDescent, datasets
    >>> model = NewtonDescent(criterion="mse").fit(*datasets.pseudoinverse_example())
    >>> model.weights_.round(6).tolist(), model.n_iter_
    ([3.666667, -1.333333, -0.666667], 2)
    """

    criterion: Any = "mse"
    margin: Any = None
    tol: float = 1e-8
    start: Any = None
    max_iter: int = 100
    record: str | None = None
    multiclass: str = "one-vs-rest"

    _page = "newton_descent"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        chosen = get(self.criterion)
        if not chosen.has_hessian:
            raise refused("criterion", chosen.name, "one with a Hessian", "use GradientDescent, or another criterion")

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return NewtonDescentRule(start, problem, self._descent())

"""Gradient descent on any criterion function.

    a(k+1) = a(k) − η(k) ∇J(a(k))      until ‖η(k) ∇J‖ < θ                              (Algorithm 1, Eq. 12)

The step η(k) = ‖∇J‖² / (∇Jᵗ H ∇J) minimizes the second-order expansion of J along the gradient (Eq. 14); it depends on
the gradient even where H is constant.  Where J is not quadratic it may overshoot: that of the default schedule is
halved until J does not rise.

Where J has kinks there is no H, and no smallest gradient either.  The default is then Polyak's step towards a level
below the lowest J so far,

    η(k) = (J(a(k)) − level) / ‖∇J‖²,      level = lowest J − δ,

which is exact where the level is the minimum.  δ is halved whenever the steps since the level was set have covered a
fixed length without lowering J by δ/2: the lowest J converges to the minimum (Goffin, Kiwiel).

Symbols: a the augmented weights (w₀, w), J the criterion on the normalized patterns, H its Hessian, θ = ``tol``.

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.4.2, Problems 12, 13 and 17, Computer exercise 1; Goffin,
Kiwiel, "Convergence of a simple subgradient level method", *Mathematical Programming* 85, 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import criteria
from .._engine.driver import Rule, Watch
from .._engine.problem import Problem
from .._guards.parameters import refused
from ..base.expansion import newton_step
from ..base.inherited_docs import estimator
from ..base.squared_steps import FIRST, LEAST, FewPatterns, Steps
from ..criteria import MeanSquaredError, SquaredError
from ..samples import product
from ..schedules import Constant, Optimal, Schedule, get
from ..solution import EMPTY, Epoch
from .rule import CriterionClassifier, CriterionRule, DescentPlan, Place, length

QUADRATIC = (SquaredError, MeanSquaredError)  # J(a) = Σ w (aᵗy − b)², whose φ″ is 2
LENGTHS = 10  # first steps of the level method that make its fixed length


class GradientRule(CriterionRule):
    """Algorithm 1."""

    def __init__(self, A: NDArray[Any], problem: Problem, plan: DescentPlan, schedule: Any = "auto") -> None:
        super().__init__(A, problem, plan)
        self.named = f"schedule={schedule!r}"
        self.guarded = is_auto(schedule) and self.criterion.has_hessian
        self.schedule: Schedule | LevelSteps = Optimal() if self.guarded else LevelSteps()
        if not is_auto(schedule):
            self.schedule = get(schedule)
        self.eta = 0.0
        self.looked = np.inf  # length of the gradient when the expansion was last computed
        self.few: FewPatterns | None = None
        fixed = isinstance(self.schedule, Constant)
        quadratic = type(self.criterion) in QUADRATIC and problem.dtype == np.float64
        self.leaps = (fixed or isinstance(self.schedule, Optimal)) and quadratic

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        epoch = super().epoch(problem, watch)
        self.eta = epoch.step
        if isinstance(self.schedule, Schedule):
            self.schedule.observe(errors=epoch.errors)
        return epoch

    def leap(self, problem: Problem, watch: Watch, limit: int) -> NDArray[Any]:
        """Many steps on the sum of squared errors, which are twice the η of its gradient."""
        if self.k < FIRST or not (self.leaps and FewPatterns.serve(problem)):
            return EMPTY
        J = self.criterion
        self.few = self.few or FewPatterns(
            problem, np.flatnonzero(self.part), J.Y.z, J.curvatures(J.b) / 2, np.eye(self.a.size)
        )
        rate = 2 * self.schedule.eta if isinstance(self.schedule, Constant) else 0.0
        steps = Steps(rate=rate, short=max(self.tol, LEAST), rise=1 + self.tol if self.guarded else np.inf)
        a: NDArray[np.float64] = self.a.astype(np.float64)
        table = self.few.leap(a, J.b.copy(), steps, limit, self.recorded)
        table[:, 2] /= 2
        if len(table):
            self.k, self.eta, self.here, self.a, self.answer = self.k + len(table), table[-1, 2], None, a, a[None]
        return table

    def step(self, here: Place, watch: Watch) -> tuple[NDArray[Any], float]:
        """The step η(k) ∇J."""
        if isinstance(self.schedule, LevelSteps):
            eta = self.schedule(here.value, length(here.gradient))
        elif isinstance(self.schedule, Optimal):
            eta = self._optimal(here)
        else:
            eta = self.schedule(self.k + 1)
        return np.asarray(eta * here.gradient, self.a.dtype), eta

    def fall(self, here: Place, watch: Watch) -> float:
        """By the expansion, which costs as much as many steps: only at a small gradient, and not again at the same."""
        if (size := length(here.gradient)) > min(self.tol * self.steepest, self.looked / 2):
            return np.inf
        self.looked = size
        return newton_step(self.criterion, here.margins, here.gradient, watch).fall

    def _optimal(self, here: Place) -> float:
        """Eq. 14; the gradient is scaled first, so that its square cannot overflow.

        The default schedule turns back where J curves downward, and keeps its step where J does not curve at all.
        """
        size = float(np.abs(here.gradient).max())
        if size == 0:
            return 0.0
        unit = here.gradient / size
        along = product(self.criterion.Y, unit).astype(np.float64, copy=False)
        curvature = float((self.criterion.curvatures(here.margins) * along**2).sum())  # uᵗHu; Ya is known
        if self.guarded and np.isfinite(curvature):
            best = float(unit @ unit) / abs(curvature) if curvature else np.inf
            return best if np.isfinite(best) else self.eta
        if not 0 < curvature < np.inf:
            raise ValueError(
                f"{self.named} needs a positive, finite curvature, but that of criterion={self.criterion.name!r} along "
                f"its gradient is {curvature:.3g} at step {self.k + 1}; take a number or '1/k', or divide the features "
                "by their size."
            )
        return float(unit @ unit) / curvature


def is_auto(schedule: Any) -> bool:
    """Whether the step is left to the criterion."""
    return isinstance(schedule, str) and schedule == "auto"


class LevelSteps:
    """Polyak's steps towards a level that is lowered, or brought nearer, as J falls or does not."""

    def __init__(self) -> None:
        self.lowest = self.record = np.inf  # the lowest J, and what it was when the level was set
        self.delta = self.allowed = self.covered = 0.0

    def __call__(self, value: float, size: float) -> float:
        if size == 0:
            return 0.0
        self.lowest = min(self.lowest, value)
        if not self.delta:
            self.delta = value or size**2  # J_p is 0 at a = 0, where any step is as good: η = 1
            self.allowed, self.record = LENGTHS * self.delta / size, value
        elif self.lowest <= self.record - self.delta / 2:
            self.record, self.covered = self.lowest, 0.0
        elif self.covered > self.allowed:
            self.record, self.covered, self.delta = self.lowest, 0.0, self.delta / 2
        aim = value - self.record + self.delta
        self.covered += aim / size
        return aim / size / size


@estimator
class GradientDescent(CriterionClassifier):
    """Basic gradient descent (Algorithm 1) on any criterion function.

    Parameters
    ----------
    schedule : float, str, callable or Schedule
        The step η(k); ``"optimal"`` is Eq. 14 and needs a criterion with a Hessian.  ``"auto"`` is Eq. 14, halved
        where J would rise; for a criterion without a Hessian it is a step towards a level below the lowest J so far.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.4.2, Algorithm 1, Eqs. 12-14.

    Examples
    --------
    The optimal first step of Problem 13 from a = 0 with b = 1:

    >>> from discriminant import GradientDescent, datasets
    >>> X, y = datasets.hessian_example()
    >>> model = GradientDescent(criterion="mse").fit(X, y)
    >>> round(float(model.history_["step"][0]), 8)
    0.00392907
    """

    criterion: Any = "mse"
    margin: Any = None
    schedule: float | str | Callable[[int], float] | Schedule = "auto"
    tol: float = 1e-8
    start: Any = None
    max_iter: int = 1000
    record: str | None = None
    multiclass: str = "one-vs-rest"

    _page = "gradient_descent"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if is_auto(self.schedule):
            return
        schedule, chosen = get(self.schedule), criteria.get(self.criterion)
        if schedule.needs == "norms":
            wanted = "one that is not for single samples"
            raise refused("schedule", self.schedule, wanted, "use a number or '1/k'")
        if schedule.needs == "curvature" and not chosen.has_hessian:
            wanted = f"one without the Hessian, which criterion={chosen.name!r} has not"
            raise refused("schedule", self.schedule, wanted, "use a number or '1/k'")

    def _remedy(self) -> str:
        J = self.history_["criterion"]
        grown = not is_auto(self.schedule) and np.any(J[-1:] > J[:1])
        return "a smaller step: the criterion has grown." if grown else super()._remedy()

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return GradientRule(start, problem, self._descent(), self.schedule)

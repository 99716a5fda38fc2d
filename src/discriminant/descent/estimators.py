"""Gradient descent and Newton's algorithm on any criterion function.

    a(k+1) = a(k) - eta(k) grad J(a(k))      until |eta(k) grad J| < theta            (Algorithm 1, Eq. 12)
    a(k+1) = a(k) - H^-1 grad J(a(k))        until |H^-1 grad J| < theta              (Algorithm 2, Eq. 15)

A short step may only mean a small eta(k), or a large |a| far from the origin.  So the minimum counts as reached only
where the gradient has become small as well, and where the second-order expansion of J promises no further fall:
s'grad J / 2 <= theta J for the Newton step s.

The step eta(k) = |grad J|^2 / (grad J' H grad J) minimizes the second-order expansion of J along the gradient (Eq. 14);
it depends on the gradient even where H is constant.  Newton's step minimizes the expansion outright: on a quadratic
criterion it is the answer, and the second iteration only confirms it.  Where H is singular many steps do so, and the
shortest is taken.  Both may overshoot where J is not quadratic: Newton's step, and that of the default schedule, is
halved until J does not rise.

Where J has kinks there is no H, and no smallest gradient either.  The default is then Polyak's step towards a level
below the lowest J so far,

    eta(k) = (J(a(k)) - level) / |grad J|^2,      level = lowest J - delta,

which is exact where the level is the minimum.  delta is halved whenever the steps since the level was set have covered
a fixed length without lowering J by delta/2: the lowest J converges to the minimum (Goffin, Kiwiel).

Symbols: a the augmented weights (w0, w), J the criterion on the normalized patterns, H its Hessian, theta = ``tol``.

Sources: Duda, Hart, Stork, *Pattern Classification*, section 5.4.2, Problems 12, 13 and 17, Computer exercise 1;
Goffin, Kiwiel, "Convergence of a simple subgradient level method", *Mathematical Programming* 85, 1999.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .. import criteria
from .._engine.driver import Rule, Watch
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.refusals import refuse_vanishing
from .._guards.parameters import choice, number
from ..base.classifier import IterativeClassifier
from ..base.expansion import newton_step
from ..criteria import Criterion
from ..multiclass import n_problems
from ..samples import Samples
from ..schedules import Optimal, Schedule, get
from ..solution import Epoch, Findings, Status

HALVINGS = 40  # of a step that would raise J; below that it is rounding that decides
LENGTHS = 10  # first steps of the level method that make its fixed length


class Place(NamedTuple):
    """Ya, J and grad J at some weights a."""

    margins: NDArray[Any]
    value: float
    gradient: NDArray[Any]


class DescentRule:
    """The criterion, the weights and the stop; a subclass says how far to go from here."""

    guarded = True  # whether a step that would raise J is halved

    def __init__(self, A: NDArray[Any], problem: Problem, model: _Descent) -> None:
        problem.check_finite()
        part = problem.part
        z = np.where(part, 2.0 * problem.labels - 1, 1.0)
        weight = problem.weight if problem.weight.size else None
        if not part.all():
            weight = part.astype(float) if weight is None else np.where(part, weight, 0)
        if part.any():  # the pair of two classes without weight has nothing to lose
            refuse_vanishing(weight)
        kind = criteria.get(model.criterion)
        self.criterion: Criterion = kind(Samples(problem.source, z), model._margins(kind), weight)
        self.part = part
        self.a: NDArray[Any] = A[0]
        self.tol = max(float(model.tol), 100 * float(np.finfo(problem.dtype).eps))  # rounding ends no sooner
        self.named = ""  # the parameter that a divergence is put down to
        self.trail = Path(self.a, model.record == "weights", n_problems(model.classes_.size, model.multiclass_))
        self.k = 0
        self.notes: list[str] = []
        self.here: Place | None = None  # what is known already of the present a

    @property
    def answer(self) -> NDArray[Any]:
        """The weights."""
        return self.a[None]

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded weights."""
        return self.trail.so_far(self.a)

    @property
    def findings(self) -> Findings:
        """What a minimum with errors means."""
        return Findings(notes=self.notes)

    def step(self, here: Place, watch: Watch) -> tuple[NDArray[Any], float]:
        """What is subtracted from a, and its scale eta(k) as the history keeps it."""
        raise NotImplementedError

    def fall(self, here: Place, watch: Watch) -> float:
        """By how much J can still fall, to second order."""
        raise NotImplementedError

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step; the errors and the criterion are those before it."""
        a = self.a
        here = self.here or self.look(a)
        if self.k == 0:
            at_zero = self.look(np.zeros_like(a)) if np.any(a) else here
            self.highest, self.steepest = at_zero.value, max(length(at_zero.gradient), length(here.gradient))
        with np.errstate(over="ignore", invalid="ignore"):  # seen and said below
            step, eta = self.step(here, watch)
        if not (np.isfinite(here.value) and np.all(np.isfinite(step))):
            raise self.diverged(here.value)
        self.k += 1
        errors, moved = int(np.count_nonzero(here.margins[self.part] <= 0)), bool(np.any(step))
        done = length(step) <= self.tol * max(1.0, length(a)) and self.lowest(here, watch)
        if moved:
            if not done and self.guarded:
                step, eta, self.here = self.halved(here.value, step, eta, watch)
            else:
                self.here = None
            self.a = a - step
            self.trail.add(self.a)
        if done and errors:
            self.explain(here.value, moved)
        finished = Status.CONVERGED if errors or moved else Status.SEPARATED
        return Epoch(errors, here.value, eta, int(moved), finished if done else None)

    def look(self, a: NDArray[Any]) -> Place:
        """Ya, J and grad J; what overflows is seen and said later."""
        with np.errstate(over="ignore", invalid="ignore"):
            return Place(*self.criterion.evaluate(a))

    def halved(self, value: float, step: NDArray[Any], eta: float, watch: Watch) -> tuple[NDArray[Any], float, Place]:
        """The step, or the first of its halves that does not raise J, and what is seen there."""
        there = self.look(self.a - step)
        for _ in range(HALVINGS):
            if there.value <= (1 + self.tol) * value:  # what is less may be rounding
                break
            watch.check()
            step, eta = step / 2, eta / 2
            there = self.look(self.a - step)
        return step, eta, there

    def lowest(self, here: Place, watch: Watch) -> bool:
        """Whether J has reached its minimum: no further fall is in sight, or the gradient is zero."""
        if not (np.any(here.gradient) and self.criterion.has_hessian):
            return not np.any(here.gradient)
        return self.fall(here, watch) <= self.tol * max(here.value, self.tol * self.highest)

    def explain(self, value: float, moved: bool) -> None:
        """Say what a minimum with errors means where the margin is to blame, and refuse to call a = 0 an answer."""
        margin = f"margin={self.criterion.b.max():g}"
        if self.criterion.uses_margin and not np.any(self.criterion.b > 0):
            if not moved and not np.any(self.a):
                raise ValueError(
                    f"{margin} leaves descent on criterion={self.criterion.name!r} at a = 0, which is a minimum "
                    "whatever the classes: give a margin > 0, or a start."
                )
            self.notes = [f"With {margin} a = 0 is a minimum whatever the classes: give a margin > 0."]
        elif not moved and self.k == 1:
            self.notes = ["The gradient is zero at the start, which is the minimum."]

    def diverged(self, value: float) -> ValueError:
        """The error for a descent that runs away."""
        return ValueError(
            f"{self.named} diverges: after {self.k} steps the criterion is {value:.3g} and the next step not "
            "finite. Take a smaller step, another criterion, or divide the features by their size."
        )


def length(vector: NDArray[Any]) -> float:
    """The Euclidean length, by a routine that squares nothing too large or too small."""
    return float(linalg.norm(vector, check_finite=False))


class GradientRule(DescentRule):
    """Algorithm 1."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: GradientDescent) -> None:
        super().__init__(A, problem, model)
        self.named = f"schedule={model.schedule!r}"
        self.guarded = is_auto(model.schedule) and self.criterion.has_hessian
        self.schedule: Schedule | LevelSteps
        if self.guarded:
            self.schedule = Optimal()
        else:
            self.schedule = LevelSteps() if is_auto(model.schedule) else get(model.schedule)
        self.eta = 0.0
        self.looked = np.inf  # length of the gradient when the expansion was last computed

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step, and its errors told to the schedule."""
        epoch = super().epoch(problem, watch)
        self.eta = epoch.step
        if isinstance(self.schedule, Schedule):
            self.schedule.observe(errors=epoch.errors)
        return epoch

    def step(self, here: Place, watch: Watch) -> tuple[NDArray[Any], float]:
        """Return eta(k) grad J."""
        if isinstance(self.schedule, LevelSteps):
            eta = self.schedule(here.value, length(here.gradient))
        elif isinstance(self.schedule, Optimal):
            eta = self._optimal(here.gradient)
        else:
            eta = self.schedule(self.k + 1)
        return np.asarray(eta * here.gradient, self.a.dtype), eta

    def fall(self, here: Place, watch: Watch) -> float:
        """By the expansion, which costs as much as many steps: only at a small gradient, and not again at the same."""
        if (size := length(here.gradient)) > min(self.tol * self.steepest, self.looked / 2):
            return np.inf
        self.looked = size
        return newton_step(self.criterion, here.margins, here.gradient, watch).fall

    def _optimal(self, gradient: NDArray[Any]) -> float:
        """Eq. 14; the gradient is scaled first, so that its square cannot overflow.

        The default schedule turns back where J curves downward, and keeps its step where J does not curve at all.
        """
        size = float(np.abs(gradient).max())
        if size == 0:
            return 0.0
        unit = gradient / size
        curvature = self.criterion.curvature(self.a, unit)
        if self.guarded and np.isfinite(curvature):
            best = float(unit @ unit) / abs(curvature) if curvature else np.inf
            return best if np.isfinite(best) else self.eta
        if not 0 < curvature < np.inf:
            raise ValueError(
                f"{self.named} needs a positive, finite curvature, but that of criterion={self.criterion.name!r} along "
                f"its gradient is {curvature:.3g} at step {self.k + 1}. Take a number or '1/k', or divide the features "
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
        """Return eta for this J and a gradient of this length."""
        if size == 0:
            return 0.0
        self.lowest = min(self.lowest, value)
        if not self.delta:
            self.delta = value or size**2  # J_p is 0 at a = 0, where any step is as good: eta = 1
            self.allowed, self.record = LENGTHS * self.delta / size, value
        elif self.lowest <= self.record - self.delta / 2:
            self.record, self.covered = self.lowest, 0.0
        elif self.covered > self.allowed:
            self.record, self.covered, self.delta = self.lowest, 0.0, self.delta / 2
        aim = value - self.record + self.delta
        self.covered += aim / size
        return aim / size / size


class NewtonRule(DescentRule):
    """Algorithm 2."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: NewtonDescent) -> None:
        super().__init__(A, problem, model)
        self.named = f"criterion={self.criterion.name!r}"

    def step(self, here: Place, watch: Watch) -> tuple[NDArray[Any], float]:
        """Return H^-1 grad J, or the shortest such step when H is singular."""
        gradient = here.gradient
        if not np.any(gradient):
            return gradient, 1.0
        self.found = newton_step(self.criterion, here.margins, gradient, watch)
        if not np.any(self.found.step):  # J is so flat that H underflows: down the gradient, as far as a is long
            return gradient * (max(1.0, length(self.a)) / length(gradient)), 1.0
        if 0 < self.found.rank < gradient.size:
            rank = f"rank {self.found.rank} of {gradient.size}"
            self.notes = [f"The Hessian is singular ({rank}): the shortest of the Newton steps was taken."]
        return np.asarray(self.found.step, self.a.dtype), 1.0

    def fall(self, here: Place, watch: Watch) -> float:
        """What the step of this place has promised."""
        return self.found.fall


class _Descent(IterativeClassifier):
    """Parameters and checks that both algorithms share."""

    criterion: Any
    margin: Any
    tol: float
    record: str | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        chosen = criteria.get(self.criterion)
        if not chosen.has_gradient:
            raise ValueError(f"criterion={chosen.name!r} has no gradient: choose another, such as 'perceptron'.")
        number("tol", self.tol, "give a threshold theta >= 0 for the length of a step", 0, closed=True)
        choice("record", self.record, (None, "weights"))
        self._criterion = chosen.equation

    def _margins(self, kind: type[Criterion]) -> Any:
        """The margins b; from a = 0, where J_q without any is least, 1 stands for None."""
        default = self.margin is None and self.start is None and kind is criteria.Squared
        return 1.0 if default else self.margin

    def _remedy(self) -> str:
        errors = self.history_["errors"]
        if not criteria.get(self.criterion).uses_margin and errors.size and not errors[-1]:
            return "nothing if separation is all you want: this criterion then falls for ever as the weights grow."
        if not criteria.get(self.criterion).has_hessian:
            return (
                "LinearProgram, which finds the minimum of such a criterion; a larger max_iter; standardized features."
            )
        return "a larger max_iter or tol, standardized features, or the other of GradientDescent and NewtonDescent."


class GradientDescent(_Descent):
    """Basic gradient descent (Algorithm 1) on any criterion function.

    Parameters
    ----------
    criterion : str or Criterion class, default="mse"
        What is minimized: a name of ``discriminant.criteria``.
    margin : float or array of shape (n,), default=None
        The margins b of the criterion; None is its own default, but 1 for ``"squared"`` without a start: a = 0 is a
        minimum of J_q without margins.
    schedule : float, str, callable or Schedule, default="auto"
        The step eta(k); ``"optimal"`` is Eq. 14 and needs a criterion with a Hessian.  ``"auto"`` is Eq. 14, halved
        where J would rise; for a criterion without a Hessian it is a step towards a level below the lowest J so far.
    tol : float, default=1e-8
        Theta: it stops when a step is shorter than this, relative to |a| where that exceeds one, the gradient has
        fallen as far below that at a = 0, and the second-order expansion promises a fall of J by less than this part.
        A criterion with kinks is at its minimum only where the gradient is zero.
    start : array of shape (d+1,), default=None
        Augmented start vector (w0, w); None is zero.
    max_iter : int, default=1000
        Steps at the most.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``.
    multiclass : {"one-vs-rest", "one-vs-one"}, default="one-vs-rest"
        What to do with more than two classes.

    Attributes
    ----------
    coef_, intercept_, weights_ : arrays
        Weights w, threshold weights w0, and both as (w0, w).
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Steps, and those that changed the weights.
    history_, status_, report_
        What happened, why it stopped, and both in words.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, section 5.4.2, Algorithm 1, Eqs. 12-14.

    Examples
    --------
    The optimal first step of Problem 13 from a = 0 with b = 1:

    >>> from discriminant import GradientDescent, datasets
    >>> X, y = datasets.hessian_example()
    >>> model = GradientDescent(criterion="mse").fit(X, y)
    >>> round(float(model.history_["step"][0]), 8)
    0.00392907
    """

    def __init__(
        self,
        *,
        criterion: Any = "mse",
        margin: Any = None,
        schedule: float | str | Callable[[int], float] | Schedule = "auto",
        tol: float = 1e-8,
        start: Any = None,
        max_iter: int = 1000,
        record: str | None = None,
        multiclass: str = "one-vs-rest",
    ) -> None:
        self.criterion = criterion
        self.margin = margin
        self.schedule = schedule
        self.tol = tol
        self.start = start
        self.max_iter = max_iter
        self.record = record
        self.multiclass = multiclass

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if is_auto(self.schedule):
            return
        schedule, chosen = get(self.schedule), criteria.get(self.criterion)
        if schedule.needs == "norms":
            raise ValueError(f"schedule={self.schedule!r} belongs to single-sample rules: use a number or '1/k'.")
        if schedule.needs == "curvature" and not chosen.has_hessian:
            raise ValueError(
                f"schedule={self.schedule!r} needs the Hessian that criterion={chosen.name!r} has not: "
                "use a number or '1/k'."
            )

    def _remedy(self) -> str:
        J = self.history_["criterion"]
        grown = not is_auto(self.schedule) and np.any(J[-1:] > J[:1])
        return "a smaller step: the criterion has grown." if grown else super()._remedy()

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return GradientRule(start, problem, self)


class NewtonDescent(_Descent):
    """Newton's algorithm (Algorithm 2) on any criterion function that has a Hessian.

    Where the Hessian is singular, the shortest of the steps that minimize the second-order expansion is taken, and
    ``report_`` says so.  A step that would raise the criterion is halved.

    Parameters
    ----------
    criterion : str or Criterion class, default="mse"
        What is minimized: a name of ``discriminant.criteria``.
    margin : float or array of shape (n,), default=None
        The margins b of the criterion; None is its own default, but 1 for ``"squared"`` without a start: a = 0 is a
        minimum of J_q without margins.
    tol : float, default=1e-8
        Theta: it stops when a step is shorter than this, relative to |a| where that exceeds one, the gradient has
        fallen as far below that at a = 0, and the step promises a fall of J by less than this part.
    start : array of shape (d+1,), default=None
        Augmented start vector (w0, w); None is zero.
    max_iter : int, default=100
        Steps at the most.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``.
    multiclass : {"one-vs-rest", "one-vs-one"}, default="one-vs-rest"
        What to do with more than two classes.

    Attributes
    ----------
    coef_, intercept_, weights_ : arrays
        Weights w, threshold weights w0, and both as (w0, w).
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Steps, and those that changed the weights.
    history_, status_, report_
        What happened, why it stopped, and both in words.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, section 5.4.2, Algorithm 2, Eq. 15.

    Examples
    --------
    A quadratic criterion takes one step, and a second to see that it was enough:

    >>> from discriminant import NewtonDescent, datasets
    >>> model = NewtonDescent(criterion="mse").fit(*datasets.pseudoinverse_example())
    >>> model.weights_.round(6).tolist(), model.n_iter_
    ([3.666667, -1.333333, -0.666667], 2)
    """

    def __init__(
        self,
        *,
        criterion: Any = "mse",
        margin: Any = None,
        tol: float = 1e-8,
        start: Any = None,
        max_iter: int = 100,
        record: str | None = None,
        multiclass: str = "one-vs-rest",
    ) -> None:
        self.criterion = criterion
        self.margin = margin
        self.tol = tol
        self.start = start
        self.max_iter = max_iter
        self.record = record
        self.multiclass = multiclass

    def _check_parameters(self) -> None:
        super()._check_parameters()
        chosen = criteria.get(self.criterion)
        if not chosen.has_hessian:
            raise ValueError(f"criterion={chosen.name!r} has no Hessian: use GradientDescent, or another criterion.")

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return NewtonRule(start, problem, self)

"""Gradient descent and Newton's algorithm on any criterion function.

    a(k+1) = a(k) - eta(k) grad J(a(k))      until |eta(k) grad J| < theta            (Algorithm 1, Eq. 12)
    a(k+1) = a(k) - H^-1 grad J(a(k))        until |H^-1 grad J| < theta              (Algorithm 2, Eq. 15)

A short step of the first may only mean a small eta(k), so that where J is smooth its gradient must be small as well.

The step eta(k) = |grad J|^2 / (grad J' H grad J) minimizes the second-order expansion of J along the gradient (Eq. 14);
it depends on the gradient even where H is constant.  Newton's step minimizes the expansion outright: on a quadratic
criterion it is the answer, and the second iteration only confirms it.  Where H is singular many steps do so, and the
shortest is taken.

Symbols: a the augmented weights (w0, w), J the criterion on the normalized patterns, H its Hessian, theta = ``tol``.

Source: Duda, Hart, Stork, *Pattern Classification*, section 5.4.2, Problems 12, 13 and 17, Computer exercise 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from . import criteria
from ._driver import Rule, Watch
from ._machine import Path
from ._problem import Problem
from .base import IterativeClassifier, choice, number
from .criteria import Criterion
from .multiclass import n_problems
from .samples import Samples
from .schedules import Optimal, Schedule, get
from .solution import Epoch, Status


class DescentRule:
    """The criterion, the weights and the stop; a subclass says how far to go from here."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: _Descent) -> None:
        problem.check_finite()
        part = problem.part
        z = np.where(part, 2.0 * problem.labels - 1, 1.0)
        weight = problem.weight if problem.weight.size else None
        if not part.all():
            weight = part.astype(float) if weight is None else np.where(part, weight, 0)
        self.criterion: Criterion = criteria.get(model.criterion)(Samples(problem.source, z), model.margin, weight)
        self.part = part
        self.a: NDArray[Any] = A[0]
        self.tol = max(float(model.tol), 100 * float(np.finfo(problem.dtype).eps))  # rounding ends no sooner
        self.named = ""  # the parameter that a divergence is put down to
        self.trail = Path(self.a, model.record == "weights", n_problems(model.classes_.size, model.multiclass_))
        self.k = 0
        self.facts: dict[str, Any] = {}

    @property
    def answer(self) -> NDArray[Any]:
        """The weights."""
        return self.a[None]

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded weights."""
        return self.trail.so_far(self.a)

    def step(self, a: NDArray[Any], gradient: NDArray[Any]) -> tuple[NDArray[Any], float]:
        """What is subtracted from a, and its scale eta(k) as the history keeps it."""
        raise NotImplementedError

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step; the errors and the criterion are those before it."""
        a = self.a
        with np.errstate(over="ignore", invalid="ignore"):  # seen and said below
            margins, value, gradient = self.criterion.evaluate(a)
            self.k += 1
            step, eta = self.step(a, gradient)
        if not (np.isfinite(value) and np.all(np.isfinite(step))):
            raise ValueError(
                f"{self.named} diverges: after {self.k - 1} steps the criterion is {value:.3g} and the next step not "
                "finite. Take a smaller step, another criterion, or divide the features by their size."
            )
        errors = int(np.count_nonzero(margins[self.part] <= 0))
        moved = bool(np.any(step))
        if moved:
            self.a = a - step
            self.trail.add(self.a)
        elif errors and self.k == 1:
            self.facts["notes"] = ["The gradient is zero at the start: for another answer give a start or a margin."]
        short = length(step) <= self.tol * max(1.0, length(a))
        done = Status.CONVERGED if errors or moved else Status.SEPARATED
        return Epoch(errors, value, eta, int(moved), done if short and self.flat(gradient) else None)

    def flat(self, gradient: NDArray[Any]) -> bool:
        """Whether a short step means that there is nowhere to go, as Newton's does."""
        return True


def length(vector: NDArray[Any]) -> float:
    """The Euclidean length, by a routine that squares nothing too large or too small."""
    return float(linalg.norm(vector, check_finite=False))


class GradientRule(DescentRule):
    """Algorithm 1."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: GradientDescent) -> None:
        super().__init__(A, problem, model)
        self.schedule = get(model.schedule)
        self.named = f"schedule={model.schedule!r}"

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step, and its errors told to the schedule."""
        epoch = super().epoch(problem, watch)
        self.schedule.observe(errors=epoch.errors)
        return epoch

    def step(self, a: NDArray[Any], gradient: NDArray[Any]) -> tuple[NDArray[Any], float]:
        """Return eta(k) grad J."""
        if self.k == 1:
            at_zero = self.criterion.gradient(np.zeros_like(a)) if np.any(a) else gradient
            self.steepest = max(length(gradient), length(at_zero))
        eta = self._optimal(a, gradient) if isinstance(self.schedule, Optimal) else self.schedule(self.k)
        return np.asarray(eta * gradient, a.dtype), eta

    def flat(self, gradient: NDArray[Any]) -> bool:
        """Whether the gradient is small as well: a short step may only mean a small eta(k)."""
        return not self.criterion.has_hessian or length(gradient) <= self.tol * self.steepest

    def _optimal(self, a: NDArray[Any], gradient: NDArray[Any]) -> float:
        """Eq. 14; the gradient is scaled first, so that its square cannot overflow."""
        size = float(np.abs(gradient).max())
        if size == 0:
            return 0.0
        unit = gradient / size
        curvature = self.criterion.curvature(a, unit)
        if not 0 < curvature < np.inf:
            raise ValueError(
                f"{self.named} needs a positive, finite curvature, but that of criterion={self.criterion.name!r} along "
                f"its gradient is {curvature:.3g} at step {self.k}. Take a number or '1/k', or divide the features by "
                "their size."
            )
        return float(unit @ unit) / curvature


class NewtonRule(DescentRule):
    """Algorithm 2."""

    def __init__(self, A: NDArray[Any], problem: Problem, model: NewtonDescent) -> None:
        super().__init__(A, problem, model)
        self.named = f"criterion={self.criterion.name!r}"

    def step(self, a: NDArray[Any], gradient: NDArray[Any]) -> tuple[NDArray[Any], float]:
        """Return H^-1 grad J, or the shortest such step when H is singular."""
        if not np.any(gradient):
            return gradient, 1.0
        H = np.asarray(self.criterion.hessian(a), np.float64)
        if not np.all(np.isfinite(H)):
            return np.full_like(a, np.nan), 1.0  # which is refused
        scale = np.sqrt(np.diag(H).clip(min=0))
        scale[scale == 0] = 1.0  # Jacobi scaling: features of very different size do not make H singular
        values, vectors = np.linalg.eigh(H / scale / scale[:, None])
        kept = np.abs(values) > np.abs(values).max() * values.size * np.finfo(a.dtype).eps
        step = vectors[:, kept] @ (vectors[:, kept].T @ (gradient / scale) / values[kept]) / scale
        if not kept.all():
            null, _ = np.linalg.qr(vectors[:, ~kept] / scale[:, None])
            step -= null @ (null.T @ step)
            rank = f"rank {np.count_nonzero(kept)} of {kept.size}"
            self.facts["notes"] = [f"The Hessian is singular ({rank}): the shortest of the Newton steps was taken."]
        return np.asarray(step, a.dtype), 1.0


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

    def _remedy(self) -> str:
        J, errors = self.history_["criterion"], self.history_["errors"]
        if not criteria.get(self.criterion).uses_margin and errors.size and not errors[-1]:
            return "nothing if separation is all you want: this criterion then falls for ever as the weights grow."
        if np.any(J[-1:] > J[:1]):
            return "a smaller step: the criterion has grown."
        return "a larger max_iter or tol, standardized features, or the other of GradientDescent and NewtonDescent."


class GradientDescent(_Descent):
    """Basic gradient descent (Algorithm 1) on any criterion function.

    Parameters
    ----------
    criterion : str or Criterion class, default="mse"
        What is minimized: a name of ``discriminant.criteria``.
    margin : float or array of shape (n,), default=None
        The margins b of the criterion; None is its own default.
    schedule : float, str, callable or Schedule, default="optimal"
        The step eta(k); ``"optimal"`` is Eq. 14 and needs a criterion with a Hessian.
    tol : float, default=1e-8
        Theta: it stops when a step is shorter than this, relative to |a| where that exceeds one, and the gradient, if
        it is continuous, has fallen as far below that at a = 0.
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
        schedule: float | str | Callable[[int], float] | Schedule = "optimal",
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
        schedule, chosen = get(self.schedule), criteria.get(self.criterion)
        if schedule.needs == "norms":
            raise ValueError(f"schedule={self.schedule!r} belongs to single-sample rules: use a number or '1/k'.")
        if schedule.needs == "curvature" and not chosen.has_hessian:
            raise ValueError(
                f"schedule={self.schedule!r} needs the Hessian that criterion={chosen.name!r} has not: "
                "use a number or '1/k'."
            )

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return GradientRule(start, problem, self)


class NewtonDescent(_Descent):
    """Newton's algorithm (Algorithm 2) on any criterion function that has a Hessian.

    Where the Hessian is singular, the shortest of the steps that minimize the second-order expansion is taken, and
    ``report_`` says so.

    Parameters
    ----------
    criterion : str or Criterion class, default="mse"
        What is minimized: a name of ``discriminant.criteria``.
    margin : float or array of shape (n,), default=None
        The margins b of the criterion; None is its own default.
    tol : float, default=1e-8
        Theta: it stops when a step is shorter than this, relative to |a| where that exceeds one.
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

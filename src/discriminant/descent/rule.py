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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .. import criteria
from .._engine.driver import Watch
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.refusals import refuse_vanishing
from .._guards.parameters import choice, number
from ..base.classifier import IterativeClassifier
from ..criteria import Criterion
from ..multiclass import n_problems
from ..samples import Samples
from ..solution import Epoch, Findings, Status

HALVINGS = 40  # of a step that would raise J; below that it is rounding that decides


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

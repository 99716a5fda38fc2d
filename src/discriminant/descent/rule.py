"""What both algorithms of descent share: the criterion on one problem, the guard against rising, and the stop.

    a(k+1) = a(k) − s(k)      until ‖s(k)‖ < θ

with a step s(k) that ``gradient.py`` or ``newton.py`` gives.  A short step may only mean a small η(k), or a large ‖a‖
far from the origin.  So the minimum counts as reached only where the gradient has become small as well, and where the
second-order expansion of J promises no further fall: sᵗ∇J / 2 ≤ θ J for the Newton step s.  A guarded step is halved
until J does not rise.

Symbols: a the augmented weights (w₀, w), J the criterion on the normalized patterns, θ = ``tol``.

Source: Duda, Hart, Stork, *Pattern Classification*, §5.4.2, Problem 17.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from .. import criteria
from .._engine.driver import Plan, Watch
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.refusals import refuse_vanishing
from .._guards.parameters import RECORD, Number, refused
from .._guards.validation import all_finite
from ..base.classifier import IterativeClassifier
from ..criteria import Criterion
from ..samples import Samples
from ..solution import Epoch, Findings, Status

NORMS = {np.dtype(kind): linalg.get_blas_funcs("nrm2", dtype=np.dtype(kind)) for kind in (np.float32, np.float64)}
LOST = float(np.sqrt(np.finfo(np.float64).tiny))  # below this a square loses digits, or is zero
HALVINGS = 40  # of a step that would raise J; below that it is rounding that decides


@dataclass(frozen=True)
class DescentPlan:
    """What is minimized, with which margins b, to which tolerance θ, and whether the path is kept."""

    criterion: type[Criterion]
    run: Plan
    margin: Any = None
    tol: float = 1e-8


class Place(NamedTuple):
    """Ya, J and ∇J at some weights a."""

    margins: NDArray[Any]
    value: float
    gradient: NDArray[Any]


class CriterionRule:
    """The criterion, the weights and the stop; a subclass says how far to go from here."""

    guarded = True  # whether a step that would raise J is halved
    step: Callable[[Place, Watch], tuple[NDArray[Any], float]]  # what is subtracted from a, and its scale η(k)
    fall: Callable[[Place, Watch], float]  # by how much J can still fall, to second order

    def __init__(self, A: NDArray[Any], problem: Problem, plan: DescentPlan) -> None:
        problem.check_finite()
        part = problem.part
        z = np.where(part, 2.0 * problem.labels - 1, 1.0)
        weight = problem.weight if problem.weight.size else None
        if not part.all():
            weight = part.astype(float) if weight is None else np.where(part, weight, 0)
        if part.any():  # the pair of two classes without weight has nothing to lose
            refuse_vanishing(weight)
        self.criterion = plan.criterion(Samples(problem.source, z), plan.margin, weight)
        self.part, self.whole = part, bool(part.all())
        self.answer, self.a = A, A[0]
        self.tol = max(float(plan.tol), 100 * float(np.finfo(problem.dtype).eps))  # rounding ends no sooner
        self.named = f"criterion={self.criterion.name!r}"  # the parameter that a divergence is put down to
        self.recorded = Path(self.a, plan.run.record, plan.run.shares)
        self.k = 0
        self.findings = Findings()
        self.here: Place | None = None  # what is known already of the present a

    @property
    def path(self) -> NDArray[Any] | None:
        return self.recorded.so_far(self.a)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step; the errors and the criterion are those before it."""
        a = self.a
        here = self.here or self.look(a)
        if self.k == 0:
            at_zero = self.look(np.zeros_like(a)) if np.any(a) else here
            self.highest, self.steepest = at_zero.value, max(length(at_zero.gradient), length(here.gradient))
        with np.errstate(over="ignore", invalid="ignore"):  # seen and said below
            step, eta = self.step(here, watch)
        if not (np.isfinite(here.value) and all_finite(step)):
            raise ValueError(
                f"{self.named} diverges: after {self.k} steps the criterion is {here.value:.3g} and the next step not "
                "finite; take a smaller step, another criterion, or divide the features by their size."
            )
        self.k += 1
        wrong = here.margins <= 0
        errors, moved = int(np.count_nonzero(wrong if self.whole else wrong & self.part)), bool(step.any())
        done = length(step) <= self.tol * max(1.0, length(a)) and self.lowest(here, watch)
        if moved:
            if not done and self.guarded:
                step, eta, self.here = self.halved(here.value, step, eta, watch)
            else:
                self.here = None
            self.a = a - step
            self.answer = self.a[None]
            self.recorded.add(self.a)
        if done and errors:
            refuse_lost(problem.source)
            self.explain(moved)
        finished = Status.CONVERGED if errors or moved else Status.SEPARATED
        return Epoch(errors, here.value, eta, int(moved), finished if done else None)

    def look(self, a: NDArray[Any]) -> Place:
        """Ya, J and ∇J; what overflows is seen and said later."""
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

    def explain(self, moved: bool) -> None:
        """Say what a minimum with errors means where the margin is to blame; refuse a start at a = 0 that is one."""
        margin = f"margin={self.criterion.b.max():g}"
        if self.criterion.uses_margin and not np.any(self.criterion.b > 0):
            if not moved and self.k == 1:  # where it moved to a = 0, rounding decides whether it lands there exactly
                raise ValueError(
                    f"{margin} must be positive where criterion={self.criterion.name!r} is least at a = 0, whatever "
                    "the classes; give a margin > 0, or a start."
                )
            note = f"With {margin} a = 0 is a minimum whatever the classes: give a margin > 0."
            self.findings = Findings(notes=[note])
        elif not moved and self.k == 1:
            self.findings = Findings(notes=["The gradient is zero at the start, which is the minimum."])


def refuse_lost(X: Any) -> None:
    """Refuse features whose squares are zero, though they are not: to the expansion they are not there."""
    largest = abs(X).max(axis=0).toarray().ravel() if sparse.issparse(X) else np.maximum(X.max(axis=0), -X.min(axis=0))
    lost = np.flatnonzero((largest > 0) & (largest < LOST))
    if lost.size:
        raise ValueError(
            f"X underflows: feature {lost[0]} reaches no more than {largest[lost[0]]:.3g}, and its squares are lost; "
            "divide the features by their size, for instance with StandardScaler."
        )


def length(vector: NDArray[Any]) -> float:
    """The Euclidean length, by a routine that squares nothing too large or too small."""
    return float(NORMS[vector.dtype](vector))


class CriterionClassifier(IterativeClassifier):
    """Parameters and checks that both algorithms share.

    Parameters
    ----------
    criterion : str or Criterion class
        What is minimized: a name of ``discriminant.criteria``.
    margin : float or array of shape (n,)
        The margins b of the criterion; None is its own default, but 1 for ``"squared"`` without a start: a = 0 is a
        minimum of J_q without margins.
    tol : float
        θ: it stops when a step is shorter than this, relative to ‖a‖ where that exceeds one, the gradient has
        fallen as far below that at a = 0, and the second-order expansion promises a fall of J by less than this part.
        A criterion with kinks is at its minimum only where the gradient is zero.

    Attributes
    ----------
    n_iter_, n_corrections_ : int
        Steps, and those that changed the weights.
    """

    _parameters = {
        "tol": Number("give a threshold theta >= 0 for the length of a step", 0, closed=True),
        "record": RECORD,
    }

    criterion: Any
    margin: Any
    tol: float

    def _check_parameters(self) -> None:
        super()._check_parameters()
        chosen = criteria.get(self.criterion)
        if not chosen.has_gradient:
            raise refused("criterion", chosen.name, "one with a gradient", "choose another, such as 'perceptron'")

    def _minimized(self) -> str:
        return criteria.get(self.criterion).equation

    def _descent(self) -> DescentPlan:
        """The plan of the rule; from a = 0, where J_q without margins is least, a margin of 1 stands for None."""
        kind = criteria.get(self.criterion)
        default = self.margin is None and self.start is None and kind is criteria.Squared
        return DescentPlan(kind, self._plan(), 1.0 if default else self.margin, self.tol)

    def _remedy(self) -> str:
        chosen, errors = criteria.get(self.criterion), self.history_["errors"]
        if not chosen.uses_margin and errors.size and not errors[-1]:
            return "nothing if separation is all you want: this criterion then falls for ever as the weights grow."
        if not chosen.has_hessian:
            return (
                "LinearProgram, which finds the minimum of such a criterion; a larger max_iter; standardized features."
            )
        return "a larger max_iter or tol, standardized features, or the other of GradientDescent and NewtonDescent."

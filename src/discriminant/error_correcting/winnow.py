"""Balanced Winnow: a perceptron whose corrections multiply instead of add.

Two positive vectors a⁺ and a⁻ stand for the two categories, and g(x) = (a⁺ − a⁻)ᵗy decides.  At an error on pattern y
with sign z (tie included), both change,

    aᵢ⁺ ← α^(+z yᵢ) aᵢ⁺,        aᵢ⁻ ← α^(−z yᵢ) aᵢ⁻,        α > 1                  (Algorithm 7)

until a clean pass.  From a⁺ = a⁻ = 1 they are aᵢ⁺ = α^sᵢ and aᵢ⁻ = α^−sᵢ, where s adds up the corrections
z y, so that a⁺ − a⁻ = 2 sinh(s ln α).  Only s is stored; while the weights are huge they are kept divided by
e^shift, which changes no decision and cannot overflow.

Symbols: s the exponents, V = (a⁺ − a⁻) / e^shift the weights that decide, ln α = ``rate``.

Source: Duda, Hart, Stork, *Pattern Classification*, §5.5.3, Algorithm 7, Computer exercise 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule, Watch
from .._engine.problem import Problem
from .._engine.rows import compiled, finite, inlined, row_column, row_length
from .._guards.parameters import ORDER, RECORD, Number
from .._guards.validation import all_finite
from ..base.classifier import ORDER_OF_VISITS, OnlineClassifier
from ..base.inherited_docs import estimator
from ..solution import Epoch, Findings, Solution, Status
from .corrections import CorrectionPlan, ErrorCorrectingRule
from .visits import Array, Order, PassTotals, Visits, correct, visit

Exponents = NDArray[np.float64]

# Largest exponent of a weight in float64 and in float32, with room for a sum of products with features.
ROOM = {np.dtype(np.float64): 300.0, np.dtype(np.float32): 40.0}


class ExponentScale(NamedTuple):
    """How exponents become weights: ln α, the largest exponent allowed, the shift and which weight it is made for."""

    rate: float
    room: float
    shift: float = 0.0
    peak: int = 0


@inlined
def weight_of(exponent: float, shift: float) -> float:
    """Return 2 sinh(exponent) / e^shift; sinh itself where it can be had, for it is exact near zero."""
    return 2 * math.sinh(exponent) if shift == 0 else math.exp(exponent - shift) - math.exp(-exponent - shift)


@inlined
def _refresh(s: Exponents, scale: ExponentScale, V: Array) -> tuple[float, int]:
    """Compute all weights anew, with the shift that leaves the largest of them half the room."""
    peak = 0
    for j in range(s.size):
        if abs(s[j]) > abs(s[peak]):
            peak = j
    largest = abs(s[peak]) * scale.rate
    shift = 0.0 if largest <= scale.room else largest - scale.room / 2
    for j in range(s.size):
        V[j] = weight_of(s[j] * scale.rate, shift)
    return shift, peak


@compiled
def _resume(s: Exponents, scale: ExponentScale, V: Array) -> Any:
    """The weights of exponents that were given, with their shift."""
    return _refresh(s, scale, V)


@compiled
def _epoch(visits: Visits, s: Exponents, V: Array, scale: ExponentScale) -> Any:
    """Visit the patterns in the given order and correct s and V at each error; the scale goes with them."""
    X, labels, weight, order, etas, criterion = visits
    rate, room, shift, peak = scale
    errors, lowest = 0, np.inf
    for t in range(order.size):
        i = order[t]
        label = labels[i]
        if label < 0:
            continue
        if errors == etas.size:
            return (t, errors, errors, criterion, lowest, True), (shift, peak)
        margin, _ = visit(X, i, label, V)
        if not finite(margin):
            return (t, errors, errors, criterion, lowest, False), (shift, peak)
        lowest = margin if margin < lowest else lowest
        if margin <= 0:
            correct(X, i, label, 0, weight[i] if weight.size else V.dtype.type(1), 1.0, s)
            largest = abs(s[0]) * rate
            for p in range(row_length(X, i)):
                size = abs(s[row_column(X, i, p) + 1]) * rate
                largest = size if size > largest else largest
            # Too large, or so small that the weights would vanish: the shift must follow.
            if largest > shift + room or abs(s[peak]) * rate < shift:
                shift, peak = _refresh(s, scale, V)
            else:
                V[0] = weight_of(s[0] * rate, shift)
                for p in range(row_length(X, i)):
                    j = row_column(X, i, p) + 1
                    V[j] = weight_of(s[j] * rate, shift)
            criterion -= margin
            errors += 1
    return (order.size, errors, errors, criterion, lowest, True), (shift, peak)


@dataclass(frozen=True, kw_only=True)
class WinnowFindings(Findings):
    """The weights as exponents of alpha, and the shift that keeps them within floats."""

    exponents: NDArray[np.float64]
    shift: float


class WinnowRule(ErrorCorrectingRule):
    """One pass over the patterns is one epoch."""

    def __init__(self, s: Array, alpha: float, problem: Problem, plan: CorrectionPlan) -> None:
        self.s, A = s[0].astype(np.float64), problem.zeros()
        self.scale = scale = ExponentScale(math.log(alpha), ROOM[problem.dtype])
        if np.any(self.s):
            self.scale = ExponentScale(scale.rate, scale.room, *_resume(self.s, scale, A[0]))
        super().__init__(A, plan)

    @property
    def findings(self) -> WinnowFindings:
        return WinnowFindings(exponents=self.s[None].copy(), shift=self.scale.shift)

    def visit_all(self, problem: Problem, order: Order, etas: Array, to: Array) -> PassTotals:
        def go(visits: Visits) -> Any:
            totals, shifted = _epoch(visits, self.s, to, self.scale)
            self.scale = ExponentScale(self.scale.rate, self.scale.room, *shifted)
            return totals

        return self.along(self.visits(problem, order, etas), go)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        totals = self.sweep(problem, watch)
        if not all_finite(self.s):
            raise problem.refuse()
        return self.summary(totals, None if totals.corrections else Status.SEPARATED)


@estimator
class BalancedWinnow(OnlineClassifier):
    """Balanced Winnow: multiplicative corrections, for problems with many irrelevant features.

    Parameters
    ----------
    alpha : float
        Base of the corrections, above 1.  The larger the features, the closer to 1 it should be.
    start : array of shape (d+1,) or (c, d+1)
        Augmented start exponents s, where a⁺ = αˢ and a⁻ = α⁻ˢ; None is zero, a⁺ = a⁻ = 1.

    Attributes
    ----------
    coef_, intercept_, weights_ : arrays
        The weights (a⁺ − a⁻) / e^shift; the factor keeps them finite and changes no decision.
    exponents_ : array of shape (d+1,) or one row a problem
        The exponents s: a⁺ = αˢ, a⁻ = α⁻ˢ.
    shift_ : float or array, one entry a problem
        Logarithm of the factor that the weights were divided by, 0 unless they are huge.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.5.3, Algorithm 7.

    Examples
    --------
    >>> from discriminant import BalancedWinnow
    >>> model = BalancedWinnow(alpha=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> model.exponents_.tolist(), model.weights_.tolist()
    ([-1.0, 2.0, 2.0], [-1.5, 3.75, 3.75])
    """

    _held = {"exponents_": "float k 1+d | float 1+d", "shift_": "float k | number"}
    _criterion = "the sum of -g(x) over the errors, g(x) = (a+ - a-)'y"
    _expected_failed_checks = ORDER_OF_VISITS
    _parameters = {"alpha": Number("give a base above 1, such as 1.1", 1), "order": ORDER, "record": RECORD}

    alpha: float = 1.1
    order: str = "cyclic"
    start: Any = None
    max_iter: int = 1000
    record: str | None = None
    multiclass: str = "one-vs-rest"
    random_state: Any = None

    def _begin(self, problem: Problem, start: Array, online: bool) -> Rule:
        return WinnowRule(start, self.alpha, problem, self._plan(CorrectionPlan))

    def _resumed_from(self) -> Array:
        return self.exponents_

    def _publish(self, solutions: list[Solution[Any]], problem: Problem, X: Any) -> None:
        super()._publish(solutions, problem, X)
        exponents = np.concatenate([solution.findings.exponents for solution in solutions])
        shifts = np.array([solution.findings.shift for solution in solutions])
        several = len(solutions) > 1
        self.exponents_: NDArray[np.float64] = exponents if several else exponents[0]
        self.shift_: float | NDArray[np.float64] = shifts if several else float(shifts[0])

    def _remedy(self) -> str:
        return (
            "an alpha closer to 1 or standardized features; if the classes overlap, no pass will ever be clean: use "
            "Perceptron(pocket=True)."
        )

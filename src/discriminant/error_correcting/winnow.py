"""Balanced Winnow: a perceptron whose corrections multiply instead of add.

Two positive vectors a+ and a- stand for the two categories, and g(x) = (a+ - a-)'y decides.  At an error on pattern y
with sign z (tie included), both change,

    a+_i <- alpha^(+z y_i) a+_i,        a-_i <- alpha^(-z y_i) a-_i,        alpha > 1                  (Algorithm 7)

until a clean pass.  From a+ = a- = 1 they are a+_i = alpha^s_i and a-_i = alpha^-s_i, where s adds up the corrections
z y, so that a+ - a- = 2 sinh(s ln alpha).  Only s is stored; while the weights are huge they are kept divided by
e^shift, which changes no decision and cannot overflow.

Symbols: s the exponents, V = (a+ - a-) / e^shift the weights that decide, ln alpha = ``rate``.

Source: Duda, Hart, Stork, *Pattern Classification*, section 5.5.3, Algorithm 7, Computer exercise 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Rule, Watch
from .._engine.path import record
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite, inlined, row_column, row_length
from .._guards.parameters import choice, number
from ..base.classifier import ORDER_OF_VISITS
from ..base.online import OnlineClassifier
from ..solution import Epoch, Findings, Solution, Status
from .visits import ErrorCorrectingRule, correct, visit

# Largest exponent of a weight in float64 and in float32, with room for a sum of products with features.
ROOM = {np.dtype(np.float64): 300.0, np.dtype(np.float32): 40.0}


@inlined
def weight_of(exponent: float, shift: float) -> float:
    """Return 2 sinh(exponent) / e^shift; sinh itself where it can be had, for it is exact near zero."""
    return 2 * math.sinh(exponent) if shift == 0 else math.exp(exponent - shift) - math.exp(-exponent - shift)


@compiled
def _refresh(s: NDArray[np.float64], rate: float, room: float, V: NDArray[Any]) -> Any:
    """Compute all weights anew; return the shift, which leaves the largest of them half the room, and its index."""
    peak = 0
    for j in range(s.size):
        if abs(s[j]) > abs(s[peak]):
            peak = j
    largest = abs(s[peak]) * rate
    shift = 0.0 if largest <= room else largest - room / 2
    for j in range(s.size):
        V[j] = weight_of(s[j] * rate, shift)
    return shift, peak


@compiled
def _epoch(
    X: Rows,
    labels: NDArray[np.int32],
    weight: NDArray[Any],
    order: NDArray[np.uint32],
    s: NDArray[np.float64],
    rate: float,
    room: float,
    shift: float,
    peak: int,
    V: NDArray[Any],
    path: NDArray[Any] | None,
    cursor: NDArray[np.int64],
) -> Any:
    """Visit the patterns in the given order and correct s and V.

    Returns the visits made (-1 when an inner product is not finite), the corrections, the errors, the criterion, the
    smallest margin, the shift and the index of the weight that it was made for.
    """
    errors, criterion, low = 0, 0.0, np.inf
    for t in range(order.size):
        i = order[t]
        label = labels[i]
        if label < 0:
            continue
        margin, _ = visit(X, i, label, V)
        if not finite(margin):
            return -1, errors, errors, criterion, low, shift, peak
        low = min(low, margin)
        if margin <= 0:
            correct(X, i, label, 0, weight[i] if weight.size else V.dtype.type(1), 1.0, s)
            largest = abs(s[0]) * rate
            for p in range(row_length(X, i)):
                largest = max(largest, abs(s[row_column(X, i, p) + 1]) * rate)
            # Too large, or so small that the weights would vanish: the shift must follow.
            if largest > shift + room or abs(s[peak]) * rate < shift:
                shift, peak = _refresh(s, rate, room, V)
            else:
                V[0] = weight_of(s[0] * rate, shift)
                for p in range(row_length(X, i)):
                    j = row_column(X, i, p) + 1
                    V[j] = weight_of(s[j] * rate, shift)
            if path is not None:
                record(path, cursor, V)
            criterion -= margin
            errors += 1
    return order.size, errors, errors, criterion, low, shift, peak


@dataclass(frozen=True, kw_only=True)
class WinnowFindings(Findings):
    """The weights as exponents of alpha, and the shift that keeps them within floats."""

    exponents: NDArray[np.float64]
    shift: float


class WinnowRule(ErrorCorrectingRule):
    """One pass over the patterns is one epoch."""

    def __init__(self, s: NDArray[Any], problem: Problem, model: BalancedWinnow) -> None:
        self.s = s[0].astype(np.float64)
        self.rate, self.room = math.log(model.alpha), ROOM[problem.dtype]
        A = problem.zeros()
        self.shift, self.peak = _refresh(self.s, self.rate, self.room, A[0])
        super().__init__(A, 0.0, 1.0, model)

    @property
    def findings(self) -> WinnowFindings:
        """The logarithms of the weights."""
        return WinnowFindings(exponents=self.s[None].copy(), shift=self.shift)

    def visit_all(self, problem: Problem, order: NDArray[np.uint32], etas: NDArray[Any]) -> Any:
        """Correct at each error."""
        *met, self.shift, self.peak = _epoch(
            problem.rows, problem.labels, problem.weight, order, self.s, self.rate, self.room, self.shift,
            self.peak, self.A, self.trail.rows, self.trail.cursor,
        )  # fmt: skip
        return met

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One pass."""
        sweep = self.sweep(problem, watch)
        if not np.all(np.isfinite(self.s)):
            raise problem.refuse()
        return self.told(sweep, None if sweep.corrections else Status.SEPARATED)


class BalancedWinnow(OnlineClassifier):
    """Balanced Winnow: multiplicative corrections, for problems with many irrelevant features.

    Parameters
    ----------
    alpha : float, default=1.1
        Base of the corrections, above 1.  The larger the features, the closer to 1 it should be.
    order : {"cyclic", "random"}, default="cyclic"
        The rows' order, or a new permutation each pass.
    start : array of shape (d+1,) or (c, d+1), default=None
        Augmented start exponents s, where a+ = alpha^s and a- = alpha^-s; None is zero, a+ = a- = 1.
    max_iter : int, default=1000
        Passes at the most.
    record : {None, "weights"}, default=None
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``.
    multiclass : {"one-vs-rest", "one-vs-one"}, default="one-vs-rest"
        What to do with more than two classes.
    random_state : int, RandomState instance or None, default=None
        Seed of the random order.

    Attributes
    ----------
    coef_, intercept_, weights_ : arrays
        The weights (a+ - a-) / e^shift; the factor keeps them finite and changes no decision.
    exponents_ : array of shape (d+1,) or one row a problem
        The exponents s: a+ = alpha^s, a- = alpha^-s.
    shift_ : float or array, one entry a problem
        Logarithm of the factor that the weights were divided by, 0 unless they are huge.
    classes_ : array
        Labels, sorted; ``classes_[1]`` is the positive class of two.
    n_iter_, n_corrections_ : int
        Passes and changes of the weights.
    history_, status_, report_
        What happened, why it stopped, and both in words.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, section 5.5.3, Algorithm 7.

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

    def __init__(
        self,
        *,
        alpha: float = 1.1,
        order: str = "cyclic",
        start: Any = None,
        max_iter: int = 1000,
        record: str | None = None,
        multiclass: str = "one-vs-rest",
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.order = order
        self.start = start
        self.max_iter = max_iter
        self.record = record
        self.multiclass = multiclass
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        number("alpha", self.alpha, "give a base above 1, such as 1.1", 1)
        choice("order", self.order, ("cyclic", "random"))
        choice("record", self.record, (None, "weights"))

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> Rule:
        return WinnowRule(start, problem, self)

    def _resumed_from(self) -> NDArray[Any]:
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

"""Criterion functions J(a): what a descent procedure minimizes, with gradient and Hessian where they exist.

Y is the normalized sample matrix (rows y_i, negated for ω₂; see `discriminant.samples`), b the margins, one or one for
each sample. All but J_τ are sums Σ_i w_i φ(aᵗy_i) of a function φ of one margin, so

    J = Σ w_i φ(aᵗy_i),    ∇J = Σ w_i φ′(aᵗy_i) y_i,    H = Σ w_i φ″(aᵗy_i) y_i y_iᵗ,

and each class below states its φ, φ′ and φ″. The sample weights w_i are 1 unless given; a weight of 2 is two rows.

On the kinks the book's count decides: a sample is a *violator* when aᵗy ≤ b, equality included. There the gradient of
the piecewise linear criteria is the subgradient that counts the sample, and the Hessian of the piecewise quadratic ones
is the generalized Hessian that counts it (one violator gives 2yyᵗ, as in Problem 17).

Source: Duda, Hart, Stork, *Pattern Classification*, §5.4–5.10, and *Machine Learning: Theory and Practice*, §8.5.

Examples
--------
>>> from discriminant import criteria
>>> J = criteria.get("perceptron")([[1.0, 2.0], [-1.0, 1.0]])
>>> J.value([3.0, 1.0])
2.0
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ._guards.parameters import unknown
from .samples import Vector, as_matrix, as_vector, gram, product, refuse, row_sqnorms, transposed_product

__all__ = [
    "Criterion", "Errors", "Perceptron", "Squared", "Relaxation", "SquaredError", "MeanSquaredError", "Minimax",
    "Logistic", "Sigmoid", "Hinge", "SquaredHinge", "get", "names",
]  # fmt: skip

BOOK = "Duda, Hart, Stork, Pattern Classification"


class Criterion:
    """A criterion function J(a) of the samples Y and margins b; use one of its subclasses.

    Parameters
    ----------
    Y : (n, d̂) array, sparse matrix or `Samples`
        Normalized samples.
    b : float or (n,) array, optional
        Margins; `default_margin` when None. The criteria without `uses_margin` leave it aside.
    sample_weight : (n,) array, optional
        Weights ≥ 0, one for each sample.

    Notes
    -----
    The products with Y are done in its dtype, which gradient and Hessian have too; the rest is done in float64.
    Each class carries its `name`, `symbol`, `equation` and `source`.

    Examples
    --------
    >>> J = get("mse")([[1.0, 2.0], [-1.0, 1.0]], b=1.0)
    >>> J.value([0.0, 1.0])
    1.0
    >>> J.gradient([0.0, 1.0])
    array([2., 4.])
    >>> J.hessian([0.0, 1.0])
    array([[ 4.,  2.],
           [ 2., 10.]])
    """

    name: ClassVar[str]
    symbol: ClassVar[str]
    equation: ClassVar[str]
    source: ClassVar[str]
    default_margin: ClassVar[float] = 1.0
    uses_margin: ClassVar[bool] = True
    has_gradient: ClassVar[bool] = True
    has_hessian: ClassVar[bool] = True

    def __init__(self, Y: Any, b: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> None:
        self.Y = as_matrix(Y)
        n = self.Y.shape[0]
        b = np.asarray(self.default_margin if b is None else b)
        self.b = as_vector(np.full(n, b) if b.ndim == 0 else b, n, "b")
        refuse(~np.isfinite(self.b), self.b, "b must be finite", "give margins such as 0 or 1")
        self.sample_weight = None if sample_weight is None else as_vector(sample_weight, n, "sample_weight")
        if (w := self.sample_weight) is not None:
            refuse(~(np.isfinite(w) & (w >= 0)), w, "sample_weight must be finite and ≥ 0", "use 0 to leave a row out")
        self._weights = self._row_weights()

    def value(self, a: ArrayLike) -> float:
        """J(a)."""
        return float(np.sum(self._weights * self._loss(self._margins(a))))

    def gradient(self, a: ArrayLike) -> Vector:
        """∇J(a), a subgradient on the kinks; ValueError without `has_gradient`."""
        return transposed_product(self.Y, self.slopes(self._margins(a)))

    def hessian(self, a: ArrayLike) -> Vector:
        """H(a), generalized on the kinks; ValueError without `has_hessian`."""
        return gram(self.Y, self.curvatures(self._margins(a)))

    def slopes(self, m: Vector) -> Vector:
        """w_i φ′(m_i) at the margins m = Ya, so that ∇J = Yᵗ slopes."""
        self._require("gradient")
        return np.asarray(self._weights * self._slope(m))

    def curvatures(self, m: Vector) -> Vector:
        """w_i φ″(m_i) at the margins m = Ya, the weights of y_i y_iᵗ in H: one for each sample, or one for all."""
        self._require("hessian")
        return np.asarray(self._weights * self._curvature(m))

    def evaluate(self, a: ArrayLike) -> tuple[Vector, float, Vector]:
        """Ya, J(a) and ∇J(a) together, with one product Ya for all three."""
        m = self._margins(a)
        return m, float((self._weights * self._loss(m)).sum()), transposed_product(self.Y, self.slopes(m))

    def curvature(self, a: ArrayLike, v: ArrayLike) -> float:
        """vᵗH(a)v without building H; ValueError without `has_hessian`."""
        along = product(self.Y, v).astype(np.float64, copy=False)
        return float(np.sum(self.curvatures(self._margins(a)) * along**2))

    def _margins(self, a: ArrayLike) -> Vector:
        """Ya; a row that is not finite would pass every comparison unseen, so it is an error."""
        with np.errstate(over="ignore", invalid="ignore"):
            m = product(self.Y, a).astype(np.float64, copy=False)
        if not np.isfinite(m).all():
            refuse(~np.isfinite(m), m, "Y @ a must be finite", "check Y and a, or take smaller steps")
        return m

    def _require(self, what: str) -> None:
        if not getattr(self, f"has_{what}"):
            others = ", ".join(name for name, c in _CRITERIA.items() if getattr(c, f"has_{what}"))
            raise ValueError(f"criterion {self.name!r} ({self.symbol}) has no {what}; criteria that have one: {others}")

    def _row_weights(self) -> Vector | float:
        return 1.0 if self.sample_weight is None else self.sample_weight

    # φ, φ′ and φ″ of the margins m = Ya; a criterion without gradient or Hessian leaves those out
    def _loss(self, m: Vector) -> Vector:
        raise NotImplementedError

    def _slope(self, m: Vector) -> Vector:
        raise NotImplementedError

    def _curvature(self, m: Vector) -> Vector | float:
        raise NotImplementedError


class Errors(Criterion):
    """The number of samples misclassified, piecewise constant: "obviously a poor candidate for a gradient search".

    Examples
    --------
    >>> Errors([[1.0, 2.0], [-1.0, 1.0], [0.0, 3.0]]).value([1.0, 0.0])
    2.0
    """

    name, symbol = "errors", "J"
    equation = "J(a) = number of y with aᵗy ≤ b"
    source = f"{BOOK}, §5.5.1"
    default_margin = 0.0
    has_gradient = has_hessian = False

    def _loss(self, m: Vector) -> Vector:
        return (m <= self.b).astype(np.float64)


class Perceptron(Criterion):
    """The perceptron criterion J_p; with margins b the J_p′ of the linear program. Piecewise linear, convex.

    Examples
    --------
    >>> J = Perceptron([[1.0, 2.0], [-1.0, 1.0]])
    >>> J.value([3.0, 1.0]), J.gradient([3.0, 1.0])
    (2.0, array([ 1., -1.]))
    """

    name, symbol = "perceptron", "J_p"
    equation = "J_p(a) = Σ_{aᵗy ≤ b} (b − aᵗy)"
    source = f"{BOOK}, Eq. 16 (b = 0, §5.5.1) and Eq. 103 (§5.10.3)"
    default_margin = 0.0
    has_hessian = False

    def _loss(self, m: Vector) -> Vector:
        return np.maximum(self.b - m, 0.0)

    def _slope(self, m: Vector) -> Vector:
        return np.where(m <= self.b, -1.0, 0.0)


class Hinge(Perceptron):
    """The hinge loss of the soft margin: J_p′ with b = 1 unless given, the sum of the slack variables.

    Examples
    --------
    >>> Hinge([[1.0, 2.0], [-1.0, 1.0]]).value([3.0, 1.0])
    3.0
    """

    name, symbol = "hinge", "J_h"
    equation = "J_h(a) = Σ max(0, b − aᵗy)"
    source = "Cristianini, Shawe-Taylor, An Introduction to Support Vector Machines, Def. 2.6; " + f"{BOOK}, Eq. 103"
    default_margin = 1.0


class Squared(Criterion):
    """The squared errors J_q of the violators, with a continuous gradient; piecewise quadratic, convex.

    Examples
    --------
    Problem 17: with one violator and the optimal η of Eq. 14 the descent moves a to the plane aᵗy = b.

    >>> J, a = Squared([[1.0, 2.0], [-1.0, 1.0]], b=1.0), np.array([3.0, 1.0])
    >>> J.gradient(a), J.hessian(a)
    (array([ 6., -6.]), array([[ 2., -2.],
           [-2.,  2.]]))
    """

    name, symbol = "squared", "J_q"
    equation = "J_q(a) = Σ_{aᵗy ≤ b} (aᵗy − b)²"
    source = f"{BOOK}, Eq. 32 (b = 0, §5.6.1) and Problem 17"
    default_margin = 0.0

    def _loss(self, m: Vector) -> Vector:
        return np.square(np.minimum(m - self.b, 0.0))

    def _slope(self, m: Vector) -> Vector:
        return 2.0 * np.minimum(m - self.b, 0.0)

    def _curvature(self, m: Vector) -> Vector:
        return np.where(m <= self.b, 2.0, 0.0)


class SquaredHinge(Squared):
    """The squared hinge loss: J_q with b = 1 unless given, the sum of the squared slack variables.

    Examples
    --------
    >>> SquaredHinge([[1.0, 2.0], [-1.0, 1.0]]).value([3.0, 1.0])
    9.0
    """

    name, symbol = "squared_hinge", "J_h2"
    equation = "J_h2(a) = Σ max(0, b − aᵗy)²"
    source = "Cristianini, Shawe-Taylor, An Introduction to Support Vector Machines, Def. 2.6; " + f"{BOOK}, Problem 17"
    default_margin = 1.0


class Relaxation(Squared):
    """The relaxation criterion J_r: J_q with each sample divided by 2‖y‖², so that long samples do not dominate.

    A zero row (or one whose ‖y‖² under- or overflows) is a ValueError: its term is infinite for every a.

    Examples
    --------
    >>> J = Relaxation([[1.0, 2.0], [-1.0, 1.0]])
    >>> J.value([3.0, 1.0]), J.gradient([3.0, 1.0])
    (2.25, array([ 1.5, -1.5]))
    """

    name, symbol = "relaxation", "J_r"
    equation = "J_r(a) = ½ Σ_{aᵗy ≤ b} (aᵗy − b)² / ‖y‖²"
    source = f"{BOOK}, Eq. 33 (§5.6.1)"
    default_margin = 1.0

    def _row_weights(self) -> Vector:
        with np.errstate(over="ignore", under="ignore"):
            sqnorms = row_sqnorms(self.Y)
        usable = (sqnorms >= np.finfo(sqnorms.dtype).tiny) & np.isfinite(sqnorms)
        refuse(~usable, sqnorms, "Y must have ‖y‖² > 0, which J_r divides by", "drop the row or rescale Y")
        return np.asarray(super()._row_weights() / (2.0 * sqnorms.astype(np.float64)))


class SquaredError(Criterion):
    """The sum of squared errors J_s over all samples, quadratic, with the Hessian 2YᵗY.

    Examples
    --------
    Problem 13(a):

    >>> Y = [[1, 1, 5], [1, 2, 9], [1, -5, -3], [-1, -2, 3], [-1, 1, 4], [-1, 0, -2]]
    >>> SquaredError(Y).hessian([0, 0, 0])
    array([[ 12.,  -2.,  12.],
           [ -2.,  70.,  72.],
           [ 12.,  72., 288.]])
    """

    name, symbol = "mse", "J_s"
    equation = "J_s(a) = ‖Ya − b‖² = Σ (aᵗy − b)²"
    source = f"{BOOK}, Eq. 43 (§5.8.1)"

    def _loss(self, m: Vector) -> Vector:
        return np.square(m - self.b)

    def _slope(self, m: Vector) -> Vector:
        return 2.0 * (m - self.b)

    def _curvature(self, m: Vector) -> float:
        return 2.0


class MeanSquaredError(SquaredError):
    """The mean squared error J_m, its expectation taken over the samples (by weight): J_s / n.

    On normalized samples (aᵗy − 1)² is the (aᵗy − θ)² of Eq. 64, where θ = ±1 is the label and y is not negated.

    Examples
    --------
    >>> MeanSquaredError([[1.0, 2.0], [-1.0, 1.0]]).value([0.0, 3.0])
    14.5
    """

    name, symbol = "mean_squared", "J_m"
    equation = "J_m(a) = E[(aᵗy − b)²] = J_s(a) / n"
    source = f"{BOOK}, Eq. 64 (§5.8.5)"

    def _row_weights(self) -> Vector | float:
        if self.sample_weight is None:
            return 1.0 / float(self.Y.shape[0])
        with np.errstate(over="ignore"):
            total = self.sample_weight.sum()
        if not 0 < total < np.inf:
            raise ValueError(f"sample_weight sums to {total:g}, and J_m is a mean; give weights > 0 of ordinary size")
        return np.asarray(self.sample_weight / total)


class Minimax(Criterion):
    """The largest violation J_τ, which the linear program in a single τ minimizes; 0 without a violator. Convex.

    The subgradient is −y of the worst violator, the first one on ties. A weight counts only as 0 or not 0.

    Examples
    --------
    >>> J = Minimax([[1.0, 2.0], [-1.0, 1.0]])
    >>> J.value([3.0, 1.0]), J.gradient([3.0, 1.0])
    (3.0, array([ 1., -1.]))
    """

    name, symbol = "minimax", "J_τ"
    equation = "J_τ(a) = max_{aᵗy ≤ b} (b − aᵗy)"
    source = f"{BOOK}, Problem 26 (§5.10.2)"
    has_hessian = False

    def _row_weights(self) -> float:
        return 1.0

    def _loss(self, m: Vector) -> Vector:
        return np.where(self._slope(m) < 0, self.b - m, 0.0)

    def _slope(self, m: Vector) -> Vector:
        excess = self.b - m if self.sample_weight is None else np.where(self.sample_weight == 0, -np.inf, self.b - m)
        worst = int(np.argmax(excess))
        slope = np.zeros_like(m)
        slope[worst] = -1.0 if excess[worst] >= 0 else 0.0
        return slope


class Logistic(Criterion):
    """The log loss of logistic regression, −log σ(aᵗy) summed; smooth, convex. b has no part in it.

    Examples
    --------
    >>> round(Logistic([[1.0, 2.0], [-1.0, 1.0]]).value([0.0, 0.0]), 6)
    1.386294
    """

    name, symbol = "logistic", "J_log"
    equation = "J_log(a) = Σ log(1 + exp(−aᵗy))"
    source = "Machine Learning: Theory and Practice, §8.5"
    uses_margin = False

    def _loss(self, m: Vector) -> Vector:
        return np.logaddexp(0.0, -m)

    def _slope(self, m: Vector) -> Vector:
        return -_sigmoid(-m)

    def _curvature(self, m: Vector) -> Vector:
        return _sigmoid(m) * _sigmoid(-m)


class Sigmoid(Criterion):
    """The squared error of a sigmoid unit, halved; smooth, not convex. b has no part in it.

    With targets 1 for ω₁ and 0 for ω₂, both (1 − σ(g))² and (0 − σ(g))² are (1 − σ(aᵗy))² on normalized samples.

    Examples
    --------
    Example 14 of the source: the first step from 0 with η = 0.01.

    >>> Y = [[-1, -1, -2], [-1, -2, -1], [1, 6, 7], [1, 7, 6]]
    >>> 0.0 - 0.01 * Sigmoid(Y).gradient([0, 0, 0])
    array([0.    , 0.0125, 0.0125])
    """

    name, symbol = "sigmoid", "E/2"
    equation = "E(a)/2 = ½ Σ (1 − σ(aᵗy))², σ(t) = 1 / (1 + exp(−t))"
    source = "Machine Learning: Theory and Practice, §8.5.2"
    uses_margin = False

    def _loss(self, m: Vector) -> Vector:
        return 0.5 * np.square(_sigmoid(-m))

    def _slope(self, m: Vector) -> Vector:
        return -np.square(_sigmoid(-m)) * _sigmoid(m)

    def _curvature(self, m: Vector) -> Vector:
        p, q = _sigmoid(m), _sigmoid(-m)
        return np.square(q) * p * (2.0 * p - q)


def names() -> list[str]:
    """Names that `get` knows.

    Examples
    --------
    >>> names()[:3]
    ['errors', 'perceptron', 'squared']
    """
    return list(_CRITERIA)


def get(criterion: str | type[Criterion]) -> type[Criterion]:
    """The class of a criterion, by name.

    Parameters
    ----------
    criterion : str or subclass of `Criterion`
        One of `names`; a class is returned as it is.

    Examples
    --------
    >>> get("perceptron").equation
    'J_p(a) = Σ_{aᵗy ≤ b} (b − aᵗy)'
    """
    kind = _CRITERIA.get(criterion) if isinstance(criterion, str) else criterion
    if isinstance(kind, type) and issubclass(kind, Criterion):
        return kind
    raise unknown("criterion", criterion, f"one of {', '.join(_CRITERIA)} or a Criterion class", _CRITERIA)


def _sigmoid(t: Vector) -> Vector:
    return np.exp(-np.logaddexp(0.0, -t))  # keeps its relative precision where σ(t) is tiny, and cannot overflow


_CRITERIA: dict[str, type[Criterion]] = {c.name: c for c in (
    Errors, Perceptron, Squared, Relaxation, SquaredError, MeanSquaredError, Minimax,
    Logistic, Sigmoid, Hinge, SquaredHinge,
)}  # fmt: skip

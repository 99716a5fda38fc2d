"""What theory promises: corrections a perceptron can need, and what a separation is worth.

Let y be the augmented patterns (1, x), negated for ω₂, and â any separating vector. Every correction
a(k+1) = a(k) + ηy of a pattern with aᵗy ≤ b brings a(k)/η nearer to αâ, once α is large enough, so the
corrections must end after at most

    k₀ = min over α > (β² + 2b/η)/(2γ) of ‖a(1)/η − αâ‖² / (2αγ − β² − 2b/η),

    β² = max ‖y‖²,    γ = min âᵗy > 0.

With t = (β² + 2b/η)/(2γ) and everything measured in units of ‖â‖ = 1 the minimum is at
α = t + ‖a(1)/η − tâ‖, and equals (α − âᵗa(1)/η)/γ. From a(1) = 0 without margin it is β²‖â‖²/γ².

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eqs. 21 to 26, §5.7, §5.12.2, Problems 14 and 15, Eq. 107.
Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorems 2.3 and 2.7, Remark 2.10.
Cover, "Geometrical and statistical properties of systems of linear inequalities", 1965.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._guards.parameters import Number
from .geometry import FloatArray, Points, class_indices, finite_array, ldexp, scaled
from .multiclass import leads
from .samples import finite_rows, row_sqnorms, scaled_blocks

__all__ = [
    "PerceptronBound", "cover", "embedding_strength", "freund_schapire", "novikoff", "perceptron",
    "perceptron_from_numbers", "radius", "support_vector",
]  # fmt: skip

POSITIVE = Number("give a number above 0", 0)
NONNEGATIVE = Number("give 0 or more", 0, closed=True)
COUNT = Number("give how many there are", 1, closed=True, whole=True)
TINY = 1e-150  # below it the square of a margin is no longer a number
EXACT_COUNTS = 2000  # up to so many points the dichotomies are counted in integers


class PerceptronBound(float):
    """The bound k₀ on the number of corrections, a float that remembers where it comes from.

    Parameters
    ----------
    value : float
        The bound k₀.
    alpha : float
        The scale α of the solution vector that gives the smallest bound.
    beta : float
        The length β of the longest pattern.
    gamma : float
        The smallest inner product γ of the solution vector with a pattern.

    Attributes
    ----------
    alpha, beta, gamma : float
        As given.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eq. 25 and Problem 14.

    Examples
    --------
    >>> from discriminant.bounds import PerceptronBound
    >>> bound = PerceptronBound(27.5, alpha=3.0, beta=1.5, gamma=1.0)
    >>> bound < 28, bound.corrections, bound.gamma
    (True, 27, 1.0)
    """

    alpha: float
    beta: float
    gamma: float

    def __new__(cls, value: float, alpha: float, beta: float, gamma: float) -> PerceptronBound:
        bound = super().__new__(cls, value)
        bound.alpha, bound.beta, bound.gamma = alpha, beta, gamma
        return bound

    def __getnewargs__(self) -> tuple[float, float, float, float]:  # type: ignore[override]  # for copies and pickles
        return float(self), self.alpha, self.beta, self.gamma

    @property
    def corrections(self) -> int:
        """The largest whole number of corrections that the bound allows."""
        # Rounding may have pushed a whole k₀ just below itself; a bound may be loose, never too small.
        return math.floor(self * (1 + 1e-12))


def perceptron(
    X: Points, y: ArrayLike, solution: Any, *, start: ArrayLike | None = None, eta: float = 1.0, margin: float = 0.0
) -> PerceptronBound:
    """Bound the corrections of the single-sample perceptron by a solution vector.

    Holds for the fixed-increment rule in any order of visits, with start a(1), increment η and margin b.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The patterns.
    y : array-like of shape (n,)
        The labels; of two classes the one that sorts last is positive.
    solution : array-like, Hyperplane, LinearMachine or fitted model
        A separating vector â = (w₀, w) of shape (d + 1,); for c classes the (c, d + 1) vectors of a linear
        machine, classes in sorted order, and then the bound is that of Kesler's construction. Objects give
        theirs as ``weights_``, ``a`` or ``weights``.
    start : array-like, optional
        The start vector a(1), of the shape of the solution; zero by default.
    eta : float, default=1.0
        The increment η.
    margin : float, default=0.0
        The margin b.

    Returns
    -------
    PerceptronBound
        The bound k₀ with ``alpha``, ``beta``, ``gamma`` and the whole number ``corrections``.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eqs. 21 to 26, §5.12.2, Problems 14 and 15.

    Examples
    --------
    The OR function is learned in 9 corrections; the vector that was found allows 27.

    >>> from discriminant import bounds
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> bound = bounds.perceptron(X, y, solution=[-1, 2, 2])
    >>> float(bound), bound.corrections, bound.gamma
    (27.0, 27, 1.0)
    """
    rows, exponent = finite_rows(X)
    weights, shift = _scaled_solution(solution)
    classes, labels = class_indices(y, "y", rows.shape[0])
    expected = len(weights) if weights.ndim == 2 else 2
    if (len(classes), rows.shape[1] + 1) != (expected, weights.shape[-1]):
        raise ValueError(
            f"solution has {weights.shape[-1]} weights in a vector for {expected} classes, where X has {rows.shape[1]} "
            f"columns and y {len(classes)} classes; give (w0, w1, …, wd), the bias first, and c of them for c classes"
        )
    exponent = max(exponent, 0)  # the patterns y = (1, x) are divided by 2 to this power
    unit = math.ldexp(1.0, -exponent)
    square, gamma = 0.0, math.inf
    for part, block in scaled_blocks(rows, unit):
        square = max(square, float(row_sqnorms(block).max()) + unit * unit)
        g, own = block @ weights[..., 1:].T + unit * weights[..., 0], labels[part]
        margins = leads(g, own)[0] if weights.ndim == 2 else np.where(own == 1, g, -g)
        gamma = min(gamma, float(margins.min()))
    square *= weights.ndim  # Kesler's rows hold y and −y: ‖η_ij‖² = 2‖y‖²
    return _evaluate(weights, shift, square, gamma, exponent, start, eta, margin)


def perceptron_from_numbers(
    solution: Any, beta: float, gamma: float, *, start: ArrayLike | None = None, eta: float = 1.0, margin: float = 0.0
) -> PerceptronBound:
    """Bound the corrections of the single-sample perceptron from β and γ alone, without the data.

    Parameters
    ----------
    solution : array-like, Hyperplane, LinearMachine or fitted model
        The separating vector â, or the vectors of a linear machine, as in `perceptron`.
    beta : float
        The length β = max ‖y‖ of the longest augmented pattern; for a linear machine √2 times that.
    gamma : float
        The smallest inner product γ = min âᵗy; for a linear machine the smallest lead over a rival.
    start : array-like, optional
        The start vector a(1); zero by default.
    eta : float, default=1.0
        The increment η.
    margin : float, default=0.0
        The margin b.

    Returns
    -------
    PerceptronBound
        The bound k₀.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eqs. 21 to 26, Problems 14 and 15.

    Examples
    --------
    >>> from discriminant import bounds
    >>> bounds.perceptron_from_numbers([-1, 2, 2], beta=3**0.5, gamma=1.0).corrections
    27
    >>> bounds.perceptron_from_numbers([-1, 2, 2], beta=3**0.5, gamma=1.0, start=[-2, 4, 4]).corrections
    0
    """
    weights, shift = _scaled_solution(solution)
    fraction, exponent = math.frexp(POSITIVE("beta", beta))
    gamma = math.ldexp(POSITIVE("gamma", gamma), -exponent - shift)
    return _evaluate(weights, shift, fraction * fraction, gamma, exponent, start, eta, margin)


def novikoff(R: float, gamma: float) -> float:
    """Bound the mistakes of the perceptron with the bias update of R², (2R/γ)².

    Parameters
    ----------
    R : float
        The radius max ‖x_i‖ of the patterns, as `radius` gives it.
    gamma : float
        The geometric margin γ, in the space of x, of some separating plane (w, b) with ‖w‖ = 1 and |b| ≤ R.

    Returns
    -------
    float
        The largest number of mistakes, over all passes, from w = 0 and b = 0.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorem 2.3.

    Examples
    --------
    >>> from discriminant import bounds
    >>> bounds.novikoff(R=2.0, gamma=0.5)
    64.0
    """
    ratio: float = 2 * POSITIVE("R", R) / POSITIVE("gamma", gamma)
    return ratio * ratio


def freund_schapire(R: float, D: float, gamma: float) -> float:
    """Bound the mistakes of the first pass on data that need not be separable, (2(R + D)/γ)².

    Parameters
    ----------
    R : float
        The radius max ‖x_i‖ of the patterns.
    D : float
        The norm of the slacks ξ_i = max(0, γ − y_i(⟨w, x_i⟩ + b)) of a plane with ‖w‖ = 1 and |b| ≤ R.
    gamma : float
        The target margin γ.

    Returns
    -------
    float
        The largest number of mistakes in the first pass, with the bias update of R² and no pattern repeated.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorem 2.7.

    Examples
    --------
    >>> from discriminant import bounds
    >>> bounds.freund_schapire(R=2.0, D=1.0, gamma=0.5)
    144.0
    """
    return novikoff(POSITIVE("R", R) + NONNEGATIVE("D", D), gamma)


def embedding_strength(R: float, gamma: float) -> float:
    """Bound ‖α‖₁, the sum of the embedding strengths of the dual perceptron.

    Each mistake adds 1 to one α_i, so this is the number of `novikoff` under another name: a measure of how
    complex the concept is in its dual form.

    Parameters
    ----------
    R : float
        The radius max ‖x_i‖; with a kernel the root of max K(x_i, x_i).
    gamma : float
        The geometric margin of some separating plane.

    Returns
    -------
    float
        The bound (2R/γ)².

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Remark 2.10.

    Examples
    --------
    >>> from discriminant import bounds
    >>> bounds.embedding_strength(R=1.0, gamma=0.25)
    64.0
    """
    return novikoff(R, gamma)


def radius(X: Points) -> float:
    """Give R = max ‖x_i‖, measured from the origin, at any scale of the data.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The patterns.

    Returns
    -------
    float
        The radius R.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorem 2.3.

    Examples
    --------
    >>> from discriminant import bounds
    >>> bounds.radius([[3, 4], [1, 0]]), bounds.radius([[3e200, 4e200]])
    (5.0, 5e+200)
    """
    rows, exponent = finite_rows(X)
    square = max(float(row_sqnorms(block).max()) for _, block in scaled_blocks(rows, math.ldexp(1.0, -exponent)))
    return ldexp(math.sqrt(square), exponent)


def support_vector(model: Any) -> float:
    """Bound the leave-one-out error rate of a maximum-margin classifier, N_s/n.

    Leaving out a pattern that is no support vector changes nothing, so only support vectors may then err.
    In expectation over training sets of n it bounds the error rate after training on n − 1.

    Parameters
    ----------
    model : object
        A fitted model with the multipliers ``alpha_`` of shape (n,), one for each training row.

    Returns
    -------
    float
        The fraction of training rows whose multiplier is not zero.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eq. 107.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from discriminant import bounds
    >>> bounds.support_vector(SimpleNamespace(alpha_=[2.0, 0.0, 2.0, 0.0]))
    0.5
    """
    alpha = np.asarray(getattr(model, "alpha_", ()))
    if alpha.ndim != 1 or alpha.size == 0:
        raise ValueError(f"model={model!r} must have one alpha_ a training row; fit a two-class SupportVectorMachine")
    return float(np.count_nonzero(alpha) / alpha.size)


def cover(n: int, d: int, *, intercept: bool = True) -> float:
    """Give the probability that n randomly labeled points in general position are linearly separable.

    It is 2^(1−n) Σ_{i<d̂} C(n−1, i) with d̂ = d + 1 weights: 1 up to n = d̂, exactly 1/2 at n = 2d̂. A
    separation of fewer than 2d̂ points therefore says little.

    Parameters
    ----------
    n : int
        The number of points.
    d : int
        The number of features.
    intercept : bool, default=True
        Whether the plane has a bias; without one d̂ = d.

    Returns
    -------
    float
        A probability; exactly rounded up to n = 2000.

    References
    ----------
    Cover, "Geometrical and statistical properties of systems of linear inequalities", 1965;
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.7.

    Examples
    --------
    Of the 16 Boolean functions of two variables all but XOR and its complement are separable.

    >>> from discriminant import bounds
    >>> 16 * bounds.cover(4, 2)
    14.0
    >>> bounds.cover(1_000_000, 499_999)
    0.5
    """
    n, weights = COUNT("n", n), COUNT("d", d) + bool(intercept)
    if weights >= n:
        return 1.0
    if n <= EXACT_COUNTS:
        term = total = 1
        for i in range(1, weights):
            term = term * (n - i) // i
            total += term
        return total / (1 << (n - 1))
    from scipy.special import betainc  # imported here: the module takes longer to load than all of this one

    return float(betainc(n - weights, weights, 0.5))  # the binomial distribution function


def _evaluate(
    weights: FloatArray,
    shift: int,
    square: float,
    gamma: float,
    exponent: int,
    start: ArrayLike | None,
    eta: float,
    margin: float,
) -> PerceptronBound:
    """Minimize over α, for patterns divided by 2 to the exponent and a solution divided by 2 to the shift."""
    eta, margin = POSITIVE("eta", eta), NONNEGATIVE("margin", margin)
    if not gamma > TINY:
        raise ValueError(
            f"solution does not separate: gamma = {ldexp(gamma, exponent + shift) + 0.0:g} must be positive; "
            "give a vector with aᵗy > 0 for every pattern, such as the weights_ of a fit that ended SEPARATED"
        )
    target = square + ldexp(2 * margin / eta, -2 * exponent)  # β² + 2b/η
    a = weights.ravel()
    a1 = np.zeros(a.size) if start is None else finite_array(start, "start", 1, 2).ravel()
    if a1.size != a.size:
        raise ValueError(f"start has {a1.size} weights, the solution {a.size}; give (w0, w) of the solution's shape")
    a1 = np.ldexp(a1 / eta, -exponent)
    if not a1.any():
        alpha = target / gamma
        k0 = target * float(a @ a) / (gamma * gamma)  # no root is taken: exact for integers
    else:
        norm = float(np.linalg.norm(a))
        unit_gamma = gamma / norm
        least = target / (2 * unit_gamma)  # α must exceed it
        along = float(a1 @ a) / norm
        across = float(np.linalg.norm(a1 - along * a / norm))
        ahead, reach = along - least, math.hypot(along - least, across)
        alpha = (least + reach) / norm
        # reach − ahead, without cancellation where a(1) is a long way along â already
        k0 = (across * across / (reach + ahead) if ahead > 0 else reach - ahead) / unit_gamma
    beta = ldexp(math.sqrt(square), exponent)
    return PerceptronBound(k0, ldexp(alpha, exponent - shift), beta, ldexp(gamma, exponent + shift))


def _scaled_solution(solution: Any) -> tuple[FloatArray, int]:
    """Give the solution divided by a power of two, so that squares are safe, and the power."""
    for name in ("weights_", "a", "weights"):
        solution = getattr(solution, name, solution)
    weights = finite_array(solution, "solution", 1, 2)
    return scaled(weights[0] if weights.shape[0] == 1 and weights.ndim == 2 else weights)

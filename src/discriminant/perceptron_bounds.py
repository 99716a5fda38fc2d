"""How many corrections a perceptron can need: fixed and variable increments, single samples and batches, two biases.

Let y be the augmented patterns (1, x), negated for ω₂, and â any separating vector. A correction a(k+1) = a(k) + ηy of
a pattern with aᵗy ≤ b brings a(k) nearer to αâ, once α is large enough:

    ‖a(k+1) − αâ‖² ≤ ‖a(k) − αâ‖² − η (2αγ − 2b − ηβ²),      β² = max ‖y‖²,    γ = min âᵗy > 0.

The last term is concave in η. So with increments η_a ≤ η(k) ≤ η_b it is least for one of these two, and there are at
most

    k₀ = min over α of the larger of  ‖a(1) − αâ‖² / (η (2αγ − 2b − ηβ²))  for η = η_a and η = η_b   (Problem 15)

corrections. Either is convex in α. With t = (ηβ² + 2b)/(2γ) and everything measured in units of ‖â‖ = 1 its minimum is
at α = t + ‖a(1) − tâ‖, and equals (α − âᵗa(1))/(ηγ). The two meet at α = ((η_a + η_b)β² + 2b)/(2γ): left of it that of
η_b is the larger one, right of it that of η_a. From a(1) = 0 without margin k₀ is β²‖â‖²/γ² times
(η_a + η_b)²/(4 η_a η_b), which is one for a fixed increment.

A batch of m violators adds η s, with âᵗs ≥ mγ, aᵗs ≤ mb, ‖s‖ ≤ mβ and ‖s‖² ≤ mλ, where λ is the largest eigenvalue of
YᵗY. With μ = ηm the way to αâ shrinks by at least μ (2αγ − 2b) − min(μ²β², μη_bλ). Beyond μ = η_bλ/β² this grows
with μ: the batch rule has the bound of single samples with increments between η_a and η_bλ/β².

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eqs. 21 to 26 and 31, §5.12.2, Problems 14 and 15.
Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorem 2.3, Remark 2.4.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._guards.parameters import FLAG, Number, refused
from .geometry import FloatArray, Points, class_indices, finite_array, ldexp, scaled
from .multiclass import leads
from .samples import finite_rows, row_sqnorms, scaled_blocks

POSITIVE = Number("give a number above 0", 0)
NONNEGATIVE = Number("give 0 or more", 0, closed=True)
TINY = 1e-150  # below it the square of a margin is no longer a number
WIDE = 2000  # columns up to which the eigenvalues of YᵗY are computed, in about a second
SPARE = 1 + 1e-12  # what rounding may have taken from an eigenvalue


class PerceptronBound(float):
    """The bound k₀ on the number of corrections, a float that remembers where it comes from.

    Parameters
    ----------
    value : float
        The bound k₀.
    alpha : float
        The scale α of the solution vector that gives the smallest bound, in units of the least increment.
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
    X: Points,
    y: ArrayLike,
    solution: Any,
    *,
    start: ArrayLike | None = None,
    eta: float | tuple[float, float] = 1.0,
    margin: float = 0.0,
    batch: bool = False,
) -> PerceptronBound:
    """Bound the corrections of the perceptron by a solution vector.

    Holds in any order of visits, with start a(1), increments η(k) and margin b.

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
    eta : float or pair of float, default=1.0
        The increment η, or the least and the largest one, (η_a, η_b), of increments that vary.
    margin : float, default=0.0
        The margin b.
    batch : bool, default=False
        Bound the steps of the batch rule, each of which adds all violators at once.

    Returns
    -------
    PerceptronBound
        The bound k₀ with ``alpha``, ``beta``, ``gamma`` and the whole number ``corrections``.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Eqs. 21 to 26 and 31, §5.12.2, Problems 14 and 15.

    Examples
    --------
    The OR function is learned in 9 corrections; the vector that was found allows 27. Increments between 1 and 3 raise
    this to 27 (1 + 3)²/(4·1·3) = 36.

    >>> from discriminant import bounds
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> bound = bounds.perceptron(X, y, solution=[-1, 2, 2])
    >>> float(bound), bound.corrections, bound.gamma
    (27.0, 27, 1.0)
    >>> bounds.perceptron(X, y, [-1, 2, 2], eta=(1, 3)).corrections
    36
    >>> bounds.perceptron(X, y, [-1, 2, 2], batch=True).corrections
    31
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
    low, high = _increments(eta)
    high *= spread(X) if FLAG("batch", batch) else 1.0
    return _evaluate(weights, shift, square, gamma, exponent, start, (low, high), margin)


def perceptron_from_numbers(
    solution: Any,
    beta: float,
    gamma: float,
    *,
    start: ArrayLike | None = None,
    eta: float | tuple[float, float] = 1.0,
    margin: float = 0.0,
) -> PerceptronBound:
    """Bound the corrections of the perceptron from β and γ alone, without the data.

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
    eta : float or pair of float, default=1.0
        The increment η, or the least and the largest one; for a batch of n patterns (η_a, nη_b) will do.
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
    return _evaluate(weights, shift, fraction * fraction, gamma, exponent, start, _increments(eta), margin)


class BiasBounds(NamedTuple):
    """The corrections of two perceptrons that differ in how they correct the bias.

    Parameters
    ----------
    radius : float
        With steps of R² for the bias.
    augmented : float
        With steps of 1, as for a weight of the constant feature 1.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Remark 2.4.

    Examples
    --------
    >>> from discriminant.bounds import BiasBounds
    >>> BiasBounds(radius=8.0, augmented=5.0).augmented
    5.0
    """

    radius: float
    augmented: float


def bias_updates(X: Points, y: ArrayLike, solution: Any) -> BiasBounds:
    """Bound the corrections with either update of the bias, side by side.

    With ‖w‖ = 1, the radius R of the patterns and the margin γ of the plane (w, b), the bias that is corrected by R²
    allows 2(R² + b²)/γ², which is at most Novikoff's (2R/γ)² where |b| ≤ R. Corrected by 1 it allows
    (1 + R²)(1 + b²)/γ², the ratio of radius and margin in the space of (1, x). The difference is (R² − 1)(b² − 1)/γ²:
    the update by R² is the safer one where the plane is far from the origin and R > 1, by a factor of the order of R²;
    without a bias the other one is better by a factor of 2.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The patterns.
    y : array-like of shape (n,)
        The labels, of two classes.
    solution : array-like, Hyperplane or fitted model
        A separating vector (w₀, w), with b = w₀/‖w‖.

    Returns
    -------
    BiasBounds
        ``radius`` and ``augmented``, from w = 0 and b = 0.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorem 2.3 and Remark 2.4.

    Examples
    --------
    A plane at the distance 9 from the origin, with a margin of 1, and patterns of length 10:

    >>> from discriminant import bounds
    >>> bounds.bias_updates([[10.0], [8.0]], [1, 0], solution=[-9, 1])
    BiasBounds(radius=362.0, augmented=8282.0)
    """
    augmented = perceptron(X, y, solution)
    weights, shift = _scaled_solution(solution)
    if weights.ndim == 2:
        raise refused("solution", f"<{len(weights)} vectors>", "(w0, w) of one plane", "take two classes")
    length = float(np.linalg.norm(weights[1:]))
    gamma = ldexp(augmented.gamma / length, -shift)
    R, b = radius(X), float(weights[0]) / length
    return BiasBounds(2 * ((R / gamma) ** 2 + (b / gamma) ** 2), float(augmented))


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


def spread(X: Points, constant: float = 1.0) -> float:
    """λ/β², from 1 to n: how much longer than a single pattern a batch can make a step, with (constant, x) for y.

    λ is the largest eigenvalue of YᵗY, or where that has too many columns its trace, which is no less.
    """
    rows, exponent = finite_rows(X)
    unit = math.ldexp(1.0, -max(exponent, math.frexp(constant)[1]))
    d, one, square, trace = rows.shape[1], constant * unit, 0.0, 0.0
    G = np.zeros((d + 1, d + 1) if d < WIDE else (0, 0))
    for _, block in scaled_blocks(rows, unit):
        norms = row_sqnorms(block) + one * one
        square, trace = max(square, float(norms.max())), trace + float(norms.sum())
        if G.size:
            products, sums = block.T @ block, one * np.asarray(block.sum(axis=0)).ravel()
            G[0, 0] += one * one * block.shape[0]
            G[0, 1:] += sums
            G[1:, 0] += sums
            G[1:, 1:] += products.toarray() if hasattr(products, "toarray") else products
    largest = min(trace, float(np.linalg.eigvalsh(G)[-1]) * SPARE) if G.size else trace
    return max(largest / square, 1.0)


def _increments(eta: Any) -> tuple[float, float]:
    """The least and the largest increment."""
    if np.ndim(eta) == 0:
        return (POSITIVE("eta", eta),) * 2
    low, high = (POSITIVE("eta", value) for value in eta) if np.shape(eta) == (2,) else (1.0, 0.0)
    if low > high:
        raise refused("eta", eta, "a number or a pair (η_a, η_b) with η_a <= η_b", "give the bounds of η(k)")
    return low, high


def _evaluate(
    weights: FloatArray,
    shift: int,
    square: float,
    gamma: float,
    exponent: int,
    start: ArrayLike | None,
    etas: tuple[float, float],
    margin: float,
) -> PerceptronBound:
    """Minimize over α, for patterns divided by 2 to the exponent and a solution divided by 2 to the shift."""
    eta, margin = etas[0], NONNEGATIVE("margin", margin)
    ratio = etas[1] / eta
    if 0 < gamma <= TINY:
        raise ValueError(
            f"solution separates by gamma = {ldexp(gamma, exponent + shift):g}, too little for a bound beside its "
            "length and that of the patterns; scale the columns to a common size, and give their solution"
        )
    if not gamma > 0:
        raise ValueError(
            f"solution does not separate: gamma = {ldexp(gamma, exponent + shift) + 0.0:g} must be positive; "
            "give a vector with aᵗy > 0 for every pattern, such as the weights_ of a fit that ended SEPARATED"
        )
    a = weights.ravel()
    a1 = np.zeros(a.size) if start is None else finite_array(start, "start", 1, 2).ravel()
    if a1.size != a.size:
        raise ValueError(f"start has {a1.size} weights, the solution {a.size}; give (w0, w) of the solution's shape")
    a1 = np.ldexp(a1 / eta, -exponent)  # all in units of the least increment
    more = ldexp(2 * margin / eta, -2 * exponent)  # 2b/η
    alpha, k0 = _minimum(a, a1, square + more, gamma)
    meeting = ((1 + ratio) * square + more) / (2 * gamma)  # left of it the largest increment says more
    if ratio > 1 and alpha < meeting:
        alpha, k0 = _minimum(a, a1, ratio * square + more, gamma)
        k0 /= ratio
        if alpha > meeting:
            away = a1 - meeting * a
            alpha, k0 = meeting, float(away @ away) / (ratio * square)
    beta = ldexp(math.sqrt(square), exponent)
    return PerceptronBound(k0, ldexp(alpha, exponent - shift), beta, ldexp(gamma, exponent + shift))


def _minimum(a: FloatArray, a1: FloatArray, target: float, gamma: float) -> tuple[float, float]:
    """The α > target/(2γ) that makes ‖a₁ − αa‖² / (2αγ − target) least, and that minimum."""
    if not a1.any():
        return target / gamma, target * float(a @ a) / (gamma * gamma)  # no root is taken: exact for integers
    norm = float(np.linalg.norm(a))
    unit_gamma = gamma / norm
    least = target / (2 * unit_gamma)
    along = float(a1 @ a) / norm
    across = float(np.linalg.norm(a1 - along * a / norm))
    ahead, reach = along - least, math.hypot(along - least, across)
    # reach − ahead, without cancellation where a(1) is a long way along â already
    k0 = (across * across / (reach + ahead) if ahead > 0 else reach - ahead) / unit_gamma
    return (least + reach) / norm, k0


def _scaled_solution(solution: Any) -> tuple[FloatArray, int]:
    """Give the solution divided by a power of two, so that squares are safe, and the power."""
    for name in ("weights_", "a", "weights"):
        solution = getattr(solution, name, solution)
    weights = finite_array(solution, "solution", 1, 2)
    return scaled(weights[0] if weights.shape[0] == 1 and weights.ndim == 2 else weights)

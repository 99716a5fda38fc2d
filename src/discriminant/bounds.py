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
Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Theorems 2.3 and 2.7,
Remark 2.10.
Cover, "Geometrical and statistical properties of systems of linear inequalities", 1965.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ._guards.validation import table_of

__all__ = [
    "PerceptronBound",
    "cover",
    "embedding_strength",
    "freund_schapire",
    "novikoff",
    "perceptron",
    "perceptron_from_numbers",
    "radius",
    "support_vector",
]

FloatArray: TypeAlias = NDArray[np.float64]
Points: TypeAlias = "ArrayLike | sparse.sparray | sparse.spmatrix"

BLOCK = 2**20  # numbers in a block of rows: 8 MB of temporaries, whatever the size of the data
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
        """Make the float and hang its origin on it."""
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
    rows, exponent = _rows(X)
    weights, shift = _scaled_solution(solution)
    labels = _labels(y, rows.shape[0], weights)
    if weights.shape[-1] != rows.shape[1] + 1:
        raise ValueError(
            f"solution has {weights.shape[-1]} weights in a vector for X with {rows.shape[1]} columns; "
            "give (w0, w1, …, wd), the bias first"
        )
    exponent = max(exponent, 0)  # the patterns y = (1, x) are divided by 2 to this power
    unit = math.ldexp(1.0, -exponent)
    square, gamma, first = 0.0, math.inf, 0
    for block in _blocks(rows, unit):
        square = max(square, float(_squares(block).max()) + unit * unit)
        margins = _margins(block @ weights[..., 1:].T + unit * weights[..., 0], labels[first : first + block.shape[0]])
        gamma = min(gamma, float(margins.min()))
        first += block.shape[0]
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
    fraction, exponent = math.frexp(_positive("beta", beta))
    scaled = math.ldexp(_number("gamma", gamma), -exponent - shift)
    return _evaluate(weights, shift, fraction * fraction, scaled, exponent, start, eta, margin)


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
    ratio = 2 * _positive("R", R) / _positive("gamma", gamma)
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
    ratio = 2 * (_positive("R", R) + _nonnegative("D", D)) / _positive("gamma", gamma)
    return ratio * ratio


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
    rows, exponent = _rows(X)
    square = max(float(_squares(block).max()) for block in _blocks(rows, math.ldexp(1.0, -exponent)))
    return _ldexp(math.sqrt(square), exponent)


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
        raise ValueError(
            f"model = {model!r} has no alpha_ with one multiplier for each training row; "
            "fit a two-class SupportVectorMachine"
        )
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
    n, weights = _count("n", n), _count("d", d) + bool(intercept)
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
    eta, margin = _positive("eta", eta), _nonnegative("margin", margin)
    if not gamma > TINY:
        raise ValueError(
            f"solution does not separate: gamma = {_ldexp(gamma, exponent + shift) + 0.0:g} must be positive; "
            "give a vector with aᵗy > 0 for every pattern, such as the weights_ of a fit that ended SEPARATED"
        )
    target = square + _ldexp(2 * margin / eta, -2 * exponent)  # β² + 2b/η
    a = weights.ravel()
    a1 = np.ldexp(_start(start, weights) / eta, -exponent)
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
    beta = _ldexp(math.sqrt(square), exponent)
    return PerceptronBound(k0, _ldexp(alpha, exponent - shift), beta, _ldexp(gamma, exponent + shift))


def _scaled_solution(solution: Any) -> tuple[FloatArray, int]:
    """Give the solution divided by a power of two, so that squares are safe, and the power."""
    for name in ("weights_", "a", "weights"):
        solution = getattr(solution, name, solution)
    weights = _floats("solution", solution)
    if weights.ndim == 2 and weights.shape[0] == 1:
        weights = weights[0]
    if weights.ndim not in (1, 2) or weights.size == 0:
        raise ValueError(f"solution has shape {weights.shape}; give (w0, w), or one such row for each class")
    shift = int(np.frexp(np.abs(weights).max())[1])
    return np.ldexp(weights, -shift), shift


def _start(start: ArrayLike | None, weights: FloatArray) -> FloatArray:
    if start is None:
        return np.zeros(weights.size)
    vector = _floats("start", start)
    if vector.size != weights.size:
        raise ValueError(f"start has shape {vector.shape}, the solution {weights.shape}; give (w0, w) of that shape")
    return vector.ravel()


def _labels(y: ArrayLike, n: int, weights: FloatArray) -> NDArray[np.int64]:
    """Give the index of each row's class, checked against the rows and the solution."""
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(f"y has shape {labels.shape}, X has {n} rows; give one label for each row")
    classes, codes = np.unique(labels, return_inverse=True)
    expected = 2 if weights.ndim == 1 else weights.shape[0]
    if len(classes) != expected:
        raise ValueError(
            f"y has {len(classes)} classes, the solution is for {expected}; give one vector (w0, w) for two classes "
            "and c of them for c classes"
        )
    return codes.astype(np.int64)


def _margins(g: Any, labels: NDArray[np.int64]) -> FloatArray:
    """Give âᵗy for two classes, the lead over the strongest rival for many."""
    lead: FloatArray
    if g.ndim == 1:
        lead = np.where(labels == 1, g, -g)
        return lead
    each = np.arange(len(labels))
    own = g[each, labels]
    g[each, labels] = -np.inf
    lead = own - g.max(axis=1)
    return lead


def _rows(X: Any) -> tuple[Any, int]:
    """Give X as an array or a CSR matrix, finite and not empty, and the binary exponent of its largest entry."""
    rows: Any = table_of(X)
    if rows.dtype.kind not in "fiub":
        rows = rows.astype(np.float64) if sparse.issparse(rows) else _floats("X", X)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"X has shape {rows.shape}; give a table of n ≥ 1 rows and d ≥ 1 columns")
    values = rows.data if sparse.issparse(rows) else rows
    largest = max(float(values.max()), -float(values.min())) if values.size else 0.0  # no temporary; nan stays nan
    if not math.isfinite(largest):
        raise ValueError("X must be finite, got nan or infinity; impute or drop those rows")
    return rows, math.frexp(largest)[1]


def _blocks(rows: Any, unit: float) -> Iterator[Any]:
    """Yield blocks of rows in float64, multiplied by a power of two; the caller's matrix is not touched."""
    numbers = rows.nnz / rows.shape[0] if sparse.issparse(rows) else rows.shape[1]  # in a row
    step = max(1, int(BLOCK / max(numbers, 1)))
    for first in range(0, rows.shape[0], step):
        block = rows[first : first + step]
        if sparse.issparse(block):
            yield block.astype(np.float64) * unit
        else:
            yield np.multiply(block, unit, dtype=np.float64)


def _squares(block: Any) -> FloatArray:
    if sparse.issparse(block):
        return np.asarray(block.multiply(block).sum(axis=1)).ravel()
    squares: FloatArray = np.einsum("ij,ij->i", block, block)
    return squares


def _ldexp(value: float, exponent: int) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, exponent))


def _floats(name: str, values: Any) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers ({error}); encode or drop the rest") from error
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got nan or infinity; impute or drop those values")
    return array


def _number(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} = {value!r} must be a number") from error
    if not math.isfinite(number):
        raise ValueError(f"{name} = {value!r} must be finite; give a number")
    return number


def _positive(name: str, value: float) -> float:
    if not (number := _number(name, value)) > 0:
        raise ValueError(f"{name} = {value!r} must be positive; give a number above 0")
    return number


def _nonnegative(name: str, value: float) -> float:
    if not (number := _number(name, value)) >= 0:
        raise ValueError(f"{name} = {value!r} must not be negative; give 0 or more")
    return number


def _count(name: str, value: int) -> int:
    try:
        count = operator.index(value)
    except TypeError as error:
        raise ValueError(f"{name} = {value!r} must be a whole number; give an int") from error
    if count < 1:
        raise ValueError(f"{name} = {value!r} must be at least 1")
    return count

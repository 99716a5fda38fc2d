"""The linear discriminant g(x) = wᵗx + w₀ and its geometry.

The surface g(x) = 0 is a hyperplane H with normal w. A point x lies at the signed distance
r = g(x)/‖w‖ from it, and its projection is x_p = x − g(x)w/‖w‖². A linear machine has c such
functions and decides for the largest; regions i and j meet on H_ij, where g_i = g_j.

Augmentation y = (1, x), a = (w₀, w) writes g(x) as aᵗy. "Normalization" negates the patterns of
one class, so that a separating vector is any a with aᵗy > 0 for every pattern. Both are reversible.

Weights of any size are safe: each function first divides its weights by a power of two, which costs
no accuracy, so that no square and no product overflows or vanishes before its time.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2 (Eqs. 1 and 2), §5.3 (Eqs. 9 to 11), §5.4.1,
Problems 1 and 3.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ._guards.validation import table_of

__all__ = ["Hyperplane", "LinearMachine", "augment", "normalize", "unaugment"]

FloatArray: TypeAlias = NDArray[np.float64]
Points: TypeAlias = "ArrayLike | sparse.sparray | sparse.spmatrix"


class Hyperplane:
    """The discriminant g(x) = wᵗx + w₀ and the surface g(x) = 0.

    Every method takes one point (d,) or many (n, d), dense or scipy sparse, and gives one value or n.

    Parameters
    ----------
    w : array-like of shape (d,)
        Weight vector, the normal of the surface; it points to the positive side. Kept as a read-only copy.
    w0 : float, default=0.0
        Bias, or threshold weight.

    Notes
    -----
    Two hyperplanes are equal when their w and w₀ are: the same function g. A positive multiple is another
    function with the same surface and the same distances. A zero w is allowed (many procedures start
    from it), but it has no surface, and asking for a distance is an error.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.1, Eq. 1 and Problem 3.

    Examples
    --------
    >>> from discriminant.geometry import Hyperplane
    >>> plane = Hyperplane([3, 4], -5)
    >>> X = [[3, 4], [0, 0], [-1, 2]]
    >>> plane.value(X)
    array([20., -5.,  0.])
    >>> plane.distance(X)
    array([ 4., -1.,  0.])
    >>> plane.side(X)
    array([ 1, -1,  0])
    >>> plane.undecided(X)
    array([False, False,  True])
    >>> plane.project([3, 4])
    array([0.6, 0.8])
    >>> plane.origin_distance
    -1.0
    >>> plane.a
    array([-5.,  3.,  4.])
    >>> Hyperplane.from_augmented(plane.a)
    Hyperplane(w=[3., 4.], w0=-5.0)
    """

    def __init__(self, w: ArrayLike, w0: float = 0.0) -> None:
        self.w = finite_array(w, "w", 1)
        self.w0 = float(finite_array(w0, "w0", 0))

    @classmethod
    def from_augmented(cls, a: ArrayLike) -> Hyperplane:
        """Make the hyperplane of an augmented weight vector a = (w₀, w) (*Pattern Classification*, Eq. 11)."""
        a = finite_array(a, "a", 1)
        if len(a) < 2:
            raise ValueError(f"a={a} has no weight beside w0; give (w0, w1, …, wd) with d of at least 1")
        return cls(a[1:], a[0])

    @property
    def a(self) -> FloatArray:
        """The augmented weight vector (w₀, w), a new array."""
        return np.concatenate(([self.w0], self.w))

    def value(self, X: Points) -> np.float64 | FloatArray:
        """Give the discriminant g(x) = wᵗx + w₀."""
        return np.ldexp(*_sums(X, self.a))

    def distance(self, X: Points) -> np.float64 | FloatArray:
        """Give the signed distance r = g(x)/‖w‖, positive on the side w points to."""
        a, norm = self._measure()
        return affine(X, a) / norm

    def project(self, X: Points) -> FloatArray:
        """Give the nearest point of the surface, x_p = x − g(x)w/‖w‖² (Problem 3), always dense."""
        a, norm = self._measure()
        points = _points(X, len(self.w))
        dense: FloatArray = points.toarray() if sparse.issparse(points) else points
        return dense - np.multiply.outer(affine(points, a) / norm, a[1:] / norm)

    @property
    def origin_distance(self) -> float:
        """The signed distance of the origin, w₀/‖w‖: positive when the origin is on the positive side."""
        a, norm = self._measure()
        return float(a[0] / norm)

    def side(self, X: Points) -> np.int64 | NDArray[np.int64]:
        """Give the sign of g(x): 1, −1, or 0 on the surface; also where g(x) is too small or too large for a float."""
        return np.sign(_sums(X, self.a)[0]).astype(np.int64)

    def undecided(self, X: Points) -> np.bool_ | NDArray[np.bool_]:
        """Tell where g(x) = 0: the book leaves the decision undefined there."""
        return np.equal(self.side(X), 0)

    def _measure(self) -> tuple[FloatArray, np.float64]:
        """Give a and ‖w‖, both over the power of two that suits w."""
        w, exponent = scaled(self.w)
        if not w.any():
            raise ValueError(f"w={self.w} must not be zero, or g(x) = 0 is no hyperplane; give a nonzero w")
        return np.ldexp(self.a, -exponent), np.float64(np.linalg.norm(w))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hyperplane):
            return NotImplemented
        return np.array_equal(self.a, other.a)

    def __hash__(self) -> int:
        return hash(tuple(self.a.tolist()))

    def __repr__(self) -> str:
        w = np.array2string(self.w, separator=", ", threshold=10, max_line_width=10_000)
        return f"Hyperplane(w={w}, w0={self.w0})"


class LinearMachine:
    """The classifier with c linear discriminants that decides for the largest.

    Parameters
    ----------
    weights : array-like of shape (c, d + 1)
        Row i is the augmented weight vector (w_i0, w_i) of g_i. At least two rows. Kept as a read-only copy.
    classes : array-like of shape (c,), optional
        The label of each row; 0, …, c − 1 by default.

    Notes
    -----
    The region of each class is convex (Problem 1), and only differences of weight vectors matter. A tie for
    the largest discriminant is undecided; `predict` then takes the lowest index.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.2, Eq. 2.

    Examples
    --------
    >>> from discriminant.geometry import LinearMachine
    >>> machine = LinearMachine([[0, 1, 0], [0, 0, 1], [1, -1, -1]], classes=["east", "north", "west"])
    >>> X = [[3, 1], [2, 2], [-2, 0]]
    >>> machine.discriminants(X)
    array([[ 3.,  1., -3.],
           [ 2.,  2., -3.],
           [-2.,  0.,  3.]])
    >>> machine.predict(X).tolist()
    ['east', 'east', 'west']
    >>> machine.undecided(X)
    array([False,  True, False])
    >>> machine.boundary(0, 2)
    Hyperplane(w=[2., 1.], w0=-1.0)
    >>> machine.distance(X, 0, 1).round(3)
    array([ 1.414,  0.   , -1.414])
    >>> machine.n_classes
    3
    """

    def __init__(self, weights: ArrayLike, classes: ArrayLike | None = None) -> None:
        self.weights = finite_array(weights, "weights", 2)
        c, width = self.weights.shape
        if c < 2 or width < 2:
            raise ValueError(f"weights has shape {c, width}; give one row (w_i0, w_i) for each of two or more classes")
        self.classes = np.arange(c) if classes is None else np.array(classes)
        if self.classes.shape != (c,) or len(set(self.classes.tolist())) != c:
            raise ValueError(f"classes={self.classes} must be {c} distinct labels; give one for each row of weights")

    @property
    def n_classes(self) -> int:
        """The number c of classes."""
        return len(self.weights)

    def discriminants(self, X: Points) -> FloatArray:
        """Give g_1(x), …, g_c(x): shape (c,) for one point, (n, c) for many."""
        weights, exponent = scaled(self.weights)
        return np.ldexp(affine(X, weights), exponent)

    def predict(self, X: Points) -> Any:
        """Give the label of the largest discriminant, the lowest index on a tie."""
        return self.classes[np.argmax(affine(X, scaled(self.weights)[0]), axis=-1)]

    def undecided(self, X: Points) -> np.bool_ | NDArray[np.bool_]:
        """Tell where two or more discriminants tie for the largest."""
        g = affine(X, scaled(self.weights)[0])
        return np.sum(g == g.max(axis=-1, keepdims=True), axis=-1, dtype=np.int64) > 1

    def boundary(self, i: int, j: int) -> Hyperplane:
        """Give H_ij, where g_i = g_j, as the hyperplane of g_i − g_j: positive on the side of class i.

        The classes are named by their index. Regions i and j need not touch, and then no part of H_ij is
        part of the decision surface.
        """
        if i == j or not {i, j} <= set(range(self.n_classes)):
            raise ValueError(f"i, j={i}, {j} must be two different classes; give indices up to {self.n_classes - 1}")
        return Hyperplane.from_augmented(self.weights[i] - self.weights[j])

    def distance(self, X: Points, i: int, j: int) -> np.float64 | FloatArray:
        """Give the signed distance to H_ij, (g_i − g_j)/‖w_i − w_j‖."""
        return self.boundary(i, j).distance(X)

    def __repr__(self) -> str:
        return f"LinearMachine(n_classes={self.n_classes}, n_features={self.weights.shape[1] - 1})"


def augment(X: Points) -> Any:
    """Put y₀ = 1 before the features: y = (1, x).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or one dense point (d,)
        Floats keep their precision; integers and booleans become float64. The input is not modified.

    Returns
    -------
    ndarray or CSR of shape (n, d + 1), or (d + 1,)
        A new array; sparse input gives CSR.

    See Also
    --------
    unaugment : The reverse.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Eq. 10.

    Examples
    --------
    >>> from discriminant.geometry import augment
    >>> augment([[2, 3], [4, 5]])
    array([[1., 2., 3.],
           [1., 4., 5.]])
    """
    points = patterns(X, "X")
    if sparse.issparse(points):
        ones = type(points)(np.ones((points.shape[0], 1), dtype=points.dtype))
        return sparse.hstack([ones, points], format="csr")
    return np.insert(points, 0, 1, axis=-1)


def unaugment(Y: Points) -> Any:
    """Drop y₀ = 1: the x of y = (1, x), the reverse of `augment`.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n, d + 1), or one dense point (d + 1,)
        Augmented patterns, not normalized: the first column must be 1. The input is not modified.

    Returns
    -------
    ndarray or CSR of shape (n, d), or (d,)
        A new array.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Eq. 10.

    Examples
    --------
    >>> from discriminant.geometry import augment, unaugment
    >>> unaugment(augment([[2, 3], [4, 5]]))
    array([[2., 3.],
           [4., 5.]])
    """
    rows = patterns(Y, "Y")
    first = rows[:, [0]].toarray() if sparse.issparse(rows) else rows[..., :1]
    if first.shape[-1] == 0 or not (first == 1).all():
        raise ValueError(f"Y must have y0 = 1 in its first column, got {first[:3].ravel()}; undo normalize first")
    return rows[..., 1:].copy()


def normalize(Y: Points, labels: ArrayLike) -> Any:
    """Negate the patterns of the class that sorts first, so that aᵗy > 0 is right for every pattern.

    Parameters
    ----------
    Y : array-like or sparse matrix of shape (n, d + 1)
        Augmented patterns. The input is not modified.
    labels : array-like of shape (n,)
        Two distinct labels. The one that sorts first is ω₂, the negative class.

    Returns
    -------
    ndarray or CSR of shape (n, d + 1)
        A new array. `normalize` is its own inverse.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4.1.

    Examples
    --------
    >>> from discriminant.geometry import augment, normalize
    >>> normalize(augment([[2, 3], [4, 5]]), [1, 0])
    array([[ 1.,  2.,  3.],
           [-1., -4., -5.]])
    """
    rows = patterns(Y, "Y", ndims=(2,))
    _, indices = two_classes(labels, "labels", n_rows=rows.shape[0])
    sign = np.where(indices == 0, -1, 1).astype(rows.dtype)
    if sparse.issparse(rows):
        normalized = rows.copy()
        normalized.data *= np.repeat(sign, np.diff(normalized.indptr))
        return normalized
    return rows * sign[:, np.newaxis]


def affine(X: Points, weights: FloatArray) -> FloatArray:
    """Give g(x) for one augmented weight vector, or a column for each row of weights."""
    g: FloatArray = _points(X, weights.shape[-1] - 1) @ weights[..., 1:].T + weights[..., 0]
    return g


def _sums(X: Points, a: FloatArray) -> tuple[FloatArray, NDArray[np.int64]]:
    """Give g(x)/2ᵉ and e: exact where underflow, of at most 2⁻¹⁰⁷⁴ a weight and a product, or overflow may decide."""
    (small, e), points = scaled(a), _points(X, len(a) - 1)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        g = np.array(points @ small[1:] + small[0])
        exponent, sizes = np.full(g.shape, e), np.abs(g).ravel()
        near = np.flatnonzero(~((sizes > len(a) * 2.0**-48) & (sizes < np.inf)))  # |x| is below 2¹⁰²⁴
        rows: Any = points[near] if points.ndim == 2 else np.reshape(points, (1, -1))[near]
        values = abs(rows.data if sparse.issparse(rows) else rows)
        least = values.min(initial=1.0, where=values > 0) * np.abs(small).min(initial=1.0, where=small != 0)
        loses = least < np.finfo(np.float64).tiny or not np.array_equal(np.ldexp(small, e), a)
        lost = np.ravel(abs(rows).sum(axis=1) + len(a)) * 2.0**-1072 if loses else -1.0
        doubtful = np.flatnonzero(~((sizes[near] > lost) & (sizes[near] < np.inf)))
    for k in doubtful.tolist():
        x = (rows[[k]].toarray() if sparse.issparse(rows) else rows[k]).ravel().tolist()
        total = sum((Fraction(u) * Fraction(v) for u, v in zip(x, a[1:].tolist(), strict=True)), Fraction(a[0]))
        e = total.numerator.bit_length() - total.denominator.bit_length()
        g.flat[near[k]], exponent.flat[near[k]] = float(total / Fraction(2) ** e), e
    return g, exponent


def scaled(values: FloatArray) -> tuple[FloatArray, int]:
    """Give values/2ᵉ with the largest magnitude in [1/2, 1), and e: exact, and safe to multiply and to square."""
    exponent = int(np.frexp(np.max(np.abs(values)))[1])
    return np.ldexp(values, -exponent), exponent


def ldexp(value: float, exponent: int) -> float:
    """Give value·2ᵉ, infinity or zero where that leaves the floats."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, exponent))


def safe_norm(vector: FloatArray) -> np.float64:
    """Give the Euclidean norm, also where the squares would overflow or vanish."""
    small, exponent = scaled(vector)
    return np.float64(np.ldexp(np.linalg.norm(small), exponent))


def finite_array(values: ArrayLike, name: str, *ndims: int) -> FloatArray:
    """Give a read-only float64 copy of finite numbers with so many axes, or a ValueError that names them."""
    array: FloatArray = _real(values, name).astype(np.float64)
    if array.ndim not in ndims or array.size == 0:
        axes = " or ".join(map(str, ndims))
        raise ValueError(f"{name} must be a nonempty array with {axes} axes, got shape {array.shape}; reshape it")
    _check_finite(array, name)
    array.flags.writeable = False
    return array


def class_indices(labels: ArrayLike, name: str, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Give the distinct labels, sorted, and the index of each row's among them."""
    array = np.asarray(labels)
    if array.shape != (n_rows,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({n_rows},); give one label for each row")
    try:
        return np.unique(array, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"{name} cannot be sorted ({error}); use labels of one type") from error


def two_classes(labels: ArrayLike, name: str, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Give the two distinct labels, sorted, and the index of each row's among them."""
    classes, indices = class_indices(labels, name, n_rows)
    if len(classes) != 2 or (classes != classes).any():  # nan, the label of nothing, differs from itself
        raise ValueError(f"{name} must have exactly two distinct values, got {classes.tolist()[:5]}; pick two classes")
    return classes, indices


def patterns(X: Points, name: str, ndims: tuple[int, ...] = (1, 2)) -> Any:
    """Give X, dense or CSR, in its own precision; nan passes, since these maps only move values."""
    array = _real(X, name)
    if array.ndim not in ndims or (sparse.issparse(array) and array.ndim != 2):
        raise ValueError(f"{name} has shape {array.shape}; give rows of points, reshape(1, -1) for a single one")
    return array


def _real(values: Any, name: str) -> Any:
    """Give an array, or CSR, of floats of their own precision; integers and booleans become float64."""
    try:
        array = table_of(values)
        if array.dtype.kind == "c":
            raise TypeError("got complex numbers")
        return array if array.dtype.kind == "f" else array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers in equal rows ({error}); encode or drop the rest") from error


def _points(X: Points, n_features: int) -> Any:
    """Give X in float64, one point or rows, dense or CSR; finite, and with the given number of features."""
    points = patterns(X, "X").astype(np.float64, copy=False)
    if points.shape[-1] != n_features:
        raise ValueError(f"X has shape {points.shape}; give points with the {n_features} features of the weights")
    _check_finite(points.data if sparse.issparse(points) else points, "X")
    return points


def _check_finite(values: FloatArray, name: str) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite, got nan or infinity; impute or drop those values")

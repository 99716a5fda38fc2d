"""Kernels: inner products K(x, z) = φ(x)ᵗφ(z) in a feature space that is never built.

A kernel is a small immutable object. ``K(X, Z)`` is the matrix of K(x_i, z_j), ``K(X)`` the Gram matrix of
X with itself, ``K.diagonal(X)`` the n numbers K(x_i, x_i). X and Z are dense or scipy sparse; float32 gives
float32. `get` turns a name, a kernel or any function of two tables into a kernel.

A kernel is positive semidefinite (Mercer's condition) when every Gram matrix is, and only then is there
a map φ and a margin to speak of: ``positive_semidefinite`` is True, False (known to fail for some data) or
None (not known).

References
----------
*Machine Learning: Theory and Practice*, ch. 8, §8.4.3.
Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Remark 2.11.
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Example 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ._guards.parameters import Number, refused, unknown
from .geometry import Points, patterns
from .samples import row_sqnorms

__all__ = ["Custom", "Gaussian", "Kernel", "Linear", "Polynomial", "Precomputed", "Sigmoid", "get"]

Array: TypeAlias = NDArray[Any]

BLOCK = 2**18  # entries of a kernel matrix worked on at a time in float64: 2 MB, which a cache holds
UNSEEN = 1e-10  # error of an exponent that may stay
VANISHING = -750  # exponents from which exp is zero

DEGREE = Number("give 1, 2, 3, …", 1, closed=True, whole=True)
COEF0 = Number("a negative one is not positive semidefinite: give 0 or more, or your own function", 0, closed=True)
WIDTH = Number("give a width such as 1.0", 0)
FINITE = Number("give a finite number")


@dataclass(frozen=True)
class Kernel:
    """What every kernel can do; a new one defines ``_matrix`` and ``_diagonal``.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.4.3.

    Examples
    --------
    >>> from discriminant.mercer import Kernel, Linear
    >>> isinstance(Linear(), Kernel)
    True
    """

    positive_semidefinite: ClassVar[bool | None] = None

    def __call__(self, X: Points, Z: Points | None = None) -> Array:
        """Give the matrix of K(x_i, z_j), with Z = X by default.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows x_i.
        Z : array-like or sparse matrix of shape (m, d), optional
            The rows z_j.

        Returns
        -------
        ndarray of shape (n, m)
            The kernel matrix, dense.
        """
        same = Z is None or Z is X
        rows = _table(X, "X")
        columns = rows if same else _table(Z, "Z")
        if rows.shape[1] != columns.shape[1]:
            raise ValueError(f"X has {rows.shape[1]} columns and Z has {columns.shape[1]}; give the same features")
        if rows.dtype != columns.dtype:  # a kernel matrix has the wider type of the two
            wide = np.result_type(rows, columns)
            rows, columns = rows.astype(wide, copy=False), columns.astype(wide, copy=False)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return self._finite(self._matrix(rows, columns))

    def diagonal(self, X: Points) -> Array:
        """Give K(x_i, x_i) for each row, without the matrix.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows x_i.

        Returns
        -------
        ndarray of shape (n,)
            The diagonal of ``K(X)``.
        """
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return self._finite(self._diagonal(_table(X, "X")))

    def _matrix(self, X: Any, Z: Any) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must define _matrix(X, Z)")

    def _diagonal(self, X: Any) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must define _diagonal(X)")

    def _finite(self, values: Array) -> Array:
        # The output is tested, not the input: the test then costs no pass over the features.
        if values.size and not (np.isfinite(values.max()) and np.isfinite(values.min())):
            raise ValueError(
                f"{self} is not finite here: X or Z holds nan or infinity, or numbers too large; impute or scale them"
            )
        return values


class _OfProducts(Kernel):
    """A kernel that is a function of xᵗz alone, the product itself unless ``_of`` says otherwise."""

    positive_semidefinite: ClassVar[bool | None] = True

    def _matrix(self, X: Any, Z: Any) -> Array:
        return self._of(_products(X, Z))

    def _diagonal(self, X: Any) -> Array:
        return self._of(row_sqnorms(X))

    def _of(self, products: Array) -> Array:
        return products


@dataclass(frozen=True)
class Linear(_OfProducts):
    """The inner product itself, K(x, z) = xᵗz.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Remark 2.11 (Gram matrix).

    Examples
    --------
    >>> from discriminant import mercer
    >>> mercer.Linear()([[1, 2], [3, 4]])
    array([[ 5., 11.],
           [11., 25.]])
    """


@dataclass(frozen=True)
class Polynomial(_OfProducts):
    """All products of features up to a degree, K(x, z) = (xᵗz + coef0)^degree.

    Parameters
    ----------
    degree : int, default=3
        The degree p, at least 1.
    coef0 : float, default=1.0
        1 gives every degree up to p, 0 the degree p alone. A negative one is no Mercer kernel and is refused.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.4.3; Duda, Hart, Stork, *Pattern Classification*, ch. 5,
    Example 2.

    Examples
    --------
    The kernel that solves the XOR problem:

    >>> from discriminant import mercer
    >>> mercer.Polynomial(degree=2)([[1, 1], [1, -1]], [[1, 1], [-1, 1]])
    array([[9., 1.],
           [1., 1.]])
    """

    degree: int = 3
    coef0: float = 1.0

    def __post_init__(self) -> None:
        DEGREE("degree", self.degree)
        COEF0("coef0", self.coef0)

    def _of(self, products: Array) -> Array:
        products += products.dtype.type(self.coef0)
        return np.power(products, self.degree, out=products)


@dataclass(frozen=True)
class Gaussian(Kernel):
    """A bump around each point, K(x, z) = exp(−‖x − z‖²/σ²); the divisor is σ², not 2σ².

    Parameters
    ----------
    sigma : float, default=1.0
        The width σ.

    Notes
    -----
    scikit-learn's ``gamma`` is 1/σ². Distances are taken from products of centered rows in float64, or from the
    differences of the rows where the products would hide them, so they are never negative, and K(x, x) is exactly 1
    however far from one another the patterns lie.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.4.3.

    Examples
    --------
    >>> from discriminant import mercer
    >>> mercer.Gaussian(sigma=2.0)([[0.0], [2.0]])
    array([[1.        , 0.36787944],
           [0.36787944, 1.        ]])
    """

    sigma: float = 1.0
    positive_semidefinite: ClassVar[bool | None] = True

    def __post_init__(self) -> None:
        WIDTH("sigma", self.sigma)

    def _matrix(self, X: Any, Z: Any) -> Array:
        K = np.empty((X.shape[0], Z.shape[0]), dtype=X.dtype)
        if not K.size:
            return K
        x, z = self._scaled(X, Z)
        x2, z2 = row_sqnorms(x), row_sqnorms(z)
        rounding = (4 + np.sqrt(X.shape[1])) * np.finfo(np.float64).eps  # of a squared distance, as a share of x2 + z2
        wide = rounding * (float(x2.max()) + float(z2.max())) > UNSEEN
        step = max(1, BLOCK // Z.shape[0])
        for first in range(0, X.shape[0], step):
            rows = slice(first, first + step)
            D = _products(x[rows], z)
            D *= 2
            squares = np.add.outer(x2[rows], z2)  # the sum first, for it is symmetric
            D -= squares
            np.minimum(D, 0, out=D)  # rounding may leave a squared distance below zero
            if wide:
                self._look_closer(D, X[rows], Z, rounding * squares)
            K[rows] = np.exp(D, out=D)
        if X is Z:
            np.fill_diagonal(K, 1)
        return K

    def _diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0], dtype=X.dtype)

    def _look_closer(self, D: Array, X: Any, Z: Any, error: Array) -> None:
        """Take −‖x − z‖²/σ² from the difference where rounding may be seen in its exponential."""
        close = np.argwhere((error > UNSEEN) & (D + error > VANISHING))
        size = BLOCK // (1 + (X.nnz // X.shape[0] if sparse.issparse(X) else X.shape[1])) + 1
        for first in range(0, len(close), size):
            i, j = close[first : first + size].T
            D[i, j] = -row_sqnorms((X[i].astype(np.float64) - Z[j]) / self.sigma)

    def _scaled(self, X: Any, Z: Any) -> tuple[Any, Any]:
        """Give both in float64 and in units of σ; the same object twice when they are."""
        if sparse.issparse(X) or sparse.issparse(Z):
            z = Z.astype(np.float64) / self.sigma
            return (z if X is Z else X.astype(np.float64) / self.sigma), z
        # Far from the origin the products would swallow the distances, so both move by the mean of Z.
        center = Z.mean(axis=0, dtype=np.float64)
        z = (Z - center) / self.sigma
        return (z if X is Z else (X - center) / self.sigma), z


@dataclass(frozen=True)
class Sigmoid(_OfProducts):
    """The unit of a neural network, K(x, z) = tanh(a xᵗz + b); not positive semidefinite in general.

    Parameters
    ----------
    a : float, default=1.0
        The slope.
    b : float, default=0.0
        The offset.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.4.3.

    Examples
    --------
    >>> from discriminant import mercer
    >>> mercer.Sigmoid(a=0.5)([[1.0, 1.0]], [[1.0, 1.0], [1.0, -1.0]])
    array([[0.76159416, 0.        ]])
    """

    a: float = 1.0
    b: float = 0.0
    positive_semidefinite: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        FINITE("a", self.a)
        FINITE("b", self.b)

    def _of(self, products: Array) -> Array:
        products *= products.dtype.type(self.a)
        products += products.dtype.type(self.b)
        return np.tanh(products, out=products)


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The matrix is already there: X holds the values K(x_i, z_j).

    ``K(X)`` asks for a square X, the Gram matrix of a training set; ``K(X, Z)`` takes any X with a column for
    each training row, as Z has.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Remark 2.11.

    Examples
    --------
    >>> from discriminant import mercer
    >>> mercer.Precomputed()([[2, 1], [1, 2]])
    array([[2., 1.],
           [1., 2.]])
    """

    def _matrix(self, X: Any, Z: Any) -> Array:
        return self._square(X) if X is Z else _dense(X)

    def _diagonal(self, X: Any) -> Array:
        return np.diagonal(self._square(X)).copy()

    @staticmethod
    def _square(X: Any) -> Array:
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"X has shape {X.shape}, but a precomputed Gram matrix is square; give K(x_i, x_j)")
        return _dense(X)


@dataclass(frozen=True)
class Custom(Kernel):
    """A kernel of one's own, made from a function K(X, Z) that gives an (n, m) array.

    Parameters
    ----------
    function : callable
        Takes X of shape (n, d) and Z of shape (m, d), gives the matrix of K(x_i, z_j).

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.4.3: any K(x, z) = φ(x)ᵗφ(z) will do.

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant import mercer
    >>> overlap = mercer.Custom(lambda X, Z: np.minimum(X[:, None, :], Z).sum(axis=2))
    >>> overlap([[1, 2], [3, 0]])
    array([[3., 1.],
           [1., 3.]])
    """

    function: Callable[[Any, Any], Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise refused("function", self.function, "callable", "give a function K(X, Z)")

    def _matrix(self, X: Any, Z: Any) -> Array:
        values = self.function(X, Z)
        try:
            matrix = _dense(_table(values, "the kernel's matrix"))
        except ValueError as error:
            raise ValueError(f"function={self.function!r} must give a table of numbers; {error}") from error
        if matrix.shape != (X.shape[0], Z.shape[0]):
            raise ValueError(
                f"function={self.function!r} gave shape {matrix.shape} for {X.shape[0]} and {Z.shape[0]} rows; "
                "make it K(X, Z) with a row for each row of X and a column for each row of Z"
            )
        return matrix

    def _diagonal(self, X: Any) -> Array:
        # A few rows at a time: one by one would cost a call each, all at once the whole matrix.
        parts = (X[i : i + 32] for i in range(0, max(1, X.shape[0]), 32))
        return np.concatenate([np.diagonal(self._matrix(part, part)) for part in parts])


NAMES: dict[str, type[Kernel]] = {
    "linear": Linear,
    "polynomial": Polynomial,
    "poly": Polynomial,
    "gaussian": Gaussian,
    "rbf": Gaussian,
    "sigmoid": Sigmoid,
    "precomputed": Precomputed,
}


def get(kernel: str | Kernel | Callable[[Any, Any], Any]) -> Kernel:
    """Give the kernel of a name, a kernel as it is, or a function K(X, Z) made into one.

    Parameters
    ----------
    kernel : str, Kernel or callable
        One of "linear", "polynomial" (or "poly"), "gaussian" (or "rbf"), "sigmoid", "precomputed"; a kernel such
        as ``Gaussian(sigma=2.0)``; or a function that gives an (n, m) array for X and Z.

    Returns
    -------
    Kernel
        The kernel.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.4.3.

    Examples
    --------
    >>> from discriminant import mercer
    >>> mercer.get("poly")
    Polynomial(degree=3, coef0=1.0)
    >>> mercer.get(mercer.Gaussian(sigma=2.0))
    Gaussian(sigma=2.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in NAMES:
        return NAMES[kernel]()
    if callable(kernel) and not (isinstance(kernel, type) and issubclass(kernel, Kernel)):
        return Custom(kernel)
    wanted = f"one of {', '.join(NAMES)}, a kernel such as Gaussian(sigma=2.0) or a function K(X, Z)"
    raise unknown("kernel", kernel, wanted, NAMES)


def _table(values: Any, name: str) -> Any:
    """Give a 2-D array of floats or a CSR matrix; float32 stays, the rest becomes float64."""
    table = patterns(values, name, ndims=(2,))
    return table if table.dtype in (np.float32, np.float64) else table.astype(np.float64)


def _dense(table: Any) -> Array:
    array: Array = table.toarray() if sparse.issparse(table) else table
    return array


def _products(X: Any, Z: Any) -> Array:
    return _dense(X @ Z.T)

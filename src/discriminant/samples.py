"""Normalized sample matrices Y, dense, sparse or implied, and the products that procedures need of them.

A row of Y is y_i = z_i (1, x_i): augmented by a leading 1, and negated (z_i = −1) for ω₂, so that a separating vector a
has aᵗy_i > 0 for every i. Y may be

- a dense 2-D array,
- a scipy sparse matrix or array (read as CSR),
- `Samples(X, z)`, which keeps X as it is and never builds Y.

All arithmetic is done in the dtype of Y (float32 stays float32; every other real dtype becomes float64): a vector of
another dtype is cast first, since numpy would otherwise cast all of Y.

Source: Duda, Hart, Stork, *Pattern Classification*, §5.3 (augmentation) and §5.4.1 (normalization).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ._guards.validation import table_of
from .geometry import patterns

__all__ = ["Samples", "as_matrix", "as_vector", "gram", "product", "row_sqnorms", "transposed_product"]

Vector = NDArray[np.floating[Any]]

BLOCK_SIZE = 2**20  # numbers in a block of rows: 8 MB of temporaries, whatever the size of the data
BLOCK_ROWS = 4096  # tall enough for BLAS, and a weighted copy of one block stays in the cache


class Samples:
    """The normalized, augmented matrix Y with rows z_i (1, x_i), without building it.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        Samples as rows; not copied unless its dtype is neither float32 nor float64.
    z : (n,) array
        Signs: +1 for ω₁, −1 for ω₂.

    Attributes
    ----------
    shape : (n, d + 1)
    dtype : dtype of the products
    T : the transpose, for ``Y.T @ v``

    Notes
    -----
    Duda, Hart, Stork, *Pattern Classification*, §5.3 and §5.4.1.

    Examples
    --------
    >>> Y = Samples([[1.0, 2.0], [3.0, 1.0]], [1, -1])
    >>> Y.shape
    (2, 3)
    >>> Y @ [1.0, 1.0, 0.0]
    array([ 2., -4.])
    >>> Y.T @ [1.0, 1.0]
    array([ 0., -2.,  1.])
    >>> Y.row_sqnorms()
    array([ 6., 11.])
    """

    def __init__(self, X: Any, z: ArrayLike) -> None:
        self.X = as_matrix(X, "X")
        self.dtype: np.dtype[Any] = self.X.dtype
        n, d = self.X.shape
        self.shape: tuple[int, int] = (n, d + 1)
        self.z = as_vector(z, n, "z", self.dtype)
        needed = "z must hold the signs +1 (ω₁) and -1 (ω₂)"
        refuse(np.abs(self.z) != 1, self.z, needed, "code the classes as +1 and -1")

    def __matmul__(self, a: ArrayLike) -> Vector:
        a = as_vector(a, self.shape[1], "a", self.dtype)
        result = np.asarray(self.X @ a[1:])
        result += a[0]
        result *= self.z
        return result

    @property
    def T(self) -> _Transposed:
        """The transpose, good for ``Y.T @ v``."""
        return _Transposed(self)

    def gram(self, weights: ArrayLike | None = None, check: Callable[[], None] | None = None) -> Vector:
        """Σ weights_i y_i y_iᵗ, dense (d + 1, d + 1); the signs cancel.  ``check`` is called before each block."""
        w = _weights(weights, self)
        rows = np.full(self.shape[0], w)
        G = np.empty((self.shape[1], self.shape[1]), self.dtype)
        G[0, 0] = rows.sum()
        G[0, 1:] = G[1:, 0] = transposed_product(self.X, rows)
        G[1:, 1:] = gram(self.X, w, check)
        return G

    def row_sqnorms(self) -> Vector:
        """‖y_i‖² = 1 + ‖x_i‖² for each row."""
        return 1 + row_sqnorms(self.X)


class _Transposed:
    """Yᵗ of a `Samples` Y."""

    def __init__(self, Y: Samples) -> None:
        self.Y = Y
        self.shape = Y.shape[::-1]

    def __matmul__(self, v: ArrayLike) -> Vector:
        signed = self.Y.z * as_vector(v, self.shape[1], "v", self.Y.dtype)
        return np.concatenate([signed.sum(keepdims=True), np.asarray(self.Y.X.T @ signed)])


def as_matrix(Y: Any, name: str = "Y") -> Any:
    """Y as a float array, a float CSR matrix or a `Samples`; a ValueError that names it for anything else."""
    if isinstance(Y, Samples):
        return Y
    Y = table_of(Y)
    if Y.ndim != 2 or 0 in Y.shape:
        raise ValueError(f"{name} must be a matrix with a row for each sample, got shape {Y.shape}; reshape it")
    if Y.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got dtype {Y.dtype}; convert it, e.g. with astype(float)")
    return Y if Y.dtype in (np.float32, np.float64) else Y.astype(np.float64)


def as_vector(value: ArrayLike, length: int, name: str, dtype: Any = np.float64) -> Vector:
    """Value as a vector of the given length and dtype; a ValueError that names it otherwise."""
    vector = np.asarray(value)
    if vector.shape != (length,) or vector.dtype.kind not in "biuf":
        got = f"shape {vector.shape} and dtype {vector.dtype}"
        raise ValueError(f"{name} must hold {length} real numbers, got {got}; pass a 1-D array of that length")
    return vector.astype(dtype, copy=False)


def refuse(bad: NDArray[np.bool_], values: Vector, requirement: str, remedy: str) -> None:
    """Raise a ValueError that shows the first bad value, if there is one."""
    if np.any(bad):
        i = int(np.argmax(bad))
        raise ValueError(f"{requirement}, got {values[i]} in row {i}; {remedy}")


def product(Y: Any, a: ArrayLike) -> Vector:
    """Ya: the margins aᵗy_i."""
    return Y @ a if isinstance(Y, Samples) else np.asarray(Y @ as_vector(a, Y.shape[1], "a", Y.dtype))


def transposed_product(Y: Any, v: ArrayLike) -> Vector:
    """Yᵗv = Σ v_i y_i."""
    return Y.T @ v if isinstance(Y, Samples) else np.asarray(Y.T @ as_vector(v, Y.shape[0], "v", Y.dtype))


def gram(Y: Any, weights: ArrayLike | None = None, check: Callable[[], None] | None = None) -> Vector:
    """Σ weights_i y_i y_iᵗ as a dense symmetric matrix; weights None, one number or one for each row, of any sign.

    No copy of Y is made beyond one block of rows (dense) or of its nonzeros (sparse).
    """
    if isinstance(Y, Samples):
        return Y.gram(weights, check)
    w = _weights(weights, Y)
    G = (Y.T @ Y.multiply(w.reshape(-1, 1))).toarray() if sparse.issparse(Y) else _dense_gram(Y, w, check)
    symmetric: Vector = (0.5 * G + 0.5 * G.T).astype(Y.dtype)  # the weighted products round differently either side
    return symmetric


def row_sqnorms(Y: Any) -> Vector:
    """‖y_i‖² for each row."""
    if isinstance(Y, Samples):
        return Y.row_sqnorms()
    if sparse.issparse(Y):
        return np.asarray(Y.multiply(Y).sum(axis=1)).ravel()  # multiply adds duplicate entries before it squares
    return np.asarray(np.einsum("ij,ij->i", Y, Y))


def finite_rows(X: Any) -> tuple[Any, int]:
    """X as a float array or CSR matrix, finite and not empty, and the binary exponent of its largest entry."""
    rows = patterns(X, "X", ndims=(2,))
    if 0 in rows.shape:
        raise ValueError(f"X has shape {rows.shape}; give a table of n ≥ 1 rows and d ≥ 1 columns")
    values = rows.data if sparse.issparse(rows) else rows
    largest = max(float(values.max()), -float(values.min())) if values.size else 0.0  # no temporary; nan stays nan
    if not math.isfinite(largest):
        raise ValueError("X must be finite, got nan or infinity; impute or drop those values")
    return rows, math.frexp(largest)[1]


def scaled_blocks(rows: Any, unit: float) -> Iterator[tuple[slice, Any]]:
    """Which rows, and these in float64, multiplied by a power of two; the caller's matrix is not touched."""
    numbers = rows.nnz / rows.shape[0] if sparse.issparse(rows) else rows.shape[1]  # in a row
    step = max(1, int(BLOCK_SIZE / max(numbers, 1)))
    for first in range(0, rows.shape[0], step):
        part = slice(first, first + step)
        yield part, rows[part].astype(np.float64, copy=False) * unit


def _weights(weights: ArrayLike | None, Y: Any) -> Vector:
    """Weights as a number (0-d) or a vector, in Y's dtype."""
    if weights is None or np.ndim(weights) == 0:
        return np.asarray(1 if weights is None else weights, Y.dtype)
    return as_vector(weights, Y.shape[0], "weights", Y.dtype)


def _dense_gram(Y: Vector, w: Vector, check: Callable[[], None] | None) -> NDArray[np.float64]:
    G = np.zeros((Y.shape[1], Y.shape[1]))  # float64, so that blocks of float32 add up without loss
    for start in range(0, Y.shape[0], BLOCK_ROWS):
        rows = Y[start : start + BLOCK_ROWS]
        if check is not None:
            check()
        if w.ndim == 0:
            G += rows.T @ rows
        else:
            block = w[start : start + BLOCK_ROWS]
            used = np.flatnonzero(block)  # often few: the violators
            rows = rows[used]
            G += (rows * block[used, None]).T @ rows
    return G * w if w.ndim == 0 else G

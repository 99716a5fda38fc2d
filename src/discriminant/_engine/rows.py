"""Row operations that serve a dense array and CSR alike, and the one way this package compiles a function.

Every procedure is written once, in terms of ``row_dot``, ``row_axpy``, ``row_sqnorm`` and their like.  Each of these
has a real body, used by plain Python (``.py_func``, ``NUMBA_DISABLE_JIT=1``), and an overload that hands the very same
functions to numba, which picks the dense or the sparse one while compiling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._guards.state import F
from .compiling import FASTMATH, cached, serve


class CSR(NamedTuple):
    """A sparse matrix by rows; unsigned indices, because numba then drops its handling of negative ones."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]


Rows = NDArray[Any] | CSR


def compiled(function: F) -> F:
    """Compile a pass: cached on disk, without the GIL, free to reorder sums but not to assume finite numbers.

    A pass returns a plain tuple, which its caller gives names: to make a NamedTuple numba runs Python, where a Ctrl-C
    that came during the pass raises unseen by numba, and the process crashes.
    """
    return cached(function, FASTMATH)


def inlined(function: F) -> F:
    """A rule that is copied into the passes that call it, and stays as it is where Python calls it."""
    serve(function, lambda *types: function)
    return function


@inlined
def finite(x: Any) -> Any:
    """Tell whether x is neither infinite nor NaN; numba's ``isfinite`` is x - x == 0, which reassociation folds."""
    return abs(x) < np.inf


def _dense_count(X: Any) -> int:
    return int(X.shape[0])


def _csr_count(X: Any) -> int:
    return int(X.indptr.size - 1)


def _dense_dot(X: Any, i: int, a: Any) -> Any:
    total = a[0]
    for j in range(X.shape[1]):
        total += X[i, j] * a[j + 1]
    return total


def _csr_dot(X: Any, i: int, a: Any) -> Any:
    total = a[0]
    for p in range(X.indptr[i], X.indptr[i + 1]):
        total += X.data[p] * a[X.indices[p] + np.uint64(1)]
    return total


def _dense_sums(X: Any, i: int, a: Any) -> Any:
    total, size = a[0], abs(a[0])
    for j in range(X.shape[1]):
        term = X[i, j] * a[j + 1]
        total += term
        size += abs(term)
    return total, size


def _csr_sums(X: Any, i: int, a: Any) -> Any:
    total, size = a[0], abs(a[0])
    for p in range(X.indptr[i], X.indptr[i + 1]):
        term = X.data[p] * a[X.indices[p] + np.uint64(1)]
        total += term
        size += abs(term)
    return total, size


def _dense_axpy(X: Any, i: int, s: Any, bias: Any, a: Any) -> None:
    a[0] += s * bias
    for j in range(X.shape[1]):
        a[j + 1] += s * X[i, j]


def _csr_axpy(X: Any, i: int, s: Any, bias: Any, a: Any) -> None:
    a[0] += s * bias
    for p in range(X.indptr[i], X.indptr[i + 1]):
        a[X.indices[p] + np.uint64(1)] += s * X.data[p]


def _dense_sqnorm(X: Any, i: int) -> Any:
    total = X.dtype.type(0)
    for j in range(X.shape[1]):
        total += X[i, j] * X[i, j]
    return total


def _csr_sqnorm(X: Any, i: int) -> Any:
    total = X.data.dtype.type(0)
    for p in range(X.indptr[i], X.indptr[i + 1]):
        total += X.data[p] * X.data[p]
    return total


def _dense_length(X: Any, i: int) -> Any:
    return X.shape[1]


def _csr_length(X: Any, i: int) -> int:
    return int(X.indptr[i + 1]) - int(X.indptr[i])


def _dense_column(X: Any, i: int, p: int) -> int:
    return p


def _csr_column(X: Any, i: int, p: int) -> int:
    return int(X.indices[X.indptr[i] + p])


def _dense_value(X: Any, i: int, p: int) -> Any:
    return X[i, p]


def _csr_value(X: Any, i: int, p: int) -> Any:
    return X.data[X.indptr[i] + p]


def row_count(X: Rows) -> int:
    return _csr_count(X) if isinstance(X, CSR) else _dense_count(X)


def row_dot(X: Rows, i: int, a: NDArray[Any]) -> Any:
    """Inner product aᵗy with the augmented row y = (1, xᵢ)."""
    return _csr_dot(X, i, a) if isinstance(X, CSR) else _dense_dot(X, i, a)


def row_sums(X: Rows, i: int, a: NDArray[Any]) -> Any:
    """Inner product aᵗy and the sum of the moduli of its terms, to which its rounding error is proportional."""
    return _csr_sums(X, i, a) if isinstance(X, CSR) else _dense_sums(X, i, a)


def row_axpy(X: Rows, i: int, s: Any, bias: Any, a: NDArray[Any]) -> None:
    """Add s times the row (bias, xᵢ) to a."""
    _csr_axpy(X, i, s, bias, a) if isinstance(X, CSR) else _dense_axpy(X, i, s, bias, a)


def row_sqnorm(X: Rows, i: int) -> Any:
    """Squared length of row i (the entries of a CSR row must not repeat)."""
    return _csr_sqnorm(X, i) if isinstance(X, CSR) else _dense_sqnorm(X, i)


def row_length(X: Rows, i: int) -> int:
    """Number of stored entries of row i."""
    return _csr_length(X, i) if isinstance(X, CSR) else _dense_length(X, i)


def row_column(X: Rows, i: int, p: int) -> int:
    """Column of the p-th stored entry of row i."""
    return _csr_column(X, i, p) if isinstance(X, CSR) else _dense_column(X, i, p)


def row_value(X: Rows, i: int, p: int) -> Any:
    """The p-th stored entry of row i."""
    return _csr_value(X, i, p) if isinstance(X, CSR) else _dense_value(X, i, p)


def _serve(function: Callable[..., Any], dense: Callable[..., Any], sparse: Callable[..., Any]) -> None:
    serve(function, lambda X, *rest: sparse if hasattr(X, "instance_class") else dense)  # of a NamedTuple


_serve(row_count, _dense_count, _csr_count)
_serve(row_dot, _dense_dot, _csr_dot)
_serve(row_sums, _dense_sums, _csr_sums)
_serve(row_axpy, _dense_axpy, _csr_axpy)
_serve(row_sqnorm, _dense_sqnorm, _csr_sqnorm)
_serve(row_length, _dense_length, _csr_length)
_serve(row_column, _dense_column, _csr_column)
_serve(row_value, _dense_value, _csr_value)

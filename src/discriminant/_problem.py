"""From what the user gives to what compiled code takes: one place narrows shapes, types and labels.

Every argument type is compiled anew, so X becomes a read-only C-contiguous array or a CSR of three read-only arrays,
in float32 or float64, labels become int32 class indices, and weights take the type of X.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets

from ._rows import CSR, Rows, compiled, row_count, row_sqnorm

EMPTY = np.empty(0)


@dataclass(frozen=True)
class Problem:
    """One problem as the compiled passes see it: two categories (``n_outputs`` = 1) or a linear machine."""

    rows: Rows
    labels: NDArray[np.int32]
    weight: NDArray[Any]
    n_outputs: int
    n_features: int
    dtype: np.dtype[Any]
    source: Any

    @property
    def n_rows(self) -> int:
        """Number of patterns, bystanders included."""
        return self.labels.size

    @property
    def entries(self) -> int:
        """Stored numbers of X."""
        return self.rows.data.size if isinstance(self.rows, CSR) else self.rows.size

    @property
    def part(self) -> NDArray[np.bool_]:
        """Which rows belong to the problem."""
        return self.labels >= 0

    def zeros(self) -> NDArray[Any]:
        """Augmented weights to begin with."""
        return np.zeros((self.n_outputs, self.n_features + 1), self.dtype)

    def relabelled(self, labels: NDArray[np.int32]) -> Problem:
        """The same patterns as a problem of two categories."""
        return replace(self, labels=labels, n_outputs=1)

    def canonical(self) -> Problem:
        """The same problem without repeated CSR entries; the caller's matrix is left alone."""
        if not isinstance(self.rows, CSR) or self.source.has_canonical_format:
            return self
        merged = self.source.copy()
        merged.sum_duplicates()
        return replace(self, rows=narrow(merged), source=merged)

    def radius(self) -> float:
        """The largest length of a pattern, R."""
        lengths = np.sqrt(sqnorms(self.canonical().rows))[self.part]
        if not np.all(np.isfinite(lengths)):
            raise self.refuse()
        return float(lengths.max(initial=0))

    def exact(self, A: NDArray[Any], *steps: float) -> bool:
        """Whether every sum and product of a fixed-increment fit is a whole number small enough to be exact."""
        entries = self.rows.data if isinstance(self.rows, CSR) else self.rows
        whole = all(np.all(part == np.floor(part)) for part in (A, entries, self.weight, np.array(steps)))
        largest = float(np.abs(A).max()) * max(float(np.abs(entries).max(initial=1)), 1.0) * (self.n_features + 1)
        return bool(whole and largest < 1 / np.finfo(self.dtype).eps)

    def check_finite(self) -> None:
        """Refuse NaN and infinity before work that is not one of the compiled passes."""
        entries = self.rows.data if isinstance(self.rows, CSR) else self.rows
        if not np.isfinite(entries.sum()):  # one pass, no copy; a finite sum can only overflow
            check_array(self.source, accept_sparse="csr", dtype=[np.float64, np.float32])

    def refuse(self) -> ValueError:
        """The error for inner products that are not finite: bad data, or numbers too large to multiply."""
        check_array(self.source, accept_sparse="csr", dtype=[np.float64, np.float32])  # raises for NaN and inf
        largest = np.abs(self.source.data if sparse.issparse(self.source) else self.source).max()
        return ValueError(
            f"X overflows: its entries reach {largest:.3g}, and inner products of that size are not finite in "
            f"{self.dtype}. Divide the features by their size, for instance with StandardScaler."
        )


@compiled
def sqnorms(X: Rows) -> NDArray[np.float64]:
    """Squared lengths of all rows."""
    lengths = np.empty(row_count(X))
    for i in range(lengths.size):
        lengths[i] = row_sqnorm(X, i)
    return lengths


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to, so that all inputs have one type for the compiler."""
    view = array.view()
    view.flags.writeable = False
    return view


def narrow(X: Any) -> Rows:
    """X as the row operations take it, without a copy."""
    if not sparse.issparse(X):
        return read_only(X)
    # An unsigned view costs nothing; 64-bit indices, which scipy uses beyond 2**31 entries, stay 64 bits wide.
    unsigned = np.uint32 if X.indices.dtype == X.indptr.dtype == np.int32 else np.uint64
    indices, indptr = (
        part.view(unsigned) if part.dtype.itemsize == np.dtype(unsigned).itemsize else part.astype(unsigned)
        for part in (X.indices, X.indptr)
    )
    if indices.max(initial=0) >= X.shape[1]:  # as an unsigned number, a negative index is huge
        raise ValueError(f"X is a CSR matrix with column indices outside 0..{X.shape[1] - 1}; rebuild it.")
    return CSR(read_only(X.data), read_only(indices), read_only(indptr))


def encode(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Sorted classes and the index of each label; small integers are counted instead of sorted."""
    if y.dtype.kind not in "biuSU":
        check_classification_targets(y)
    if y.dtype.kind in "biu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < 1000:
            shifted = np.subtract(y, low, dtype=np.int64) if y.dtype.kind != "b" else y.astype(np.int64) - low
            present = np.bincount(shifted, minlength=1) > 0
            rank = (np.cumsum(present) - 1).astype(np.int32)
            return (np.flatnonzero(present) + low).astype(y.dtype), rank[shifted]
    classes, labels = np.unique(y, return_inverse=True)
    return classes, labels.astype(np.int32)


def encode_known(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int32]:
    """The index of each label among classes that are known already."""
    check_classification_targets(y)
    place = np.searchsorted(classes, y)
    known = classes[np.minimum(place, classes.size - 1)] == y
    if not np.all(known):
        raise ValueError(f"y holds {np.asarray(y)[~known][0]!r}, which is not among classes={classes.tolist()}.")
    return place.astype(np.int32)


def check_weight(sample_weight: Any, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Weights of the type of X, or an empty array when there are none."""
    if sample_weight is None:
        return EMPTY.astype(dtype)
    weight = np.asarray(sample_weight, dtype)
    if weight.ndim == 0:
        weight = np.full(n, weight)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}; give one weight for each of the {n} rows.")
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError("sample_weight holds a negative or non-finite number; give finite weights >= 0.")
    if not np.any(weight > 0):
        raise ValueError("sample_weight is zero for every row; give at least one positive weight.")
    return weight


def make_problem(X: Any, labels: NDArray[np.int32], sample_weight: Any, n_classes: int) -> Problem:
    """The problem of X with encoded labels; rows of zero weight are bystanders, as if they were not there."""
    weight = check_weight(sample_weight, labels.size, X.dtype)
    if weight.size:
        labels = np.where(weight > 0, labels, np.int32(-1))
    return Problem(narrow(X), labels, weight, 1 if n_classes == 2 else n_classes, X.shape[1], X.dtype, X)

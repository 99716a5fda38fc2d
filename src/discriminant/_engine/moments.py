"""Means, scatter and cross products of weighted patterns and targets, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .driver import Watch
from .threads import in_order

Matrix = NDArray[np.float64]

FAR = 1e4  # squared mean of a column, in units of its variance, from which a sparse one is centered


class Coded:
    """Targets that depend on the class alone: row i is ``table[labels[i]]``, made a block at a time."""

    def __init__(self, labels: NDArray[np.int32], table: Matrix) -> None:
        self._labels, self._table = labels, table
        self.shape = (labels.size, table.shape[1])

    def __getitem__(self, rows: Any) -> Matrix:
        return np.asarray(self._table.take(self._labels[rows], axis=0))  # many times as quick as an index


Targets = Matrix | Coded


@dataclass
class Moments:
    """Sufficient statistics of weighted patterns x and targets t."""

    total: float
    mean: Matrix
    target_mean: Matrix
    scatter: Matrix
    cross: Matrix
    target_scatter: Matrix

    def finite(self) -> bool:
        return bool(np.isfinite(self.scatter.sum()) and np.isfinite(self.cross.sum()))


@np.errstate(over="ignore", invalid="ignore")
def moments(X: Any, T: Targets, v: Matrix | None = None, watch: Watch | None = None) -> Moments:
    """Means, scatter and cross products in one pass; what overflows is left to ``Moments.finite``.

    The squares are taken about a provisional center where the features lie far from zero, because
    Σ xxᵗ - n mmᵗ would cancel there.
    """
    center = None if sparse.issparse(X) else provisional_center(X)
    sums = in_order(X, lambda rows: _sums(X[rows], T[rows], None if v is None else v[rows], center), watch)
    total, first, target_first, gram, cross, squares = sums
    mean, target_mean = first / total, target_first / total
    scatter = gram - total * np.outer(mean, mean)
    cross = cross - total * np.outer(mean, target_mean)
    center = mean if center is None else mean + center
    return Moments(float(total), center, target_mean, scatter, cross, squares - total * target_mean**2)


def _sums(B: Any, S: Matrix, u: Matrix | None, center: Matrix | None) -> list[Any]:
    """Number, sums of x, of t, of xxᵗ, of xtᵗ and of the squares of t over one block; float32 is widened."""
    B = B.astype(np.float64, copy=False)
    if center is not None:
        B = B - center
    if sparse.issparse(B):
        weighted = B if u is None else B.multiply(u[:, None]).tocsr()
        gram = (B.T @ weighted).toarray()
    else:
        root = B if u is None else B * np.sqrt(u)[:, None]
        gram = root.T @ root  # numpy sees a matrix times its transpose and does half the work
        weighted = B if u is None else B * u[:, None]
    total = len(S) if u is None else u.sum()
    ones = np.ones(B.shape[0]) if u is None else u
    return [total, np.asarray(ones @ B).ravel(), ones @ S, gram, np.asarray(weighted.T @ S), ones @ S**2]


def provisional_center(X: Any) -> Matrix | None:
    """A point amid the data where that is needed: some feature lies more than a hundred deviations from zero.

    Few rows make the scatter singular, and its rank would be that of rounding: they always have such a point.
    """
    sample = X[:: max(1, X.shape[0] // 256)].astype(np.float64)
    mean, spread = sample.mean(axis=0), sample.std(axis=0)
    few = X.shape[0] <= 2 * X.shape[1]
    far = np.abs(mean) > (0 if few else 100) * spread
    return mean if np.any(far & np.isfinite(mean)) else None


def center_of(X: Any) -> Matrix:
    """A point amid the rows; of a CSR matrix the origin, but for columns that lie far from it."""
    sample = X[:: max(1, X.shape[0] // 1000)]
    if sparse.issparse(X):
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.asarray(sample.mean(axis=0), np.float64).ravel()
            square = np.asarray(sample.multiply(sample).mean(axis=0), np.float64).ravel()
            far = mean**2 > FAR * np.maximum(square - mean**2, 0)
        return np.where(far & np.isfinite(mean) & np.isfinite(square), mean, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = sample.mean(axis=0, dtype=np.float64)
    constant = np.all(sample[:8] == sample[0], axis=0)
    if constant.any():  # such a column must become zero, not the rounding error of its mean
        constant = np.all(sample == sample[0], axis=0)
    return np.asarray(np.where(constant, sample[0], mean), np.float64)

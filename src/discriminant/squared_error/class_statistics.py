"""Counts, means and scatter of the classes, which portions of data add up to; their inverses and shrunken forms.

Tests: ``tests/squared_error/test_fisher.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from .._engine.driver import Watch
from .._engine.linalg import cholesky
from .._engine.moments import Coded, moments
from .._engine.problem import Problem
from .._engine.refusals import check_total
from .._engine.threads import in_order
from .._guards.held import is_floats, storable

Matrix = NDArray[np.float64]


@storable
@dataclass
class ClassStatistics:
    """Counts, means and scatter of the classes; statistics of two portions can be added."""

    counts: Matrix
    means: Matrix
    scatters: Matrix  # one matrix for all classes together, or one a class; none where that would be too large

    @staticmethod
    def fits(held: Any, sizes: dict[str, int]) -> bool:
        """Whether these are statistics of so many classes and features."""
        c, d = sizes["c"], sizes["d"]
        return (
            isinstance(held, ClassStatistics)
            and is_floats(held.counts, (c,))
            and is_floats(held.means, (c, d))
            and is_floats(held.scatters, (0, 0, 0), (1, d, d), (c, d, d))
            and bool(np.all(held.counts > 0))
        )

    def __add__(self, other: ClassStatistics) -> ClassStatistics:
        counts = self.counts + other.counts
        safe = np.where(counts > 0, counts, 1)
        shift = other.means - self.means
        means = self.means + shift * (other.counts / safe)[:, None]
        spread = shift[:, :, None] * shift[:, None, :] * (self.counts * other.counts / safe)[:, None, None]
        between = spread if len(self.scatters) > 1 else spread.sum(axis=0, keepdims=True)
        return ClassStatistics(counts, means, self.scatters + other.scatters + between)

    @property
    def mean(self) -> Matrix:
        """Mean of all patterns."""
        return np.asarray(self.counts @ self.means / self.counts.sum())

    @property
    def priors(self) -> Matrix:
        """Shares of the classes."""
        return np.asarray(self.counts / self.counts.sum())

    @property
    def between(self) -> Matrix:
        """Scatter of the class means about the mean of all."""
        offsets = self.means - self.mean
        return np.asarray((self.counts[:, None] * offsets).T @ offsets)


def check_counts(counts: Matrix) -> None:
    """Refuse classes of no weight."""
    if np.any(counts == 0):
        raise ValueError("sample_weight is zero for all rows of a class; give each class some weight.")


def statistics_of(problem: Problem, n_classes: int, separately: bool, watch: Watch) -> ClassStatistics:
    """One pass over the data; the scatter of each class by itself takes one pass over its rows each."""
    X, labels = problem.source, problem.labels
    v = problem.weight.astype(np.float64) if problem.weight.size else None
    check_total(v)
    if separately:
        parts = [_class_moments(X, labels == i, v, watch) for i in range(n_classes)]
        counts, means, scatters = (np.array(part) for part in zip(*parts, strict=True))
        if not np.isfinite(scatters.sum()):
            raise problem.refuse()
        return ClassStatistics(counts, means, scatters)
    counts = np.bincount(labels[problem.part], None if v is None else v[problem.part], n_classes).astype(np.float64)
    m = moments(X, Coded(labels, np.eye(n_classes)), v, watch)
    if not m.finite():
        raise problem.refuse()
    safe = np.where(counts > 0, counts, 1)
    offsets = np.where(counts > 0, m.cross / safe, 0.0)
    within = m.scatter - (offsets * counts) @ offsets.T
    return ClassStatistics(counts, m.mean + offsets.T, within[None])


def _class_moments(X: Any, rows: NDArray[np.bool_], v: Matrix | None, watch: Watch) -> tuple[float, Matrix, Matrix]:
    if not np.any(rows):
        d = X.shape[1]
        return 0.0, np.zeros(d), np.zeros((d, d))
    watch.check()
    m = moments(X[rows], np.zeros((int(rows.sum()), 0)), None if v is None else v[rows], watch)
    return m.total, m.mean, m.scatter


def inverse_of(S: Matrix) -> tuple[Matrix, int, float]:
    """The inverse, or pseudoinverse, of a scatter matrix, with its rank and condition number."""
    factor = cholesky(S)
    if factor is not None:
        inverse = factor.solve(np.eye(len(S)))
        return (inverse + inverse.T) / 2, len(S), float(1 / factor.rcond)
    values, vectors = linalg.eigh(S)
    kept = values > values[-1] * len(S) * np.finfo(np.float64).eps
    if not np.any(kept):  # no spread at all, as with one pattern a class: only the means speak
        return np.eye(len(S)), 0, np.inf
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return inverse, int(kept.sum()), float(values[-1] / values[kept][0])


def ledoit_wolf_within(problem: Problem, priors: Matrix, watch: Watch) -> Matrix:
    """Class covariances shrunk by Ledoit and Wolf's share, on standardized features, mixed by the priors."""
    if problem.weight.size:
        raise ValueError("shrinkage='auto' knows no sample_weight; give a number.")
    if sparse.issparse(problem.source):
        raise ValueError("shrinkage='auto' needs a dense X; give a number.")
    total = np.zeros((problem.n_features, problem.n_features))
    for i, prior in enumerate(priors):
        watch.check()
        total += prior * _shrunk(problem.source[problem.labels == i], watch)
    return total


def _shrunk(rows: Any, watch: Watch) -> Matrix:
    """The covariance C of some rows, standardized, with the share β/δ of the identity in it.

    dδ = ‖C − μI‖² is how far C is from the multiple μI of the identity, dβ how far it is expected to be from the true
    one, the variance of xxᵗ over n: (Σ‖x‖⁴ / n − ‖C‖²) / n.  Ledoit, Wolf, "A well-conditioned
    estimator for large-dimensional covariance matrices", *Journal of Multivariate Analysis* 88, 2004.
    """
    n, d = rows.shape
    m = moments(rows, np.empty((n, 0)), None, watch)
    spread = np.sqrt(np.diag(m.scatter).clip(min=0) / n)
    spread[spread <= 4 * np.finfo(np.float64).eps * np.abs(m.mean)] = 1  # constant, but for rounding
    C = m.scatter / n / spread / spread[:, None]

    def fourth(part: slice) -> list[Any]:
        return [np.sum(np.square(np.sum(np.square((rows[part] - m.mean) / spread), axis=1)))]

    mu, squares = np.trace(C) / d, float(np.sum(C**2))
    delta = squares - d * mu**2
    beta = min((float(in_order(rows, fourth, watch)[0]) / n - squares) / n, delta)
    share = beta / delta if d > 1 and beta != 0 else 0.0
    return np.asarray(spread[:, None] * ((1 - share) * C + share * mu * np.eye(d)) * spread)

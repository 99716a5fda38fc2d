"""Some patterns of the data in floats, and their rows z: what a guess is made from.

Columns are scaled to about the same size, and centered unless most entries are zero: then they stay sparse. The row of
a pattern and a rival has a place, which is its index in the flat array of all such rows.

Tests: ``tests/separation/test_newton.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .newton import LossRows, PlainRows, RivalRows
from .passes import Floats, Indices
from .system import Name, Scale, System

SPARSE = 0.25  # share of entries that are not zero, below which columns are not centered
WORK = 1e9  # rows x weights² of a step of Newton's method on a sample: about a twentieth of a second
FEWEST = 10  # rows for each weight in a sample, if there are as many
ROWS = 100_000  # rows z of a sample at the most, but for the fewest


class Sample:
    """Patterns with their rows z, of two classes or of many."""

    def __init__(self, system: System, patterns: Indices) -> None:
        own = system.own[patterns]
        patterns = patterns[np.argsort(own, kind="stable")]  # as RivalRows has them
        self.system, self.patterns, self.own = system, patterns, system.own[patterns]
        Y, self.lengths, self.scale = _scaled(system, patterns)
        self.rows: LossRows
        if system.n_groups == 2:
            sign = np.where(self.own == 1, 1.0, -1.0)
            self.rows = PlainRows(sparse.diags(sign).tocsr() @ Y if sparse.issparse(Y) else sign[:, None] * Y)
        else:
            self.rows = RivalRows(Y.toarray() if sparse.issparse(Y) else Y, self.own, system.n_groups)

    def names(self, places: Sequence[int] | Indices) -> dict[Name, float]:
        """The names of rows, by their places, each with the multiple of it that has length one."""
        at = np.array(places, np.int64)
        patterns, rivals = (at, 1 - self.own[at]) if self.system.n_groups == 2 else np.divmod(at, self.system.n_groups)
        names = zip(self.patterns[patterns].tolist(), rivals.tolist(), strict=True)
        return dict(zip(names, (1 / self.lengths[patterns]).tolist(), strict=True))


def fitting(system: System) -> int:
    """How many patterns a sample may have, so that a step of Newton's method is quick."""
    rivals = max(system.n_groups - 1, 1)
    width = system.p * min(1.0, 3 * system.density if _is_sparse(system) else 1.0)
    quick = min(WORK / (rivals * width**2), ROWS / rivals)
    return int(max(quick, FEWEST * system.n_columns / rivals))


def _is_sparse(system: System) -> bool:
    return system.density <= SPARSE and system.n_groups == 2


def _scaled(system: System, patterns: Indices) -> tuple[Any, Floats, Scale]:
    """The augmented patterns over their lengths, in columns of about the same size; the lengths; the columns' scale."""
    x = system.X[patterns]
    if _is_sparse(system):
        return _sparse(system, x)
    x = np.asarray(x.toarray() if sparse.issparse(x) else x).astype(np.longdouble)
    center = (x.mean(axis=0) if system.intercept else np.zeros(system.d)).astype(np.float64)
    x -= center
    exponent = _exponents(np.abs(x).max(axis=0, initial=0))
    x = np.ldexp(x, -exponent).astype(np.float64)
    Y = np.concatenate([np.ones((len(x), system.intercept)), x], axis=1)
    length = np.linalg.norm(Y, axis=1)
    length[length == 0] = 1
    return Y / length[:, None], length, Scale(system, center, exponent)


def _sparse(system: System, x: Any) -> tuple[Any, Floats, Scale]:
    x = sparse.csr_matrix(x)
    exponent = _exponents(abs(x).max(axis=0).toarray().ravel().astype(np.float64))
    x = sparse.csr_matrix((np.ldexp(x.data.astype(np.float64), -exponent[x.indices]), x.indices, x.indptr), x.shape)
    Y = sparse.hstack([np.ones((x.shape[0], system.intercept)), x]).tocsr() if system.intercept else x
    length = np.sqrt(np.asarray(Y.multiply(Y).sum(axis=1)).ravel())
    length[length == 0] = 1
    return sparse.diags(1 / length).tocsr() @ Y, length, Scale(system, np.zeros(system.d), exponent)


def _exponents(size: NDArray[Any]) -> NDArray[np.int32]:
    return np.frexp(np.where(size > 0, size, 1))[1]

"""Some patterns of the data in floats, and their rows z: what a guess is made from.

Columns are scaled to about the same size, and centered unless most entries are zero: then they stay sparse. The row of
a pattern and a rival has a place, which is its index in the flat array of all such rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .newton import PIECE, LossRows, PlainRows, RivalRows, pieces
from .passes import Floats, Indices
from .system import Name, Scale, System

SPARSE = 0.15  # share of entries that are not zero, below which columns are not centered
WORK = 1e9  # rows x weights² of a step of Newton's method on a sample: about a twentieth of a second
MANY = 200  # columns of dense data for which Newton's method is dear
NUMBERS = 2 * 10**7  # of a sample of such data
VANISHING = 1e-9  # a row of length one that a random vector moves by less is taken to vanish
FINE = 10**6  # numbers of a sample that are centered in the widest floats
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
            if sparse.issparse(Y):
                Y = sparse.diags(sign).tocsr() @ Y
            else:
                Y *= sign[:, None]
            self.rows = PlainRows(Y)
        else:
            self.rows = RivalRows(Y.toarray() if sparse.issparse(Y) else Y, self.own, system.n_groups)
        self.rows.exists[self.lengths == 0] = False  # zero rows, which an intercept forbids
        self.lengths[self.lengths == 0] = 1

    def whole(self) -> Slice:
        """All rows as they are."""
        return Slice(self, self.rows, np.arange(self.rows.exists.size), np.ones(self.rows.exists.size))

    def slice(self, Q: Floats) -> Slice:
        """The rows zQ for the vectors b = Qt of a subspace, each over its length, but for those that vanish there."""
        rng = np.random.default_rng(0)
        probe = rng.normal(size=Q.shape[1])
        is_live = self.rows.exists & (np.abs(self.rows.margins(Q @ probe)) > VANISHING * np.linalg.norm(probe))
        places = np.flatnonzero(is_live)
        most = 2 * NUMBERS // Q.shape[1]
        places = np.sort(rng.choice(places, most, replace=False)) if places.size > most else places
        step = max(1, PIECE // self.rows.n_columns)
        parts = [self.rows.dense(places[k : k + step]) @ Q for k in range(0, places.size, step)]
        R = np.concatenate([*parts, np.zeros((0, Q.shape[1]))])
        length = np.linalg.norm(R, axis=1)
        return Slice(self, PlainRows(R / length[:, None]), places, length)

    def names(self, places: Indices) -> list[Name]:
        """The names of rows, by their places."""
        patterns, rivals = self._parts(places)
        return list(zip(self.patterns[patterns].tolist(), rivals.tolist(), strict=True))

    def _parts(self, places: Indices) -> tuple[Indices, Indices]:
        """The patterns and rivals of rows."""
        if self.system.n_groups == 2:
            return places, 1 - self.own[places].astype(np.int64)
        patterns, rivals = np.divmod(places, self.system.n_groups)
        return patterns, rivals


class Slice(NamedTuple):
    """Rows of a sample, some or all, in a subspace: their places in the sample, and what they were divided by."""

    sample: Sample
    rows: LossRows
    places: Indices
    lengths: Floats

    @property
    def is_large(self) -> bool:
        """Whether a second derivative should have as few of the rows as it can."""
        if self.rows is self.sample.rows:
            return is_large(self.sample.system)
        return float(self.rows.exists.sum()) * self.rows.n_columns**2 > 4 * WORK

    def names(self, chosen: Sequence[int] | Indices) -> dict[Name, float]:
        """The names of rows, by their places here, each with the multiple of it that has length one."""
        at = np.array(chosen, np.int64)
        patterns, _ = self.sample._parts(self.places[at])
        multiples = 1 / (self.sample.lengths[patterns] * self.lengths[at])
        return dict(zip(self.sample.names(self.places[at]), multiples.tolist(), strict=True))


def fitting(system: System, is_mixed: bool = False) -> int:
    """How many patterns a sample may have, so that a step of Newton's method is quick.

    Of many dense columns, fewer are enough to show that classes overlap which are thoroughly mixed.
    """
    if is_large(system):
        return min(NUMBERS // system.p, FEWEST * system.n_columns if is_mixed else NUMBERS)
    rivals = max(system.n_groups - 1, 1)
    width = max(1.0, system.p * min(1.0, 3 * system.density if _is_sparse(system) else 1.0))
    quick = min(WORK / (rivals * width**2), ROWS / rivals)
    return int(max(quick, FEWEST * system.n_columns / rivals))


def is_large(system: System) -> bool:
    """Whether so many columns have entries that the second derivative of a loss should have as few rows as it can."""
    return system.n_groups == 2 and system.p > MANY and not _is_sparse(system)


def _is_sparse(system: System) -> bool:
    return system.density <= SPARSE and system.n_groups == 2


def _scaled(system: System, patterns: Indices) -> tuple[Any, Floats, Scale]:
    """The augmented patterns over their lengths, in columns of about the same size; the lengths; the columns' scale."""
    if _is_sparse(system):
        return _sparse(system, system.X[patterns])
    size = patterns.size * system.d
    Y = np.ones((patterns.size, system.p), np.longdouble if size <= FINE else np.float64)
    x = Y[:, system.intercept :]
    for part in pieces(patterns.size, system.p):  # no copy but this: fresh memory takes longer than the arithmetic
        some = system.X[patterns[part]]
        x[part] = some.toarray() if sparse.issparse(some) else some
        if system.tick is not None:
            system.tick("", 0.0)
    center = (x.mean(axis=0) if system.intercept else np.zeros(system.d)).astype(np.float64)
    x -= center
    exponent = _exponents(np.maximum(x.max(axis=0, initial=0), -x.min(axis=0, initial=0)))
    np.ldexp(x, -exponent, out=x)
    Y = Y.astype(np.float64, copy=False)
    length = np.sqrt(np.einsum("ij,ij->i", Y, Y))
    Y /= np.where(length > 0, length, 1)[:, None]
    return Y, length, Scale(system, center, exponent)


def _sparse(system: System, x: Any) -> tuple[Any, Floats, Scale]:
    x = sparse.csr_matrix(x)
    exponent = _exponents(abs(x).max(axis=0).toarray().ravel().astype(np.float64))
    x = sparse.csr_matrix((np.ldexp(x.data.astype(np.float64), -exponent[x.indices]), x.indices, x.indptr), x.shape)
    Y = sparse.hstack([np.ones((x.shape[0], system.intercept)), x]).tocsr() if system.intercept else x
    length = np.sqrt(np.asarray(Y.multiply(Y).sum(axis=1)).ravel())
    unit = sparse.diags(1 / np.where(length > 0, length, 1)).tocsr() @ Y
    return unit, length, Scale(system, np.zeros(system.d), exponent)


def _exponents(size: NDArray[Any]) -> NDArray[np.int32]:
    return np.frexp(np.where(size > 0, size, 1))[1]

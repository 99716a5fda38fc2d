"""The rows z of an ordered response: each pattern is held against the thresholds on either side of its level.

With levels 1 < … < J and a distribution function F, the cumulative model has

    P(level > k | x) = F(α_k + xb),    α₁ > … > α₍J₋₁₎,    α_k = −θ_k with thresholds θ_k,

so that a pattern of level j has the likelihood F(α₍j₋₁₎ + xb) − F(α_j + xb), where α₀ = ∞ and α_J = −∞. Move (α, b) in
a direction for ever. Where α₍j₋₁₎ + xb falls or α_j + xb rises, the likelihood goes to zero; else it grows, strictly
unless both stand still. So, whatever strictly increasing F is, the estimate is finite exactly when every direction with

    α₍j₋₁₎ + xb >= 0 (for j > 1)    and    −(α_j + xb) >= 0 (for j < J)    for every pattern

has zeros in all of them: at most two rows z for each pattern, and the question of two classes, above and below a cut,
for these rows. Levels in which nobody is have no threshold, and α falls from cut to cut by itself in such a direction.

Like ``rows``, this file knows no solver, and imports nothing but that one and numpy's arrays.

References
----------
P. McCullagh, "Regression models for ordinal data", JRSS B 42 (1980); I. Kosmidis, "Improved estimation in cumulative
link models", JRSS B 76 (2014).

Tests: ``tests/separation/test_ordered.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .rows import Construction, Entries, Integers


class CutConstruction(Construction):
    """The rows z of patterns with ordered levels, for vectors (α, b); a row is named by a neighboring level."""

    def __init__(self, n_levels: int, d: int) -> None:
        super().__init__(2, n_levels - 1 + d, False)
        self.n_levels = n_levels

    def rivals(self, own: int) -> Sequence[int]:
        """The levels next to ``own``."""
        return [level for level in (own - 1, own + 1) if 0 <= level < self.n_levels]

    def z(self, y: Sequence[int], own: int, rival: int) -> Integers:
        """The row z of an augmented pattern y = (1, x), times its denominator."""
        sign, cut = (1, rival) if rival < own else (-1, own)
        return [*(sign * y[0] * (k == cut) for k in range(self.n_levels - 1)), *(sign * value for value in y[1:])]


class Cuts(NamedTuple):
    """The rows of two classes: columns of cuts and of X, the side of its cut on which a row lies, and its pattern."""

    X: Any
    above: Any
    patterns: Any

    @classmethod
    def of(cls, X: Any, own: Any, n_levels: int) -> Cuts:
        """The rows of patterns X, an array or a CSR matrix, with the index of each one's level; those of -1 have none.

        Those of one pattern stand together, the one above its lower threshold first.
        """
        own = np.asarray(own, np.int64)
        sides = np.stack([own > 0, (own >= 0) & (own < n_levels - 1)], axis=1)
        patterns, side = np.nonzero(sides)
        cut = own[patterns] - 1 + side
        join = _sparse if hasattr(X, "indptr") else _dense
        return cls(join(X, patterns, cut, n_levels - 1), (1 - side).astype(np.int32), patterns)

    def place(self, pattern: int, own: int, rival: int) -> int:
        """Where the row of a pattern against a neighboring level stands."""
        return int(np.searchsorted(self.patterns, pattern)) + (rival > own > 0)


def _dense(X: Any, patterns: Any, cut: Any, n_cuts: int) -> Any:
    table = np.zeros((len(patterns), n_cuts + X.shape[1]), X.dtype)
    table[np.arange(len(patterns)), cut] = 1
    table[:, n_cuts:] = X[patterns]
    return table


def _sparse(X: Any, patterns: Any, cut: Any, n_cuts: int) -> Entries:
    """Each row begins with the one of its cut."""
    start = np.asarray(X.indptr, np.int64)
    count = (start[1:] - start[:-1])[patterns]
    indptr = np.concatenate([[0], np.cumsum(count + 1)])
    ones = indptr[:-1]
    others = np.ones(indptr[-1], bool)
    others[ones] = False
    entries = np.repeat(start[patterns] - np.cumsum(count) + count, count) + np.arange(count.sum())
    data, indices = np.ones(indptr[-1], X.data.dtype), np.empty(indptr[-1], np.int64)
    data[others], indices[others], indices[ones] = X.data[entries], X.indices[entries] + n_cuts, cut
    return Entries(data, indices, indptr, (len(patterns), n_cuts + X.shape[1]))

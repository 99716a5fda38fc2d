"""Which columns of (1, X) depend on those before them, in whole numbers: R's rule for aliased coefficients.

A column that is a sum of multiples of earlier ones adds nothing to a model: it is left out, and its coefficient cannot
be estimated. A coefficient that stays may still mean something else once such a column is left out: a level of a factor
is then held against the one that is missing. Only where the rows add up to the unit vector of a column does its
coefficient not depend on what is left out.

A rank modulo a prime never exceeds the true rank, so that columns which a prime shows to be independent are so. That
the others depend on them is proved by the rank of some rows in whole numbers, in whose span all other rows lie.

Tests: ``tests/separation/test_signs.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._engine.progress import Tell
from .digits import echelon
from .integers import coordinates, kernel, pivots, rank
from .passes import Indices
from .quick_check import Judge, Vectors
from .rows import PRIMES, Matrix, weighted_sum
from .system import System
from .trial import parts

FEW = 200  # rows, and two more for each column, that are taken together


class Aliases(NamedTuple):
    """Columns of (1, X), or of X without an intercept, by their place."""

    kept: list[int]  # those that do not depend on earlier ones
    dropped: list[int]  # the others
    alone: set[int]  # those of ``kept`` whose coefficients do not depend on what is dropped


def aliases(system: System, tick: Tell) -> Aliases:
    """The columns that depend on earlier ones; ``tick`` hears of the work, and may end it by an error."""
    rare = np.intersect1d(np.asarray(system.X.argmax(axis=0)), system.patterns)  # of a level that few rows have
    patterns = np.random.default_rng(0).permutation(system.patterns)
    some, others = np.split(np.concatenate([rare, patterns[~np.isin(patterns, rare)]]), [rare.size + FEW + system.p])
    while True:
        rows = _augmented(system, some, tick)
        kept, independent, candidates = _echelon(rows, system.p, tick)
        if len(kept) == system.p:
            return Aliases(kept, [], set(kept))
        strangers = outside(system, others, kernel(independent, tick) if independent and others.size else [], tick)
        if not strangers.size:
            dropped = sorted(set(range(system.p)).difference(kept))
            return Aliases(kept, dropped, _alone(independent, kept, candidates, tick))
        some, others = np.concatenate([some, strangers]), others[~np.isin(others, strangers)]


def _augmented(system: System, patterns: Indices, tick: Tell) -> Matrix:
    rows = []
    for k, i in enumerate(patterns.tolist()):
        tick("collinear columns", k / patterns.size)
        rows.append(system.table.augmented(i, bool(system.intercept))[0])
    return rows


def _echelon(rows: Matrix, p: int, tick: Tell) -> tuple[list[int], Matrix, list[int]]:
    """The columns that do not depend on earlier ones, as many independent rows, and columns that may stand alone."""
    exact = None
    for prime in PRIMES:
        tick("", 0.0)
        places, E = echelon(rows, prime)
        if len(places) == p:
            return sorted(places), [], []
        if exact is None:  # a rank modulo a prime is never too large
            exact = len(rows) if len(places) == len(rows) else rank(rows, tick)
        if len(places) == exact:
            shared = np.atleast_1d(np.delete(E, places, axis=1).any(axis=1)) if places else np.empty(0)
            candidates = [place for place, used in zip(places, shared, strict=True) if not used]
            break
    else:
        candidates = places = pivots([list(column) for column in zip(*rows, strict=True)], tick)
    places = sorted(places)
    if len(places) == len(rows):
        return places, rows, candidates
    short = [[row[j] for j in places] for row in rows]
    return places, [rows[k] for k in pivots(short, tick)] if places else [], candidates


def outside(system: System, patterns: Indices, vectors: Matrix, tick: Tell) -> Indices:
    """Patterns that do not vanish on all the vectors, as many as there are columns, and not all of one kind."""
    if not vectors:
        return patterns[:0]
    pair = System(system.X, np.zeros(system.n, np.int32), 2, bool(system.intercept), system.table.reading)
    judge, groups = Judge(pair.table, pair, vectors[0]), Vectors.by_size(vectors, pair)
    found = patterns[:0]
    for part in map(np.sort, parts(pair, patterns, tick)):
        moved = np.zeros(part.size, bool)
        for places, _, signs in judge.exact(part, 0, np.ones((part.size, 1), bool), groups):
            moved[places] |= signs.any(axis=1)
        found = np.append(found, part[moved])
        if found.size > system.p:
            break
    return found[: system.p + 1]


def _alone(rows: Matrix, kept: list[int], candidates: list[int], tick: Tell) -> set[int]:
    """The columns whose unit vectors are sums of multiples of the independent rows."""
    short = [[row[j] for j in kept] for row in rows]
    units = [[int(j == k) for j in kept] for k in candidates]
    found = set()
    for place, (q, weights) in zip(candidates, coordinates(short, units, tick), strict=True):
        whole = weighted_sum(weights, rows)
        if all(value == q * (j == place) for j, value in enumerate(whole)):
            found.add(place)
    return found

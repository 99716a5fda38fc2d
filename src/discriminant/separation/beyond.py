"""Many classes of many columns, where a proof of the whole boundary would be too large: the verdict, or what it is not.

A class that is zero throughout a column, where others are not and all have the same sign, lies weakly apart from them:
no ``overlap``. All such columns together are one vector b: with b_k = -s in the columns where class k is zero, s being
the sign of the others, a pattern of class j has b_j x = 0 and -b_k x >= 0 for every rival k. A relation of two classes
is one of the whole problem: not ``complete``. The nearest two are asked. Both together prove ``quasi``, though not that
b separates as many rows as any vector.

Tests: ``tests/separation/test_beyond.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from .._engine.progress import OutOfTime, Tell
from .faces import Face
from .merging import nearest_pairs, pair_of
from .pairs import separated_pairs
from .system import Direction, Name, System
from .trial import Outcome

WORDS = (
    "one proof for {0.n_groups} classes of {0.d} features needs {0.n_columns:,} weights, and must have at most "
    "{1:,}; ask for the pairs of classes or for each against the rest, or take fewer features"
)


class _RelatedError(Exception):
    """Two classes have a relation: nothing else was asked."""


def in_part(system: System, largest: int, decide: Callable[[System, Tell], Any], tick: Tell) -> Outcome:
    """A vector and a relation, which prove ``quasi``; an error where one is missing. ``decide`` settles two classes."""
    tick("columns where a class is zero", 0.0)
    direction = _weak_direction(system)
    system.known.is_weak |= direction is not None
    weights = _relation(system, decide, tick)
    if weights:
        system.known.related(weights)
    if direction is None or not weights:
        raise OutOfTime(WORDS.format(system, largest))
    face = Face(system)
    face.keep(weights)
    ahead = separated_pairs(system, direction)[system.patterns].sum(axis=1)
    boundary = system.patterns[ahead < system.n_groups - 1]
    return Outcome(face, direction, boundary, False, False, dict.fromkeys(weights), maximal=False)


def _relation(system: System, decide: Callable[[System, Tell], Any], tick: Tell) -> dict[Name, int]:
    """The first relation that is found of the nearest two classes, by rows of the whole; empty where there is none."""
    one, other, patterns = next(nearest_pairs(system))
    pair = pair_of(system, other, patterns)

    def until_related(text: str, share: float) -> None:
        tick(f"nearest classes: {text}", share)
        if pair.known.relation:
            raise _RelatedError

    with suppress(_RelatedError):  # that is what was to be found
        decide(pair, until_related)
    classes = one, other
    return {(int(patterns[i]), classes[rival]): weight for (i, rival), weight in (pair.known.relation or {}).items()}


def _weak_direction(system: System) -> Direction | None:
    """The vector of all columns in which some class is zero, and the others are of one sign and not all zero."""
    ranges = [_range(system.X[system.own == k]) for k in range(system.n_groups)]
    low, high = np.array([low for low, _ in ranges]), np.array([high for _, high in ranges])
    is_zero = (low == 0) & (high == 0)
    sign = (low >= 0).all(axis=0).astype(int) - (high <= 0).all(axis=0)  # zero in a column of zeros
    A = np.zeros((system.n_groups, system.p), int)
    A[:, system.intercept :] = np.where(is_zero, -sign, 0)
    b = (A[1:] - A[0]).ravel()  # the first class is held at zero
    return Direction(b.tolist(), b.astype(np.float64), Fraction(1)) if A.any() else None


def _range(x: Any) -> tuple[Any, Any]:
    """The least and the largest number of each column."""
    if sparse.issparse(x):
        return x.min(axis=0).toarray().ravel(), x.max(axis=0).toarray().ravel()
    return x.min(axis=0), x.max(axis=0)

"""What can be told of many classes of many columns, where one proof would be too large: which verdicts cannot be.

A class that is zero throughout a column, where others are not and all have the same sign, lies weakly apart from them:
no ``overlap``. A relation of two classes is one of the whole problem: not ``complete``. The nearest two are asked.

Tests: ``tests/separation/test_beyond.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from .._engine.progress import OutOfTime, Tell
from .merging import nearest_pairs, pair_of
from .system import System

WORDS = (
    "one proof for {0.n_groups} classes of {0.d} features needs {0.n_columns:,} weights, and must have at most "
    "{1:,}; ask for the pairs of classes or for each against the rest, or take fewer features"
)


class _RelatedError(Exception):
    """Two classes have a relation: nothing else was asked."""


def too_large(system: System, largest: int, decide: Callable[[System, Tell], Any], tick: Tell) -> OutOfTime:
    """The error that ends a search, once it is known what is excluded; ``decide`` settles a pair of classes."""
    tick("columns where a class is zero", 0.0)
    system.known.is_weak |= _is_weak(system)
    _, other, patterns = next(nearest_pairs(system))
    pair = pair_of(system, other, patterns)

    def until_related(text: str, share: float) -> None:
        tick(f"nearest classes: {text}", share)
        if pair.known.relations:
            raise _RelatedError

    try:
        decide(pair, until_related)
    except _RelatedError:
        pass  # that is what was to be found
    finally:
        system.known.related(pair.known.relations)
    return OutOfTime(WORDS.format(system, largest))


def _is_weak(system: System) -> bool:
    """Whether some class is zero in a column that is of one sign in the others, and not zero in all of them."""
    ranges = [_range(system.X[system.own == k]) for k in range(system.n_groups)]
    low, high = np.array([low for low, _ in ranges]), np.array([high for _, high in ranges])
    is_zero = (low == 0) & (high == 0)
    one_sign = (low >= 0).all(axis=0) | (high <= 0).all(axis=0)
    return bool((is_zero.any(axis=0) & ~is_zero.all(axis=0) & one_sign).any())


def _range(x: Any) -> tuple[Any, Any]:
    """The least and the largest number of each column."""
    if sparse.issparse(x):
        return x.min(axis=0).toarray().ravel(), x.max(axis=0).toarray().ravel()
    return x.min(axis=0), x.max(axis=0)

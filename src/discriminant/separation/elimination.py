"""Elimination in whole numbers: ranks modulo a prime, and whether rows span others.

A rank modulo a prime never exceeds the true rank, and rows that are independent modulo a prime are so.

Tests: ``tests/separation/test_elimination.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from .rows import Integers, Matrix

PRIMES = (2_147_483_647, 2_147_483_629, 2_147_483_587)  # below 2**31, so that products fit 64 bits


class Echelon(NamedTuple):
    """The reduced echelon form of rows modulo a prime: its pivot columns and its rows, an array of int64."""

    columns: list[int]
    rows: Any


def echelon(rows: Iterable[Integers], prime: int) -> Echelon:
    """Rows modulo a prime of ``PRIMES``, with zeros above and below each pivot."""
    columns: list[int] = []
    E: Any = None
    for row in rows:
        new = np.array([value % prime for value in row], np.int64)
        if E is None:
            E = np.empty((0, new.size), np.int64)
        high, low = new[columns] >> 16, new[columns] & 0xFFFF  # halves, whose products with E 64 bits can hold
        new = (new - ((high @ E % prime << 16) + low @ E) % prime) % prime
        if new.any():
            column = int(np.flatnonzero(new)[0])
            new = new * pow(int(new[column]), -1, prime) % prime
            E = np.concatenate([(E - E[:, column, None] * new % prime) % prime, new[None]])
            columns.append(column)
    return Echelon(columns, np.empty((0, 0), np.int64) if E is None else E)


def rank_modulo_prime(rows: Matrix) -> int:
    """Rank of whole rows modulo a prime, the best of three primes: never more than the true rank."""
    return max(len(echelon(rows, prime).columns) for prime in PRIMES)


def primitive(vector: Sequence[int]) -> Integers:
    """The vector divided by the greatest common divisor of its entries."""
    divisor = gcd(*vector) or 1
    return [value // divisor for value in vector]


def weighted_sum(weights: Iterable[int], rows: Iterable[Sequence[int]]) -> Integers:
    """The sum of the rows, each times its weight."""
    weights = list(weights)
    return [sum(map(mul, weights, column)) for column in zip(*rows, strict=True)]


def spans(rows: Iterable[Integers], others: Iterable[Integers]) -> bool:
    """Whether every other row is a combination of the rows: by elimination without fractions."""
    known = {_up_to_factor(row) for row in rows}
    left = {_up_to_factor(row) for row in others} - known
    pivots: list[tuple[int, Integers]] = []
    for row in sorted(known) if any(map(any, left)) else []:
        rest = _reduced(row, pivots)
        if any(rest):
            pivots.append((next(j for j, value in enumerate(rest) if value), rest))
    return not any(any(_reduced(row, pivots)) for row in left)


def _up_to_factor(row: Sequence[int]) -> tuple[int, ...]:
    """The multiple of a row by which all its multiples are known."""
    first = next((value for value in row if value), 1)
    return tuple(primitive(row if first > 0 else [-value for value in row]))


def _reduced(row: Sequence[int], pivots: list[tuple[int, Integers]]) -> Integers:
    """What is left of a row, but for a factor, when its entries in the columns of the pivots are made zero."""
    rest = list(row)
    for column, pivot in pivots:
        if rest[column]:
            a, b = pivot[column], rest[column]
            rest = primitive([a * value - b * other for value, other in zip(rest, pivot, strict=True)])
    return rest

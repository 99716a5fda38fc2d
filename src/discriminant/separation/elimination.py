"""Elimination in whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd

import numpy as np

from .rows import Integers

PRIMES = (2_147_483_647, 2_147_483_629, 2_147_483_587)  # below 2**31, so that products fit 64 bits


def rank_modulo_prime(rows: Sequence[Integers]) -> int:
    """Rank of whole rows modulo a prime, the best of three primes: never more than the true rank."""
    return max((_rank(rows, prime) for prime in PRIMES), default=0) if rows else 0


def _rank(rows: Sequence[Integers], prime: int) -> int:
    M = np.array([[value % prime for value in row] for row in rows], dtype=np.int64)
    rank = 0
    for j in range(M.shape[1]):
        pivots = np.flatnonzero(M[rank:, j])
        if not pivots.size:
            continue
        pivot = rank + int(pivots[0])
        M[[rank, pivot]] = M[[pivot, rank]]
        M[rank] = M[rank] * pow(int(M[rank, j]), -1, prime) % prime
        below = M[rank + 1 :]
        below -= below[:, j, None] * M[rank] % prime
        below %= prime
        rank += 1
        if rank == M.shape[0]:
            break
    return rank


def spans(rows: Iterable[Integers], others: Iterable[Integers]) -> bool:
    """Whether every other row is a combination of the rows: by elimination without fractions."""
    known = {tuple(_primitive(row)) for row in rows}
    left = {tuple(_primitive(row)) for row in others} - known
    echelon: list[tuple[int, Integers]] = []
    for row in sorted(known) if any(map(any, left)) else []:
        rest = _reduced(row, echelon)
        if any(rest):
            echelon.append((next(j for j, value in enumerate(rest) if value), rest))
    return not any(any(_reduced(row, echelon)) for row in left)


def _reduced(row: Sequence[int], echelon: list[tuple[int, Integers]]) -> Integers:
    """What is left of a row, but for a factor, when its entries in the columns of the pivots are made zero."""
    rest = list(row)
    for column, pivot in echelon:
        if rest[column]:
            a, b = pivot[column], rest[column]
            rest = _primitive([a * value - b * other for value, other in zip(rest, pivot, strict=True)])
    return rest


def _primitive(row: Sequence[int]) -> Integers:
    """A row over the greatest common divisor of its entries, the first of them that is not zero positive."""
    first = next((value for value in row if value), 1)
    divisor = gcd(*row) or 1
    return [value // (divisor if first > 0 else -divisor) for value in row]

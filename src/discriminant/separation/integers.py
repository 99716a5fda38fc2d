"""Linear algebra in whole numbers, and the nearest point of a hull: the solver's side of a certificate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from operator import mul

import numpy as np
from numpy.typing import NDArray

from .flint import Integers, Matrix, call

SMALL = 10**7  # products of one piece of a multiplication, so that Ctrl-C is heard between two


def primitive(vector: Sequence[int]) -> Integers:
    """The vector divided by the greatest common divisor of its entries."""
    divisor = gcd(*vector) or 1
    return [value // divisor for value in vector]


def whole(vector: Sequence[Fraction]) -> Integers:
    """A positive multiple of a vector of fractions in whole numbers."""
    common = lcm(*(value.denominator for value in vector))
    return primitive([value.numerator * (common // value.denominator) for value in vector])


def rank(rows: Matrix) -> int:
    """Rank of a matrix."""
    return int(call("rank", rows)) if rows else 0


def pivots(rows: Matrix) -> list[int]:
    """The first rows, one by one, that do not depend on those before them."""
    return list(call("pivots", rows))


def coordinates(rows: Matrix, vectors: Matrix) -> list[tuple[int, Integers]]:
    """For each vector of the span of independent rows (q, m) with q vector = sum of m row, q > 0."""
    if not rows or not vectors:
        return [(1, []) for _ in vectors]
    columns = pivots([list(column) for column in zip(*rows, strict=True)])
    A, B = [[row[j] for row in rows] for j in columns], [[vector[j] for vector in vectors] for j in columns]
    found = []
    for solved in zip(*call("solve", A, B), strict=True):
        shares = [Fraction(*share) for share in solved]
        q = lcm(*(share.denominator for share in shares))
        found.append((q, [int(share * q) for share in shares]))
    return found


def kernel(rows: Matrix) -> Matrix:
    """A basis of all vectors that are orthogonal to the rows."""
    return [primitive(vector) for vector in call("nullspace", rows)]


def relation(rows: Matrix) -> Integers | None:
    """Weights, not all zero, with which the rows add up to zero; None unless they are unique up to a factor."""
    found = call("nullspace", [list(column) for column in zip(*rows, strict=True)])
    return primitive(found[0]) if len(found) == 1 else None


def products(rows: Matrix, vectors: Matrix) -> Matrix:
    """Inner products of every row with every vector."""
    if not rows or not vectors:
        return [[] for _ in rows]
    step = max(64, SMALL // (len(rows[0]) * len(vectors)))
    parts = (call("multiply", rows[k : k + step], vectors) for k in range(0, len(rows), step))
    return [row for part in parts for row in part]


def alternative(rows: Matrix, start: Sequence[int] = (0,)) -> tuple[Integers | None, dict[int, int]]:
    """Gordan's alternative: t with every row t > 0, or else weights > 0 with which some rows add up to zero.

    Parameters
    ----------
    rows : list of lists of int
        At least one row.
    start : sequence of int
        Rows to begin with; a good guess saves turns.

    Returns
    -------
    t : list of int or None
        None when there is a relation.
    weights : dict
        Row to weight, for rows whose only relation this is.
    """
    sizes = [max(abs(value) for value in column).bit_length() for column in zip(*rows, strict=True)]
    scale = [1 << (max(sizes) - size) for size in sizes]  # columns of the same size save turns
    rows = [list(map(mul, row, scale)) for row in rows]
    x, weights = nearest_point(rows, [0] * len(rows), start, stop_outside=True)
    if any(x):
        return primitive(list(map(mul, x, scale))), {}
    return None, dict(zip(weights, whole(list(weights.values())), strict=True))


def echelon(rows: Iterable[Integers], prime: int) -> tuple[list[int], NDArray[np.int64]]:
    """The reduced echelon form of rows modulo a prime below 2**31: its pivot columns and its rows.

    Rows and columns that are independent modulo a prime are so.
    """
    columns: list[int] = []
    E: NDArray[np.int64] | None = None
    for row in rows:
        new = np.array([value % prime for value in row], np.int64)
        if E is None:
            E = np.empty((0, new.size), np.int64)
        new = (new - _product(new[columns], E, prime)) % prime
        if new.any():
            column = int(np.flatnonzero(new)[0])
            new = new * pow(int(new[column]), -1, prime) % prime
            E = np.concatenate([(E - E[:, column, None] * new % prime) % prime, new[None]])
            columns.append(column)
    return columns, np.empty((0, 0), np.int64) if E is None else E


def _product(a: NDArray[np.int64], E: NDArray[np.int64], prime: int) -> NDArray[np.int64]:
    """A E modulo a prime, with factors below 2**31, in halves that 64 bits can hold."""
    high, low = a >> 16, a & 0xFFFF
    return np.asarray(((high @ E % prime << 16) + low @ E) % prime)


def nearest_point(
    rows: Matrix, group: Sequence[int], start: Sequence[int], stop_outside: bool = False
) -> tuple[Integers, dict[int, Fraction]]:
    """The shortest sum of one point from the hull of each group of rows: Wolfe's algorithm in whole numbers.

    Go to the shortest sum of points from the flats through a few rows, leaving behind the rows whose weight vanishes
    on the way; then take in the row that lies farthest behind. The length falls at each turn, so that no set of rows
    comes twice, and it ends.

    Parameters
    ----------
    rows : list of lists of int
        Points.
    group : sequence of int
        The group of each row: 0, or 0 and 1.
    start : sequence of int
        Rows to begin with; the first row of each group is taken where it has none here.
    stop_outside : bool
        Whether any x will do that has a positive product with every row.

    Returns
    -------
    x : list of int
        A positive multiple of the sum.
    weights : dict
        Row to weight; of sum one in each group.
    """
    first = {group[i]: i for i in [*range(len(rows) - 1, -1, -1), *reversed(start)]}
    chosen = list(first.values())
    weights = [Fraction(1) for _ in chosen]
    arriving = [i for i in start if i not in chosen]
    target = _flat([rows[i] for i in start], [group[i] for i in start]) if arriving else None
    if target is not None and min(target) > 0 and {group[i] for i in start} == set(group):
        chosen, weights, arriving = list(start), target, []  # a good guess is taken as a whole
    while True:
        x = primitive(_combination([rows[i] for i in chosen], weights))
        if not any(x):
            break
        if arriving:
            entering = arriving.pop(0)
        else:
            sides = [side for (side,) in products(rows, [x])]
            level = {group[i]: sides[i] for i in chosen}
            behind = [side - level[k] for side, k in zip(sides, group, strict=True)]
            entering = min(range(len(rows)), key=behind.__getitem__)
            if behind[entering] >= 0 or (stop_outside and min(sides) > 0):
                break
        chosen, weights = _nearest(rows, group, [*chosen, entering], [*weights, Fraction(0)])
    return x, dict(zip(chosen, weights, strict=True))


def _combination(rows: Matrix, weights: Sequence[Fraction]) -> Integers:
    """A positive multiple of the weighted sum of the rows, in whole numbers."""
    numbers = whole(weights)
    return [sum(map(mul, numbers, column)) for column in zip(*rows, strict=True)]


def _nearest(
    rows: Matrix, group: Sequence[int], chosen: Integers, weights: list[Fraction]
) -> tuple[Integers, list[Fraction]]:
    """Rows and weights of the shortest sum, once rows without a share in it are left out."""
    while True:
        target = _flat([rows[i] for i in chosen], [group[i] for i in chosen])
        if target is None:  # the last row lies in the flat of the others: it cannot be added
            return chosen[:-1], weights[:-1]
        if all(weight > 0 for weight in target):
            return chosen, target
        steps = (w / (w - t) for w, t in zip(weights, target, strict=True) if t <= 0 and w > t)
        step = min(steps, default=Fraction(1))
        moved = [w + step * (t - w) for w, t in zip(weights, target, strict=True)]
        kept = [k for k, weight in enumerate(moved) if weight > 0]
        chosen, weights = [chosen[k] for k in kept], [moved[k] for k in kept]


def _flat(rows: Matrix, group: Sequence[int]) -> list[Fraction] | None:
    """Weights of sum one in each group, of any sign, of the shortest sum; None if rows depend on each other.

    With E for the groups, the weights are (RR' + EE')^-1 E c, where c is such that E' weights = 1.
    """
    groups = sorted(set(group))
    try:
        weights = call("flat", rows, [[int(k == g) for k in groups] for g in group])
    except ZeroDivisionError:
        return None
    return [Fraction(*weight) for weight in weights]

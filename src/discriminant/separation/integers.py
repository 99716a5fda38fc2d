"""Linear algebra in whole numbers, and the nearest point of a hull: the solver's side of a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from operator import mul

from .flint import call
from .rows import Integers, Matrix, primitive, weighted_sum

PIECE = 10**7  # products of one piece of a multiplication, so that Ctrl-C is heard between two


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
    step = max(64, PIECE // (len(rows[0]) * len(vectors)))
    parts = (call("multiply", rows[k : k + step], vectors) for k in range(0, len(rows), step))
    return [row for part in parts for row in part]


def alternative(rows: Matrix, start: Sequence[int] = (0,)) -> tuple[Integers | None, dict[int, int]]:
    """Gordan's alternative: t with every row t > 0, or else None and weights > 0 with which some rows add up to zero.

    The rows that have weights have no other relation. To begin with good rows saves turns.
    """
    sizes = [max(abs(value) for value in column).bit_length() for column in zip(*rows, strict=True)]
    scale = [1 << (max(sizes) - size) for size in sizes]  # columns of the same size save turns
    rows = [list(map(mul, row, scale)) for row in rows]
    x, weights = nearest_point(rows, [0] * len(rows), start, stop_outside=True)
    if any(x):
        return primitive(list(map(mul, x, scale))), {}
    return None, dict(zip(weights, whole(list(weights.values())), strict=True))


def nearest_point(
    rows: Matrix, group: Sequence[int], start: Sequence[int], stop_outside: bool = False
) -> tuple[Integers, dict[int, Fraction]]:
    """The shortest sum of one point from the hull of each group of rows: Wolfe's algorithm in whole numbers.

    Go to the shortest sum of points from the flats through a few rows, leaving behind the rows whose weight vanishes
    on the way; then take in the row that lies farthest behind. The length falls at each turn, so that no set of rows
    comes twice, and it ends. A row's group is 0, or 0 and 1; ``start`` are rows to begin with, and where a group has
    none, its first row; with ``stop_outside`` any x will do that has a positive product with every row.

    It gives x, a positive multiple of the sum, and the weights of rows, of sum one in each group.
    """
    first = {group[i]: i for i in [*range(len(rows) - 1, -1, -1), *reversed(start)]}
    chosen = list(first.values())
    weights = [Fraction(1) for _ in chosen]
    arriving = [i for i in start if i not in chosen]
    target = _flat([rows[i] for i in start], [group[i] for i in start]) if arriving else None
    if target is not None and min(target) > 0 and {group[i] for i in start} == set(group):
        chosen, weights, arriving = list(start), target, []  # a good guess is taken as a whole
    while True:
        x = primitive(weighted_sum(whole(weights), (rows[i] for i in chosen)))
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

    With E for the groups, the weights are v = (RRᵗ + EEᵗ)⁻¹Ec, where c is such that Eᵗv = 1.
    """
    groups = sorted(set(group))
    try:
        weights = call("flat", rows, [[int(k == g) for k in groups] for g in group])
    except ZeroDivisionError:
        return None
    return [Fraction(*weight) for weight in weights]

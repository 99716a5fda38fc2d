"""A solver of the tests' own for ``separability``: all rays of a cone, in whole numbers and plain Python.

``rays`` is the double description method of Motzkin, Raiffa, Thompson and Thrall: it turns {b : Zb >= 0} into lines
and rays, one row of Z after the other. A row belongs to B exactly when it is positive on some ray; the sign of a
coefficient over the cone is that over its rays and lines. Their number may explode; ``boundary`` gives B and N alone,
by an exact simplex method, in milliseconds for hundreds of rows. Nothing here is shared with the library.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm, nan
from operator import mul
from typing import Any, NamedTuple

import numpy as np

Vector = tuple[int, ...]


def dot(a: Iterable[Any], b: Iterable[Any]) -> Any:
    return sum(map(mul, a, b))


def primitive(vector: Iterable[int]) -> Vector:
    vector = tuple(vector)
    divisor = gcd(*vector) or 1
    return tuple(value // divisor for value in vector)


def rays(Z: Iterable[Sequence[int]], p: int) -> tuple[list[Vector], list[Vector]]:
    """Lines and extreme rays that span the cone of all b with zb >= 0 for every row z."""
    lines = [tuple(int(j == k) for j in range(p)) for k in range(p)]
    found: dict[Vector, int] = {}  # each ray, with a bit set for each row on which it vanishes
    for k, z in enumerate(dict.fromkeys(map(primitive, Z))):
        pivot = next((line for line in lines if dot(z, line)), None)
        if pivot is not None:  # the line becomes a ray; all else is moved along it until it vanishes on z
            lines.remove(pivot)
            size = dot(z, pivot)
            if size < 0:
                pivot, size = tuple(-value for value in pivot), -size
            moved = [
                primitive(size * a - side * b for a, b in zip(v, pivot, strict=True))
                for v, side in ((v, dot(z, v)) for v in (*lines, *found))
            ]
            bits = [zeros | 1 << k for zeros in found.values()]
            lines, found = moved[: len(lines)], dict(zip(moved[len(lines) :], bits, strict=True))
            found[pivot] = (1 << k) - 1
            continue
        sides = {ray: dot(z, ray) for ray in found}
        kept = {ray: zeros | (not sides[ray]) << k for ray, zeros in found.items() if sides[ray] >= 0}
        for up in [ray for ray in found if sides[ray] > 0]:
            for down in [ray for ray in found if sides[ray] < 0]:
                common = found[up] & found[down]
                if sum(common & zeros == common for zeros in found.values()) == 2:  # neighbors: no third ray between
                    between = (sides[up] * b - sides[down] * a for a, b in zip(up, down, strict=True))
                    kept[primitive(between)] = common | 1 << k
        found = kept
    return lines, list(found)


class Answer(NamedTuple):
    verdict: str
    B: list[int]  # patterns with all rows separated
    N: list[int]  # patterns with a row on every boundary
    signs: list[float]  # of each entry of b over the cone
    b: Vector  # positive on every row of B


def fraction(value: Any, reading: str = "decimal") -> Fraction:
    """What a number of a table means; the text of a float32 is its own shortest form."""
    if isinstance(value, int | np.integer | np.bool_):
        return Fraction(int(value))
    return Fraction(str(value)) if reading == "decimal" else Fraction(float(value))


def whole(values: Iterable[Fraction]) -> Vector:
    values = list(values)
    common = lcm(*(value.denominator for value in values))
    return tuple(int(value * common) for value in values)


def augmented(X: Any, intercept: bool = True, reading: str = "decimal") -> list[Vector]:
    """The patterns as whole numbers, each times a positive factor."""
    return [whole([Fraction(1)] * intercept + [fraction(value, reading) for value in x]) for x in X]


def rows_of(patterns: Sequence[Vector], own: Sequence[int], c: int) -> list[tuple[int, Vector]]:
    """The rows z with the patterns they belong to: Kesler's for c classes; for c = 0, counts that are zero or not."""
    if c == 0:
        return [(i, tuple(s * v for v in y)) for i, y in enumerate(patterns) for s in ((1, -1) if own[i] else (1,))]
    return [
        (i, tuple(((m == own[i]) - (m == j)) * v for m in range(1, c) for v in y))
        for i, y in enumerate(patterns)
        for j in range(c)
        if own[i] >= 0 and j != own[i]
    ]


def level_rows(patterns: Sequence[Vector], own: Sequence[int], levels: int) -> list[tuple[int, Vector]]:
    """The rows z of ordered levels for (θ, b), from θ_{j-1} <= xb <= θ_j; a pattern begins with its denominator."""
    rows = []
    for i, (q, *x) in enumerate(patterns):
        for k, sign in ((own[i] - 1, -1), (own[i], 1)):
            if 0 <= k < levels - 1:
                rows.append((i, (*(sign * q * (k == m) for m in range(levels - 1)), *(-sign * v for v in x))))
    return rows


def solve(rows: Sequence[tuple[int, Vector]]) -> Answer:
    """Verdict, B and N of rows z that come with the index of their pattern."""
    lines, found = rays([z for _, z in rows], len(rows[0][1]))
    b = tuple(map(sum, zip(*found, strict=True))) if found else (0,) * len(rows[0][1])
    sides = [(i, dot(z, b)) for i, z in rows]
    N = sorted({i for i, side in sides if side == 0})
    B = sorted({i for i, _ in sides} - set(N))
    any_separated = any(side for _, side in sides)
    verdict = "overlap" if not any_separated else "quasi" if N else "complete"
    signs = [0.0] * len(b)
    if any_separated:
        both_ways = [tuple(-v for v in line) for line in lines]
        seen = [{v > 0 for v in column if v} for column in zip(*found, *lines, *both_ways, strict=True)]
        signs = [nan if len(s) == 2 else 0.0 if not s else 1.0 if True in s else -1.0 for s in seen]
    return Answer(verdict, B, N, signs, b)


def separation(X: Any, y: Any, intercept: bool = True, reading: str = "decimal", family: str = "classes") -> Answer:
    """What ``separability`` should find."""
    y = np.asarray(y)
    if family == "poisson":
        return solve(rows_of(augmented(X, intercept, reading), (y > 0).tolist(), 0))
    classes = np.unique(y)
    make = level_rows if family == "cumulative" else rows_of
    return solve(make(augmented(X, intercept, reading), np.searchsorted(classes, y).tolist(), classes.size))


def boundary(Z: Sequence[Sequence[int]]) -> list[int]:
    """Rows that vanish on every b with Zb >= 0, by linear programs.

    Where max (Σz)b with Zb >= 0 is unbounded, along some b, the rows with zb > 0 are separated. A vector that separates
    others among those with zb = 0, added to a large multiple of b, separates both: go on with the rows that are left.
    Where the maximum is zero, Σz = -Σλz with λ >= 0, and all of them vanish.
    """
    left = list(range(len(Z)))
    while left and (moved := _ascent([Z[k] for k in left])) is not None:
        left = [k for k, side in zip(left, moved, strict=True) if side == 0]
    return left


def _ascent(Z: Sequence[Sequence[int]]) -> list[int] | None:
    """The sides Zb of some b with Zb >= 0 that are not all zero; None if there is none.

    Simplex method in whole numbers for max (Σz)b, with zb + ε >= 0 in place of zb >= 0. The ε > 0 are random, so that
    every step has a length and none comes back; whether the program is bounded does not depend on them, because b = 0
    is feasible. Row k of the tableau, over ``unit``, is z_k b + ε_k in terms of the variables of the columns and of 1;
    the columns of b itself, which may be negative, are exchanged first.
    """
    m, p = len(Z), len(Z[0])
    epsilon = np.random.default_rng(0).integers(1, 1 << 40, m)
    T = np.array([[*z, int(e)] for z, e in zip(Z, epsilon, strict=True)], dtype=object)
    T = np.vstack([T, T.sum(axis=0)])  # the last row is the objective
    rows, columns, unit = list(range(m)), [-1 - j for j in range(p)], 1  # which side a row is, -1 - j for b_j
    while True:
        bounded = [k for k in range(m) if rows[k] >= 0]
        gains = [(c, j) for j, c in enumerate(columns) if T[m, j] > 0 or (c < 0 and T[bounded, j].any())]
        if not gains:
            return None
        c, j = max(gains, key=lambda gain: (gain[0] < 0, T[m, gain[1]]))
        sign = -1 if c < 0 and T[m, j] < 0 else 1
        down = [k for k in bounded if sign * T[k, j] < 0]
        if not down:
            moved = dict(zip(rows, sign * T[:m, j], strict=True)) | ({c: unit} if c >= 0 else {})
            return [int(moved.get(k, 0)) for k in range(m)]
        k = min(down, key=lambda k: (Fraction(T[k, p], -sign * T[k, j]), rows[k]))
        T, unit = _pivot(T, k, j, unit)
        rows[k], columns[j] = c, rows[k]


def _pivot(T: Any, k: int, j: int, unit: int) -> tuple[Any, int]:
    """Exchange the variables of row k and column j of a tableau over ``unit``, which stays positive."""
    pivot, row, column = T[k, j], T[k].copy(), T[:, j].copy()
    T = (pivot * T - np.multiply.outer(column, row)) // unit
    T[k], T[:, j] = -row, column
    T[k, j] = unit
    return (T, pivot) if pivot > 0 else (-T, -pivot)


class Sides(NamedTuple):
    verdict: str
    B: list[int]  # patterns with all rows separated
    N: list[int]  # patterns with a row on every boundary
    pairs: list[tuple[int, int]]  # of N, with the rival class for each of its rows on every boundary


def sides(X: Any, y: Any, intercept: bool = True, reading: str = "decimal", family: str = "classes") -> Sides:
    """The verdict, B and N that ``separability`` should find, by the simplex method."""
    y = np.asarray(y)
    classes = np.unique(y)
    own, c = ((y > 0).tolist(), 0) if family == "poisson" else (np.searchsorted(classes, y).tolist(), classes.size)
    rows = rows_of(augmented(X, intercept, reading), own, c)
    rivals = [j for i in range(y.size) for j in (range(1 + own[i]) if c == 0 else range(c)) if c == 0 or j != own[i]]
    vanish = boundary([z for _, z in rows])
    N = sorted({rows[k][0] for k in vanish})
    verdict = "complete" if not vanish else "quasi" if len(vanish) < len(rows) else "overlap"
    return Sides(verdict, sorted(set(range(y.size)) - set(N)), N, [(rows[k][0], rivals[k]) for k in vanish])


def rank(rows: Iterable[Sequence[Any]]) -> int:
    """Rank by elimination in fractions."""
    M = [[Fraction(value) for value in row] for row in rows]
    found = 0
    for j in range(len(M[0]) if M else 0):
        pivot = next((k for k in range(found, len(M)) if M[k][j]), None)
        if pivot is None:
            continue
        M[found], M[pivot] = M[pivot], M[found]
        for k in range(found + 1, len(M)):
            factor = M[k][j] / M[found][j]
            M[k] = [u - factor * v for u, v in zip(M[k], M[found], strict=True)]
        found += 1
    return found

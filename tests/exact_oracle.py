"""A solver of the tests' own for ``separability``: all rays of a cone, in whole numbers and plain Python.

``rays`` is the double description method of Motzkin, Raiffa, Thompson and Thrall: it turns {b : Zb >= 0} into lines
and rays, one row of Z after the other. A row belongs to B exactly when it is positive on some ray; the sign of a
coefficient over the cone is that over its rays and lines. Nothing here is shared with the library.
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
    return solve(rows_of(augmented(X, intercept, reading), np.searchsorted(classes, y).tolist(), classes.size))


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

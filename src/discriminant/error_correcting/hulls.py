"""Two classes seen as two hulls: a look at all patterns, the bounds on the margin, the kernel rows at hand.

With w = Σ αᵢ zᵢ xᵢ and Σ αᵢ zᵢ = 0, the means of the classes with the weights α lie in their convex hulls, and w joins
them.  Every plane's margin is at most half their distance,

    margin of the plane w, w₀  ≤  largest margin  ≤  ‖w‖ / (2 Σ α⁺),

where w₀ puts the plane midway between the two patterns, one of each class, with the smallest z wᵗx.

Symbols: ``v`` is (0, w), or the products of w with all patterns when there is a kernel; ``f`` the products wᵗx.
``place`` tells where the kernel row of a pattern is (-1: not at hand); it is None without a kernel, and the compiler
then leaves the kernel out.

Tests: ``tests/error_correcting/test_margin_rule.py``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.path import copy_into
from .._engine.rows import Rows, finite, inlined, row_axpy, row_dot

Vector = NDArray[np.float64]
Places = NDArray[np.int64] | None


class Hulls(NamedTuple):
    """Patterns or kernel rows, labels, multipliers, and what these make of w."""

    X: Rows
    labels: NDArray[np.int32]
    alpha: Vector
    v: Vector
    f: Vector


class Found(NamedTuple):
    """What a look at all patterns finds; -1 stands for no pattern."""

    plus: int  # x⁺, the worst pattern of the positive class: the smallest wᵗx
    minus: int  # x⁻, that of the negative class
    best_plus: int  # of the remembered patterns, which have α > 0, the best
    best_minus: int
    mass: float  # Σ α⁺
    square: float  # ‖w‖²
    errors: int
    finite: bool


class Best(NamedTuple):
    """The best plane so far; ``rank`` = (errors, margin)."""

    rank: Vector
    alpha: Vector
    v: Vector


class PlaneFound(NamedTuple):
    """Errors, the margin, what no margin exceeds, and what the answer is divided by."""

    errors: int
    margin: float
    upper: float
    size: float


@inlined
def difference(X: Any, place: Places, i: int, j: int, u: Vector) -> Any:
    """Set u to xᵢ − xⱼ, or to its products with all patterns; return ‖xᵢ − xⱼ‖²."""
    if place is None:
        for t in range(u.size):
            u[t] = 0.0
        row_axpy(X, i, 1.0, 0.0, u)
        row_axpy(X, j, -1.0, 0.0, u)
        square = 0.0
        for t in range(u.size):
            square += u[t] * u[t]
        return square
    for t in range(u.size):
        u[t] = X[place[i], t] - X[place[j], t]
    return abs(u[i] - u[j])  # negative only if the kernel is no inner product; such a step still goes somewhere


@inlined
def look(place: Places, hulls: Hulls) -> Any:
    """Compute f = wᵗx of all patterns and find those that matter."""
    X, labels, alpha, v, f = hulls
    p, q, r, s, mass, square, errors = -1, -1, -1, -1, 0.0, 0.0, 0
    at_p, at_q, at_r, at_s = 0.0, 0.0, 0.0, 0.0  # f there: each reading of an array takes compiling
    for i in range(labels.size):
        label, a = labels[i], alpha[i]
        if label < 0:
            continue
        g = row_dot(X, i, v) if place is None else v[i]
        f[i] = g
        if not finite(g):
            return Found(p, q, r, s, mass, square, errors, False)
        if label == 1:
            square += a * g
            mass += a
            if p < 0 or g < at_p:
                p, at_p = i, g
            if a > 0 and (r < 0 or g > at_r):
                r, at_r = i, g
        else:
            square -= a * g
            if q < 0 or g > at_q:
                q, at_q = i, g
            if a > 0 and (s < 0 or g < at_s):
                s, at_s = i, g
    if at_p <= at_q:  # else every pattern is on its own side
        middle = (at_p + at_q) / 2
        for i in range(labels.size):
            label, g = labels[i], f[i]
            errors += label >= 0 and (g <= middle if label == 1 else g >= middle)
    if place is None:  # free of the rounding of large products
        square = 0.0
        for t in range(v.size):
            square += v[t] * v[t]
    return Found(p, q, r, s, mass, square, errors, True)


@inlined
def bounds_of(found: Found, f: Vector) -> Any:
    """Margin of the plane midway between the worst patterns, and half the distance of the weighted means."""
    if not found.square > 0 or found.mass == 0:  # a kernel that is no inner product may make the square negative
        return 0.0, 0.0
    length = math.sqrt(found.square)
    return (f[found.plus] - f[found.minus]) / 2 / length, length / (2 * found.mass)


def answer(found: Found, place: Places, hulls: Hulls, row: NDArray[Any]) -> PlaneFound:
    """Set ``row`` to the plane that was found: (w₀, w), or (w₀, α z) with a kernel.

    All is divided by the smallest z g(x) if it is positive, else by ‖w‖.
    """
    _, labels, alpha, v, f = hulls
    with np.errstate(all="ignore"):
        margin, upper = bounds_of(found, f)
        w0, size = -(f[found.plus] + f[found.minus]) / 2, (f[found.plus] - f[found.minus]) / 2
        if not size > 0:
            size = math.sqrt(found.square) if found.square > 0 else 1.0
        row[0] = w0 / size
        row[1:] = (v[1:] if place is None else np.where(labels == 1, alpha, -alpha)) / size
    return PlaneFound(found.errors, margin, upper, size)


@inlined
def keep(found: Found, margin: Any, hulls: Hulls, best: Best) -> None:
    """Remember the plane that leaves the fewest errors, and of several the one with the largest margin."""
    if found.errors < best.rank[0] or (found.errors == best.rank[0] and margin > best.rank[1]):
        best.rank[0], best.rank[1] = found.errors, margin
        copy_into(hulls.alpha, best.alpha)
        copy_into(hulls.v, best.v)

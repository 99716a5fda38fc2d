"""Pairs of rows worked off, one after the other, on a kernel matrix that is at hand; see ``blocks`` for the rule.

A pair takes three passes over the rows: the extremes of f, the partner of largest gain, f brought up to date.  Each is
written so that the compiler makes vector code of it: it may not reorder the comparisons of floats, which could be NaN,
but those of integers.  So numbers are compared by their bits, in which the order of positive floats is that of the
integers, and that of negative ones is turned round.  A row that may not move is held away by an infinite distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._engine.rows import compiled, inlined

TAU = 1e-12  # stands for a curvature that is not positive, as in libsvm
ROUGH = 1e-5  # share of the diagonal below zero that rounding in float32 does not explain
PORTION = 256  # rows of which one extreme is found, before its place is looked for: 2 kB stay in the nearest cache
LARGEST = np.int64(2**63 - 1)


@compiled
def pairs(K: Any, diagonal: Any, z: Any, C: Any, alpha: Any, f: Any, tol: float, steps: int) -> Any:
    """Work off pairs until the violation is at most tol, or so many steps were taken."""
    away_up, away_low = np.empty(f.size), np.empty(f.size)
    for t in range(f.size):
        away_up[t], away_low[t] = _distances(z[t], alpha[t], C[t])
    indefinite = False
    for step in range(steps):
        i = _place_of_lowest(f, away_up)
        lowest = f[i] + away_up[i]
        if not _highest(f, away_low) - lowest > tol:
            return step, indefinite
        j = _partner(f, away_low, diagonal, K[i], diagonal[i], lowest)
        eta = diagonal[i] + diagonal[j] - 2 * K[i, j]
        indefinite |= eta < -ROUGH * (abs(diagonal[i]) + abs(diagonal[j]))
        delta = (f[j] - lowest) / max(eta, TAU)
        room_i = C[i] - alpha[i] if z[i] > 0 else alpha[i]
        room_j = alpha[j] if z[j] > 0 else C[j] - alpha[j]
        delta = min(delta, room_i, room_j)
        alpha[i] = _moved(alpha[i], z[i] * delta, C[i], delta == room_i)
        alpha[j] = _moved(alpha[j], -z[j] * delta, C[j], delta == room_j)
        away_up[i], away_low[i] = _distances(z[i], alpha[i], C[i])
        away_up[j], away_low[j] = _distances(z[j], alpha[j], C[j])
        p, q = K[i], K[j]
        for t in range(f.size):
            f[t] += delta * (p[t] - q[t])
    return steps, indefinite


@inlined
def _distances(z: Any, alpha: Any, C: Any) -> Any:
    """Zero where αz may grow (I_up), and where it may shrink (I_low), else infinity."""
    down, up = (0.0 if alpha > 0 else np.inf), (0.0 if alpha < C else np.inf)
    return (up, down) if z > 0 else (down, up)


@inlined
def _moved(alpha: Any, step: Any, C: Any, to_bound: Any) -> Any:
    """The α after a step; a bound that it meets is met exactly."""
    if to_bound:
        return C if step > 0 else 0.0
    return min(max(alpha + step, 0.0), C)


@inlined
def _bits(x: Any) -> Any:
    """An integer that stands in the order of the integers where x stands in that of the floats."""
    k = np.float64(x).view(np.int64)
    return k ^ ((k >> 63) & LARGEST)


@inlined
def _place_of_lowest(f: Any, away: Any) -> Any:
    lowest, place = LARGEST, 0
    for start in range(0, f.size, PORTION):
        stop = min(start + PORTION, f.size)
        some, distance, low = f[start:stop], away[start:stop], LARGEST
        for t in range(some.size):
            low = min(low, _bits(some[t] + distance[t]))
        if low < lowest:
            lowest, place = low, start
    while _bits(f[place] + away[place]) != lowest and place < f.size - 1:
        place += 1
    return place


@inlined
def _highest(f: Any, away: Any) -> Any:
    high = -LARGEST
    for t in range(f.size):
        high = max(high, _bits(f[t] - away[t]))
    return np.int64(high ^ ((high >> 63) & LARGEST)).view(np.float64)


@inlined
def _partner(f: Any, away: Any, diagonal: Any, row: Any, square: Any, lowest: Any) -> Any:
    """The first place of the largest gain; ``row`` and ``square`` are the first one's K_it and K_ii."""
    most, place = np.int64(-1), 0
    for start in range(0, f.size, PORTION):
        stop = min(start + PORTION, f.size)
        some, distance, squares, K = f[start:stop], away[start:stop], diagonal[start:stop], row[start:stop]
        more = np.int64(-1)
        for t in range(some.size):
            more = max(more, _gain(some[t] - distance[t] - lowest, square + squares[t] - 2 * K[t]))
        if more > most:
            most, place = more, start
    while _gain(f[place] - away[place] - lowest, square + diagonal[place] - 2 * row[place]) != most:
        if place == f.size - 1:
            break
        place += 1
    return place


@inlined
def _gain(rise: Any, eta: Any) -> Any:
    """The gain rise²/η, by its bits, which are in order as it is not negative."""
    eta = eta if eta > TAU else TAU
    rise = rise if rise > 0.0 else 0.0
    return np.float64(rise * rise / eta).view(np.int64)

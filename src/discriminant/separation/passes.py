"""Passes over blocks of X: on which side of b each pattern lies, and by how much rounding may err.

The bound on rounding holds for sums in any order, so that a small table is left to numpy, and compiles nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._engine.rows import Rows, compiled, row_axpy, row_count, row_dot, row_sums

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Labels = NDArray[np.int32]
FEW = 2**15  # numbers of a dense X, once for each of its discriminants, that are left to numpy
Sides = tuple[Floats, Floats, Labels]  # of each pattern: the least zb, a lower bound of it, and whose it is


def judge_few(X: Floats, own: Labels, A: Floats, counts: bool, level: float, tau: float, slack: float) -> Sides:
    """What ``judge`` and ``judge_pair`` say, of a small dense table."""
    n, rows = own.size, np.arange(own.size)
    with np.errstate(all="ignore"):  # what is not finite is no side to be sure of
        g, e = (np.column_stack([np.zeros(n), Y @ B[:, 1:].T + B[:, 0]]) for Y, B in ((X, A), (abs(X), abs(A))))
        if counts:
            rival = (own > 0) & (g[:, 1] > 0)
            low = np.where(rival, -g[:, 1], g[:, 1]) - level
            sure = low - (tau * e[:, 1] + slack)
        else:
            values = g[rows, own][:, None] - g - level
            bounds = tau * (e[rows, own][:, None] + e + level) + slack
            values[rows, own] = np.inf
            rival = values.argmin(axis=1)
            low, sure = values.min(axis=1), (values - bounds).min(axis=1)
    absent = own < 0
    low[absent], sure[absent] = np.inf, np.inf
    return low, sure, rival.astype(np.int32)


@compiled
def judge(X: Rows, own: Labels, A: Floats, counts: bool, level: float, tau: float, slack: float) -> Sides:
    """Sides of all patterns, for a linear machine with the first class at zero, or for counts.

    zb may be off by tau times the sum of its terms' moduli, and slack.
    """
    n, c = row_count(X), A.shape[0] + 1
    low, sure, rival = np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.int32)
    g, e = np.zeros(c), np.zeros(c)
    for i in range(n):
        if own[i] < 0:
            continue
        for k in range(c - 1):
            g[k + 1], e[k + 1] = row_sums(X, i, A[k])
        for k in range(c):
            if counts:  # one row y, and for a count above zero -y too: the worse of both
                k = 1 if own[i] and g[1] > 0 else 0
                value, bound = (-g[1] if k else g[1]) - level, tau * e[1] + slack
            elif k == own[i]:
                continue
            else:
                value, bound = g[own[i]] - g[k] - level, tau * (e[own[i]] + e[k] + level) + slack
            if not value >= low[i]:
                low[i], rival[i] = value, k
            if not value - bound >= sure[i]:
                sure[i] = value - bound
    return low, sure, rival


@compiled
def judge_pair(X: Rows, own: Labels, a: Floats, level: float, tau: float, slack: float) -> Sides:
    """Sides of the patterns of two classes, at the speed of memory."""
    n = row_count(X)
    low, sure, rival = np.empty(n), np.empty(n), np.empty(n, np.int32)
    for i in range(n):
        g, e = row_sums(X, i, a)
        value = (g if own[i] == 1 else -g) - level
        low[i] = value if own[i] >= 0 else np.inf
        sure[i] = low[i] - tau * (e + level) - slack
        rival[i] = 1 - own[i]
    return low, sure, rival


@compiled
def walk(X: Rows, own: Labels, A: Floats, size: float) -> NDArray[np.bool_]:
    """One pass of the perceptron for a linear machine, the first class at zero: for which patterns it changed A."""
    corrected = np.zeros(row_count(X), np.bool_)
    for i in range(row_count(X)):
        k = own[i]
        if k < 0:
            continue
        rival, strongest, mine = -1, 0.0, 0.0
        for j in range(A.shape[0] + 1):
            g = row_dot(X, i, A[j - 1]) if j else 0.0
            if j == k:
                mine = g
            elif rival < 0 or g > strongest:
                rival, strongest = j, g
        if mine <= strongest:
            corrected[i] = True
            if k:
                row_axpy(X, i, 1.0, size, A[k - 1])
            if rival:
                row_axpy(X, i, -1.0, size, A[rival - 1])
    return corrected

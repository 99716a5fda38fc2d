"""Compiled passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._engine.rows import Rows, compiled, row_axpy, row_count, row_dot, row_sums

Floats = NDArray[np.float64]


Indices = NDArray[np.int64]


@compiled
def _judge(
    X: Rows,
    own: NDArray[np.int32],
    A: Floats,
    tau: float,
    slack: float,
    level: float,
    counts: bool,
    low: Floats,
    sure: Floats,
    rival: NDArray[np.int32],
) -> None:
    """For each pattern: the least zb - level over its rivals, the least lower bound, and whose the former is."""
    c = A.shape[0] + 1
    g, e = np.zeros(c), np.zeros(c)
    for i in range(row_count(X)):
        low[i], sure[i], rival[i] = np.inf, np.inf, 0
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


@compiled
def _judge_pair(
    X: Rows,
    own: NDArray[np.int32],
    a: Floats,
    tau: float,
    slack: float,
    level: float,
    low: Floats,
    sure: Floats,
    rival: NDArray[np.int32],
) -> None:
    """Do the same for two classes, at the speed of memory."""
    for i in range(row_count(X)):
        g, e = row_sums(X, i, a)
        value = (g if own[i] == 1 else -g) - level
        low[i] = value if own[i] >= 0 else np.inf
        sure[i] = low[i] - tau * (e + level) - slack
        rival[i] = 1 - own[i]


@compiled
def _walk(X: Rows, own: NDArray[np.int32], A: Floats, size: float, corrected: NDArray[np.bool_]) -> int:
    """One pass of the perceptron for a linear machine, the first class at zero; which patterns it corrected for."""
    c = A.shape[0] + 1
    count = 0
    for i in range(row_count(X)):
        corrected[i] = False
        k = own[i]
        if k < 0:
            continue
        rival, strongest, mine = -1, 0.0, 0.0
        for j in range(c):
            g = row_dot(X, i, A[j - 1]) if j else 0.0
            if j == k:
                mine = g
            elif rival < 0 or g > strongest:
                rival, strongest = j, g
        if mine <= strongest:
            corrected[i] = True
            count += 1
            if k:
                row_axpy(X, i, 1.0, size, A[k - 1])
            if rival:
                row_axpy(X, i, -1.0, size, A[rival - 1])
    return count


@compiled
def _sums(X: Rows, chosen: Indices, a: Floats, g: Floats, e: Floats) -> None:
    """A'y and |a|'|y| of chosen patterns."""
    for k in range(chosen.size):
        g[k], e[k] = row_sums(X, chosen[k], a)

"""One pass over dense rows for many classes: scores, exponentials and pulls, in blocks that stay in the cache.

    g_k = w_kᵗx + w_k0        p_k = exp(g_k) / Σ_j exp(g_j)        G_k += v (p_k − t_k) x

A matrix product with a handful of columns spends its time on packing X. Four rows and two classes at a time need none,
and read X from memory once. numpy's exponential, and the C library's, takes one number at a time where the processor
lacks AVX-512; ``exponentials`` is written so that the compiler takes several.

Symbols: ``W`` the weights, one row a class, with a row of zeros more where their number is odd; ``R`` the scores of a
block, then v (p − t); t the indicators of the classes, v the weights of the rows.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.compiling import cached
from .._engine.linalg import Matrix
from .._engine.rows import compiled

Labels = NDArray[np.int32]

BLOCK = 512  # rows at a time: of 100 columns, they just fit into the second cache
LOWEST = -708.0  # of exponents: exp of it is the smallest normal number, nearly
ABSENT = -1e4  # the score of the class that makes their number even: its exponential is zero

# exp(x) = 2^k exp(r), k = round(x / log 2), r = x - k log 2, with log 2 in two parts so that k times the first is exact
PER_LOG2 = 1 / math.log(2)
LOG2_HIGH, LOG2_LOW = 6.93145751953125e-1, 1.42860682030941723212e-6
ROUND = 1.5 * 2.0**52  # added to a number below 2^51, it leaves its whole part in the last bits
SERIES = tuple(1 / math.factorial(n) for n in range(13))  # |r| <= log(2)/2: the next term is below 2e-16
C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12 = SERIES


@partial(cached, fastmath={"contract"})  # the order of operations matters: rounding is meant
def exponentials(x: Matrix, count: int, bits: NDArray[np.int64], rounded: Matrix) -> None:
    """Replace the first numbers, all up to 0, by their exponentials; ``bits`` and ``rounded`` are the same memory."""
    for i in range(count):
        rounded[i] = max(x[i], LOWEST) * PER_LOG2 + ROUND
    for i in range(count):
        k = rounded[i] - ROUND
        r = (max(x[i], LOWEST) - k * LOG2_HIGH) - k * LOG2_LOW
        high = C6 + r * (C7 + r * (C8 + r * (C9 + r * (C10 + r * (C11 + r * C12)))))
        x[i] = C0 + r * (C1 + r * (C2 + r * (C3 + r * (C4 + r * (C5 + r * high)))))
    for i in range(count):
        bits[i] = (bits[i] + 1023) << 52  # the bits of 2^k
    for i in range(count):
        x[i] *= rounded[i]


@compiled
def scores(X: Any, W: Matrix, start: int, stop: int, R: Matrix) -> None:
    """Inner products of rows with all w, four rows and two classes at a time."""
    for i in range(start, stop - 3, 4):
        for k in range(0, W.shape[0], 2):
            a0, a1, a2, a3, b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(W.shape[1]):
                a, b = W[k, j], W[k + 1, j]
                x0, x1, x2, x3 = X[i, j], X[i + 1, j], X[i + 2, j], X[i + 3, j]
                a0 += a * x0
                a1 += a * x1
                a2 += a * x2
                a3 += a * x3
                b0 += b * x0
                b1 += b * x1
                b2 += b * x2
                b3 += b * x3
            r = i - start
            R[r, k], R[r + 1, k], R[r + 2, k], R[r + 3, k] = a0, a1, a2, a3
            R[r, k + 1], R[r + 1, k + 1], R[r + 2, k + 1], R[r + 3, k + 1] = b0, b1, b2, b3
    for i in range(stop - (stop - start) % 4, stop):
        for k in range(W.shape[0]):
            total = 0.0
            for j in range(W.shape[1]):
                total += W[k, j] * X[i, j]
            R[i - start, k] = total


@compiled
def pulls(X: Any, R: Matrix, start: int, stop: int, G: Matrix) -> None:
    """Add R_ik x_i to G_k, four rows and two classes at a time."""
    for i in range(start, stop - 3, 4):
        r = i - start
        for k in range(0, G.shape[0], 2):
            a0, a1, a2, a3 = R[r, k], R[r + 1, k], R[r + 2, k], R[r + 3, k]
            b0, b1, b2, b3 = R[r, k + 1], R[r + 1, k + 1], R[r + 2, k + 1], R[r + 3, k + 1]
            for j in range(G.shape[1]):
                x0, x1, x2, x3 = X[i, j], X[i + 1, j], X[i + 2, j], X[i + 3, j]
                G[k, j] += a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
                G[k + 1, j] += b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
    for i in range(stop - (stop - start) % 4, stop):
        for k in range(G.shape[0]):
            for j in range(G.shape[1]):
                G[k, j] += R[i - start, k] * X[i, j]


@compiled
def shifted(R: Matrix, rows: int, first: Matrix, own: Labels, v: Matrix, start: int) -> tuple[float, int]:
    """Add w₀ to the scores of some rows and subtract the largest; the sum of v (largest − own), and the errors."""
    total, errors, c = 0.0, 0, first.size
    for i in range(rows):
        k, top = own[start + i], -np.inf
        mine = R[i, k] + first[k]
        for j in range(c):
            R[i, j] += first[j]
            if j != k and not R[i, j] <= top:
                top = R[i, j]
        errors += 0 if mine > top else 1
        top = max(mine, top)
        total += (v[start + i] if v.size else 1.0) * (top - mine)
        for j in range(R.shape[1]):
            R[i, j] = R[i, j] - top if j < c else ABSENT
    return total, errors


@compiled
def divided(R: Matrix, rows: int, own: Labels, v: Matrix, start: int, sums: Matrix) -> float:
    """Turn exponentials into v (p − t), and add these to the sums; the sum of v times the logarithm of the divisor."""
    total, c = 0.0, sums.size
    for i in range(rows):
        weight, divisor = v[start + i] if v.size else 1.0, 0.0
        for j in range(c):
            divisor += R[i, j]
        total += weight * math.log(divisor)
        for j in range(c):
            R[i, j] *= weight / divisor
        R[i, own[start + i]] -= weight
        for j in range(c):
            sums[j] += R[i, j]
    return total


def brief_machine_pass(X: Any, own: Labels, v: Matrix, W: Matrix, first: Matrix) -> list[Any]:
    """Loss, errors and gradient of rows so few that numpy is quick enough, and need not be compiled."""
    R, rows = W @ X.T, np.arange(own.size)  # one row a class: sums over classes are then sums of rows
    R += first[:, None]
    R -= np.maximum.reduce(R)
    mine, alone = R[own, rows], np.add.reduce(R == 0, dtype=np.intp) == 1
    wrong = own.size - np.count_nonzero(alone & (mine == 0))
    np.exp(R, out=R)
    divisor = np.add.reduce(R)
    losses = np.log(divisor) - mine
    R /= divisor
    R[own, rows] -= 1
    if v.size:
        losses *= v
        R *= v
    G = np.empty((first.size, X.shape[1] + 1))
    np.add.reduce(R, axis=1, out=G[:, 0])
    G[:, 1:] = R @ X
    return [losses.sum(), wrong, G]


class ScoreBlock:
    """Scores R of some rows for some classes, their number even, and what their exponentials need."""

    def __init__(self, rows: int, classes: int) -> None:
        self.flat, self.bits = np.empty(rows * classes), np.empty(rows * classes, np.int64)
        self.R, self.rounded = self.flat.reshape(rows, classes), self.bits.view(np.float64)

    def residuals(
        self, rows: int, first: Matrix, own: Labels, v: Matrix, start: int, sums: Matrix
    ) -> tuple[float, int]:
        """Turn the inner products of some rows into v (p − t), and add these to the sums; their loss and errors."""
        above, errors = shifted(self.R, rows, first, own, v, start)
        exponentials(self.flat, rows * self.R.shape[1], self.bits, self.rounded)
        return above + divided(self.R, rows, own, v, start, sums), errors


def machine_pass(X: Any, own: Labels, v: Matrix, W: Matrix, first: Matrix, start: int, stop: int) -> list[Any]:
    """Loss, errors and gradient of some rows, a list of what adds up over runs of rows."""
    total, errors, G, sums = 0.0, 0, np.zeros(W.shape), np.zeros(first.size)
    block = ScoreBlock(BLOCK, len(W))
    for low in range(start, stop, BLOCK):
        rows = min(BLOCK, stop - low)
        scores(X, W, low, low + rows, block.R)
        loss, wrong = block.residuals(rows, first, own, v, low, sums)
        total, errors = total + loss, errors + wrong
        pulls(X, block.R, low, low + rows, G)
    return [total, errors, np.column_stack([sums, G[: first.size]])]

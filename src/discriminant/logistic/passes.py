"""One pass over the rows for two classes: margins, losses and pulls.

    m = z (wᵗx + w₀),  z = ±1        l = log(1 + exp(−m))        gradient += v (p − t) y,  |p − t| = 1 − σ(m)

Where dense rows are few enough to stay in the cache, a pass takes a group of them at a time. The C library's
exponential and logarithm take one number at a time; those of ``short_pass`` are series, of which the compiler makes
instructions for several numbers; and four rows at a time share what they read of the weights. Rows that come from
memory are better read one after the other, and so are sparse ones. A few hundred rows are left to numpy, which takes
about as long and need not be compiled.

Symbols: ``own`` classes 0 and 1 of the rows; ``v`` their weights, empty where all are 1; a = (w₀, w); y = (1, x);
``e`` = exp(−|m|).

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.5.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .._engine.linalg import Matrix
from .._engine.rows import Rows, compiled, inlined, row_axpy, row_dot
from .softmax import Labels, exponentials

GROUP = 32  # rows at a time: of 100 columns, they just fit into the first cache
D0, D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11, D12, D13, D14, D15, D16 = (2 / (2 * n + 1) for n in range(17))


def brief_pass(Y: Matrix, v: Matrix, a: Matrix) -> list[Any]:
    """Σ v log(1 + exp(−m)), the errors and the gradient −Σ v (1 − σ(m)) zy of few rows, given their zy."""
    m = Y @ a
    below = -m
    losses, pull = np.logaddexp(0.0, below), expit(below)
    if v.size:
        losses, pull = losses * v, pull * v
    return [losses.sum(), m.size - np.count_nonzero(m > 0), -(pull @ Y)[None]]


@compiled
def dots(X: NDArray[Any], start: int, count: int, a: Matrix, m: Matrix) -> None:
    """Inner products m of some rows with a, four rows at a time."""
    for i in range(0, count - 3, 4):
        s0 = s1 = s2 = s3 = 0.0
        for j in range(X.shape[1]):
            w, at = a[j + 1], start + i
            s0 += w * X[at, j]
            s1 += w * X[at + 1, j]
            s2 += w * X[at + 2, j]
            s3 += w * X[at + 3, j]
        m[i], m[i + 1], m[i + 2], m[i + 3] = a[0] + s0, a[0] + s1, a[0] + s2, a[0] + s3
    for i in range(count - count % 4, count):
        m[i] = row_dot(X, start + i, a)


@compiled
def pulls(X: NDArray[Any], start: int, count: int, r: Matrix, g: Matrix) -> None:
    """Add r_i y_i to g, four rows at a time."""
    for i in range(0, count - 3, 4):
        r0, r1, r2, r3, at = r[i], r[i + 1], r[i + 2], r[i + 3], start + i
        g[0] += r0 + r1 + r2 + r3
        for j in range(X.shape[1]):
            g[j + 1] += r0 * X[at, j] + r1 * X[at + 1, j] + r2 * X[at + 2, j] + r3 * X[at + 3, j]
    for i in range(count - count % 4, count):
        row_axpy(X, start + i, r[i], 1.0, g)


@inlined
def log1p(e: Any) -> Any:
    """log(1 + e) for 0 <= e <= 1, as 2 artanh(s) with s = e / (2 + e) <= 1/3: the next term is below 1e-17."""
    s = e / (2 + e)
    q = s * s
    high = D8 + q * (D9 + q * (D10 + q * (D11 + q * (D12 + q * (D13 + q * (D14 + q * (D15 + q * D16)))))))
    return s * (D0 + q * (D1 + q * (D2 + q * (D3 + q * (D4 + q * (D5 + q * (D6 + q * (D7 + q * high))))))))


@inlined
def wrong(m: Any, e: Any) -> Any:
    """1 − σ(m), the probability that is given to the other class, where e = exp(−|m|)."""
    return (e if m > 0 else 1.0) / (1 + e)


@compiled
def short_pass(X: Any, own: Labels, v: Matrix, a: Matrix, start: int, stop: int, gradient: Matrix) -> tuple[float, int]:
    """Σ v log(1 + exp(−z g)) and the errors of some rows; v (p − t) y is added to the gradient."""
    m, e, bits = np.empty(GROUP), np.empty(GROUP), np.empty(GROUP, np.int64)
    rounded, total, errors = bits.view(np.float64), 0.0, 0
    for low in range(start, stop, GROUP):
        count = min(GROUP, stop - low)
        dots(X, low, count, a, m)
        for i in range(count):
            m[i] = m[i] if own[low + i] == 1 else -m[i]
            e[i] = -abs(m[i])
        exponentials(e, count, bits, rounded)
        for i in range(count):
            errors += 0 if m[i] > 0 else 1
            loss, pull = log1p(e[i]) + (0.0 if m[i] > 0 else -m[i]), wrong(m[i], e[i])  # NaN stays NaN
            m[i], e[i] = loss, -pull if own[low + i] == 1 else pull
        for i in range(count if v.size else 0):
            m[i] *= v[low + i]
            e[i] *= v[low + i]
        for i in range(count):
            total += m[i]
        pulls(X, low, count, e, gradient)
    return total, errors


@compiled
def long_pass(X: Rows, own: Labels, v: Matrix, a: Matrix, start: int, stop: int, gradient: Matrix) -> tuple[float, int]:
    """The same, row by row."""
    total, errors = 0.0, 0
    for i in range(start, stop):
        z = 1.0 if own[i] == 1 else -1.0
        m = z * row_dot(X, i, a)
        e = math.exp(-abs(m))
        weight = v[i] if v.size else 1.0
        total += weight * (math.log1p(e) - min(m, 0.0))
        errors += 0 if m > 0 else 1
        row_axpy(X, i, -z * weight * wrong(m, e), 1.0, gradient)
    return total, errors

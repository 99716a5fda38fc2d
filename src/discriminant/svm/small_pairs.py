"""Support vector machines of very many pairs of small classes: a compiled call for each, on kernel values made once.

A pair takes what ``_whole`` takes: pairs of rows are worked off until it is plain which alpha are at their bounds, and
Newton's steps on the others go to the last digits,

    (K + mu) d_beta + nu = -f,   sum of d_beta = 0,   beta = alpha z,

each cut where an alpha meets a bound.  Here all of it is one compiled pass without a call of LAPACK: for a hundred rows
the calls would take longer than the work.  What does not end so is left to the solvers of larger problems.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import mercer
from .._engine.problem import Problem
from .._engine.rows import compiled, inlined
from .._engine.threads import one_blas_thread
from ..solution import Status
from .dual import feasible
from .linear import NEARLY, ROUNDING, SMALL, Vector, centered, relative_gap
from .pair_steps import extremes, pairs
from .problems import Machine, Parts, Settings

MANY = 10  # classes from which this pays for its compiling
ROOM = 2**23  # kernel values of one class with others that are held at a time
ROUNDS = 6  # turns of pairs and of Newton's steps
FIRST = 1e-2  # violation that the pairs of rows are worked down to in the first turn
STEPS = 20  # pairs for each row in a turn
NEWTON = 10  # Newton's steps in a turn
MU = 1e-11  # share of the diagonal that makes a kernel matrix definite


class SmallPairs:
    """The pairs of classes, in their order, with their kernel matrices."""

    def __init__(self, settings: Settings, kernel: mercer.Kernel, problem: Problem, parts: Parts) -> None:
        self.settings, self.kernel, self.parts = settings, kernel, parts
        self.plane = isinstance(kernel, mercer.Linear)
        self.order = np.concatenate(parts.members)
        self.ends = np.cumsum([0, *(rows.size for rows in parts.members)]).tolist()
        X = problem.source[self.order]
        if self.plane:
            X, self.center = centered(X)
        self.X = X.astype(np.float64, copy=False)
        self.prices = settings.prices(problem)[self.order]

    @staticmethod
    def serves(settings: Settings, parts: Parts) -> bool:
        """Tell whether there are many classes, each as small as it must be."""
        sizes = sorted(rows.size for rows in parts.members)
        soft = settings.free and bool(np.isfinite(settings.C))
        return parts.pairwise and len(sizes) >= MANY and soft and sum(sizes[-2:]) <= SMALL

    def machines(self, past: list[Machine | None]) -> Iterator[Machine | None]:
        """Solve pair after pair, from what was found for another C; None where that has not ended well."""
        before = iter(past)
        with one_blas_thread():  # the same sums whatever the number of threads
            own = [self._values(i, i, i + 1) for i in range(self.parts.c)]
            for i in range(self.parts.c):
                for j, cross in self._crossings(i):
                    yield self._machine(i, j, joined(own[i], cross, own[j]), next(before))

    def _rows(self, first: int, last: int) -> slice:
        return slice(self.ends[first], self.ends[last])

    def _values(self, i: int, first: int, last: int) -> Vector:
        """Give the kernel values of class i with several classes."""
        rows, columns = self._rows(i, i + 1), self._rows(first, last)
        if isinstance(self.kernel, mercer.Precomputed):
            K = self.X[rows][:, self.order[columns]]
            return np.asarray(K.toarray() if hasattr(K, "toarray") else K)
        return np.asarray(self.kernel(self.X[rows], self.X[columns]), np.float64)

    def _crossings(self, i: int) -> Iterator[tuple[int, Vector]]:
        """Give the kernel values of class i with each later class."""
        j, c = i + 1, self.parts.c
        while j < c:
            room = self.ends[j] + ROOM // (self.ends[i + 1] - self.ends[i])
            last = max(j + 1, int(np.searchsorted(self.ends, room, side="right")) - 1)
            K = self._values(i, j, last)
            for k in range(j, last):
                yield k, K[:, self.ends[k] - self.ends[j] : self.ends[k + 1] - self.ends[j]]
            j = last

    def _machine(self, i: int, j: int, K: Vector, past: Machine | None) -> Machine | None:
        one, other = self._rows(i, i + 1), self._rows(j, j + 1)
        C = np.concatenate([self.prices[one], self.prices[other]])
        z = np.repeat([-1.0, 1.0], [one.stop - one.start, other.stop - other.start])
        extra, bounds = np.zeros(z.size), C
        if self.settings.squared:  # the same dual with 1/(2C) more on the diagonal and no bounds
            extra, bounds = 0.5 / C, np.full(z.size, np.inf)
            K.flat[:: z.size + 1] += extra
        alpha, f = feasible(None if past is None else past.alpha, z, bounds), np.empty(z.size)
        rounds, violation = settle(K, K.diagonal().copy(), z, bounds, alpha, f, NEARLY)
        bias, square, dual, value = appraised(z, C, bounds, extra, alpha, f)
        a = np.array([bias])
        if self.plane:
            X, beta = np.concatenate([self.X[one], self.X[other]]), alpha * z
            w = beta @ X
            a = np.concatenate([[bias - w @ self.center], w])
            square = float(w @ w)
            t = np.maximum(0, 1 - z * (X @ w + bias))
            value = 0.5 * square + float(C @ (t * t if self.settings.squared else t))
        gap = relative_gap(value, dual)
        if not (violation <= NEARLY and gap <= ROUNDING):
            return None
        return Machine(alpha, a, square, value, gap, max(0.0, violation), rounds, Status.CONVERGED, [])


def joined(one: Vector, cross: Vector, other: Vector) -> Vector:
    """Give the kernel matrix of two classes."""
    k, m = cross.shape
    K = np.empty((k + m, k + m))
    K[:k, :k], K[:k, k:], K[k:, :k], K[k:, k:] = one, cross, cross.T, other
    return K


@compiled
def settle(K: Any, diagonal: Any, z: Any, C: Any, alpha: Any, f: Any, tol: float) -> Any:
    """Bring alpha and f to the maximum; the turns that were taken, and the violation that is left."""
    refresh(K, z, alpha, f)
    limit = FIRST
    violation = np.inf
    for turn in range(ROUNDS):
        steps, bent = pairs(K, diagonal, z, C, alpha, f, limit, STEPS * z.size)
        if bent or steps == STEPS * z.size:
            return turn, np.inf
        full = 0
        for _ in range(NEWTON):
            full += 0 if newton(K, z, C, alpha, f) else 1
            if full == 2:  # the second one takes away the rounding of the first
                break
        refresh(K, z, alpha, f)
        high, low = extremes(z, alpha, C, f)
        violation = high - low
        if violation <= tol:
            return turn + 1, violation
        limit = max(tol, 0.01 * min(limit, violation))
    return ROUNDS, violation


@compiled
def refresh(K: Any, z: Any, alpha: Any, f: Any) -> None:
    """Compute f from alpha."""
    for t in range(z.size):
        f[t] = -z[t]
    for i in range(z.size):
        if alpha[i] != 0:
            add(f, alpha[i] * z[i], K[i])


@inlined
def add(f: Any, weight: float, row: Any) -> None:
    """Add a weighted row to f."""
    for t in range(f.size):
        f[t] += weight * row[t]


@compiled
def newton(K: Any, z: Any, C: Any, alpha: Any, f: Any) -> bool:
    """Take a step in the alpha between the bounds, and say whether it was cut, so that another should follow."""
    free, m = np.empty(z.size, np.int64), 0
    for i in range(z.size):
        if 0 < alpha[i] < C[i]:
            free[m] = i
            m += 1
    if m < 2:
        return False
    beta = direction(K, f, free, m)
    share, met = 1.0, -1
    for k in range(m):
        i = free[k]
        move = beta[k] * z[i]
        room = (C[i] - alpha[i]) / move if move > 0 else -alpha[i] / move if move < 0 else np.inf
        if room < share:
            share, met = room, k
    for k in range(m):
        i = free[k]
        step = share * beta[k]
        alpha[i] = min(max(alpha[i] + step * z[i], 0.0), C[i])
        if k == met:
            alpha[i] = C[i] if beta[k] * z[i] > 0 else 0.0
        add(f, step, K[i])
    return met >= 0


@inlined
def direction(K: Any, f: Any, free: Any, m: int) -> Any:
    """Solve (K + mu) beta + nu = -f, sum beta = 0, over m rows, by Cholesky's factors.

    The mean of f is taken away, and the diagonal's mean added to K, neither of which changes the answer, but the
    rounding.  Where K is not definite, a pivot is replaced by a large one: that beta then hardly moves.
    """
    level, mean = 0.0, 0.0
    for k in range(m):
        level += abs(K[free[k], free[k]]) / m
        mean += f[free[k]] / m
    L = np.empty((m, m))
    u, v = np.empty(m), np.empty(m)
    for k in range(m):
        row = K[free[k]]
        u[k], v[k] = mean - f[free[k]], 1.0
        for j in range(k + 1):
            total = row[free[j]] + level
            for t in range(j):
                total -= L[k, t] * L[j, t]
            if j < k:
                L[k, j] = total / L[j, j]
                u[k] -= L[k, j] * u[j]
                v[k] -= L[k, j] * v[j]
            else:
                total += MU * level
                L[k, k] = np.sqrt(total) if total > 0.1 * MU * level else 1e10 * np.sqrt(level) + 1e-300
                u[k] /= L[k, k]
                v[k] /= L[k, k]
    above, below = 0.0, 0.0
    for k in range(m - 1, -1, -1):
        u[k] /= L[k, k]
        v[k] /= L[k, k]
        above, below = above + u[k], below + v[k]
        for j in range(k):
            u[j] -= L[k, j] * u[k]
            v[j] -= L[k, j] * v[k]
    for k in range(m):
        u[k] -= above / below * v[k]
    return u


@compiled
def appraised(z: Any, C: Any, bounds: Any, extra: Any, alpha: Any, f: Any) -> Any:
    """Give w0, |w|², the dual value and the criterion; with ``extra`` on the diagonal slack counts by its square."""
    total, number = 0.0, 0
    for t in range(z.size):
        if 0 < alpha[t] < bounds[t]:
            total, number = total + f[t], number + 1
    high, low = extremes(z, alpha, bounds, f)
    bias = -total / number if number else -0.5 * (high + low)
    square = more = sums = loss = 0.0
    for t in range(z.size):
        more += alpha[t] * (alpha[t] * extra[t])
        square += alpha[t] * (1 + z[t] * f[t])
        sums += alpha[t]
        slack = max(0.0, alpha[t] * extra[t] - z[t] * (f[t] + bias))
        loss += C[t] * (slack if extra[t] == 0 else slack * slack)
    length = max(square - more, 0.0)
    return bias, length, sums - 0.5 * square, 0.5 * length + loss

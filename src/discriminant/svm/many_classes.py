"""Support vector machines for all problems of two classes that a fit is made of, each by the solver that suits it.

Very many pairs of small classes take a compiled call each, on kernel values made once.  It does what ``small`` does:
pairs of rows are worked off until it is plain which α are at their bounds, and Newton's steps on the others go to the
last digits,

    (K + μ) Δβ + ν = -f,   Σ Δβ = 0,   β = αz,

each cut where an α meets a bound.  All of it is one compiled pass without a call of LAPACK: for a hundred rows the
calls would take longer than the work.  What does not end so is left to the solvers of larger problems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import mercer
from .._engine.driver import Interrupted, Watch
from .._engine.problem import Problem
from .._engine.rows import compiled, inlined
from .._engine.threads import one_blas_thread
from .._kernel_matrix.rows import SMALL
from .._kernel_matrix.source import Vector
from ..solution import Status
from .dual import feasible
from .kernel import KernelMachines
from .linear import centered, plane
from .pair_steps import pairs
from .problems import NEARLY, ROUNDING, Machine, ProblemsOfTwo, Settings, TwoClasses, dual_bounds, relative_gap
from .small import RIDGE, STEPS

MANY = 10  # classes from which this pays for its compiling
ROOM = 2**23  # kernel values of one class with others that are held at a time
ROUNDS = 6  # turns of pairs and of Newton's steps
FIRST = 1e-2  # violation that the pairs of rows are worked down to in the first turn
NEWTON = 10  # Newton's steps in a turn


def machines(
    settings: Settings,
    kernel: mercer.Kernel,
    whole: tuple[Problem, NDArray[Any]],
    parts: ProblemsOfTwo,
    start: Sequence[Machine | None],
    watch: Watch,
) -> Iterator[Machine]:
    """Solve the parts of a problem with its classes, from what was found for another C."""
    problem, quick = whole[0], None
    costs, linear = settings.costs(problem), isinstance(kernel, mercer.Linear)
    if SmallPairs.serves(settings, parts):
        quick = SmallPairs(settings, kernel, problem, parts).machines(start)
    others: KernelMachines | None = None
    for (rows, z), past in zip(parts, start, strict=True):
        two = TwoClasses(rows, z, costs[rows])
        try:
            watch.check()
            found = None if quick is None else next(quick)
            if found is None and linear:
                found = plane(settings, whole, two, past, watch)
            elif found is None:
                others = others or KernelMachines(settings, kernel, problem.source, watch)
                found = others.machine(two, past)
        except Interrupted:
            a = np.zeros(1 + (problem.n_features if linear else 0))  # unless there is a machine of another C
            known = past or Machine(np.zeros(rows.size), a, 0.0, float(two.C.sum()), 1.0, 2.0, 0, Status.STOPPED)
            found = known._replace(status=Status.STOPPED)
        yield found


class SmallPairs:
    """The pairs of classes, in their order, with their kernel matrices."""

    def __init__(self, settings: Settings, kernel: mercer.Kernel, problem: Problem, parts: ProblemsOfTwo) -> None:
        self.settings, self.kernel, self.parts = settings, kernel, parts
        self.plane = isinstance(kernel, mercer.Linear)
        self.order = np.concatenate(parts.members)
        self.ends = np.cumsum([0, *(rows.size for rows in parts.members)]).tolist()
        X = problem.source[self.order]
        if self.plane:
            X, self.center = centered(X)
        self.X = X.astype(np.float64, copy=False)
        self.costs = settings.costs(problem)[self.order]

    @staticmethod
    def serves(settings: Settings, parts: ProblemsOfTwo) -> bool:
        sizes = sorted(rows.size for rows in parts.members)
        soft = settings.free and not settings.hard
        return parts.pairwise and len(sizes) >= MANY and soft and sum(sizes[-2:]) <= SMALL

    def machines(self, start: Sequence[Machine | None]) -> Iterator[Machine | None]:
        """Solve pair after pair, from what was found for another C; None where that has not ended well."""
        before = iter(start)
        with one_blas_thread():  # the same sums whatever the number of threads
            own = [self._values(i, i, i + 1) for i in range(self.parts.c)]
            for i in range(self.parts.c):
                for j, cross in self._crossings(i):
                    yield self._machine(i, j, _joined(own[i], cross, own[j]), next(before))

    def _rows(self, first: int, last: int) -> slice:
        return slice(self.ends[first], self.ends[last])

    def _values(self, i: int, first: int, last: int) -> Vector:
        rows, columns = self._rows(i, i + 1), self._rows(first, last)
        if isinstance(self.kernel, mercer.Precomputed):
            K = self.X[rows][:, self.order[columns]]
            return np.asarray(K.toarray() if hasattr(K, "toarray") else K)
        return np.asarray(self.kernel(self.X[rows], self.X[columns]), np.float64)

    def _crossings(self, i: int) -> Iterator[tuple[int, Vector]]:
        """The kernel values of class i with each later class, as many at a time as there is room for."""
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
        C = np.concatenate([self.costs[one], self.costs[other]])
        z = np.repeat([-1.0, 1.0], [one.stop - one.start, other.stop - other.start])
        extra, bounds = dual_bounds(C, self.settings.squared)
        if self.settings.squared:
            K.flat[:: z.size + 1] += extra
        alpha, f = feasible(None if past is None else past.alpha, z, bounds), np.empty(z.size)
        turns, violation, bias, square, dual, value = _solved(K, K.diagonal().copy(), z, C, bounds, extra, alpha, f)
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
        return Machine(alpha, a, square, value, gap, max(0.0, violation), turns, Status.CONVERGED)


def _joined(one: Vector, cross: Vector, other: Vector) -> Vector:
    k, m = cross.shape
    K = np.empty((k + m, k + m))
    K[:k, :k], K[:k, k:], K[k:, :k], K[k:, k:] = one, cross, cross.T, other
    return K


@compiled
def _solved(K: Any, diagonal: Any, z: Any, C: Any, bounds: Any, extra: Any, alpha: Any, f: Any) -> Any:
    """Bring α and f to the maximum; with ``extra`` on the diagonal slack counts by its square."""
    _refresh(K, z, alpha, f)
    limit, violation, turns = FIRST, np.inf, 0
    while turns < ROUNDS and violation > NEARLY:
        steps, indefinite = pairs(K, diagonal, z, bounds, alpha, f, limit, STEPS * z.size)
        if indefinite or steps == STEPS * z.size:
            violation = np.inf
            break
        full = 0
        for _ in range(NEWTON):
            full += 0 if _newton(K, z, bounds, alpha, f) else 1
            if full == 2:  # the second one takes away the rounding of the first
                break
        _refresh(K, z, alpha, f)
        up, low = _ends(z, alpha, bounds, f)
        violation = -low - up
        limit = max(NEARLY, 0.01 * min(limit, violation))
        turns += 1
    total, number = 0.0, 0
    for t in range(z.size):
        if 0 < alpha[t] < bounds[t]:
            total, number = total + f[t], number + 1
    up, low = _ends(z, alpha, bounds, f)
    bias = -total / number if number else -0.5 * (up - low)
    square = more = sums = loss = 0.0
    for t in range(z.size):
        more += alpha[t] * (alpha[t] * extra[t])
        square += alpha[t] * (1 + z[t] * f[t])
        sums += alpha[t]
        slack = max(0.0, alpha[t] * extra[t] - z[t] * (f[t] + bias))
        loss += C[t] * (slack if extra[t] == 0 else slack * slack)
    length = max(square - more, 0.0)
    return turns, violation, bias, length, sums - 0.5 * square, 0.5 * length + loss


@inlined
def _ends(z: Any, alpha: Any, C: Any, f: Any) -> Any:
    """The smallest f of the rows whose αz may grow, and the smallest -f of those whose αz may shrink."""
    up, low = np.inf, np.inf
    for t in range(z.size):
        if f[t] < up and (alpha[t] < C[t] if z[t] > 0 else alpha[t] > 0):
            up = f[t]
        if -f[t] < low and (alpha[t] > 0 if z[t] > 0 else alpha[t] < C[t]):
            low = -f[t]
    return up, low


@compiled
def _refresh(K: Any, z: Any, alpha: Any, f: Any) -> None:
    for t in range(z.size):
        f[t] = -z[t]
    for i in range(z.size):
        if alpha[i] != 0:
            _add(f, alpha[i] * z[i], K[i])


@inlined
def _add(f: Any, weight: float, row: Any) -> None:
    for t in range(f.size):
        f[t] += weight * row[t]


@compiled
def _newton(K: Any, z: Any, C: Any, alpha: Any, f: Any) -> bool:
    """Take a step in the α between the bounds, and say whether it was cut, so that another should follow."""
    free, m = np.empty(z.size, np.int64), 0
    for i in range(z.size):
        if 0 < alpha[i] < C[i]:
            free[m] = i
            m += 1
    if m < 2:
        return False
    beta = _direction(K, f, free, m)
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
        _add(f, step, K[i])
    return met >= 0


@inlined
def _direction(K: Any, f: Any, free: Any, m: int) -> Any:
    """Solve (K + μ) β + ν = -f, Σ β = 0, over m rows, by Cholesky's factors.

    The mean of f is taken away, and the diagonal's mean added to K, neither of which changes the answer, but the
    rounding.  Where K is not definite, a pivot is replaced by a large one: that β then hardly moves.
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
                total += RIDGE * level
                L[k, k] = np.sqrt(total) if total > 0.1 * RIDGE * level else 1e10 * np.sqrt(level) + 1e-300
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

"""Many steps of a descent on squared errors in one compiled call, for patterns so few that Python would take longest.

    e = Ya − b,    a ← a + η TTᵗ YᵗW (2τe⁺ − e),    b ← b + 2ρe⁺

with τ = ρ = 0 is gradient descent on ‖Ya − b‖² and the batch rule of Widrow and Hoff, with ρ > 0 it is a procedure of
Ho and Kashyap.  A call makes only steps of which there is nothing to say; the first that may be the last, or needs a
closer look, is left to the procedure's own epoch.

Symbols: Y the normalized patterns z (1, x) as a matrix, W their weights, η the rate, by default the one that lowers
‖e‖² most, TTᵗ a positive semidefinite matrix, e⁺ the positive part of e.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.driver import CHUNK, TOGETHER
from .._engine.path import Path, copy_into
from .._engine.problem import Problem
from .._engine.rows import compiled, inlined
from ..solution import HISTORY

Vector = NDArray[np.float64]

FIRST = 50  # steps that are not worth compiling
FEW = 20_000  # numbers of Y up to which numpy is busy with everything but arithmetic
NARROW = 100  # columns up to which the same holds for TTᵗ
FAR = 1e150  # whose square is still a float
LEAST = 1e-14  # a step shorter than this part of a may leave a as it is


class Steps(NamedTuple):
    """Which steps are made, and which are left alone."""

    turning: float = 0.0  # τ
    raising: float = 0.0  # ρ
    rate: float = 0.0  # η; 0 is the best
    short: float = 0.0  # left alone: a step no longer than this part of max(1, ‖a‖),
    rise: float = np.inf  # one after which ‖e‖² is more than so many times what it was,
    far: float = FAR  # or an |e_i| is as large as this;
    fewest: int = -1  # no step is made from where there are so few errors,
    level: float = -np.inf  # or where max e is at most this part of max |e|, and YᵗWe
    evidence: float = 0.0  # at most this part of what it could be


@inlined
def _look(Y: Any, w: Any, a: Any, b: Any, e: Any) -> Any:
    """Put Ya − b into e; give ‖e‖², the errors, max e and max |e|."""
    value, errors, highest, lowest = 0.0, 0, -np.inf, np.inf
    for i in range(e.size):
        g = 0.0
        for j in range(a.size):
            g += Y[i, j] * a[j]
        error = g - b[i]
        e[i] = error
        value += w[i] * error * error
        errors += g <= 0
        highest = error if error > highest else highest
        lowest = error if error < lowest else lowest
    return value, errors, highest, highest if highest > -lowest else -lowest


@inlined
def _direct(Y: Any, w: Any, T: Any, e: Any, turning: float, v: Any, s: Any) -> None:
    """Put YᵗW (2τe⁺ − e) into v and TTᵗv into s."""
    for j in range(s.size):
        v[j], s[j] = 0.0, 0.0
    for i in range(e.size):
        error = e[i]
        pull = w[i] * (2 * turning * error - error if error > 0 else -error)
        for j in range(v.size):
            v[j] += pull * Y[i, j]
    for m in range(T.shape[1]):
        u = 0.0
        for j in range(v.size):
            u += T[j, m] * v[j]
        for j in range(s.size):
            s[j] += T[j, m] * u


@inlined
def _best_rate(Y: Any, w: Any, v: Any, s: Any) -> Any:
    """Return vᵗs / ‖Ys‖²."""
    along, curvature = 0.0, 0.0
    for j in range(s.size):
        along += v[j] * s[j]
    for i in range(w.size):
        g = 0.0
        for j in range(s.size):
            g += Y[i, j] * s[j]
        curvature += w[i] * g * g
    return along / curvature if curvature > 0 else 0.0


@inlined
def _small(v: Any, part: float, total: Any) -> Any:
    """Whether no component of v exceeds this part of the total."""
    within = True
    for j in range(v.size):
        within &= abs(v[j]) <= part * total[j]
    return within


@inlined
def _counts(steps: Any, rate: float, s: Any, a: Any) -> Any:
    """Whether the step ηs from a is finite and not short."""
    square, reach = 0.0, 0.0
    for j in range(s.size):
        step, weight = s[j], a[j]
        square += step * step
        reach += weight * weight
    square *= rate * rate
    return steps.short * steps.short * (reach if reach > 1 else 1.0) < square < np.inf


@compiled
def squared_steps(Y: Any, w: Any, total: Any, T: Any, a: Any, b: Any, steps: Any, table: Any) -> Any:
    """Change a and b by at most as many steps as ``table`` has rows, which are those of a history; tell how many.

    A step is looked at from where it leads, and taken back when it is one of those that are left alone.
    """
    e, v, s = np.empty_like(b), np.empty_like(a), np.empty_like(a)
    a_before, b_before, before = np.empty_like(a), np.empty_like(b), np.inf
    for k in range(len(table) + 1):
        value, errors, highest, size = _look(Y, w, a, b, e)
        if k and not (size < steps.far and value <= steps.rise * before):
            copy_into(a_before, a)
            copy_into(b_before, b)
            return k - 1
        if k == len(table) or errors <= steps.fewest:
            return k
        _direct(Y, w, T, e, steps.turning, v, s)
        if highest <= steps.level * size and _small(v, steps.evidence * size, total):
            return k
        rate = steps.rate if steps.rate > 0 else _best_rate(Y, w, v, s)
        if not _counts(steps, rate, s, a):
            return k
        copy_into(a, a_before)
        copy_into(b, b_before)
        before, moved = value, False
        for j in range(a.size):
            weight = a[j]
            new = weight + rate * s[j]
            a[j] = new
            moved |= new != weight
        for i in range(b.size):
            error = e[i]
            b[i] += 2 * steps.raising * (error if error > 0 else 0.0)
        table[k, 0], table[k, 1], table[k, 2], table[k, 3] = errors, value, rate, moved
    return len(table)


class FewPatterns:
    """The patterns Y of a small problem as a matrix, for the rule that descends on their squared errors."""

    def __init__(self, problem: Problem, rows: NDArray[Any], z: Vector, weight: Any, T: Vector) -> None:
        X = problem.source[rows]
        X = X.toarray() if sparse.issparse(X) else X
        self.Y = np.ascontiguousarray(z[rows, None] * np.hstack([np.ones((rows.size, 1)), X]))
        self.rows, self.w = rows, np.full(problem.n_rows, weight, np.float64)[rows]
        self.total, self.T = self.w @ np.abs(self.Y), np.ascontiguousarray(T)
        self.most = min(TOGETHER, 1 + CHUNK // (4 * self.Y.size + 2 * self.T.size))

    @staticmethod
    def serve(problem: Problem) -> bool:
        """Whether it is small enough; the steps are those of float64."""
        d = problem.n_features + 1
        return problem.n_rows * d <= FEW and d <= NARROW

    def leap(self, a: Any, b: Any, steps: Steps, limit: int, path: Path) -> Vector:
        """Change a, and b of all rows, by as many steps; give their rows of the history."""
        table, own = np.empty((min(limit, self.most, path.gap), len(HISTORY))), b[self.rows]
        made = squared_steps(self.Y, self.w, self.total, self.T, a, own, steps, table)
        b[self.rows] = own
        path.add(a, int(table[:made, 3].sum()))
        return table[:made]

"""The dual of the soft margin for a small kernel matrix, by an interior method.

    minimize  ½ aᵗQa - pᵗa   subject to  0 <= a <= C,  zᵗa = c,   Q_ij = z_i z_j K_ij

with p = 1 and c = 0 for a problem by itself, other numbers for a block of one whose other variables stand still.
The conditions  Qa - p + zy - s + t = 0,  zᵗa = c,  a_i s_i = μ,  (C_i - a_i) t_i = μ  are followed by Newton's steps
while μ goes to zero: each factors Q + diag(s/a + t/(C - a)) once, and uses it to look ahead and to correct (Mehrotra).
Some twenty steps do, however large C is and whatever the rank of K, which is where working off pairs takes forever.

Sources: Mehrotra, *On the Implementation of a Primal-Dual Interior Point Method*, SIAM J. Optimization 2, 1992; Fine,
Scheinberg, *Efficient SVM Training Using Low-Rank Kernel Representations*, JMLR 2, 2001.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .._engine.driver import Watch
from .._kernel_matrix.source import Vector

STEPS = 60  # three times what it takes
CLOSE = 1e-12  # what is left of the duality gap in the end, as a share of the value
KEPT = 0.99  # share of the way to the boundary

Direction = tuple[Vector, Vector, Vector, float]


def interior(K: Vector, z: Vector, C: Vector, p: Vector, c: float, watch: Watch | None) -> Vector | None:
    """The a, those near a bound put there; None where a bound is infinite.

    Where K is not semidefinite the way ends early: see whether the answer is an improvement.
    """
    if not C.max(initial=0) < np.inf:
        return None
    point = InteriorPoint(K * np.outer(z, z), z, C, p, c)
    for _ in range(STEPS):
        if watch is not None:
            watch.check()
        try:
            if not point.step():
                break
        except np.linalg.LinAlgError:
            break
    return point.snapped()


class InteriorPoint:
    """The variables a, s, t, y on their way."""

    def __init__(self, Q: Vector, z: Vector, C: Vector, p: Vector, c: float) -> None:
        self.Q, self.z, self.C, self.p, self.c = Q, z, C, p, c
        self.a, self.s, self.t, self.y = C / 2, np.ones(z.size), np.ones(z.size), 0.0

    def step(self) -> bool:
        """Look ahead, correct, and move; False when there is nothing left to gain."""
        a, b, s, t = self.a, self.C - self.a, self.s, self.t
        product = self.Q @ a
        total = float(a @ s + b @ t)
        if not total > CLOSE * abs(float(a @ self.p - a @ product / 2)):
            return False
        A = self.Q.copy()
        A.flat[:: len(A) + 1] += s / a + t / b
        factor = cho_factor(A, lower=True, overwrite_a=True)
        u = cho_solve(factor, self.z)
        rest = self.p - product - self.z * self.y + s - t
        da, ds, dt, _ = self._direction(factor, u, rest, -a * s, -b * t)
        share = _reach((a, da), (b, -da), (s, ds), (t, dt))
        ahead = float((a + share * da) @ (s + share * ds) + (b - share * da) @ (t + share * dt))
        mu = total / (2 * a.size) * (ahead / total) ** 3
        da, ds, dt, dy = self._direction(factor, u, rest, mu - a * s - da * ds, mu - b * t + da * dt)
        share = KEPT * _reach((a, da), (b, -da), (s, ds), (t, dt))
        self.a, self.s, self.t, self.y = a + share * da, s + share * ds, t + share * dt, self.y + share * dy
        return share > 1e-6 and bool(np.all(self.a > 0) and np.all(self.a < self.C))

    def snapped(self) -> Vector:
        """The a, each put on the bound that its multiplier presses it against; the free ones make up for it."""
        low, high = self.a < self.s * self.C, self.C - self.a < self.t * self.C
        a = np.where(low, 0.0, np.where(high, self.C, np.clip(self.a, 0, self.C)))
        free = ~(low | high)
        if free.any():
            a[free] -= self.z[free] * (a @ self.z - self.c) / np.count_nonzero(free)
        return np.asarray(np.clip(a, 0, self.C))

    def _direction(self, factor: Any, u: Vector, rest: Vector, rs: Vector, rt: Vector) -> Direction:
        """Newton's step for what is left of the conditions: rest, zᵗa, and rs, rt of the products."""
        a, b = self.a, self.C - self.a
        v = cho_solve(factor, rest + rs / a - rt / b)
        dy = float(self.z @ v + self.z @ a - self.c) / float(self.z @ u)
        da = v - dy * u
        return da, (rs - self.s * da) / a, (rt + self.t * da) / b, dy


def _reach(*pairs: tuple[Vector, Vector]) -> float:
    """The share of a step, at most 1, that keeps every variable from becoming negative."""
    return min(1.0, *(float((-x[dx < 0] / dx[dx < 0]).min(initial=1.0)) for x, dx in pairs))

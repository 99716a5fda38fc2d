"""The dual of the soft margin for a small kernel matrix, by an interior method.

    minimize  ½ aᵗQa - pᵗa   subject to  0 <= a <= C,  zᵗa = c,   Q_ij = z_i z_j K_ij

with p = 1 and c = 0 for a problem by itself, other numbers for a block of one whose other variables stand still.
The conditions  Qa - p + zy - s + t = 0,  zᵗa = c,  a_i s_i = μ,  (C_i - a_i) t_i = μ  are followed by Newton's steps
while μ goes to zero: each factors Q + diag(s/a + t/(C - a)) once, and uses it to look ahead and to correct (Mehrotra).
Some twenty steps do, however large C is and whatever the rank of K, which is where working off pairs takes forever.
Where K = XXᵗ with few columns, and D is the diagonal, the equations are those of the columns (Sherman, Morrison,
Woodbury), with V = diag(z) X:

    (VVᵗ + D)⁻¹ = D⁻¹ - D⁻¹V (1 + VᵗD⁻¹V)⁻¹ VᵗD⁻¹

Sources: Mehrotra, *On the Implementation of a Primal-Dual Interior Point Method*, SIAM J. Optimization 2, 1992; Fine,
Scheinberg, *Efficient SVM Training Using Low-Rank Kernel Representations*, JMLR 2, 2001.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotrf, dpotrs

from .._engine.driver import Watch
from .._kernel_matrix.source import Vector

STEPS = 60  # three times what it takes
CLOSE = 1e-12  # what is left of the duality gap in the end, as a share of the value
NEAR = 1e-7  # the same where Newton's steps follow, so that it only has to be plain which a are at their bounds
KEPT = 0.99  # share of the way to the boundary

Solve = Callable[[Vector], Vector]
Equations = tuple[Vector, Solve, Vector, Vector]  # s/a and t/(C - a), what solves, the solution for z, what is left
Direction = tuple[Vector, Vector, float]  # of a and C - a, of s and t, and of y


class Products:
    """Q as it is."""

    close = CLOSE

    def __init__(self, K: Vector, z: Vector) -> None:
        self.Q = K * np.outer(z, z)

    def times(self, a: Vector) -> Vector:
        return np.asarray(self.Q @ a)

    def solver(self, diagonal: Vector) -> Solve:
        """What solves equations with Q + diag(diagonal)."""
        A = self.Q.copy()
        A.flat[:: len(A) + 1] += diagonal
        factor = cho_factor(A, lower=True, overwrite_a=True)
        return lambda b: np.asarray(cho_solve(factor, b))


class ColumnProducts:
    """Q = VVᵗ of patterns with few columns."""

    close = NEAR

    def __init__(self, X: Vector, z: Vector) -> None:
        self.V = X * z[:, None]

    def times(self, a: Vector) -> Vector:
        return np.asarray(self.V @ (a @ self.V))

    def solver(self, diagonal: Vector) -> Solve:
        V, W = self.V, self.V / diagonal[:, None]
        A = W.T @ V
        A.flat[:: len(A) + 1] += 1
        factor, failed = dpotrf(A)
        if failed:
            raise np.linalg.LinAlgError
        return lambda b: np.asarray(b / diagonal - W @ dpotrs(factor, b @ W)[0])


def interior(
    products: Products | ColumnProducts, z: Vector, C: Vector, p: Vector, c: float, watch: Watch | None
) -> Vector | None:
    """The a, those near a bound put there; None where a bound is infinite.

    Where K is not semidefinite the way ends early: see whether the answer is an improvement.
    """
    if not C.max(initial=0) < np.inf:
        return None
    point = InteriorPoint(products, z, C, p, c)
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
    """The variables on their way: a and C - a, one row each, the multipliers s and t of their signs, and y."""

    def __init__(self, products: Products | ColumnProducts, z: Vector, C: Vector, p: Vector, c: float) -> None:
        self.products, self.z, self.C, self.p, self.c = products, z, C, p, c
        self.a, self.s, self.y = np.array([C / 2, C / 2]), np.ones((2, z.size)), 0.0

    def step(self) -> bool:
        """Look ahead, correct, and move; False when there is nothing left to gain."""
        a, s = self.a, self.s
        product, total = self.products.times(a[0]), float(np.vdot(a, s))
        if not total > self.products.close * abs(float(a[0] @ (self.p - product / 2))):
            return False
        bend = s / a
        solve = self.products.solver(bend[0] + bend[1])
        rest = self.p - product - self.z * self.y + s[0] - s[1]
        equations = bend, solve, solve(self.z), rest
        da, ds, _ = self._direction(equations, -s)
        share = _reach((a, da), (s, ds))
        ahead = float(np.vdot(a + share * da, s + share * ds))
        mu = total / (2 * self.z.size) * (ahead / total) ** 3
        da, ds, dy = self._direction(equations, (mu - da * ds) / a - s)
        share = KEPT * _reach((a, da), (s, ds))
        self.a, self.s, self.y = a + share * da, s + share * ds, self.y + share * dy
        self.a[1] = self.C - self.a[0]  # the sum of both is C to the last digit
        return share > 1e-6 and bool(self.a.min() > 0)

    def snapped(self) -> Vector:
        """The a, each put on the bound that its multiplier presses it against; the free ones make up for it."""
        low, high = self.a < self.s * self.C
        a = np.where(low, 0.0, np.where(high, self.C, np.clip(self.a[0], 0, self.C)))
        free = ~(low | high)
        if free.any():
            a[free] -= self.z[free] * (a @ self.z - self.c) / np.count_nonzero(free)
        return np.asarray(np.clip(a, 0, self.C))

    def _direction(self, equations: Equations, missing: Vector) -> Direction:
        """Newton's step for what is left of the conditions: rest, zᵗa, and of the products, divided by a and C - a."""
        bend, solve, u, rest = equations
        v = solve(rest + missing[0] - missing[1])
        dy = float(self.z @ (v + self.a[0]) - self.c) / float(self.z @ u)
        da = np.empty_like(self.a)
        np.subtract(v, dy * u, out=da[0])
        np.negative(da[0], out=da[1])
        return da, missing - bend * da, dy


def _reach(*pairs: tuple[Vector, Vector]) -> float:
    """The share of a step, at most 1, that keeps every variable from becoming negative."""
    fastest = max(-float((dx / x).min(initial=0)) for x, dx in pairs)
    return 1 / fastest if fastest > 1 else 1.0

"""The dual of a small problem, whose kernel matrix is at hand: pairs first, then Newton's steps to the last digits.

The rule of the pairs is that of ``blocks``.  They find out which α are at their bounds; where that takes them long, an
interior method does.  Newton's steps on the others end with the accuracy that floats have.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .._kernel_matrix.source import Indices, Vector
from .dual import PATIENCE, DualProblem, DualSolver, feasible
from .interior import Products, interior
from .pair_steps import pairs

STEPS = 20  # pairs for each row before Newton's turn
NEWTON = 30  # Newton's steps in a turn
RIDGE = 1e-11  # share of the diagonal that makes a kernel matrix definite


class SmallSolver(DualSolver):
    """A problem with its kernel matrix, in float64."""

    patience = PATIENCE // 10

    def __init__(self, K: Vector, problem: DualProblem, alpha: Vector, near: bool = False) -> None:
        """Begin with α, which may be ``near`` the maximum, so that Newton's steps come first."""
        super().__init__(problem, alpha)
        self.K, self.near = K, near
        if not self.fresh:
            self._refresh()

    def round(self, violation: float, limit: float) -> None:
        if self.near and self.rounds == 0:
            self._newton()
            return
        bound = STEPS * self.z.size
        steps, indefinite = pairs(self.K, self.diagonal, self.z, self.C, self.alpha, self.f, limit, bound)
        self._count(steps, indefinite)
        if self.indefinite:
            return
        if steps == bound and self.rounds == 1:  # pairs alone would take long
            self._interior()
        self._newton()

    def _refresh(self) -> None:
        support = np.flatnonzero(self.alpha)
        self.f = (self.alpha * self.z)[support] @ self.K[support] - self.z
        self.fresh = True

    def settled(self, limit: float) -> bool:
        if not self.fresh:
            self._refresh()
        return self.violation() <= limit

    def _interior(self) -> None:
        """Let an interior method find out which α are at their bounds; keep what it finds if W is higher."""
        live = np.flatnonzero(self.C > 0)
        z, C = self.z[live], self.C[live]
        found = interior(Products(self.K[np.ix_(live, live)], z), z, C, np.ones(live.size), 0.0, self.watch)
        if found is None:
            return
        before = self.alpha, self.f, self._objective()
        self.alpha = np.zeros(self.z.size)
        self.alpha[live] = found
        self.alpha = feasible(self.alpha, self.z, self.C)
        self._refresh()
        if not self._objective() > before[2]:
            self.alpha, self.f = before[:2]

    def _newton(self) -> None:
        """Maximize W over the α between the bounds, those that meet one left there.

        With β = αz the system is (K + μ) Δβ + ν = -f, Σ Δβ = 0; μ makes it definite, and each step then raises W
        whatever its length up to 1.
        """
        before = self.alpha.copy(), self.f, self.violation(), self._objective()
        full = 0
        for _ in range(NEWTON):
            self.watch.check()
            free = np.flatnonzero(self._free())
            beta = _newton_step(self.K[np.ix_(free, free)], self.f[free]) if free.size > 1 else None
            if beta is None:
                break
            full += self._advance(free, beta) == 1
            self._refresh()
            if full == 2:  # the second one takes away the rounding of the first
                break
        if self.violation() > before[2] and not self._objective() > before[3]:  # rounding had the last word
            self.alpha, self.f = before[:2]

    def _advance(self, free: Indices, beta: Vector) -> float:
        """Move αz by β as far as the bounds allow, and give the share of the way."""
        alpha, C, z = self.alpha[free], self.C[free], self.z[free]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            move = (beta - beta.mean()) * z  # the mean is what rounding left of the sum, which must be zero
            room = np.where(move > 0, (C - alpha) / move, np.where(move < 0, -alpha / move, np.inf))
        share = float(min(1.0, room.min()))
        if not share > 0:
            return 1.0
        step = share * beta
        moved = np.clip(alpha + (step - step.mean()) * z, 0, C)
        met = room <= share
        moved[met] = np.where(move[met] > 0, C[met], 0.0)
        self.alpha[free] = moved
        return share


def _newton_step(A: Vector, f: Vector) -> Vector | None:
    """Solve (A + μ) β + ν = -f, Σ β = 0; None where A is far from semidefinite.

    Neither a constant added to f nor one added to A changes the answer: the mean of f is taken away, for β is then
    small near the optimum, and the diagonal's mean is added to A, which may lack just this direction.
    """
    level = float(np.abs(np.diagonal(A)).mean())
    A += level
    A.flat[:: f.size + 1] += RIDGE * level
    try:
        factor = cho_factor(A, lower=True, overwrite_a=True)
    except np.linalg.LinAlgError:
        return None
    both = cho_solve(factor, np.column_stack([f.mean() - f, np.ones(f.size)]))
    return np.asarray(both[:, 0] - both[:, 0].sum() / both[:, 1].sum() * both[:, 1])

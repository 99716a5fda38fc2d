"""Limited-memory BFGS: how an approximation of the Hessian is corrected by the steps that were made with it.

    step = −M⁻¹ ∇J

BFGS remembers steps s and changes y of the gradient, and makes of M⁻¹ a matrix that takes the latest y to its s.

Symbols: G a gradient, one row a discriminant; M what approximates the Hessian.

Source: Nocedal and Wright, *Numerical Optimization*, §7.2.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg.lapack import dtrtrs

from .linalg import Matrix

MEMORY = 20  # pairs of BFGS: more cost time and hardly save steps


class Approximation(Protocol):
    """M, of which only the equations are solved."""

    def solve(self, G: Matrix) -> Matrix:
        """M⁻¹ G."""


class Pairs:
    """The latest steps s and changes y of the gradient, and the inverse Hessian that BFGS makes of them and M.

    With the rows s_i, y_i, the upper triangle R of s_iᵗy_j and its diagonal D, the recursion over the pairs becomes

        α = R⁻¹ S g,    r = M⁻¹ (g − Yᵗα),    answer = r + Sᵗ R⁻ᵗ (D α − Y r)
    """

    def __init__(self, size: int) -> None:
        self.room = size
        self.S = self.Y = np.empty((0, size))
        self.R = np.empty((0, 0))
        self.low, self.high = 0, 0

    def clear(self) -> None:
        self.low = self.high

    def append(self, s: Matrix, y: Matrix) -> None:
        """Remember one more pair, and forget the oldest of ``MEMORY`` others."""
        self.low = max(self.low, self.high - MEMORY + 1)
        if self.high == len(self.S):
            self._make_room()
        self.S[self.high], self.Y[self.high] = s, y
        self.high += 1
        held = slice(self.low, self.high)
        self.R[held, self.high - 1] = self.S[held] @ y

    def _make_room(self) -> None:
        held, count = slice(self.low, self.high), self.high - self.low
        S, Y, R = np.empty((3 * MEMORY, self.room)), np.empty((3 * MEMORY, self.room)), np.zeros((3 * MEMORY,) * 2)
        S[:count], Y[:count], R[:count, :count] = self.S[held], self.Y[held], self.R[held, held]
        self.S, self.Y, self.R, self.low, self.high = S, Y, R, 0, count

    def solve(self, G: Matrix, hessian: Approximation, fitted: bool) -> Matrix:
        """The inverse times G; ``fitted``: M is first brought to the scale of the latest pair."""
        if self.low == self.high:
            return hessian.solve(G)
        held = slice(self.low, self.high)
        S, Y, R = self.S[held], self.Y[held], self.R[held, held]
        D = np.diagonal(R)
        alpha, _ = dtrtrs(R, S @ G.ravel())
        r = hessian.solve(G - (alpha @ Y).reshape(G.shape)).ravel()
        if fitted:
            last = Y[-1].reshape(G.shape)
            r = r * (D[-1] / float(np.vdot(last, hessian.solve(last))))
        beta, _ = dtrtrs(R, D * alpha - Y @ r, trans=1)
        return np.asarray(r + beta @ S).reshape(G.shape)


def shortened(s: float, slope: float, change: float) -> float:
    """The part of a step to try after the part s, over which the criterion did not fall enough, but changed by so much.

    It is the least point of the parabola through both values and the slope, or a half or a tenth of s.
    """
    rise = change - s * slope
    best = -0.5 * slope * s * s / rise if np.isfinite(rise) and rise > 0 else 0.0
    return min(max(best, 0.1 * s), 0.5 * s)

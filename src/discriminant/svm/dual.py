"""The dual of the soft margin for two classes: alpha on its way to the maximum, and how far it still is from it.

    maximize  W(alpha) = sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j z_i z_j K_ij
    subject to  0 <= alpha_i <= C_i  and  sum_i alpha_i z_i = 0

With f_i = sum_j alpha_j z_j K_ij - z_i, I_up the rows where alpha_i z_i may grow and I_low those where it may shrink,
alpha is optimal when  max {f_j : j in I_low} <= min {f_i : i in I_up};  the difference is the violation.

The answer carries its proof: with m_i = z_i (f_i + w0), the primal value less the dual one is
sum_i alpha_i max(m_i, 0) + (C_i - alpha_i) max(-m_i, 0), in which no term is negative.

References
----------
Keerthi, Shevade, Bhattacharyya, Murthy, *Improvements to Platt's SMO Algorithm*, Neural Computation 13, 2001 (the
violation).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Interrupted, Watch
from .._kernel_matrix.rows import Vector
from .pair_steps import extremes

LOOSE = 0.01  # relative duality gap at which a small violation says nothing
PATIENCE = 300  # rounds without progress after which rounding is to blame

Tick = Callable[[float], object]


class Dual(NamedTuple):
    """The dual variables, the bias w0, and how good they are."""

    alpha: Vector
    f: Vector
    bias: float
    gap: float  # (primal - dual) / primal
    violation: float
    objective: float
    primal: float  # |w|²/2 + sum of C_i times slack; an infinite C_i counts as in the gap
    iterations: int  # rounds: blocks worked off
    inner: int  # pairs worked off
    converged: bool
    interrupted: bool
    indefinite: bool  # a pair with negative curvature was met: the kernel is not positive semidefinite


def feasible(start: NDArray[Any] | None, z: Vector, C: Vector) -> Vector:
    """Give the nearest sensible alpha that keeps the bounds and sum alpha_i z_i = 0."""
    if start is None:
        return np.zeros(z.size)
    alpha = np.clip(np.asarray(start, np.float64), 0, C)
    plus, minus = alpha[z > 0].sum(), alpha[z < 0].sum()
    if abs(plus - minus) > 1e-14 * (plus + minus):  # less than that is rounding, and bounds had better be kept exactly
        alpha[z > 0 if plus > minus else z < 0] *= min(plus, minus) / max(plus, minus)
    return alpha


class Ascent:
    """A problem being solved: alpha, f, and the counts.  A round raises W; how, the subclasses say."""

    patience = PATIENCE
    most = np.inf  # rounds, whatever the progress

    def __init__(self, diagonal: Vector, z: Vector, C: Vector, alpha: Vector, watch: Watch | None = None) -> None:
        self.diagonal, self.z, self.C, self.alpha = diagonal, z, C, alpha
        self.watch = watch or Watch()
        self.f = -z
        self.fresh = not alpha.any()  # f is computed from alpha, not brought up to date step by step
        self.rounds = self.inner = 0
        self.indefinite = False

    def solve(self, tol: float, watch: Watch | None, tick: Tick | None) -> Dual:
        """Go on until the violation is small enough, and give what was found."""
        try:
            converged = self.run(tol, watch, tick)
        except Interrupted:
            return self.answer(converged=False, interrupted=True)
        return self.answer(converged, interrupted=False)

    def run(self, tol: float, watch: Watch | None, tick: Tick | None) -> bool:
        """Go on until the violation is small enough, and say whether it is."""
        self.watch = watch or self.watch
        best, least, stale = -np.inf, np.inf, 0
        while stale < self.patience and self.rounds < self.most:
            violation, limit = self.violation(), max(tol, self.rounding())
            if violation <= limit and self.settled(limit):
                if limit > tol or self.tells():
                    return True
                tol /= 10
                continue
            self.watch.check()
            if tick is not None:
                tick(violation)
            self.round(violation, limit, tick)
            self.rounds += 1
            objective = self.objective()  # near the end its rise is lost in rounding, but not the violation's fall
            if not abs(objective) < np.inf:  # without bounds, a kernel that is not semidefinite knows no maximum
                return False
            stale = 0 if objective > best or violation < least else stale + 1
            best, least = max(best, objective), min(least, violation)
        return False

    def round(self, violation: float, limit: float, tick: Tick | None) -> None:
        """Raise W."""
        raise NotImplementedError

    def settled(self, limit: float) -> bool:
        """Check a violation that seems small enough with f computed anew."""
        raise NotImplementedError

    def tells(self) -> bool:
        """Tell whether so small a violation means a small gap too: with a high price it need not."""
        unknown = self.indefinite or not np.isfinite(self.C).all()
        return unknown or self.gap(self.bias()) <= LOOSE

    def count(self, steps: int, bent: bool) -> None:
        """Note that pairs were worked off, and whether the kernel showed that it is not positive semidefinite."""
        self.inner += steps
        self.indefinite |= bent
        self.fresh = False

    def interval(self) -> tuple[float, float]:
        """Give max f over I_low and min f over I_up, which -w0 would lie between."""
        low, up = extremes(self.z, self.alpha, self.C, self.f)
        return float(low), float(up)

    def violation(self) -> float:
        """Give the largest violation of the optimality conditions by a pair."""
        low, up = self.interval()
        return low - up

    def objective(self) -> float:
        """Give the dual value W."""
        return float(0.5 * (self.alpha * (1 - self.z * self.f)).sum())

    def rounding(self) -> float:
        """What rounding alone may make of the violation."""
        return float(np.finfo(float).eps * np.abs(self.diagonal).max(initial=0) * self.alpha.sum())

    def bias(self) -> float:
        """Give w0: the mean of -f between the bounds, else the middle of what is allowed."""
        free = (self.alpha > 0) & (self.alpha < self.C)
        if free.any():
            return -float(self.f[free].mean())
        ends = [end for end in self.interval() if abs(end) < np.inf]
        return -sum(ends) / len(ends) if ends else 0.0

    def apart(self, bias: float) -> float:
        """Give the primal value less W; an infinite bound counts as twice the largest alpha, which it replaces."""
        C = np.where(np.isfinite(self.C), self.C, 2 * self.alpha.max(initial=0))
        m = self.z * (self.f + bias)
        return float((self.alpha * np.maximum(m, 0) + (C - self.alpha) * np.maximum(-m, 0)).sum())

    def gap(self, bias: float) -> float:
        """Give the relative duality gap."""
        apart, objective = self.apart(bias), self.objective()
        value = max(abs(objective + apart), abs(objective))
        return apart / value if value > 0 else 0.0

    def answer(self, converged: bool, interrupted: bool) -> Dual:
        """Give what was found."""
        bias, objective = self.bias(), self.objective()
        return Dual(
            self.alpha, self.f, bias, self.gap(bias), max(0.0, self.violation()), objective,
            objective + self.apart(bias), self.rounds, self.inner, converged, interrupted, self.indefinite,
        )  # fmt: skip

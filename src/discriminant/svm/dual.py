"""The dual of the soft margin for two classes: α on its way to the maximum, and how far it still is from it.

    maximize  W(α) = Σ α_i - ½ Σ α_i α_j z_i z_j K_ij   subject to  0 <= α_i <= C_i,  Σ α_i z_i = 0

With f_i = Σ α_j z_j K_ij - z_i, I_up the rows where α_i z_i may grow and I_low those where it may shrink, α is optimal
when  max {f_j : j in I_low} <= min {f_i : i in I_up};  the difference is the violation.

The answer carries its proof: with m_i = z_i (f_i + w₀), the primal value less the dual one is
Σ α_i max(m_i, 0) + (C_i - α_i) max(-m_i, 0), in which no term is negative.  Where slack counts by its square, α has no
upper bound and e_i = 1/(2C_i) stands on the diagonal of K; the terms are then m_i²/(2e_i) where m_i <= e_i α_i, and
α_i (m_i - e_i α_i/2) elsewhere.

Source: Keerthi, Shevade, Bhattacharyya, Murthy, *Improvements to Platt's SMO Algorithm*, Neural Computation 13, 2001
(the violation).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Interrupted, Watch
from .._guards.validation import all_finite
from .._kernel_matrix.source import Indices, Vector
from ..solution import Status
from .problems import ROUNDING

LOOSE = 0.01  # relative duality gap at which a small violation says nothing
PATIENCE = 300  # rounds without progress after which rounding is to blame


def keys(z: Vector, alpha: Vector, C: Vector, f: Vector) -> tuple[Vector, Vector]:
    """By how much each row may violate, the least of either side adding up to minus the violation."""
    positive, shrinks, grows = z > 0, alpha > 0, alpha < C
    up, low = np.where(positive, grows, shrinks), np.where(positive, shrinks, grows)
    return np.where(up, f, np.inf), np.where(low, -f, np.inf)


class Dual(NamedTuple):
    """The dual variables, the bias w₀, and how good they are."""

    alpha: Vector
    f: Vector
    bias: float
    gap: float  # (primal - dual) / primal
    violation: float
    objective: float
    primal: float  # ‖w‖²/2 + Σ C_i times slack; an infinite C_i counts as in the gap
    iterations: int  # rounds: blocks worked off
    inner: int  # pairs worked off
    converged: bool
    interrupted: bool
    indefinite: bool  # a pair with negative curvature was met: the kernel is not positive semidefinite
    gaps: tuple[float, ...]  # after each round

    @property
    def status(self) -> Status:
        """Why the search stopped; a gap at the rounding error is as good as a small violation."""
        if self.interrupted:
            return Status.STOPPED
        reached = self.converged and self.gap <= LOOSE
        return Status.CONVERGED if reached or abs(self.gap) <= ROUNDING else Status.BUDGET


class DualProblem(NamedTuple):
    """What is given: K_ii, the signs z, the bounds C, the watch for Ctrl-C; and e of squared slack, else None."""

    diagonal: Vector
    z: Vector
    C: Vector
    watch: Watch
    extra: Vector | None = None

    def part(self, rows: Indices) -> DualProblem:
        extra = None if self.extra is None else self.extra[rows]
        return self._replace(diagonal=self.diagonal[rows], z=self.z[rows], C=self.C[rows], extra=extra)


def feasible(start: NDArray[Any] | None, z: Vector, C: Vector) -> Vector:
    """The nearest sensible α that keeps the bounds and Σ α_i z_i = 0."""
    if start is None:
        return np.zeros(z.size)
    alpha = np.clip(np.asarray(start, np.float64), 0, C)
    plus, minus = alpha[z > 0].sum(), alpha[z < 0].sum()
    if abs(plus - minus) > 1e-14 * (plus + minus):  # less than that is rounding, and bounds had better be kept exactly
        alpha[z > 0 if plus > minus else z < 0] *= min(plus, minus) / max(plus, minus)
    return alpha


class DualSolver(ABC):
    """A problem being solved: α, f, and the counts.  A round raises W; how, the subclasses say."""

    patience = PATIENCE

    def __init__(self, problem: DualProblem, alpha: Vector) -> None:
        self.problem, self.alpha = problem, alpha
        self.diagonal, self.z, self.C, self.watch, self.extra = problem
        self.f = -self.z
        self.fresh = not alpha.any()  # f is computed from α, not brought up to date step by step
        self.rounds = self.inner = 0
        self.gaps: list[float] = []
        self.indefinite = False

    @abstractmethod
    def round(self, violation: float, limit: float) -> None:
        """Raise W."""

    @abstractmethod
    def settled(self, limit: float) -> bool:
        """Check a violation that seems small enough with f computed anew."""

    def solve(self, tol: float, most: float = np.inf) -> Dual:
        """Go on until the violation is small enough, after so many rounds at the most, or until Ctrl-C."""
        converged = interrupted = False
        try:
            converged = self.run(tol, most)
        except Interrupted:
            interrupted = True
        bias, objective = self._bias(), self._objective()
        return Dual(
            self.alpha, self.f, bias, self._gap(bias), max(0.0, self.violation()), objective,
            objective + self._difference(bias), self.rounds, self.inner, converged, interrupted, self.indefinite,
            tuple(self.gaps),
        )  # fmt: skip

    def run(self, tol: float, most: float = np.inf) -> bool:
        best, least, stale = -np.inf, np.inf, 0
        while stale < self.patience and self.rounds < most:
            violation, limit = self.violation(), max(tol, self._rounding())
            if violation <= limit and self.settled(limit):
                if limit > tol or self._small_gap():
                    return True
                tol /= 10
                continue
            self.watch.check()
            self.round(violation, limit)
            self.rounds += 1
            objective = self._objective()  # near the end its rise is lost in rounding, but not the violation's fall
            if not abs(objective) < np.inf:  # without bounds, a kernel that is not semidefinite knows no maximum
                return False
            self._note_gap()
            stale = 0 if objective > best or violation < least else stale + 1
            best, least = max(best, objective), min(least, violation)
        return False

    def _note_gap(self) -> None:
        self.gaps.append(self._gap(self._bias()))

    def violation(self) -> float:
        return -sum(self._ends())

    def _small_gap(self) -> bool:
        """Whether so small a violation means a small gap too: where slack costs much it need not."""
        unknown = self.indefinite or not all_finite(self.C)
        return unknown or self._gap(self._bias()) <= LOOSE

    def _count(self, steps: int, indefinite: bool) -> None:
        self.inner += steps
        self.indefinite |= indefinite
        self.fresh = False

    def _objective(self) -> float:
        return float(0.5 * (self.alpha * (1 - self.z * self.f)).sum())

    def _rounding(self) -> float:
        """What rounding alone may make of the violation."""
        return float(np.finfo(float).eps * np.abs(self.diagonal).max(initial=0) * self.alpha.sum())

    def _bias(self) -> float:
        """w₀: the mean of -f between the bounds, else the middle of what is allowed."""
        free = self._free()
        if free.any():
            return -float(self.f[free].mean())
        up, low = self._ends()
        ends = [end for end in (-low, up) if abs(end) < np.inf]
        return -sum(ends) / len(ends) if ends else 0.0

    def _free(self) -> NDArray[np.bool_]:
        """The rows whose α is between the bounds."""
        return np.asarray((self.alpha > 0) & (self.alpha < self.C))

    def _ends(self) -> tuple[float, float]:
        """The smallest f in I_up, and the smallest -f in I_low."""
        up, low = keys(self.z, self.alpha, self.C, self.f)
        return float(up.min()), float(low.min())

    def _difference(self, bias: float) -> float:
        """The primal value less W; an infinite bound counts as twice the largest α, which it replaces."""
        if self.extra is not None:
            m, e = self.z * (self.f + bias), self.extra
            return float(np.where(m <= e * self.alpha, m * m / (2 * e), self.alpha * (m - e * self.alpha / 2)).sum())
        C = np.where(np.isfinite(self.C), self.C, 2 * self.alpha.max(initial=0))
        m = self.z * (self.f + bias)
        return float((self.alpha * np.maximum(m, 0) + (C - self.alpha) * np.maximum(-m, 0)).sum())

    def _gap(self, bias: float) -> float:
        difference, objective = self._difference(bias), self._objective()
        value = max(abs(objective + difference), abs(objective))
        return difference / value if value > 0 else 0.0

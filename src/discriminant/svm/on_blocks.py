"""The machine of squared slack on rows that come in blocks: Newton's method, one pass a step.

    min  ‖w‖²/2 + Σ C_i max(0, 1 − m_i)²,      m_i = z_i (wᵗx_i + w₀)

Only rows with m < 1 count.  One pass adds up their second moments, from which criterion, gradient and Hessian at a
point follow, and of the multipliers α = 2C max(0, 1 − m) what the dual value Σα − ‖Σαzx‖²/2 − Σα²/(4C) needs: so the
gap to the minimum is known at each step.  Where w₀ is free, Σαz = 0 is met by shortening the multipliers of the heavier
side.  A full step ends at the minimum as soon as it leaves the set of these rows unchanged; one that does not lower
the criterion enough is shortened.  Where columns are very many, ``wide_on_blocks`` takes other steps.

Symbols: ``a`` = (w₀, w), about ``center``; y = (1, x − center).

Source: Mangasarian, "A finite Newton method for classification", 2002.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from .._blocks.blocks import Block, Blocks, added
from .._blocks.roles import Roles
from .._engine.bfgs import shortened
from .._engine.driver import Interrupted
from .._engine.refusals import NotFiniteError
from .._engine.threads import BLOCK
from .._kernel_matrix.source import Vector
from ..solution import Status
from .primal import STEPS, shifted
from .problems import ROUNDING, Machine, relative_gap

SHORTER = 30  # steps are tried at the most, where one leads too far


class SlackSums(NamedTuple):
    """What one pass adds up: Σ Ct², Σ 2Cyyᵗ and Σ 2Czy of rows with slack t > 0; Σα, Σα²/(4C), Σαy of each side."""

    loss: float
    moments: Vector
    pull: Vector
    sums: Vector
    squares: Vector
    sides: Vector


def slack_part(block: Block, roles: Roles, C: float, center: Vector, a: Vector) -> tuple[Any, ...]:
    """The sums of one block at a; those of the sides have an entry for z = −1 and one for z = +1."""
    X, own, v = roles.of(block)
    d = a.size
    total: tuple[Any, ...] = SlackSums(0.0, np.zeros((d, d)), np.zeros(d), np.zeros(2), np.zeros(2), np.zeros((2, d)))
    for start in range(0, own.size, BLOCK):
        rows = slice(start, start + BLOCK)
        B = X[rows].astype(np.float64, copy=False)
        Y = np.empty((B.shape[0], d))
        Y[:, 0], Y[:, 1:] = 1, (B.toarray() if sparse.issparse(B) else B) - center
        total = added(total, _sums(Y, own[rows], C if v is None else C * v[rows], a))
    return total


def _sums(Y: Vector, own: NDArray[np.int32], C: Any, a: Vector) -> SlackSums:
    z = 2.0 * own - 1
    t = 1 - z * (Y @ a)
    bent = np.flatnonzero(~(t <= 0))  # NaN counts, so that it is seen
    Y, t, own, z, C = Y[bent], t[bent], own[bent], z[bent], C if np.ndim(C) == 0 else C[bent]
    alpha = 2 * C * t
    root = Y * np.sqrt(2 * C if np.ndim(C) == 0 else (2 * C)[:, None])
    sides = np.array([np.where(own == side, alpha, 0.0) @ Y for side in (0, 1)])
    sums, squares = (np.asarray(np.bincount(own, each, 2), np.float64) for each in (alpha, 0.5 * alpha * t))
    return SlackSums(float(squares.sum()), root.T @ root, (2 * C * z) @ Y, sums, squares, sides)


class SlackSteps:
    """Steps on one problem of two classes, each with a look at all rows; who derives it says what a look adds up."""

    most = STEPS
    noise = 1e-15  # of the criterion: smaller differences mean nothing

    def __init__(self, blocks: Blocks, roles: Roles, C: float, center: Vector, free: bool) -> None:
        self.blocks, self.roles, self.C, self.free = blocks, roles, C, free
        self.center = center if free else np.zeros_like(center)
        self.ridge = np.ones(blocks.n_features + 1)
        self.ridge[0] = 0.0 if free else 1.0

    def part(self, block: Block, roles: Roles, C: float, center: Vector, a: Vector) -> tuple[Any, ...]:
        """The sums of one block at a, ``SlackSums``; a function at the top of a module."""
        raise NotImplementedError

    def step(self, a: Vector, at: SlackSums) -> tuple[Vector, float]:
        """The next step, and the slope of the criterion along it."""
        raise NotImplementedError

    def ends(self, tol: float, gap: float, fall: float) -> bool:
        """Whether the gap, and the fall of the last step in parts of the criterion, are small enough."""
        raise NotImplementedError

    def look(self, a: Vector) -> SlackSums:
        found = SlackSums(*self.blocks.total(self.part, self.roles, self.C, self.center, a))
        if not np.isfinite(found.loss + np.sum(found.moments) + found.sides.sum()):
            raise NotFiniteError
        return found

    def value(self, a: Vector, sums: SlackSums) -> float:
        return 0.5 * float(self.ridge @ (a * a)) + sums.loss

    def gap(self, a: Vector, at: SlackSums) -> float:
        """The relative duality gap at a."""
        factors = np.ones(2)
        if self.free and at.sums.max() > 0:
            factors = at.sums.min() / np.where(at.sums > 0, at.sums, 1.0)
        v = factors[1] * at.sides[1] - factors[0] * at.sides[0]
        dual = float(factors @ at.sums) - 0.5 * float(self.ridge @ (v * v)) - float(factors**2 @ at.squares)
        return relative_gap(self.value(a, at), dual)

    def run(self, tol: float) -> Machine:
        """The machine, to a relative duality gap of tol or to rounding; Ctrl-C leaves that of the last step."""
        a = np.zeros(self.ridge.size)
        gaps, value = [1.0], np.inf
        try:
            at = self.look(a)
            value, gaps = self.value(a, at), [self.gap(a, at)]
            for _ in range(self.most):
                d, slope = self.step(a, at)
                moved = self._searched(a, d, slope, value)
                if moved is None:
                    break
                a, at = moved
                last, value = value, self.value(a, at)
                gaps.append(self.gap(a, at))
                if self.ends(tol, gaps[-1], (last - value) / max(abs(value), 1e-300)):
                    break
            status = Status.CONVERGED if gaps[-1] <= max(tol, ROUNDING) else Status.BUDGET
        except Interrupted:
            status = Status.STOPPED
        found = shifted(a, -self.center)
        quality = value, gaps[-1], gaps[-1], len(gaps) - 1
        return Machine(np.zeros(0), found, float(found[1:] @ found[1:]), *quality, status, (), gaps[1:])

    def _searched(self, a: Vector, d: Vector, slope: float, value: float) -> tuple[Vector, SlackSums] | None:
        """The point that lowers the criterion enough along the step, and the sums there; None where none does."""
        s, noise = 1.0, self.noise * abs(value)
        for _ in range(SHORTER):
            if not -slope > 0.1 * noise:
                return None
            there = self.look(a + s * d)
            change = self.value(a + s * d, there) - value
            if change <= 1e-4 * s * slope + noise:
                return a + s * d, there
            s = shortened(s, slope, change)
        return None


class SlackNewton(SlackSteps):
    """Newton's steps."""

    part = staticmethod(slack_part)

    def step(self, a: Vector, at: SlackSums) -> tuple[Vector, float]:
        gradient = self.ridge * a + at.moments @ a - at.pull
        H = at.moments + np.diag(self.ridge)
        if H[0, 0] <= 0:  # no row has slack: w₀ is free to go anywhere
            H[0, 0] = 1.0
        H[np.diag_indices_from(H)] *= 1 + 1e-14
        d = -np.asarray(cho_solve(cho_factor(H), gradient))
        return d, float(gradient @ d)

    def ends(self, tol: float, gap: float, fall: float) -> bool:
        return gap <= tol and fall <= 1e-12


def problems_of_two(classes: Any, factors: Any, strategy: str) -> list[Roles]:
    """The roles of the rows in each problem, in the order of ``ProblemsOfTwo``."""
    c = classes.size
    if strategy == "two-category":
        return [Roles(classes, factors, 1)]
    if strategy == "one-vs-rest":
        return [Roles(classes, factors, k) for k in range(c)]
    return [Roles(classes, factors, j, i) for i in range(c) for j in range(i + 1, c)]

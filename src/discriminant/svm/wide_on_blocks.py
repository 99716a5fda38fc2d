"""The machine of squared slack on blocks of rows with very many columns: limited-memory BFGS, one pass a step.

What is added up is of the size of w: of each class the sum of its αy, of which follow the gradient and, as for
Newton's steps (``on_blocks``), the duality gap.  CSR rows are multiplied as they are, dense ones a few at a time.

At a = 0 all rows have slack.  The Hessian there is approximated by its diagonal and the means of the classes,

    M = D + Σ_k n_k ȳ_k ȳ_kᵗ,      D = diag(ridge + Σ 2C y² − Σ_k n_k ȳ_k²),      n_k = Σ 2C over class k

for features that are not centered, and classes that are apart, would bend the criterion most along their means.  The
first pass finds all of this.  On text the means save half of the passes; trust regions with products of the Hessian
take more passes than these steps, since each product is a pass.

It ends when the gap is at most ``FINE``: gradients alone leave the criterion less exact than Newton's steps do, and by
a fraction of the gap.  Where so small a gap takes too many passes, one of ``tol`` will do.

Symbols: ``a`` = (w₀, w), about ``center``; y = (1, x − center); α = 2C max(0, 1 − m) for margins m.

Source: Nocedal and Wright, *Numerical Optimization*, §7.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._blocks.blocks import Block, Blocks, added
from .._blocks.roles import Roles
from .._engine.bfgs import Pairs
from .._kernel_matrix.source import Vector
from .on_blocks import SlackSteps, SlackSums

LOOKS = 1000  # steps at the most
FINE = 1e-6  # relative gap that is asked for, where tol is larger
ENTRIES = 2**18  # numbers of dense rows that are taken at a time: these stay in the cache
LEAST = 0.01  # share of the diagonal that the means leave to D


def gradient_part(block: Block, roles: Roles, C: float, center: Vector, a: Vector) -> tuple[Any, ...]:
    """The sums of one block at a: nothing of second moments but, at a = 0, their diagonal."""
    X, own, v = roles.of(block)
    if sparse.issparse(X):
        return _sums(X, own, C if v is None else C * v, center, a)
    total: tuple[Any, ...] | None = None
    size = max(1, ENTRIES // a.size)
    for start in range(0, max(1, own.size), size):
        rows = slice(start, start + size)
        about = X[rows].astype(np.float64) - center
        found = _sums(about, own[rows], C if v is None else C * v[rows], np.zeros_like(center), a)
        total = found if total is None else added(total, found)
    assert total is not None
    return total


@np.errstate(over="ignore", invalid="ignore")  # what is not finite is seen in the sums
def _sums(X: Any, own: NDArray[np.int32], C: Any, center: Vector, a: Vector) -> SlackSums:
    t = np.maximum(1 - (2.0 * own - 1) * (X @ a[1:] + (a[0] - center @ a[1:])), 0)  # NaN stays, so that it is seen
    alpha = 2 * C * t
    parted = np.zeros((own.size, 2))
    parted[np.arange(own.size), own] = alpha
    sums, squares = parted.sum(axis=0), np.asarray(np.bincount(own, 0.5 * alpha * t, 2), np.float64)
    first = (X.T @ parted).T
    sides = np.column_stack([sums, first - sums[:, None] * center])
    diagonal: Any = 0.0
    if not a.any():
        second = X.astype(np.float64).power(2).T @ alpha if sparse.issparse(X) else alpha @ (X * X)
        about = np.asarray(second, np.float64) - 2 * center * first.sum(axis=0) + sums.sum() * center**2
        diagonal = np.r_[sums.sum(), np.maximum(about, 0)]
    return SlackSums(float(squares.sum()), diagonal, np.zeros(0), sums, squares, sides)


class AboutMeans:
    """M, a diagonal and the means of the classes, of the sums at a = 0."""

    def __init__(self, ridge: Vector, at: SlackSums) -> None:
        means = at.sides / np.sqrt(np.where(at.sums > 0, at.sums, 1.0))[:, None]
        left = at.moments - np.square(means).sum(axis=0)
        self.inverse = 1 / (ridge + np.maximum(left, LEAST * at.moments))
        self.scaled = means * self.inverse
        self.small = np.linalg.inv(np.eye(2) + self.scaled @ means.T)

    def solve(self, G: Vector) -> Vector:
        return np.asarray(G * self.inverse - (G @ self.scaled.T) @ self.small @ self.scaled)


class SlackGradients(SlackSteps):
    """Steps of limited-memory BFGS."""

    part = staticmethod(gradient_part)
    most, noise = LOOKS, 1e-13

    def __init__(self, blocks: Blocks, roles: Roles, C: float, center: Vector, free: bool) -> None:
        super().__init__(blocks, roles, C, center, free)
        self.pairs = Pairs(self.ridge.size)
        self.means: AboutMeans | None = None
        self.last = np.zeros(0), np.zeros(0)  # point and gradient of the step before

    def step(self, a: Vector, at: SlackSums) -> tuple[Vector, float]:
        gradient = self.ridge * a - (at.sides[1] - at.sides[0])
        if self.means is None:
            self.means = AboutMeans(self.ridge, at)
        else:
            s, y = a - self.last[0], gradient - self.last[1]
            if s @ y > 1e-14 * np.sqrt((s @ s) * (y @ y)):  # else rounding has spoiled it
                self.pairs.append(s, y)
        self.last = a, gradient
        d = -self.pairs.solve(gradient, self.means, fitted=True)
        return d, float(gradient @ d)

    def ends(self, tol: float, gap: float, fall: float) -> bool:
        return gap <= min(tol, FINE)

"""CoCoA⁺: the soft margin with the hinge, on blocks of rows that each keep the multipliers of their own rows.

Problem: min ‖w‖²/2 + Σ C max(0, 1 − z (wᵗx + w₀)), whose dual is max Σ α − ‖Σ αzx‖²/2 with 0 ≤ α ≤ C and Σ αz = 0.
The rows lie in K blocks.  In each round every block gets the plane a = (w₀, w) and improves its own multipliers, row
after row, as if the change of every other block were like its own:

    α ← min(C, max(0, α + (1 − z uᵗx) / (σ‖x‖²))),    u ← u + σ Δα z x,    σ = K,  u = a at first

and the changes Σ Δα z x of all blocks are added to w.  With σ = K adding is safe: every round raises the dual value.
Rounds begin at α + β(α − α of the round before), with the β of Nesterov's method, and with β = 0 after a round that has
lowered the dual value: that takes a fifth of the rounds or fewer.  It ends when the relative duality gap is at most
``tol``: both values follow from sums of the size of w.

A w₀ in the norm is one more column, of ones.  A free w₀ is that of the proximal point method: the column has the length
s, its norm is counted from the last w₀, and Σ αz = 0 holds in the end; the dual value of the gap is that of multipliers
whose heavier side has been shortened, so that it holds there too.

Symbols: z the signs of rows, α their multipliers, V the sums Σ αzx and S the sums Σ α of either side, y the α where a
round begins, u the plane that a block changes.

Sources: C. Ma, V. Smith, M. Jaggi, M. Jordan, P. Richtárik, M. Takáč, "Adding vs. averaging in distributed primal-dual
optimization", 2015, Algorithm 1; A. Beck, M. Teboulle, "A fast iterative shrinkage-thresholding algorithm", 2009;
B. O'Donoghue, E. Candès, "Adaptive restart for accelerated gradient schemes", 2015.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from .._blocks.blocks import Block, Blocks
from .._blocks.roles import Roles
from .._engine.driver import Interrupted
from .._engine.problem import narrow, sqnorms
from .._engine.rows import Rows, compiled, row_axpy, row_dot
from .._kernel_matrix.source import Indices, Vector
from ..solution import Status
from .primal import shifted
from .problems import Machine, relative_gap

PASSES = 5  # over a block in each round
ROUNDS = 5000  # at the most
LENGTH = 0.1  # s² of the column of w₀, in mean squares of the rows about their mean: a longer one needs more rounds
EVERY = 5  # rounds after which the norm of w₀ is counted from its last value


class EvolvingBlocks(Blocks, Protocol):
    """Blocks that keep something of any kind where they are."""

    def __len__(self) -> int:
        """How many there are."""


class HingeProblem(NamedTuple):
    """One problem of two classes, as every block sees it; ``own`` is s², the squared length of the column of w₀."""

    roles: Roles
    C: float
    center: Vector
    own: float
    sigma: float

    def rows(self, block: Block) -> tuple[Any, Vector, Vector]:
        """The rows that take part, dense ones about their mean, with their signs and the costs of their slack."""
        X, label, v = self.roles.of(block)
        if not sparse.issparse(X):
            X = X - self.center.astype(X.dtype)
        elif not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        costs = np.full(label.size, self.C) if v is None else self.C * v
        return X, np.where(label > 0, 1.0, -1.0), np.asarray(costs, np.float64)


@compiled
def _ascend(
    X: Rows, z: Vector, C: Vector, squares: Vector, order: Indices, alpha: Vector, u: Vector, sigma: Any
) -> None:
    """Improve the multipliers in this order; the last of the squared lengths is that of the column of w₀."""
    own = squares[squares.size - 1]
    for t in range(order.size):
        i = order[t]
        better = alpha[i] + (1 - z[i] * row_dot(X, i, u)) / (sigma * (squares[i] + own))
        better = 0.0 if better < 0 else C[i] if better > C[i] else better
        if better != alpha[i]:
            row_axpy(X, i, sigma * (better - alpha[i]) * z[i], own, u)
            alpha[i] = better


def squares_part(block: Block, problem: HingeProblem) -> tuple[int, float, int]:
    """How many rows take part, the sum of their squared lengths, and how many of them are of a CSR matrix."""
    X, z, _ = problem.rows(block)
    return z.size, float(sqnorms(narrow(X)).sum()), z.size * sparse.issparse(X)


def local_round(block: Block, state: Any, problem: HingeProblem, a: Vector, beta: float, n: int) -> tuple[Any, Any]:
    """A round of one block: its multipliers with those before, and what it answers.

    The answer is what the multipliers change of V and S, what the slack of the plane a costs, and how many of the
    multipliers are positive.
    """
    X, z, C = problem.rows(block)
    if not z.size:
        return None, (np.zeros((2, a.size - 1)), np.zeros(2), 0.0, 0)
    alpha, before = (np.zeros(z.size), np.zeros(z.size)) if state is None else state
    loss = float(C @ np.maximum(0, 1 - z * (X @ a[1:] + a[0])))
    y = alpha + beta * (alpha - before)
    better = np.clip(y, 0, C)
    cut = (better - y) * z
    u = a + problem.sigma * np.r_[problem.own * cut.sum(), X.T @ cut]
    rows, draw = narrow(X), np.random.default_rng([block.first, n])
    squares = np.r_[sqnorms(rows), problem.own]
    for _ in range(PASSES):
        _ascend(rows, z, C, squares, draw.permutation(z.size).astype(np.uint32), better, u, problem.sigma)
    change = (better - alpha) * z
    sides = np.array([np.where(z == side, change, 0.0) for side in (1, -1)])
    answer = np.asarray(sides @ X, np.float64), np.array([1, -1]) * sides.sum(axis=1), loss, int((better > 0).sum())
    return (better, alpha), answer


class HingeRounds:
    """The rounds of one problem of two classes."""

    def __init__(self, blocks: EvolvingBlocks, roles: Roles, C: float, center: Vector, free: bool) -> None:
        d = blocks.n_features
        self.free, self.base, self.shift = free, 0.0, center if free else np.zeros(d)
        problem = HingeProblem(roles, C, self.shift, 1.0, float(len(blocks)))
        if free:
            rows, squares, of_csr = blocks.total(squares_part, problem)
            self.shift = np.zeros(d) if of_csr else center
            problem = problem._replace(own=float(LENGTH * squares / rows) or 1.0, center=self.shift)
        self.problem, self.evolution = problem, blocks.evolving(local_round)
        self.V, self.S = np.zeros((2, d)), np.zeros(2)
        self.before, self.beta, self.momentum = (self.V, self.S), 0.0, 1.0
        self.best, self.bound, self.support = (np.inf, np.zeros(d + 1)), -np.inf, 0

    def run(self, tol: float) -> Machine:
        """The machine, to a relative duality gap of tol; Ctrl-C leaves the best plane so far."""
        status, gaps = Status.BUDGET, list[float]()
        try:
            for n in range(ROUNDS):
                self._round(n)
                gaps.append(relative_gap(self.best[0], self.bound))
                if gaps[-1] <= tol:
                    status = Status.CONVERGED
                    break
        except Interrupted:
            status = Status.STOPPED
        criterion, a = self.best
        a = shifted(a, -self.shift)
        gap, notes = gaps[-1] if gaps else 1.0, [f"{self.support:,} rows have a positive multiplier."]
        quality = criterion, gap, gap, len(gaps)
        return Machine(np.zeros(0), a, float(a[1:] @ a[1:]), *quality, status, notes, gaps)

    def _round(self, n: int) -> None:
        V, S = (now + self.beta * (now - last) for now, last in zip((self.V, self.S), self.before, strict=True))
        a = np.r_[self.base + self.problem.own * (S[0] - S[1]), V.sum(axis=0)]
        V, S, loss, self.support = self.evolution.total(self.problem, a, self.beta, n)
        norm = float(a[1:] @ a[1:]) + (0.0 if self.free else float(a[0] ** 2))
        self.best = min(self.best, (norm / 2 + loss, a), key=lambda found: found[0])
        last = self._value()
        self.before, self.V, self.S = (self.V, self.S), self.V + V, self.S + S
        self.bound = max(self.bound, self._dual())
        self._accelerate(rose=self._value() >= last)
        if self.free and (n + 1) % EVERY == 0:
            self.base += self.problem.own * float(self.S[0] - self.S[1])

    def _accelerate(self, rose: bool) -> None:
        t = 1.0 if not rose else (1 + np.sqrt(1 + 4 * self.momentum**2)) / 2
        self.beta, self.momentum = (self.momentum - 1) / t if rose else 0.0, t

    def _value(self) -> float:
        """What the rounds raise: the dual value less the norm of w₀."""
        w, side = self.V.sum(axis=0), float(self.S[0] - self.S[1])
        return float(self.S.sum() - w @ w / 2 - self.problem.own * side**2 / 2 - self.base * side)

    def _dual(self) -> float:
        """The dual value; for a free w₀ that of multipliers whose heavier side is shortened."""
        if not self.free:
            return self._value()
        w = (self.S.min() / np.where(self.S > 0, self.S, 1.0)) @ self.V
        return float(2 * self.S.min() - w @ w / 2)

"""The likelihood of rows that come in blocks: criterion, gradient and Hessian in one pass.

Newton's method makes one pass a step: the Hessian at a point is added up together with the criterion there, and is at
hand when the step is taken.  For very many weights limited-memory BFGS steps need the gradient alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from .._blocks.blocks import Block, Blocks
from .._blocks.roles import Roles
from .._blocks.survey import ClassTally
from .._engine.driver import Watch
from .._engine.linalg import Matrix
from .._guards.held import storable
from ..geometry import LinearMachine
from .coordinates import distant
from .infinity import FAR, Escape, margins
from .likelihood import Likelihood, Look
from .newton import WIDE


def look_part(block: Block, roles: Roles, center: Matrix, A: Matrix, bent: bool) -> tuple[Any, ...]:
    """Σ log loss, its gradient, the errors, and where ``bent`` the Hessian; no penalty."""
    X, own, v = roles.of(block)
    if not own.size:
        return (0.0, np.zeros_like(A), 0, np.zeros((A.size, A.size)) if bent else 0.0)
    if distant(X, center):
        X, center = X.astype(np.float64) - center, np.zeros_like(center)
    rows = Likelihood(X, own, v, len(A), 0.0, center)
    look = rows.look(A)
    with np.errstate(over="ignore", invalid="ignore"):
        return (*look, rows.curvature(A) if bent else 0.0)


def squares_part(block: Block, roles: Roles, center: Matrix, c: int) -> tuple[Matrix]:
    """The diagonal of the Hessian at A = 0."""
    X, own, v = roles.of(block)
    return (Likelihood(X, own, v, c, 0.0, center).squares() if own.size else np.zeros(X.shape[1] + 1),)


@storable
@dataclass(frozen=True)
class Reach:
    """Of two weights A and B: the least margin of A, the largest |margin| of B; the least of each where B is strict."""

    here: float = np.inf
    largest: float = 0.0
    strict_here: float = np.inf
    strict_gain: float = np.inf

    def __add__(self, other: Reach) -> Reach:
        return Reach(
            min(self.here, other.here), max(self.largest, other.largest),
            min(self.strict_here, other.strict_here), min(self.strict_gain, other.strict_gain),
        )  # fmt: skip


def reach_part(block: Block, roles: Roles, center: Matrix, AB: Matrix, least: float) -> tuple[Reach]:
    """How far rows of a block are on their sides; ``least`` is the margin of B from which a row counts as strict."""
    X, own, v = roles.of(block)
    if not own.size:
        return (Reach(),)
    rows = Likelihood(X, own, v, len(AB[0]), 0.0, center)
    here, gain = (margins(rows, rows.changes(A)) for A in AB)
    finite = np.isfinite(gain)
    strict = (gain > least) & finite
    ends = (here[strict].min(initial=np.inf), gain[strict].min(initial=np.inf))
    return (Reach(float(here.min()), float(np.abs(gain[finite]).max()), *map(float, ends)),)


def prove_on_blocks(blocks: Blocks, watch: Watch) -> tuple[Any, Matrix | None]:
    """The verdict on all rows, and its plane as augmented weights; None where nothing is separated."""
    from ..separation.verdict import separability  # 0.2 s of imports that few fits need

    found = separability(blocks, progress=False)
    plane = found.hyperplane
    if isinstance(plane, LinearMachine):
        return found, plane.weights - plane.weights.mean(axis=0)
    return found, None if plane is None else np.r_[plane.w0, plane.w][None]


class LikelihoodOnBlocks:
    """What Newton's method asks of a likelihood, about rows that come in blocks."""

    def __init__(self, blocks: Blocks, roles: Roles, tally: ClassTally, ridge: float, center: Matrix) -> None:
        self.blocks, self.roles, self.ridge, self.center = blocks, roles, ridge, center
        self.n, self.d = int(tally.rows.sum()), blocks.n_features
        self.c = 1 if tally.classes.size == 2 else tally.classes.size
        factors = 1.0 if roles.factors is None else roles.factors
        self.total = float(np.sum(factors * tally.weights))
        self.has_all_classes = bool(np.all(factors * tally.weights > 0))
        self._seen: tuple[Matrix, Matrix] | None = None  # a point, and the Hessian there

    @property
    def at_zero(self) -> float:
        return self.total * float(np.log(max(2, self.c)))

    @property
    def size(self) -> int:
        return self.c * (self.d + 1)

    @property
    def way(self) -> str:
        """How to find the minimum: by Newton's method, unless the Hessian would be too large."""
        return "newton" if self.size <= 2 * WIDE and self.d < WIDE else "diagonal"

    def look(self, A: Matrix) -> Look:
        value, gradient, errors, H = self.blocks.total(look_part, self.roles, self.center, A, self.way == "newton")
        W = A[:, 1:]
        gradient = gradient.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            if self.ridge > 0:
                gradient[:, 1:] += self.ridge * W
                value += 0.5 * self.ridge * float((W * W).sum())
        self._seen = A.copy(), H
        return Look(float(value), gradient, int(errors))

    def hessian(self, A: Matrix) -> Matrix:
        """The Hessian at a point, which was added up when that was looked at."""
        if self._seen is None or not np.array_equal(self._seen[0], A):
            self.look(A)
        assert self._seen is not None
        H = np.array(self._seen[1])
        at = np.arange(self.size).reshape(self.c, self.d + 1)[:, 1:].ravel()
        H[at, at] += self.ridge
        return H

    def escape(self, A: Matrix, proof: Any, B: Matrix | None) -> Escape | None:
        """How to stop at infinity, from A; None where the verdict is overlap. B is the plane of the proof."""
        B = np.zeros_like(A) if B is None else B
        seen = self._reach(A, B, np.inf)
        if seen.here > 0:  # A itself separates, and is the likelier plane
            return Escape("complete", A, A * (FAR / seen.here), proof)
        if proof is None or not B.any():
            return None
        seen = self._reach(A, B, 1e-9 * seen.largest)
        length = (FAR + max(0.0, -seen.strict_here)) / seen.strict_gain
        start = A if proof.verdict == "quasi" else np.zeros_like(A)
        return Escape(proof.verdict, B, start + length * B, proof)

    def _reach(self, A: Matrix, B: Matrix, least: float) -> Reach:
        (found,) = self.blocks.total(reach_part, self.roles, self.center, np.array([A, B]), least)
        return cast(Reach, found)

    def squares(self) -> Matrix:
        (total,) = self.blocks.total(squares_part, self.roles, self.center, self.c)
        total = np.array(total)
        total[1:] += self.ridge
        return total

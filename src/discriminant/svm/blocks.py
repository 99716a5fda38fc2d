"""Sequential minimal optimization on large working sets: the dual of ``dual`` for any number of rows.

One step takes a pair (i, j) and moves along the constraint:

    i = argmin {f_t : t in I_up},   j = argmax {(f_t - f_i)² / η_it : t in I_low, f_t > f_i}
    η_ij = K_ii + K_jj - 2 K_ij,  δ = (f_j - f_i) / η_ij,  cut where α_i or α_j meets a bound
    α_i += z_i δ,  α_j -= z_j δ,  f_t += δ (K_it - K_jt)

Every step raises W, and the violation tends to zero (Fan, Chen, Lin, Theorem 3); where η is not positive, a tiny number
stands for it, and the step goes to a bound.  Pairs are worked off inside a block of rows, the working set: the most
violating ones and some of the block before; one product with the kernel rows of the block then brings all f up to date.
Where that costs too much, the rows of the problem that are at a bound, and in no violating pair, are left out
(shrinking): kernel rows are then shorter, and more of them can be kept; the violation is then checked with all of them.
Where C is large, pairs may take forever: after a while blocks become small, and an interior method takes them over.  A
small problem is one block, and what is left is finished by Newton's steps on the α between the bounds (``small``).

Sources: Platt, *Sequential Minimal Optimization*, 1998; Fan, Chen, Lin, *Working Set Selection Using Second Order
Information*, JMLR 6, 2005 (rule WSS 2); Wen, Shi, Li, He, Chen, *ThunderSVM*, JMLR 19, 2018 (large working sets);
Joachims, *Making Large-Scale SVM Learning Practical*, 1999 (cache, shrinking).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.threads import one_blas_thread
from .._kernel_matrix.rows import SMALL
from .._kernel_matrix.source import Indices, KernelSource, Vector
from .dual import Dual, DualProblem, DualSolver, feasible, keys
from .interior import Products, interior
from .pair_steps import pairs
from .small import SmallSolver

FINE = 1e-9  # violation that ends a small problem
WIDE, NARROW = 2048, 512  # rows of a block, and of one whose rows cost much or whose pairs take long
WHOLE = 4096  # active rows that are taken for a block all together
WORK = 40_000_000  # rows looked at by one compiled call: a tenth of a second
SHARE = 0.2  # part of the violation that a block is worked down to
SHRUNK = 0.01  # and that active rows alone are, before the others are looked at
SLOW = 40  # rounds after which progress is looked at
DOUBT = 0.1  # share of the tolerance that rounding in float32 may take unseen
FAR = 10  # how many times the largest alpha stands for an infinite bound
LARGE = 3000  # rows for which the interior method takes seconds


def smo(
    source: KernelSource,
    diagonal: NDArray[Any],
    z: NDArray[Any],
    C: NDArray[Any],
    *,
    tol: float = 1e-3,
    start: NDArray[Any] | None = None,
    near: bool = False,
    watch: Watch | None = None,
    most: float = np.inf,
    extra: Vector | None = None,
) -> Dual:
    """Solve the dual to a violation of ``tol``; a small problem is given up after ``most`` rounds.

    Where the start is ``near`` the maximum, a small problem needs its last digits only.  ``extra`` is what squared
    slack adds to the diagonal.

    On Ctrl-C the answer so far comes back, marked ``interrupted``.
    """
    z, C, diagonal = (np.ascontiguousarray(values, np.float64) for values in (z, C, diagonal))
    problem, alpha = DualProblem(diagonal, z, C, watch or Watch(), extra), feasible(start, z, C)
    with one_blas_thread():  # the same sums whatever the number of threads
        if z.size <= SMALL and (K := source.whole()) is not None:
            return SmallSolver(K, problem, alpha, near).solve(min(tol, FINE), most)
        return BlockSolver(source, problem, alpha).solve(tol)


class BlockSolver(DualSolver):
    """A problem whose kernel rows are asked for block by block."""

    def __init__(self, source: KernelSource, problem: DualProblem, alpha: Vector, f: Vector | None = None) -> None:
        """Begin with α; where f is given, other rows of the problem stand still, and are in it."""
        super().__init__(problem, alpha)
        self.source = source
        self.partial = f is not None
        self.size = NARROW if source.keeps_rows else WIDE
        self.hard = False  # a block took too many pairs
        self.last = 0, np.inf  # round and violation when progress was looked at
        self.made = 0  # kernel rows, up to the last time that rows were left out
        self.spare = 2.0  # for ``_crowded``; grows when rows were left out too early
        self.block: Indices = np.zeros(0, np.int64)
        self.gram: NDArray[Any] = np.zeros((0, 0), source.dtype)
        self.checked = np.inf  # violation when f was last computed exactly
        if f is not None:
            self.f = f
        elif not self.fresh:
            self._refresh()

    def round(self, violation: float, limit: float) -> None:
        active = self.active()
        small = active.size <= min(WHOLE, self.source.capacity) and self.source.missing(active) <= self.size
        if self._slow(violation) and active.size <= LARGE:
            self.round_of_active(active)
        elif small and not self.hard:
            self.round_of_block(self._mark(active), 0.5 * limit)
        elif self._crowded(active):
            self.shrink(active, max(limit, SHRUNK * violation))
        else:
            self.round_of_block(self._choose(), max(0.5 * limit, SHARE * violation))

    def _mark(self, rows: Indices) -> NDArray[np.bool_]:
        marked = np.zeros(self.z.size, bool)
        marked[rows] = True
        return marked

    def round_of_block(self, chosen: NDArray[np.bool_], limit: float) -> None:
        """Work off the pairs of some rows, and bring all f up to date with one product."""
        kept = np.flatnonzero(chosen[self.block])
        chosen[self.block] = False
        new = np.flatnonzero(chosen)
        self.block, self.gram = self.source.gram(self.block, kept, new, self.gram, self.watch)
        block, K, z, C = self.block, self.gram, self.z[self.block], self.C[self.block]
        before, f = self.alpha[block], self.f[block]
        alpha, bound = before.copy(), WORK // block.size
        steps, indefinite = pairs(K, self.diagonal[block], z, C, alpha, f, limit, bound)
        if steps == bound and not indefinite:
            if block.size <= NARROW:
                alpha = _improved(K.astype(np.float64), z, C, alpha, f, self.watch)
                f = self.f[block] + ((alpha - before) * z) @ K
            self.size, self.hard = NARROW, True
        self.source.add(self.f, block, (alpha - before) * z, known=block)
        self.alpha[block], self.f[block] = alpha, f
        self._count(steps, indefinite)

    def _slow(self, violation: float) -> bool:
        """Whether the violation has hardly fallen in the last blocks that were worked off."""
        since, then = self.last
        if self.indefinite or self.rounds - since < SLOW:
            return False
        self.last = self.rounds, violation
        return violation > SHARE * then

    def round_of_active(self, active: Indices) -> None:
        z, alpha = self.z[active], self.alpha[active]
        better = _improved(self.source.block(active, active), z, self.C[active], alpha, self.f[active], self.watch)
        self.source.add(self.f, active, (better - alpha) * z)
        self.alpha[active] = better
        self.fresh = False

    def _crowded(self, active: Indices) -> bool:
        """Whether kernel rows are better made for the active rows alone.

        Streamed rows then cost less at once; of those that are kept, more must have been made again than it takes to
        look at all rows afterwards.
        """
        if not self.source.keeps_rows:
            return bool(self.spare * active.size <= self.z.size)
        spent = self.source.made - self.made
        kept = self.source.capacity + np.count_nonzero(self.alpha)
        return bool(2 * active.size <= self.z.size and spent > self.spare * kept)

    def active(self) -> Indices:
        """The rows that may have to move: not those that no other row makes a violating pair with."""
        up, low = keys(self.z, self.alpha, self.C, self.f)
        return np.flatnonzero((up < -low.min()) | (low < -up.min()))

    def shrink(self, active: Indices, limit: float) -> None:
        """Solve for some rows, whose shorter kernel rows are cheaper; then bring f of the others up to date."""
        source, problem = self.source.narrow(active), self.problem.part(active)
        part = BlockSolver(source, problem, self.alpha[active], self.f[active])
        part.size, part.hard = self.size, self.hard
        try:
            part.run(limit)
        finally:
            self.source.add(self.f, active, (part.alpha - self.alpha[active]) * part.z, known=active)
            self.alpha[active], self.f[active] = part.alpha, part.f
            self._count(part.inner, part.indefinite)
            self.rounds += part.rounds
            self.block, self.gram = self.block[:0], self.gram[:0, :0]
        self.size, self.hard, self.made = part.size, part.hard, self.source.made
        self.spare *= 2 if self.violation() > 10 * limit else 1  # it was too early

    def _refresh(self, exact: bool = False) -> None:
        """Compute f from α, with the rows as they are kept or, exactly, as they are made."""
        f, support = -self.z, np.flatnonzero(self.alpha)
        weights = (self.alpha * self.z)[support]
        if exact:
            self.source.add_exact(f, support, weights, self.watch)
        else:
            self.source.add(f, support, weights, watch=self.watch)
        self.f, self.fresh = f, exact

    def settled(self, limit: float) -> bool:
        """Check the violation with f computed anew, where float32 may have spoilt it.

        If it has, the same rows may still do, as they are now needed for small moves only.  Where they have not even
        halved the violation, rows are kept in float64 from now on.
        """
        if self.fresh or self.partial or self.source.doubt(self.alpha) <= DOUBT * limit:
            return True
        self._refresh(exact=True)
        before, self.checked = self.checked, self.violation()
        if self.checked > 0.5 * before:
            self.source, self.size, self.made = self.source.wide(), NARROW, 0
            self.block, self.gram = self.block[:0], np.zeros((0, 0))
        return self.checked <= limit

    def _small_gap(self) -> bool:
        """Whether so small a violation means a small gap too, which a part of the rows cannot know."""
        return self.partial or super()._small_gap()

    def _note_gap(self) -> None:
        """The gap, but for a part of the rows, whose gap is none of the problem."""
        if not self.partial:
            super()._note_gap()

    def _choose(self) -> NDArray[np.bool_]:
        """Mark the rows of the next block: half are the worst violators, half are of the block before."""
        size, old = min(self.size, self.source.capacity), self.block
        chosen = self._worst(size if old.size == 0 else max(2, size // 2))
        free = (self.alpha[old] > 0) & (self.alpha[old] < self.C[old])  # these are the likeliest to move again
        order = np.argsort(np.where(chosen[old], 0, np.where(free, 1, 2)), kind="stable")
        chosen[old[order[: np.count_nonzero(chosen[old]) + size - np.count_nonzero(chosen)]]] = True
        return chosen

    def _worst(self, count: int) -> NDArray[np.bool_]:
        up, low = keys(self.z, self.alpha, self.C, self.f)
        worst = self._mark(_smallest(up, count - count // 2))
        low[worst] = np.inf
        worst[_smallest(low, count // 2)] = True
        return worst


def _improved(K: Vector, z: Vector, C: Vector, alpha: Vector, f: Vector, watch: Watch | None) -> Vector:
    """The α of a block by an interior method, where they are better than those that pairs have reached."""
    gradient = z * f
    C = np.where(np.isfinite(C), C, FAR * alpha.max(initial=0))  # the method needs bounds; these hardly are ones
    found = interior(Products(K, z), z, C, z * (K @ (alpha * z)) - gradient, float(alpha @ z), watch)
    if found is None or abs((move := found - alpha) @ z) > 1e-13 * alpha.sum():
        return alpha
    return found if -gradient @ move > (move * z) @ K @ (move * z) / 2 else alpha


def _smallest(values: Vector, count: int) -> Indices:
    some = 0 < count < values.size
    places = np.argpartition(values, count - 1)[:count] if some else np.arange(min(count, values.size))
    return places[values[places] < np.inf]

"""The dual of the soft margin for two classes, by sequential minimal optimization on large working sets.

    maximize  W(alpha) = sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j z_i z_j K_ij
    subject to  0 <= alpha_i <= C_i  and  sum_i alpha_i z_i = 0

With f_i = sum_j alpha_j z_j K_ij - z_i, I_up the rows where alpha_i z_i may grow and I_low those where it may shrink,
alpha is optimal when  max {f_j : j in I_low} <= min {f_i : i in I_up};  the difference is the violation.  One step
takes a pair (i, j) and moves along the constraint:

    i = argmin {f_t : t in I_up},   j = argmax {(f_t - f_i)^2 / eta_it : t in I_low, f_t > f_i}
    eta_ij = K_ii + K_jj - 2 K_ij,  delta = (f_j - f_i) / eta_ij,  cut where alpha_i or alpha_j meets a bound
    alpha_i += z_i delta,  alpha_j -= z_j delta,  f_t += delta (K_it - K_jt)

Every step raises W, and the violation tends to zero (Fan, Chen, Lin, Theorem 3); where eta is not positive, a tiny
number stands for it, and the step goes to a bound.  Pairs are worked off inside a block of rows, the most violating
ones and some of the block before; one product with the kernel rows of the block then brings all f up to date.  Where
memory cannot keep the kernel rows that are needed, the rows of the problem that are at a bound, and in no violating
pair, are left out (shrinking): shorter kernel rows fit; the violation is then checked with all of them.  Where C is
large, pairs may take forever: after a while an interior method takes the block over.  A small problem is one
block, and what is left is finished by Newton's steps on the alpha between the bounds.

The answer carries its proof: with m_i = z_i (f_i + w0), the primal value less the dual one is
sum_i alpha_i max(m_i, 0) + (C_i - alpha_i) max(-m_i, 0), in which no term is negative.

References
----------
Platt, *Sequential Minimal Optimization*, 1998; Fan, Chen, Lin, *Working Set Selection Using Second Order
Information*, JMLR 6, 2005 (rule WSS 2); Wen, Shi, Li, He, Chen, *ThunderSVM*, JMLR 19, 2018 (large working sets);
Joachims, *Making Large-Scale SVM Learning Practical*, 1999 (cache, shrinking).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from ._driver import Interrupted, Watch
from ._interior import interior
from ._kernel_rows import BLOCK, CACHE, EVERYTHING, SMALL, Indices, KernelRows, Make, Part, Vector
from ._rows import compiled, inlined
from ._squares import blas

FINE = 1e-9
WORK = 10_000_000  # rows looked at by one compiled call: less than a tenth of a second
TAU = 1e-12  # stands for a curvature that is not positive, as in libsvm
ROUGH = 1e-5  # share of the diagonal below zero that rounding in float32 does not explain
SHARE = 0.1  # part of the violation that a block is worked down to
STEPS = 20  # pairs for each row of a small problem before Newton's turn
NEWTON = 30  # Newton's steps in a turn
MU = 1e-11  # share of the diagonal that makes a kernel matrix definite
SLOW = 40  # rounds after which progress is looked at
LARGE = 3000  # rows for which the interior method takes seconds
PATIENCE = 300  # rounds without progress after which rounding is to blame


class Dual(NamedTuple):
    """The dual variables, the bias w0, and how good they are."""

    alpha: Vector
    f: Vector
    bias: float
    gap: float  # (primal - dual) / primal
    violation: float
    objective: float
    iterations: int  # rounds: blocks worked off
    inner: int  # pairs worked off
    converged: bool
    interrupted: bool
    indefinite: bool  # a pair with negative curvature was met: the kernel is not positive semidefinite


def smo(
    rows: Make | KernelRows | Part,
    diagonal: NDArray[Any],
    z: NDArray[Any],
    C: NDArray[Any],
    *,
    tol: float = 1e-3,
    cache_bytes: float = CACHE,
    start: NDArray[Any] | None = None,
    watch: Watch | None = None,
    tick: Callable[[float], object] | None = None,
) -> Dual:
    """Solve the dual; ``rows(indices)`` gives kernel rows, ``tol`` is the violation that is let pass.

    A plain function is called from this thread alone; KernelRows, or a part of them, are shared with other problems
    and made by several threads.  On Ctrl-C the answer so far comes back, marked ``interrupted``.
    """
    z, C, diagonal = (np.ascontiguousarray(values, np.float64) for values in (z, C, diagonal))
    if not isinstance(rows, KernelRows | Part):
        rows = KernelRows(rows, z.size, cache_bytes, workers=1)
    source = rows if isinstance(rows, Part) else Part(rows, EVERYTHING)
    work = Work(source, diagonal, z, C, feasible(start, z, C))
    with blas().limit(limits=1, user_api="blas"):  # the same sums whatever the number of threads
        try:
            converged = work.run(tol, watch, tick)
        except Interrupted:
            return work.answer(converged=False, interrupted=True)
        return work.answer(converged, interrupted=False)


def feasible(start: NDArray[Any] | None, z: Vector, C: Vector) -> Vector:
    """Give the nearest sensible alpha that keeps the bounds and sum alpha_i z_i = 0."""
    if start is None:
        return np.zeros(z.size)
    alpha = np.clip(np.asarray(start, np.float64), 0, C)
    plus, minus = alpha[z > 0].sum(), alpha[z < 0].sum()
    if abs(plus - minus) > 1e-14 * (plus + minus):  # less than that is rounding, and bounds had better be kept exactly
        alpha[z > 0 if plus > minus else z < 0] *= min(plus, minus) / max(plus, minus)
    return alpha


class Work:
    """A problem being solved: alpha, f, and the counts."""

    def __init__(self, source: Part, diagonal: Vector, z: Vector, C: Vector, alpha: Vector) -> None:
        self.source, self.diagonal, self.z, self.C, self.alpha = source, diagonal, z, C, alpha
        self.f = -z
        self.fresh = not alpha.any()  # f is computed from alpha, not brought up to date step by step
        self.rounds = self.inner = 0
        self.indefinite = False
        self.partial = False  # other rows of the problem stand still, and are in f
        self.last = 0, np.inf  # round and violation when progress was looked at
        self.made = 0  # kernel rows, up to the last time that rows were left out
        self.spare = 2.0  # how many times more must be made for the next time
        self.block: Indices = np.zeros(0, np.int64)
        self.gram: NDArray[Any] = np.zeros((0, 0), source.kernel.dtype)

    def run(self, tol: float, watch: Watch | None, tick: Callable[[float], object] | None) -> bool:
        """Go on until the violation is small enough, and say whether it is."""
        small = not self.partial and self.z.size <= SMALL and self.source.kernel.cache_bytes >= 8 * self.z.size**2
        matrix = self.source.whole() if small else None
        tol = min(tol, FINE) if small else tol
        if not (self.fresh or self.partial):
            self.refresh(matrix)
        best, least, stale = -np.inf, np.inf, 0
        while stale < (PATIENCE if matrix is None else PATIENCE // 10):
            violation, limit = self.violation(), max(tol, self.rounding())
            if violation <= limit and self.settled(matrix, limit):
                return True
            if watch is not None:
                watch.check()
            if tick is not None:
                tick(violation)
            if matrix is not None:
                self.round_of_all(matrix, limit, watch)
            elif self.slow(violation) and (active := self.active()).size <= LARGE:
                self.round_of_active(active, watch)
            elif self.crowded() and 2 * (active := self.active()).size <= self.z.size:
                self.shrink(active, max(limit, SHARE * violation), watch, tick)
            else:
                self.round_of_block(violation, tol, watch)
            self.rounds += 1
            objective = self.objective()  # near the end its rise is lost in rounding, but not the violation's fall
            stale = 0 if objective > best or violation < least else stale + 1
            best, least = max(best, objective), min(least, violation)
        return False

    def round_of_block(self, violation: float, tol: float, watch: Watch | None) -> None:
        """Choose a block, work off its pairs, and bring all f up to date with one product."""
        kept, new = self.choose(min(BLOCK, self.source.kernel.capacity))
        self.block, self.gram = self.source.gram(self.block, kept, new, self.gram)
        block, K, z = self.block, self.gram, self.z[self.block]
        alpha, f = self.alpha[block], self.f[block]
        limit = max(0.5 * tol, SHARE * violation)
        bound = WORK // block.size
        steps, bent = _pairs(K, self.diagonal[block], z, self.C[block], alpha, f, limit, bound)
        if steps == bound and not bent:
            alpha = _improved(K.astype(np.float64), z, self.C[block], alpha, f, watch)
        self.source.add(self.f, block, (alpha - self.alpha[block]) * z)
        self.alpha[block] = alpha
        self._count(steps, bent)

    def slow(self, violation: float) -> bool:
        """Tell whether the violation has hardly fallen in the last blocks that were worked off."""
        since, then = self.last
        if self.indefinite or self.rounds - since < SLOW:
            return False
        self.last = self.rounds, violation
        return violation > SHARE * then

    def round_of_active(self, active: Indices, watch: Watch | None) -> None:
        """Solve for all rows that may have to move, by the interior method."""
        z, alpha = self.z[active], self.alpha[active]
        better = _improved(self.source.block(active, active), z, self.C[active], alpha, self.f[active], watch)
        self.source.add(self.f, active, (better - alpha) * z)
        self.alpha[active] = better
        self.fresh = False

    def crowded(self) -> bool:
        """Tell whether kernel rows were made again that could not be kept: more than a look at all rows would take."""
        spent = self.source.kernel.made - self.made
        return bool(spent > self.spare * (self.source.kernel.capacity + np.count_nonzero(self.alpha)))

    def active(self) -> Indices:
        """Give the rows that may have to move: not those that no other row makes a violating pair with."""
        highest, lowest = self.interval()
        up, low = _keys(self.z, self.alpha, self.C, self.f)
        return np.flatnonzero((up < highest) | (-low > lowest))

    def shrink(
        self, active: Indices, limit: float, watch: Watch | None, tick: Callable[[float], object] | None
    ) -> None:
        """Solve for some rows, of whose shorter kernel rows more can be kept; then look at all rows again."""
        part = Work(
            self.source.narrow(active), self.diagonal[active], self.z[active], self.C[active], self.alpha[active]
        )
        part.f, part.partial = self.f[active], True
        try:
            part.run(limit, watch, tick)
        finally:
            self.alpha[active], self.f[active] = part.alpha, part.f
            self._count(part.inner, part.indefinite)
            self.rounds += part.rounds
            self.block, self.gram = self.block[:0], self.gram[:0, :0]
        self.refresh(None)
        self.made = self.source.kernel.made
        self.spare *= 4 if self.violation() > 10 * limit else 1  # it was too early

    def round_of_all(self, K: Vector, tol: float, watch: Watch | None) -> None:
        """Work off pairs of the whole problem for a while, then finish with Newton's steps."""
        bound = STEPS * self.z.size
        steps, bent = _pairs(K, self.diagonal, self.z, self.C, self.alpha, self.f, tol, bound)
        self._count(steps, bent)
        if self.indefinite:
            return
        if steps == bound and self.rounds == 1:  # pairs alone would take long
            self.interior(K, watch)
        self.newton(K)

    def interior(self, K: Vector, watch: Watch | None) -> None:
        """Let an interior method find out which alpha are at their bounds; keep what it finds if W is higher."""
        live = np.flatnonzero(self.C > 0)
        found = interior(K[np.ix_(live, live)], self.z[live], self.C[live], np.ones(live.size), 0.0, watch)
        if found is None:
            return
        before = self.alpha, self.f, self.objective()
        self.alpha = np.zeros(self.z.size)
        self.alpha[live] = found
        self.alpha = feasible(self.alpha, self.z, self.C)
        self.refresh(K)
        if not self.objective() > before[2]:
            self.alpha, self.f = before[:2]

    def _count(self, steps: int, bent: bool) -> None:
        self.inner += steps
        self.indefinite |= bent
        self.fresh = False

    def choose(self, size: int) -> tuple[Indices, Indices]:
        """Give the places in the block before of those that stay, and the new ones: the worst violators of both sides.

        They make about half of the block each.
        """
        up, low = _keys(self.z, self.alpha, self.C, self.f)
        count = size if self.block.size == 0 else max(2, size // 2)
        worst = np.zeros(self.z.size, bool)
        worst[_smallest(up, count - count // 2)] = True
        low[worst] = np.inf
        worst[_smallest(low, count // 2)] = True
        old = self.block
        free = (self.alpha[old] > 0) & (self.alpha[old] < self.C[old])  # these are the likeliest to move again
        order = np.argsort(np.where(worst[old], 0, np.where(free, 1, 2)), kind="stable")
        kept = order[: np.count_nonzero(worst[old]) + size - np.count_nonzero(worst)]
        worst[old] = False
        return kept, np.flatnonzero(worst)

    def newton(self, K: Vector) -> None:
        """Maximize W over the alpha between the bounds, those that meet one left there.

        With beta = alpha z the system is (K + mu) d_beta + nu = -f, sum d_beta = 0; mu makes it definite, and each
        step then raises W whatever its length up to 1.
        """
        before = self.alpha.copy(), self.f, self.violation(), self.objective()
        full = 0
        for _ in range(NEWTON):
            free = np.flatnonzero((self.alpha > 0) & (self.alpha < self.C))
            beta = _newton_step(K[np.ix_(free, free)], self.f[free]) if free.size > 1 else None
            if beta is None:
                break
            full += self._advance(free, beta) == 1
            self.refresh(K)
            if full == 2:  # the second one takes away the rounding of the first
                break
        if self.violation() > before[2] and not self.objective() > before[3]:  # rounding had the last word
            self.alpha, self.f = before[:2]

    def _advance(self, free: Indices, beta: Vector) -> float:
        """Move alpha z by beta as far as the bounds allow, and give the share of the way."""
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

    def refresh(self, matrix: Vector | None, exact: bool = False) -> None:
        """Compute f from alpha, with the rows as they are kept or, exactly, as they are made."""
        self.f = -self.z
        support = np.flatnonzero(self.alpha)
        weights = (self.alpha * self.z)[support]
        if matrix is not None:
            self.f += weights @ matrix[support]
        elif exact:
            self.source.add_exact(self.f, support, weights)
        else:
            self.source.add(self.f, support, weights)
        self.fresh = matrix is not None or exact

    def settled(self, matrix: Vector | None, limit: float) -> bool:
        """Check the violation with f computed anew; rows too narrow for it are kept in float64 from now on."""
        if self.fresh or self.partial or (matrix is None and not self.source.kernel.rounded):
            return True
        self.refresh(matrix, exact=True)
        if self.violation() <= limit:
            return True
        if matrix is None:
            self.source = self.source.wide()
        return False

    def interval(self) -> tuple[float, float]:
        """Give max f over I_low and min f over I_up, which -w0 would lie between."""
        low, up = _extremes(self.z, self.alpha, self.C, self.f)
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

    def gap(self, bias: float) -> float:
        """Give the relative duality gap; an infinite bound counts as twice the largest alpha, which it replaces."""
        C = np.where(np.isfinite(self.C), self.C, 2 * self.alpha.max(initial=0))
        m = self.z * (self.f + bias)
        apart = float((self.alpha * np.maximum(m, 0) + (C - self.alpha) * np.maximum(-m, 0)).sum())
        value = max(abs(self.objective() + apart), abs(self.objective()))
        return apart / value if value > 0 else 0.0

    def answer(self, converged: bool, interrupted: bool) -> Dual:
        """Give what was found."""
        bias = self.bias()
        return Dual(
            self.alpha, self.f, bias, self.gap(bias), max(0.0, self.violation()), self.objective(), self.rounds,
            self.inner, converged, interrupted, self.indefinite,
        )  # fmt: skip


@inlined
def may_grow(z: Any, alpha: Any, C: Any) -> Any:
    """Whether alpha z may grow: I_up."""
    return alpha < C if z > 0 else alpha > 0


@inlined
def may_shrink(z: Any, alpha: Any, C: Any) -> Any:
    """Whether alpha z may shrink: I_low."""
    return alpha > 0 if z > 0 else alpha < C


@compiled
def _keys(z: Any, alpha: Any, C: Any, f: Any) -> Any:
    """Give f where alpha z may grow and -f where it may shrink, elsewhere infinity: the smallest violate the most."""
    up, low = np.full(f.size, np.inf), np.full(f.size, np.inf)
    for t in range(f.size):
        if may_grow(z[t], alpha[t], C[t]):
            up[t] = f[t]
        if may_shrink(z[t], alpha[t], C[t]):
            low[t] = -f[t]
    return up, low


@compiled
def _extremes(z: Any, alpha: Any, C: Any, f: Any) -> Any:
    lowest, highest = np.inf, -np.inf
    for t in range(f.size):
        if may_grow(z[t], alpha[t], C[t]) and f[t] < lowest:
            lowest = f[t]
        if may_shrink(z[t], alpha[t], C[t]) and f[t] > highest:
            highest = f[t]
    return highest, lowest


@compiled
def _pairs(K: Any, diagonal: Any, z: Any, C: Any, alpha: Any, f: Any, tol: float, steps: int) -> Any:
    """Work off pairs until the violation is at most tol; the number of steps, and whether a curvature was negative."""
    bent = False
    for step in range(steps):
        i, lowest, highest = -1, np.inf, -np.inf
        for t in range(f.size):
            if may_grow(z[t], alpha[t], C[t]) and f[t] < lowest:
                i, lowest = t, f[t]
            if may_shrink(z[t], alpha[t], C[t]) and f[t] > highest:
                highest = f[t]
        if not highest - lowest > tol:
            return step, bent
        j, best = -1, -1.0
        for t in range(f.size):
            if f[t] > lowest and may_shrink(z[t], alpha[t], C[t]):
                eta = max(diagonal[i] + diagonal[t] - 2 * K[i, t], TAU)
                if (f[t] - lowest) * (f[t] - lowest) > best * eta:
                    j, best = t, (f[t] - lowest) * (f[t] - lowest) / eta
        eta = diagonal[i] + diagonal[j] - 2 * K[i, j]
        bent |= eta < -ROUGH * (abs(diagonal[i]) + abs(diagonal[j]))
        delta = (f[j] - lowest) / max(eta, TAU)
        room_i = C[i] - alpha[i] if z[i] > 0 else alpha[i]
        room_j = alpha[j] if z[j] > 0 else C[j] - alpha[j]
        delta = min(delta, room_i, room_j)
        alpha[i] = moved(alpha[i], z[i] * delta, C[i], delta == room_i)
        alpha[j] = moved(alpha[j], -z[j] * delta, C[j], delta == room_j)
        for t in range(f.size):
            f[t] += delta * (K[i, t] - K[j, t])
    return steps, bent


@inlined
def moved(alpha: Any, step: Any, C: Any, to_bound: Any) -> Any:
    """Give alpha after a step; a bound that it meets is met exactly."""
    if to_bound:
        return C if step > 0 else 0.0
    return min(max(alpha + step, 0.0), C)


def _improved(K: Vector, z: Vector, C: Vector, alpha: Vector, f: Vector, watch: Watch | None) -> Vector:
    """Give the alpha of a block by an interior method, where they are better than those that pairs have reached."""
    gradient = z * f
    found = interior(K, z, C, z * (K @ (alpha * z)) - gradient, float(alpha @ z), watch)
    if found is None or abs((move := found - alpha) @ z) > 1e-13 * alpha.sum():
        return alpha
    return found if -gradient @ move > (move * z) @ K @ (move * z) / 2 else alpha


def _newton_step(A: Vector, f: Vector) -> Vector | None:
    """Solve (A + mu) beta + nu = -f, sum beta = 0; None where A is far from semidefinite.

    Neither a constant added to f nor one added to A changes the answer: the mean of f is taken away, for beta is then
    small near the optimum, and the diagonal's mean is added to A, which may lack just this direction.
    """
    level = float(np.abs(np.diagonal(A)).mean())
    A += level
    A.flat[:: f.size + 1] += MU * level
    try:
        factor = cho_factor(A, lower=True, overwrite_a=True)
    except np.linalg.LinAlgError:
        return None
    both = cho_solve(factor, np.column_stack([f.mean() - f, np.ones(f.size)]))
    return np.asarray(both[:, 0] - both[:, 0].sum() / both[:, 1].sum() * both[:, 1])


def _smallest(values: Vector, count: int) -> Indices:
    """Give the places of the smallest finite values, at most so many."""
    if count < values.size:
        places = np.argpartition(values, count - 1)[:count] if count else np.zeros(0, np.int64)
    else:
        places = np.arange(values.size)
    return places[values[places] < np.inf]

"""Newton's method and its cheaper kin for the criterion of logistic regression, one step an epoch.

    A(k+1) = A(k) − s M⁻¹ ∇J(A(k)),        s = 1, or less until J falls enough

What M is depends on the shape of the problem; the report names it:

- ``newton``: the Hessian at A(k), for up to ``WIDE`` weights and moderately many rows, without a penalty;
- ``chord``: the Hessian at A = 0, which is nowhere smaller (Böhning) and has one block for all discriminants; near the
  minimum, if it costs less than a few passes, the Hessian there. Limited-memory BFGS makes up for the change. With a
  penalty, for up to ``CHORD`` numbers of X;
- ``subsample``: the Hessian at the minimum over one in k rows, which is found first and from which the fit starts.
  It is off by about the root of d over the rows of the subsample, and limited-memory BFGS makes up for that;
- ``blocks``: likewise with the diagonal blocks of the Hessian, one a class, where the whole is too large;
- ``diagonal``: the diagonal of the Hessian at A = 0, for very many columns, again with BFGS.

It stops when the Newton decrement, ∇Jᵗ M⁻¹ ∇J / 2, an estimate of what J is still above its minimum, falls below
``tol`` J. Where the Hessian is singular the shortest step is taken.

Symbols: A one row (w₀, w) a discriminant; ``pairs`` the steps and changes of the gradient that BFGS remembers.

Sources: Duda, Hart, Stork, *Pattern Classification*, Algorithm 2; Nocedal and Wright, *Numerical Optimization*, ch. 7;
Böhning, "Multinomial logistic regression algorithm", Annals of the Institute of Statistical Mathematics 44 (1992).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._engine.bfgs import Pairs, shortened
from .._engine.driver import Interrupted, Watch
from .._engine.linalg import Matrix
from .._engine.refusals import NotFiniteError
from .._guards.validation import all_finite
from ..solution import Epoch, Status
from .hessian import BlockHessian, DiagonalHessian, FullHessian, Hessian, SharedBlockHessian, gauged
from .likelihood import Likelihood, Look

WIDE = 1500  # weights up to which a Hessian is built
FIRST = 20_000  # rows of the subsample
WORK = 2e8  # products that a step of Newton may cost for many classes
CHORD = 1_000_000  # numbers of X up to which a pass is so short that no subsample pays
NEAR = 1e-4  # of the criterion: a decrement from which the Hessian hardly changes any more
PASSES = 50  # weights up to which a Hessian costs no more than a dozen passes
CHEAPLY = 4e6  # products that cost as little
SMALL = 1000  # rows up to which a problem is finished to rounding
NEARLY = 1e-21  # the decrement there, as a part of the criterion
CHEAP = 1e-15  # the same where the Hessian is used, since a last step of Newton's doubles the digits
FINE = 1e-13  # the same for rows so few that passes over them take no time: probabilities are right to 1e-7 or so
BRIEF = 1e-11  # the same for still fewer rows, where what a fit costs is its number of steps: right to 1e-5 or so
LOOSE = 1e-8  # the most without a penalty: a coarser stop would hide that the steps lead to infinity
ENOUGH = 10_000  # rows for blocks, which neglect more than what further rows would tell
FLOAT32 = 1e-5  # of the diagonal: beyond what single precision leaves uncertain
ROUGH = 1e-4  # of the subsample
LATE = 24  # steps after which M is made anew
PATIENCE = 240  # the same where the Hessian costs more than so many steps
NOTHING = 1e-6  # of the weight of all rows: a criterion below this is next to zero, and its digits are rounding
STALLED = 1e-6  # of a step: what is left of it when rounding decides where the criterion falls
EPSILON = 2.0**-52
ROUNDING = 1e-13  # of the criterion: smaller differences mean nothing


def few(likelihood: Likelihood) -> int:
    """Rows of a subsample: an eighth, if that tells enough of all weights."""
    if likelihood.c > 1 or likelihood.ridge == 0:
        return FIRST
    return int(np.clip(likelihood.n // 8, max(SMALL, 10 * likelihood.size), FIRST))


def method(likelihood: Likelihood) -> str:
    """The way that suits the shape of the problem."""
    if likelihood.way is not None:
        return likelihood.way
    n, size = likelihood.n, likelihood.size
    if likelihood.ridge > 0 and n * likelihood.d <= CHORD and likelihood.d < WIDE:
        return "chord"
    small = n <= SMALL and size <= 2 * WIDE
    if small or (size <= WIDE and n <= 4 * few(likelihood) and (likelihood.c == 1 or n * size**2 <= WORK)):
        return "newton" if small or likelihood.ridge == 0 or likelihood.c > 1 else "chord"
    if likelihood.d + 1 > WIDE:
        return "diagonal"
    return "subsample" if likelihood.c == 1 else "blocks"


def cheap(likelihood: Likelihood) -> bool:
    """Whether a Hessian costs less than the passes that it saves."""
    return likelihood.size <= PASSES or likelihood.n * likelihood.size**2 <= CHEAPLY


def tolerance(likelihood: Likelihood, tol: float) -> float:
    """The decrement at which to stop, as a part of the criterion."""
    if likelihood.ridge == 0:
        tol = min(tol, LOOSE)
    if likelihood.n <= SMALL:
        return min(tol, NEARLY)
    way = method(likelihood)
    if way == "chord" and not cheap(likelihood):
        return min(tol, BRIEF)
    if way in ("newton", "chord"):
        return min(tol, CHEAP)
    return min(tol, FINE) if likelihood.n <= 4 * FIRST else tol


class LikelihoodRule:
    """The weights A on their way to the minimum, and what the criterion is like there."""

    method: str
    rank: int | None = None  # of the Hessian, where it is known

    def __init__(self, likelihood: Likelihood, A: Matrix, tol: float) -> None:
        self.likelihood, self.A, self.tol, self.k = likelihood, A, tol, 0
        self.at = Look(np.inf, np.full(1, np.inf), likelihood.n)  # not known yet
        self.gap = np.inf  # the Newton decrement

    @property
    def loss(self) -> float:
        """The criterion without what Firth's penalty adds to it."""
        return self.at.value


class NewtonRule(LikelihoodRule):
    """Steps with M, which is made anew where that pays; ``first``: rows to start with, where they are many."""

    def __init__(
        self, likelihood: Likelihood, A: Matrix, tol: float, first: int | None = None, way: str | None = None
    ) -> None:
        super().__init__(likelihood, A, tol)
        self.first = first
        self.method = method(likelihood) if way is None else way
        self.hessian: Hessian | None = None
        self.pairs = Pairs(likelihood.size)
        self.since = 0  # steps since M was made
        self.near = False  # whether that was near the minimum
        self.downhill: Matrix | None = None  # M⁻¹ ∇J, where it is known already

    def begin(self, watch: Watch) -> None:
        """Find the start from a part of the rows, where that is asked for, and look there."""
        if self.first is not None and self.likelihood.n >= 4 * self.first:
            self._start(self.first, watch)
        self.at = self.likelihood.look(self.A)
        if not self.at.finite:
            raise NotFiniteError

    def move(self, A: Matrix) -> None:
        """Go on from far out, where the last digits are lost."""
        self.A, self.at, self.gap, self.downhill = A, self.likelihood.look(A), np.inf, None
        self.tol = max(self.tol, 1e-16)
        self.pairs.clear()

    def _start(self, rows: int, watch: Watch) -> None:
        """The minimum over so many rows, found in the same way, and M there; what there is of it when Ctrl-C comes."""
        part = self.likelihood.thinned(self.likelihood.n // rows)
        fewer = rows // 10 if rows // 10 >= max(SMALL, 10 * self.likelihood.d) else None
        way = "newton" if fewer is None and self.method == "subsample" else self.method
        # the minimum of all rows is about half a unit of loss away from that of a part, for each weight and row of it
        rough = max(ROUGH, 0.02 * part.size / part.n)
        rule = NewtonRule(part, self.A, rough, fewer, way)
        try:
            rule.begin(watch)
            for _ in range(2 * LATE):
                if rule.epoch(None, watch).status is not None:
                    break
        except Interrupted:
            self.A = rule.A
            return
        if self.likelihood.ridge > 0 or rule.at.errors:  # else it may be far away
            self.A = rule.A
        fold = max(1, part.n // ENOUGH) if self.method == "blocks" else 1
        self.hessian = self._made(part if fold == 1 else part.thinned(fold), rough=self.likelihood.ridge > 0)
        self.rank = None
        if not self.hessian.regular:  # a column may be rare, or depend on others: only all rows can tell
            self.method = "newton" if self.method == "subsample" else self.method
            self.hessian = self._made(self.likelihood)

    def _made(self, likelihood: Likelihood, rough: bool = False) -> Hessian:
        """M for the rows of some likelihood; where it is rough anyway, single precision will do."""
        self.since = 0
        self.pairs.clear()
        self.downhill = None
        if self.method == "diagonal":
            return DiagonalHessian(likelihood.squares())
        if self.method == "chord" and not self.near:
            return (FullHessian if likelihood.c == 1 else SharedBlockHessian)(likelihood.bound())
        if rough or self.method == "blocks":
            H = self._rough(likelihood) if rough else likelihood.diagonal_blocks(self.A)
            return BlockHessian(H) if self.method == "blocks" else FullHessian(H[0])
        H = likelihood.curvature(self.A) if self.method == "chord" else likelihood.hessian(self.A)
        whole = FullHessian(gauged(H, likelihood.c, likelihood.ridge))
        self.rank = whole.rank
        return whole

    def _rough(self, likelihood: Likelihood) -> Matrix:
        """The diagonal blocks in float32, thickened beyond its rounding; in float64 where that cannot hold them."""
        H = likelihood.diagonal_blocks(self.A, np.float32)
        diagonal = np.diagonal(H, axis1=1, axis2=2)
        if not all_finite(H) or diagonal.min() < 1e-20:
            return likelihood.diagonal_blocks(self.A)
        at = np.arange(H.shape[1])
        H[:, at, at] += FLOAT32 * diagonal
        return H

    def _renewed(self) -> Hessian:
        if self.hessian is None or self.method == "newton":
            return self._made(self.likelihood)
        if self.method == "chord" and not self.near and self.gap <= NEAR * self.at.value and cheap(self.likelihood):
            self.near = True
            return self._made(self.likelihood)
        patience = PATIENCE if self.method == "chord" and not cheap(self.likelihood) else LATE
        if self.since >= patience and self.method != "diagonal":  # M knew too little
            if self.method != "blocks":
                self.method = "newton" if self.likelihood.size <= 2 * WIDE else "blocks"
            return self._made(self.likelihood)
        return self.hessian

    def solve(self, G: Matrix) -> Matrix:
        """M⁻¹ G, corrected by what BFGS remembers."""
        assert self.hessian is not None
        fitted = self.method == "diagonal" or (self.method == "chord" and not self.near)
        return self.pairs.solve(G, self.hessian, fitted)

    def epoch(self, problem: Any, watch: Watch) -> Epoch:
        """One step; errors and criterion are those after it."""
        self.hessian = self._renewed()
        watch.check()
        step = -(self.solve(self.at.gradient) if self.downhill is None else self.downhill)
        slope = float(np.vdot(self.at.gradient, step))
        before, last = self.at, self.gap
        length = self._search(step, slope, watch)
        if length > 0:
            self.k += 1
            self.since += 1
            self._remember(length * step, self.at.gradient - before.gradient)
        self.downhill = self.solve(self.at.gradient)
        self.gap = 0.5 * float(np.vdot(self.at.gradient, self.downhill))
        status = self._judged(length, last)
        return Epoch(self.at.errors, self.at.value, length, int(length > 0), status)

    def _judged(self, length: float, last: float) -> Status | None:
        size = max(abs(self.at.value), NOTHING * self.likelihood.total)
        exhausted = length < STALLED or (self.gap >= 0.5 * last and self.gap <= 1e-14 * size)
        least = max(1e-12 * size, EPSILON * self.likelihood.total)  # a sum of so many terms is not known better
        if self.gap <= self.tol * size or (exhausted and self.gap <= least):
            return Status.CONVERGED
        return Status.BUDGET if length == 0 else None

    def _search(self, step: Matrix, slope: float, watch: Watch) -> float:
        """Go along the step, as far as the criterion falls enough; 0 where it does not."""
        noise, s = ROUNDING * abs(self.at.value), 1.0
        for _ in range(50):
            if not slope < 0:
                return 0.0
            A = self.A + s * step
            there: Look = self.likelihood.look(A)
            watch.check()
            if there.finite and there.value <= self.at.value + 1e-4 * s * slope + noise:
                self.A, self.at = A, there
                return s
            s = shortened(s, slope, there.value - self.at.value)
        return 0.0

    def _remember(self, s: Matrix, y: Matrix) -> None:
        """Keep a pair, unless M is the Hessian itself or rounding spoiled it."""
        if self.method != "newton" and np.vdot(s, y) > 1e-14 * np.sqrt(np.vdot(s, s) * np.vdot(y, y)):
            self.pairs.append(s.ravel(), y.ravel())

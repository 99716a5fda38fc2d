"""Ho-Kashyap procedures on blocks of rows: one round a step, and the margins stay with their rows.

All three rules are

    a(k+1) = a(k) + η TTᵗ YᵗW (2τe⁺(k) − e(k)),    b(k+1) = b(k) + 2ρe⁺(k)

    Algorithm 11:  TTᵗYᵗW = Y⁺,  η = 1,  τ = ρ = the rate      (the step Y⁺(b(k+1) − Ya(k)), which leads to Y⁺b(k+1))
    Eq. 88:        TTᵗYᵗW = Y⁺,  τ = 1,  η = ρ = the rate
    Eq. 90:        TTᵗ = R,      τ = ρ = 1

so that given a(k) every block has its own e, and what the step needs is a sum of the length of a.  T comes of YᵗWY, one
or two rounds before the first.  A block keeps b(k+1), 8 bytes a row: raised as soon as a(k) is known, since the step
follows from the sum alone.

Two looks at a(k) are rounds of their own, and rare: at the rounding of Ya where no pattern is misclassified, and at the
evidence where no error is positive any more and |Yᵗ|e|| is small beside |Y|ᵗ1 max|e|.  Of the raised margins it finds
the same: where e ≤ 0 they are b(k), elsewhere |e| is negligible before and after.  The best rate of Eq. 90 takes one
more round a step.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .._blocks.blocks import Block, Blocks, Part
from .._blocks.problem import StreamedProblem, of_portion
from .._engine.driver import Watch
from .._engine.problem import Most, Problem
from ..base.squared_steps import Steps
from ..solution import Findings
from .ho_kashyap_course import NEGLIGIBLE, HoKashyapCourse, HoKashyapPlan, factor_of, raised, rate_of
from .patterns import Array, Patterns, RowSpace


class MarginStep(NamedTuple):
    """What a block is told for a step: a(k), b(1), τ and ρ."""

    a: Array
    margin: float
    turning: float
    raising: float


class Weigh(NamedTuple):
    """What a block is told to weigh its evidence: a(k), and the largest |e| that counts as zero."""

    a: Array
    level: float


class Seen(NamedTuple):
    """What was met at a(k): ‖e‖², errors, max e, max −e, YᵗW (2τe⁺ − e), and how many margins are raised."""

    value: float
    errors: int
    highest: Most
    depth: Most
    pull: Array
    raised: int


def margins_round(
    block: Block, b: Any, problem: StreamedProblem, message: MarginStep | Weigh
) -> tuple[Array, tuple[Any, ...]]:
    """A look at a(k) from the margins of one block, which are raised; or the evidence, which leaves them."""
    Y = Patterns(replace(problem.portion(block), name=""), Watch(), checked=True)
    if b is None:
        b = np.full(Y.n, message.margin if isinstance(message, MarginStep) else np.nan)
    g = Y.times(message.a)
    e = np.where(Y.part, g - b, 0.0)
    if isinstance(message, Weigh):
        size = np.abs(e)
        size[size <= message.level] = 0
        return b, (int(np.count_nonzero(size)), Y.back(size), Y.back(size, absolute=True))
    higher = raised(b, e, message.raising)
    errors = int(np.count_nonzero((g <= 0) & Y.part))
    pull = Y.back(2 * message.turning * np.maximum(e, 0) - e)
    value, ends = float((Y.w * (e * e)).sum()), (Most(float(e.max())), Most(-float(e.min())))
    return higher, (value, errors, *ends, pull, int(np.count_nonzero(higher > b)))


class PatternsOnBlocks(RowSpace):
    """The rows of Y in blocks: one round, or pass, for each of these products; a checkpoint keeps what it has found."""

    def __init__(self, problem: StreamedProblem) -> None:
        self.problem, self.blocks = replace(problem, blocks=cast(Blocks, None)), problem.blocks
        self.d, self.refuse = problem.n_features + 1, problem.refuse

    def products(self, T: Array | None = None) -> Array:
        """Return (YT)ᵗW(YT); None is the identity."""
        return np.asarray(self._total(_product_part, "products", T))

    def reach(self, columns: NDArray[np.intp]) -> float:
        """The largest number in these features."""
        return float(self._total(_reach_part, columns).value)

    def bend(self, v: Array) -> Array:
        """Return YᵗWYv."""
        return np.asarray(self._total(_product_part, "bend", v))

    def left(self, a: Array, margin: float) -> Array:
        """Return YᵗW(b − Ya) for margins that are all alike."""
        return np.asarray(self._total(_left_part, a, margin))

    def sizes(self) -> Array:
        """Return |Y|ᵗW1."""
        return np.asarray(self._total(_sizes_part))

    def squares(self, a: Array) -> float:
        """Return ‖Ya‖²."""
        return float(self._total(_squares_part, a))

    def doubtful(self, a: Array) -> int:
        """How many patterns have an aᵗy that is not positive by more than its rounding."""
        return int(self._total(_doubtful_part, a))

    def _total(self, part: Part, *args: Any) -> Any:
        return self.blocks.total(of_portion, self.problem, part, args)[0]


def _of(problem: Problem, watch: Watch) -> Patterns:
    return Patterns(problem, watch, checked=True)


def _product_part(problem: Problem, watch: Watch, product: str, v: Array | None) -> tuple[Array]:
    return (getattr(_of(problem, watch), product)(v),)


def _reach_part(problem: Problem, watch: Watch, columns: NDArray[np.intp]) -> tuple[Most]:
    return (Most(_of(problem, watch).reach(columns)),)


def _left_part(problem: Problem, watch: Watch, a: Array, margin: float) -> tuple[Array]:
    Y = _of(problem, watch)
    return (Y.back(margin - Y.times(a)),)


def _sizes_part(problem: Problem, watch: Watch) -> tuple[Array]:
    Y = _of(problem, watch)
    return (Y.back(np.ones(Y.n), absolute=True),)


def _squares_part(problem: Problem, watch: Watch, a: Array) -> tuple[float]:
    Y = _of(problem, watch)
    return (float((Y.w * Y.times(a) ** 2).sum()),)


def _doubtful_part(problem: Problem, watch: Watch, a: Array) -> tuple[int]:
    Y = _of(problem, watch)
    return (int(np.count_nonzero(Y.part & ~(Y.times(a) > Y.noise(a)))),)


class RoundsRule(HoKashyapCourse):
    """One of the three rules, on blocks; ``by_rounds``: a checkpoint keeps what its rounds have found."""

    by_rounds = True

    def __init__(self, plan: HoKashyapPlan, variant: str, start: NDArray[Any], problem: StreamedProblem) -> None:
        super().__init__(plan, start, problem.dtype)
        self.variant, self.optimal = variant, plan.eta == "optimal"
        self.T: Array | None = None
        self.total_size: Array | None = None

    @property
    def findings(self) -> Findings:
        return Findings(notes=tuple(self.notes))

    def begin(self, problem: StreamedProblem, watch: Watch) -> None:
        self.Y, self.kept = PatternsOnBlocks(problem), problem.blocks.evolving(margins_round)
        with np.errstate(over="ignore", invalid="ignore"):
            a = self.first(self.a)
            self.seen = self.look(a)
        self.a = a

    def first(self, start: Array) -> Array:
        """a(1), once T and the rates are known: the start vector, or Y⁺ b(1), refined once."""
        if self.variant == "descent":
            self.T, bound = factor_of(self.Y, self.plan.R)
            self.eta = rate_of(self.plan.eta, bound)
            self.steps = Steps(turning=1.0, raising=1.0, rate=self.eta)
            return start
        self.eta = eta = self.first_rate()
        whole = self.variant == "pseudoinverse"
        self.steps = Steps(turning=eta if whole else 1.0, raising=eta, rate=1.0 if whole else eta)
        self.T = self.Y.whitened()
        self.note_rank(self.T.shape[1], self.Y.d)
        a = self.turned(self.Y.left(np.zeros(self.Y.d), float(self.plan.margin)))
        return a + self.turned(self.Y.left(a, float(self.plan.margin)))

    def turned(self, v: Array) -> Array:
        """Return TTᵗv."""
        return v if self.T is None else np.asarray(self.T @ (self.T.T @ v))

    def look(self, a: Array) -> Seen:
        """What is met at a, from where the margins are raised at once."""
        message = MarginStep(a, float(self.plan.margin), self.steps.turning, self.steps.raising)
        seen = Seen(*self.kept.total(self.Y.problem, message))
        self.check(max(seen.highest.value, seen.depth.value), a)
        return seen

    def measure(self) -> tuple[int, float]:
        return int(self.seen.errors), float(self.seen.value)

    def separates(self) -> bool:
        return self.Y.doubtful(self.a) == 0

    def proves(self) -> bool:
        highest = self.seen.highest.value
        largest = max(highest, self.seen.depth.value)
        if largest == 0 or highest > NEGLIGIBLE * largest:
            return False
        if self.total_size is None:
            self.total_size = self.Y.sizes()
        most = (self.plan.tol + 4 * NEGLIGIBLE) * largest  # what evidence can be off, its negligible part included
        if not np.all(np.abs(self.seen.pull) <= most * self.total_size):
            return False
        count, pull, scale = self.kept.total(self.Y.problem, Weigh(self.a, NEGLIGIBLE * largest))
        return self.weigh(int(count), np.abs(pull), scale)

    def advance(self, watch: Watch) -> Array:
        s, rate = self.turned(self.seen.pull), self.steps.rate
        if self.variant != "descent" and not self.seen.raised:
            a = self.a
        else:
            if self.optimal and s.any():
                size = float(np.abs(s).max())  # so that no square can overflow
                self.eta = rate = float(self.seen.pull @ (s / size)) / size / self.Y.squares(s / size)
            elif self.optimal:
                rate = self.eta
            a = self.a + rate * s
        self.seen = self.look(a)
        return a

"""An error-correcting rule at work: its plan, its steps, passes that correct on the way or sum up a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Self

import numpy as np

from .._engine.driver import Plan, Watch
from .._engine.path import Path
from .._engine.problem import Most, Problem
from .._engine.threads import Workers
from .._guards.parameters import Number, refused
from .._guards.state import Changing
from ..bounds import perceptron_from_numbers
from ..schedules import AHEAD, get
from ..solution import Epoch, Findings, Status
from .visits import Array, Order, PassTotals, Visits, count_errors

LONG = 2_000_000  # matrix entries of a batch that are worth threads
PARTS = 8  # of such a batch
NOTHING = PassTotals()  # met so far

MARGIN = Number("give a margin b >= 0", 0, closed=True)


def check_schedule(name: str, value: Any) -> None:
    """Refuse increments that depend on more than k and the errors."""
    if (needs := get(value).needs) not in (None, "errors"):
        wanted = f"a schedule without {needs}, which an error-correcting rule has not"
        raise refused(name, value, wanted, "use a number, '1/k', 'k', 'adaptive' or a function of k")


@dataclass(frozen=True, kw_only=True)
class CorrectionPlan(Plan):
    """How an error-correcting rule is to run.

    ``bias`` is the increment of w₀; data come in portions where ``online``, corrections are summed where ``batch``.
    """

    margin: float = 0.0
    schedule: Any = 1.0
    bias: float = 1.0
    online: bool = False
    batch: bool = False


class ErrorCorrectingRule(Changing):
    """The weights, the steps and the path of a procedure at work; a subclass says what one compiled call does."""

    UNSAVED = ("_cycle", "_units", "_etas", "_first", "_lengths", "_weight")  # what a checkpoint leaves out

    # what ``bare`` keeps
    SUMMING = ("A", "b", "bias", "variants", "random", "_pauses", "_cycle", "_units", "_measured")

    # a pass over this order with these steps; the last argument takes the corrections: A, or a batch's sum
    visit_all: Callable[[Problem, Order, Array, Array], PassTotals]

    def __init__(self, A: Array, plan: CorrectionPlan) -> None:
        self.A = A = A[0] if len(A) == 1 else A
        self.b, self.bias, self.online = A.dtype.type(plan.margin), A.dtype.type(plan.bias), plan.online
        self.schedule = get(plan.schedule)
        self.fixed = self.schedule(1) if self.schedule.name == "constant" else None
        self.repeats = self.fixed is not None and plan.order == "cyclic" and not plan.online
        self._begun_with: dict[int, int] = {}  # digests of the weights at the beginning of each pass
        self.recorded = Path(A, plan.record, plan.shares)
        self._pauses = plan.record and not plan.batch  # for the path; a batch records what it makes of the sum
        self.random = plan.random()
        self.k = 0
        self.notes: list[str] = []
        self.inseparable = False
        self._etas, self._first = np.empty(0, A.dtype), 1
        self._cycle, self._units = np.empty(0, np.uint32), np.empty(0, A.dtype)

    @property
    def answer(self) -> Array:
        return np.atleast_2d(self.A)

    @property
    def path(self) -> Array | None:
        return self.recorded.so_far(self.A)

    @property
    def findings(self) -> Findings:
        return Findings(notes=self.notes, inseparable=self.inseparable)

    def visits(self, problem: Problem, order: Order, etas: Array, weight: Array | None = None) -> Visits:
        """The patterns in this order, as the compiled passes take them."""
        return Visits(problem.rows, problem.labels, problem.weight if weight is None else weight, order, etas)

    def steps(self, count: int) -> Array:
        """The lengths of at most ``count`` coming corrections; fewer make the compiled pass come back for more.

        A variable increment is computed at most as far ahead as it has come: a user's function may be slow, and may
        end where the corrections do.
        """
        if self.fixed is not None:
            if self._etas.size < count:
                self._etas = np.full(count, self.fixed, self.A.dtype)
            return self._etas[:count]
        done = self.k + 1 - self._first
        if self.schedule.stateful or not 0 <= done < self._etas.size:
            ahead = min(max(self.k, 1), AHEAD, count)
            self._etas, self._first, done = self.schedule.values(self.k + 1, ahead), self.k + 1, 0
            self._etas = self._etas.astype(self.A.dtype, copy=False)
        return self._etas[done : done + count]

    def along(self, visits: Visits, compiled: Callable[[Visits], Any]) -> PassTotals:
        """What the compiled pass meets on these visits; it comes back whenever the path takes a row."""
        if not self._pauses:
            return PassTotals(*compiled(visits))
        totals, order, etas = NOTHING, visits.order, visits.etas
        while True:
            some = etas[totals.corrections :][: self.recorded.gap]
            met = PassTotals(*compiled(visits._replace(order=order, etas=some, criterion=totals.criterion)))
            self.recorded.add(self.A, met.corrections)
            order, totals = order[met.visited :], totals.plus(met)._replace(criterion=met.criterion)
            if met.corrections < some.size or totals.corrections == etas.size:
                return totals

    def eta(self) -> float:
        """The length of the latest correction."""
        return self.schedule(max(self.k, 1)) if self.fixed is None else self.fixed

    def order(self, n: int) -> Order:
        """The rows' order, or a new permutation."""
        if self.random is not None:
            return np.asarray(self.random.permutation(n), np.uint32)
        if self._cycle.size != n:
            self._cycle = np.arange(n, dtype=np.uint32)
        return self._cycle

    def sweep(self, problem: Problem, watch: Watch) -> PassTotals:
        """Visit every pattern once, correcting on the way."""
        totals = NOTHING
        for portion in problem.portions():
            order = self.order(portion.n_rows)
            for start, stop in watch.chunks(portion.n_rows, portion.work):
                while start < stop:
                    watch.check()
                    met = self.visit_all(portion, order[start:stop], self.steps(stop - start), self.A)
                    self.k += met.corrections
                    if not met.finite:
                        raise portion.refuse()
                    start, totals = start + met.visited, met if totals is NOTHING else totals.plus(met)
        self.schedule.observe(errors=totals.errors)
        return totals

    def gather(self, problem: Problem, watch: Watch) -> tuple[PassTotals, Array]:
        """Sum the corrections of all violators in one pass, without making them."""
        rule = self.bare() if problem.spread else self
        total, corrections, errors, criterion, depth = problem.total(_gathered, watch, rule)
        self.schedule.observe(errors=errors)
        return PassTotals(0, corrections, errors, criterion, -depth.value), total

    def bare(self) -> Self:
        """The rule as other machines need it: what sums corrections, without its past."""
        made = object.__new__(type(self))
        vars(made).update({name: value for name, value in vars(self).items() if name in self.SUMMING})
        return made

    def added(self, problem: Problem, start: int, stop: int) -> list[tuple[Array, PassTotals]]:
        """Sum the corrections of some rows; threads share a long run, whose parts do not depend on their number."""
        parts = PARTS if problem.work * (stop - start) >= LONG * problem.n_rows else 1
        order, n = self.order(problem.n_rows), stop - start
        if self._units.size < n:
            self._units = np.ones(n, self.A.dtype)
        units = self._units[:n]

        def add(k: int) -> tuple[Array, PassTotals]:
            first, end = (start + (stop - start) * each // parts for each in (k, k + 1))
            sums = np.zeros(self.A.shape, self.A.dtype)
            return sums, self.visit_all(problem, order[first:end], units, sums)

        return [add(0)] if parts == 1 else Workers().each(add, parts)

    def earlier(self, state: Array) -> int | None:
        """The number of the earlier pass that began with these weights, from which everything repeats; or None."""
        if not self.repeats:
            return None
        # of 64 bits: two among a thousand states agree by chance once in 1e13 fits
        digest = int.from_bytes(blake2b(state.tobytes(), digest_size=8).digest())
        found = self._begun_with.get(digest)
        self._begun_with.setdefault(digest, len(self._begun_with) + 1)
        return found

    def move(self, total: Array) -> None:
        """Make the batch correction a(k+1) = a(k) + η(k) total."""
        self.k += 1
        self.A += self.A.dtype.type(self.eta()) * total
        self.recorded.add(self.A)

    def summary(self, totals: PassTotals, status: Status | None) -> Epoch:
        return Epoch(totals.errors, totals.criterion, self.eta(), totals.corrections, status)


def _gathered(problem: Problem, watch: Watch, rule: ErrorCorrectingRule) -> tuple[Array, int, int, float, Most]:
    """The sum of the corrections of some rows, how many, errors and criterion, and minus the smallest margin."""
    total, totals = rule.A, NOTHING
    for start, stop in watch.chunks(problem.n_rows, problem.work):
        for sums, met in rule.added(problem, start, stop):
            if not met.finite:
                raise problem.refuse()
            total, totals = (sums, met) if totals is NOTHING else (total + sums, totals.plus(met))
    return total, totals.corrections, totals.errors, totals.criterion, Most(-totals.lowest)


def all_errors(problem: Problem, A: Array, watch: Watch) -> int:
    """How many patterns A does not classify correctly."""
    errors = 0
    for portion in problem.portions():
        for start, stop in watch.chunks(portion.n_rows, portion.work):
            found, is_finite = count_errors(portion.rows, portion.labels, start, stop, A, portion.n_rows + 1)
            if not is_finite:
                raise portion.refuse()
            errors += found
    return errors


def separates(problem: Problem, A: Array, watch: Watch) -> bool:
    """Whether A classifies every pattern correctly; it looks no further than the first that it does not."""
    return all(
        count_errors(portion.rows, portion.labels, *chunk, A, 1) == (0, True)
        for portion in problem.portions()
        for chunk in watch.chunks(portion.n_rows, portion.work)
    )


def theorem_bound(a: Array, beta: float, gamma: float, **numbers: Any) -> float | None:
    """The corrections that Theorem 5.1 allows; None where a margin is too small to divide by, and bounds nothing."""
    try:
        return float(perceptron_from_numbers(a, beta, gamma, **numbers))
    except ValueError:
        return None

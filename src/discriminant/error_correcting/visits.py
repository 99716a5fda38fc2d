"""What the error-correcting procedures share: a visit to one pattern, a correction, the sweep over all.

Symbols: ``A`` is the augmented weight vector a = (w0, w) of the two-category case, where g(x) = a'y decides, or the c
vectors of a linear machine, one row a class, where Kesler's construction turns "pattern of class i, strongest rival j"
into the single inner product (a_i - a_j)'y (Duda, Hart, Stork, *Pattern Classification*, sections 5.4.1 and 5.12.1).
The compiler picks the one or the other by the dimensions of A.  ``label`` is the index of the pattern's class;
a negative one is not part of the problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._engine.driver import Watch
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.rows import Rows, row_axpy, row_dot, serve
from .._engine.threads import Workers
from .._guards.state import Changing
from ..multiclass import n_problems
from ..schedules import get
from ..solution import Epoch, Findings, Status

LONG = 2_000_000  # matrix entries of a batch that are worth threads
PARTS = 8  # of such a batch
AHEAD = 8192  # steps of a variable increment that are computed at a time, at the most


def _visit_pair(X: Any, i: int, label: int, A: Any) -> Any:
    return A.dtype.type(2 * label - 1) * row_dot(X, i, A), 0  # no branch: labels come at random


def _visit_machine(X: Any, i: int, label: int, A: Any) -> Any:
    rival, strongest = -1, A.dtype.type(0)
    for j in range(A.shape[0]):
        if j != label:
            g = row_dot(X, i, A[j])
            if rival < 0 or g > strongest:
                rival, strongest = j, g
    return row_dot(X, i, A[label]) - strongest, rival


def _correct_pair(X: Any, i: int, label: int, rival: int, step: Any, bias: Any, A: Any) -> None:
    row_axpy(X, i, A.dtype.type(2 * label - 1) * step, bias, A)


def _correct_machine(X: Any, i: int, label: int, rival: int, step: Any, bias: Any, A: Any) -> None:
    row_axpy(X, i, step, bias, A[label])
    row_axpy(X, i, -step, bias, A[rival])


def visit(X: Rows, i: int, label: int, A: NDArray[Any]) -> Any:
    """Return the margin of pattern i, positive when it is classified correctly, and its strongest rival.

    The rival with the lowest index is taken on ties.
    """
    return _visit_pair(X, i, label, A) if A.ndim == 1 else _visit_machine(X, i, label, A)


def correct(X: Rows, i: int, label: int, rival: int, step: Any, bias: Any, A: NDArray[Any]) -> None:
    """Add ``step`` times the normalized pattern: a += step y, or a_i += step y and a_j -= step y (Eq. 115)."""
    _correct_pair(X, i, label, rival, step, bias, A) if A.ndim == 1 else _correct_machine(
        X, i, label, rival, step, bias, A
    )


serve(visit, lambda X, i, label, A: _visit_pair if A.ndim == 1 else _visit_machine)
serve(correct, lambda X, i, label, rival, step, bias, A: _correct_pair if A.ndim == 1 else _correct_machine)


class Returns:
    """Notices weights that stood at the beginning of an earlier pass: everything then repeats for ever."""

    def __init__(self, A: NDArray[Any]) -> None:
        self._seen: dict[int, int] = {}
        self.earlier(A)

    def earlier(self, A: NDArray[Any]) -> int | None:
        """The number of the earlier pass that began with these weights, or None."""
        digest = hash(A.tobytes())  # of 64 bits: two among a thousand states agree by chance once in 1e13 fits
        found = self._seen.get(digest)
        self._seen.setdefault(digest, len(self._seen) + 1)
        return found


class Sweep(NamedTuple):
    """What one pass over all patterns met; ``low`` is the smallest margin."""

    errors: int
    criterion: float
    corrections: int
    low: float


class ErrorCorrectingRule(Changing):
    """The weights, the steps and the path of a procedure at work; a subclass says what one compiled call does."""

    def __init__(self, A: NDArray[Any], margin: float, schedule: Any, model: Any) -> None:
        self.A = A = A[0] if len(A) == 1 else A
        self.b = A.dtype.type(margin)
        self.schedule = get(schedule)
        self.fixed = self.schedule(1) if self.schedule.name == "constant" else None
        self.trail = Path(A, model.record == "weights", n_problems(model.classes_.size, model.multiclass_))
        self.random = check_random_state(model.random_state) if model.order == "random" else None
        self.k = 0
        self.notes: list[str] = []
        self.inseparable = False
        self._etas, self._first = np.empty(0, A.dtype), 1
        self._cycle = np.empty(0, np.uint32)

    @property
    def answer(self) -> NDArray[Any]:
        """The weights, one row a discriminant."""
        return np.atleast_2d(self.A)

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded weights."""
        return self.trail.so_far(self.A)

    @property
    def findings(self) -> Findings:
        """What the rule tells beside the weights."""
        return Findings(notes=self.notes, inseparable=self.inseparable)

    def visit_all(self, problem: Problem, order: NDArray[np.uint32], etas: NDArray[Any]) -> Any:
        """The compiled pass over ``order``: visits made, corrections, errors, criterion, smallest margin."""
        raise NotImplementedError

    def add_all(self, problem: Problem, start: int, stop: int, total: NDArray[Any]) -> Any:
        """The compiled batch pass over rows: violators, errors, criterion, smallest margin."""
        raise NotImplementedError

    def steps(self, count: int) -> NDArray[Any]:
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

    def eta(self) -> float:
        """The length of the latest correction."""
        return self.schedule(max(self.k, 1)) if self.fixed is None else self.fixed

    def order(self, n: int) -> NDArray[np.uint32]:
        """The rows' order, or a new permutation."""
        if self.random is not None:
            return np.asarray(self.random.permutation(n), np.uint32)
        if self._cycle.size != n:
            self._cycle = np.arange(n, dtype=np.uint32)
        return self._cycle

    def sweep(self, problem: Problem, watch: Watch) -> Sweep:
        """Visit every pattern once, correcting on the way."""
        n, before, errors, criterion, low = problem.n_rows, self.k, 0, 0.0, np.inf
        order = self.order(n)
        for start, stop in watch.chunks(n, problem.work):
            while start < stop:
                visited, corrections, wrong, part, least = self.visit_all(
                    problem, order[start:stop], self.steps(stop - start)
                )
                self.k += corrections
                if visited < 0:
                    raise problem.refuse()
                start, errors, criterion, low = start + visited, errors + wrong, criterion + part, min(low, least)
        self.schedule.observe(errors=errors)
        return Sweep(errors, criterion, self.k - before, low)

    def gather(self, problem: Problem, watch: Watch) -> tuple[Sweep, NDArray[Any]]:
        """Sum the corrections of all violators in one pass, without making them."""
        total, violators, errors, criterion, low = np.zeros_like(self.A), 0, 0, 0.0, np.inf
        for start, stop in watch.chunks(problem.n_rows, problem.work):
            for sums, (found, wrong, part, least) in self._added(problem, start, stop):
                if found < 0:
                    raise problem.refuse()
                total += sums
                violators, errors, criterion, low = violators + found, errors + wrong, criterion + part, min(low, least)
        self.schedule.observe(errors=errors)
        return Sweep(errors, criterion, violators, low), total

    def _added(self, problem: Problem, start: int, stop: int) -> Iterator[tuple[NDArray[Any], Any]]:
        """Sum the corrections of some rows; threads share a long run, whose parts do not depend on their number."""
        parts = PARTS if problem.work * (stop - start) >= LONG * problem.n_rows else 1
        ends = np.linspace(start, stop, parts + 1).astype(int).tolist()
        sums = np.zeros((parts, *self.A.shape), self.A.dtype)
        told: list[Any] = [None] * parts

        def add(k: int) -> None:
            told[k] = self.add_all(problem, ends[k], ends[k + 1], sums[k])

        Workers().each(add, parts)
        return zip(sums, told, strict=True)

    def move(self, total: NDArray[Any]) -> None:
        """Make the batch correction a(k+1) = a(k) + eta(k) total."""
        self.k += 1
        self.A += self.A.dtype.type(self.eta()) * total
        self.trail.add(self.A)

    def told(self, sweep: Sweep, status: Status | None) -> Epoch:
        """The epoch as the history keeps it."""
        return Epoch(sweep.errors, sweep.criterion, self.eta(), sweep.corrections, status)

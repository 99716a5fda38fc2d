"""A network at work: its weights in one vector, the passes over the data, and when they end.

The equations are those of ``backpropagation``.  The first weights are drawn evenly from (−r, r), where r² is 6 over the
inputs and outputs of a layer, 2 over them for sigmoid units (Glorot, Bengio, *Understanding the difficulty of training
deep feedforward neural networks*, 2010), in the order of scikit-learn: one seed gives both the same network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.path import Path
from .._engine.problem import Problem, read_only
from .._engine.rows import CSR
from .._guards.parameters import refused
from .._guards.state import Changing
from .._guards.validation import all_finite
from ..solution import Epoch, Findings, Status
from .backpropagation import BETA_1, BETA_2, BatchTotals, Examples, Network, Output, Room, Step, Unit, learn
from .matrices import learn_by_matrices, serves

UNITS = {"sigmoid": Unit.SIGMOID, "tanh": Unit.TANH, "relu": Unit.RELU, "linear": Unit.LINEAR}
AUTO = 200  # rows of a batch that nobody has chosen
WORK = 300_000_000  # products of one compiled call: about a tenth of a second
ENTRIES = 2**22  # and numbers of the patterns: so many of a sparse X are made dense at a time
BLOCK = 2048  # rows that are predicted or judged at a time


@dataclass(frozen=True)
class Lesson:
    """A problem with targets T and weights v, the rows to learn from and those held out to tell when to stop."""

    problem: Problem
    T: NDArray[Any]
    v: NDArray[Any]
    rows: NDArray[np.uint32]
    held: NDArray[np.uint32]

    @property
    def n_rows(self) -> int:
        return self.rows.size


def lesson(problem: Problem, T: NDArray[Any]) -> Lesson:
    """The lesson of all rows of positive weight."""
    rows = np.flatnonzero(problem.part).astype(np.uint32)
    T, v = (read_only(np.ascontiguousarray(part, problem.dtype)) for part in (T, problem.weight))
    return Lesson(problem, T, v, rows, np.empty(0, np.uint32))


def unpack(w: NDArray[Any], sizes: NDArray[np.int64]) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Weights (inputs, outputs) and biases of each layer, as copies."""
    coefs, intercepts, start = [], [], 0
    for inputs, outputs in pairwise(sizes.tolist()):
        stop = start + (inputs + 1) * outputs
        layer = w[start:stop].reshape(inputs + 1, outputs)
        intercepts.append(layer[0].copy())
        coefs.append(layer[1:].copy())
        start = stop
    return coefs, intercepts


def pack(coefs: list[NDArray[Any]], intercepts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    """The reverse: one vector, layer after layer, its biases first."""
    layers = [part.ravel() for W, b in zip(coefs, intercepts, strict=True) for part in (b, W)]
    return np.concatenate(layers).astype(dtype)


def first_weights(sizes: NDArray[np.int64], activation: str, random: Any, dtype: Any) -> NDArray[Any]:
    """Random weights and biases to begin with."""
    coefs, intercepts = [], []
    for inputs, outputs in pairwise(sizes.tolist()):
        r = np.sqrt((2.0 if activation == "sigmoid" else 6.0) / (inputs + outputs))
        coefs.append(random.uniform(-r, r, (inputs, outputs)))
        intercepts.append(random.uniform(-r, r, outputs))
    return pack(coefs, intercepts, dtype)


@dataclass(frozen=True)
class TrainingPlan:
    """How a network is to learn: the parameters of the estimator that the passes need."""

    activation: str
    solver: str
    alpha: float
    batch_size: int | str
    learning_rate: float
    momentum: float
    nesterov: bool
    order: str
    tol: float
    n_iter_no_change: int
    record: str | None = None


@dataclass(frozen=True, kw_only=True)
class NetworkFindings(Findings):
    """The losses of the rows held out, one a pass."""

    validation: tuple[float, ...] = ()


class NetworkRule(Changing):
    """The procedure at work for ``drive``: an epoch is one pass over the patterns, a correction one step."""

    _order: NDArray[np.uint32] | None

    def __init__(
        self, w: NDArray[Any], sizes: NDArray[np.int64], output: Output, plan: TrainingPlan, random: Any
    ) -> None:
        self.net = Network(sizes, w, np.empty_like(w), np.empty_like(w), np.zeros_like(w), np.zeros_like(w))
        self.output, self.random, self.k, self.recorded = output, random, 0, Path(w, False)
        self.best, self.first, self.waited, self.kept = np.inf, np.inf, 0, w
        self.validation: list[float] = []
        self.notes: list[str] = []
        self.go_on(plan)

    @property
    def answer(self) -> NDArray[Any]:
        """The weights; with early stopping, those that did best on the rows held out."""
        return (self.kept if self.validation else self.net.w)[None]

    @property
    def path(self) -> NDArray[Any] | None:
        return self.recorded.so_far(self.net.w)

    @property
    def findings(self) -> NetworkFindings:
        details: dict[str, Any] = {"units": "-".join(map(str, self.net.sizes)), "weights": self.net.w.size}
        if self.validation:
            details["held out"] = f"least loss {self.best:.4g} in iteration {int(np.argmin(self.validation)) + 1}"
        return NetworkFindings(details=details, notes=tuple(self.notes), validation=tuple(self.validation))

    def epoch(self, lesson: Lesson, watch: Watch) -> Epoch:
        before = self.k
        loss, wrong = self._pass(lesson, watch)
        state = self.net.w, self.net.first, self.net.second
        if not np.isfinite(loss) or not all(all_finite(part) for part in state):
            raise self._overflow(lesson, before)
        judged = loss
        if lesson.held.size:
            judged = self.loss(lesson)
            self.validation.append(judged)
            if judged <= min(self.validation):
                self.kept = self.net.w.copy()
        self.waited = self.waited + 1 if judged > self.best - self.plan.tol else 0
        self.first = judged if self.best == np.inf else self.first
        self.best = min(self.best, judged)
        status = None
        if self.waited > self.plan.n_iter_no_change:  # above the first loss it has gone astray, not arrived
            status = Status.CONVERGED if judged <= self.first or lesson.held.size else Status.BUDGET
        return Epoch(wrong, loss, self.plan.learning_rate, self.k - before, status)

    def _pass(self, lesson: Lesson, watch: Watch) -> tuple[float, int]:
        """Learn from all patterns once: their mean loss as met on the way, and how many were on the wrong side."""
        order, error, total, wrong = self._next_order(lesson.rows), 0.0, 0.0, 0
        batch = min(AUTO if self.plan.batch_size == "auto" else int(self.plan.batch_size), order.size)
        for rows in self._portions(order, batch):
            watch.check()
            found = self._learn(lesson, rows, order.size, batch, self._steps(-(-rows.size // batch)))
            error, total = error + found.error, total + found.total
            wrong, self.k = wrong + found.wrong, self.k + found.steps
            self.recorded.add(self.net.w, found.steps)
            if not np.isfinite(error):
                break
        return error / total, wrong

    def _portions(self, order: NDArray[np.uint32], batch: int) -> Iterator[NDArray[np.uint32]]:
        """The rows of one compiled call after the other: whole batches, for about a tenth of a second.

        Where weights are recorded, there are no more of them than steps until the next ones.
        """
        size, start = max(1, min(WORK // self.net.w.size, ENTRIES // int(self.net.sizes[0])) // batch), 0
        while start < order.size:
            stop = start + batch * min(size, self.recorded.gap)
            yield order[start:stop]
            start = stop

    def _learn(
        self, lesson: Lesson, rows: NDArray[np.uint32], whole: int, batch: int, rates: NDArray[Any]
    ) -> BatchTotals:
        """Learn from some rows of a pass over so many."""
        plan, kind, examples = self.plan, self.net.w.dtype.type, Examples(lesson.problem.rows, lesson.T, lesson.v)
        step = Step.ADAM if plan.solver == "adam" else Step.NESTEROV if plan.nesterov else Step.MOMENTUM
        if isinstance(lesson.problem.rows, CSR):
            parts = lesson.problem.source[rows].toarray(), lesson.T[rows], lesson.v[rows] if lesson.v.size else lesson.v
            examples, rows = Examples(*map(read_only, parts)), np.arange(rows.size, dtype=np.uint32)
        unit = UNITS.get(plan.activation, Unit.LINEAR)  # thresholds learn only where no unit is hidden
        kinds, momentum = (int(unit), int(self.output), int(step)), kind(plan.momentum)
        if serves(self.net, whole, batch):
            return learn_by_matrices(examples, rows, rates[0], self.net, *kinds, momentum)
        return BatchTotals(*learn(examples, rows, batch, rates, self.net, room(self.net, batch), *kinds, momentum))

    def _steps(self, n: int) -> NDArray[Any]:
        """The lengths of the next n steps; those of Adam make up for means that begin at zero."""
        if self.plan.solver != "adam":
            return np.full(n, self.plan.learning_rate, self.net.w.dtype)
        k = np.arange(self.k + 1.0, self.k + n + 1)
        eta = self.plan.learning_rate * (np.sqrt(1 - BETA_2**k) / (1 - BETA_1**k))
        return eta.astype(self.net.w.dtype, copy=False)

    def _next_order(self, rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
        if self.plan.order == "cyclic":
            return rows
        if self._order is None:
            self._order = rows
        self._order = self._order[self.random.permutation(rows.size)]
        return self._order

    def loss(self, lesson: Lesson) -> float:
        """The mean loss of the rows held out, without the penalty: a pass with steps of length zero."""
        still = NetworkRule(
            self.net.w.copy(), self.net.sizes, self.output, replace(self.plan, alpha=0.0, record=None), None
        )
        batch, sums, kind = min(lesson.held.size, BLOCK), np.zeros(2), self.net.w.dtype
        for rows in self._portions(lesson.held, batch):
            sums += still._learn(lesson, rows, lesson.held.size, batch, np.zeros(-(-rows.size // batch), kind))[:2]
        return float(sums[0] / sums[1])

    def gradient(self, lesson: Lesson) -> NDArray[Any]:
        """The gradient over all rows as one batch, in a rule that is not needed any more."""
        self._learn(lesson, lesson.rows, lesson.n_rows, lesson.n_rows, np.zeros(1, self.net.w.dtype))
        return self.net.gradient

    def _overflow(self, lesson: Lesson, k: int) -> ValueError:
        lesson.problem.check_finite()
        largest = float(np.abs(lesson.problem.values).max(initial=0))
        wanted = f"smaller, for the loss overflows after step {k} (the entries of X reach {largest:.3g})"
        return refused("learning_rate", self.plan.learning_rate, wanted, "lower it, or standardize the features")

    def go_on(self, plan: TrainingPlan) -> None:
        """Take other parameters, and forget the order of the rows: other ones are coming."""
        self.plan, self._order = plan, None
        if (recorded := plan.record is not None) != bool(self.recorded.rows.size):
            self.recorded = Path(self.net.w, recorded)
        coefs, intercepts = unpack(self.net.w, self.net.sizes)
        penalties = [np.full_like(W, plan.alpha) for W in coefs], [np.zeros_like(b) for b in intercepts]
        self.net.decay[:] = pack(*penalties, self.net.w.dtype)


def room(net: Network, batch: int) -> Room:
    """Buffers for batches of this many rows."""
    units, widest = int(net.sizes[1:].sum()), int(net.sizes[1:].max())
    X, H, D, E = (np.empty(batch * n, net.w.dtype) for n in (int(net.sizes[0]), units, widest, widest))
    return Room(X, H, D, E, units)

"""The problems of two classes that a support vector machine is made of, and what is found for them.

Symbols: z the signs of rows, C the cost of their slack, α their multipliers, a = (w₀, w).

One against one makes c(c - 1)/2 problems, of which each row takes part in c - 1: nothing here is of the size of rows
times problems.  The strengths αz of the s support vectors, by class, are kept as scikit-learn arranges them, in a table
of c - 1 rows: a support vector of class i has its strength against class j in row j - 1 if i < j, else in row j.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.problem import Problem
from .._kernel_matrix.source import Indices, Vector
from ..multiclass import first_of_pairs, n_problems
from ..solution import Findings, Status

NEARLY = 1e-10  # relative duality gap, or violation, that ends small problems whatever tol
ROUNDING = 1e-8  # relative duality gap that rounding may leave


class Settings(NamedTuple):
    """What the estimator was asked for."""

    C: float
    squared: bool  # slack counts by its square
    free: bool  # w₀ takes no part in the norm
    tol: float
    cache_bytes: float

    @property
    def hard(self) -> bool:
        return bool(np.isinf(self.C))

    def costs(self, problem: Problem) -> Vector:
        """The cost of each row's slack; 0 for a row that takes no part."""
        weight = problem.weight.astype(np.float64) if problem.weight.size else np.ones(problem.n_rows)
        return np.where(problem.part & (weight > 0), (1.0 if self.hard else self.C) * weight, 0.0)


class TwoClasses(NamedTuple):
    """A problem of two classes: its rows, their signs and the costs of their slack."""

    rows: Indices
    z: Vector
    C: Vector


class Machine(NamedTuple):
    """What was found for two classes."""

    alpha: Vector  # of their rows
    a: Vector  # (w₀, w), or w₀ alone for a kernel
    square: float  # ‖w‖²
    criterion: float
    gap: float  # relative, between criterion and dual value
    violation: float  # of the Kuhn-Tucker conditions
    rounds: int
    status: Status
    notes: Sequence[str] = ()
    gaps: Sequence[float] = ()  # after each round, where there are several

    @property
    def course(self) -> list[float]:
        """The gap after each round, the last one that of the answer."""
        return [*self.gaps[:-1], self.gap]

    @property
    def length(self) -> float:
        """‖w‖, also of a plane whose ‖w‖² underflows."""
        return float(np.sqrt(self.square) if self.square > 0 else np.hypot.reduce(self.a[1:]))


@dataclass(frozen=True, kw_only=True)
class MachineFindings(Findings):
    """The machine of one problem, and C‖x‖² or C K(x, x), beside which rounding may hide the length of w."""

    machine: Machine
    stretch: float


def relative_gap(criterion: float, dual: float) -> float:
    """How far the criterion is from the dual value; one that lies above it shows how much is rounding."""
    return abs(criterion - dual) / max(abs(criterion), 1e-300)


def dual_bounds(C: Vector, squared: bool) -> tuple[Vector, Vector]:
    """What is added to the diagonal of K, and the bounds of α: for squared slack 1/(2C), and none."""
    return (0.5 / C, np.full(C.size, np.inf)) if squared else (np.zeros(C.size), C)


class ProblemsOfTwo:
    """The rows and signs of every problem, made when they are asked for."""

    def __init__(self, labels: NDArray[np.int32], c: int, strategy: str) -> None:
        self.c, self.labels, self.pairwise = c, labels, strategy == "one-vs-one"
        self.members = [np.flatnonzero(labels == k) for k in range(c)]  # of each class
        self._positive = {"two-category": [1], "one-vs-rest": list(range(c))}.get(strategy, [])
        self._present = np.flatnonzero(labels >= 0)

    def __iter__(self) -> Iterator[tuple[Indices, Vector]]:
        if not self.pairwise:
            for k in self._positive:
                yield self._present, np.where(self.labels[self._present] == k, 1.0, -1.0)
            return
        for i, one in enumerate(self.members):
            for other in self.members[i + 1 :]:
                yield np.concatenate([one, other]), np.repeat([-1.0, 1.0], [one.size, other.size])

    def __len__(self) -> int:
        return len(self._positive) or n_problems(self.c, "one-vs-one")

    def supports(self, alphas: Sequence[Vector]) -> Indices:
        """The rows with a multiplier in some problem, by class and then by index."""
        used = np.zeros(self.labels.size, bool)
        for (rows, _), alpha in zip(self, alphas, strict=True):
            used[rows[alpha > 0]] = True
        rows = np.flatnonzero(used)
        return rows[np.argsort(self.labels[rows], kind="stable")]

    def table(self, alphas: Sequence[Vector], support: Indices) -> Vector:
        if not self.pairwise:
            found = [(alpha * z)[np.searchsorted(rows, support)] for (rows, z), alpha in zip(self, alphas, strict=True)]
            return np.array(found)
        spans = _class_spans(np.bincount(self.labels[support], minlength=self.c))
        kept = [np.searchsorted(rows, support[span]) for rows, span in zip(self.members, spans, strict=True)]
        table, problems = np.zeros((self.c - 1, support.size)), iter(alphas)
        for i in range(self.c):
            for j in range(i + 1, self.c):
                alpha = next(problems)
                table[j - 1, spans[i]] = -alpha[kept[i]]
                table[i, spans[j]] = alpha[self.members[i].size + kept[j]]
        return table


class Strengths(NamedTuple):
    """The table of strengths, the number of support vectors of each class, and how classes are reduced to two."""

    table: Vector
    counts: NDArray[np.int64]
    strategy: str

    def spread(self) -> Vector:
        """One column a problem."""
        if self.strategy != "one-vs-one":
            return np.ascontiguousarray(self.table.T)
        strengths = np.zeros((self.table.shape[1], n_problems(self.counts.size, self.strategy)))
        for i, span, later, earlier in self._classes():
            strengths[span, later] = self.table[i:, span].T
            strengths[span, earlier] = self.table[:i, span].T
        return strengths

    def sums(self, K: NDArray[np.floating]) -> Vector:
        """Σ αz K(x, .) of every problem: K has a row for each x, a column for each support vector.

        A class's support vectors take part in c - 1 pairs only, so each class is multiplied by itself.
        """
        if self.strategy != "one-vs-one":
            return np.asarray(K @ self.table.T)
        sums = np.zeros((K.shape[0], n_problems(self.counts.size, self.strategy)))
        for i, span, later, earlier in self._classes():
            own = K[:, span] @ self.table[:, span].T
            sums[:, later] += own[:, i:]
            sums[:, earlier] += own[:, :i]
        return sums

    def _classes(self) -> Iterator[tuple[int, slice, slice, Indices]]:
        """Each class i, where it stands, and the numbers of the pairs (i, j) and (j, i), in the order of the others."""
        pairs = first_of_pairs(self.counts.size)
        for i, span in enumerate(_class_spans(self.counts)):
            yield i, span, pairs[i], np.array([first.start + i - j - 1 for j, first in enumerate(pairs[:i])], np.int64)


def _class_spans(counts: NDArray[np.int64]) -> list[slice]:
    """Where each class stands in an array that is sorted by class."""
    ends = np.cumsum(counts).tolist()
    return [slice(end - count, end) for end, count in zip(ends, counts.tolist(), strict=True)]

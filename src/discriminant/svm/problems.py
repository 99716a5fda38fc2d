"""The problems of two classes that support vector machines make of many, and their multipliers, by their own rows.

One against one makes c(c - 1)/2 problems, of which each row takes part in c - 1: nothing here is of the size of rows
times problems.  The strengths alpha z of the s support vectors, by class, are kept as scikit-learn arranges them,
in a table of c - 1 rows: a support vector of class i has its strength against class j in row j - 1 if i < j, else in j.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.problem import Problem
from ..multiclass import first_of_pairs, n_problems
from ..solution import Status

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


class Settings(NamedTuple):
    """What the estimator was asked for."""

    C: float
    squared: bool
    free: bool  # w0 takes no part in the norm
    tol: float
    cache_bytes: float

    def prices(self, problem: Problem) -> Vector:
        """Give the price of each row's slack; 0 for a bystander."""
        weight = problem.weight.astype(np.float64) if problem.weight.size else np.ones(problem.n_rows)
        return np.where(problem.part & (weight > 0), (1.0 if np.isinf(self.C) else self.C) * weight, 0.0)


class Sides(NamedTuple):
    """A problem of two classes: its rows, their signs and the prices of their slack."""

    rows: NDArray[np.int64]
    z: Vector
    C: Vector


class Machine(NamedTuple):
    """What was found for two classes: multipliers of their rows, (w₀, w) or w₀ alone, |w|², and how good it is."""

    alpha: Vector
    a: Vector
    square: float
    criterion: float
    gap: float
    violation: float
    rounds: int
    status: Status
    notes: list[str]

    @property
    def length(self) -> float:
        """|w|, also of a plane whose |w|² underflows."""
        return float(np.sqrt(self.square) if self.square > 0 else np.hypot.reduce(self.a[1:]))


class Parts:
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
        """Give the rows with a multiplier in some problem, by class and then by index."""
        used = np.zeros(self.labels.size, bool)
        for (rows, _), alpha in zip(self, alphas, strict=True):
            used[rows[alpha > 0]] = True
        rows = np.flatnonzero(used)
        return rows[np.argsort(self.labels[rows], kind="stable")]

    def table(self, alphas: Sequence[Vector], support: Indices) -> Vector:
        """Give the strengths of the support vectors."""
        if not self.pairwise:
            found = [(alpha * z)[np.searchsorted(rows, support)] for (rows, z), alpha in zip(self, alphas, strict=True)]
            return np.array(found)
        own = self.labels[support]
        spans = class_spans(np.bincount(own, minlength=self.c))
        kept = [np.searchsorted(rows, support[span]) for rows, span in zip(self.members, spans, strict=True)]
        table, problems = np.zeros((self.c - 1, support.size)), iter(alphas)
        for i in range(self.c):
            for j in range(i + 1, self.c):
                alpha = next(problems)
                table[j - 1, spans[i]] = -alpha[kept[i]]
                table[i, spans[j]] = alpha[self.members[i].size + kept[j]]
        return table


def class_spans(counts: NDArray[np.int64]) -> list[slice]:
    """Give where each class stands in an array that is sorted by class."""
    ends = np.cumsum(counts).tolist()
    return [slice(end - count, end) for end, count in zip(ends, counts.tolist(), strict=True)]


def pair_columns(i: int, c: int) -> tuple[slice, Indices]:
    """Give the numbers of the pairs (i, j) and of the pairs (j, i), in the order of the other class."""
    later = first_of_pairs(c)
    return later[i], np.array([span.start + i - j - 1 for j, span in enumerate(later[:i])], np.int64)


def spread(table: Vector, counts: NDArray[np.int64], strategy: str) -> Vector:
    """Give the strengths of the support vectors in every problem, one column a problem."""
    if strategy != "one-vs-one":
        return np.ascontiguousarray(table.T)
    c = counts.size
    strengths = np.zeros((table.shape[1], n_problems(c, strategy)))
    for i, span in enumerate(class_spans(counts)):
        later, earlier = pair_columns(i, c)
        strengths[span, later] = table[i:, span].T
        strengths[span, earlier] = table[:i, span].T
    return strengths


def expansions(K: NDArray[np.floating], table: Vector, counts: NDArray[np.int64], strategy: str) -> Vector:
    """Give the sums of alpha z K(x, .) of every problem: K has a row for each x, a column for each support vector.

    A class's support vectors take part in c - 1 pairs only, so each class is multiplied by itself.
    """
    if strategy != "one-vs-one":
        return np.asarray(K @ table.T)
    c = counts.size
    sums = np.zeros((K.shape[0], n_problems(c, strategy)))
    for i, span in enumerate(class_spans(counts)):
        later, earlier = pair_columns(i, c)
        own = K[:, span] @ table[:, span].T
        sums[:, later] += own[:, i:]
        sums[:, earlier] += own[:, :i]
    return sums

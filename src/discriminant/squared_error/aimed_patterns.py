"""Patterns y = (1, x) that aim at values t of aᵗy, and what one look at them tells a rule that lowers ‖Ya − t‖²."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine import linalg
from .._engine.driver import Watch
from .._engine.moments import moments
from .._engine.problem import Problem, read_only, sqnorms
from .._engine.refusals import check_total
from .._guards.parameters import Choice
from .._guards.validation import all_finite
from ..base.expansion import newton_step
from ..criteria import SquaredError
from ..samples import Samples
from .patterns import positive

CACHE = 2**30  # bytes of the Gram matrix that are kept; beyond that it is computed anew each pass
SMALL = 500  # features up to which the eigenvalues of YᵗY are computed outright


@dataclass(frozen=True)
class AimedProblem(Problem):
    """A problem with the value t that aᵗy should take on each pattern."""

    targets: NDArray[Any]

    @classmethod
    def at(cls, targets: NDArray[Any], problem: Problem) -> AimedProblem:
        """The same patterns, aimed at these targets."""
        with np.errstate(over="ignore"):
            t = np.ascontiguousarray(targets, problem.dtype)
        if not all_finite(t):
            raise ValueError(f"targets up to {np.abs(targets).max():.3g} overflow {problem.dtype}; give X in float64.")
        return cls(**vars(problem), targets=read_only(t))


class Aims(NamedTuple):
    """Of each pattern: its target t, its weight (an empty array when all are one), and its length ‖y‖."""

    t: NDArray[Any]
    weight: NDArray[Any]
    lengths: NDArray[Any]


class AimedPatterns:
    """The patterns of a problem, measured: which take part, their weights, and w‖y‖²."""

    spread: ClassVar[bool] = False

    def __init__(self, problem: AimedProblem) -> None:
        self.problem, self.Y = problem, Samples(problem.source, np.ones(problem.n_rows))
        self.present = np.flatnonzero(problem.part).astype(np.uint32)
        squares: NDArray[np.float64] = np.where(problem.part, sqnorms(problem.canonical().rows) + 1, 0)
        if not all_finite(squares):
            raise problem.refuse()
        self.aims = Aims(problem.targets, problem.weight, np.sqrt(squares).astype(problem.dtype))
        self.weight = problem.part * (problem.weight.astype(np.float64) if problem.weight.size else 1.0)
        with np.errstate(over="ignore"):
            self.norms = self.weight * squares
        if np.any(self.weight):
            check_total(self.norms)
        self._gram: NDArray[Any] | None = None

    def portions(self) -> Iterator[AimedPatterns]:
        """The patterns, a part at a time where they do not fit into memory."""
        yield self

    def total(self, part: Callable[..., tuple[Any, ...]], watch: Watch, *args: Any) -> tuple[Any, ...]:
        """``part(patterns, watch, *args)``, a tuple, of all portions, added entry by entry."""
        return part(self, watch, *args)

    @property
    def largest_norm(self) -> float:
        return float(self.norms.max())

    @property
    def trace(self) -> float:
        return float(self.norms.sum())

    @cached_property
    def reach(self) -> tuple[float, float]:
        """max|t| and max‖y‖: no |t − aᵗy| exceeds the first and ‖a‖ times the second."""
        return float(np.abs(self.aims.t).max()), float(self.aims.lengths.max())

    @cached_property
    def goal(self) -> float:
        """‖Yᵗt‖, the length of the gradient at a = 0."""
        return length_of(self.Y.T @ (self.weight * self.aims.t))

    def fall(self, a: NDArray[Any], gradient: NDArray[Any], watch: Watch) -> tuple[float, float]:
        """By how much J = ‖Ya − t‖² can still fall, when Yᵗ(t − Ya) is this, and J(0)."""
        with np.errstate(over="ignore", invalid="ignore"):  # of an infinite J nothing can be told
            at_zero = float(np.sum(self.weight * np.square(self.aims.t, dtype=np.float64)))
            J = SquaredError(self.Y, self.aims.t, self.weight)
            return newton_step(J, self.Y @ a, -2 * gradient.astype(np.float64), watch).fall, at_zero

    @property
    def gram_work(self) -> int:
        """Products of one pass over the Gram matrix."""
        return self.present.size * self.problem.n_rows * (1 + self.problem.n_features // 16)

    def gram_rows(self, part: NDArray[np.uint32], ascending: bool, watch: Watch) -> NDArray[Any]:
        """The rows 1 + x_iᵗx_j of the Gram matrix, which is kept where it is not too large."""
        X, n = self.problem.source, self.problem.n_rows
        if self._gram is None and n * n * X.dtype.itemsize <= CACHE:
            gram = np.empty((n, n), X.dtype)
            for start, stop in watch.chunks(n, n * n * (1 + self.problem.n_features // 16)):
                gram[start:stop] = _inner_products(X[start:stop], X)
            self._gram = gram
        if self._gram is None:
            return read_only(_inner_products(X[part], X))
        whole = ascending and int(part[-1]) - int(part[0]) + 1 == part.size
        return read_only(self._gram[part[0] : part[-1] + 1] if whole else self._gram[part])

    def largest_eigenvalue(self, watch: Watch | None) -> float:
        """λ_max(YᵗY), which must be finite."""
        if not np.isfinite(largest := largest_eigenvalue(self.Y, self.weight, watch)):
            raise self.problem.refuse()
        return largest


def _inner_products(X: Any, Z: Any) -> NDArray[Any]:
    G = X @ Z.T
    return np.asarray((G.toarray() if sparse.issparse(G) else G) + X.dtype.type(1))


def length_of(v: NDArray[Any]) -> float:
    """Length of a vector, in double precision."""
    numbers = v.astype(np.float64, copy=False).ravel(order="K")
    return math.sqrt(numbers.dot(numbers))


def largest_eigenvalue(Y: Samples, weight: NDArray[Any], watch: Watch | None) -> float:
    """λ_max of Σ w_i y_i y_iᵗ."""
    d = Y.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        if d <= SMALL:
            m = moments(Y.X, np.empty((len(weight), 0)), None if np.all(weight == 1) else weight, watch)
            y = np.append(1.0, m.mean)
            gram = m.total * np.outer(y, y)
            gram[1:, 1:] += m.scatter
            return linalg.largest_eigenvalue(gram, d) if all_finite(gram) else np.inf
        accuracy = 1e-6 if Y.dtype == np.float64 else 1e-4
        return linalg.largest_eigenvalue(lambda v: Y.T @ (weight * (Y @ v)), d, accuracy)


def steepest_step(patterns: AimedPatterns, gradient: NDArray[Any], watch: Watch) -> float:
    """Eq. 14 for J_s, whose η is half of this: ‖g‖² / ‖Yg‖² with g = Yᵗ(b − Ya)."""
    if not (size := float(np.abs(gradient).max())) > 0:
        return 0.0
    unit = np.asarray(gradient / size, np.float64)
    with np.errstate(over="ignore", divide="ignore"):  # an infinite step is refused as one that diverges
        return float(unit @ unit / patterns.total(_bend, watch, unit)[0])


def _bend(patterns: AimedPatterns, watch: Watch, unit: NDArray[np.float64]) -> tuple[np.float64]:
    """‖Yg‖² for this g."""
    return (np.sum(patterns.weight * np.square(patterns.Y @ unit, dtype=np.float64)),)


def margins_of(targets: Any, n: int) -> NDArray[np.float64]:
    """The margins b > 0 that the parameter ``targets`` stands for, one a pattern."""
    if isinstance(targets, str):
        Choice(("ones",))("targets", targets)
        return np.ones(n)
    return positive("targets", targets, n, "give 'ones', or finite numbers > 0, the values of a'y, one for each")

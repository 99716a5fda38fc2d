"""Recursive least squares from one sum over blocks of rows that are looked at in any order.

After one pass that forgets nothing the weights are a = (δI + YᵗY)⁻¹ (Yᵗθ + δ a(1)) whatever the order of the patterns,
so that no recursion is needed.  What is added is not YᵗY, whose condition is the square of that of Y: beside columns of
1e4 a δ of 1e-4 would lose twelve of its sixteen digits.  It is the triangle of a QR decomposition, which is as good as
the rows themselves however small δ is:

    Q (T  C) = (√δ I   √δ a(1))        TᵗT = δI + YᵗWY = R⁻¹        T a = C
      (0  E)   (W^½ Y    W^½ θ)        least criterion = ‖E‖²

The factors of R = UDUᵗ from which the recursion goes on can be read off: U D^½ = T⁻¹.  Nobody knows the classes before
the sum is made, so that θ stands in it as one column of zeros and ones for each class, θ = those times a table.

Source: Golub, Van Loan, *Matrix Computations*, §5.3; Bierman, *Factorization Methods for Discrete Sequential
Estimation*, 1977, chapter II.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular

from .._blocks.blocks import Block, Blocks
from .._blocks.problem import Outline
from .._blocks.survey import ClassTally, Survey, checked, tally_of, united
from .._engine.driver import interrupt_raises
from .._engine.threads import BLOCK
from .._guards.held import storable
from .._guards.parameters import refused
from .._guards.validation import all_finite
from ..solution import Solution, Status
from .least_squares import class_targets
from .on_blocks import Triangle
from .recursive_least_squares import BOUND, Recursion, RecursiveFindings, RecursiveLeastSquares, check_size

Matrix = NDArray[np.float64]


@storable
@dataclass(frozen=True)
class LabelledTriangle:
    """The triangle of (1, x) and one column for each of the classes; that of two blocks is that of both."""

    classes: NDArray[Any]
    R: Matrix

    def __add__(self, other: LabelledTriangle) -> LabelledTriangle:
        classes, mine, theirs = united(self.classes, other.classes)
        one, two = self._spread(mine, classes.size), other._spread(theirs, classes.size)
        return LabelledTriangle(classes, (Triangle(one) + Triangle(two)).R)

    def _spread(self, places: NDArray[np.intp], c: int) -> Matrix:
        """The same rows with columns for c classes, of which these have these places."""
        d = self.R.shape[1] - self.classes.size
        wide = np.zeros((len(self.R), d + c))
        wide[:, :d], wide[:, d + places] = self.R[:, :d], self.R[:, d:]
        return wide


def labelled_triangle(block: Block) -> tuple[int, ClassTally, LabelledTriangle]:
    """The rows of one block, their classes and their triangle, some rows at a time."""
    tally, total = tally_of(block), None
    labels, v = block.labels(tally.classes), block.v
    for start in range(0, block.n_rows, size := max(BLOCK, block.table.shape[1])):
        rows = slice(start, start + size)
        B = block.table[rows].astype(np.float64, copy=False)
        B = B.toarray() if sparse.issparse(B) else B
        Y = np.hstack([np.ones((len(B), 1)), B, np.eye(tally.classes.size)[labels[rows]]])
        Y = Y if v is None else Y * np.sqrt(v[rows])[:, None]
        part = Triangle(np.asarray(np.linalg.qr(Y, mode="r")))
        total = part if total is None else total + part
    assert total is not None  # a block has rows
    return block.n_rows, tally, LabelledTriangle(tally.classes, total.R)


def recursion_of(R: Matrix, table: Matrix, start: Matrix, delta: float) -> tuple[Recursion, float]:
    """Weights, factors and least criterion: the triangle of all rows, below that of what δ demands."""
    d = start.shape[1]
    prior = np.sqrt(delta) * np.hstack([np.eye(d), start.T])
    aimed = np.hstack([R[:, :d], R[:, d:] @ table])
    whole = (Triangle(prior) + Triangle(aimed)).R
    T, C, E = whole[:d, :d], whole[:d, d:], whole[d:, d:]
    scale = np.diag(T)
    V = np.ascontiguousarray(solve_triangular(T, np.diag(scale), check_finite=False).T)
    A = np.ascontiguousarray(solve_triangular(T, C, check_finite=False).T)
    return Recursion(A, V, 1 / scale**2, 1.0, BOUND / delta), float(np.sum(E**2))


def check_order_free(model: RecursiveLeastSquares) -> None:
    """Refuse what depends on the order of the patterns, or keeps something of each visit."""
    if model.forgetting != 1:
        wanted = "1 on a cluster, for what is forgotten depends on the order of the rows"
        raise refused("forgetting", model.forgetting, wanted, "leave it out, or use fit_stream")
    if model.max_iter != 1:
        wanted = "1 on a cluster, where one pass is a sum, and what further passes do depends on the order of the rows"
        raise refused("max_iter", model.max_iter, wanted, "give delta / max_iter as delta, which has the same answer")
    if model.record is not None:
        raise refused("record", model.record, "None on a cluster, where no row is visited on its own", "leave it out")
    if not isinstance(model.targets, str):
        raise refused("targets", "an array", "'ones' on a cluster", "leave it out")


def fit_by_triangle(model: RecursiveLeastSquares, blocks: Blocks) -> None:
    """Fit recursive least squares by one round, and publish it; there are no passes for ``history_``."""
    check_order_free(model)
    check_size(blocks.n_features)
    with interrupt_raises():
        n_rows, tally, found = blocks.total(labelled_triangle)
    model.classes_ = checked(Survey(int(n_rows), tally)).classes
    outline: Any = Outline(blocks, int(n_rows), model.classes_.size, int(tally.rows.sum()))
    (start,) = model._starts(outline, len(model._problems(outline)))
    table = class_targets(tally.weights, "ones")
    with np.errstate(over="ignore", invalid="ignore"):
        recursion, least = recursion_of(cast(LabelledTriangle, found).R, table, start.astype(np.float64), model.delta)
    if not (all_finite(recursion.A) and all_finite(recursion.V) and np.isfinite(least)):
        raise outline.refuse()
    findings = RecursiveFindings(details={"criterion value": least}, recursion=recursion, least=least)
    solution: Solution[Any] = Solution(recursion.A.astype(blocks.dtype), Status.CONVERGED, [], findings)
    model._rules = []
    model._publish([model._noted(solution, start)], outline, None)
    model._portions = [solution.recorded]

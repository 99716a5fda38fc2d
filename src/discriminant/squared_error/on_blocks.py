"""Least squares from sums over blocks of rows: one pass, and one more where the normal equations are not easy.

The counts, means and scatter of the classes, or the moments of patterns and targets, are those of each block, added by
the rule of Chan, Golub and LeVeque, which needs no common origin.  What the sums leave to do is what ``solver`` does
for rows in memory: Cholesky, one refinement with the residuals, or the SVD of a triangle that grows block by block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._blocks.blocks import Block, Blocks
from .._blocks.survey import ClassTally, Survey, checked, united
from .._engine.driver import Watch
from .._engine.labels import encode
from .._engine.linalg import cholesky
from .._engine.moments import Moments, moments
from .._engine.problem import EMPTY, make_problem
from .._engine.refusals import NotFiniteError
from .._guards.held import storable
from .._guards.parameters import refused
from .._guards.validation import all_finite, floats
from .class_statistics import ClassStatistics, statistics_of
from .solver import Answer, Found, Matrix, by_cholesky, judged, of_triangle

LARGEST = 2**29  # bytes of a matrix of the features: 8,192 of them


class Aim(NamedTuple):
    """The targets of the rows: ``table`` has one row for each of the classes; without classes y is the target."""

    classes: NDArray[Any] | None = None
    table: Matrix | None = None

    def of(self, block: Block) -> Matrix:
        if self.classes is None or self.table is None:
            return values_of(block)[:, None]
        return np.asarray(self.table[block.labels(self.classes)])


def values_of(block: Block) -> NDArray[np.float64]:
    """The targets of a regression, which must be finite numbers."""
    y = floats("y", block.y, np.float64, "give numbers as targets, or take a classifier")
    if not all_finite(y):
        raise ValueError("y holds NaN or infinity; give finite targets.")
    return y


@storable
@dataclass(frozen=True)
class LabelledStatistics:
    """Statistics of the classes that came so far, and the number of rows; those of two blocks can be added."""

    classes: NDArray[Any]
    statistics: ClassStatistics
    n_rows: int
    separately: bool  # whether each class has a scatter of its own

    def __add__(self, other: LabelledStatistics) -> LabelledStatistics:
        classes, mine, theirs = united(self.classes, other.classes)
        both = self._spread(mine, classes.size) + other._spread(theirs, classes.size)
        return LabelledStatistics(classes, both, self.n_rows + other.n_rows, self.separately)

    def _spread(self, places: NDArray[np.intp], c: int) -> ClassStatistics:
        """The same for c classes, of which these have these places."""
        s = self.statistics
        if s.counts.size == c:
            return s
        counts, means = np.zeros(c), np.zeros((c, s.means.shape[1]))
        counts[places], means[places] = s.counts, s.means
        if not self.separately:
            return ClassStatistics(counts, means, s.scatters)
        scatters = np.zeros((c, *s.scatters.shape[1:]))
        scatters[places] = s.scatters
        return ClassStatistics(counts, means, scatters)


def class_part(block: Block, separately: bool) -> tuple[LabelledStatistics]:
    """The statistics of the classes of one block."""
    classes, labels = encode(block.y)
    X, labels, v = present(block, labels)
    d = block.table.shape[1]
    if not labels.size:
        nothing = np.zeros((classes.size if separately else 1, d, d))
        s = ClassStatistics(np.zeros(classes.size), np.zeros((classes.size, d)), nothing)
    else:
        s = statistics_of(make_problem(X, labels, v, classes.size), classes.size, separately, Watch())
    return (LabelledStatistics(classes, s, block.n_rows, separately),)


def present(block: Block, T: NDArray[Any]) -> tuple[Any, NDArray[Any], NDArray[np.float64] | None]:
    """X, what belongs to its rows, and their weights, without rows of zero weight."""
    if not block.weight.size or block.weight.all():
        return block.table, T, block.v
    kept = np.flatnonzero(block.weight)
    return block.table[kept], T[kept], block.weight[kept]


def class_statistics(blocks: Blocks, separately: bool = False) -> LabelledStatistics:
    """One pass; refuses what cannot be classes."""
    check_width(blocks)
    (found,) = blocks.total(class_part, separately)
    checked(Survey(found.n_rows, ClassTally(found.classes, np.empty(0, np.int64), found.statistics.counts, EMPTY)))
    return cast(LabelledStatistics, found)


def check_width(blocks: Blocks) -> None:
    """Refuse features whose products with each other take too much memory."""
    d = blocks.n_features + 1
    if 8 * d * d > LARGEST:
        remedy = "choose fewer features, or take WidrowHoff, which needs no matrix of them"
        raise refused("n_features", d - 1, f"at most {int((LARGEST / 8) ** 0.5) - 1:,} for sums of products", remedy)


def moments_of_classes(s: ClassStatistics, table: Matrix) -> Moments:
    """The moments of patterns and targets where these depend on the class alone."""
    n, offsets = float(s.counts.sum()), s.means - s.mean
    target_mean = s.counts @ table / n
    within = s.scatters.sum(axis=0)
    cross = (offsets * s.counts[:, None]).T @ (table - target_mean)
    return Moments(n, s.mean, target_mean, within + s.between, cross, s.counts @ (table - target_mean) ** 2)


@storable
@dataclass
class RowMoments(Moments):
    """Moments of patterns and targets, with the number of rows; those of two blocks can be added."""

    n_rows: int

    @classmethod
    def of_none(cls, n_features: int, n_targets: int, n_rows: int) -> RowMoments:
        """Those of rows that all have weight zero."""
        d, k = n_features, n_targets
        return cls(0.0, np.zeros(d), np.zeros(k), np.zeros((d, d)), np.zeros((d, k)), np.zeros(k), n_rows)

    def __add__(self, other: RowMoments) -> RowMoments:
        if not (self.total and other.total):
            few, some = (self, other) if other.total else (other, self)
            return replace(some, n_rows=some.n_rows + few.n_rows)
        total = self.total + other.total
        share, x, t = other.total / total, other.mean - self.mean, other.target_mean - self.target_mean
        both = self.total * share
        return RowMoments(
            total, self.mean + share * x, self.target_mean + share * t,
            self.scatter + other.scatter + both * np.outer(x, x), self.cross + other.cross + both * np.outer(x, t),
            self.target_scatter + other.target_scatter + both * t**2, self.n_rows + other.n_rows,
        )  # fmt: skip


def moments_part(block: Block) -> tuple[RowMoments]:
    """The moments of one block."""
    X, T, v = present(block, values_of(block)[:, None])
    if not len(T):
        return (RowMoments.of_none(block.table.shape[1], 1, block.n_rows),)
    m = moments(X, T, v)
    if not m.finite():
        raise make_problem(X, np.zeros(len(T), np.int32), None, 2).refuse()
    return (RowMoments(**vars(m), n_rows=block.n_rows),)


def residual_part(block: Block, aim: Aim, A: Matrix) -> tuple[Matrix, Matrix, float]:
    """XᵗVr, the sum of Vr and the sum of squares rᵗVr of the residuals r = t − wᵗx − w₀."""
    B = block.table.astype(np.float64, copy=False)
    r = aim.of(block) - B @ A[1:] - A[0]
    weighted = r if (v := block.v) is None else r * v[:, None]
    return np.asarray(B.T @ weighted), weighted.sum(axis=0), float(np.sum(r * weighted))


@storable
@dataclass(frozen=True)
class Triangle:
    """R of the QR decomposition of some rows; that of two blocks is that of both triangles together."""

    R: Matrix

    def __add__(self, other: Triangle) -> Triangle:
        return Triangle(np.asarray(np.linalg.qr(np.vstack([self.R, other.R]), mode="r")))


def triangle_part(block: Block, aim: Aim, center: Matrix) -> tuple[Triangle]:
    """The triangle of (1, x, t), each row times the root of its weight."""
    B, T = block.table.astype(np.float64, copy=False), aim.of(block)
    Y = np.hstack([np.ones((len(T), 1)), (B.toarray() if sparse.issparse(B) else B) - center, T])
    Y = Y if (v := block.v) is None else Y * np.sqrt(v)[:, None]
    return (Triangle(np.asarray(np.linalg.qr(Y, mode="r"))),)


@dataclass(frozen=True)
class SquaresOnBlocks:
    """Blocks of patterns, the targets they aim at, and the penalty α: what ``by_cholesky`` asks for."""

    blocks: Blocks
    aim: Aim
    n_rows: int
    alpha: float = 0.0

    def residuals(self, A: Matrix) -> tuple[Matrix, Matrix, float]:
        pull, sums, squares = self.blocks.total(residual_part, self.aim, A)
        return pull, sums, squares

    def solved(self, m: Moments) -> Answer:
        if not m.finite():
            raise NotFiniteError
        factor = cholesky(m.scatter + self.alpha * np.eye(len(m.scatter)))
        return judged(self, *self.by_svd(m)) if factor is None else by_cholesky(self, m, factor)

    def by_svd(self, m: Moments) -> Found:
        """The SVD of the triangle of all rows; with α > 0 about the mean, for the intercept is free."""
        d = len(m.mean) + 1
        center = m.mean if self.alpha > 0 else np.zeros(d - 1)
        R = self.blocks.total(triangle_part, self.aim, center)[0].R
        if self.alpha > 0:
            ridge = np.hstack([np.zeros((d - 1, 1)), np.sqrt(self.alpha) * np.eye(d - 1)])
            R = (Triangle(R) + Triangle(np.hstack([ridge, np.zeros((d - 1, R.shape[1] - d))]))).R
        A, rank, condition = of_triangle(R, d, self.n_rows)
        A[0] -= center @ A[1:]
        return A, "svd", rank, condition


def regression(blocks: Blocks, alpha: float) -> tuple[Answer, int]:
    """The answer of a regression with a penalty α, and the number of rows."""
    check_width(blocks)
    (found,) = blocks.total(moments_part)
    if not found.total:
        raise ValueError("sample_weight is zero for every row; give at least one positive weight.")
    return SquaresOnBlocks(blocks, Aim(), found.n_rows, alpha).solved(found), int(found.n_rows)

"""What the first pass over blocks finds: the rows, the classes, their counts and weights.

Tests: ``tests/_blocks/test_blocks.py``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .._engine.labels import encode
from .._engine.moments import center_of
from .._guards.held import storable
from .blocks import Block, Blocks


@storable
@dataclass(frozen=True)
class ClassTally:
    """Classes, and for each the rows of positive weight and their weight; tallies of two blocks can be added."""

    classes: NDArray[Any]
    rows: NDArray[np.int64]
    weights: NDArray[np.float64]
    heaviest: NDArray[np.float64]  # weight of a row of each class, 0 where rows have no weights

    def __add__(self, other: ClassTally) -> ClassTally:
        classes, mine, theirs = united(self.classes, other.classes)
        rows, weights, heaviest = np.zeros(classes.size, np.int64), np.zeros(classes.size), np.zeros(classes.size)
        for part, places in ((self, mine), (other, theirs)):
            rows[places] += part.rows
            weights[places] += part.weights
            heaviest[places] = np.maximum(heaviest[places], part.heaviest)
        return ClassTally(classes, rows, weights, heaviest)

    @classmethod
    def of_none(cls, classes: NDArray[Any]) -> ClassTally:
        """Classes of which no row has come yet."""
        nothing = np.zeros(classes.size)
        return cls(classes, nothing.astype(np.int64), nothing, nothing)


@dataclass(frozen=True)
class Survey:
    """All rows, weightless ones included, and the tally of their classes."""

    n_rows: int
    tally: ClassTally

    @property
    def classes(self) -> NDArray[Any]:
        return self.tally.classes


def united(one: NDArray[Any], other: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """The classes of both, sorted, and where those of each stand among them."""
    if np.array_equal(one, other):
        places = np.arange(one.size)
        return one, places, places
    if (one.dtype.kind in "biuf") != (other.dtype.kind in "biuf"):
        raise ValueError(f"y holds numbers as well as texts, such as {one[0]} and {other[0]}; give one kind of label.")
    classes = np.union1d(one, other)
    return classes, np.searchsorted(classes, one), np.searchsorted(classes, other)


def tally_of(block: Block) -> ClassTally:
    """The classes of one block; a row of zero weight tells of a class, too, as it does in memory."""
    classes, labels = encode(block.y)
    if not block.weight.size:
        counts = np.bincount(labels, minlength=classes.size)
        return ClassTally(classes, counts, counts.astype(np.float64), np.zeros(classes.size))
    rows = np.bincount(labels[block.weight > 0], minlength=classes.size)
    weights = np.bincount(labels, block.weight, classes.size)
    heaviest = np.zeros(classes.size)
    np.maximum.at(heaviest, labels, block.weight)
    return ClassTally(classes, rows, np.asarray(weights, np.float64), heaviest)


def known_classes(blocks: Blocks) -> Survey | None:
    """What needs no pass: the classes, where they are given and rows are counted and have no weights; else None."""
    if blocks.classes is None or blocks.n_rows is None or blocks.weighted:
        return None
    return Survey(blocks.n_rows, ClassTally.of_none(blocks.classes))


def _part(block: Block) -> tuple[int, ClassTally]:
    return block.n_rows, tally_of(block)


def survey(blocks: Blocks) -> Survey:
    """One pass over the labels."""
    n_rows, tally = blocks.total(_part)
    return checked(Survey(int(n_rows), tally))


def checked(found: Survey) -> Survey:
    """The survey, refused where nothing can be learned from such classes."""
    tally = found.tally
    if tally.classes.size < 2:
        raise ValueError(
            f"y holds one class, {tally.classes.tolist()}, and must hold at least two; add rows of another class."
        )
    if not tally.weights.any():
        raise ValueError("sample_weight is zero for every row; give at least one positive weight.")
    return found


@storable
@dataclass(frozen=True)
class Amid:
    """A point amid so many rows; of two blocks the mean, and what is the same in both to the last digit."""

    point: NDArray[np.float64]
    n: int

    def __add__(self, other: Amid) -> Amid:
        n = self.n + other.n
        mean = (self.n / n) * self.point + (other.n / n) * other.point
        return Amid(np.where(self.point == other.point, self.point, mean), n)


def _part_with_center(block: Block) -> tuple[int, ClassTally, Amid]:
    """Rows, classes, and a point amid the rows."""
    return block.n_rows, tally_of(block), Amid(center_of(block.X), block.n_rows)


def survey_with_center(blocks: Blocks) -> tuple[Survey, NDArray[np.float64]]:
    """The first pass: rows and classes, and a point about which the features are taken."""
    n_rows, tally, amid = blocks.total(_part_with_center)
    return checked(Survey(int(n_rows), tally)), amid.point


@storable
@dataclass(frozen=True)
class RowTally:
    """Rows, those of positive weight, and the largest weight, 0 where there are none."""

    n_rows: int
    n_present: int
    heaviest: float

    def __add__(self, other: RowTally) -> RowTally:
        rows, present = self.n_rows + other.n_rows, self.n_present + other.n_present
        return RowTally(rows, present, max(self.heaviest, other.heaviest))


def _row_part(block: Block) -> tuple[RowTally]:
    if not block.weight.size:
        return (RowTally(block.n_rows, block.n_rows, 0.0),)
    return (RowTally(block.n_rows, int(np.count_nonzero(block.weight)), float(block.weight.max())),)


def row_survey(blocks: Blocks) -> RowTally:
    """One pass over the rows of a regression."""
    (found,) = blocks.total(_row_part)
    if not found.n_present:
        raise ValueError("sample_weight is zero for every row; give at least one positive weight.")
    return cast(RowTally, found)


@storable
@dataclass(frozen=True)
class ColumnSpread:
    """The mean of each column, the sum of its squares about that, and its ends; those of two blocks can be added."""

    n: int
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __add__(self, other: ColumnSpread) -> ColumnSpread:
        n, shift = self.n + other.n, other.mean - self.mean
        squares = self.squares + other.squares + shift**2 * (self.n * other.n / n)
        ends = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return ColumnSpread(n, self.mean + shift * (other.n / n), squares, *ends)


def _spread_part(block: Block) -> tuple[ColumnSpread]:
    X = block.X.astype(np.float64, copy=False)
    mean = X.mean(axis=0)
    return (ColumnSpread(block.n_rows, mean, np.square(X - mean).sum(axis=0), X.min(axis=0), X.max(axis=0)),)


def means_and_scales(blocks: Blocks) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and standard deviations of dense columns, in one pass; a constant column has scale 1."""
    found = cast(ColumnSpread, blocks.total(_spread_part)[0])
    moving = found.high > found.low
    scales = np.where(moving, np.sqrt(found.squares / found.n), 1.0)
    if not np.all(np.isfinite(scales) & (scales > 0)):
        raise ValueError("a column of X is too wide, or too narrow, to be standardized; divide it by its size.")
    return np.where(moving, found.mean, found.low), scales


def errors_part(block: Block, model: Any) -> int:
    """The rows that a fitted model puts on the wrong side."""
    with warnings.catch_warnings(action="ignore"):  # the fit has warned already
        return int((model.predict(block.X) != block.y).sum())

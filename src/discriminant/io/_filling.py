"""One pass over a table: the matrix made in its own memory, and beside it labels, weights and what is missing.

Tests: ``tests/io/test_recipe.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._guards.validation import all_finite
from ._columns import labels_of, numbers
from ._errors import TableError
from ._formats import check_room
from .tables import Table

if TYPE_CHECKING:
    from .recipe import Recipe

BLOCK = 65536  # rows that are looked at together
Progress = Callable[[float], None]


class Filling:
    def __init__(
        self, table: Table, recipe: Recipe, progress: Progress | None, applying: bool = False, first: int = 0
    ) -> None:
        self.table, self.recipe, self.applying, self.first = table, recipe, applying, first
        self.progress = progress or (lambda share: None)
        aside = [] if applying else [recipe.target, recipe.weights]
        self.aside = [name for name in aside if name is not None]
        self.labels: list[Any] = []
        self.weights: list[NDArray[np.float64]] = []
        self.gaps: Counter[str] = Counter()  # missing values of each column
        self.left_out = self.seen = 0  # rows

    def matrix(self) -> NDArray[np.float64]:
        """X, C-contiguous, made portion by portion in its own memory."""
        recipe, names = self.recipe, [*self.recipe.inputs, *self.aside]
        check_room(self.table.rows, recipe.width)
        X, n, seen = np.empty((max(1, self.table.rows), recipe.width)), 0, self.first
        for share, part in self.table.portions(names):
            if n + part.height > len(X):
                X.resize((n + part.height + len(X) // 16, recipe.width), refcheck=False)
            out = X[n : n + part.height]
            for column, place in recipe.parts(out):
                column.put(part[column.name], place, seen, recipe.unseen if self.applying else "refuse")
            kept = self._kept(part, out, seen)
            if kept is not None:
                out[: kept.sum()] = out[kept]
            n, seen = n + (part.height if kept is None else int(kept.sum())), seen + part.height
            self.progress(share)
        self._check_rows(n, seen - self.first)
        return X[:n]

    def lists(self, name: str) -> list[Any]:
        parts, seen = [], 0
        for share, part in self.table.portions([name, *self.aside]):
            kept = self._kept(part, np.zeros((part.height, 0)), seen)
            parts.append(part[name] if kept is None else part.filter(kept)[name])
            seen += part.height
            self.progress(share)
        self._check_rows(sum(map(len, parts)), seen)
        return parts

    @staticmethod
    def _check_rows(kept: int, seen: int) -> None:
        if kept == 0:
            why = f"every one of its {seen:,} rows lacks a value" if seen else "it holds no rows"
            raise TableError(f"nothing is left of the table: {why}; take missing='median', or drop columns.")

    def _kept(self, part: Any, out: NDArray[np.float64], first: int) -> NDArray[np.bool_] | None:
        """Which rows stay, None for all; labels and weights of those are taken."""
        recipe = self.recipe
        lacking = self._lacking(out, first)
        for name in self.aside:
            empty = part[name].is_null().to_numpy()
            if part[name].dtype.is_float():
                empty |= part[name].is_nan().fill_null(False).to_numpy()
            if empty.any():
                if recipe.missing != "drop":
                    self._refuse(name, int(empty.argmax()) + first)
                self.gaps[name] += int(empty.sum())
                lacking = empty if lacking is None else lacking | empty
        kept = None if lacking is None else ~lacking
        self.seen += part.height
        self.left_out += 0 if lacking is None else int(lacking.sum())
        rows = part if kept is None else part.filter(kept)
        if not self.applying and recipe.target is not None:
            self.labels.append(rows[recipe.target])
            if recipe.weights is not None:
                self.weights.append(_weights(rows[recipe.weights], first))
        return kept

    def _lacking(self, out: NDArray[np.float64], first: int) -> NDArray[np.bool_] | None:
        """Rows that a missing value throws out, None for none; infinite numbers are refused, and NaN by ``missing``."""
        recipe = self.recipe
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(out.sum()):  # the usual case: nothing is missing
                return None
        for column, place in recipe.parts(out):
            if np.any(endless := np.isinf(place[:, 0])):
                row = int(endless.argmax()) + first + 1
                raise TableError(f"column {column.name!r} is infinite in row {row:,}; give a finite number.")
            if np.any(absent := np.isnan(place[:, 0])):
                self.gaps[column.name] += int(absent.sum())
        if recipe.missing == "median":
            return None
        lacking = np.asarray(np.isnan(out).any(axis=1))
        if lacking.any() and (recipe.missing == "refuse" or self.applying):
            row = int(lacking.argmax())
            column = next(column for column, place in recipe.parts(out) if np.isnan(place[row, 0]))
            self._refuse(column.name, row + first)
        return lacking if lacking.any() else None

    def _refuse(self, name: str, row: int) -> None:
        text = any(column.name == name and column.levels is not None for column in self.recipe.columns)
        usual = "most frequent level" if text else "median"
        remedy = f"fill it in, leave such rows out (missing='drop'), or put the {usual} in its place (missing='median')"
        if name in self.aside:
            remedy = "fill it in, or leave such rows out (missing='drop')"
        if self.applying:
            remedy = "fill it in, or leave such rows out"
        raise TableError(f"column {name!r} lacks a value in row {row + 1:,}; {remedy}.")

    @property
    def y(self) -> NDArray[Any]:
        return labels_of(self.labels, written=self.recipe.target == self.table.labels)

    @property
    def w(self) -> NDArray[np.float64] | None:
        return np.concatenate(self.weights) if self.recipe.weights is not None else None


def _weights(series: Any, first: int) -> NDArray[np.float64]:
    values = numbers(series, first)
    if not np.all((values >= 0) & np.isfinite(values)):
        row = int((~((values >= 0) & np.isfinite(values))).argmax())
        raise TableError(f"weights column {series.name!r} holds {values[row]:g}; give finite numbers, 0 or more.")
    return values


def moments(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and standard deviations of the columns without a copy of X; a constant column has scale 1."""
    blocks = [X[start : start + BLOCK] for start in range(0, len(X), BLOCK)]
    low, high = (np.array([end(block, axis=0) for block in blocks]) for end in (np.min, np.max))
    low, high = low.min(axis=0), high.max(axis=0)
    with np.errstate(over="ignore"):
        units = np.where(high > low, high - low, 1.0)  # so that no square overflows or vanishes
    if not all_finite(units):
        raise TableError(f"column {int(units.argmax()) + 1} of the matrix is too wide to standardize; divide it first.")
    means = np.where(high > low, sum((block / len(X)).sum(axis=0) for block in blocks), low)
    squares = sum((((block - means) / units) ** 2).sum(axis=0) for block in blocks)
    return means, np.where(high > low, units * np.sqrt(squares / len(X)), 1.0)

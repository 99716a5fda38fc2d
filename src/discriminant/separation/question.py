"""The data as given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from .._engine.progress import Progress
from .._engine.refusals import refusal
from .._guards.validation import check_indices, explained
from .rows import of_frame, plain
from .system import System

Groups = tuple[tuple[Any, ...], ...]


@dataclass
class Names:
    """What the user calls rows and columns; None where he has no names."""

    columns: list[str] | None
    rows: list[Any] | None

    def column(self, j: int) -> str:
        """The name of a feature."""
        return f"x{j}" if self.columns is None else self.columns[j]

    def row(self, i: int) -> str:
        """The index of a row, with its name."""
        return str(i) if self.rows is None else f"{i} [{self.rows[i]}]"


@dataclass
class Question:
    """The data, and how they are to be read."""

    X: Any
    names: Names
    y: NDArray[Any]
    intercept: bool
    reading: str
    meter: Progress

    def system(self, groups: Groups, own: NDArray[np.int32], axis: int = 0) -> System:
        """The rows z of a problem."""
        system = System(self.X, own, len(groups), self.intercept, self.reading, axis)
        system.tick = self.meter.share
        return system


def _table(X: Any, reading: str) -> tuple[Any, Names]:
    """X as an array or CSR matrix of finite numbers of its own type, and what its rows and columns are called."""
    check_indices(X)
    columns = getattr(X, "columns", None)
    index = getattr(X, "index", None)
    named = list(columns) if columns is not None and all(isinstance(name, str) for name in columns) else None
    rows = None if index is None or callable(index) or type(index).__name__ == "RangeIndex" else list(index)
    try:
        if columns is not None and hasattr(X, "to_numpy"):
            X = of_frame(X, reading)
        elif not hasattr(X, "tocsr"):
            X = plain(X)
        table = check_array(X, accept_sparse="csr", dtype="numeric", ensure_all_finite=False)
    except ValueError as error:
        raise explained(error) from None
    if hasattr(table, "indptr") and not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    values = table.data if hasattr(table, "indptr") else table
    if values.dtype.kind == "f":
        if values.dtype.itemsize not in (4, 8):
            if values.dtype.itemsize == 2 and reading == "decimal" and values is table:
                table = table.astype("U")  # the shortest form of a float16 is shorter
            table = table.astype(np.float32 if values.dtype.itemsize == 2 else np.float64)
        with np.errstate(all="ignore"):
            total = values.sum()  # one pass, no copy; the sum of finite numbers can only overflow
        if not np.isfinite(total) and not np.all(np.isfinite(values)):
            raise refusal(table)
    return table, Names(named, rows)


def _column(y: Any, table: Any) -> NDArray[Any]:
    """Y as a vector with one entry for each row."""
    y = column_or_1d(y, warn=False)
    try:
        check_consistent_length(table, y)
    except ValueError as error:
        raise explained(error) from None
    return np.asarray(y)


def _positive_counts(y: NDArray[Any]) -> NDArray[np.int32]:
    """Which counts exceed zero; refuses what is no count."""
    if y.dtype.kind not in "biuf" or not np.all(np.isfinite(y)) or np.any(y < 0):
        raise ValueError("y holds what is no count: family='poisson' needs finite numbers >= 0.")
    return (y > 0).astype(np.int32)

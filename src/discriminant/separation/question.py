"""The data of ``separability`` as they are given: their exact numbers, their labels or counts, their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.labels import encode
from .._engine.progress import TerminalBar
from .._engine.refusals import refusal
from .._guards.parameters import refused
from .._guards.validation import check_indices, explained
from .passes import Labels
from .rows import Entries, exact_array, without_zeros
from .system import System
from .verification import order_of

Groups = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Names:
    """What rows and columns are called; None where they have no names."""

    columns: list[str] | None
    rows: list[Any] | None
    references: Mapping[str, NDArray[Any]]  # levels that the columns of a factor are held against, and who has them

    @classmethod
    def of(
        cls, X: Any, d: int, given: Sequence[str] | None, references: Mapping[str, NDArray[Any]] | None = None
    ) -> Names:
        """The names that are given for the d columns, or those of a data frame, and the names of its rows."""
        if given is not None and len(given) != d:
            wanted = f"one name for each of the {d} columns of X"
            raise refused("feature_names", list(given), wanted, "give as many names as columns, or None")
        own, index = getattr(X, "columns", None), getattr(X, "index", None)
        named = given if given is not None or own is None or any(not isinstance(name, str) for name in own) else own
        rows = None if index is None or callable(index) or type(index).__name__ == "RangeIndex" else list(index)
        return cls(None if named is None else [str(name) for name in named], rows, references or {})

    def column(self, j: int) -> str:
        """The name of a feature."""
        return f"x{j}" if self.columns is None else self.columns[j]

    def row(self, i: int) -> str:
        """The index of a row, with its name."""
        return str(i) if self.rows is None else f"{i} [{self.rows[i]}]"


@dataclass(frozen=True)
class Question:
    """The data, and how they are to be read."""

    X: Any
    names: Names
    y: NDArray[Any]
    intercept: bool
    reading: str
    meter: TerminalBar
    aliased: str = "keep"  # or "drop": what is said of columns that depend on earlier ones

    def system(self, groups: Groups, own: Labels) -> System:
        """The rows z of a problem."""
        return System(self.X, own, len(groups), self.intercept, self.reading, tick=self.meter)


def checked(X: Any, y: Any, reading: str) -> tuple[Any, NDArray[Any]]:
    """X as an array or CSR matrix of finite numbers of its own type, and y as a vector with one entry for each row."""
    check_indices(X)
    try:
        table, y = _validated(exact_array(X, reading), y)
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
    except ValueError as error:
        raise explained(error) from None
    return as_scipy(without_zeros(table)), np.asarray(y)


def as_scipy(table: Any) -> Any:
    """The table, as scipy has it where it has no zeros."""
    return sparse.csr_matrix(table[:3], table.shape) if isinstance(table, Entries) else table


def _validated(X: Any, y: Any) -> tuple[Any, Any]:
    """scikit-learn's validation, which is a second of imports, of what is not already as it would return it."""
    arrays = type(X) is type(y) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biuf"
    if arrays and X.size and y.shape == X.shape[:1]:
        return X, y
    from sklearn.utils import check_array, check_consistent_length, column_or_1d

    table = check_array(X, accept_sparse="csr", dtype="numeric", ensure_all_finite=False)
    y = column_or_1d(y, warn=False)
    check_consistent_length(table, y)
    return table, y


def levels_of(given: Any, y: NDArray[Any]) -> tuple[Groups, Labels]:
    """The levels of an ordered response that occur, in their order, and the index of each row's level.

    The order is that of numbers, or the one which an ordered categorical of pandas or an Enum of polars says.
    """
    groups, own = groups_of(y, "classes")
    order = order_of(given)
    if order is None:
        if any(isinstance(label, str) for (label,) in groups):
            raise ValueError(
                f"y holds {groups[0][0]!r}, and the order of such levels is not known: family='cumulative' needs "
                "numbers in their order, or an ordered categorical."
            )
        return groups, own
    places = [order.index(label) for (label,) in groups]
    ranks = np.argsort(np.argsort(places)).astype(np.int32)
    return tuple(sorted(groups, key=lambda group: order.index(group[0]))), ranks[own]


def groups_of(y: NDArray[Any], family: str) -> tuple[Groups, Labels]:
    """The label of each class, none for counts, and the class of each row; of a count, whether it exceeds zero."""
    if family == "poisson":
        if y.dtype.kind not in "biuf" or not np.all(np.isfinite(y)) or np.any(y < 0):
            raise ValueError("y holds what is no count: family='poisson' needs finite numbers >= 0.")
        return (), (y > 0).astype(np.int32)
    if y.dtype.kind == "f" and not np.all(np.isfinite(y)):
        raise ValueError("y contains NaN or infinity: give a label for each row.")
    classes, own = encode(y)
    if classes.size < 2:
        raise ValueError(f"y holds one class, {classes.tolist()}: separability needs at least two classes.")
    if not all(isinstance(label, str | int | float) for label in classes.tolist()):
        raise ValueError(f"y holds {classes.tolist()[0]!r}: give labels that are numbers or strings.")
    return tuple((label,) for label in classes.tolist()), own

"""The recipe that makes a matrix of a table, learned once and applied to every table that comes later.

A recipe says which column is the target and which are features, what happens to missing values, which levels a text
column has, and by how much the features are shifted and scaled. It is kept in the model's file, so that ``predict``
treats a new table as ``fit`` treated the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import FLAG, Choice, Constraint, check_parameters, refused
from ._columns import Column, check_feature, is_sparse, is_text, levels_of
from ._doubts import doubts
from ._errors import TableError, absent, not_a_recipe
from ._filling import BLOCK, Filling, Progress, moments
from ._formats import TARGET
from ._sparse import Block, sparse_matrix
from ._written import Written
from .tables import Table

Training = Callable[[NDArray[Any]], NDArray[np.bool_]]


def _column_name(name: str, value: Any) -> None:
    if not isinstance(value, str | None):
        raise refused(name, value, "the name of a column, or None", "give a text")


@dataclass
class Recipe:
    """How a table becomes a matrix: columns, missing values, levels, scales.

    Parameters
    ----------
    target : str, default=None
        Column of the labels; by default the one that is called "target", else "y".
    features : list of str, default=None
        Columns to learn from; by default all others.
    drop : list of str, default=()
        Columns to leave out.
    weights : str, default=None
        Column of the weights of the rows.
    missing : {"refuse", "drop", "median"}, default="refuse"
        What happens to missing values: an error that names column and row; the row is left out; or the median takes
        their place, for text the most frequent level.
    standardize : bool, default=False
        Whether features get mean 0 and standard deviation 1.
    unseen : {"refuse", "ignore"}, default="refuse"
        What happens at ``apply`` to a level of a text column that ``fit`` has not seen: an error, or zeros.
    file : dict, default=None
        How the CSV file is written, for those that are read later: what ``scan`` is told beside its name, such as
        ``{"header": False, "na": ["-999"]}``.

    Attributes
    ----------
    feature_names : list of str
        Names of the columns of X.
    reading : list of str
        How ``fit`` read the columns that are not plain numbers: levels, missing values, rows left out; and numbers
        that look like codes for missing values, -999, or count the rows.

    Examples
    --------
    >>> import polars as pl
    >>> from discriminant.io import Recipe
    >>> frame = pl.DataFrame({"size": [1, 2, 4], "color": ["red", "blue", "red"], "sold": ["no", "no", "yes"]})
    >>> recipe = Recipe(target="sold")
    >>> X, y, _ = recipe.fit(frame)
    >>> recipe.feature_names
    ['size', 'color=blue', 'color=red']
    >>> X
    array([[1., 0., 1.],
           [2., 1., 0.],
           [4., 0., 1.]])
    >>> recipe.reading
    ["column 'color': text, 2 levels stand for 2 columns of zeros and ones"]
    >>> Recipe.from_dict(recipe.to_dict()).apply(frame.drop("sold")[:1])
    array([[1., 0., 1.]])
    """

    target: str | None = None
    features: Sequence[str] | None = None
    drop: Sequence[str] = ()
    weights: str | None = None
    missing: str = "refuse"
    standardize: bool = False
    unseen: str = "refuse"
    file: dict[str, Any] | None = None
    columns: tuple[Column, ...] = field(default=(), init=False, repr=False)
    means: NDArray[np.float64] | None = field(default=None, init=False, repr=False, compare=False)
    scales: NDArray[np.float64] | None = field(default=None, init=False, repr=False, compare=False)
    block: Block | None = field(default=None, init=False, repr=False)

    _parameters: ClassVar[dict[str, Constraint]] = {
        "missing": Choice(("refuse", "drop", "median")),
        "unseen": Choice(("refuse", "ignore")),
        "standardize": FLAG,
        "target": _column_name,
        "weights": _column_name,
    }
    NAMES: ClassVar[tuple[str, ...]] = ("target", "features", "drop", "weights", "missing", "standardize", "unseen")

    def __post_init__(self) -> None:
        self.features = None if self.features is None else _names("features", self.features)
        self.drop = _names("drop", self.drop)
        try:
            check_parameters(self)
        except ValueError as error:
            raise TableError(str(error)) from None
        self.standardize = bool(self.standardize)
        self.file = _file(self.file)
        self.reading: list[str] = []  # no field: a later table is read without it

    # --- learning

    def fit(
        self, frame: Any, *, progress: Progress | None = None, training: Training | None = None
    ) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
        """Learn levels, medians and scales from a table, and give its matrix.

        Parameters
        ----------
        frame : polars.DataFrame or Table
            The table; a ``Table`` of ``scan`` is read in portions.
        progress : callable, default=None
            Told now and then the share of the table that has been read, from 0 to 1.
        training : callable, default=None
            Told the labels; tells which rows medians and scales are learned from, as an array of True and False. By
            default they are all; rows that are held out for a test should not count.

        Returns
        -------
        tuple
            X of float64 (a CSR matrix of a LIBSVM table), the labels y, and the weights or None.
        """
        table = Table.of(frame)
        self.target = self._target(table.schema)
        chosen = self._chosen(table.schema)
        self.columns, self.means, self.scales, self.block, self.reading = (), None, None, None, []
        if any(is_sparse(table.schema[name]) for name in chosen):
            if len(chosen) > 1 or self.standardize:
                raise TableError(
                    "the features of a sparse table are the lists of one column; take it alone, and without "
                    "standardize, which would fill the zeros."
                )
            filled = Filling(table, self, progress)
            X, self.block = sparse_matrix(filled.lists(chosen[0]), None)
            return X, filled.y, filled.w
        self.columns = self._learned(table, chosen)
        filled = Filling(table, self, progress)
        X = filled.matrix()
        known = slice(None) if training is None else training(filled.y)
        if self.missing == "median":
            self.columns = tuple(column.filled(part[known]) for column, part in self.parts(X))
            self._fill(X)
        self.reading = [*self._read_as(filled), *doubts(self._places(), X)]
        if self.standardize:
            self.means, self.scales = moments(X[known])
            self._scale(X)
        return X, filled.y, filled.w

    def _read_as(self, filled: Filling) -> list[str]:
        """Which rows were left out, and how the columns were read that are not plain numbers without gaps."""
        lacking = ", ".join(map(repr, filled.gaps))
        left_out = f"{filled.left_out:,} of {filled.seen:,} rows left out, which lack a value of {lacking}"
        return [left_out] * bool(filled.left_out) + [
            f"column {column.name!r}: {'; '.join(words)}"
            for column in self.columns
            if (words := column.read_as(filled.seen, filled.gaps[column.name]))
        ]

    def _places(self) -> dict[str, int]:
        """Where the columns of numbers stand in X."""
        ends = np.cumsum([column.width for column in self.columns]).tolist()
        return {column.name: end - 1 for column, end in zip(self.columns, ends, strict=True) if column.levels is None}

    def _target(self, schema: dict[str, Any]) -> str:
        if self.target is None:
            found = [name for name in (TARGET, "y") if name in schema]
            if not found:
                shown = ", ".join(map(repr, list(schema)[:12])) + (", …" if len(schema) > 12 else "")
                such = f"such as target={list(schema)[-1]!r}"
                raise TableError(f"no target was given; name the column of the labels, {such}: there are {shown}.")
            return found[0]
        if self.target not in schema:
            raise absent(self.target, schema)
        return self.target

    def _chosen(self, schema: dict[str, Any]) -> list[str]:
        """The names of the feature columns, all of which can be used."""
        for name in (*self.drop, *(self.features or ()), *([self.weights] if self.weights else ())):
            if name not in schema:
                raise absent(name, schema)
        aside = {self.target, self.weights, *self.drop}
        if self.features is None:
            chosen = [name for name in schema if name not in aside]
        elif both := [name for name in self.features if name in aside]:
            raise TableError(f"column {both[0]!r} is among features and also target, weights or drop; name it once.")
        else:
            chosen = list(self.features)
        if not chosen:
            raise TableError("no columns are left to learn from; choose other features, or drop fewer.")
        if self.target == self.weights:
            raise TableError(f"column {self.target!r} is target and weights at once; choose another one.")
        for name in chosen:
            check_feature(name, schema[name])
        return chosen

    def _learned(self, table: Table, chosen: list[str]) -> tuple[Column, ...]:
        """The columns, with the levels of those that hold text."""
        texts = [name for name in chosen if is_text(table.schema[name])]
        found: dict[str, set[str]] = {name: set() for name in texts}
        rows = dict.fromkeys(texts, 0)
        for _, part in table.portions(texts) if texts else ():
            for name in texts:
                rows[name] += part.height - part[name].null_count()
                if len(found[name]) <= 2000:
                    found[name].update(part[name].cast(str).drop_nulls().unique().to_list())
        return tuple(
            Column(name, levels_of(name, found[name], rows[name]) if name in found else None) for name in chosen
        )

    # --- applying

    def apply(self, frame: Any, *, progress: Progress | None = None, first: int = 0) -> Any:
        """The matrix of a new table, made as ``fit`` made the first one; the target is not looked at.

        Parameters
        ----------
        frame : polars.DataFrame or Table
            A table with the feature columns of the fit; others are ignored.
        progress : callable, default=None
            Told the share of the table that has been read.
        first : int, default=0
            How many rows came before, where this is a part of a table: errors count them too.

        Returns
        -------
        array or CSR matrix
            One row for each row of the table. Missing values are refused unless ``missing="median"``.
        """
        if not self.columns and self.block is None:
            raise TableError("the recipe has learned nothing yet; call fit with a table first.")
        table = Table.of(frame)
        for name in self.inputs:
            if name not in table.schema:
                raise absent(name, table.schema)
        filled = Filling(table, self, progress, applying=True, first=first)
        if self.block is not None:
            return sparse_matrix(filled.lists(self.block.name), self.block, first)[0]
        for column in self.columns:
            check_feature(column.name, table.schema[column.name])
        X = filled.matrix()
        if self.missing == "median":
            self._fill(X)
        if self.standardize:
            self._scale(X)
        return X

    @property
    def inputs(self) -> list[str]:
        """The columns of the table that are used."""
        return [column.name for column in self.columns] if self.block is None else [self.block.name]

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of X: "color=red" for a level, "x7" for a column of a LIBSVM table."""
        if self.block is not None:
            return [f"x{self.block.base + j}" for j in range(self.block.width)]
        return [name for column in self.columns for name in column.names]

    @property
    def width(self) -> int:
        """The number of columns of X."""
        return self.block.width if self.block is not None else sum(column.width for column in self.columns)

    def parts(self, X: NDArray[np.float64]) -> list[tuple[Column, NDArray[np.float64]]]:
        """Each column of the table with its columns of X."""
        ends = np.cumsum([column.width for column in self.columns])
        return [(column, X[:, end - column.width : end]) for column, end in zip(self.columns, ends, strict=True)]

    def _fill(self, X: NDArray[np.float64]) -> None:
        for column, part in self.parts(X):
            column.put_fill(part)

    def _scale(self, X: NDArray[np.float64]) -> None:
        assert self.means is not None
        assert self.scales is not None
        for start in range(0, len(X), BLOCK):
            X[start : start + BLOCK] -= self.means
            X[start : start + BLOCK] /= self.scales

    # --- as plain data

    def to_dict(self) -> dict[str, Any]:
        """All that was given and learned, as data for JSON.

        Returns
        -------
        dict
            What ``from_dict`` takes.
        """
        given = {name: getattr(self, name) for name in self.NAMES}
        given |= {"features": None if self.features is None else list(self.features), "drop": list(self.drop)}
        columns = [
            {"name": column.name, "levels": None if column.levels is None else list(column.levels), "fill": column.fill}
            for column in self.columns
        ]
        if self.file is not None:  # which files of version 0.1 do not have
            given["file"] = dict(self.file)
        return given | {
            "columns": columns,
            "means": None if self.means is None else self.means.tolist(),
            "scales": None if self.scales is None else self.scales.tolist(),
            "block": None if self.block is None else dict(self.block._asdict()),
        }

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Recipe:
        """The recipe that ``to_dict`` wrote down; anything else is refused.

        Parameters
        ----------
        given : dict
            What ``to_dict`` gave, perhaps through JSON.

        Returns
        -------
        Recipe
            Ready for ``apply``.
        """
        known = {each.name for each in fields(cls)}
        if not isinstance(given, dict) or {*given, "file"} != known:
            odd = sorted(map(str, {*given, "file"} ^ known)) if isinstance(given, dict) else [type(given).__name__]
            raise not_a_recipe(f"{odd[0]!r} is missing or unknown.")
        made = cls(**{name: given[name] for name in cls.NAMES}, file=given.get("file"))
        try:
            made.columns = tuple(_column(each) for each in given["columns"])
            made.block = None if given["block"] is None else Block(**given["block"])
        except (TypeError, KeyError, AttributeError) as error:
            raise not_a_recipe(f"its columns are not what they should be ({error}).") from None
        made._check(given)
        return made

    def _check(self, given: dict[str, Any]) -> None:
        """Refuse a recipe whose parts do not belong together."""
        if self.block is not None:
            self.block.check()
        names = [column.name for column in self.columns]
        for name in ("means", "scales"):
            setattr(self, name, _floats(name, given[name], self.width if self.standardize and names else None))
        if self.scales is not None and not np.all(self.scales > 0):
            raise not_a_recipe("a scale must be positive.")
        if len(set(names)) < len(names) or (self.block is not None and names):
            raise not_a_recipe("a column is named twice.")
        if any((column.fill is None) == (self.missing == "median") for column in self.columns):
            raise not_a_recipe("missing='median' and what takes the place of missing values disagree.")
        if self.features is not None and names and names != list(self.features):
            raise not_a_recipe("its columns are not its features.")
        if {self.target, self.weights, *self.drop} & {*names, *([self.block.name] if self.block else [])}:
            raise not_a_recipe("a feature is also target, weights or dropped.")


def _file(given: Any) -> dict[str, Any] | None:
    """What was said of the file, or None where nothing was."""
    if not isinstance(given, dict | None):
        raise TableError(str(refused("file", given, "a dict of what scan takes, or None", "give a dict")))
    return Written.checked(given or {}).given or None


def _names(name: str, value: Any) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(each, str) for each in names):
        raise TableError(str(refused(name, value, "a list of column names", "give texts")))
    if len(set(names)) < len(names):
        raise TableError(f"{name} names a column twice; name each once.")
    return list(names)


def _column(given: Any) -> Column:
    name, levels, fill = given["name"], given["levels"], given["fill"]
    fits = isinstance(name, str) and len(given) == 3
    if levels is None:
        fits = fits and (fill is None or (isinstance(fill, float) and bool(np.isfinite(fill))))
    else:
        fits = fits and len(levels) > 0 and all(isinstance(level, str) for level in levels)
        fits = fits and sorted(set(levels)) == levels and (fill is None or fill in levels)
    if not fits:
        raise not_a_recipe(f"column {name!r} is not as a recipe writes it.")
    return Column(name, None if levels is None else tuple(levels), fill)


def _floats(name: str, given: Any, size: int | None) -> NDArray[np.float64] | None:
    if given is None and size is None:
        return None
    if size is None or not isinstance(given, list) or not all(type(value) is float for value in given):
        raise not_a_recipe(f"{name} must be a list of numbers with standardize, else nothing.")
    if len(given) != size or not np.all(np.isfinite(given)):
        raise not_a_recipe(f"{name} must hold {size} finite numbers.")
    return np.array(given)

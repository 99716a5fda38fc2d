"""What batches of columns become: a matrix, with zeros and ones for the levels of texts, and labels.

Which columns are texts, which levels they may have and in which order, ``_columns`` says for tables in memory, too.
Here one pass over the columns of text finds the levels, before the width of a block is known.

Tests: ``tests/io/test_factors.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import Later, needed
from .._guards.parameters import refused
from ._columns import MOST_LEVELS, Column, check_feature, is_number, is_sparse, is_text, levels_of, typed
from ._errors import TableError
from ._formats import named
from ._texts import AMONG_NUMBERS, looks_of

pl = Later("polars", "io")

Levels = dict[str, tuple[str, ...] | None]  # of a column of text; None of one of numbers
SHOWN = 12  # levels that an error names


class Batch(NamedTuple):
    """Some rows as they are read, where they stand, and the place of the first among those of its row group."""

    columns: Any
    name: str
    first: int


def kinds_of(schema: Any) -> dict[str, Any]:
    """The columns of an Arrow schema, and what polars calls their types."""
    return dict(pl.from_arrow(schema.empty_table()).schema)


def checked_levels(given: Any) -> Levels:
    """Levels as the user gives them: in order, as text."""
    if not isinstance(given, Mapping):
        raise refused("levels", given, "a dict such as {'color': ['blue', 'red']}", "name the columns of text")
    found: Levels = {}
    for name, levels in given.items():
        if levels is not None and (isinstance(levels, str) or not isinstance(levels, Iterable) or not [*levels]):
            raise refused(f"levels[{name!r}]", levels, "a list of levels, or None for numbers", "give all of them")
        found[name] = None if levels is None else tuple(sorted({text_of(level) for level in levels}))
    return found


def text_of(value: Any) -> str:
    """A value as polars writes it."""
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


class Factors:
    """The columns of files that need levels: texts, flags, and those that are text in some files alone."""

    def __init__(self, names: Sequence[str], known: Levels, paths: Sequence[Path], kinds: list[dict[str, Any]]) -> None:
        self.known, self.names = known, names
        self.unknown: list[str] = []
        self.written: set[str] = set()  # those that a file has as text, not as flags: as letters, then
        self.mixed: set[str] = set()
        for name in names:
            held = [(path, found[name]) for path, found in zip(paths, kinds, strict=False) if name in found]
            _check_kinds(name, held, known)
            texts = [is_text(kind) for _, kind in held if kind != pl.Null]
            if any(texts) and name not in known:
                self.unknown.append(name)
                self.written |= {name} if any(is_text(kind) and kind != pl.Boolean for _, kind in held) else set()
                self.mixed |= set() if all(texts) else {name}
        self.written |= {name for name, levels in known.items() if levels and not {"false", "true"}.issuperset(levels)}

    def columns(self, batches: Iterator[Batch]) -> tuple[Column, ...]:
        """All columns, with the levels that one pass over the unknown ones finds."""
        found: dict[str, set[str]] = {name: set() for name in self.unknown}
        rows = dict.fromkeys(self.unknown, 0)
        for batch in batches if self.unknown else ():
            for name in self.unknown:
                words, codes = _worded(batch.columns.column(name))
                counts = np.bincount(codes + 1, minlength=len(words) + 1)[1:]
                rows[name] += int(counts.sum())
                if len(found[name]) <= 2 * MOST_LEVELS:
                    found[name].update(words[code] for code in np.flatnonzero(counts))
                elif name not in self.mixed:
                    levels_of(name, found[name], rows[name])  # raises: more than may be
        made = dict(self.known)
        for name in self.unknown:
            numbers = name in self.mixed and _are_numbers(found[name])
            made[name] = None if numbers else levels_of(name, found[name], rows[name])
        return tuple(Column(name, made.get(name)) for name in self.names)


def _are_numbers(words: set[str]) -> bool:
    some = [word for word in map(str.strip, words) if word.lower() not in AMONG_NUMBERS]
    return looks_of(some).numbers == len(some) and looks_of(some).dress is None


def _check_kinds(name: str, held: list[tuple[Path, Any]], known: Levels) -> None:
    """Refuse a column that is neither numbers nor text, flags in one file and numbers in another, or fractions."""
    for path, kind in held:
        check_feature(name, kind)
        if is_sparse(kind):
            raise TableError(f"column {name!r} of {named(path)} holds lists; write the rows as LIBSVM files.")
        if known.get(name) and (kind.is_float() or kind.is_decimal()):
            raise TableError(f"column {name!r} of {named(path)} holds fractions, which are no levels; leave these out.")
    flags = [path for path, kind in held if kind == pl.Boolean]
    numbers = [path for path, kind in held if is_number(kind) and kind != pl.Null]
    if flags and numbers and name not in known:
        where = f"{named(flags[0])} and numbers in {named(numbers[0])}"
        raise TableError(f"column {name!r} holds true and false in {where}; write it alike in all files.")


def complete(batch: Batch, names: Sequence[str], drop: bool) -> tuple[Any, Sequence[int]]:
    """The rows that have a value in all of these columns, and their numbers; others are refused, or dropped."""
    rows = range(batch.first, batch.first + batch.columns.num_rows)
    lacking = np.zeros(len(rows), bool)
    for name in names:
        absent = _absent(batch.columns.column(name), nan=drop)
        if absent is None or not absent.any():
            continue
        if not drop:
            row = rows[int(absent.argmax())]
            remedy = "fill it in, or leave such rows out (missing='drop')"
            raise TableError(f"column {name!r} lacks a value in row {row:,}; {remedy}.")
        lacking |= absent
    if not lacking.any():
        return batch.columns, rows
    arrow, kept = needed("pyarrow", "io"), ~lacking
    columns = [
        # no rows can be taken of views of strings
        column.cast(arrow.large_string()) if arrow.types.is_string_view(column.type) else column
        for column in batch.columns.columns
    ]
    whole = arrow.record_batch(columns, names=batch.columns.schema.names)
    return whole.filter(arrow.array(kept)), (batch.first + np.flatnonzero(kept)).tolist()


def _absent(column: Any, nan: bool) -> NDArray[Any] | None:
    """Where a value is missing, or is ``nan`` if that counts, too; None where there is no such."""
    types = needed("pyarrow.types", "io")
    if types.is_dictionary(column.type) and column.dictionary.null_count:
        return _worded(column)[1] < 0
    if nan and types.is_floating(column.type):
        return np.asarray(np.isnan(column.to_numpy(zero_copy_only=False)))
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False)) if column.null_count else None


def encoded(batch: Any, columns: Sequence[Column], dtype: np.dtype[Any], rows: Sequence[int]) -> NDArray[Any]:
    """The matrix of a batch without gaps, one column behind the other; ``rows`` are the numbers of its rows."""
    plain = [column.name for column in columns if column.levels is None]
    values = matrix_of(batch.select(plain), dtype) if plain else None
    if values is not None and len(plain) == len(columns):
        return values
    X = np.zeros((batch.num_rows, sum(column.width for column in columns)), dtype, order="F")
    place, k = 0, 0
    for column in columns:
        if column.levels is None:
            assert values is not None
            X[:, place], k = values[:, k], k + 1
        else:
            codes = _places(column, batch.column(column.name), rows)
            X[np.arange(batch.num_rows), place + codes] = 1
        place += column.width
    return X


def _places(column: Column, values: Any, rows: Sequence[int]) -> NDArray[Any]:
    """Where the value of each row stands among the levels; another one is refused."""
    assert column.levels is not None
    words, codes = _worded(values)
    known = {level: k for k, level in enumerate(column.levels)}
    places = np.array([known.get(word, -1) for word in words], np.intp)[codes]
    if np.any(strange := places < 0):
        row = int(strange.argmax())
        shown = ", ".join(column.levels[:SHOWN]) + (", …" if len(column.levels) > SHOWN else "")
        raise TableError(
            f"column {column.name!r} holds {words[codes[row]]!r} in row {rows[row]:,}, which is not among its "
            f"levels ({shown}); correct it, or add it to them in io.stream(…, levels={{{column.name!r}: […]}})."
        )
    return places


def _worded(column: Any) -> tuple[list[str], NDArray[np.intp]]:
    """The words of a column, and which of them stands in each row, -1 where a value is missing."""
    types = needed("pyarrow.types", "io")
    if types.is_null(column.type):
        return [], np.full(len(column), -1, np.intp)
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    words = column.dictionary.to_pylist()
    codes = column.indices.cast(needed("pyarrow", "io").int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    if None in words:  # a missing value may be an entry of the dictionary
        codes = np.where(np.array([word is None for word in words] + [False])[codes], -1, codes)
    return [text_of(word) for word in words], codes


def matrix_of(batch: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A matrix of columns of numbers, one behind the other as they are read; a missing value is NaN."""
    arrow = needed("pyarrow", "io")
    wanted = arrow.float32() if dtype == np.float32 else arrow.float64()
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if arrow.types.is_boolean(column.type):
            column = column.cast(arrow.uint8())
        elif arrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        columns.append(column if column.type == wanted else _cast(name, column, wanted))
    tensor = arrow.record_batch(columns, names=batch.schema.names).to_tensor(null_to_nan=True, row_major=False)
    return np.asarray(tensor.to_numpy())


def _cast(name: str, column: Any, wanted: Any) -> Any:
    """Numbers of another type, also such as are written as text."""
    arrow, types = needed("pyarrow", "io"), needed("pyarrow.types", "io")
    if not (types.is_string(column.type) or types.is_large_string(column.type) or types.is_string_view(column.type)):
        return column.cast(wanted, safe=False)
    try:
        return needed("pyarrow.compute", "io").utf8_trim_whitespace(column.cast(arrow.string())).cast(wanted)
    except arrow.ArrowInvalid:
        values = pl.Series(column.to_pylist())
        odd = values.str.strip_chars().cast(pl.Float64, strict=False).is_null() & values.is_not_null()
        raise TableError(
            f"column {name!r} holds {values[int(odd.arg_max() or 0)]!r}, and the first file only numbers there; "
            f"correct it, leave the column out (drop={name!r}), or list its levels in io.stream(…, levels={{…}})."
        ) from None


def labels_of(column: Any, written: bool = False) -> NDArray[Any]:
    """The labels of a column; texts through their dictionary, of which there are few.

    Those that stand as a file has ``written`` them are numbers or flags where each is written just so.
    """
    types = needed("pyarrow.types", "io")
    if types.is_integer(column.type) or types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    words = column.dictionary.to_pylist()
    values = typed(words) if written else None
    return np.asarray((np.array(words) if values is None else values)[column.indices.to_numpy(zero_copy_only=False)])

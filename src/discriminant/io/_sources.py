"""What a stream reads: row groups, batches, portions of lines, memory maps and the user's own blocks.

A source gives pieces of rows as they come; ``streams`` makes blocks of them.

Tests: ``tests/io/test_streams.py``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.extras import needed
from .._guards.parameters import refused
from ._errors import NoRowsError, TableError
from ._formats import PORTION, named
from ._sparse import WIDEST
from .tables import scan

TARGETS = ("target", "y")  # the columns of the labels, where none is named


class Piece(NamedTuple):
    """Some rows: X, y and weights or None, and where they come from."""

    X: Any
    y: Any
    weight: Any
    name: str


class Source(Protocol):
    """Rows that can be read any number of times."""

    names: list[str] | None
    n_features: int
    dtype: np.dtype[Any]
    n_rows: int | None  # None where that is not known before they are read
    weighted: bool

    def read(self, rows: int) -> Iterator[Any]:
        """All rows, at most so many at a time, as they are read."""

    def piece(self, read: Any) -> Piece:
        """What was read, as numbers: another thread makes it while the next is read."""

    def identity(self) -> list[Any]:
        """What tells these rows from others, for a checkpoint: paths, sizes and times."""


class ChosenColumns(NamedTuple):
    """The columns of labels and weights and those of the features, None for all others."""

    target: str | None = None
    weights: str | None = None
    features: Sequence[str] | None = None


class Columns:
    """Files of columns: Parquet, Arrow and CSV, of which the first tells the columns."""

    def __init__(self, paths: list[Path], kind: str, choice: ChosenColumns, options: dict[str, Any]) -> None:
        self.paths, self.kind, self.options = paths, kind, options
        schema = self._schema(paths[0])
        self.target = _target(choice.target, schema, paths[0])
        self.weights, self.weighted = choice.weights, choice.weights is not None
        others = [name for name in schema if name not in (self.target, self.weights)]
        self.names: list[str] | None = others if choice.features is None else _listed(choice.features)
        _refuse_twice([*self.names, self.target, *([] if self.weights is None else [self.weights])])
        for name in [*self.names, *([] if self.weights is None else [self.weights])]:
            if name not in schema:
                raise TableError(f"{named(paths[0])} has no column {name!r}; it has {_few(list(schema))}.")
            if not schema[name]:
                raise TableError(
                    f"column {name!r} of {named(paths[0])} holds no numbers, of which alone a stream makes a matrix; "
                    "choose others by features=[…], or write its levels as columns of zeros and ones."
                )
        if not self.names:
            raise TableError(f"{named(paths[0])} has no column beside its target {self.target!r}; add features.")
        self.n_features = len(self.names)
        single = all(schema[name] == "float32" for name in self.names)
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self.n_rows = self._count()

    def identity(self) -> list[Any]:
        return [*_files(self.paths), self.names, self.target, self.weights]

    def _schema(self, path: Path) -> dict[str, str]:
        """The columns, and for those of numbers their type in a word, "" for others."""
        if self.kind in ("csv", "tsv"):
            found = scan(path, **self.options).schema
            return {
                name: "float64" if kind.is_numeric() or str(kind) == "Boolean" else "" for name, kind in found.items()
            }
        with opened_columns(path, self.kind) as file:
            types = needed("pyarrow.types", "io")
            schema = file.schema_arrow if self.kind == "parquet" else file.schema
            return {field.name: _number(types, field.type) for field in schema}

    def _count(self) -> int | None:
        if self.kind in ("csv", "tsv"):
            return None
        total = 0
        for path in self.paths:
            with opened_columns(path, self.kind) as file:
                count = file.metadata.num_rows if self.kind == "parquet" else file.count_rows()
                total += count
        return int(total)

    def read(self, rows: int) -> Iterator[tuple[Any, str]]:
        for path in self.paths:
            for batch, place in self._batches(path, rows):
                yield batch, f"{path}, {place}"

    def _batches(self, path: Path, rows: int) -> Iterator[tuple[Any, str]]:
        """Batches of the wanted columns, and where each of them stands."""
        names = [*(self.names or []), self.target, *([] if self.weights is None else [self.weights])]
        place = "its columns"
        try:
            if self.kind in ("csv", "tsv"):
                first = 0
                for _, frame in scan(path, **self.options).portions(names):
                    for part in frame.iter_slices(rows):
                        place = f"rows {first:,} to {first + part.height - 1:,}"
                        first += part.height
                        yield part.to_arrow().combine_chunks().to_batches()[0].select(names), place
                return
            with opened_columns(path, self.kind) as file:
                groups = file.num_row_groups if self.kind == "parquet" else file.num_record_batches
                missing = set(names) - set((file.schema_arrow if self.kind == "parquet" else file.schema).names)
                if missing:
                    raise TableError(f"there is no column {min(missing)!r}, which the first file has")
                what = "row group" if self.kind == "parquet" else "batch"
                for group in range(groups):
                    first, place = 0, f"{what} {group}"
                    for batch in _group(file, self.kind, group, rows, names):
                        place = f"{what} {group}, rows {first:,} to {first + batch.num_rows - 1:,}"
                        first += batch.num_rows
                        yield batch, place
        except NoRowsError:
            return  # a part into which nothing fell
        except (GeneratorExit, KeyboardInterrupt):
            raise
        except Exception as error:
            raise TableError(f"{path}, {place}: {_said(error)}; correct the file, or write it again.") from None

    def piece(self, read: tuple[Any, str]) -> Piece:
        batch, name = read
        try:
            X = matrix_of(batch.select(self.names), self.dtype)
            weight = None if self.weights is None else matrix_of(batch.select([self.weights]), np.dtype(float))[:, 0]
            return Piece(X, labels_of(batch.column(batch.schema.get_field_index(self.target))), weight, name)
        except ValueError as error:
            raise TableError(f"{name}: {_said(error)}; correct the file.") from None


def opened_columns(path: Path, kind: str) -> Any:
    """A file of Parquet or Arrow, open for reading; a damaged one is named."""
    try:
        if kind == "parquet":
            return needed("pyarrow.parquet", "io").ParquetFile(path)
        arrow = needed("pyarrow", "io")
        return needed("pyarrow.ipc", "io").open_file(arrow.memory_map(str(path)))
    except FileNotFoundError:
        raise TableError(f"{named(path)} is not there; give the path of a file.") from None
    except Exception as error:
        raise TableError(f"{named(path)} cannot be read as {kind}: {_said(error)}; write it again.") from None


def _group(file: Any, kind: str, group: int, rows: int, names: list[str]) -> Iterator[Any]:
    """The wanted columns of one row group or batch, at most so many rows at a time."""
    if kind == "parquet":
        count = file.metadata.row_group(group).num_rows
        if count <= rows:  # at once, which takes a sixth less time
            parts = file.read_row_group(group, columns=names).to_batches()
        else:
            even = -(-count // -(-count // rows))  # as large as each other, not a small one behind large ones
            parts = file.iter_batches(batch_size=even, row_groups=[group], columns=names)
        yield from (part.select(names) for part in parts)
        return
    whole = file.get_batch(group).select(names)
    for first in range(0, whole.num_rows, rows):
        yield whole.slice(first, rows)


def matrix_of(batch: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A matrix of columns of numbers, one behind the other as they are read; a missing value is NaN."""
    arrow = needed("pyarrow", "io")
    wanted = arrow.float32() if dtype == np.float32 else arrow.float64()
    columns = []
    for column in batch.columns:
        if arrow.types.is_boolean(column.type):
            column = column.cast(arrow.uint8())
        columns.append(column if column.type == wanted else column.cast(wanted, safe=False))
    tensor = arrow.record_batch(columns, names=batch.schema.names).to_tensor(null_to_nan=True, row_major=False)
    return np.asarray(tensor.to_numpy())


def labels_of(column: Any) -> NDArray[Any]:
    """The labels of a column; texts through their dictionary, of which there are few."""
    arrow = needed("pyarrow", "io")
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        raise ValueError(f"the target is missing in row {row} of these")
    if arrow.types.is_integer(column.type) or arrow.types.is_floating(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if not arrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    words = np.array(column.dictionary.to_pylist())
    return np.asarray(words[column.indices.to_numpy(zero_copy_only=False)])


def _number(types: Any, kind: Any) -> str:
    if types.is_float32(kind) or types.is_float16(kind):
        return "float32"
    number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
    return "float64" if number else ""


def _target(given: str | None, schema: dict[str, str], path: Path) -> str:
    if given is not None:
        if given not in schema:
            raise TableError(f"{named(path)} has no column {given!r}; it has {_few(list(schema))}.")
        return given
    for name in TARGETS:
        if name in schema:
            return name
    raise TableError(f"{named(path)} has no column 'target' or 'y'; name that of the labels by target=….")


class _Pieces:
    """A source whose rows are numbers when they have been read."""

    def piece(self, read: Piece) -> Piece:
        return read


class Lines(_Pieces):
    """LIBSVM files: CSR rows, from portions of whole lines; one pass finds how wide they are."""

    names: list[str] | None = None
    dtype = np.dtype(np.float64)
    weighted = False

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        low, high, rows = WIDEST, -1, 0
        for path in paths:
            for X, _, _ in self._loaded(path):
                rows += X.shape[0]
                if X.nnz:
                    low, high = min(low, int(X.indices.min())), max(high, int(X.indices.max()))
        if high < 0:
            raise TableError(f"{named(paths[0])} holds no entries; give rows such as '1 3:0.5'.")
        self.n_rows: int | None = rows
        self.base = 0 if low == 0 else 1
        self.n_features = high + 1 - self.base

    def identity(self) -> list[Any]:
        return _files(self.paths)

    def _loaded(self, path: Path) -> Iterator[tuple[Any, Any, str]]:
        from sklearn.datasets import load_svmlight_file

        first, place = 0, "its first lines"
        try:
            with path.open("rb") as file:
                while text := file.read(PORTION) + file.readline():
                    place = f"the lines after row {first:,}"
                    if text.strip():
                        X, y = load_svmlight_file(BytesIO(text), n_features=WIDEST, zero_based=True)
                        yield X, y, f"{path}, rows {first:,} to {first + len(y) - 1:,}"
                        first += len(y)
        except (OSError, ValueError) as error:
            raise TableError(f"{path}, {place}: {_said(error)}; correct the file.") from None

    def read(self, rows: int) -> Iterator[Piece]:
        for path in self.paths:
            for X, y, name in self._loaded(path):
                indices = (X.indices - self.base).astype(np.int32)
                narrow = sparse.csr_array((X.data, indices, X.indptr), shape=(X.shape[0], self.n_features))
                labels = y.astype(np.int64) if np.all(y == np.rint(y)) else y
                for first in range(0, narrow.shape[0], rows):
                    yield Piece(narrow[first : first + rows], labels[first : first + rows], None, name)


class Maps(_Pieces):
    """A matrix and its labels in two npy files, mapped into memory."""

    names: list[str] | None = None

    def __init__(self, path: Path, target: str | None, weights: str | None) -> None:
        if target is None:
            raise TableError(f"{named(path)} is a matrix; name the file of its labels by target='y.npy'.")
        self.paths = [path, Path(target), *([] if weights is None else [Path(weights)])]
        self.X, self.y, *rest = map(_mapped, self.paths)
        self.weight, self.weighted = rest[0] if rest else None, bool(rest)
        if self.X.ndim != 2 or self.y.shape[:1] != self.X.shape[:1]:
            shapes = f"{self.X.shape} and {self.y.shape}"
            raise TableError(f"{named(path)} and {named(target)} have shapes {shapes}; give a row for each label.")
        self.n_features = self.X.shape[1]
        self.n_rows: int | None = self.X.shape[0]
        self.dtype = np.dtype(np.float32 if self.X.dtype == np.float32 else np.float64)

    def identity(self) -> list[Any]:
        return _files(self.paths)

    def read(self, rows: int) -> Iterator[Piece]:
        count = len(self.X)
        for first in range(0, count, rows):
            some = slice(first, first + rows)
            name = f"{self.paths[0]}, rows {first:,} to {min(first + rows, count) - 1:,}"
            weight = None if self.weight is None else np.array(self.weight[some])
            yield Piece(np.array(self.X[some]), np.array(self.y[some]), weight, name)


def _mapped(path: Path) -> NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise TableError(f"{named(path)} is not there; give the path of a file.") from None
    except (OSError, ValueError, EOFError) as error:
        raise TableError(f"{named(path)} is no array of numbers or text ({_said(error)}); write it again.") from None
    return np.asarray(array) if array.ndim == 0 else array


class Own(_Pieces):
    """Blocks (X, y) or (X, y, weights) of the user's; each pass asks for them anew."""

    names: list[str] | None = None
    n_rows: int | None = None
    weighted = True  # perhaps

    def __init__(self, given: Any) -> None:
        self.given: Callable[[], Iterator[Any]] = given if callable(given) else given.__iter__
        if isinstance(given, Iterator):
            raise TableError(
                "source is an iterator, which can be passed over only once; give a function that makes one anew."
            )
        first = next(iter(self.given()), None)
        if first is None:
            raise TableError("source gives no blocks; give pairs (X, y).")
        X = self._checked(first, 0).X
        self.n_features = int(X.shape[1])
        self.dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)

    def identity(self) -> list[Any]:
        return [self.n_features, str(self.dtype)]

    def _checked(self, block: Any, k: int) -> Piece:
        if not isinstance(block, tuple | list) or len(block) not in (2, 3):
            raise TableError(f"block {k}: it is a {type(block).__name__}; give pairs (X, y), or (X, y, weights).")
        X = block[0] if sparse.issparse(block[0]) else np.asarray(block[0])
        if X.ndim != 2:
            raise TableError(f"block {k}: X has shape {X.shape}; give rows and columns.")
        y = np.asarray(block[1])
        if not y.ndim:
            raise TableError(f"block {k}: y is a {type(block[1]).__name__}; give a label for each row.")
        return Piece(X, y, block[2] if len(block) == 3 else None, f"block {k}")

    def read(self, rows: int) -> Iterator[Piece]:
        for k, block in enumerate(self.given()):
            X, y, weight, name = self._checked(block, k)
            for first in range(0, X.shape[0], rows):
                some = slice(first, first + rows)
                yield Piece(X[some], y[some], None if weight is None else np.asarray(weight)[some], name)


def _files(paths: list[Path]) -> list[Any]:
    return [[os.fspath(path), path.stat().st_size, path.stat().st_mtime_ns] for path in paths]


def _listed(features: Any) -> list[str]:
    if isinstance(features, str):
        raise refused("features", features, "a list of columns", f"write features=[{features!r}]")
    return list(features)


def _refuse_twice(names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"column {twice[0]!r} is asked for twice, among features, target and weights; leave one out.")


def _few(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8:,} more" if len(names) > 8 else "")


def _said(error: Exception) -> str:
    return str(error).split("\n")[0][:300].rstrip(". ") or type(error).__name__

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
from ._batches import Batch, Factors, Levels, complete, encoded, kinds_of, labels_of, matrix_of
from ._chunks import CHUNK
from ._columns import Column, is_number, is_text
from ._errors import NoRowsError, TableError
from ._formats import PORTION, named
from ._sparse import WIDEST
from ._written import Written
from .tables import Table, scan

TARGETS = ("target", "y")  # the columns of the labels, where none is named


class Piece(NamedTuple):
    """Some rows: X, y and weights or None, where they come from, and how many were left out."""

    X: Any
    y: Any
    weight: Any
    name: str
    left_out: int = 0


class Source(Protocol):
    """Rows that can be read any number of times."""

    names: list[str] | None
    n_features: int
    dtype: np.dtype[Any]
    n_rows: int | None  # None where that is not known before they are read
    weighted: bool

    @property
    def columns(self) -> tuple[Column, ...] | None:
        """Those of the table that the features are made of, None where there is none."""

    def read(self, rows: int) -> Iterator[Any]:
        """All rows, at most so many at a time, as they are read."""

    def piece(self, read: Any) -> Piece:
        """What was read, as numbers: another thread makes it while the next is read."""

    def identity(self) -> list[Any]:
        """What tells these rows from others, for a checkpoint: paths, sizes and times."""


class ChosenColumns(NamedTuple):
    """The columns of labels and weights and those of the features, None for all others; what is known of them."""

    target: str | None = None
    weights: str | None = None
    features: Sequence[str] | None = None
    drop: Sequence[str] = ()
    levels: Levels | None = None
    missing: str | None = None


class Columns:
    """Files of columns: Parquet, Arrow and CSV, of which the first tells the columns."""

    def __init__(self, paths: list[Path], kind: str, choice: ChosenColumns, options: dict[str, Any]) -> None:
        self.paths, self.kind = paths, kind
        self._own_text, self.options = options.pop("as_text", None), options
        said = {name: value for name, value in options.items() if name in Written._fields}
        self.written_as = Written.checked(said).given
        self._written: set[str] = set()
        self.n_rows, kinds = self._outlines()
        schema = kinds[0]
        self.target = _target(choice.target, schema, paths[0])
        self.weights, self.weighted = choice.weights, choice.weights is not None
        labels = options.get("labels", ())
        self._labels_written = self._in_lines and self.target in ([labels] if isinstance(labels, str) else labels)
        self.missing = choice.missing or "refuse"
        if self.missing == "drop":
            self.n_rows = None  # of which some may be left out
        chosen = self._chosen(choice, schema)
        self._inputs = [*chosen, self.target, *([] if self.weights is None else [self.weights])]
        known = choice.levels or {}
        if self._in_lines and any(is_text(schema[name]) and name not in known for name in chosen):
            kinds += map(self._kinds, paths[1:])
        factors = Factors(chosen, known, paths, kinds)
        self._written = factors.written
        self.columns = factors.columns(self._texts(factors.unknown))
        self._written = {column.name for column in self.columns if column.levels and column.name in factors.written}
        self.names: list[str] | None = [name for column in self.columns for name in column.names]
        self.n_features = len(self.names)
        self.dtype = np.dtype(np.float32 if all(map(_single, self.columns, map(schema.get, chosen))) else np.float64)

    @property
    def _in_lines(self) -> bool:
        return self.kind in ("csv", "tsv")

    def _chosen(self, choice: ChosenColumns, schema: dict[str, Any]) -> list[str]:
        """The columns of the features, all of which the first file has."""
        aside = {self.target, self.weights, *choice.drop}
        chosen = [name for name in schema if name not in aside] if choice.features is None else [*choice.features]
        weights = [] if self.weights is None else [self.weights]
        for name in (*chosen, *weights, *choice.drop, *(choice.levels or ())):
            if name not in schema:
                raise TableError(f"{named(self.paths[0])} has no column {name!r}; it has {_few(list(schema))}.")
        _refuse_twice([*chosen, self.target, *weights])
        if both := [name for name in chosen if name in choice.drop]:
            raise TableError(f"column {both[0]!r} is among features and also dropped; name it once.")
        if self.weights is not None and not is_number(schema[self.weights]):
            raise TableError(f"column {self.weights!r} of {named(self.paths[0])} holds no numbers; name other weights.")
        if not chosen:
            raise TableError(f"{named(self.paths[0])} has no column beside its target {self.target!r}; add features.")
        return chosen

    def identity(self) -> list[Any]:
        return [*_files(self.paths), self.names, self.target, self.weights, self.missing]

    def _scanned(self, path: Path) -> Table:
        """A file of lines, with the columns of levels as they are written."""
        return scan(path, as_text=self._as_text if self._written or self._own_text else None, **self.options)

    def _kinds(self, path: Path) -> dict[str, Any]:
        """The types of the columns of a file of lines; none where it has no rows to tell them."""
        try:
            return dict(self._scanned(path).schema)
        except NoRowsError:
            return {}

    def _as_text(self, name: str) -> bool:
        return name in self._written or (self._own_text is not None and self._own_text(name))

    def _outlines(self) -> tuple[int | None, list[dict[str, Any]]]:
        """The rows of all files, if they are counted, and the types of their columns; of lines, of the first alone."""
        if self._in_lines:
            return None, [dict(self._scanned(self.paths[0]).schema)]
        total, kinds = 0, []
        for path in self.paths:
            with opened_columns(path, self.kind) as file:
                total += file.metadata.num_rows if self.kind == "parquet" else file.count_rows()
                kinds.append(kinds_of(file.schema_arrow if self.kind == "parquet" else file.schema))
        return int(total), kinds

    def _texts(self, names: list[str]) -> Iterator[Batch]:
        """The columns of text alone."""
        for path in self.paths:
            yield from self._batches(path, max(1, CHUNK // (8 * len(names))), names)

    def read(self, rows: int) -> Iterator[Batch]:
        for path in self.paths:
            yield from self._batches(path, rows, self._inputs)

    def _batches(self, path: Path, rows: int, names: list[str]) -> Iterator[Batch]:
        """Batches of the wanted columns, and where each of them stands."""
        place = "its columns"
        try:
            if self._in_lines:
                first = 0
                for _, frame in self._scanned(path).portions(names):
                    for part in frame.iter_slices(rows):
                        place = f"rows {first:,} to {first + part.height - 1:,}"
                        batch = part.to_arrow().combine_chunks().to_batches()[0].select(names)
                        yield Batch(batch, f"{path}, {place}", first)
                        first += part.height
                return
            with opened_columns(path, self.kind, names) as file:
                groups = file.num_row_groups if self.kind == "parquet" else file.num_record_batches
                missing = set(names) - set((file.schema_arrow if self.kind == "parquet" else file.schema).names)
                if missing:
                    raise TableError(f"there is no column {min(missing)!r}, which the first file has")
                what = "row group" if self.kind == "parquet" else "batch"
                for group in range(groups):
                    first, place = 0, f"{what} {group}"
                    for batch in _group(file, self.kind, group, rows, names):
                        place = f"{what} {group}, rows {first:,} to {first + batch.num_rows - 1:,}"
                        yield Batch(batch, f"{path}, {place}", first)
                        first += batch.num_rows
        except NoRowsError:
            return  # a part into which nothing fell
        except (GeneratorExit, KeyboardInterrupt):
            raise
        except Exception as error:
            raise TableError(f"{path}, {place}: {_said(error)}; correct the file, or write it again.") from None

    def piece(self, read: Batch) -> Piece:
        name = read.name
        try:
            batch, rows = complete(read, self._inputs, self.missing == "drop")
            X = encoded(batch, self.columns, self.dtype, rows)
            weight = None if self.weights is None else matrix_of(batch.select([self.weights]), np.dtype(float))[:, 0]
            left_out = read.columns.num_rows - batch.num_rows
            return Piece(X, labels_of(batch.column(self.target), self._labels_written), weight, name, left_out)
        except TableError as error:  # which ends with a remedy
            raise TableError(f"{name}: {error}") from None
        except ValueError as error:
            raise TableError(f"{name}: {_said(error)}; correct the file.") from None


def opened_columns(path: Path, kind: str, texts: Sequence[str] = ()) -> Any:
    """A file of Parquet or Arrow, open for reading; a damaged one is named. Texts of these columns come as codes."""
    try:
        if kind == "parquet":
            opened = needed("pyarrow.parquet", "io").ParquetFile
            file = opened(path)
            coded = [*{*texts} & {*file.schema_arrow.names}]
            return opened(path, metadata=file.metadata, read_dictionary=coded) if coded else file
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


def _single(column: Column, kind: Any) -> bool:
    """Whether single precision holds a column."""
    return column.levels is None and kind is not None and str(kind) in ("Float32", "Float16")


def _target(given: str | None, schema: dict[str, Any], path: Path) -> str:
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

    columns: tuple[Column, ...] | None = None

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
            X, y, weight, name, _ = self._checked(block, k)
            for first in range(0, X.shape[0], rows):
                some = slice(first, first + rows)
                yield Piece(X[some], y[some], None if weight is None else np.asarray(weight)[some], name)


def _files(paths: list[Path]) -> list[Any]:
    return [[os.fspath(path), path.stat().st_size, path.stat().st_mtime_ns] for path in paths]


def _refuse_twice(names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"column {twice[0]!r} is asked for twice, among features, target and weights; leave one out.")


def _few(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8:,} more" if len(names) > 8 else "")


def _said(error: Exception) -> str:
    return str(error).split("\n")[0][:300].rstrip(". ") or type(error).__name__

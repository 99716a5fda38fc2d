"""``stream``: rows that do not fit into memory, in blocks that a thread reads ahead.

Sources: files of rows in the formats of ``tables``; how a block becomes a part of a fit stands in ``_blocks``.
"""

from __future__ import annotations

import glob
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from .._blocks.ahead import read_ahead
from .._blocks.blocks import Block, make_block, named
from .._blocks.passes import PassesInOrder
from .._blocks.survey import means_and_scales
from .._engine.driver import Watch
from .._engine.labels import encode, encode_known
from .._guards.parameters import refused
from ._batches import checked_levels
from ._columns import Column
from ._errors import TableError
from ._sources import ChosenColumns, Columns, Lines, Maps, Own, Piece, Source
from .recipe import Recipe
from .tables import format_of

AHEAD = 1  # blocks that wait; another is being read, and another is worked on
SHARES = 8  # of the memory: the blocks ahead, what a file's pages become, and what is computed of a block
LARGEST = 2**50  # bytes of memory: no bound
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
WRITTEN = {"as_text", "header", "na", "decimal", "encoding", "comment", "labels"}  # what ``read`` is told of a CSV file
SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def bytes_of(memory: Any, name: str = "memory") -> int:
    """A number of bytes, or a text such as "256MB" or "2GiB"."""
    found = SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if found is not None:
        number, unit, binary = found.groups()
        scale = UNITS[unit.lower()] if not binary else 1024 ** list(UNITS).index(unit.lower())
        size = float(number) * scale
    elif isinstance(memory, Integral) and not isinstance(memory, bool):
        size = int(memory)
    else:
        raise refused(name, memory, "bytes, or a text such as '256MB'", "say how much memory blocks may take")
    if size < 2**20:
        raise refused(name, memory, "at least 1 MiB", "give more room")
    return int(size)


class Stream(PassesInOrder):
    """Blocks of rows of one width, which can be passed over any number of times; made by :func:`stream`.

    Attributes
    ----------
    n_features : int
        Columns of X.
    feature_names : list of str or None
        Their names, where the source has some; "color=red" for a level of a column of text.
    dtype : numpy.dtype
        float32 where all columns are, else float64.
    n_rows : int or None
        All rows; None where that is not known before the first pass.
    levels : dict
        The levels of the columns of text.
    left_out : int
        Rows that lack a value, after a pass with ``missing="drop"``.
    memory : int
        Bytes that the blocks and what is made of them may take.

    Examples
    --------
    >>> import numpy as np
    >>> from discriminant import io
    >>> rows = io.stream(lambda: ((np.full((2, 3), k), np.array([0, 1])) for k in range(4)))
    >>> rows.n_features, sum(block.n_rows for block in rows)
    (3, 8)
    """

    def __init__(self, source: Source, memory: int, scaling: tuple[Any, Any] | None = None) -> None:
        if not source.n_features:
            raise TableError("the source has no columns of features; give at least one.")
        self._source, self.memory, self._scaling = source, memory, scaling
        self._kept: list[int] | None = None  # columns of X, None for all
        self.left_out = 0
        self.n_features, self.dtype, self.n_rows = source.n_features, source.dtype, source.n_rows
        self.feature_names, self.weighted = source.names, source.weighted
        self.watch = Watch()
        self._checked = False
        self.passes = 0

    def __repr__(self) -> str:
        rows = "rows" if self.n_rows is None else f"{self.n_rows:,} rows"
        return f"<Stream of {rows} of {self.n_features:,} features, within {self.memory / 2**20:,.0f} MiB>"

    def standardized(self) -> Stream:
        """The same rows with columns of mean 0 and standard deviation 1, which one pass finds.

        Returns
        -------
        Stream
            Its ``means`` and ``scales`` are those of the columns; a constant column has scale 1.
        """
        means, scales = means_and_scales(self)
        return self._like(self._kept, (means, scales))

    def contrasts(self) -> Stream:
        """The same rows without the first level of each column of text, against which the others are held.

        All levels of a column add up to one, as an intercept does: with all of them no coefficient is determined.

        Returns
        -------
        Stream
            Its ``references`` are the names of the columns that it leaves out. A model of it has no recipe.
        """
        if self._scaling is not None:
            raise TableError("the rows are standardized; ask for contrasts first.")
        references, place = [], 0
        for column in self.columns or ():
            references += [place] if column.levels is not None and column.width > 1 else []
            place += column.width
        if not references:
            return self
        return self._like([j for j in range(self._source.n_features) if j not in {*references}], None)

    def recipe(self) -> Recipe:
        """The recipe that makes the same matrix of a table in memory, for ``io.save`` and for new tables.

        Returns
        -------
        Recipe
            With the columns, their levels, and the means and scales of ``standardized``.
        """
        own, standardize = self._source, self.means is not None
        if not isinstance(own, Columns) or self._kept is not None:
            raise TableError("only files of columns, all of which are used, have a recipe; apply the model to arrays.")
        made = Recipe(target=own.target, weights=own.weights, missing=own.missing, standardize=standardize)
        made.file = own.written_as or None
        made.columns, made.means, made.scales = own.columns, self.means, self.scales
        made.reading = [f"column {each.name!r}: {words}" for each in own.columns for words in each.read_as(0, 0)]
        return made

    def _like(self, kept: list[int] | None, scaling: tuple[Any, Any] | None) -> Stream:
        made = Stream(self._source, self.memory, scaling)
        made.n_rows, made._checked, made.classes, made.left_out = (
            self.n_rows, self._checked, self.classes, self.left_out,
        )  # fmt: skip
        if kept is not None:
            made._kept, made.n_features = kept, len(kept)
            names = self._source.names
            made.feature_names = None if names is None else [names[j] for j in kept]
        return made

    @property
    def columns(self) -> tuple[Column, ...] | None:
        """The columns of the table, each with its levels, that the features are made of; None without a table."""
        return self._source.columns

    @property
    def levels(self) -> dict[str, list[str]]:
        """The levels of the columns of text."""
        return {column.name: list(column.levels) for column in self.columns or () if column.levels is not None}

    @property
    def references(self) -> list[str]:
        """The first levels that contrasts leave out."""
        kept = {*(self.feature_names or ())}
        return [name for name in self._source.names or () if name not in kept] if self._kept is not None else []

    @property
    def target(self) -> str | None:
        """The column of the labels, where there are columns."""
        return getattr(self._source, "target", None)

    @property
    def means(self) -> Any:
        """What is subtracted from the columns, None where nothing is."""
        return None if self._scaling is None else self._scaling[0]

    @property
    def scales(self) -> Any:
        """What the columns are divided by, None where they are as given."""
        return None if self._scaling is None else self._scaling[1]

    @property
    def rows_at_once(self) -> int:
        """Rows of a block."""
        return max(1, self.memory // (SHARES * (self._source.n_features + 1) * 8))

    def identity(self) -> list[Any]:
        """What tells these blocks from others, for a checkpoint."""
        return [self._source.identity(), self.rows_at_once, str(self.dtype), self._scaling is not None, self._kept]

    def __iter__(self) -> Iterator[Block]:
        """All blocks in the order of their rows, read ahead by a thread."""
        began, done = time.monotonic(), 0
        self.passes += 1
        for block in self._blocks(read_ahead(lambda: self._source.read(self.rows_at_once), AHEAD, lambda: self.watch)):
            yield block
            done += block.n_rows
            if self.tell is not None:
                self._tell(done, time.monotonic() - began)
        if not done:
            why = f"every one of its {self.left_out:,} rows lacks a value" if self.left_out else "it holds no rows"
            raise TableError(f"nothing is left of the source: {why}; give other rows, or fill in values.")
        if self.n_rows not in (None, done):
            before = f"{done:,} rows, and {self.n_rows:,} in the pass before"
            raise TableError(f"the source gave {before}; it must give the same in each.")
        self.n_rows, self._checked = done, True

    def _check_labels(self, piece: Piece) -> None:
        assert self.classes is not None
        try:
            encode_known(np.asarray(piece.y), self.classes)
        except ValueError as error:
            raise named(error, piece.name) from None

    def _tell(self, done: int, seconds: float) -> None:
        assert self.tell is not None
        rate, whole = done / max(seconds, 1e-9), self.n_rows or 0
        left = f", {(whole - done) / rate:,.0f} s left" if done < whole else ""
        self.tell(
            f"pass {self.passes}, {done:,} rows, {rate:,.0f} rows/s{left}", min(done / whole, 1.0) if whole else 0.0
        )

    def whole(self) -> Iterator[Block]:
        """All blocks, read by the calling thread."""
        return self._blocks(self._source.read(self.rows_at_once))

    def _blocks(self, read: Iterator[Any]) -> Iterator[Block]:
        first = left_out = 0
        for piece in map(self._source.piece, read):
            left_out += piece.left_out
            if not piece.X.shape[0]:
                continue
            X = piece.X if self._kept is None else piece.X[:, self._kept]
            X = X if self._scaling is None else (X - self._scaling[0]) / self._scaling[1]
            if self.classes is not None and not self._checked:
                self._check_labels(piece)
            yield make_block(X, *piece[1:3], first, piece.name, self.dtype, self.n_features, checked=self._checked)
            first += piece.X.shape[0]
        self.left_out = left_out


def stream(
    source: Any,
    *,
    target: str | None = None,
    classes: Sequence[Any] | None = None,
    weights: str | None = None,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    levels: Mapping[str, Sequence[Any] | None] | None = None,
    missing: str = "refuse",
    memory: str | int = "256MB",
    format: str | None = None,
    **written: Any,
) -> Stream:
    """Rows in blocks, for ``fit_stream`` and ``separability``: the memory does not depend on how many there are.

    Parameters
    ----------
    source : path, pattern, sequence of paths, or blocks
        Files of one format: Parquet (by row groups), Arrow (by batches), CSV and TSV (in portions of lines), LIBSVM, or
        a matrix in an npy file, which is mapped into memory. A pattern such as ``"part-*.parquet"`` means the files in
        the order of their names. Or a function, or an object with ``__iter__``, that gives pairs (X, y) or triples
        (X, y, weights) anew at each pass.
    target : str, default=None
        The column of the labels or values, by default "target" or "y"; of an npy file, the npy file of the labels.
    classes : sequence, default=None
        All labels that may come; another one is refused with its block. Where they are given, rules that correct row by
        row need no pass to find them, unless rows or classes have weights.
    weights : str, default=None
        The column, or npy file, of the weights of the rows.
    features : sequence of str, default=None
        The columns of X, by default all others.
    drop : sequence of str, default=()
        Columns to leave out.
    levels : dict, default=None
        The levels of columns of text, ``{"color": ["blue", "red"]}``: a column of zeros and ones stands for each, and
        another one is refused with its row. Of columns of text, true and false that are not named here, one pass over
        these columns alone finds the levels, which are those of ``Recipe``. Whole numbers that are named here are
        levels, too; None says that a column of text holds numbers.
    missing : {"refuse", "drop"}, default="refuse"
        What happens to missing values: an error that names column and row, or the row is left out.
    memory : str or int, default="256MB"
        Bytes that the blocks, and what is made of them, may take. What a procedure keeps beside, a matrix of the
        features at the most, comes on top.
    format : str, default=None
        As for ``read``; by default what the ending of the name tells.
    **written
        How CSV files are written, as for ``read``, and which column holds ``labels``, as for ``scan``.

    Returns
    -------
    Stream
        It can be passed over any number of times. A block that cannot be read, or holds NaN, raises a ``ValueError``
        with the file and the row group or rows.

    See Also
    --------
    discriminant.Perceptron.fit_stream : Learns from it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import polars as pl
    >>> from discriminant import LeastSquares, datasets, io
    >>> X, y = datasets.iris()
    >>> with TemporaryDirectory() as folder:
    ...     for k in range(3):
    ...         part = pl.DataFrame(X[k::3], schema=list("abcd")).with_columns(kind=pl.Series(y[k::3]))
    ...         part.write_parquet(Path(folder, f"part-{k}.parquet"))
    ...     model = LeastSquares().fit_stream(io.stream(f"{folder}/part-*.parquet", target="kind"))
    >>> model.classes_.tolist(), model.feature_names_in_.tolist(), model.report_.to_dict()["n_samples"]
    ([0, 1, 2], ['a', 'b', 'c', 'd'], 150)
    """
    if missing not in ("refuse", "drop"):
        raise refused("missing", missing, "'refuse' or 'drop'", "fill values in beforehand, medians need all rows")
    columns = {"target": target, "weights": weights, "features": features, "drop": drop or None, "levels": levels}
    columns["missing"] = missing if missing == "drop" else None
    made = _made(source, bytes_of(memory), columns, format, written)
    if classes is not None:
        if isinstance(classes, str) or not np.ndim(classes):
            raise refused("classes", classes, "a sequence", "give all that will ever come")
        made.classes, _ = encode(np.asarray(classes))
        if made.classes.size < 2:
            raise refused("classes", list(classes), "at least two", "give all that will ever come")
    return made


def _made(source: Any, size: int, columns: dict[str, Any], format: str | None, written: dict[str, Any]) -> Stream:
    if not _names_files(source):
        if not (callable(source) or isinstance(source, Iterable)):
            raise refused("source", source, "files, or a function that gives blocks (X, y)", "name a file")
        _refuse_columns({**columns, **written})
        return Stream(Own(source), size)
    if unknown := set(written) - WRITTEN:
        raise TypeError(f"stream() got an unexpected keyword argument {min(unknown)!r}")
    paths = paths_of(source)
    kinds = {format_of(path, format) for path in paths}
    if len(kinds) > 1:
        raise TableError(f"source names files of {' and '.join(sorted(kinds))}; give files of one format.")
    kind = kinds.pop()
    if kind in ("parquet", "arrow", "csv", "tsv"):
        for name in ("features", "drop"):
            columns[name] = [columns[name]] if isinstance(columns[name], str) else columns[name]
        columns |= {"drop": columns["drop"] or (), "levels": checked_levels(columns["levels"] or {})}
        chosen = ChosenColumns(**columns)
        return Stream(Columns(paths, kind, chosen, {"format": format, **written}), size)
    if kind == "libsvm":
        _refuse_columns({**columns, **written})
        return Stream(Lines(paths), size)
    if kind == "npy" and len(paths) == 1:
        target, weights = columns.pop("target"), columns.pop("weights")
        _refuse_columns({**columns, **written})
        return Stream(Maps(paths[0], target, weights), size)
    raise TableError(f"source={source!r} must be Parquet, Arrow, CSV, LIBSVM or one npy file; convert it.")


def _names_files(source: Any) -> bool:
    """Whether the source is paths, one or several, and not blocks of rows."""
    if not isinstance(source, list | tuple):
        return isinstance(source, str | os.PathLike)
    if any(isinstance(each, list | tuple) for each in source):
        return False
    if not all(isinstance(each, str | os.PathLike) for each in source):
        wanted = "paths, or blocks (X, y)"
        raise refused("source", type(source).__name__, wanted, "name files, or write [(X, y)] for a single block")
    return True


def paths_of(source: Any) -> list[Path]:
    """The files that are meant: one, several, or those of a pattern in the order of their names."""
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    found: list[Path] = []
    for each in given:
        text = os.fspath(each)
        if glob.has_magic(text) and not os.path.exists(text):
            matches = sorted(glob.glob(text))
            if not matches:
                raise TableError(f"no file matches {text!r}; give another pattern.")
            found += map(Path, matches)
        else:
            found.append(Path(text))
    for path in found:
        if path.is_dir():
            raise TableError(f"{os.fspath(path)!r} is a folder; name its files, such as {os.fspath(path / '*.csv')!r}.")
        if not path.is_file():
            raise TableError(f"{os.fspath(path)!r} is not there, or is no file; give paths of files.")
    if not found:
        raise refused("source", source, "at least one file", "name one")
    return found


def _refuse_columns(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise TableError(f"{name}={value!r} names columns, which this source has not; leave it out.")


def known_of(outline: Stream) -> dict[str, Any]:
    """What a worker that reads one file must know of all: the columns, and the levels of each."""
    if outline.columns is None:
        return {}
    levels = {column.name: column.levels for column in outline.columns}
    return {"features": [*levels], "drop": (), "levels": levels, "contrasts": outline.references != []}


def whole_file(path: str, options: dict[str, Any], dtype: Any, n_features: int) -> Block:
    """All rows of a file as one block, for a worker of a cluster that reads it; there may be none."""
    options = {**options}
    contrasts = options.pop("contrasts", False)
    rows = stream(path, memory=LARGEST, **options)
    blocks = [*(rows.contrasts() if contrasts else rows).whole()]
    if not blocks:
        nothing = np.empty((0, n_features), dtype)
        return make_block(nothing, np.empty(0), None, 0, path, dtype, n_features)
    stacked = sparse.vstack if sparse.issparse(blocks[0].X) else np.vstack
    weight = np.concatenate([block.weight for block in blocks])
    labels = np.concatenate([block.y for block in blocks])
    return make_block(
        stacked([block.X for block in blocks]), labels, weight if weight.size else None, 0, path, dtype, n_features
    )

"""``stream``: rows that do not fit into memory, in blocks that a thread reads ahead.

Sources: files of rows in the formats of ``tables``; how a block becomes a part of a fit stands in ``_blocks``.
"""

from __future__ import annotations

import glob
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
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
from ._errors import TableError
from ._sources import ChosenColumns, Columns, Lines, Maps, Own, Piece, Source
from .tables import format_of

AHEAD = 1  # blocks that wait; another is being read, and another is worked on
SHARES = 8  # of the memory: the blocks ahead, what a file's pages become, and what is computed of a block
LARGEST = 2**50  # bytes of memory: no bound
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
WRITTEN = {"as_text", "header", "na", "decimal", "encoding", "comment"}  # what ``read`` is told of a CSV file
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
        Their names, where the source has some.
    dtype : numpy.dtype
        float32 where all columns are, else float64.
    n_rows : int or None
        All rows; None where that is not known before the first pass.
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
        made = Stream(self._source, self.memory, (means, scales))
        made.n_rows, made._checked, made.classes = self.n_rows, self._checked, self.classes
        return made

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
        return max(1, self.memory // (SHARES * (self.n_features + 1) * 8))

    def identity(self) -> list[Any]:
        """What tells these blocks from others, for a checkpoint."""
        return [self._source.identity(), self.rows_at_once, str(self.dtype), self._scaling is not None]

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
            raise TableError("the source holds no rows; give some.")
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
        first = 0
        for piece in map(self._source.piece, read):
            if not piece.X.shape[0]:
                continue
            X = piece.X if self._scaling is None else (piece.X - self._scaling[0]) / self._scaling[1]
            if self.classes is not None and not self._checked:
                self._check_labels(piece)
            yield make_block(X, *piece[1:3], first, piece.name, self.dtype, self.n_features, checked=self._checked)
            first += piece.X.shape[0]


def stream(
    source: Any,
    *,
    target: str | None = None,
    classes: Sequence[Any] | None = None,
    weights: str | None = None,
    features: Sequence[str] | None = None,
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
        The columns of X, by default all others; they must hold numbers.
    memory : str or int, default="256MB"
        Bytes that the blocks, and what is made of them, may take. What a procedure keeps beside, a matrix of the
        features at the most, comes on top.
    format : str, default=None
        As for ``read``; by default what the ending of the name tells.
    **written
        How CSV files are written, as for ``read``.

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
    made = _made(source, bytes_of(memory), target, weights, features, format, written)
    if classes is not None:
        if isinstance(classes, str) or not np.ndim(classes):
            raise refused("classes", classes, "a sequence", "give all that will ever come")
        made.classes, _ = encode(np.asarray(classes))
        if made.classes.size < 2:
            raise refused("classes", list(classes), "at least two", "give all that will ever come")
    return made


def _made(
    source: Any, size: int, target: Any, weights: Any, features: Any, format: str | None, written: dict[str, Any]
) -> Stream:
    if not _names_files(source):
        if not (callable(source) or isinstance(source, Iterable)):
            raise refused("source", source, "files, or a function that gives blocks (X, y)", "name a file")
        _refuse_columns({"target": target, "weights": weights, "features": features, **written})
        return Stream(Own(source), size)
    if unknown := set(written) - WRITTEN:
        raise TypeError(f"stream() got an unexpected keyword argument {min(unknown)!r}")
    paths = paths_of(source)
    kinds = {format_of(path, format) for path in paths}
    if len(kinds) > 1:
        raise TableError(f"source names files of {' and '.join(sorted(kinds))}; give files of one format.")
    kind = kinds.pop()
    if kind in ("parquet", "arrow", "csv", "tsv"):
        chosen = ChosenColumns(target, weights, features)
        return Stream(Columns(paths, kind, chosen, {"format": format, **written}), size)
    if kind == "libsvm":
        _refuse_columns({"target": target, "weights": weights, "features": features, **written})
        return Stream(Lines(paths), size)
    if kind == "npy" and len(paths) == 1:
        _refuse_columns({"features": features, **written})
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


def whole_file(path: str, options: dict[str, Any], dtype: Any, n_features: int) -> Block:
    """All rows of a file as one block, for a worker of a cluster that reads it; there may be none."""
    blocks = [*stream(path, memory=LARGEST, **options).whole()]
    if not blocks:
        nothing = np.empty((0, n_features), dtype)
        return make_block(nothing, np.empty(0), None, 0, path, dtype, n_features)
    stacked = sparse.vstack if sparse.issparse(blocks[0].X) else np.vstack
    weight = np.concatenate([block.weight for block in blocks])
    labels = np.concatenate([block.y for block in blocks])
    return make_block(
        stacked([block.X for block in blocks]), labels, weight if weight.size else None, 0, path, dtype, n_features
    )

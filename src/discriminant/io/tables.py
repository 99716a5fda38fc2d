"""Tables in and out: CSV, TSV, Parquet, Arrow, JSON lines, LIBSVM, npy and npz, all as polars frames.

``read`` gives the whole table; ``scan`` gives it in portions, so that a file larger than memory's half can still become
one matrix. A table in LIBSVM's form has a column ``target`` and one column ``features`` of (index, value) lists, which
a recipe turns into a CSR matrix.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from .._engine.extras import Later, needed
from .._engine.files import replacing
from .._guards.parameters import refused
from ._chunks import CHUNK, csv_chunks
from ._dialect import HEAD, OTHER_ENCODING, Known, dialect_of, refuse_other
from ._errors import NoRowsError, TableError
from ._formats import LINES, MARKS, READERS, WRITERS, memory, named, read_csv, rows_of
from ._written import Written, in_utf8, size_of, unpacked

pl = Later("polars", "io")

# The endings of each format, the first of which is its name too.
ENDINGS = "csv | tsv tab | parquet pq | arrow feather ipc | jsonl ndjson | libsvm svm svmlight | npy | npz"
PACKED = ".gz"  # may follow any of them
FORMATS = {f".{ending}": kind.split()[0] for kind in ENDINGS.split("|") for ending in kind.split()}
Source = str | os.PathLike[str]
AsText = Callable[[str], bool]


@dataclass(frozen=True)
class Table:
    """A table that comes in portions.

    Parameters
    ----------
    schema : dict
        Column names and polars types.
    rows : int
        About how many rows there are.
    portions : callable
        Called with the names of the columns wanted; gives pairs (share of the table that is done, frame).
    labels : str, default=None
        The column of a text file that was read as text because it holds the labels: they are numbers or booleans only
        where these are written just so, 7 but not 007, true but not True.

    Examples
    --------
    >>> import polars as pl
    >>> from discriminant.io import Table
    >>> Table.of(pl.DataFrame({"a": [1, 2, 3]})).rows
    3
    """

    schema: dict[str, Any]
    rows: int
    portions: Callable[[Sequence[str]], Iterator[tuple[float, Any]]]
    labels: str | None = None

    @classmethod
    def of(cls, frame: Any) -> Table:
        """A frame in memory, or a table as it is.

        Parameters
        ----------
        frame : polars.DataFrame, polars.LazyFrame, pandas.DataFrame, pyarrow.Table or Table
            The table.

        Returns
        -------
        Table
            Portions are views of the frame.
        """
        if isinstance(frame, cls):
            return frame
        frame = _frame(frame)

        def portions(names: Sequence[str]) -> Iterator[tuple[float, Any]]:
            chosen, done = frame.select(names), 0
            for part in chosen.iter_slices(max(1, CHUNK // (8 * max(1, len(names))))):
                done += part.height
                yield done / frame.height, part

        return cls(dict(frame.schema), frame.height, portions)


def _frame(frame: Any) -> Any:
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    try:
        return pl.DataFrame(frame)
    except Exception as error:
        raise TableError(f"a {type(frame).__name__} is no table ({error}); give a data frame.") from error


def format_of(source: Source, format: str | None = None) -> str:
    """The format that was given, or that the name tells."""
    known = dict.fromkeys(FORMATS.values())
    if format is not None:
        name = FORMATS.get(f".{str(format).lower().lstrip('.')}")
        if name is None:
            raise TableError(str(refused("format", format, f"one of {', '.join(known)}", "choose one of these")))
        return name
    if os.fspath(source) == "-":
        return "csv"
    suffix = Path(os.fspath(source).lower().removesuffix(PACKED)).suffix
    if suffix not in FORMATS:
        endings = ", ".join(FORMATS)
        raise TableError(
            f"the name {os.fspath(source)!r} does not tell the format; take one in {endings}, or format='csv'."
        )
    return FORMATS[suffix]


def is_text_table(source: Source, format: str | None = None) -> bool:
    """Whether it is CSV or the like, of which a user may say how it is written."""
    try:
        return format_of(source, format) in MARKS
    except TableError:
        return False


def read(
    source: Source,
    *,
    format: str | None = None,
    as_text: AsText | None = None,
    header: bool | None = None,
    na: str | Sequence[str] = (),
    decimal: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
) -> Any:
    r"""The whole table of a file.

    Parameters
    ----------
    source : path
        A file; "-" is standard input, which holds CSV unless ``format`` says otherwise. It may be packed by gzip:
        "table.csv.gz".
    format : {"csv", "tsv", "parquet", "arrow", "jsonl", "libsvm", "npy", "npz"}, default=None
        By default what the ending of the name tells.
    as_text : callable, default=None
        Told the name of a column of a CSV file; whether it stays text, letter by letter. By default no column does.
    header : bool, default=None
        Whether a CSV file begins with the names of its columns; they are column_1, column_2, … if it does not. By
        default it does, and a first row that looks like data is refused.
    na : str or sequence of str, default=()
        What else stands for a missing value in a CSV file: "-999", "missing".
    decimal : {".", ","}, default=None
        What stands before the fractions of a CSV file; by default it is found out where that is safe.
    encoding : str, default=None
        How the letters of a CSV file are written, "cp1252" or "latin-1"; by default in UTF-8, or UTF-16 with its mark.
    comment : str, default=None
        What the lines of a CSV file begin with that are not part of the table. By default it is "#" where such lines
        stand above the header.

    Returns
    -------
    polars.DataFrame
        Columns of inferred types; dates are recognized. Empty fields, NA, N/A, NaN, null and ? are missing values, and
        among numbers - and the like. Blanks around fields, blank lines and remarks above the header (#) do not count.

    Raises
    ------
    TableError
        With what is wrong, in one sentence.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discriminant import io
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.csv")
    ...     _ = path.write_text("height,color\n1.5,red\n2,blue\n")
    ...     frame = io.read(path)
    >>> frame.to_dict(as_series=False)
    {'height': [1.5, 2.0], 'color': ['red', 'blue']}
    """
    given = {"header": header, "na": na, "decimal": decimal, "encoding": encoding, "comment": comment}
    kind, written = _kind(source, format, given)
    with _named_errors(source):
        content = _content(source, kind, written)
        known = Known(MARKS.get(kind), as_text, written=written)
        frame = read_csv(content, known)[0] if kind in MARKS else READERS[kind](content)
    return _with_rows(frame, source)


def _kind(source: Source, format: str | None, given: dict[str, Any]) -> tuple[str, Written]:
    """The format, which must be one of lines of fields where something is said of these."""
    written = Written.checked(given)
    try:
        kind = format_of(source, format)
    except TableError:
        if os.path.isfile(source):  # what the file is may tell more than that its name is none that we know
            with _named_errors(source), open(source, "rb") as file:
                refuse_other(file.read(HEAD))
        raise
    for name, value in written.given.items():
        if kind not in MARKS:
            raise TableError(f"{name}={value!r} is for CSV files, and this is {kind}; leave it out.")
    return kind, written


def _content(source: Source, kind: str, written: Written) -> Path | bytes:
    """What is read: a path, or all that comes from standard input, a pipe or a packed file; CSV is UTF-8 then."""
    content = unpacked(sys.stdin.buffer.read() if os.fspath(source) == "-" else _existing(source), memory())
    if size_of(content) == 0:
        raise TableError(f"{named(source)} is empty; give a table with a header and data.")
    return in_utf8(content, written.encoding) if kind in MARKS else content


def _with_rows(frame: Any, source: Source) -> Any:
    if frame.width == 0 or frame.height == 0:
        raise NoRowsError(f"{named(source)} holds no rows; give a table with a header and data.")
    return frame


def scan(
    source: Source,
    *,
    format: str | None = None,
    as_text: AsText | None = None,
    header: bool | None = None,
    na: str | Sequence[str] = (),
    decimal: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    labels: str | Sequence[str] = (),
) -> Table:
    r"""A table in portions; a CSV or Parquet file of any size never stands in memory as a whole, unless it is packed.

    Parameters
    ----------
    source : path
        A file, or "-" for standard input.
    format, as_text, header, na, decimal, encoding, comment : default=None
        As for ``read``.
    labels : str or sequence of str, default=()
        The column of a CSV file, or the first of these that it has, which holds labels to be kept as they are written:
        007 and True then stay text, which 7 and true need not.

    Returns
    -------
    Table
        What ``Recipe.fit`` and ``Recipe.apply`` take in place of a frame.

    Raises
    ------
    TableError
        With what is wrong, in one sentence.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discriminant import io
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.csv")
    ...     _ = path.write_text("x,target\n1.5,no\n2,yes\n")
    ...     X, y, _ = io.Recipe().fit(io.scan(path))
    >>> X, y
    (array([[1.5],
           [2. ]]), array(['no', 'yes'], dtype='<U3'))
    """
    given = {"header": header, "na": na, "decimal": decimal, "encoding": encoding, "comment": comment}
    kind, written = _kind(source, format, given)
    with _named_errors(source):
        content = _content(source, kind, written)
        if kind in MARKS:
            known = Known(MARKS[kind], as_text, [labels] if isinstance(labels, str) else labels, written)
            return _scan_csv(content, source, known)
        if kind == "parquet" and isinstance(content, Path):
            scanned = pl.scan_parquet(content)
            if 8 * rows_of(scanned) * len(scanned.collect_schema()) > CHUNK:
                return _scan_parquet(content)
        return Table.of(_with_rows(READERS[kind](content), source))


def _scan_csv(content: Path | bytes, source: Source, known: Known) -> Table:
    if size_of(content) <= CHUNK:
        frame, dialect = read_csv(content, known)
        return replace(Table.of(_with_rows(frame, source)), labels=dialect.labels)
    dialect = dialect_of(content, known)
    first = next(csv_chunks(content, dialect, None, None))
    if known.as_text is None:
        dialect.warn(first.frame.columns)
    schema = dict(first.frame.schema)
    rows = int(first.frame.height * size_of(content) / max(1, first.size) * 1.02) + 1

    def portions(names: Sequence[str]) -> Iterator[tuple[float, Any]]:
        with _named_errors(source):
            for chunk in csv_chunks(content, dialect, schema, list(names)):
                yield chunk.share, chunk.frame

    return Table(schema, rows, portions, dialect.labels)


def _scan_parquet(path: Path) -> Table:
    parquet = needed("pyarrow.parquet", "io")
    with parquet.ParquetFile(path) as file:
        rows = file.metadata.num_rows
    schema = dict(pl.read_parquet_schema(path))

    def portions(names: Sequence[str]) -> Iterator[tuple[float, Any]]:
        done, size = 0, max(1, CHUNK // (8 * max(1, len(names))))
        with _named_errors(path), parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=size, columns=list(names)):
                done += batch.num_rows
                yield done / rows, pl.from_arrow(batch)

    return Table(schema, rows, portions)


def write(frame: Any, path: Source, format: str | None = None) -> None:
    """Write a table, in one step that leaves the old file or the new one.

    Parameters
    ----------
    frame : polars.DataFrame or what can be made into one
        The table.
    path : path
        The file; "-" is standard output, as CSV unless ``format`` says otherwise.
    format : {"csv", "tsv", "parquet", "arrow", "jsonl", "npy", "npz"}, default=None
        By default what the ending of the name tells.

    Examples
    --------
    >>> import polars as pl
    >>> from discriminant import io
    >>> io.write(pl.DataFrame({"label": ["yes", "no"]}), "-")
    label
    yes
    no
    """
    write_portions([_frame(frame)], path, format)


def write_portions(frames: Iterable[Any], path: Source, format: str | None = None) -> None:
    """Write a table that comes in portions; as CSV, TSV or JSON lines none is kept longer than it takes to write it."""
    kind = format_of(path, format)
    if kind not in WRITERS:
        raise TableError(f"tables are not written as {kind}; choose one of {', '.join(WRITERS)}.")
    if kind not in LINES:
        frames = [pl.concat(frames, how="vertical_relaxed")]
    if os.fspath(path) != "-":
        # The frames have errors of their own.
        with _named_errors(path, OSError, "written"), replacing(path) as file, _packing(file, path) as place:
            for k, frame in enumerate(frames):
                _put(frame, place, kind, k == 0, path)
        return
    for k, frame in enumerate(frames):
        room = io.BytesIO()
        _put(frame, room, kind, k == 0, path)
        _print(room.getvalue())


def _packing(file: IO[bytes], path: Source) -> AbstractContextManager[Any]:
    """The file, or what packs all that is written into it, where its name says so; the time is left out."""
    packed = os.fspath(path).lower().endswith(PACKED)
    return gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else nullcontext(file)


def _put(frame: Any, file: Any, kind: str, header: bool, path: Source) -> None:
    with _named_errors(path, what="written"):
        WRITERS[kind](frame, file, header)


def _print(data: bytes) -> None:
    """Bytes to standard output; where somebody has put a stream of text in its place, as text."""
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
    else:
        sys.stdout.write(data.decode())
    sys.stdout.flush()


def _existing(source: Source) -> Path | bytes:
    """The path of a file that can be opened; of a pipe, which can be read only once, all that it holds."""
    path = Path(source)
    if path.is_dir():
        raise TableError(f"{named(source)} is a folder; give a file.")
    if path.exists() and not path.is_file():
        return path.read_bytes()
    with open(path, "rb"):  # a missing file is told by its name, whatever reads it
        return path


@contextmanager
def _named_errors(source: Source, kind: type[Exception] = Exception, what: str = "read as a table") -> Iterator[None]:
    """What goes wrong inside becomes a TableError that names the file."""
    try:
        yield
    except (TableError, BrokenPipeError, ImportError):
        raise
    except kind as error:
        if isinstance(error, FileNotFoundError):
            raise TableError(f"{named(source)} is not there; give the path of a file.") from None
        if isinstance(error, OSError) and error.strerror:
            remedy = "see to the path and its permissions"
            raise TableError(f"{named(source)} cannot be {what}: {error.strerror}; {remedy}.") from None
        said = str(error).split("\n")[0][:400].rstrip(". ")
        remedy = f"; {OTHER_ENCODING}" if "invalid utf-8" in said else ""
        raise TableError(f"{named(source)} cannot be {what}: {said or type(error).__name__}{remedy}.") from None

"""How each format is read and written: a path or bytes in, a polars frame out, and a frame into an open file.

Tests: ``tests/io/test_tables.py``.
"""

from __future__ import annotations

import math
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Any

import numpy as np

from .._engine.extras import Later, needed
from ._dialect import Dialect, Known, dialect_of
from ._errors import TableError
from ._sparse import WIDEST
from ._written import opened, size_of

pl = Later("polars", "io")

TARGET, FEATURES = "target", "features"  # the columns of a table in LIBSVM's form
PORTION = 4 * 2**20  # bytes of a file of lines that are read at once
DEFLATED = 1100  # bytes that one byte of a zip archive stands for at most
MARKS = {"csv": None, "tsv": "\t"}  # what separates the fields, where the format tells


def read_csv(source: Any, known: Known) -> tuple[Any, Dialect]:
    dialect = dialect_of(source, known)
    frame = dialect.whole(source)
    if known.as_text is None:
        dialect.warn(frame.columns)
    return frame, dialect


def check_room(rows: int, columns: int) -> None:
    """Refuse a table larger than the memory there is: a few bytes of a file may stand for very many rows."""
    size = 8 * rows * columns
    if size > memory():
        raise TableError(
            f"the table of {rows:,} rows and {columns:,} columns takes {size / 2**30:,.1f} GiB, more than the memory "
            "there is; take fewer rows or columns."
        )


def memory() -> float:
    """The bytes of this machine, or those that the process is allowed."""
    if os.name != "posix":
        return math.inf
    import resource

    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return whole if allowed == resource.RLIM_INFINITY else min(whole, allowed)


def rows_of(scanned: Any) -> int:
    """How many rows a file of columns claims to have; refused where they do not fit into memory."""
    rows = int(scanned.select(pl.len()).collect().item())
    check_room(rows, len(scanned.collect_schema()))
    return rows


def _read_parquet(source: Any) -> Any:
    rows_of(pl.scan_parquet(source))
    return pl.read_parquet(source)


def _read_arrow(source: Any) -> Any:
    try:
        rows_of(pl.scan_ipc(source))
        return pl.read_ipc(source)
    except pl.exceptions.PolarsError:
        return pl.read_ipc_stream(source)


def _read_libsvm(source: Any) -> Any:
    from sklearn.datasets import load_svmlight_file

    loaded = (load_svmlight_file(text, n_features=WIDEST, zero_based=True) for text in _portions(source))
    return _joined(sparse_frame(X, y) for X, y in loaded)


def _read_jsonl(source: Any) -> Any:
    return _joined(pl.read_ndjson(text, infer_schema_length=None) for text in _portions(source))


def _portions(source: Any) -> Iterator[BytesIO]:
    """Whole lines of a file, some at a time: between two portions, Ctrl-C is heard."""
    with opened(source) as file:
        while text := file.read(PORTION) + file.readline():
            if text.strip():
                yield BytesIO(text)


def _joined(frames: Iterable[Any]) -> Any:
    parts = list(frames)
    return pl.concat(parts, how="diagonal_relaxed") if parts else pl.DataFrame()


def sparse_frame(X: Any, y: Any) -> Any:
    """A table in LIBSVM's form: the labels, whole numbers where they are, and (index, value) lists."""
    arrow = needed("pyarrow", "io")
    X = X.tocsr()
    entries = arrow.StructArray.from_arrays(
        [arrow.array(X.indices.astype(np.uint32)), arrow.array(X.data.astype(np.float64))], ["index", "value"]
    )
    lists = arrow.LargeListArray.from_arrays(arrow.array(X.indptr.astype(np.int64)), entries)
    if y.dtype.kind == "f" and np.all(y == np.rint(y)) and np.all(np.abs(y) < 2**53):
        y = y.astype(np.int64)
    return pl.from_arrow(arrow.table({TARGET: arrow.array(y), FEATURES: lists}))


def _array(file: Any, size: int, source: Any) -> Any:
    """The array of a file that has as many bytes as it claims; pickled objects, which could run code, are refused."""
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        if dtype.itemsize * math.prod(shape) > size or not dtype.itemsize:
            raise TableError(f"{named(source)} claims an array of shape {shape} in {size:,} bytes; write it again.")
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)
    except TableError:
        raise
    except (ValueError, EOFError):  # numpy's message advises to load it all the same
        raise TableError(
            f"{named(source)} is no array file of numbers or text, the only ones that are read safely."
        ) from None


def _read_npy(source: Any) -> Any:
    with opened(source) as file:
        if file.read(4) == b"PK\x03\x04":
            raise TableError(f"{named(source)} holds several arrays; name it .npz.")
        file.seek(0)
        array = _array(file, size_of(source), source)
    if array.dtype.names:
        return pl.DataFrame({name: _series(name, array[name]) for name in array.dtype.names})
    if array.ndim not in (1, 2):
        raise TableError(f"{named(source)} has shape {array.shape}; give a table of rows and columns.")
    return pl.DataFrame(_columns("x", array))


def _read_npz(source: Any) -> Any:
    with opened(source) as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > DEFLATED * size_of(source):
            raise TableError(f"{named(source)} claims more than it can hold; write it again.")
        found = {}
        for member in members:
            with archive.open(member) as packed:
                found[member.filename.removesuffix(".npy")] = _array(packed, member.file_size, source)
    if {"data", "indices", "indptr", "shape"} <= set(found):
        from scipy import sparse

        parts = [found.pop(name) for name in ("data", "indices", "indptr", "shape")]
        shape = tuple(parts[3].tolist())
        if (layout := found.pop("format", np.array(b"csr")).tolist()) not in (b"csr", "csr"):
            raise TableError(f"{named(source)} holds a sparse matrix of format {layout!r}; save X.tocsr().")
        if max(shape) > WIDEST:
            raise TableError(f"{named(source)} has shape {shape}: a side is at most {WIDEST:,} long.")
        X = sparse.csr_array(tuple(parts[:3]), shape=shape)
        X.check_format(full_check=True)
        y = found.pop("y", found.pop(TARGET, None))
        frame = sparse_frame(X, np.zeros(X.shape[0]) if y is None else y)
        return frame if y is not None else frame.drop(TARGET)
    columns: dict[str, Any] = {}
    for name, array in found.items():
        if array.ndim not in (1, 2):
            raise TableError(f"array {name!r} of {named(source)} has shape {array.shape}; give columns or tables.")
        columns |= _columns("x" if name == "X" else name, array)
    if len({len(column) for column in columns.values()}) > 1:
        lengths = {name: len(array) for name, array in found.items()}
        raise TableError(f"the arrays of {named(source)} have different lengths: {lengths}.")
    return pl.DataFrame(columns)


def _columns(name: str, array: Any) -> dict[str, Any]:
    """One column of a vector, numbered ones of a matrix."""
    if array.ndim == 1 or len(array) == 0:  # a matrix without rows may claim any number of columns
        return {name: _series(name, array.ravel())}
    return {f"{name}{j}": _series(f"{name}{j}", array[:, j]) for j in range(array.shape[1])}


def _series(name: str, array: Any) -> Any:
    if array.ndim != 1 or array.dtype.kind not in "biufU":
        raise TableError(f"column {name!r} holds {array.dtype}; give numbers, booleans or text.")
    return pl.Series(name, array.tolist() if array.dtype.kind == "U" else np.ascontiguousarray(array))


def _write_npy(frame: Any, file: Any, header: bool) -> None:
    strange = [name for name, kind in frame.schema.items() if not (kind.is_numeric() or kind == pl.Boolean)]
    if strange:
        raise TableError(f"column {strange[0]!r} is no number, and npy is one table of numbers; take npz or csv.")
    np.save(file, frame.to_numpy(), allow_pickle=False)


def _write_npz(frame: Any, file: Any, header: bool) -> None:
    columns = {name: frame[name].to_numpy() for name in frame.columns}
    plain = {name: column.astype(str) if column.dtype == object else column for name, column in columns.items()}
    np.savez(file, allow_pickle=False, **plain)


READERS: dict[str, Callable[[Any], Any]] = {
    "parquet": _read_parquet,
    "arrow": _read_arrow,
    "jsonl": _read_jsonl,
    "libsvm": _read_libsvm,
    "npy": _read_npy,
    "npz": _read_npz,
}
LINES = ("csv", "tsv", "jsonl")  # formats that are written portion by portion, the first one with a header
WRITERS: dict[str, Callable[[Any, Any, bool], None]] = {
    "csv": lambda frame, file, header: frame.write_csv(file, include_header=header),
    "tsv": lambda frame, file, header: frame.write_csv(file, include_header=header, separator="\t"),
    "jsonl": lambda frame, file, header: frame.write_ndjson(file),
    "parquet": lambda frame, file, header: frame.write_parquet(file),
    "arrow": lambda frame, file, header: frame.write_ipc(file),
    "npy": _write_npy,
    "npz": _write_npz,
}


def named(source: Any) -> str:
    if isinstance(source, bytes) or os.fspath(source) == "-":
        return "standard input"
    return repr(os.fspath(source))

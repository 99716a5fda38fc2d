"""How each format is read and written: a path or bytes in, a polars frame out, and a frame into an open file."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from .._extras import needed
from ._dialect import dialect_of
from ._errors import TableError

pl = needed("polars", "io")

TARGET, FEATURES = "target", "features"  # the columns of a table in LIBSVM's form
MARKS = {"csv": None, "tsv": "\t"}  # what separates the fields, where the format tells


def read_csv(source: Any, kind: str, as_text: Callable[[str], bool] | None) -> Any:
    """A CSV or TSV file; ``as_text`` tells of which columns no type is inferred."""
    dialect = dialect_of(source, MARKS[kind], as_text)
    frame = dialect.parsed(source)
    dialect.warn()
    return frame


def _read_arrow(source: Any) -> Any:
    try:
        return pl.read_ipc(source)
    except pl.exceptions.PolarsError:
        return pl.read_ipc_stream(source)


def _read_libsvm(source: Any) -> Any:
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(io.BytesIO(source) if isinstance(source, bytes) else str(source), zero_based=True)
    return sparse_frame(X, y)


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


def _loaded(source: Any) -> Any:
    """Arrays of numpy's own files; pickled objects, which could run code, are refused."""
    try:
        return np.load(io.BytesIO(source) if isinstance(source, bytes) else source, allow_pickle=False)
    except (ValueError, EOFError):  # numpy's message advises to load it all the same
        raise TableError(
            f"{named(source)} is no array file of numbers or text, the only ones that are read safely."
        ) from None


def _read_npy(source: Any) -> Any:
    array = _loaded(source)
    if not isinstance(array, np.ndarray):
        raise TableError(f"{named(source)} holds several arrays: name it .npz.")
    if array.dtype.names:
        return pl.DataFrame({name: _series(name, array[name]) for name in array.dtype.names})
    if array.ndim not in (1, 2):
        raise TableError(f"{named(source)} has shape {array.shape}: give a table of rows and columns.")
    return pl.DataFrame(_columns("x", array))


def _read_npz(source: Any) -> Any:
    with _loaded(source) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    if {"data", "indices", "indptr", "shape"} <= set(found):
        from scipy import sparse

        parts = [found.pop(name) for name in ("data", "indices", "indptr", "shape")]
        X = sparse.csr_array(tuple(parts[:3]), shape=tuple(parts[3].tolist()))
        X.check_format(full_check=True)
        y = found.pop("y", found.pop(TARGET, None))
        frame = sparse_frame(X, np.zeros(X.shape[0]) if y is None else y)
        return frame if y is not None else frame.drop(TARGET)
    columns: dict[str, Any] = {}
    for name, array in found.items():
        if array.ndim not in (1, 2):
            raise TableError(f"array {name!r} of {named(source)} has shape {array.shape}: give columns or tables.")
        columns |= _columns("x" if name == "X" else name, array)
    if len({len(column) for column in columns.values()}) > 1:
        lengths = {name: len(array) for name, array in found.items()}
        raise TableError(f"the arrays of {named(source)} have different lengths: {lengths}.")
    return pl.DataFrame(columns)


def _columns(name: str, array: Any) -> dict[str, Any]:
    """One column of a vector, numbered ones of a matrix."""
    if array.ndim == 1:
        return {name: _series(name, array)}
    return {f"{name}{j}": _series(f"{name}{j}", array[:, j]) for j in range(array.shape[1])}


def _series(name: str, array: Any) -> Any:
    if array.ndim != 1 or array.dtype.kind not in "biufU":
        raise TableError(f"column {name!r} holds {array.dtype}: give numbers, booleans or text.")
    return pl.Series(name, array.tolist() if array.dtype.kind == "U" else np.ascontiguousarray(array))


def _write_npy(frame: Any, file: Any) -> None:
    strange = [name for name, kind in frame.schema.items() if not (kind.is_numeric() or kind == pl.Boolean)]
    if strange:
        raise TableError(f"column {strange[0]!r} is no number, and npy is one table of numbers: take npz or csv.")
    np.save(file, frame.to_numpy(), allow_pickle=False)


def _write_npz(frame: Any, file: Any) -> None:
    columns = {name: frame[name].to_numpy() for name in frame.columns}
    plain = {name: column.astype(str) if column.dtype == object else column for name, column in columns.items()}
    np.savez(file, allow_pickle=False, **plain)


READERS: dict[str, Callable[[Any], Any]] = {
    "parquet": lambda source: pl.read_parquet(source),
    "arrow": _read_arrow,
    "jsonl": lambda source: pl.read_ndjson(source, infer_schema_length=None),
    "libsvm": _read_libsvm,
    "npy": _read_npy,
    "npz": _read_npz,
}
LINES: dict[str, Callable[[Any, Any, bool], None]] = {  # formats of lines, the first portion with a header
    "csv": lambda frame, file, header: frame.write_csv(file, include_header=header),
    "tsv": lambda frame, file, header: frame.write_csv(file, include_header=header, separator="\t"),
    "jsonl": lambda frame, file, header: frame.write_ndjson(file),
}
WRITERS: dict[str, Callable[[Any, Any], None]] = {  # formats that are written as a whole
    "parquet": lambda frame, file: frame.write_parquet(file),
    "arrow": lambda frame, file: frame.write_ipc(file),
    "npy": _write_npy,
    "npz": _write_npz,
}


def named(source: Any) -> str:
    """A source as an error calls it."""
    if isinstance(source, bytes) or os.fspath(source) == "-":
        return "standard input"
    return repr(os.fspath(source))

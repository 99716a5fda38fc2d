"""A CSV file in portions of whole lines, each parsed by polars: memory for a portion, not for the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .._extras import needed
from ._errors import TableError

pl = needed("polars", "io")

CHUNK = 8 * 2**20  # bytes of a portion
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]


class Chunk(NamedTuple):
    """A portion: its frame, the bytes it took, the share of the file that is done."""

    frame: Any
    size: int
    share: float


def csv_options(separator: str) -> dict[str, Any]:
    """How CSV is read everywhere."""
    return {"separator": separator, "null_values": MISSING, "try_parse_dates": True}


def separator_of(source: Any) -> str:
    """A comma, or the semicolon or tabulator of a header that has no comma."""
    if isinstance(source, bytes):
        head = source[:65536]
    else:
        with open(source, "rb") as file:
            head = file.read(65536)
    line = head.split(b"\n", 1)[0]
    return next((mark.decode() for mark in (b",", b";", b"\t") if mark in line), ",")


def csv_chunks(
    path: Path, options: dict[str, Any], schema: dict[str, Any] | None, names: list[str] | None
) -> Iterator[Chunk]:
    """The portions of a file; types are those of ``schema``, or inferred from the first portion."""
    whole, done, rows, types = os.path.getsize(path), 0, 0, schema
    with open(path, "rb") as file:
        header = file.readline()
        while header.count(b'"') % 2 and (more := file.readline()):  # a name of two lines
            header += more
        done, rest = len(header), b""
        while True:
            block = file.read(CHUNK)
            text = rest + block
            end = len(text) if not block else _last_line(text)
            if not text or (end == 0 and not block):
                return
            if end == 0:  # a line, or an open quotation, that is longer than the portion
                if len(text) > 8 * CHUNK:
                    raise TableError(f"a quotation or a line after row {rows:,} goes on for {len(text):,} bytes.")
                rest = text
                continue
            frame = _parsed(header, text[:end], options, types, rows)
            types = types or dict(frame.schema)
            rows, done, rest = rows + frame.height, done + end, text[end:]
            yield Chunk(frame if names is None else frame.select(names), end, min(1.0, done / whole))
            if not block:
                return


def _last_line(text: bytes) -> int:
    """Where the last whole line ends: after a line break that stands outside quotation marks."""
    end = text.rfind(b"\n") + 1
    while end > 0 and text.count(b'"', 0, end) % 2:
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end


def _parsed(header: bytes, text: bytes, options: dict[str, Any], types: dict[str, Any] | None, rows: int) -> Any:
    """The frame of some lines; where a value does not fit its column's type, the lines tell the types anew."""
    content = header + text
    try:
        if types is None:
            return pl.read_csv(content, infer_schema_length=None, **options)
        return pl.read_csv(content, schema=types, **options)
    except pl.exceptions.PolarsError:
        if types is None:
            raise
    frame = pl.read_csv(content, infer_schema_length=None, **options)
    for name, kind in types.items():
        if kind.is_numeric() and frame.schema[name] == pl.String:
            strange = frame[name].cast(pl.Float64, strict=False).is_null() & frame[name].is_not_null()
            row = int(strange.arg_max() or 0)
            value = frame[name][row]
            raise TableError(
                f"column {name!r} holds {value!r} in row {rows + row + 1:,}, after numbers only: correct it."
            )
    return frame

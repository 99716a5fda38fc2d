"""A CSV file in portions of whole lines, each parsed by polars: memory for a portion, not for the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .._extras import needed
from ._dialect import Dialect, header_of
from ._errors import TableError

pl = needed("polars", "io")

CHUNK = 8 * 2**20  # bytes of a portion


class Chunk(NamedTuple):
    """A portion: its frame, the bytes it took, the share of the file that is done."""

    frame: Any
    size: int
    share: float


def csv_chunks(path: Path, dialect: Dialect, schema: dict[str, Any] | None, names: list[str] | None) -> Iterator[Chunk]:
    """The portions of a file; types are those of ``schema``, or inferred from the first portion."""
    whole, done, rows, types = os.path.getsize(path), 0, 0, schema
    with open(path, "rb") as file:
        header = header_of(file)
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
            frame = _parsed(header + text[:end], dialect, types, rows)
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


def _parsed(content: bytes, dialect: Dialect, types: dict[str, Any] | None, rows: int) -> Any:
    """The frame of some lines; where a value does not fit its column's type, the lines tell the types anew."""
    try:
        return dialect.parsed(content, types)
    except pl.exceptions.PolarsError:
        if types is None:
            raise
    frame = dialect.parsed(content)
    for name, kind in types.items():
        if kind.is_numeric() and frame.schema[name] == pl.String:
            strange = frame[name].cast(pl.Float64, strict=False).is_null() & frame[name].is_not_null()
            row = int(strange.arg_max() or 0)
            value = frame[name][row]
            raise TableError(
                f"column {name!r} holds {value!r} in row {rows + row + 1:,}, after numbers only: correct it."
            )
    return frame

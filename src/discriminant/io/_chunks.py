"""A CSV file in portions of whole lines, each parsed by polars: memory for a portion, not for the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from .._engine.extras import Later
from ._dialect import Dialect
from ._errors import TableError, wrong_value
from ._lines import last_line
from ._texts import not_numbers
from ._written import opened, size_of

pl = Later("polars", "io")

CHUNK = 8 * 2**20  # bytes of a portion


class Chunk(NamedTuple):
    """A portion: its frame, the bytes it took, the share of the file that is done."""

    frame: Any
    size: int
    share: float


def csv_chunks(
    source: Any, dialect: Dialect, schema: dict[str, Any] | None, names: list[str] | None
) -> Iterator[Chunk]:
    """The portions of a file or of its bytes; types are those of ``schema``, or inferred from the first portion."""
    whole, rows, types = size_of(source), 0, schema
    done, rest = dialect.start + len(dialect.header), b""
    with opened(source) as file:
        file.seek(done)
        while True:
            block = file.read(CHUNK)
            text = rest + block
            end = len(text) if not block else last_line(text)
            if not text or (end == 0 and not block):
                return
            if end == 0:  # a line, or an open quotation, that is longer than the portion
                if len(text) > 8 * CHUNK:
                    raise TableError(
                        f"a quotation or a line after row {rows:,} goes on for {len(text):,} bytes; close the "
                        "quotation mark, or write it twice where it is part of a text."
                    )
                rest = text
                continue
            frame = _parsed(dialect.header + text[:end], dialect, types, rows)
            types = types or dict(frame.schema)
            rows, done, rest = rows + frame.height, done + end, text[end:]
            yield Chunk(frame if names is None else frame.select(names), end, min(1.0, done / whole))
            if not block:
                return


def _parsed(content: bytes, dialect: Dialect, types: dict[str, Any] | None, rows: int) -> Any:
    """The frame of some lines; where a value does not fit its column's type, the lines tell the types anew."""
    try:
        return dialect.parsed(content, types, rows)
    except pl.exceptions.PolarsError:
        if types is None:
            raise
    frame = dialect.parsed(content, first=rows)
    for name, kind in types.items():
        if kind.is_numeric() and frame.schema[name] == pl.String:
            row = int(not_numbers(frame[name], dialect.comma).arg_max() or 0)
            raise wrong_value(frame[name], row, rows, "after numbers only; correct it.")
    return frame

"""The lines of a CSV file: where they end, and which one cannot be parsed.  Tests: ``tests/io/test_tables.py``."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import TableError

MORE_FIELDS = "more fields"
MALFORMED = ("malformed", 'could not parse `"', MORE_FIELDS)  # polars' words for rows and quotation marks


def last_line(text: bytes) -> int:
    """Where the last whole line ends: after a line break that stands outside quotation marks."""
    end = text.rfind(b"\n") + 1
    if text.count(b'"', 0, end) % 2 == 0:
        return end
    breaks = _breaks(text)
    return int(breaks[-1]) + 1 if breaks.size else 0


def _breaks(text: bytes) -> NDArray[np.int64]:
    """The places of line breaks outside quotation marks."""
    letters = np.frombuffer(text, np.uint8)
    marks, breaks = np.flatnonzero(letters == ord('"')), np.flatnonzero(letters == ord("\n"))
    return np.asarray(breaks[np.searchsorted(marks, breaks) % 2 == 0], np.int64)


def broken_row(text: bytes, options: dict[str, Any], names: int, first: int, said: str) -> TableError | None:
    """The error for a row with too many fields or a quotation mark out of place; None where it is something else.

    ``said`` is what polars says of the text, read with these options; ``names`` is how many columns there are, and
    ``first`` how many rows came before.
    """
    if not any(words in said for words in MALFORMED):
        return None
    separator, has_header, comment = options["separator"], options["has_header"], options["comment_prefix"]
    if text.count(b'"') % 2:
        row = first + _breaks(text).size + 1 - has_header
        return TableError(
            f"a quotation that begins in row {row:,} has no end; close the quotation mark, or write it twice in a "
            "quotation where it is part of a text."
        )
    rows = csv.reader(StringIO(text.decode("utf-8", "replace"), newline=""), delimiter=separator)
    told = (fields for fields in rows if any(fields) and not (comment and fields[0].startswith(comment)))
    try:
        for row, fields in enumerate(told, first + 1 - has_header):
            if len(fields) > names:
                return TableError(
                    f"row {row:,} has {len(fields):,} fields, and there are {names:,} columns; correct it: a field "
                    f"that holds {separator!r} itself stands in quotation marks, with no blank before them."
                )
    except csv.Error:
        return None
    return TableError(
        "a quotation mark stands inside a field; put the whole field in quotation marks, and write it twice there."
    )

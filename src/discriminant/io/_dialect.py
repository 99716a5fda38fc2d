"""How a CSV file is written: what separates its fields, how its numbers look, what its columns are called."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections import Counter
from collections.abc import Callable
from typing import IO, Any, NamedTuple

from .._extras import needed
from ._errors import TableError

pl = needed("polars", "io")

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
SEPARATORS = ",;\t|"
HEAD = 65536  # bytes that tell
BOM = b"\xef\xbb\xbf"
WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
QUOTED = re.compile(rb'"[^"]*"')
COMMA_NUMBER = re.compile(rb'(?:^|;)[ "]*[+-]?\d+,\d+(?:[eE][+-]?\d+)?[ "]*(?=;|\r?$)', re.MULTILINE)
POINT_NUMBER = re.compile(rb"(?:^|;) *[+-]?\d+\.\d+ *(?=;|\r?$)", re.MULTILINE)


class Dialect(NamedTuple):
    """How a file is parsed: polars' options, polars' names of the columns with the true ones, and which stay text.

    ``odd`` is what the user should know of the names.
    """

    options: dict[str, Any]
    names: dict[str, str]
    texts: tuple[str, ...]
    odd: str | None

    def warn(self) -> None:
        """Tell what is odd, once the file has turned out to be a table."""
        if self.odd is not None:
            warnings.warn(self.odd, stacklevel=2)

    def parsed(self, source: Any, types: dict[str, Any] | None = None) -> Any:
        """The frame of a path or of bytes that begin with the header; types are those of its columns, or inferred."""
        if types is None:
            frame = pl.read_csv(
                source, infer_schema_length=None, schema_overrides=dict.fromkeys(self.texts, pl.String), **self.options
            )
        else:
            frame = pl.read_csv(source, schema=dict(zip(self.names, types.values(), strict=True)), **self.options)
        return frame.rename(self.names)


def dialect_of(source: Any, separator: str | None = None, as_text: Callable[[str], bool] | None = None) -> Dialect:
    """How a file, or its bytes, are to be parsed; ``as_text`` tells of which columns no type is inferred."""
    with io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as file:
        header, body = header_of(file), file.read(HEAD)
    if header.startswith(WIDE_BOMS):
        raise ValueError("it is text in UTF-16: save it as UTF-8")
    mark = separator or _separator(header)
    comma = mark == ";" and bool(COMMA_NUMBER.search(body)) and not POINT_NUMBER.search(body)
    options = {"separator": mark, "decimal_comma": comma, "null_values": MISSING, "try_parse_dates": True}
    raw = pl.read_csv(header, **options, n_rows=0).columns if header.strip() else []
    written = _written(header, mark, raw)
    names = dict(zip(raw, _named(written), strict=True))
    if as_text is not None:
        return Dialect(options, names, tuple(name for name, shown in names.items() if as_text(shown)), None)
    return Dialect(options, names, (), _odd(written))


def header_of(file: IO[bytes]) -> bytes:
    """The first line; it goes on where a name has a line break in quotation marks."""
    header = file.readline()
    while header.count(b'"') % 2 and len(header) < HEAD and (more := file.readline()):
        header += more
    return header


def _separator(header: bytes) -> str:
    """A comma, or the first of semicolon, tabulator and bar in a header whose names do not stand between commas."""
    bare = QUOTED.sub(b"", header).decode("utf-8", "replace")
    return next((mark for mark in SEPARATORS if mark in bare), ",")


def _written(header: bytes, separator: str, raw: list[str]) -> list[str]:
    """The names as they are written, one for each column; a name that stands twice is refused."""
    text = header.removeprefix(BOM).decode("utf-8", "replace")
    try:
        names = next(csv.reader(io.StringIO(text), delimiter=separator), [])
    except csv.Error:
        names = []
    if len(names) != len(raw):  # not as RFC 4180 has it: polars knows better
        names = list(raw)
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if twice:
        raise TableError(f"two columns are called {twice[0]!r}: rename one of them.")
    return names


def _named(written: list[str]) -> list[str]:
    """The names, with one for each column that has none: nobody could drop it otherwise."""
    return [name or _free(f"column_{j}", written) for j, name in enumerate(written, 1)]


def _odd(written: list[str]) -> str | None:
    if "" not in written:
        return None
    j = written.index("")
    return f"column {j + 1} has no name and is called {_named(written)[j]!r}: drop it if it only counts the rows."


def _free(name: str, names: list[str]) -> str:
    """The name, with as many strokes as make it different from all others."""
    while name in names:
        name += "_"
    return name

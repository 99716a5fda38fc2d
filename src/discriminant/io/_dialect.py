"""How a CSV file is written: what separates its fields, how its numbers look, what its columns are called.

Tests: ``tests/io/test_tables.py``.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import IO, Any, NamedTuple

from .._engine.extras import Later
from ..exceptions import warn_user
from ._errors import TableError
from ._lines import MORE_FIELDS, broken_row
from ._texts import MISSING, NUMBER, tidy
from ._written import BOM, Written, opened

pl = Later("polars", "io")

SEPARATORS = "\t;,|"  # where two would do, the first one: "1,5;2,5" holds decimal commas
HEAD = 65536  # bytes that tell
OTHER_ENCODING = "say how it is (encoding='cp1252' for Western Windows, encoding='latin-1', …), or save it as UTF-8"
LONGEST_LINE = 2**26
SAMPLE = 50  # rows that tell how a file is written
COUNTED = 4  # numbers that do not count up by chance
TELLING = 1000  # rows that tell the types, unless others tell better
OTHER_FILES = {  # first bytes of what is often called .csv
    b"\xd0\xcf\x11\xe0": "it is an Excel workbook; save the sheet as CSV in UTF-8",
    b"BZh": "it is compressed by bzip2; unpack it first, as `bunzip2` does",
    b"\xfd7zXZ": "it is compressed by xz; unpack it first, as `unxz` does",
    b"\x28\xb5\x2f\xfd": "it is compressed by zstd; unpack it first, as `unzstd` does",
    b"PAR1": "it is a Parquet file; name it .parquet",
    b"ARROW1": "it is an Arrow file; name it .arrow",
}
ZIP = b"PK\x03\x04"
SHEETS = {b"xl/": "Excel workbook", b"opendocument.spreadsheet": "OpenDocument workbook"}  # names in a zip archive
HTML = re.compile(rb"\s*<(?:!doctype|html|table|\?xml)", re.IGNORECASE)
REMARK = re.compile(rb"#(?![\t;,|])")  # "#" alone is the name of a column that counts the rows
EXCEL_MARK = re.compile(rb"sep=([\t;,|])\s*", re.IGNORECASE)  # the first line of some exports
COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
POINT_NUMBER = re.compile(r"[+-]?\d+\.\d+")


class Known(NamedTuple):
    """What the caller knows of a file: see ``read``; ``labels`` names the target, or those that it may be."""

    separator: str | None = None
    as_text: Callable[[str], bool] | None = None
    labels: Sequence[str] = ()
    written: Written = Written()

    @property
    def missing(self) -> list[str]:
        return [*MISSING, *self.written.na]


class Dialect(NamedTuple):
    """How a file is parsed: polars' options, polars' names of the columns with the true ones, and which stay text.

    ``start`` is where the table begins, ``header`` what each portion of it is parsed under, ``nameless`` the columns
    to which the file gives no name, ``labels`` the column of the labels.
    """

    options: dict[str, Any]
    names: dict[str, str]
    texts: tuple[str, ...] = ()
    start: int = 0
    header: bytes = b""
    nameless: tuple[str, ...] = ()
    labels: str | None = None
    comma: bool = False  # whether numbers have decimal commas, also where polars cannot be told

    def warn(self, names: Iterable[str]) -> None:
        """Tell of a column without a name, once the file has turned out to be a table of these columns."""
        for name in sorted({*self.nameless} & {*names})[:1]:
            remedy = f"leave it out (drop={name!r}) if it only counts the rows"
            warn_user(UserWarning(f"a column without a name is called {name!r}; {remedy}."))

    def whole(self, source: Any) -> Any:
        """The whole table, without columns that have neither a name nor a value: separators at the ends of lines."""
        if self.start == 0:
            frame = self.parsed(source)
        else:
            with opened(source) as file:
                file.seek(self.start)
                frame = self.parsed(file.read())
        return frame.drop(name for name in self.nameless if frame[name].null_count() == frame.height)

    def parsed(self, source: Any, types: dict[str, Any] | None = None, first: int = 0) -> Any:
        """The frame of a path or of bytes that begin with the header; types are those of its columns, or inferred.

        Where it is a portion, ``first`` is how many rows came before.
        """
        if types is None:
            frame = self._inferred(source, first)
        else:
            frame = pl.read_csv(source, schema=dict(zip(self.names, types.values(), strict=True)), **self.options)
        if frame.width > len(self.names):  # without a header polars counts the fields of the longest row
            raise self._broken(source, first, MORE_FIELDS) or TableError("a row has more fields than the first one.")
        words = [name for name, kind in frame.schema.items() if kind == pl.String]
        typed = set(words) - set(self.texts) if types is None else set()
        missing = self.options["null_values"]
        frame = frame.with_columns(tidy(frame[name], self.comma, name in typed, missing) for name in words)
        return _without_blank_lines(frame.rename(self.names))

    def _inferred(self, source: Any, first: int) -> Any:
        """The frame with types that the first rows tell; where others do not fit them, all columns are text."""
        texts = dict.fromkeys(self.texts, pl.String)
        try:
            return pl.read_csv(source, infer_schema_length=TELLING, schema_overrides=texts, **self.options)
        except pl.exceptions.PolarsError as error:
            said = str(error)
        try:
            return pl.read_csv(source, infer_schema=False, **self.options)
        except pl.exceptions.PolarsError as error:
            raise self._broken(source, first, f"{said} {error}") or error from None

    def _broken(self, source: Any, first: int, said: str) -> TableError | None:
        """The error for a row that is not like the others, of which polars has ``said`` something."""
        with opened(source) as file:
            return broken_row(file.read(), self.options, len(self.names), first, said)


def _without_blank_lines(frame: Any) -> Any:
    """The rows that hold a value; in a table of one column, a blank line is a missing value."""
    if frame.width < 2 or not all(frame[name].null_count() for name in frame.columns):
        return frame
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


def dialect_of(source: Any, known: Known) -> Dialect:
    with opened(source) as file:
        opening = _opening(file, known.written.comment)
        body = file.read(HEAD)
    refuse_other(opening.header + body)
    if not opening.header.strip():
        raise ValueError("it holds no rows; give a table with a header and data")
    if opening.header.count(b'"') % 2:
        raise TableError("a quotation that begins in the first line has no end; close the quotation mark.")
    mark = known.separator or opening.mark or _separator(opening.header, body)
    rows = _rows(opening.header + body, mark)
    has_names = _has_names(rows, known, opening)
    decimal = known.written.decimal
    comma = decimal == "," if decimal else mark != "," and _decimal_comma(rows[1:] if has_names else rows)
    options = {
        "separator": mark,
        "decimal_comma": comma and mark != ",",
        "null_values": known.missing,
        "has_header": has_names,
        "comment_prefix": known.written.comment or ("#" if opening.remark else None),
    }
    raw = pl.read_csv(opening.header, **options, n_rows=0).columns
    written = _written(opening.header, mark, raw) if has_names else [""] * len(raw)
    names = dict(zip(raw, _named(written), strict=True))
    labels = next((name for name in known.labels if name in names.values()), None)
    texts = tuple(
        name for name, shown in names.items() if shown == labels or (known.as_text is not None and known.as_text(shown))
    )
    nameless = tuple(shown for shown, own in zip(names.values(), written, strict=True) if has_names and not own)
    return Dialect(options, names, texts, opening.start, opening.header if has_names else b"", nameless, labels, comma)


class _Opening(NamedTuple):
    """Where the table begins, its first line, the last remark above it, and the separator that Excel writes there."""

    start: int
    header: bytes
    remark: bytes | None
    mark: str | None


def _opening(file: IO[bytes], comment: str | None) -> _Opening:
    """The first line of the table, below blank lines, remarks and Excel's own line."""
    start, remark, mark = 0, None, None
    while line := file.readline(LONGEST_LINE):
        content = line.removeprefix(BOM) if start == 0 else line
        if content.startswith(comment.encode()) if comment else REMARK.match(content):
            remark = content
        elif start == 0 and (excel := EXCEL_MARK.fullmatch(content)):
            mark = excel[1].decode()
        elif content.strip():
            return _Opening(start, line + _rest_of_quotation(line, file), remark, mark)
        start += len(line)
    return _Opening(0, b"", remark, mark)


def _rest_of_quotation(line: bytes, file: IO[bytes]) -> bytes:
    """What belongs to the first line where a name has a line break in quotation marks."""
    rest: list[bytes] = []
    size, is_open = len(line), line.count(b'"') % 2
    while is_open and size < HEAD and (more := file.readline(LONGEST_LINE)):
        rest.append(more)
        size, is_open = size + len(more), (is_open + more.count(b'"')) % 2
    return b"".join(rest)


def refuse_other(head: bytes) -> None:
    """Refuse what is no CSV, in spite of its name or without one."""
    if head.startswith(ZIP):
        sheet = next((f"an {kind}" for name, kind in SHEETS.items() if name in head), None)
        what = f"this is {sheet}" if sheet else "it is a zip archive or an Excel workbook; unpack it"
        raise ValueError(f"{what}{':' if sheet else ', or'} save the sheet as CSV in UTF-8")
    for mark, remedy in OTHER_FILES.items():
        if head.startswith(mark):
            raise ValueError(remedy)
    if HTML.match(head.removeprefix(BOM)):
        raise ValueError("it is a page of HTML or XML; save its table as CSV")
    if b"\0" in head:
        raise ValueError(
            "it holds bytes that are no text; save it as CSV in UTF-8, or say encoding='utf-16-le' if it is that"
        )
    if not _is_utf8(head):
        raise ValueError(f"it is not written in UTF-8; {OTHER_ENCODING}")
    if b"\r" in head and b"\n" not in head:
        raise ValueError("its lines end in CR alone; save it with the line ends of today")


def _is_utf8(head: bytes) -> bool:
    """Whether it is, as far as it goes: the last letter may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _separator(header: bytes, body: bytes) -> str:
    """The mark that cuts the first rows into as many fields as the header; a comma where there is none."""
    fits: dict[str, float] = {}
    for mark in SEPARATORS:
        first, *rows = _rows(header + body, mark) or [[]]
        if len(first) > 1 and any(len(row) > 1 for row in rows):
            fits[mark] = sum(len(row) == len(first) for row in rows) / max(1, len(rows))
    if fits:
        return max(fits, key=lambda mark: fits[mark])
    lines = (header + body).splitlines()[: SAMPLE if len(body) < HEAD else -1][:SAMPLE]  # the last one may be cut off
    words = [len(line.split()) for line in lines if line.strip()]
    if len(words) > 1 and words[0] > 1 and len(set(words)) == 1 and b'"' not in header:
        raise ValueError("its fields stand between blanks; put commas, semicolons or tabulators there")
    return ","


def _rows(text: bytes, separator: str) -> list[list[str]]:
    """The fields of the first rows without the blanks around them; the last row may be cut off."""
    lines = io.StringIO(text.removeprefix(BOM).decode("utf-8", "replace"), newline="")
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=separator, skipinitialspace=True):
            if any(row) and len(rows) <= SAMPLE:
                rows.append([field.strip() for field in row])
            if len(rows) > SAMPLE:
                break
    except csv.Error:  # not as RFC 4180 has it: polars knows better
        return rows
    return rows[:-1] if len(text) >= HEAD and len(rows) <= SAMPLE else rows


def _decimal_comma(rows: list[list[str]]) -> bool:
    fields = [field for row in rows for field in row]
    return any(map(COMMA_NUMBER.fullmatch, fields)) and not any(map(POINT_NUMBER.fullmatch, fields))


def _has_names(rows: list[list[str]], known: Known, opening: _Opening) -> bool:
    """Whether the first row holds the names; it is refused where it looks like data and nobody has said so."""
    header = known.written.header
    if header is not None or len(rows) < 2 or not _is_data(rows[0], rows[1:], known):
        return header is not False
    shown = ", ".join(rows[0][:6]) + (", …" if len(rows[0]) > 6 else "")
    where = " the names may stand in the remark above it;" if opening.remark else ""
    raise TableError(
        f"the first row ({shown}) looks like data, not like names of columns:{where} say header=False if the file has "
        "no names (its columns are then column_1, column_2, …), or header=True if these are the names."
    )


def _is_data(first: Sequence[str], rows: Sequence[Sequence[str]], known: Known) -> bool:
    """Whether the first row looks like those below it, and not like names above them.

    It does where a number stands above every column of numbers; where there is no such column, where each of its texts
    is found again in its own column. Many numbers that count up by one are names all the same: places, or years. So
    is a row with a name that the ``labels`` may have, and that is no number and not found again below it.
    """
    whole = [row for row in rows[:SAMPLE] if len(row) == len(first)]
    columns = [{row[j] for row in whole} - set(known.missing) for j in range(len(first))]
    words = [name in known.labels and not _is_number(name) for name in first]
    if any(word and name not in values for word, name, values in zip(words, first, columns, strict=True)):
        return False
    numeric = [bool(values) and all(map(_is_number, values)) for values in columns]
    above = [name for name, number in zip(first, numeric, strict=True) if number and name not in known.missing]
    if not any(numeric):
        return len(first) > 1 and all(name in values for name, values in zip(first, columns, strict=True))
    return bool(above) and all(map(_is_number, above)) and not _count_up(above)


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text.replace(",", ".")) is not None


def _count_up(numbers: Sequence[str]) -> bool:
    if len(numbers) < COUNTED or not all(map(str.isdecimal, numbers)):
        return False
    return all(int(after) - int(before) == 1 for before, after in pairwise(numbers))


def _written(header: bytes, separator: str, raw: list[str]) -> list[str]:
    """The names as they are written, one for each column; a name that stands twice is refused."""
    names = next(iter(_rows(header, separator)), [])
    if len(names) != len(raw):  # not as RFC 4180 has it: polars knows better
        names = [name.strip() for name in raw]
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if twice:
        raise TableError(
            f"two columns are called {twice[0]!r}; rename one of them, or say header=False if the first row is data."
        )
    return names


def _named(written: list[str]) -> list[str]:
    """The names, with one for each column that has none: nobody could drop it otherwise."""
    return [name or _free(f"column_{j}", written) for j, name in enumerate(written, 1)]


def _free(name: str, names: list[str]) -> str:
    """The name, with as many strokes as make it different from all others."""
    while name in names:
        name += "_"
    return name

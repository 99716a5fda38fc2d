"""Text columns of a file: blanks around values, numbers that stand in them, and texts that only look like numbers.

Tests: ``tests/io/test_tables.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from io import BytesIO
from typing import Any, NamedTuple

from .._engine.extras import Later

pl = Later("polars", "io")

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]
# What stands for a missing value in a column of numbers; in a text column it is a level like others.
AMONG_NUMBERS = ["-", "--", "\u2013", "\u2014", ".", "na", "n/a", "n.a.", "#n/a", "none", "null", "nan", "unknown"]
FIRST = 32  # values of a column that mostly tell whether it holds numbers

DIGITS = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
GROUPED = r"\d{1,3}(?:[,.'\u2019 \u00a0\u202f_]\d{3})+(?:[.,]\d+)?"
COMMA = r"\d*,\d+(?:[eE][+-]?\d+)?"
SIGN = "[+\\-\u2212]?"
ANY = rf"{SIGN}(?:{GROUPED}|{COMMA}|{DIGITS})"
CURRENCY = r"(?:[$\u20ac\u00a3\u00a5\u20b9]|USD|EUR|GBP|CHF|JPY)"
NUMBER = re.compile(rf"[+-]?{DIGITS}")
DRESSED = {
    "a thousands separator": re.compile(SIGN + GROUPED),
    "a decimal comma": re.compile(SIGN + COMMA),
    "a percent sign": re.compile(rf"{ANY}\s*%"),
    "a currency": re.compile(rf"{SIGN}{CURRENCY}\s*{ANY}|{ANY}\s*{CURRENCY}"),
    "a negative number in brackets": re.compile(rf"\({CURRENCY}?\s*{ANY}\)"),
    "quotation marks": re.compile(rf"[='\"\u2018]+{ANY}['\"\u2019]*"),
    "a long minus sign": re.compile(f"\u2212{DIGITS}"),
}
UNIT = re.compile(rf"{ANY}\s?([A-Za-z\u00b5\u00b0][A-Za-z/\u00b2\u00b3\u00b0]{{0,4}})")
TEMPORAL = r"^\d{1,4}[-/.:]\d{1,2}\b"
DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{2,4}(?:[T ,].*)?")


class Looks(NamedTuple):
    numbers: int  # how many are numbers, plain ones or in a dress
    dress: str | None  # what most of the others wear: "a percent sign"
    dressed: str | None  # an example of these
    other: str | None  # a text that is no number at all
    dates: int
    unit: bool  # whether the dress is a unit, as it is of 9th, 10th, 11th too


def looks_of(texts: Collection[str]) -> Looks:
    worn = {text: _dress(text) for text in texts if not NUMBER.fullmatch(text)}
    units = {text: match[1] for text in worn if worn[text] is None and (match := UNIT.fullmatch(text))}
    for unit, count in Counter(units.values()).most_common(1):
        if 2 * count > len(texts):  # one unit for all of them: 1a, 2b and 3c are no lengths
            worn |= {text: f"the unit {unit}" for text in units if units[text] == unit}
    bare = [text for text, dress in worn.items() if dress is None]
    dress = next((dress for dress, _ in Counter(filter(None, worn.values())).most_common(1)), None)
    dressed = next((text for text in worn if dress and worn[text] == dress), None)
    dates = sum(DATE.fullmatch(text) is not None for text in bare)
    return Looks(len(texts) - len(bare), dress, dressed, next(iter(bare), None), dates, dressed in units)


def _dress(text: str) -> str | None:
    return next((name for name, form in DRESSED.items() if form.fullmatch(text)), None)


def tidy(series: Any, comma: bool, typed: bool, missing: list[str]) -> Any:
    """A text column without blanks around its values; where it is to be ``typed``, as what it holds all through."""
    texts = series.str.strip_chars()
    shorter = (texts.str.len_bytes() != series.str.len_bytes()).fill_null(False)
    if shorter.any():
        texts = _without(texts.zip_with(~shorter, _unquoted(texts)), missing)
    if not typed:
        return texts
    first = texts.drop_nulls().head(FIRST)
    if len(first) == 0:
        return texts
    if _as_numbers(first, comma) is not None:
        numbers = _as_numbers(texts, comma)
        return texts if numbers is None or numbers.null_count() == len(numbers) else numbers
    if first.str.contains(TEMPORAL).all():
        return _as_dates(texts)
    return texts.str.to_lowercase() == "true" if _are_booleans(first) and _are_booleans(texts) else texts


def _unquoted(texts: Any) -> Any:
    """The texts without the quotation marks around them, which a blank before them has made part of a field."""
    return texts.str.replace(r'(?s)^"(.*)"$', "${1}").str.replace_all('""', '"', literal=True)


def not_numbers(texts: Any, comma: bool) -> Any:
    """Which values are neither numbers nor signs for missing ones."""
    words = _words(texts, comma)
    return words.cast(pl.Float64, strict=False).is_null() & words.is_not_null()


def _as_numbers(texts: Any, comma: bool) -> Any | None:
    """The column as numbers, where it holds nothing else but signs for missing ones."""
    words = _words(texts, comma)
    for kind in (pl.Int64, pl.Int128, pl.Float64):
        values = words.cast(kind, strict=False)
        if values.null_count() == words.null_count():
            return values
    return None


def _words(texts: Any, comma: bool) -> Any:
    """The texts as numbers are written, None where a sign stands for a missing one."""
    words = _without(texts, AMONG_NUMBERS, texts.str.to_lowercase())
    return words.str.replace(",", ".", literal=True) if comma else words


def _as_dates(texts: Any) -> Any:
    """The column as the dates or times that polars knows; it looks for them only here, because that takes long."""
    room = BytesIO(texts.to_frame().write_csv().encode())
    return pl.read_csv(room, try_parse_dates=True, infer_schema_length=None).to_series()


def _are_booleans(texts: Any) -> bool:
    return bool(texts.str.to_lowercase().is_in(["true", "false"]).all())


def _without(texts: Any, words: list[str], compared: Any | None = None) -> Any:
    found = (texts if compared is None else compared).is_in(words).fill_null(False)
    return texts.zip_with(~found, pl.Series([None], dtype=pl.String)) if found.any() else texts

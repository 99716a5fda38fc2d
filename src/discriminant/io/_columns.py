"""How the columns of a table become columns of a matrix: numbers as they are, levels as zeros and ones.

Tests: ``tests/io/test_recipe.py``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import Later
from ..exceptions import warn_user
from ._errors import TableError, wrong_value
from ._texts import looks_of

pl = Later("polars", "io")

MOST_LEVELS = 1000
ENOUGH_ROWS = 20  # from here on, a text for every other row names the rows; ten rows may well have ten colors
FEW_LEVELS, OFTEN = 12, 5  # levels such as 0, 1, 2, 3+, or 9th, 10th, 11th are few, and each occurs often
EXACT = 2**53  # whole numbers up to here are floats
WHOLE = re.compile(r"0|-?[1-9]\d{0,18}")
ENDLESS = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
PLAIN = "write plain ones such as 1190.5"
REMEDIES = {"a decimal comma": f"say decimal=',' or {PLAIN}"}
FRACTION = re.compile(r"-?\d+\.\d+")


@dataclass(frozen=True)
class Column:
    """A column of the table: a number, or the levels that stand for one column of zeros and ones each."""

    name: str
    levels: tuple[str, ...] | None = None
    fill: float | str | None = None  # what stands for a missing value

    @property
    def width(self) -> int:
        return 1 if self.levels is None else len(self.levels)

    @property
    def names(self) -> list[str]:
        return [self.name] if self.levels is None else [f"{self.name}={level}" for level in self.levels]

    def read_as(self, rows: int, gaps: int) -> list[str]:
        """How it was read, in words; nothing of plain numbers. Of its ``rows`` values, ``gaps`` are missing."""
        words = []
        if self.levels is not None:
            n, s = self.width, "s" * (self.width > 1)
            words.append(f"text, {n:,} level{s} stand{'' if s else 's'} for {n:,} column{s} of zeros and ones")
            if 2 < n == rows - gaps:
                words.append(f"a different one in each row, an identifier? Leave it out (drop={self.name!r})")
        if self.fill is not None and gaps:
            what = f"the median {self.fill:g}" if isinstance(self.fill, float) else f"the level {self.fill!r}"
            words.append(f"{gaps:,} missing value{'s' * (gaps > 1)}, {what} in {'their' if gaps > 1 else 'its'} place")
        return words

    def put(self, series: Any, out: NDArray[np.float64], first: int, unseen: str) -> None:
        """Write the values into the columns ``out``; what is missing becomes NaN. ``first`` is the row's number."""
        if self.levels is None:
            out[:, 0] = numbers(series, first)
            return
        texts = series.cast(pl.String)
        codes = texts.replace_strict(list(self.levels), range(len(self.levels)), default=-1, return_dtype=pl.Int64)
        place, absent = codes.fill_null(-1).to_numpy(), texts.is_null().to_numpy()
        if unseen == "refuse" and np.any(strange := (place < 0) & ~absent):
            row = int(strange.argmax())
            known = ", ".join(self.levels[:12]) + (", …" if len(self.levels) > 12 else "")
            remedy = "correct it, or ignore unseen levels (unseen='ignore')."
            raise wrong_value(texts, row, first, f"a level that the fit has not seen (it knows {known}); {remedy}")
        out[:] = 0
        known_rows = np.flatnonzero(place >= 0)
        out[known_rows, place[known_rows]] = 1
        out[absent] = np.nan

    def put_fill(self, out: NDArray[np.float64]) -> None:
        absent = np.isnan(out[:, 0])
        if not absent.any():
            return
        if self.levels is None:
            out[absent, 0] = self.fill
        else:
            out[absent] = [level == self.fill for level in self.levels]

    def filled(self, out: NDArray[np.float64]) -> Column:
        """The column with what a missing value is replaced by: the median, or the most frequent level."""
        present = ~np.isnan(out[:, 0])
        if not present.any():
            raise _hollow(self.name)
        if self.levels is None:
            return Column(self.name, None, float(np.median(out[present, 0])))
        return Column(self.name, self.levels, self.levels[int(np.nansum(out, axis=0).argmax())])


def is_number(kind: Any) -> bool:
    """Whether a polars type is a number; a column without any value counts as one."""
    return bool(kind.is_numeric() or kind == pl.Null)


def is_text(kind: Any) -> bool:
    return bool(kind in (pl.String, pl.Boolean, pl.Categorical, pl.Enum))


def is_sparse(kind: Any) -> bool:
    """Whether a polars type holds the (index, value) lists of a LIBSVM table."""
    return bool(kind == pl.List(pl.Struct({"index": pl.UInt32, "value": pl.Float64})))


def check_feature(name: str, kind: Any) -> None:
    if kind.is_temporal():
        raise dates_refused(name)
    if not (is_number(kind) or is_text(kind) or is_sparse(kind)):
        raise TableError(f"column {name!r} holds {kind}, which is neither a number nor text; drop it or flatten it.")


def dates_refused(name: str, found: str = "") -> TableError:
    return TableError(
        f"column {name!r} holds dates or times{found and f' ({found})'}; turn it into numbers that mean something, "
        f"such as days since an event, the month or the weekday, or leave it out (drop={name!r})."
    )


def _hollow(name: str) -> TableError:
    return TableError(f"column {name!r} holds no values at all; leave it out (drop={name!r}).")


def numbers(series: Any, first: int) -> NDArray[np.float64]:
    """A column as floats, NaN where a value is missing; text that is no number is refused by its row."""
    kind = series.dtype
    if not is_number(kind):
        strange = series.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False).is_null()
        strange = strange & series.is_not_null()
        if kind != pl.String or strange.any():
            row = int(strange.arg_max() or 0)
            raise wrong_value(series, row, first, "where a number should be; correct it.")
        series = series.str.strip_chars()
    elif kind.is_integer():
        _check_exact(series, first)
    return np.asarray(series.cast(pl.Float64).to_numpy(), np.float64)


def _check_exact(series: Any, first: int) -> None:
    """Refuse a whole number that no float is equal to: what is proved of its neighbor is not true of it."""
    low, high = series.min(), series.max()
    if low is None or max(-low, high) <= EXACT:
        return
    wrong = (series.cast(pl.Float64).cast(pl.Int128, strict=False) != series.cast(pl.Int128)).fill_null(False)
    if wrong.any():
        row = int(wrong.arg_max())
        why = "drop the column if it only names the rows, else subtract what the numbers have in common."
        raise wrong_value(series, row, first, f"which has more digits than a float keeps: {why}")


def levels_of(name: str, found: set[str], rows: int) -> tuple[str, ...]:
    """The levels in order, unless they are numbers in disguise or too many to mean anything; ``rows`` hold a value."""
    if not found:
        raise _hollow(name)
    levels = sorted(found)
    _check_looks(name, levels, rows)
    if len(levels) > MOST_LEVELS:
        raise TableError(
            f"column {name!r} holds more than {MOST_LEVELS:,} different texts, as a name or a number of a customer "
            f"does; leave it out (drop={name!r}), or group the texts."
        )
    if rows >= ENOUGH_ROWS and 2 * len(levels) > rows:
        raise TableError(
            f"column {name!r} holds {len(levels):,} different texts in {rows:,} rows, an identifier? Leave it out "
            f"(drop={name!r}), or group the texts."
        )
    return tuple(levels)


def _check_looks(name: str, levels: list[str], rows: int) -> None:
    """Refuse text that most likely is numbers or dates: a column for each of them separates what no plane does.

    Two levels are let pass, because a plane can do no more with two columns of zeros and ones than with their numbers.
    """
    looks = looks_of(levels)
    if 2 * looks.dates > len(levels):
        raise dates_refused(name, repr(looks.other))
    endless = [level for level in levels if ENDLESS.fullmatch(level)]
    if endless and looks.numbers + len(endless) == len(levels):
        raise TableError(f"column {name!r} holds {endless[0]!r}; give finite numbers.")
    if 2 * looks.numbers <= len(levels) or len(levels) < 3:
        return
    few = len(levels) <= FEW_LEVELS and rows >= OFTEN * len(levels)
    if looks.dress is not None and not (few and looks.unit):
        raise TableError(
            f"column {name!r} holds numbers that are written as text, such as {looks.dressed!r} with {looks.dress}; "
            f"{REMEDIES.get(looks.dress, PLAIN)}, or leave the column out (drop={name!r})."
        )
    odd = looks.other or looks.dressed
    if odd is None:
        return  # nothing but plain numbers, which somebody has turned into text
    if not few:
        raise TableError(
            f"column {name!r} holds {odd!r} among numbers; correct it, say na={odd!r} if that stands for a missing "
            f"value, or leave the column out (drop={name!r})."
        )
    text = (
        f"column {name!r} is taken for text, each number in it for a level of its own, because it holds "
        f"{odd!r}; correct that if it is a slip."
    )
    warn_user(UserWarning(text))


def labels_of(parts: Sequence[Any], written: bool = False) -> NDArray[Any]:
    """The target as an array: whole numbers, floats, booleans or text; dates and longer numbers become text.

    Labels as a file has ``written`` them are numbers or booleans only where these are written just so.
    """
    # A portion of a long file may hold the first fraction: then all labels are floats.
    series = pl.concat([part.to_frame() for part in parts], how="vertical_relaxed").to_series()
    if series.dtype.is_float() or series.dtype.is_decimal():
        return np.asarray(series.cast(pl.Float64).to_numpy())
    if series.dtype.is_integer() and series.cast(pl.Int64, strict=False).null_count() == 0:
        return np.asarray(series.cast(pl.Int64).to_numpy())
    if series.dtype == pl.Boolean:
        return np.asarray(series.to_numpy())
    texts = series.cast(pl.String)
    names = texts.unique().sort().to_list()
    codes = texts.replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
    values = typed(names) if written else None
    if values is not None:
        return np.asarray(values[codes])
    longest = max(map(len, names))
    # Text of equal length is quick to sort, and a pointer is smaller where the text is long.
    shared = np.array(names, dtype=object if 4 * longest * codes.size > 2**26 else str)
    return np.asarray(shared[codes])


def typed(words: list[str]) -> NDArray[Any] | None:
    """The words as whole numbers, floats or booleans that are written just so; None where some are not."""
    if {"false", "true"}.issuperset(words):
        return np.array([word == "true" for word in words])
    if all(WHOLE.fullmatch(word) and -(2**63) <= int(word) < 2**63 for word in words):
        return np.array([int(word) for word in words])
    if all(FRACTION.fullmatch(word) and repr(float(word)) == word for word in words):
        return np.array([float(word) for word in words])
    return None

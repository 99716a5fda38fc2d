"""Whether the first row of a file holds the names of the columns, or data already."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ._texts import MISSING, NUMBER

ROWS = 50  # rows below the first one that are compared with it
COUNTED = 4  # numbers that do not count up by chance


def is_data(first: Sequence[str], rows: Sequence[Sequence[str]], labels: Sequence[str] = ()) -> bool:
    """Whether the first row looks like those below it, and not like names above them.

    It does where a number stands above every column of numbers; where there is no such column, where each of its texts
    is found again in its own column. Many numbers that count up by one are names all the same: places, or years. So
    is a row with a name that the ``labels`` may have, and that is no number and not found again below it.
    """
    whole = [row for row in rows[:ROWS] if len(row) == len(first)]
    columns = [{row[j] for row in whole} - set(MISSING) for j in range(len(first))]
    words = [name in labels and not _is_number(name) for name in first]
    if any(word and name not in values for word, name, values in zip(words, first, columns, strict=True)):
        return False
    numeric = [bool(values) and all(map(_is_number, values)) for values in columns]
    above = [name for name, number in zip(first, numeric, strict=True) if number and name not in MISSING]
    if not any(numeric):
        return len(first) > 1 and all(name in values for name, values in zip(first, columns, strict=True))
    return bool(above) and all(map(_is_number, above)) and not _count_up(above)


def _is_number(text: str) -> bool:
    return NUMBER.fullmatch(text.replace(",", ".")) is not None


def _count_up(numbers: Sequence[str]) -> bool:
    if len(numbers) < COUNTED or not all(map(str.isdecimal, numbers)):
        return False
    return all(int(after) - int(before) == 1 for before, after in pairwise(numbers))

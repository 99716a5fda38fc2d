"""Columns of numbers that may be no measurements: codes for missing values (−999), numbers of the rows, constants.

They are read as they are, and told of: who knows the table decides.  Tests: ``tests/io/test_doubts.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

CODES = [sign * (10.0**digits - 1) for digits in range(2, 8) for sign in (1, -1)]  # ±99, ±999, …
MOST_STEPS = 0.5  # of those from row to row, that are one in a column that counts them
ENOUGH_ROWS = 20  # fewer numbers in a row may be chance


def doubts(places: Mapping[str, int], X: NDArray[np.float64]) -> Iterator[str]:
    """What is doubtful about the columns of these names and places, with the remedy; nothing is copied."""
    if len(X) < ENOUGH_ROWS:
        return
    low, high = X.min(axis=0), X.max(axis=0)
    for name, j in places.items():
        values, ends = X[:, j], (low[j], high[j])
        for code in ends:
            if code in CODES and (times := _apart(values, code)):
                often = f"{code:.0f} in {times:,} row{'s' * (times > 1)}"
                remedy = f"if it stands for a missing value, say na='{code:.0f}'"
                yield f"column {name!r}: {often}, far from all else; {remedy}"
        if ends[0] == ends[1]:
            yield f"column {name!r}: {ends[0]:g} in every row, which tells nothing; leave it out (drop={name!r})"
        if _counts_rows(values):
            yield f"column {name!r}: it counts the rows from {ends[0]:.0f}, an identifier? Leave it out (drop={name!r})"


def _apart(values: NDArray[np.float64], code: float) -> int:
    """How often a column holds the code, if the other values are nearer to each other than to it; else 0."""
    others = values[values != code]
    if not others.size:
        return 0
    near, far = sorted((abs(others.min() - code), abs(others.max() - code)))
    return values.size - others.size if near > far - near else 0


def _counts_rows(values: NDArray[np.float64]) -> bool:
    """Whether each value is the one before plus one, but for a few rows that were left out in between."""
    if not np.all(np.diff(values[:ENOUGH_ROWS]) >= 1):  # a few tell of most columns
        return False
    steps = np.diff(values)
    return bool(np.all(steps >= 1) and np.all(values == np.floor(values)) and np.mean(steps == 1) >= MOST_STEPS)

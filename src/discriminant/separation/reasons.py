"""Single columns that separate, in words: "all 13 rows with NV=1 are 1".

A column whose values in one class are at most those in all others is a direction b by itself: the rows above that value
are never of the class. Of a level of a factor that is a zero cell in the table of levels and classes. For counts, a
column that is constant where counts exceed zero, and lies on one side of that value elsewhere.

Tests: ``tests/separation/test_words.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from .answer import Separability

MOST = 10**8  # numbers of X that are looked at for reasons

Label = Callable[[int], str]
Reason = tuple[NDArray[np.bool_], str, str]  # the rows, what is said of them, and its last words


class ColumnRange(NamedTuple):
    """The least and the greatest value of a column in each class."""

    name: str
    values: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]


def reasons(s: Separability, label: Label, levels: Mapping[str, NDArray[Any]] | None = None) -> list[str]:
    """What single columns show, of which ``levels`` are some that X does not hold; nothing of an overlap.

    What is said of rows without a level is left out where another level says the same of them.
    """
    if s.verdict == "overlap" or s._system.n * s._system.d > MOST or not (s.own > 0).any():
        return []
    n_groups = max(len(s.groups), 2)
    told: dict[tuple[bytes, str], list[str]] = {}
    for column in _columns(s, n_groups, levels or {}):
        for turned in (False, True):
            for rows, text, end in _of(s, column, turned, label):
                told.setdefault((np.packbits(rows).tobytes(), end), []).append(f"{text} {end}")
    plain = ([text for text in texts if " without " not in text] or texts[:1] for texts in told.values())
    return [text for texts in plain for text in texts]


def _of(s: Separability, column: ColumnRange, turned: bool, label: Label) -> Iterator[Reason]:
    if not s.groups:
        return _of_counts(s, column, turned)
    return (_of_two if len(s.groups) == 2 else _of_many)(s, column, turned, label)


def _columns(s: Separability, n_groups: int, levels: Mapping[str, NDArray[Any]]) -> Iterator[ColumnRange]:
    """Those that may be reasons: some class lies at or beyond the end of the others."""
    X, own = s._system.X, s.own
    members = [np.flatnonzero(own == k) for k in range(n_groups)]
    low, high = (np.array([_ends(X[rows], end) for rows in members]) + 0 for end in ("min", "max"))  # -0.0 is 0
    order = np.sort(low, axis=0), np.sort(high, axis=0)
    others_low = np.where(low == order[0][0], order[0][1], order[0][0])
    others_high = np.where(high == order[1][-1], order[1][-2], order[1][-1])
    for j in np.flatnonzero(((high <= others_low) | (low >= others_high)).any(axis=0)).tolist():
        values = X[:, [j]].toarray().ravel() if sparse.issparse(X) else X[:, j]
        yield ColumnRange(s.question.names.column(j), values[own >= 0], low[:, j], high[:, j])
    for name, values in levels.items():
        ends = ([getattr(values[rows], end)() for rows in members] for end in ("min", "max"))
        yield ColumnRange(name, values[own >= 0], *map(np.array, ends))


def _ends(X: Any, end: str) -> NDArray[Any]:
    found = getattr(X, end)(axis=0)
    return np.asarray(found.toarray() if sparse.issparse(found) else found).ravel()


def _of_two(s: Separability, column: ColumnRange, turned: bool, label: Label) -> Iterator[Reason]:
    """Of two classes: one lies at or above the end of the other."""
    upper, lower = (0, 1) if turned else (1, 0)
    end, start = column.high[lower], column.low[upper]
    if end > start or column.low.min() == column.high.max():
        return
    if end < start:
        alone = f"{column.name} alone separates them, at most {end:g} of {label(lower)} and at least {start:g} of"
        if s.question.intercept or end <= 0 <= start:
            yield column.values > end, alone, label(upper)
    elif s.verdict == "quasi" and _reaches(s, end):
        for above, own in ((True, upper), (False, lower)):
            rows = _beyond(column, above, end)
            if rows.any():
                many, verb = _all(rows)
                yield rows, f"{many} {_where(column, above, end)} {verb}", label(own)


def _of_many(s: Separability, column: ColumnRange, turned: bool, label: Label) -> Iterator[Reason]:
    """Of more classes: the rows beyond the end of one are never of it."""
    for k in range(len(s.groups)):
        end = column.low[k] if turned else column.high[k]
        others = np.delete(column.high if turned else column.low, k)
        if s.verdict == "quasi" and _reaches(s, end) and (others.max() <= end if turned else others.min() >= end):
            rows = _beyond(column, not turned, end)
            count = np.count_nonzero(rows)
            if count:
                many, verb = (f"none of the {count:,} rows", "is") if count > 1 else ("the row", "is not")
                yield rows, f"{many} {_where(column, not turned, end)} {verb}", label(k)


def _of_counts(s: Separability, column: ColumnRange, turned: bool) -> Iterator[Reason]:
    """Of counts: those above zero all lie at the end of the column."""
    at = column.low[1]
    ends = column.values.max() if turned else column.values.min()
    rows = _beyond(column, not turned, at)
    if at == column.high[1] == ends and _reaches(s, at) and rows.any():
        yield (
            rows,
            f"{_all(rows)[0]} {_where(column, not turned, at)} {'has' if rows.sum() == 1 else 'have'}",
            "count 0",
        )


def _reaches(s: Separability, end: Any) -> bool:
    """Whether a plane can meet the column there: without an intercept only at zero."""
    return bool(s.question.intercept or end == 0)


def _beyond(column: ColumnRange, above: bool, end: Any) -> NDArray[np.bool_]:
    return np.asarray(column.values > end if above else column.values < end)


def _all(rows: NDArray[np.bool_]) -> tuple[str, str]:
    count = np.count_nonzero(rows)
    return ("the row", "is") if count == 1 else (f"all {count:,} rows", "are")


def _where(column: ColumnRange, above: bool, end: Any) -> str:
    """Which rows: those of a level, of one of two values, or on one side of a number."""
    least, most = column.values.min(), column.values.max()
    if not ((column.values == least) | (column.values == most)).all():
        return f"with {column.name} {'>' if above else '<'} {end:g}"
    if "=" in column.name and (least, most) == (0, 1):
        return f"with{'' if above else 'out'} {column.name}"
    return f"with {column.name}={most if above else least:g}"

"""The table of ``compare`` as columns, as text and as HTML.  Tests: ``tests/comparison/test_table.py``."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..separation.words import headline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .run import Comparison
    from .tasks import Row

HEADINGS = {
    "rank": "rank",
    "method": "procedure",
    "train_error": "training error",
    "cv_error": "cross-validated error",
    "margin": "margin",
    "corrections": "corrections",
    "seconds": "seconds",
    "status": "why it stopped",
}

TIED = "(tie): as good as the first, as far as these rows can tell; among them the order says little."
LEAST = ("corrections", "seconds", "margin", "train_error", "status")  # columns that a narrow terminal goes without


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Name of each column with its values: numbers, strings, None; the warnings as one text."""
    names = ("method", "train_error", "cv_error", "cv_std", "margin", "corrections", "iterations", "seconds")
    table: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in names}
    table["status"] = [None if row.status is None else row.status.name for row in rows]
    table["sentence"] = [row.sentence for row in rows]
    table["failure"] = [row.failure for row in rows]
    table["warnings"] = [" ".join(row.warnings) or None for row in rows]
    return table


class RankedRow(NamedTuple):
    """A row as every form of the table shows it: the texts of ``HEADINGS``, and whether it ties for the first place."""

    row: Row
    first: bool
    cells: dict[str, str]


def ranking(comparison: Comparison) -> list[RankedRow]:
    """The rows by their errors on unseen rows, with the standard error; those that tie with the best are marked.

    A tie may stand below one that is clearly worse: it errs on other rows than the best, the clearly worse one on more.
    """
    ties = comparison.ties
    places = []
    for place, row in enumerate(comparison.ranked, 1):
        first = any(row is other for other in ties)
        rank = "–" if row.train_error is None else f"{place}{' (tie)' if first and len(ties) > 1 else ''}"
        places.append(RankedRow(row, first, {"rank": rank} | _cells(row, comparison.folds)))
    return places


def _cells(row: Row, folds: int) -> dict[str, str]:
    """The row as it is shown; a dash for what is not known."""
    status = "failed" if row.status is None and row.failure else "–"
    spread = standard_error(row, folds)
    return {
        "method": row.method,
        "train_error": percent(row.train_error),
        "cv_error": percent(row.cv_error) + ("" if spread is None else f" ± {100 * spread:.1f}"),
        "margin": "–" if row.margin is None else f"{row.margin:.4g}",
        "corrections": "–" if row.corrections is None else f"{row.corrections:,}",
        "seconds": "–" if row.seconds is None else f"{row.seconds:.3f}",
        "status": status if row.status is None else row.status.name.lower().replace("_", " "),
    }


def standard_error(row: Row, folds: int) -> float | None:
    """Of the mean over the folds."""
    return None if row.cv_std is None or folds < 2 else float(row.cv_std / np.sqrt(folds - 1))


def percent(share: float | None) -> str:
    """A share of errors in words."""
    return "–" if share is None else f"{100 * share:.1f} %"


def verdict_line(comparison: Comparison) -> str:
    """The verdict in a line."""
    if comparison.undecided is not None:
        return (
            f"undecided: within {comparison.undecided.seconds:g} s no verdict was found on whether the classes can be "
            "separated."
        )
    return f"{comparison.verdict.verdict}: {headline(comparison.verdict)}"


def setting(comparison: Comparison) -> str:
    """What was compared, on what, and how."""
    n, d = comparison.X.shape
    folds = f"{comparison.folds} folds" if comparison.folds else "no cross-validation"
    made = f"{_counted(len(comparison), 'procedure')} on {_counted(n, 'row')} of {_counted(d, 'feature')}"
    return f"{made} and {len(comparison.classes)} classes; {folds}, seed {comparison.random_state}"


def _counted(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def remark(row: Row) -> str:
    """Failure and warnings of a row, or else why it stopped."""
    return " ".join([*([row.failure] if row.failure else []), *row.warnings]) or row.sentence


def plain_failure(row: Row) -> str:
    """Why a row failed, without the name that Python has for it."""
    return re.sub(r"\b[A-Z]\w*(?:Error|Exception): ", "", row.failure or "")


def as_text(comparison: Comparison, words: Callable[[str], str] = str, width: int | None = None) -> str:
    """Verdict, table, then why each failed, in the ``words`` of whoever reads it; lines are not wrapped.

    Columns of less interest are left out of a table that is wider than ``width``.
    """
    places = ranking(comparison)
    heads = HEADINGS | {"train_error": "train", "cv_error": "cv error", "status": "status"}
    table = [heads, *(place.cells for place in places)]
    wide = {name: max(len(line[name]) for line in table) for name in heads}
    for name in LEAST:
        if width is not None and sum(wide.values()) + 2 * (len(wide) - 1) > width:
            del wide[name]
    left = {"rank", "method", "status"}
    aligned = [
        "  ".join(f"{line[name]:{'<' if name in left else '>'}{most}}" for name, most in wide.items()).rstrip()
        for line in table
    ]
    tied = [TIED] if sum(place.first for place in places) > 1 else []
    failed = [f"{row.method}: {plain_failure(row)}" for row in comparison.rows if row.failure]
    notes = [*tied, *map(words, [*comparison.notes, *failed])]
    return "\n".join([verdict_line(comparison), setting(comparison), "", *aligned, *([""] if notes else []), *notes])


def as_html(comparison: Comparison) -> str:
    """Verdict and table for a notebook; remarks stand in the tooltip of their row."""
    return f"<p>{escape(verdict_line(comparison))}<br>{escape(setting(comparison))}</p>{html_table(comparison)}"


def html_table(comparison: Comparison, tooltip: Callable[[Row], str] = remark) -> str:
    """The table alone; the best row, and all that tie with it, in bold."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in HEADINGS.values())
    body = "".join(_html_row(place, tooltip(place.row)) for place in ranking(comparison))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_row(place: RankedRow, told: str) -> str:
    rank, method, *others = map(escape, place.cells.values())
    first = f'<td>{rank}</td><th scope="row">{f"<b>{method}</b>" if place.first else method}</th>'
    named = zip(list(HEADINGS.values())[2:], others, strict=True)  # on a phone the name stands before the number
    cells = "".join(f'<td data-name="{name}">{text}</td>' for name, text in named)
    return f'<tr title="{escape(told)}">{first}{cells}</tr>'

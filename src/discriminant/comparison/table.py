"""The table of ``compare`` as columns, as text and as HTML.  Tests: ``tests/comparison/test_run.py``."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from ..separation.words import headline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .run import Comparison
    from .tasks import Row

HEADINGS = {
    "method": "procedure",
    "train_error": "training error",
    "cv_error": "cross-validated error",
    "margin": "margin",
    "corrections": "corrections",
    "seconds": "seconds",
    "status": "why it stopped",
}


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Name of each column with its values: numbers, strings, None; the warnings as one text."""
    names = ("method", "train_error", "cv_error", "cv_std", "margin", "corrections", "iterations", "seconds")
    table: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in names}
    table["status"] = [None if row.status is None else row.status.name for row in rows]
    table["sentence"] = [row.sentence for row in rows]
    table["failure"] = [row.failure for row in rows]
    table["warnings"] = [" ".join(row.warnings) or None for row in rows]
    return table


def cells(row: Row) -> dict[str, str]:
    """The row as it is shown; a dash for what is not known."""
    status = "failed" if row.status is None and row.failure else "–"
    return {
        "method": row.method,
        "train_error": percent(row.train_error),
        "cv_error": percent(row.cv_error),
        "margin": "–" if row.margin is None else f"{row.margin:.4g}",
        "corrections": "–" if row.corrections is None else f"{row.corrections:,}",
        "seconds": "–" if row.seconds is None else f"{row.seconds:.3f}",
        "status": status if row.status is None else row.status.name.lower().replace("_", " "),
    }


def percent(share: float | None) -> str:
    """A share of errors in words."""
    return "–" if share is None else f"{100 * share:.1f} %"


def verdict_line(comparison: Comparison) -> str:
    """The verdict in a line."""
    if comparison.undecided is not None:
        return (
            f"undecided: within {comparison.undecided.seconds:g} s no verdict was found on whether the classes can be "
            "separated; separability(X, y), or `discriminant check`, decides it."
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


def remarks(row: Row) -> list[str]:
    """Failure and warnings of a row."""
    return [*([row.failure] if row.failure else []), *row.warnings]


def as_text(comparison: Comparison) -> str:
    """Verdict, table, then why each failed; lines are not wrapped."""
    table = [cells(row) for row in comparison.rows]
    heads = HEADINGS | {"train_error": "train", "cv_error": "cv error", "status": "status"}
    wide = {name: max(len(head), *(len(line[name]) for line in table)) for name, head in heads.items()}
    left = {"method", "status"}
    lines = [heads, *table]
    aligned = [
        "  ".join(f"{line[name]:{'<' if name in left else '>'}{wide[name]}}" for name in heads).rstrip()
        for line in lines
    ]
    failed = [f"{row.method}: {row.failure}" for row in comparison.rows if row.failure]
    notes = [*comparison.notes, *failed]
    return "\n".join([verdict_line(comparison), setting(comparison), "", *aligned, *([""] if notes else []), *notes])


def as_html(comparison: Comparison) -> str:
    """Verdict and table for a notebook; remarks stand in the tooltip of their row."""
    return f"<p>{escape(verdict_line(comparison))}<br>{escape(setting(comparison))}</p>{html_table(comparison)}"


def html_table(comparison: Comparison) -> str:
    """The table alone, the best row in bold."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in HEADINGS.values())
    body = "".join(_html_row(row, row is comparison.best) for row in comparison.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_row(row: Row, best: bool) -> str:
    shown = cells(row)
    method = escape(shown.pop("method"))
    first = f'<th scope="row">{f"<b>{method}</b>" if best else method}</th>'
    told = f' title="{escape(" ".join(remarks(row)) or row.sentence)}"'
    return f"<tr{told}>{first}{''.join(f'<td>{escape(text)}</td>' for text in shown.values())}</tr>"

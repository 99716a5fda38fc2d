"""The tables of the page beside that of the procedures: errors by class, features by rank, settings.

Tests: ``tests/plot/test_page.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..comparison.table import percent

if TYPE_CHECKING:
    from ..comparison import Comparison, Row

MOST_CLASSES = 20  # of the table of confusions
MOST_FEATURES = 20


def confusion(comparison: Comparison, row: Row) -> str:
    """Of one procedure: the rows of each class by the class that was named, and the share of errors of each."""
    counts: NDArray[np.int64] | None = row.confusion
    labels = [str(label) for label in comparison.classes]
    if counts is None:
        return ""
    if len(labels) > MOST_CLASSES:
        return _worst(labels, counts)
    heads = ["class", *(f"named {label}" for label in labels), "error"]
    lines = []
    for k, label in enumerate(labels):
        total = int(counts[k].sum())
        error = percent(1 - counts[k, k] / total) if total else "–"
        shown = [f"<b>{n:,}</b>" if j == k else f"{n:,}" for j, n in enumerate(counts[k].tolist())]
        numbers = "".join(f"<td>{text}</td>" for text in shown)
        lines.append(f'<tr><th scope="row">{escape(label)}</th>{numbers}<td>{error}</td></tr>')
    return f'<div class="wide" tabindex="0">{_table(heads, lines)}</div>'


def _worst(labels: Sequence[str], counts: NDArray[np.int64]) -> str:
    """Of many classes those with the most errors, each with the class that it is taken for most often."""
    totals, right = counts.sum(axis=1), np.diag(counts)
    errors = 1 - right / np.maximum(totals, 1)
    others = counts - np.diag(right)
    lines = []
    for k in np.argsort(-errors, kind="stable")[:MOST_CLASSES].tolist():
        taken = labels[int(others[k].argmax())] if others[k].any() else "–"
        cells = (f"{totals[k]:,}", f"{totals[k] - right[k]:,}", percent(float(errors[k])), escape(taken))
        numbers = "".join(f"<td>{text}</td>" for text in cells)
        lines.append(f'<tr><th scope="row">{escape(labels[k])}</th>{numbers}</tr>')
    table = _table(["class", "rows", "wrong", "error", "most often named"], lines)
    rest = f'<p class="small">and {len(labels) - MOST_CLASSES:,} classes with fewer errors.</p>'
    return f'<div class="wide" tabindex="0">{table}</div>{rest}'


def features(names: Sequence[str], ratios: NDArray[np.float64]) -> str:
    """The features by how far they hold the means of the classes apart, with a bar for each."""
    order = np.argsort(-ratios, kind="stable")
    largest = float(ratios[order[0]]) or 1.0
    lines = []
    for place, j in enumerate(order[:MOST_FEATURES].tolist(), 1):
        share = float(ratios[j]) / largest
        bar = f'<td class="bar"><span style="width:{100 * share:.0f}%"></span></td>'
        lines.append(
            f'<tr><td>{place}</td><th scope="row">{escape(names[j])}</th><td>{_size(ratios[j])}</td>{bar}</tr>'
        )
    more = len(order) - MOST_FEATURES
    rest = f'<p class="small">and {more:,} more.</p>' if more > 0 else ""
    table = _table(["rank", "feature", "apart", "of the first"], lines)
    return f'<div class="wide ranking" tabindex="0">{table}</div>{rest}'


def settings(comparison: Comparison) -> Iterable[tuple[str, str]]:
    """What each procedure was told, in words."""
    for row in comparison.ranked:
        if row.model is not None:
            told = (
                f"{name.replace('_', ' ')} {_word(value)}" for name, value in row.model.get_params(deep=False).items()
            )
            yield row.method, ", ".join(told) or "nothing to set"


def _word(value: Any) -> str:
    """A setting as one says it."""
    if value is None:
        return "not set"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | float | np.number):
        return f"{value:g}"
    if isinstance(value, tuple | list):
        return " and ".join(map(_word, value))
    return value if isinstance(value, str) else getattr(value, "name", None) or type(value).__name__


def _size(ratio: float) -> str:
    return "fully" if ratio > 1e12 else f"{ratio:.3g}"


def _table(heads: Iterable[str], lines: Iterable[str]) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"

"""A diagnosis in plain sentences: what the verdict means for the printed coefficients, and what to report instead.

Tests: ``tests/diagnosing/test_diagnoses.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from ..separation.certificate import first_few
from ..separation.reasons import reasons
from ..separation.words import INDENT, NAME

if TYPE_CHECKING:
    from .diagnoses import Diagnosis
    from .fitted import Printed

HEADS = ("printed", "std error", "true value")
WIDTHS = (12, 12, 14)
FINITE = {
    "classes": "The estimate is finite: the classes overlap, which is proved.",
    "poisson": "The estimate is finite: no row with count zero is separated, which is proved.",
    "cumulative": "The estimate is finite: the levels overlap, which is proved.",
}
INFINITE = {
    "complete": "The estimate is infinite: every row can be fitted perfectly, and the likelihood has no maximum.",
    "quasi": "The estimate is infinite: {0} of {1} rows can be fitted perfectly, and the likelihood has no maximum.",
}
COLLINEAR = "their numbers are one choice of many: columns depend on each other, and only sums of them are determined"
FIRTH = ".refit('firth').summary(intervals='profile', tests='lr')"
LIMIT = ".refit().summary(intervals='profile', tests='lr')"


def title(d: Diagnosis) -> str:
    """The program, the rows, the verdict, and what it comes to."""
    return f"{d.program}, {d.fitted.kind}, {d.fitted.n_rows:,} rows: {d.verdict}."


def lines(d: Diagnosis) -> Iterator[tuple[str, str]]:
    """Named sentences below the table."""
    yield "estimate", _estimate(d)
    names = d.fitted.class_names
    because = reasons(d.separability, names.__getitem__) if names else d.separability._reasons(None)
    yield "because", first_few(because)
    yield "artifacts", f"{_few(d, d.artifacts)}: {_artifact(d)}" if d.artifacts else ""
    loose = _named(d, "not unique")
    yield "collinear", f"{first_few(loose)}: {COLLINEAR}" if loose else ""
    yield from _instead(d)
    if d.fitted.converged is False and d.verdict == "overlap":
        yield "iterations", "The program says that it has not converged: give it more of them, or scale the columns."
    yield "proof", f"{_proof(d)}; .verify() checks it in whole numbers"
    yield "note", " ".join(d.fitted.notes)


def _few(d: Diagnosis, chosen: list[str]) -> str:
    return "all coefficients" if len(chosen) == len(d.labels) > 1 else first_few(chosen)


def _artifact(d: Diagnosis) -> str:
    has_errors = any(each.error == each.error for each in d.fitted.printed)
    what = "number and standard error tell" if has_errors else "the number tells"
    return f"{what} where the program stopped, not what the data say"


def _proof(d: Diagnosis) -> str:
    if d.verdict == "overlap":
        return d.separability.evidence()
    return "along .certificate.direction the likelihood grows for ever, and nothing separates more rows"


def _estimate(d: Diagnosis) -> str:
    if d.verdict == "overlap":
        text = FINITE[d.fitted.family]
    else:
        rows = len(set(d.fitted.rows[d.separability.separated_rows].tolist()))
        text = INFINITE[d.verdict].format(f"{rows:,}", f"{d.fitted.n_rows:,}")
    if not d.fitted.penalty:
        return text
    penalized = f"The fit has {d.fitted.penalty}, so that its numbers are finite whatever the verdict."
    return penalized if d.verdict == "overlap" else f"{penalized} Without it: {text[0].lower()}{text[1:]}"


def _instead(d: Diagnosis) -> Iterator[tuple[str, str]]:
    """What to report where the estimate is infinite and nothing keeps it from there."""
    if d.verdict == "overlap" or d.fitted.penalty:
        return
    names = {word: _named(d, word) for word in ("+inf", "-inf", "finite", "undetermined")}
    ends = ", ".join(f"{first_few(names[word])} as {word}" for word in ("+inf", "-inf") if names[word])
    logistic = d.fitted.kind == "logistic regression"
    if ends:
        interval = ", with an interval that has one end" if logistic else ""
        yield "report", f"{ends}{interval}"
    if names["undetermined"]:
        yield "report not", f"{_few(d, names['undetermined'])}: ways to infinity lead up and down"
    if names["finite"]:
        yield "the others", f"{first_few(names['finite'])} from the limiting model, on the rows that are left"
    yield "next", _next(d, logistic)


def _named(d: Diagnosis, word: str) -> list[str]:
    return [label for label, found in zip(d.labels, d.true_values, strict=True) if found == word]


def _next(d: Diagnosis, logistic: bool) -> str:
    """The call that gives what to report."""
    if d.fitted.family == "cumulative":
        return "for finite numbers take a penalty, or merge neighboring levels where that makes sense"
    if logistic and d.can_refit:
        return f"{LIMIT} has all of it; {FIRTH} has Firth's estimate, which is finite"
    if d.fitted.family == "poisson" or len(d.separability.groups) == 2:
        penalty = "take a penalty" if d.fitted.family == "poisson" else "take a penalty, Firth's or a ridge"
        if d.verdict == "complete":
            return f"no rows are left for a fit; for finite numbers {penalty}"
        return f"rows, columns = .limiting_design() are what is left for the same fit; or {penalty}"
    return "for finite numbers take a penalty, or merge classes or levels where that makes sense"


def cells(printed: Printed, true: str) -> list[str]:
    """What stands in a line of the table behind the name."""
    return [_number(printed.value), _number(printed.error), true]


def _number(value: float) -> str:
    return "" if value != value else f"{value:.4f}" if abs(value) < 1e5 else f"{value:.4g}"


def as_text(d: Diagnosis) -> str:
    """The table and the sentences."""
    width = max(9, *map(len, d.labels))
    table = [("", list(HEADS)), *zip(d.labels, d.rows_of_table(), strict=True)]
    body = [
        f"{name:<{width}}" + "".join(f"{cell:>{room}}" for cell, room in zip(row, WIDTHS, strict=True))
        for name, row in table
    ]
    below = [f"{' ' * INDENT}{name:<{NAME}} {text}" for name, text in lines(d) if text]
    return "\n".join([title(d), *(line.rstrip() for line in body), *below])


def as_html(d: Diagnosis) -> str:
    """The same for a notebook."""
    return (
        f"<p><b>{escape(title(d))}</b></p><table><thead>{_row('th', ['', *HEADS])}</thead><tbody>"
        + "".join(_row("td", [name, *row]) for name, row in zip(d.labels, d.rows_of_table(), strict=True))
        + "</tbody></table><table>"
        + "".join(_row("td", pair) for pair in lines(d) if pair[1])
        + "</table>"
    )


def _row(tag: str, row: Iterable[str]) -> str:
    left = ' style="text-align: left; vertical-align: top"'
    return f"<tr>{''.join(f'<{tag}{left}>{escape(cell)}</{tag}>' for cell in row)}</tr>"


def warning(d: Diagnosis) -> str:
    """The diagnosis in one sentence, for a warning."""
    return (
        f"{d.program}: {_estimate(d)[0].lower()}{_estimate(d)[1:]} Artifacts of where it stopped: "
        f"{first_few(d.artifacts) or 'not computed in this time'}. See discriminant.diagnose(result)."
    )

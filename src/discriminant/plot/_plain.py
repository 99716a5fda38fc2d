"""What a comparison says, for a reader who knows no mathematics.  Tests: ``tests/plot/test_page.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..bounds import cover
from ..comparison.table import percent, plain_failure
from ..separation.apart import joined, told_apart

if TYPE_CHECKING:
    from ..comparison import Comparison, Row
    from ..exceptions import UndecidedError

VERDICTS = {
    "complete": "The classes can be told apart without a single error by a straight cut: a line when there are two "
    "columns, and its like when there are more. Every row of the table lies strictly on the side of its own class. ",
    "quasi": "Straight cuts tell only some of the rows apart: {separated:,} rows lie strictly on the side of their "
    "own class and none on a wrong side, but the other {boundary:,} lie exactly on the cut, and no straight cut "
    "does better. ",
    "overlap": "No straight cut tells the classes apart without errors: they are mixed with each other. Every "
    "procedure that cuts straight makes errors on this table, and the question is how few. ",
}
MACHINE = {
    "quasi": "Rules that cut straight can be right for some of the classes, and err between the others. ",
    "overlap": "Every procedure that cuts straight makes errors on this table, and the question is how few. ",
}
UNDECIDED = (
    "Whether a straight cut tells the classes apart without errors is not known: the time for the answer was over "
    "before it was found. The errors below are those that the procedures made."
)
PROVED = "This is no estimate. It is proved, and the proof below can be checked by anybody."

GLOSSARY = {
    "rank": "Place by the cross-validated error. All whose further errors may be chance tie with the first.",
    "procedure": "A recipe that looks at rows whose class is known and finds a rule for rows whose class is not.",
    "training error": "How many of every hundred rows the finished rule gets wrong among those from which it was "
    "made. It flatters: a rule can learn its rows by heart.",
    "cross-validated error": "The honest number. The rows are dealt into parts; each part in turn is hidden, a rule "
    "is made from the others and then judged by the hidden rows. This is what to expect of new rows like these. "
    "Behind ± stands its standard error, which says how much chance there is in it.",
    "margin": "How far the nearest row is from the cut, in the units of the table. Large is safe; a negative margin "
    "belongs to a row on the wrong side. There is a dash where the cut is not straight.",
    "corrections": "How often the procedure changed its mind before it stopped. There is a dash where the rule is "
    "computed at once.",
    "seconds": "How long it took to make the rule from all rows.",
    "why it stopped": "“Separated”: no errors are left. “Converged”: it cannot get any better in its own eyes. “Not "
    "separable”: it noticed that errors are unavoidable. “Cycles”: it goes around in circles. “Budget”: it was "
    "still changing when its time was up, which is usual when the classes are mixed.",
}
PICTURES = {
    "regions": "Two columns of the table, each dot a row. The background tells what each procedure would answer at "
    "that place. Rows for which the answer is right are faded, so that the wrong ones stand out. Hatched: the "
    "procedure cannot make up its mind.",
    "curves": "How many errors each procedure met on its way, from the left to the right, each counted when it was "
    "met. A procedure that finds a cut without errors ends at zero; one that keeps wandering does not find any.",
    "margins": "How far the rows are from the cut. Everything to the left of the solid line is on the wrong side; "
    "the dashed line marks the worst row. A good rule keeps its rows far to the right.",
}


def summary(comparison: Comparison) -> list[str]:
    told = [UNDECIDED] if comparison.undecided is not None else _about_verdict(comparison)
    best = comparison.best
    if best is None:
        return [*told, "No procedure could be run on these data; the table says why."]
    return [
        *told,
        _about_best(comparison, best),
        *_about_ties(comparison, best),
        *_about_memory(best),
        *_about_failures(comparison),
    ]


def _about_verdict(comparison: Comparison) -> list[str]:
    verdict = comparison.verdict
    counts = {"separated": verdict.separated_rows.size, "boundary": verdict.boundary_rows.size}
    words = VERDICTS[verdict.verdict].format(**counts)
    if len(comparison.classes) > 2 and verdict.verdict != "complete":
        words = f"{_sentence(told_apart(verdict))}. {MACHINE[verdict.verdict]}"
    told = [words + PROVED]
    n, d = comparison.X.shape
    if verdict.verdict == "complete" and len(comparison.classes) == 2 and (chance := cover(n, d)) > 0.01:
        told.append(
            "Do not read too much into it: with so few rows for so many columns, even labels drawn at random could be "
            f"told apart with a probability of {percent(chance)}."
        )
    return told


def what_is_known(undecided: UndecidedError) -> str:
    """Of a verdict that took too long: what was found by then, and how to wait for it."""
    pairs = len(undecided.pairs)
    known = [
        *(["no straight cut has every row strictly on its own side"] if "complete" in undecided.excluded else []),
        *(["the classes are not mixed throughout"] if "overlap" in undecided.excluded else []),
        *([] if undecided.n_wrong is None else [f"the best cut seen has {undecided.n_wrong:,} rows on a wrong side"]),
        *([f"of the pairs of classes, {pairs:,} are decided"] if pairs else []),
    ]
    return (
        f"The verdict was allowed {undecided.seconds:g} seconds. So far: {'; '.join(known) or 'nothing is known'}. To "
        "wait for it, run"
    )


def _about_best(comparison: Comparison, best: Row) -> str:
    guess = 1 - max(comparison.classes.values()) / len(comparison.y)
    if best.cv_error is None:
        return (
            f"Of {len(comparison)} procedures, {best.method} makes the fewest errors on the rows it has seen: "
            f"{percent(best.train_error)}. How it does on new rows is not known, because nothing was cross-validated."
        )
    return (
        f"Of {len(comparison)} procedures, {best.method} makes the fewest errors on rows that it has not seen: "
        f"{percent(best.cv_error)}{_one_in(best.cv_error)}. For comparison: whoever always names the most frequent "
        f"class is wrong in {percent(guess)} of all cases."
    )


def _about_ties(comparison: Comparison, best: Row) -> list[str]:
    others = [row.method for row in comparison.ties if row is not best]
    if not others:
        return []
    verb = "is" if len(others) == 1 else "are"
    return [
        f"It is a tie: {joined(others)} {verb} as good, as far as these rows can tell. Take the one that you like best."
    ]


def plain_remark(row: Row) -> str:
    """What a procedure has to say, without the names of its program: its failure, or why it stopped early."""
    if row.failure:
        return plain_failure(row)
    if row.warnings:
        return _sentence(row.sentence or row.warnings[0]) + ("." if row.sentence else "")
    return ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _one_in(share: float) -> str:
    return f", or about one row in {round(1 / share):,}" if 0 < share <= 0.5 else ""


def _about_memory(best: Row) -> list[str]:
    if best.cv_error is None or best.train_error is None or best.cv_error <= 2 * best.train_error + 0.02:
        return []
    return [
        f"On the rows that it has seen it makes only {percent(best.train_error)}: it has learned some of them by "
        "heart, so more rows should help."
    ]


def _about_failures(comparison: Comparison) -> list[str]:
    failed = [row.method for row in comparison.rows if row.failure]
    if not failed:
        return []
    few = ", ".join(failed[:6]) + (", …" if len(failed) > 6 else "")
    return [f"{len(failed)} of them failed or were left out ({few}); the remarks below the table say why."]

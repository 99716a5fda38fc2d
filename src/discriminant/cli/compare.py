"""``discriminant compare``: every procedure on one table."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from ..comparison.methods import chosen
from ._errors import INTERRUPTED, CommandError, command_words
from ._lean import import_sklearn
from ._options import Axes, Json, Quiet, WeightedRows, names, option, taking
from ._output import check_place, echo, echo_json, progress, say, width
from ._tables import axes_of, check_labels, learnable, uneven


@taking(WeightedRows)
def compare(
    given: WeightedRows,
    methods: Annotated[
        str, typer.Option(metavar="A,B,C", help="The procedures, or all; see `discriminant methods`.")
    ] = "all",
    cv: Annotated[int, typer.Option(metavar="N", min=0, help="Folds of the cross-validation; 0 leaves it out.")] = 5,
    html: Annotated[str | None, option("Write a report with pictures there, as one HTML file.", metavar="FILE")] = None,
    axes: Axes = None,
    jobs: Annotated[
        int | None, option("Processes; by default one a core, or one for tiny tables.", metavar="N")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds that the verdict may take; 0 leaves no limit.")
    ] = 5.0,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Run every procedure on a table: errors, cross-validated errors, margin, corrections, time, verdict.

    Ctrl-C ends it early, without a report; what was not run says so in its row.
    """
    if html == "-":
        raise CommandError("--html -: a report is a file of its own; give it a name such as report.html.")
    check_place(html, given.data, option="--html")
    procedures = list(chosen("all" if methods == "all" else names(methods) or []))
    if not procedures:
        raise CommandError(f"--methods {methods!r} names no procedure; write all, or names with commas between them.")
    recipe, X, y, w = learnable(given)
    check_labels(y, recipe.target, "naming --methods", insist=methods == "all")
    drawn = None if axes is None else axes_of(axes, list(recipe.feature_names))
    import_sklearn("sklearn.model_selection")
    from .. import comparison  # heavy: what is wrong with the table has been said before

    with progress("comparing") as update:
        found = comparison.compare(
            X,
            y,
            procedures,
            cv,
            sample_weight=w,
            feature_names=recipe.feature_names,
            n_jobs=jobs,
            random_state=given.seed,
            max_seconds=max_seconds or None,
            progress=lambda done, total, name: update(done, total),
        )
    if recipe.standardize:
        found.notes.append("Each feature was brought to mean 0 and standard deviation 1 before.")
    elif (hint := uneven(recipe, X)) is not None:
        found.notes.append(f"{hint}.")
    interrupted = any(row.failure == comparison.INTERRUPTED for row in found.rows)
    if html is not None and interrupted:
        say(f"The report {html} is not written: its pictures would take longer than Ctrl-C may.")
    elif html is not None:
        with progress(f"drawing {html}"):
            found.report(html, features=drawn, title=given.data, command=shlex.join(["discriminant", *sys.argv[1:]]))
        say(f"The report is in {html}.")
    if json:
        echo_json("comparison", found.to_dict())
    else:
        from ..comparison.table import as_text

        echo(as_text(found, command_words, width()), prose=True)
    return INTERRUPTED if interrupted else 0

"""``discriminant plot``: a picture of a fit."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from .._atomic import replacing
from .._extras import needed
from ._errors import INTERRUPTED, CommandError
from ._learning import learned
from ._methods import REGRESSORS, find
from ._options import Axes, Json, Quiet, Training, taking
from ._output import echo_json, say
from ._tables import axes_of
from ._writing import check_place


class Kind(StrEnum):
    """What the picture shows."""

    BOUNDARY = "boundary"
    CONVERGENCE = "convergence"
    MARGINS = "margins"


@taking(Training)
def plot(
    given: Training,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The picture: .svg, .png or .pdf.", show_default=False)
    ],
    kind: Annotated[
        Kind, typer.Option(help="The decision regions, errors and criterion of the passes, or how far the rows lie.")
    ] = Kind.BOUNDARY,
    axes: Axes = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Draw the decision regions, the convergence or the margins of a procedure."""
    check_place(output, given.data)
    figure, save = _figure(output)
    procedure, method = find(given.method), given.method
    if procedure in REGRESSORS.values() and kind is not Kind.CONVERGENCE:
        raise CommandError(f"--method {method}: a regression has no {kind} to draw; take --kind convergence.")
    model, recipe, X, y, interrupted = learned(given, procedure, lambda recipe: _axes(axes, recipe))
    chosen, known = _axes(axes, recipe), list(recipe.feature_names)
    _draw(kind, model, X, y, chosen, known, figure.add_subplot())
    save()
    say(f"The picture is in {output}.")
    if json:
        drawn = chosen if kind is Kind.BOUNDARY else None
        facts = {"kind": kind.value, "axes": drawn, "method": method, "status": model.status_.name}
        echo_json("plot", facts | {"output": output, "interrupted": interrupted})
    return INTERRUPTED if interrupted else 0


def _axes(axes: str | None, recipe: Any) -> list[str]:
    return axes_of(axes, list(recipe.feature_names))


def _figure(output: str) -> tuple[Any, Callable[[], None]]:
    """An empty figure, and what writes it in one step in the format of its name."""
    needed("matplotlib", "plot")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 5.0), layout="constrained")
    known = figure.canvas.get_supported_filetypes()
    suffix = Path(output).suffix[1:].lower()
    if suffix not in known:
        raise CommandError(f"-o {output!r}: pictures end in {', '.join(f'.{name}' for name in sorted(known))}.")

    def save() -> None:
        with replacing(output) as file:
            figure.savefig(file, format=suffix)

    return figure, save


def _draw(kind: Kind, model: Any, X: Any, y: Any, chosen: list[str], known: list[str], ax: Any) -> None:
    from .. import plot as pictures

    if kind is Kind.BOUNDARY:
        pictures.boundary(model, X, y, features=chosen, ax=ax, feature_names=known)
    elif kind is Kind.CONVERGENCE:
        pictures.convergence(model, ax=ax)
    else:
        pictures.margins(model, X, y, ax=ax)

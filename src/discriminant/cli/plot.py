"""``discriminant plot``: a picture of a fit."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from .._engine.extras import needed
from .._engine.files import replacing
from ._errors import INTERRUPTED, CommandError
from ._learning import Learned, learn, learned
from ._methods import DEFAULT, REGRESSORS, find
from ._options import Axes, Json, Quiet, Training, file_option, taking
from ._output import check_place, echo_json, say
from ._tables import axes_of, plane_of

MEDIANS, LEFT_OUT = "medians", "left out"  # what becomes of the features that are no axes
Kind = StrEnum("Kind", ["REGIONS", "BOUNDARY", "HULLS", "HISTORY", "MARGINS", "NETWORK"])  # what the picture shows
PLANE = (Kind.REGIONS, Kind.BOUNDARY, Kind.HULLS)  # drawn in the plane of two features


@taking(Training)
def plot(
    given: Training,
    output: Annotated[str, file_option("The picture: .svg, .png or .pdf.")],
    kind: Annotated[
        Kind,
        typer.Option(
            help="The decision regions, the boundary with its margin, the convex hulls with the proof, the errors of "
            "the passes, the margins of the rows, or the units and weights of a network."
        ),
    ] = Kind.REGIONS,
    axes: Axes = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Draw the decision regions, the boundary, the hulls, the history, the margins or the weights of a procedure.

    Regions, boundary and hulls are those of two features: --axes, or those whose class means differ most. The others
    have their medians there; where that would show one class only, the procedure is fitted anew to the two. The picture
    says so.
    """
    check_place(output, given.data)
    figure, save = _figure(output)
    procedure, method = find(given.method), given.method or DEFAULT
    if procedure in REGRESSORS.values() and kind is not Kind.HISTORY:
        raise CommandError(f"--method {method}: a regression has no {kind} to draw; take --kind history.")
    found = learned(given, procedure, lambda recipe: _prepared(axes, recipe))
    shown = _in_plane(found, axes) if kind in PLANE else _Picture(found)
    interrupted = shown.fit.interrupted
    if interrupted:
        say("Ctrl-C came before the end of the fit: nothing is drawn.")
    else:
        _draw(kind, shown, given.data, figure.add_subplot())
        save()
        say(f"The picture is in {output}.")
    if json:
        facts = {"kind": kind.value, "axes": shown.axes, "others": shown.others, "refitted": shown.refitted}
        facts |= {"method": method, "status": shown.fit.model.status_.name}
        echo_json("plot", facts | {"output": None if interrupted else output, "interrupted": interrupted})
    return INTERRUPTED if interrupted else 0


def _prepared(axes: str | None, recipe: Any) -> None:
    """Refuse features that are not there, and import what draws."""
    axes_of(axes, list(recipe.feature_names))
    import_module("discriminant.plot")


class _Picture(NamedTuple):
    """What is drawn: a fit, the features of its axes, and how the others come in: at their medians, or not at all."""

    fit: Learned
    names: list[str] = []
    axes: list[str] | None = None
    others: str | None = None

    @property
    def refitted(self) -> bool:
        return self.others == LEFT_OUT


def _in_plane(found: Learned, axes: str | None) -> _Picture:
    """The fit in the plane of two features; one that is new where a cut through the others shows nothing."""
    from sklearn.base import clone

    from ..plot._style import dense
    from ..plot.decision_regions import hides

    names = list(found.recipe.feature_names)
    chosen = plane_of(axes, names, found.X, found.y)
    drawn = [names[j] for j in chosen]
    if len(names) == len(chosen):
        return _Picture(found, names, drawn)
    if found.interrupted or not hides(found.model, found.X, chosen):
        return _Picture(found, names, drawn, MEDIANS)
    say(f"At the medians of the other features all rows would be of one class: fitting anew to {' and '.join(drawn)}.")
    model, X = clone(found.model), dense(found.X[:, chosen])
    interrupted = learn(model, X, found.y, found.weights)
    return _Picture(found._replace(model=model, X=X, interrupted=interrupted), drawn, drawn, LEFT_OUT)


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


def _draw(kind: Kind, shown: _Picture, data: str, ax: Any) -> None:
    from .. import plot as pictures
    from ..plot._style import add_title, dense, literal

    model, X, y = shown.fit.model, shown.fit.X, shown.fit.y
    own = kind is not Kind.HULLS  # which are the same for every procedure
    add_title(ax, f"{type(model).__name__}: {literal(data)}" if own else literal(data))
    if shown.refitted and own:
        add_title(ax, "fitted anew to these two: a cut at the others' medians shows only one class")
    if kind is Kind.HULLS:
        chosen = [shown.names.index(name) for name in shown.axes or ()]
        pictures.hulls(dense(X[:, chosen]), y, ax, feature_names=shown.axes)
    elif kind in PLANE:
        draw = pictures.regions if kind is Kind.REGIONS else pictures.boundary
        draw(model, X, y, features=shown.axes or (), ax=ax, feature_names=shown.names)
    elif kind is Kind.HISTORY:
        pictures.history(model, ax=ax)
    elif kind is Kind.NETWORK:
        pictures.network(model, ax, feature_names=list(shown.fit.recipe.feature_names))
    else:
        pictures.margin_distribution(model, X, y, ax=ax)

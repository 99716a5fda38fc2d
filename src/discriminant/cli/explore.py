"""``discriminant explore``: the explorer in the browser, on a table of one's own or on points placed by hand."""

from __future__ import annotations

import errno
import os
import sys
import webbrowser
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

import typer

from .._engine.extras import needed
from ..explorer.messages import MARK, MOST_CLASSES, MOST_POINTS
from ._errors import CommandError
from ._methods import complete_methods, find
from ._options import Axes, Json, Quiet, Rows, argument, option, taking
from ._output import echo, echo_json, say, warn
from ._tables import SEED, learnable, plane_of, reading_of, tell_reading

BEGINNING = "table-1-2"  # what is shown where a procedure is named and no data


@dataclass(frozen=True)
class Shown(Rows):
    """Which table is shown, or none: then there are points to place by hand."""

    data: Annotated[
        str,
        argument(
            "DATA", "A table such as flowers.csv, the name of a data set such as iris, or a link that a page shared."
        ),
    ] = ""


@taking(Shown)
def explore(
    given: Shown,
    axes: Axes = None,
    procedure: Annotated[
        str | None,
        option(
            "The procedure to begin with; see `discriminant methods`.", "--procedure", "-p", metavar="METHOD",
            autocompletion=complete_methods,
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes a free one.")] = 0,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Who may reach it; this machine alone by default.")] = (
        "127.0.0.1"
    ),
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    json: Json = False,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Watch procedures learn on a page in the browser, step by step, on your own points.

    The page is served by this command until Ctrl-C, to this machine alone. It shows two features: --axes, or those
    whose class means differ most. Of more than 5,000 rows so many are drawn at random; at most six classes are shown.

    Examples
    --------
    - `discriminant explore` begins with points of the books, to be moved, removed and added to by hand

    - `discriminant explore iris --axes "petal length (cm),petal width (cm)"`

    - `discriminant explore flowers.csv -t species -p svm`

    - `discriminant explore people.csv -t churned --drop name --missing drop --encoding cp1252`

    - `discriminant explore "http://127.0.0.1:39563/?token=…#s=…"` shows what a link holds, also after its server ended
    """
    for module in ("starlette", "uvicorn", "websockets"):
        needed(module, "explorer")
    start = None
    if MARK in given.data:
        start = _shared(given, {"axes": axes, "procedure": procedure})
    elif given.data or procedure is not None:
        start = _state(replace(given, data=given.data or BEGINNING), axes, procedure)
    from ..explorer.server import LOCAL, serve

    if host not in LOCAL:
        warn(f"--host {host}: whoever can reach this machine and knows the address can run procedures on it.")

    def opened(address: str) -> None:
        if json:
            echo_json("explore", {"address": address})
        else:
            echo(f"The explorer is at {address}")
        say("Press Ctrl-C to end it.")
        if browser and _has_screen():
            webbrowser.open(address)

    try:
        serve(start, host, port, opened)
    except OSError as error:
        raise CommandError(_reason(error, host, port)) from None
    say("The explorer has ended.")


def _has_screen() -> bool:
    """Whether a browser would come up beside the terminal, not in it."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))


def _reason(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"--port {port} is in use by another program; name another one, or leave it out to take a free one."
    if error.errno == errno.EACCES:
        return f"--port {port} is not allowed to this user; take one above 1023, or leave it out."
    return f"--host {host}: {error.strerror or error}; give an address of this machine, such as 127.0.0.1."


def _shared(given: Shown, others: dict[str, str | None]) -> dict[str, Any]:
    """What the page begins with: the state in a link."""
    from ..explorer.links import state_of

    options = {each.name: getattr(given, each.name) for each in fields(given)[1:]} | others
    plain = {each.name: each.default for each in fields(given)}
    for name, value in options.items():
        if value != plain.get(name):
            raise CommandError(f"--{name} {value}: the link says that already; leave it out.")
    try:
        return state_of(given.data)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _drawn(X: Any, y: Any) -> tuple[Any, Any]:
    """As many rows as can be shown, the same ones each time, in their order."""
    import numpy as np

    rows = np.sort(np.random.default_rng(SEED).choice(len(y), MOST_POINTS, replace=False))
    return X[rows], y[rows]


def _state(given: Rows, axes: str | None, procedure: str | None) -> dict[str, Any]:
    """What the page begins with: the rows in the plane of two features, and a procedure."""
    from ..comparison.methods import METHODS, full_name

    if procedure is not None and find(procedure, "--procedure").kind not in {each.kind for each in METHODS.values()}:
        raise CommandError(f"--procedure {procedure}: a regression has no classes to show; name another procedure.")
    data, (recipe, X, y, _) = given.data, learnable(given)
    tell_reading(reading_of(recipe))
    names = list(recipe.feature_names)
    if len(y) > MOST_POINTS:
        warn(f"{data} has {len(y):,} rows: {MOST_POINTS:,} of them are shown, drawn at random; verdicts are on these.")
        X, y = _drawn(X, y)
    if len(names) < 2:
        raise CommandError(f"{data} has one feature, {names[0]}; the plane needs two.")
    from ..explorer.catalog import points_of

    chosen = plane_of(axes, names, X, y)
    points = points_of(X[:, chosen], y, [names[j] for j in chosen])
    if len(points["classes"]) > MOST_CLASSES:
        few = f"{data} has {len(points['classes']):,} classes in {recipe.target}"
        raise CommandError(f"{few}; at most {MOST_CLASSES} can be shown: name another --target, or take fewer rows.")
    told = {"v": 1, "points": points, "title": data, "parameters": {}, "race": None, "seed": 0}
    return told | {"procedure": full_name(procedure or "perceptron"), "one_feature": False, "step": None}

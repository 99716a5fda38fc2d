"""``discriminant datasets``: the data sets of the package, or one as a table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._errors import CommandError, nearest
from ._options import Json, Quiet, argument
from ._output import check_place, echo_json, echo_list, plain, write_table
from ._tables import dataset, frame_of


def datasets(
    name: Annotated[str | None, argument("NAME", "Print this data set as a table.")] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Write the table there; - is CSV on stdout.")
    ] = "-",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List the data sets of the package, or print one of them as a table."""
    from .. import datasets as room

    known = [entry.replace("_", "-") for entry in room.names()]
    if name is None:
        heads = ("name", "rows", "columns", "classes", "description")
        return echo_list("datasets", [_facts(entry) for entry in known], heads, json)
    found = dataset(name)
    if found is None:
        raise CommandError(f"{name!r} is no data set. {nearest(name, known)}")
    check_place(output)
    if json:
        rows = frame_of(found).rows()
        echo_json("dataset", _facts(name) | {"feature_names": found.feature_names, "data": plain(rows)})
    if output != "-" or not json:
        write_table([frame_of(found)], output)


def _facts(name: str) -> dict[str, Any]:
    found = dataset(name)
    assert found is not None
    n, d = found.X.shape
    return {
        "name": name,
        "rows": n,
        "columns": d,
        "classes": len(set(found.y.tolist())),
        "verdict": found.answers.get("verdict"),
        "description": found.description,
        "source": found.source,
    }

"""``discriminant warm-up``: all machine code at once, so that no later command waits for it."""

from __future__ import annotations

from typing import Annotated

import typer

from ._options import Json, Quiet, names
from ._output import echo, echo_json, watched


def warm_up(
    forms: Annotated[
        str | None,
        typer.Option("--forms", metavar="NAMES", help="Some of dense64, dense32, csr64, csr32; by default all."),
    ] = None,
    sizes: Annotated[
        str | None, typer.Option("--sizes", metavar="NAMES", help="Tables that are small or large; by default both.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes; by default one on each core.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compile everything for this machine now, so that no later command has to wait for it.

    What is compiled is kept in the folder that NUMBA_CACHE_DIR names, else in the user's cache directory.
    """
    from .. import warm_up as compile_all

    done = compile_all(forms=names(forms), sizes=names(sizes), n_jobs=jobs, progress=watched())
    if json:
        return echo_json("warm-up", {"compiled": done.compiled, "seconds": done.seconds, "folder": str(done.folder)})
    echo(f"{done}.")

"""The typer application, and the one place where it is run: exit codes, warnings, Ctrl-C, errors."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer

from .. import __version__
from ._errors import BAD_INPUT, INTERRUPTED, sentence
from ._output import echo, echo_json, hush, say, silence, warn
from .check import check
from .compare import compare
from .datasets import datasets
from .explain import explain
from .export import export
from .fit import fit
from .methods import methods
from .plot import plot
from .predict import predict
from .verify import verify

COMMANDS: tuple[Callable[..., Any], ...] = (
    check, verify, fit, predict, explain, compare, plot, export, datasets, methods,
)  # fmt: skip

app = typer.Typer(
    name="discriminant",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done (check: complete), 2 bad input, 3 quasi, 4 overlap, 5 proof refused, 130 Ctrl-C.",
    rich_markup_mode="markdown",
)
for command in COMMANDS:
    app.command()(command)


def _version(asked: bool) -> None:
    if asked:
        echo(f"discriminant {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Linear discriminant functions for tables: verdicts with proofs, models, comparisons, pictures."""


def run(arguments: list[str]) -> int:
    """Run a command; give its exit code. Every error is one message on stderr."""
    hush(bool({"--quiet", "-q"} & set(arguments)))  # before typer has read them: it may refuse one
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = warn
        try:
            code = app(arguments, prog_name="discriminant", standalone_mode=False)
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        except SystemExit as end:
            code = end.code
            if isinstance(end.__context__, BrokenPipeError):  # typer has taken it for an error
                silence()
                code = 0
        except Exception as error:
            if os.environ.get("DISCRIMINANT_TRACEBACK"):
                raise
            said = sentence(error)
            say(f"Error: {said}")
            if "--json" in arguments:
                echo_json("error", {"error": said})
            return BAD_INPUT
    code = code if isinstance(code, int) else 0
    if code == INTERRUPTED:
        say("Interrupted.")
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
    return code

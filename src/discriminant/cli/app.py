"""The typer application, and the one place where it is run: exit codes, warnings, Ctrl-C, errors.

Tests: ``tests/cli/test_command.py``.
"""

from __future__ import annotations

import os
import sys
import warnings
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Annotated, Any

import typer

from .. import __version__
from ._errors import BAD_INPUT, INTERRUPTED, UNDECIDED, CommandError, is_late, sentence, shortened
from ._output import echo, echo_json, hush, printing, say, silence, tell_of_compiling, visible, warn
from .check import check
from .compare import compare
from .datasets import datasets
from .explain import explain
from .explore import explore
from .export import export
from .fit import fit
from .methods import methods
from .plot import plot
from .predict import predict
from .score import score
from .verify import verify
from .warm_up import warm_up

COMMANDS: tuple[Callable[..., Any], ...] = (
    check, verify, fit, predict, score, explain, compare, plot, explore, export, datasets, methods, warm_up,
)  # fmt: skip

app = typer.Typer(
    name="discriminant",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done (check: complete), 2 bad input, 3 quasi, 4 overlap, 5 proof refused, 6 proof of another "
    "question, 7 time is up, 130 Ctrl-C.",
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
    tell_of_compiling()
    with warnings.catch_warnings(), _hearing() as lost:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = warn
        try:
            code = app(arguments or ["--help"], prog_name="discriminant", standalone_mode=False)
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
            code = INTERRUPTED if lost or _is_interrupt(error) else _refused(error, "--json" in arguments)
    code = code if isinstance(code, int) else 0
    if code == INTERRUPTED:
        say("Interrupted.")
    with suppress(CommandError), printing():
        sys.stdout.flush()
    return code


def _refused(error: Exception, json: bool) -> int:
    said = sentence(error)
    say(f"Error: {shortened(visible(said))}")
    if json:
        with suppress(CommandError):  # stdout itself is what cannot be written
            known: dict[str, Any] = getattr(error, "to_dict", dict)()  # of an UndecidedError
            echo_json("undecided" if known else "error", {"error": said, **known})
    return UNDECIDED if is_late(error) else BAD_INPUT


@contextmanager
def _hearing() -> Iterator[list[BaseException]]:
    """Ctrl-C that comes inside of a callback, where Python would only print it, is raised again outside.

    The list holds those. The compiler, whose callback broke off, may fail in words of its own before that.
    """

    def told(unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        lost.append(unraisable.exc_value)
        again = Timer(0.01, interrupt_main)
        again.daemon = True
        again.start()

    lost: list[BaseException] = []
    before, sys.unraisablehook = sys.unraisablehook, told
    try:
        yield lost
    finally:
        sys.unraisablehook = before


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: an import that it breaks off fails in words of its own."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None

"""What the user named after ``-o``: a file that is there as a whole or not at all, or stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

from ._errors import CommandError
from ._output import Shown, printing


def check_place(target: str | None, *inputs: str, option: str = "-o") -> None:
    """Refuse a place that cannot be written to, or that is read from, before the work is done rather than after."""
    if target is None or target == "-":
        return
    path = Path(target)
    if path.is_dir():
        raise CommandError(f"{option} {target!r} is a folder: give the name of a file.")
    if not path.parent.is_dir():
        raise CommandError(f"{option} {target!r}: there is no folder {str(path.parent)!r}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise CommandError(f"{option} {target!r}: nothing can be written into the folder {str(path.parent)!r}.")
    for source in inputs:
        if path.is_file() and _is_same(path, source):
            read = "standard input" if source == "-" else repr(source)
            raise CommandError(f"{option} {target!r} would overwrite {read}, which is read: give another name.")


def _is_same(path: Path, source: str) -> bool:
    """Whether the source is this very file, by whatever path or link; ``-`` may be one too (``< file``)."""
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(source))
    except (OSError, ValueError):  # a data set, which is no file, or a closed stream
        return False


def write_table(frames: Iterable[Any], target: str) -> None:
    """Write a table that comes in portions, in the format of its name; ``-`` is CSV on stdout.

    Files and pipes get every byte of the data as it is; a terminal gets nothing that would steer it.
    """
    from ..io.tables import write_portions

    steered = target == "-" and sys.stdout.isatty()
    with printing(), redirect_stdout(Shown(sys.stdout)) if steered else nullcontext():
        write_portions(frames, target)

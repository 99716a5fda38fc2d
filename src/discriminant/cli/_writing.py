"""What the user named after ``-o``: a file that is there as a whole or not at all, or stdout."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._errors import CommandError
from ._output import silence


def check_place(target: str | None, option: str = "-o") -> None:
    """Refuse a place that cannot be written to, before the work is done rather than after."""
    if target is None or target == "-":
        return
    path = Path(target)
    if path.is_dir():
        raise CommandError(f"{option} {target!r} is a folder: give the name of a file.")
    if not path.parent.is_dir():
        raise CommandError(f"{option} {target!r}: there is no folder {str(path.parent)!r}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise CommandError(f"{option} {target!r}: nothing can be written into the folder {str(path.parent)!r}.")


def write_table(frames: Iterable[Any], target: str) -> None:
    """Write a table that comes in portions, in the format of its name; ``-`` is CSV on stdout."""
    from ..io.tables import write_portions

    try:
        write_portions(frames, target)
    except BrokenPipeError:
        silence()

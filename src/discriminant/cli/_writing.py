"""What the user named after ``-o``: a file that is there as a whole or not at all, or stdout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import CommandError
from ._output import silence

if TYPE_CHECKING:
    import polars


def check_place(target: str | None) -> None:
    """Refuse a place that cannot be written to, before the work is done rather than after."""
    if target is None or target == "-":
        return
    path = Path(target)
    if path.is_dir():
        raise CommandError(f"-o {target!r} is a folder: give the name of a file.")
    if not path.parent.is_dir():
        raise CommandError(f"-o {target!r}: there is no folder {str(path.parent)!r}; make it first.")


def write_table(frame: polars.DataFrame, target: str) -> None:
    """Write a table in the format of its name; ``-`` is CSV on stdout."""
    from ..io import write

    try:
        write(frame, target)
    except BrokenPipeError:
        silence()

"""The two things that can be wrong with a file, each told in one sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 880  # characters of a message: it must fit on a screen whatever the file holds


class _FileProblem(ValueError):
    """A message of one line and bounded length."""

    def __init__(self, message: str) -> None:
        line = " ".join(message.split())
        super().__init__(line if len(line) <= LONGEST else f"{line[:LONGEST]}…")


class TableError(_FileProblem):
    """What is wrong with a table: the column, the row and the remedy, in fewer than 900 characters.

    Examples
    --------
    >>> import polars as pl
    >>> from discriminant import io
    >>> try:
    ...     io.Recipe(target="churn").fit(pl.DataFrame({"age": [31], "churned": [True]}))
    ... except io.TableError as error:
    ...     print(error)
    there is no column 'churn': did you mean 'churned'?
    """


class ModelFileError(_FileProblem):
    """Why a model cannot be written to a file, or a file not be taken for a model.

    Examples
    --------
    >>> from discriminant import io
    >>> try:
    ...     io.loads('{"format": "discriminant model"}')
    ... except io.ModelFileError as error:
    ...     print(error)
    this is no model file: 'checksum' is missing.
    """


def absent(name: str, names: Iterable[str]) -> TableError:
    """The error for a column that is not there, with the nearest names, or all of them when they are few."""
    known = list(names)
    folded = {each.casefold(): each for each in known}
    near = [folded[match] for match in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)]
    if near:
        return TableError(f"there is no column {name!r}: did you mean {' or '.join(map(repr, near))}?")
    shown = ", ".join(map(repr, known[:20])) + (f" and {len(known) - 20:,} more" if len(known) > 20 else "")
    return TableError(f"there is no column {name!r}: the table has {shown or 'no columns'}.")

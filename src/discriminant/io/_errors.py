"""What can be wrong with a file, a table or a model, in one sentence each.  Tests: ``tests/io/test_models.py``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._guards.parameters import suggestion

NOT_A_MODEL = "this is not a model file: "
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


class NoRowsError(TableError):
    """A table that has a header and nothing below it, which is no fault in one of several files."""


class ModelFileError(_FileProblem):
    """Why a model cannot be written to a file, or a file not be taken for a model.

    Examples
    --------
    >>> from discriminant import io
    >>> try:
    ...     io.loads('{"format": "discriminant model"}')
    ... except io.ModelFileError as error:
    ...     print(error)
    this is not a model file: 'checksum' is missing.
    """


def not_a_model(reason: str) -> ModelFileError:
    return ModelFileError(f"{NOT_A_MODEL}{reason}")


def not_a_recipe(reason: str) -> TableError:
    return TableError(f"this is not a recipe: {reason}")


def wrong_value(series: Any, row: int, first: int, why: str) -> TableError:
    """The error for one value of a column, ``first`` rows of which came before."""
    return TableError(f"column {series.name!r} holds {series[row]!r} in row {first + row + 1:,}, {why}")


def absent(name: str, names: Iterable[str]) -> TableError:
    """The error for a column that is not there, with the nearest names, or all of them when they are few."""
    known = list(names)
    if near := suggestion(name, known, 3):
        return TableError(f"there is no column {name!r}: did you mean {' or '.join(map(repr, near))}?")
    shown = ", ".join(map(repr, known[:20])) + (f" and {len(known) - 20:,} more" if len(known) > 20 else "")
    return TableError(f"there is no column {name!r}: the table has {shown or 'no columns'}.")

"""The arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ._methods import complete_methods


class Missing(StrEnum):
    """What is done with missing values."""

    REFUSE = "refuse"
    DROP = "drop"
    MEDIAN = "median"


class Unseen(StrEnum):
    """What is done with a level that the training data did not have."""

    REFUSE = "refuse"
    IGNORE = "ignore"


class Reading(StrEnum):
    """What a number of the table means."""

    DECIMAL = "decimal"
    FLOAT = "float"


def names(text: str | None) -> list[str] | None:
    """The names of a list with commas."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table (.csv .tsv .parquet .arrow .feather .jsonl .libsvm .npy .npz), the name of a data set such as "
        "iris or table-1-3, or - for CSV on standard input.",
        show_default=False,
    ),
]
Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file that fit wrote; - for standard input.", show_default=False)
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.", show_default=False),
]
Features = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="Learn from these columns only.", show_default=False),
]
Drop = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="Leave these columns out.", show_default=False),
]
Weights = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column that tells how much each row counts.", show_default=False),
]
MissingOption = Annotated[
    Missing,
    typer.Option("--missing", help="Missing values: refuse them, drop their rows, or put the median in their place."),
]
UnseenOption = Annotated[
    Unseen | None,
    typer.Option(
        "--unseen",
        help="Levels that the training data did not have: refuse them, or take them for none of the known ones.",
        show_default=False,
    ),
]
Standardize = Annotated[
    bool, typer.Option("--standardize", help="Bring every feature to mean 0 and standard deviation 1.")
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT", help="The format of DATA where its name does not tell: csv, parquet, …", show_default=False
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        metavar="METHOD",
        help="The procedure; see `discriminant methods`.",
        autocompletion=complete_methods,
    ),
]
Axes = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="The two features of a picture of decision regions.", show_default=False),
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="NAME=VALUE", help="A parameter of the procedure, such as C=10; may be repeated.",
        show_default=False,
    ),
]  # fmt: skip
Seed = Annotated[int, typer.Option(metavar="N", help="The seed of procedures that draw at random.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Leave stderr empty, also of errors; the exit code tells of them.")
]

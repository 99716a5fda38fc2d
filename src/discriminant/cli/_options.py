"""Arguments and options that several commands share, alone and in groups.  Tests: ``tests/cli/test_command.py``."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from ._methods import complete_methods
from ._output import hush

Missing = StrEnum("Missing", ["REFUSE", "DROP", "MEDIAN"])  # what is done with missing values
Unseen = StrEnum("Unseen", ["REFUSE", "IGNORE"])  # and with a level that the training data did not have
Reading = StrEnum("Reading", ["DECIMAL", "FLOAT"])  # what a number of the table means
Family = StrEnum("Family", ["CLASSES", "POISSON", "CUMULATIVE"])  # and what the target holds


def names(text: str | None) -> list[str] | None:
    """The names of a list with commas; a name that holds a comma itself stands in quotation marks."""
    if text is None:
        return None
    fields = next(csv.reader([text], skipinitialspace=True), [])
    return [name.strip() for name in fields if name.strip()]


def option(help: str, *names: str, **more: Any) -> Any:
    """An option that need not be given, whose help says what happens then."""
    return typer.Option(*names, help=help, show_default=False, **more)


def argument(metavar: str, help: str) -> Any:
    return typer.Argument(metavar=metavar, help=help, show_default=False)


def file_option(help: str) -> Any:
    return option(help, "--output", "-o", metavar="FILE")


Data = Annotated[
    str,
    argument(
        "DATA",
        "A table (.csv .tsv .parquet .arrow .feather .jsonl .libsvm .npy .npz, also .csv.gz), the name of a data "
        "set such as iris or table-1-3, or - for CSV on standard input.",
    ),
]
Model = Annotated[str, argument("MODEL", "A model file that fit wrote; - for standard input.")]
Target = Annotated[str | None, option("The column to predict.", "--target", "-t", metavar="COLUMN")]
Features = Annotated[str | None, option("Learn from these columns only.", metavar="A,B,C")]
Drop = Annotated[str | None, option("Leave these columns out.", metavar="A,B,C")]
Weights = Annotated[str | None, option("The column that tells how much each row counts.", metavar="COLUMN")]
MissingOption = Annotated[
    Missing,
    typer.Option("--missing", help="Missing values: refuse them, drop their rows, or put the median in their place."),
]
MissingInNew = Annotated[
    Missing | None,
    typer.Option(
        "--missing", help="Missing values: refuse them, leave such rows out, or put in the medians of the model."
    ),
]
UnseenOption = Annotated[
    Unseen | None,
    option(
        "Levels that the training data did not have: refuse them, or take them for none of the known ones.", "--unseen"
    ),
]
Standardize = Annotated[
    bool | None,
    option(
        "Bring every feature to mean 0 and standard deviation 1; fit does so where it chooses the method.",
        "--standardize/--no-standardize",
    ),
]
Format = Annotated[
    str | None, option("The format of DATA where its name does not tell: csv, parquet, …", metavar="FORMAT")
]
FILES = {"rich_help_panel": "How a CSV file is written"}
Header = Annotated[
    bool | None,
    option(
        "Whether it begins with the names of its columns; without them they are column_1, column_2, …, or 1, 2, … for "
        "short.",
        "--header/--no-header", **FILES,
    ),
]  # fmt: skip
Na = Annotated[str | None, option("What else stands for a missing value: -999,missing", metavar="A,B,C", **FILES)]
Decimal = Annotated[str | None, option("What stands before fractions, . or a comma.", metavar="MARK", **FILES)]
Encoding = Annotated[str | None, option("How its letters are written: cp1252, latin-1, …", metavar="NAME", **FILES)]
Comment = Annotated[str | None, option("Leave out lines that begin with this, such as #.", metavar="MARK", **FILES)]
Method = Annotated[
    str | None,
    option(
        "The procedure, logistic if none is named; see `discriminant methods`.", "--method", "-m", metavar="METHOD",
        autocompletion=complete_methods,
    ),
]  # fmt: skip
Axes = Annotated[str | None, option("The two features of a picture of decision regions.", metavar="A,B")]
Setting = Annotated[
    list[str] | None,
    option("A parameter of the procedure, such as C=10; may be repeated.", "--set", "-s", metavar="NAME=VALUE"),
]
Intercept = Annotated[bool, typer.Option(help="Whether planes may miss the origin.")]
ReadingOption = Annotated[
    Reading,
    typer.Option("--reading", help="A number means what the file says (decimal), or what the machine holds (float)."),
]
MaxSeconds = Annotated[float | None, option("Seconds that the verdict may take; no limit without.", metavar="S")]
FAMILY = typer.Option(
    "--family",
    help="The target holds classes, counts of a Poisson regression (poisson) or ordered levels (cumulative).",
)
FamilyOption = Annotated[Family, FAMILY]
LevelsOption = Annotated[
    str | None,
    option("The levels of --family cumulative, the lowest first; numbers need none.", metavar="LIST"),
]


def holds_numbers(family: Family | None, levels: str | None) -> bool:
    """Whether the target is to be read as numbers: counts, or levels of which nobody tells the order."""
    return family is Family.POISSON or (family is Family.CUMULATIVE and levels is None)


Seed = Annotated[int, typer.Option(metavar="N", help="The seed of procedures that draw at random.")]
FormulaOption = Annotated[
    str | None,
    option(
        "What is predicted from what, such as 'y ~ a + C(b)', in place of --target.", "--formula", metavar="FORMULA"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text, also of an error.")]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", callback=hush, is_eager=True,
        help="Leave stderr empty, also of errors; the exit code tells of them, and --json why.",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class File:
    """Which table is meant, and how it is written."""

    data: Data
    format: Format = None
    header: Header = None
    na: Na = None
    decimal: Decimal = None
    encoding: Encoding = None
    comment: Comment = None

    @property
    def written(self) -> dict[str, Any]:
        """What the user says of a CSV file, as ``io.scan`` takes it."""
        told: dict[str, Any] = {"header": self.header, "na": names(self.na)}
        told |= {"decimal": self.decimal, "encoding": self.encoding, "comment": self.comment}
        return {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True)
class Rows(File):
    """Which columns of it."""

    target: Target = None
    features: Features = None
    drop: Drop = None
    missing: MissingOption = Missing.REFUSE


@dataclass(frozen=True)
class WeightedRows(Rows):
    """What is learned from them, and how much each row counts."""

    weights: Weights = None
    standardize: Standardize = None
    seed: Seed = 0


@dataclass(frozen=True)
class Training(WeightedRows):
    """And by which procedure."""

    method: Method = None
    settings: Setting = None


@dataclass(frozen=True)
class NewRows(File):
    """What a model that is asked about it does with what it does not know."""

    missing: MissingInNew = None
    unseen: UnseenOption = None


def taking(group: type[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A command whose first parameter is such a group, as typer wants it: with each field as a parameter of its own."""

    def grouped(command: Callable[..., Any]) -> Callable[..., Any]:
        kinds = get_type_hints(group, include_extras=True)
        shared = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=kinds[field.name],
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
            )
            for field in fields(group)
        ]
        own = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for each in list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        ]
        first = [each for each in own if _is_argument(each)]  # PROOF stands before DATA

        @wraps(command)
        def called(**given: Any) -> Any:
            return command(group(**{each.name: given.pop(each.name) for each in shared}), **given)

        parameters = [*first, *shared, *(each for each in own if each not in first)]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        return called

    return grouped


def _is_argument(parameter: inspect.Parameter) -> bool:
    told = getattr(parameter.annotation, "__metadata__", ())
    return any(isinstance(each, typer.models.ArgumentInfo) for each in told)

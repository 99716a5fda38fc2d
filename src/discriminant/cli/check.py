"""``discriminant check``: are the classes linearly separable? The verdict, with its proof."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Annotated, Any

import typer

from .._engine.files import write_whole
from ._errors import OVERLAP, QUASI, CommandError
from ._options import (
    FAMILY,
    Family,
    FormulaOption,
    Intercept,
    Json,
    LevelsOption,
    MaxSeconds,
    Memory,
    Quiet,
    Reading,
    ReadingOption,
    Rows,
    Scheduler,
    file_option,
    holds_numbers,
    taking,
)
from ._output import aligned, check_place, echo, say, watched
from ._streams import streamed
from ._tables import asked_of, check_labels, in_order, tell_reading

CODES = {"complete": 0, "quasi": QUASI, "overlap": OVERLAP}
MOST = 12  # columns that are told of


@taking(Rows)
def check(
    given: Rows,
    intercept: Intercept = True,
    reading: ReadingOption = Reading.DECIMAL,
    max_seconds: MaxSeconds = None,
    family: Annotated[Family | None, FAMILY] = None,
    levels: LevelsOption = None,
    coefficients: Annotated[
        bool, typer.Option("--coefficients", help="Tell of every coefficient of a regression whether it is infinite.")
    ] = False,
    formula: FormulaOption = None,
    memory: Memory = None,
    scheduler: Scheduler = None,
    output: Annotated[str | None, file_option("Write the proof there.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Tell whether the classes are linearly separable, and prove it.

    Exit code 0 if a plane separates them strictly (complete), 3 if only weakly (quasi), 4 if none does (overlap); of
    three classes or more, for one linear machine; of counts, whether some have a fitted mean of zero; of ordered
    levels, for parallel planes; 7 if --max-seconds are not enough. The first level of a text column is the reference,
    to which the others are held.
    --json prints the proof, which `discriminant verify` checks.
    """
    check_place(output, given.data)
    as_proof = json or output == "-"
    if coefficients and as_proof:
        raise CommandError("--coefficients is told in words: leave out --json.")
    if (rows := streamed(given, memory, scheduler, contrasts=intercept)) is not None:
        with rows:
            others = {"--family": family, "--levels": levels, "--coefficients": coefficients, "--formula": formula}
            rows.refuse(others)
            if as_proof:
                tell_reading(rows.reading())
            found = _streamed(rows.stream, intercept, reading, max_seconds)
            rows.tell_left_out(rows.stream)
            references = rows.outline.contrasts().references if intercept else []
            return _told(found, output, as_proof, chain([str(found)], _columns(rows.reading(), references, 7)))
    asked = asked_of(given, formula, intercept, counts=holds_numbers(family, levels))
    y = in_order(asked, family, levels)
    if family is None:
        check_labels(asked.y, asked.target, "--family classes", insist=True)
    from .. import separability  # heavy: what is wrong with the table has been said before
    from ..separation.words import COMMAND, SHOWN, lines

    found = separability(
        asked.X, y, intercept=intercept, reading=reading.value,
        family=(family or Family.CLASSES).value, progress=watched(), feature_names=asked.names, max_seconds=max_seconds,
    )  # fmt: skip
    if as_proof:
        tell_reading(asked.reading)
    shown = lines(found, COMMAND, asked.references, float("inf") if coefficients else SHOWN)
    code = _told(found, output, as_proof, chain(shown, _columns(asked.reading, asked.references)))
    if coefficients:
        echo(f"\n{_table(found.coefficients())}")
    return code


def _streamed(stream: Any, intercept: bool, reading: Reading, max_seconds: float | None) -> Any:
    """The verdict on rows that come in blocks."""
    from .. import separability

    options: dict[str, Any] = {"intercept": intercept, "reading": reading.value, "max_seconds": max_seconds}
    return separability(stream, progress=watched(), **options)


def _told(found: Any, output: str | None, as_proof: bool, told: Iterable[str]) -> int:
    """Write the proof, and tell it or the verdict."""
    if output is not None and output != "-":
        write_whole(output, f"{found.certificate.to_json()}\n")
        say(f"The proof is in {output}.")
    if as_proof:
        echo(found.certificate.to_json())
    else:
        for line in told:
            echo(line, prose=True)
    return CODES[found.verdict]


def _table(ways: dict[Any, str]) -> str:
    """Every coefficient in a line; of many classes, with its class."""
    rows = [[*(key if isinstance(key, tuple) else [key]), way] for key, way in ways.items()]
    return aligned(["class", "coefficient", "goes to"][3 - len(rows[0]) :], rows)


def _columns(reading: list[str], references: Iterable[str], width: int = 14) -> Iterable[str]:
    """How the columns were read that are not plain numbers, below the verdict, whose names are so wide."""
    told = reading[:MOST]
    if len(reading) > MOST:
        told.append(f"and {len(reading) - MOST:,} more")
    told += [f"held against: {', '.join(references)}"] if references else []
    return (f"  {'' if k else 'columns':<{width}} {words}" for k, words in enumerate(told))

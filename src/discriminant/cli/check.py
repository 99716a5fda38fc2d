"""``discriminant check``: are the classes linearly separable? The verdict, with its proof."""

from __future__ import annotations

from typing import Annotated

from .._engine.files import write_whole
from ._errors import OVERLAP, QUASI, option_names
from ._options import Intercept, Json, MaxSeconds, Quiet, Reading, ReadingOption, Rows, file_option, taking
from ._output import check_place, echo, say, watched
from ._tables import learnable, tell_reading

CODES = {"complete": 0, "quasi": QUASI, "overlap": OVERLAP}
MOST = 12  # columns that are told of


@taking(Rows)
def check(
    given: Rows,
    intercept: Intercept = True,
    reading: ReadingOption = Reading.DECIMAL,
    max_seconds: MaxSeconds = None,
    output: Annotated[str | None, file_option("Write the proof there.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Tell whether the classes are linearly separable, and prove it.

    Exit code 0 if a plane separates them strictly (complete), 3 if only weakly (quasi), 4 if none does (overlap); of
    three classes or more, for one linear machine; 7 if --max-seconds are not enough. --json prints the proof, which
    `discriminant verify` checks.
    """
    check_place(output, given.data)
    recipe, X, y, _ = learnable(given)
    from .. import separability  # heavy: what is wrong with the table has been said before

    names = recipe.feature_names  # X is a bare array: a frame would be a copy
    found = separability(
        X, y, intercept=intercept, reading=reading.value, progress=watched(), feature_names=names,
        max_seconds=max_seconds,
    )  # fmt: skip
    proof = found.certificate.to_json()
    if output is not None and output != "-":
        write_whole(output, f"{proof}\n")
        say(f"The proof is in {output}.")
    if json or output == "-":
        tell_reading(recipe)
        echo(proof)
    else:
        echo(f"{found}{_columns(recipe.reading)}")
    return CODES[found.verdict]


def _columns(reading: list[str]) -> str:
    """How the columns were read that are not plain numbers, below the verdict."""
    told = [option_names(words) for words in reading[:MOST]]
    if len(reading) > MOST:
        told.append(f"and {len(reading) - MOST:,} more")
    return "".join(f"\n  {'' if k else 'columns':<14} {words}" for k, words in enumerate(told))

"""``discriminant predict``: the table with a column of predictions.  Tests: ``tests/cli/test_models.py``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._errors import CommandError
from ._options import Json, Missing, Model, NewRows, Quiet, taking
from ._output import check_place, echo_json, progress, say, write_table
from ._tables import model_of, standard_input, table

if TYPE_CHECKING:
    from ..io import Table


@taking(NewRows)
def predict(
    given: NewRows,
    model: Model,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the table there, in the format of its name; - is CSV."
        ),
    ] = "-",
    column: Annotated[str, typer.Option(metavar="NAME", help="The name of the new column.")] = "prediction",
    scores: Annotated[
        bool, typer.Option("--scores", help="Add the values of the discriminants too, a column for each.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the table with a column of predictions. A target column is ignored.

    Missing values are refused, unless the model was fitted with --missing median.
    """
    standard_input(model, given.data)
    check_place(output, model, given.data)
    fitted, recipe = model_of(model)
    if recipe is None:
        raise CommandError(
            "the model was saved without its recipe, so that the columns of a table mean nothing to it; fit it with "
            "`discriminant fit`, or give io.save a recipe."
        )
    if given.unseen is not None:
        recipe.unseen = given.unseen.value
    rows, _ = table(given.data, given.format, as_text=_as_text(recipe, output), header=given.header)
    scoring = _Scoring(fitted, recipe, _gaps(recipe, given.missing), column, scores, kept=json)
    with progress(f"predicting {given.data}") as update:
        scored = scoring.portions(rows, lambda share: update(share, 1))
        if json and output == "-":
            deque(scored, maxlen=0)
        else:
            write_table((_with(frame, new) for frame, new in scored), output)
    if json:
        new = scoring.all()
        content = {"classes": getattr(fitted, "classes_", None), "predictions": new.pop(column)}
        by_class = {name.removeprefix(f"{column}:"): values for name, values in new.items()}
        echo_json("predictions", content | ({"scores": by_class} if scores else {}))
    if output != "-":
        say(f"The predictions of {scoring.done:,} rows are in {output}.")


def _as_text(recipe: Any, output: str) -> Callable[[str], bool]:
    """Which columns of a CSV file stay as they are: levels, such as 007, and what is only copied to another one."""
    from ..io._formats import MARKS
    from ..io.tables import format_of

    levels = {column.name: column.levels for column in recipe.columns}
    copied = format_of(output) in MARKS
    return lambda name: not _typed(levels[name]) if name in levels else copied


def _typed(levels: tuple[str, ...] | None) -> bool:
    """Whether a column was of numbers, or of booleans, which some files write True and others true."""
    return levels is None or {"false", "true"}.issuperset(levels)


def _gaps(recipe: Any, missing: Missing | None) -> bool:
    """Whether rows with missing values are left out; the recipe learns what else is done with them."""
    if missing is Missing.MEDIAN and recipe.missing != "median":
        raise CommandError("--missing median: the model has learned no medians; fit it with --missing median.")
    if missing in (Missing.REFUSE, Missing.DROP):
        recipe.missing = "refuse"
    return missing is Missing.DROP


class _Scoring:
    """Portions of a table, each with its new columns: the predictions and, if they are wanted, the scores."""

    def __init__(self, fitted: Any, recipe: Any, dropping: bool, column: str, scores: bool, kept: bool) -> None:
        if scores and not hasattr(fitted, "decision_function"):
            raise CommandError(f"--scores: {type(fitted).__name__} has no discriminants; leave the option out.")
        self.fitted, self.recipe, self.dropping = fitted, recipe, dropping
        self.column, self.scores, self.kept = column, scores, kept
        self.parts: list[dict[str, Any]] = []
        self.done = 0

    def portions(self, rows: Table, tell: Callable[[float], None]) -> Iterator[tuple[Any, dict[str, Any]]]:
        seen = 0
        for share, frame in rows.portions(list(rows.schema)):
            whole = self._without_gaps(frame) if self.dropping else frame
            if whole.height:
                yield whole, self._new(whole, seen)
            seen, self.done = seen + frame.height, self.done + whole.height
            tell(share)
        if self.done == 0:
            raise CommandError("--missing drop: every row of the table lacks a value, so that nothing is left.")

    def all(self) -> dict[str, list[Any]]:
        """The new columns of all rows, where they were ``kept``."""
        return {name: [value for part in self.parts for value in part[name].tolist()] for name in self.parts[0]}

    def _new(self, frame: Any, first: int) -> dict[str, Any]:
        X = self.recipe.apply(frame, first=first)
        scores = _scores(self.fitted, X) if self.scores else {}
        new = {self.column: self.fitted.predict(X)} | {f"{self.column}:{name}": v for name, v in scores.items()}
        if self.kept:
            self.parts.append(new)
        return new

    def _without_gaps(self, frame: Any) -> Any:
        import polars

        known = [name for name in self.recipe.inputs if name in frame.columns]
        floats = [name for name in known if frame.schema[name].is_float()]
        gaps = [polars.col(name).is_null() for name in known] + [polars.col(name).is_nan() for name in floats]
        return frame.filter(~polars.any_horizontal(gaps)) if gaps else frame


def _scores(fitted: Any, X: Any) -> dict[str, Any]:
    """The values of the discriminants, by the class that each speaks for."""
    values = fitted.decision_function(X)
    names = fitted.classes_[1:] if values.ndim == 1 else fitted.classes_
    columns = values.reshape(len(values), -1)
    return {str(name): columns[:, k] for k, name in enumerate(names[: columns.shape[1]])}


def _with(frame: Any, new: dict[str, Any]) -> Any:
    """The rows with their new columns, without those that hold lists: the features of a sparse table."""
    import polars

    taken = [name for name in new if name in frame.columns]
    if taken:
        raise CommandError(f"the table has a column {taken[0]!r} already; choose another name with --column.")
    flat = frame.select(name for name, kind in frame.schema.items() if not kind.is_nested())
    return flat.with_columns(polars.Series(name, value) for name, value in new.items())

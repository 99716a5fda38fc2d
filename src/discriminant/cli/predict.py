"""``discriminant predict``: the table with a column of predictions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._errors import CommandError
from ._models import model_of
from ._options import Data, Format, Json, Missing, Model, Quiet, UnseenOption
from ._output import echo_json, progress, say
from ._tables import standard_input, table
from ._writing import check_place, write_table


def predict(
    model: Model,
    data: Data,
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
    missing: Annotated[
        Missing | None,
        typer.Option(help="Missing values: refuse them, leave such rows out, or put in the medians of the model."),
    ] = None,
    unseen: UnseenOption = None,
    format: Format = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the table with a column of predictions. A target column is ignored.

    Missing values are refused, unless the model was fitted with --missing median.
    """
    standard_input(model, data)
    check_place(output)
    fitted, recipe = model_of(model)
    with progress(f"reading {data}"):
        frame, _ = table(data, format, whole=True)
    if recipe is None:
        raise CommandError(
            "the model was saved without its recipe, so that the columns of a table mean nothing to it: fit it with "
            "`discriminant fit`, or give io.save a recipe."
        )
    if missing is not None:
        frame = _without_gaps(frame, recipe, missing)
    if unseen is not None:
        recipe.unseen = unseen.value
    X = recipe.apply(frame)
    predictions = fitted.predict(X)
    values = _scores(fitted, X) if scores else {}
    if json:
        content = {"classes": getattr(fitted, "classes_", None), "predictions": predictions}
        echo_json("predictions", content | ({"scores": values} if scores else {}))
    if output != "-" or not json:
        _check_new([column, *(f"{column}:{name}" for name in values)], frame.columns)
        write_table(_with(frame, column, predictions, values), output)
    if output != "-":
        say(f"The predictions of {len(predictions):,} rows are in {output}.")


def _without_gaps(frame: Any, recipe: Any, missing: Missing) -> Any:
    """The table as the user wants its missing values treated."""
    import polars

    if missing is Missing.MEDIAN:
        if recipe.missing != "median":
            raise CommandError("--missing median: the model has learned no medians; fit it with --missing median.")
        return frame
    recipe.missing = "refuse"  # whatever is still missing
    known = [name for name in recipe.inputs if name in frame.columns]
    if missing is Missing.REFUSE or not known:
        return frame
    floats = [name for name in known if frame.schema[name].is_float()]
    gaps = [polars.col(name).is_null() for name in known] + [polars.col(name).is_nan() for name in floats]
    return frame.filter(~polars.any_horizontal(gaps))


def _scores(fitted: Any, X: Any) -> dict[str, Any]:
    """The values of the discriminants, by the class that each speaks for."""
    if not hasattr(fitted, "decision_function"):
        raise CommandError(f"--scores: {type(fitted).__name__} has no discriminants; leave the option out.")
    values = fitted.decision_function(X)
    names = fitted.classes_[1:] if values.ndim == 1 else fitted.classes_
    columns = values.reshape(len(values), -1)
    return {str(name): columns[:, k] for k, name in enumerate(names[: columns.shape[1]])}


def _check_new(names: list[str], columns: list[str]) -> None:
    taken = [name for name in names if name in columns]
    if taken:
        raise CommandError(f"the table has a column {taken[0]!r} already: choose another name with --column.")


def _with(frame: Any, column: str, predictions: Any, values: dict[str, Any]) -> Any:
    """The table with its new columns, without those that hold lists: the features of a sparse table."""
    import polars

    flat = frame.select(name for name, kind in frame.schema.items() if not kind.is_nested())
    new = {column: predictions} | {f"{column}:{name}": value for name, value in values.items()}
    return flat.with_columns(polars.Series(name, value) for name, value in new.items())

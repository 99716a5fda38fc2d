"""``discriminant predict``: the table with a column of predictions.  Tests: ``tests/cli/test_models.py``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ._errors import CommandError
from ._options import Json, Model, NewRows, Quiet, taking
from ._output import check_place, echo_json, progress, say, write_table
from ._tables import standard_input, table

if TYPE_CHECKING:
    from ..io import Table
    from ._applying import Applied


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
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of each class too, a column for each.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the table with a column of predictions. A target column is ignored.

    Missing values are refused, unless the model was fitted with --missing median.
    """
    standard_input(model, given.data)
    check_place(output, model, given.data)
    from ..io.tables import is_text_table
    from ._applying import Applied, as_levels, model_with_recipe

    fitted, recipe = model_with_recipe(model)
    if given.unseen is not None:
        recipe.unseen = given.unseen.value
    rows, _ = table(given, recipe.file, as_text=as_levels(recipe, others=is_text_table(output)))
    predicting = _Predicting(fitted, Applied(recipe, given.missing), scores, probabilities)
    parts: list[_New] = []
    with progress(f"predicting {given.data}") as update:
        found = predicting.portions(rows, lambda share: update(share, 1), parts if json else None)
        if json and output == "-":
            deque(found, maxlen=0)
        else:
            write_table((_with(frame, new.columns(column)) for frame, new in found), output)
    if json:
        _echo(parts, fitted)
    if output != "-":
        say(f"The predictions of {predicting.applied.done:,} rows are in {output}.")


class _New(NamedTuple):
    """What is said of some rows: predictions, and by class the values of discriminants and probabilities."""

    predictions: Any
    scores: dict[str, Any]
    probabilities: dict[str, Any]

    def columns(self, column: str) -> dict[str, Any]:
        scores = {f"{column}:{name}": values for name, values in self.scores.items()}
        shares = {f"{column}:P({name})": values for name, values in self.probabilities.items()}
        return {column: self.predictions} | scores | shares


class _Predicting:
    """The portions of a table, each with what is said of its rows."""

    def __init__(self, fitted: Any, applied: Applied, scores: bool, probabilities: bool) -> None:
        if scores and not hasattr(fitted, "decision_function"):
            raise CommandError(f"--scores: {type(fitted).__name__} has no discriminants; leave the option out.")
        if probabilities and not hasattr(fitted, "predict_proba"):
            known = "set" if "probability" in fitted.get_params(deep=False) else "method"
            remedy = {"set": "fit it with --set probability=true", "method": "fit with --method logistic"}[known]
            raise CommandError(f"--probabilities: this {type(fitted).__name__} has none; {remedy}, or leave it out.")
        self.fitted, self.applied = fitted, applied
        self.scores, self.probabilities = scores, probabilities

    def portions(
        self, rows: Table, tell: Callable[[float], None], kept: list[_New] | None
    ) -> Iterator[tuple[Any, _New]]:
        for frame, X in self.applied.portions(rows, tell):
            new = self._new(X)
            if kept is not None:
                kept.append(new)
            yield frame, new

    def _new(self, X: Any) -> _New:
        fitted = self.fitted
        scores = _by_class(fitted.decision_function(X), fitted.classes_) if self.scores else {}
        shares = _by_class(fitted.predict_proba(X), fitted.classes_) if self.probabilities else {}
        return _New(fitted.predict(X), scores, shares)


def _by_class(values: Any, classes: Any) -> dict[str, Any]:
    """The columns of the values, by the class that each speaks for."""
    names = classes[1:] if values.ndim == 1 else classes
    columns = values.reshape(len(values), -1)
    return {str(name): columns[:, k] for k, name in enumerate(names[: columns.shape[1]])}


def _echo(parts: list[_New], fitted: Any) -> None:
    """What is said of all rows, as JSON."""
    content = {"classes": getattr(fitted, "classes_", None)}
    content["predictions"] = [value for part in parts for value in part.predictions.tolist()]
    for field in ("scores", "probabilities"):
        if by_class := getattr(parts[0], field):
            told = {name: [v for part in parts for v in getattr(part, field)[name].tolist()] for name in by_class}
            content[field] = told
    echo_json("predictions", content)


def _with(frame: Any, new: dict[str, Any]) -> Any:
    """The rows with their new columns, without those that hold lists: the features of a sparse table."""
    import polars

    taken = [name for name in new if name in frame.columns]
    if taken:
        raise CommandError(f"the table has a column {taken[0]!r} already; choose another name with --column.")
    flat = frame.select(name for name, kind in frame.schema.items() if not kind.is_nested())
    return flat.with_columns(polars.Series(name, value) for name, value in new.items())

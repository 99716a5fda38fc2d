"""A model and its recipe on the portions of a new table, and what becomes of its gaps.

Tests: ``tests/cli/test_models.py`` and ``tests/cli/test_score.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import CommandError
from ._measures import Answers, measures
from ._options import File, Missing
from ._output import progress, say
from ._tables import model_of, table

if TYPE_CHECKING:
    from ..io import Table


def model_with_recipe(source: str) -> tuple[Any, Any]:
    """The model of a file, which must know how a table becomes its matrix."""
    fitted, recipe = model_of(source)
    if recipe is None:
        raise CommandError(
            "the model was saved without its recipe, so that the columns of a table mean nothing to it; fit it with "
            "`discriminant fit`."
        )
    return fitted, recipe


class Applied:
    """The portions of a table, each with its matrix; rows that lack a value are left out where that was asked for."""

    def __init__(self, recipe: Any, missing: Missing | None, target: str | None = None) -> None:
        if missing is Missing.MEDIAN and recipe.missing != "median":
            raise CommandError("--missing median: the model has learned no medians; fit it with --missing median.")
        if missing in (Missing.REFUSE, Missing.DROP):
            recipe.missing = "refuse"
        self.recipe, self.target, self.dropping = recipe, target, missing is Missing.DROP
        self.seen = self.done = 0  # rows

    def portions(self, rows: Table, tell: Callable[[float], None]) -> Iterator[tuple[Any, Any]]:
        for share, frame in rows.portions(list(rows.schema)):
            whole = self._without_gaps(frame) if self.dropping else frame
            if whole.height:
                yield whole, self.recipe.apply(whole, first=self.seen)
            self.seen, self.done = self.seen + frame.height, self.done + whole.height
            tell(share)
        if self.done == 0:
            raise CommandError("--missing drop: every row of the table lacks a value, so that nothing is left.")
        if self.done < self.seen:
            say(f"{self.seen - self.done:,} of {self.seen:,} rows left out, which lack a value.")

    def _without_gaps(self, frame: Any) -> Any:
        import polars

        wanted = [*self.recipe.inputs, *([] if self.target is None else [self.target])]
        known = [name for name in wanted if name in frame.columns]
        floats = [name for name in known if frame.schema[name].is_float()]
        gaps = [polars.col(name).is_null() for name in known] + [polars.col(name).is_nan() for name in floats]
        return frame.filter(~polars.any_horizontal(gaps)) if gaps else frame


def as_levels(recipe: Any, others: bool = False) -> Callable[[str], bool]:
    """Which columns of a CSV file stay as they are: levels, such as 007, and ``others`` that are only copied."""
    levels = {column.name: column.levels for column in recipe.columns}
    return lambda name: not _typed(levels[name]) if name in levels else others


def _typed(levels: tuple[str, ...] | None) -> bool:
    """Whether a column was of numbers, or of booleans, which some files write True and others true."""
    return levels is None or {"false", "true"}.issuperset(levels)


def measured(given: File, fitted: Any, recipe: Any, missing: Missing | None, target: str) -> dict[str, Any]:
    """How the model does on a table with a column of the truth."""
    from ..io._columns import labels_of, numbers
    from ..io._errors import absent

    classes = getattr(fitted, "classes_", None)
    labels = () if classes is None else target
    rows, _ = table(given, recipe.file, as_text=as_levels(recipe), labels=labels)
    if target not in rows.schema:
        raise absent(target, rows.schema)
    applied, parts, truth = Applied(recipe, missing, target), [], []
    with progress(f"scoring {given.data}") as update:
        for frame, X in applied.portions(rows, lambda share: update(share, 1)):
            if (gaps := frame[target].is_null()).any():
                row = applied.seen + int(gaps.arg_max()) + 1
                remedy = "fill it in, or leave such rows out (--missing drop)"
                raise CommandError(f"column {target!r} lacks a value in row {row:,}; {remedy}.")
            parts.append(Answers.of(fitted, X))
            truth.append(frame[target] if classes is not None else numbers(frame[target], applied.seen))
    y = np.concatenate(truth) if classes is None else labels_of(truth, written=rows.labels == target)
    return measures(classes, y, Answers.joined(parts))

"""``discriminant fit``: learn a model, tell why it stopped, and save it.  Tests: ``tests/cli/test_models.py``."""

from __future__ import annotations

import warnings
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

from ._errors import INTERRUPTED, CommandError
from ._learning import learned
from ._methods import find
from ._options import Json, Quiet, Training, file_option, taking
from ._output import check_place, echo, echo_json, named, say


@taking(Training)
def fit(
    given: Training,
    output: Annotated[str | None, file_option("Write the model there; - is stdout.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Learn a model, and say why it stopped. Ctrl-C keeps what has been learned so far.

    The model file is JSON. It remembers how the table is to be read, so that `discriminant predict` needs nothing else.
    """
    if json and output == "-":
        raise CommandError("--json and -o - would both write to stdout; give the model a file name.")
    check_place(output, given.data)
    model, recipe, X, y, _, interrupted = learned(given, find(given.method), lambda _: output and _writer())
    if output == "-":
        echo(_writer().dumps(model, recipe))
    elif output is not None:
        _writer().save(model, output, recipe)
        say(f"The model {'learned so far ' if interrupted else ''}is in {output}.")
    facts = _facts(model, given.method, recipe, X, y) | {"model": output, "interrupted": interrupted}
    if json:
        echo_json("fit", facts)
    else:
        (say if output == "-" else echo)(_text(model, facts))
    return INTERRUPTED if interrupted else 0


def _writer() -> ModuleType:
    """What writes models, and knows all procedures for that: half a second of imports."""
    return import_module("discriminant.io.models")


def _facts(model: Any, method: str, recipe: Any, X: Any, y: Any) -> dict[str, Any]:
    """What the fit came to; every error on the training rows is counted with the final weights."""
    classes = getattr(model, "classes_", None)
    with warnings.catch_warnings(action="ignore"):  # the fit has warned already
        errors = None if classes is None else int((model.predict(X) != y).sum())
        squared = None if classes is not None else float(((model.predict(X) - y) ** 2).mean())
    return {
        "method": method,
        "class": type(model).__name__,
        "parameters": model.get_params(deep=False),
        "target": recipe.target,
        "features": list(recipe.feature_names),
        "classes": classes,
        "rows": len(y),
        "errors": errors,
        "train_error": None if errors is None else errors / len(y),
        "mean_squared_error": squared,
        "status": model.status_.name,
        "finished": model.status_.finished,
        "report": model.report_.to_dict(),
    }


def _text(model: Any, facts: dict[str, Any]) -> str:
    if facts["errors"] is None:
        left = f"mean squared error {facts['mean_squared_error']:.6g} over {facts['rows']:,} rows"
    else:
        left = (
            f"{facts['errors']:,} of {facts['rows']:,} rows ({facts['train_error']:.2%}) on the wrong side at the end"
        )
    return named(model.report_.text(training=left), facts["features"])

"""``discriminant fit``: learn a model, tell why it stopped, and save it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

from .._engine.extras import needed
from ._errors import INTERRUPTED, CommandError, command_words
from ._learning import Learned, learn, learned
from ._methods import DEFAULT, find, make
from ._options import File, FormulaOption, Json, Quiet, Training, file_option, option, taking
from ._output import check_place, echo, echo_json, report_of, say
from ._tables import asked_of, check_labels, check_table, tell_reading, uneven


@taking(Training)
def fit(
    given: Training,
    output: Annotated[str | None, file_option("Write the model there; - is stdout.")] = None,
    test: Annotated[
        str | None,
        option(
            "Hold out this share of the rows, such as 0.2, and score the model on them; or on a file.",
            metavar="SHARE|FILE",
        ),
    ] = None,
    formula: FormulaOption = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Learn a model, and say why it stopped. Ctrl-C keeps what has been learned so far.

    The model file is JSON. It remembers how the table is to be read, so that `discriminant predict` needs nothing else.
    If no method is named, it is logistic regression on standardized features; with --formula it is that of maximum
    likelihood, or with --set penalty=firth Firth's, and its table of coefficients is told: likelihood-ratio tests and
    profile intervals. Such a model is not stored.
    """
    if formula is not None:
        return _regression(given, formula, {"--output": output, "--test": test}, json)
    if json and output == "-":
        raise CommandError("--json and -o - would both write to stdout; give the model a file name.")
    check_place(output, given.data, *([] if test is None else [test]))
    training = _training(test, given.seed)
    if test is not None and training is None:
        check_table(test)
    found = learned(
        given, find(given.method), lambda _: output and _writer(), scaled=given.method is None, training=training
    )
    if output == "-":
        echo(_writer().dumps(found.model, found.recipe))
    elif output is not None:
        _writer().save(found.model, output, found.recipe)
        say(f"The model {'learned so far ' if found.interrupted else ''}is in {output}.")
    facts = _facts(found, given) | {"model": output, "interrupted": found.interrupted}
    facts["test"] = None if found.interrupted else _tested(found, given, test)
    if json:
        echo_json("fit", facts)
    else:
        text = _text(found, facts, given)
        say(text) if output == "-" else echo(text, prose=True)
    return INTERRUPTED if found.interrupted else 0


def _regression(given: Training, formula: str, others: dict[str, Any], json: bool) -> int:
    """A logistic regression by a formula, with its table of coefficients."""
    others |= {"--weights": given.weights, "--standardize": given.standardize, "--method": given.method}
    for name, value in others.items():
        if value is not None:
            raise CommandError(f"{name}: with a formula `fit` reports a logistic regression; leave the option out.")
    asked = asked_of(given, formula, intercept=True, counts=False)
    check_labels(asked.y, asked.target, "--target with --method logistic", insist=True)
    tell_reading(asked.reading)
    settings = given.settings or []
    free = [] if any(setting.startswith("penalty=") for setting in settings) else ["penalty=none"]
    model = make(find(DEFAULT), [*free, *settings], given.seed)
    named = (
        asked.X if hasattr(asked.X, "tocsr") else needed("pandas", "formula").DataFrame(asked.X, columns=asked.names)
    )
    interrupted = learn(
        model, named, asked.y, asked.weights, **({} if asked.offset is None else {"offset": asked.offset})
    )
    table: Any = None
    try:
        table = replace(
            model.summary(intervals="profile", tests="lr", data=(named, asked.y, asked.weights, asked.offset)),
            names=["intercept", *asked.names],
        )
    except ValueError as error:
        say(command_words(str(error)))
    if json:
        facts = {"formula": formula, "rows": len(asked.y), "classes": model.classes_, "status": model.status_.name}
        facts |= {"references": list(asked.references), "report": model.report_.to_dict()}
        found = {} if table is None else {"level": table.level, "deviance": table.deviance, "aic": table.aic}
        echo_json("regression", facts | found | {"coefficients": None if table is None else table.to_dict()})
    else:
        echo(report_of(model, asked.names, False), prose=True)
        echo("" if table is None else f"\n{table}")
    return INTERRUPTED if interrupted else 0


def _writer() -> ModuleType:
    """What writes models, and knows all procedures for that: half a second of imports."""
    return import_module("discriminant.io.models")


def _share(test: str | None) -> float | None:
    """The share of the rows that are held out, None where a file is meant."""
    try:
        share = float(test or "")
    except ValueError:
        return None
    if not 0 < share < 1:
        raise CommandError(f"--test {test}: a share lies between 0 and 1, such as 0.2; or give a file.")
    return share


def _training(test: str | None, seed: int) -> Callable[[Any], Any] | None:
    share = _share(test)
    return None if share is None else partial(_training_rows, share=share, seed=seed)


def _training_rows(y: Any, share: float, seed: int) -> Any:
    """Which rows to learn from: of each class its part, drawn by the seed; of many numbers, of all together."""
    import numpy as np

    labels, place = np.unique(y, return_inverse=True)
    if y.dtype.kind == "f" or 2 * labels.size > y.size:
        place = np.zeros(y.size, np.int64)
    draw, kept = np.random.default_rng(seed), np.ones(y.size, bool)
    for k in range(int(place.max()) + 1):
        rows = np.flatnonzero(place.ravel() == k)
        kept[draw.permutation(rows)[: min(round(share * rows.size), rows.size - 1)]] = False
    if kept.all():
        raise CommandError(f"--test {share:g}: of {y.size:,} rows nothing would be held out; give a larger share.")
    return kept


def _tested(found: Learned, given: Training, test: str | None) -> dict[str, Any] | None:
    """How the model does on rows that it has not seen."""
    if test is None:
        return None
    from ._applying import measured
    from ._measures import Answers, measures

    if found.held is None:
        return measured(File(test), found.model, found.recipe, given.missing, found.recipe.target)
    X, y = found.held
    return measures(getattr(found.model, "classes_", None), y, Answers.of(found.model, X))


def _facts(found: Learned, given: Training) -> dict[str, Any]:
    """What the fit came to; every error on the training rows is counted with the final weights."""
    import numpy as np

    model, recipe, X, y = found.model, found.recipe, found.X, found.y
    classes = getattr(model, "classes_", None)
    with warnings.catch_warnings(action="ignore"):  # the fit has warned already
        errors = None if classes is None else int((model.predict(X) != y).sum())
        squared = None if classes is not None else float(((model.predict(X) - y) ** 2).mean())
    labels, counts = np.unique(y, return_counts=True)
    return {
        "method": given.method or DEFAULT,
        "class": type(model).__name__,
        "parameters": model.get_params(deep=False),
        "target": recipe.target,
        "features": list(recipe.feature_names),
        "standardized": bool(recipe.standardize),
        "classes": classes,
        "rows": len(y),
        "errors": errors,
        "train_error": None if errors is None else errors / len(y),
        "majority": None if errors is None else labels[counts.argmax()],
        "majority_error": None if errors is None else 1 - int(counts.max()) / len(y),
        "mean_squared_error": squared,
        "status": model.status_.name,
        "finished": model.status_.finished,
        "report": model.report_.to_dict(),
    }


def _text(found: Learned, facts: dict[str, Any], given: Training) -> str:
    from ._measures import always, headline, in_words

    rows, test = facts["rows"], facts["test"]
    if facts["errors"] is None:
        left = f"mean squared error {facts['mean_squared_error']:.6g} over {rows:,} rows"
        lines = {"training": f"{left}; always naming the mean: {found.y.var():.6g}"}
    else:
        left = f"{facts['errors']:,} of {rows:,} rows ({facts['train_error']:.2%}) on the wrong side at the end"
        lines = {"training": f"{left}; {always(facts)}"}
    if test is not None:
        lines["test"] = f"{'held out' if found.held is not None else 'another table'}: {headline(test)}"
    if given.method is None:
        scaled = " with --standardize" if facts["standardized"] else ""
        lines["chosen"] = f"--method {DEFAULT}{scaled}, because none was named; `discriminant compare` tries them all"
    if (hint := uneven(found.recipe, found.X)) is not None:
        lines["hint"] = hint
    text = report_of(found.model, facts["features"], facts["standardized"], **lines)
    more = "" if test is None else in_words(test)
    return f"{text}\n\nTest\n{more}" if more else text

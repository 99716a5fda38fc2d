"""``discriminant explain``: a model in words: its discriminant, its features by rank, why it stopped.

Tests: ``tests/cli/test_models.py``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from ._errors import CommandError, command_words
from ._options import Json, Model, Quiet
from ._output import aligned, echo, echo_json, in_line, report_of
from ._tables import model_of

TERMS = 12  # of a discriminant that are printed, and discriminants
MOST = 1_000_000  # features that are told of by their numbers


def explain(
    model: Model,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many features to print.")] = 20,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what a model does: the discriminant in words, the features ranked, why it stopped."""
    fitted, recipe = model_of(model)
    facts = _facts(fitted, recipe)
    if json:
        echo_json("explanation", facts)
    else:
        echo(f"{_headline(fitted, facts)}\n\n", prose=True)
        if facts["discriminants"] is not None:
            echo(f"{_formulas(facts)}\n\n", prose=True)
            echo(f"{_ranked(facts, top)}\n\n", heading=True)
        if hasattr(fitted, "summary"):
            table = _summary(fitted, list(map(in_line, facts["features"])))
            told = f": {_no_table(table, recipe)}" if isinstance(table, str) else f"\n{table}"
            echo(f"Coefficients{told}\n\n", heading=True, prose=True)
        why = report_of(fitted, facts["features"], facts["standardized"])
        echo(f"Why it stopped\n{why}", heading=True, prose=True)


def _facts(fitted: Any, recipe: Any) -> dict[str, Any]:
    names = _numbered(fitted.n_features_in_) if recipe is None else list(recipe.feature_names)
    classes = getattr(fitted, "classes_", None)
    return {
        "class": type(fitted).__name__,
        "parameters": fitted.get_params(deep=False),
        "target": None if recipe is None else recipe.target,
        "standardized": recipe is not None and bool(recipe.standardize),
        "classes": None if classes is None else classes.tolist(),
        "multiclass": getattr(fitted, "multiclass_", None),
        "features": names,
        "discriminants": _discriminants(fitted, names),
        "ranking": _ranking(fitted, names),
        "coefficients": _coefficients(fitted, names),
        "status": fitted.status_.name,
        "report": fitted.report_.to_dict(),
    }


def _numbered(d: int) -> list[str]:
    if d > MOST:
        raise CommandError(f"the model has {d:,} features without names, more than {MOST:,}: too many to tell of.")
    return [f"x{j}" for j in range(d)]


def _discriminants(fitted: Any, names: list[str]) -> list[dict[str, Any]] | None:
    """What each discriminant speaks for and against, its intercept and weights; None where there are no planes."""
    import numpy as np

    if not hasattr(fitted, "coef_"):
        return None
    W = np.atleast_2d(fitted.coef_)
    intercepts = np.broadcast_to(np.atleast_1d(fitted.intercept_), len(W))
    return [
        {"for": one, "against": other, "intercept": float(w0), "weights": dict(zip(names, w.tolist(), strict=True))}
        for (one, other), w0, w in zip(_sides(fitted, len(W)), intercepts, W, strict=True)
    ]


def _sides(fitted: Any, n: int) -> list[tuple[Any, Any]]:
    """The class that each discriminant speaks for, and the one it speaks against; None where it is all others."""
    from ..multiclass import pairs

    if not hasattr(fitted, "classes_"):
        return [(None, None)] * n
    classes = fitted.classes_.tolist()
    if hasattr(fitted, "subclasses_"):
        return [(classes[int(k)], None) for k in fitted.subclasses_]
    if fitted.multiclass_ == "one-vs-one":
        return [(classes[j], classes[i]) for i, j in pairs(len(classes))]
    return [(classes[1], classes[0])] if n == 1 else [(label, None) for label in classes]


def _ranking(fitted: Any, names: list[str]) -> list[dict[str, Any]] | None:
    """The features by the size of their weights, and the class that a larger value speaks for."""
    import numpy as np

    from ..svm.selection import feature_sizes

    if not hasattr(fitted, "coef_"):
        return None
    sizes, favored = feature_sizes(fitted), _favored(fitted)
    return [
        {"rank": rank, "feature": names[j], "size": float(sizes[j]), "speaks_for": favored[j]}
        for rank, j in enumerate(np.argsort(-sizes, kind="stable").tolist(), 1)
    ]


def _summary(fitted: Any, names: list[str]) -> Any:
    """The table of a regression's estimates with their errors, or in words why there is none."""
    from ..logistic.table import coefficient_names

    try:
        return replace(fitted.summary(), names=coefficient_names(names, list(map(in_line, fitted.classes_.tolist()))))
    except ValueError as error:
        return str(error)


def _no_table(reason: str, recipe: Any) -> str:
    """Why there is no table; the levels of text add up to one, which a formula takes care of."""
    from ..logistic.inference import DEPENDENT

    text = recipe is not None and any(column.levels for column in recipe.columns)
    more = " Of text, `discriminant fit --formula` leaves out a level." if text and reason.endswith(DEPENDENT) else ""
    return command_words(reason) + more


def _coefficients(fitted: Any, names: list[str]) -> list[dict[str, Any]] | None:
    """The same table as data; None where there is none."""
    if not hasattr(fitted, "summary") or isinstance(table := _summary(fitted, names), str):
        return None
    columns = table.to_dict()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _favored(fitted: Any) -> list[Any]:
    """The class to which each feature alone takes a row when it grows without end; None where no class leads.

    That is the class that the weights of the feature would elect if they were the discriminants themselves.
    """
    import numpy as np

    from ..multiclass import pairwise_scores

    W = np.atleast_2d(fitted.coef_)
    if not hasattr(fitted, "classes_"):
        return [None] * W.shape[1]
    classes = fitted.classes_.tolist()
    if len(W) == 1:
        scores = np.stack([-W[0], W[0]])
    elif fitted.multiclass_ == "one-vs-one":
        scores = pairwise_scores(W.T, len(classes)).T
    elif hasattr(fitted, "subclasses_"):
        scores = np.stack([W[fitted.subclasses_ == k].max(axis=0) for k in range(len(classes))])
    else:
        scores = W
    alone = np.count_nonzero(scores == scores.max(axis=0), axis=0) == 1
    return [classes[k] if leads else None for k, leads in zip(scores.argmax(axis=0), alone, strict=True)]


def _headline(fitted: Any, facts: dict[str, Any]) -> str:
    n, classes = len(facts["features"]), facts["classes"]
    what = f"{facts['class']}, {n:,} feature{'s' if n != 1 else ''}"
    if classes is None and facts["discriminants"] is not None:
        return f"{what}: a weighted sum of the features predicts {in_line(facts['target'] or 'the target')}."
    shown = [in_line(label) for label in classes or []]
    listed = ", ".join(shown[:TERMS]) + (" …" if len(shown) > TERMS else "")
    if facts["discriminants"] is None:
        parts = {"layers": getattr(fitted, "n_layers_", None), "kernel": facts["parameters"].get("kernel")}
        support = getattr(fitted, "support_", None)
        parts["support vectors"] = None if support is None else len(support)
        found = ", ".join(f"{name} {value}" for name, value in parts.items() if value is not None)
        surface = f", classes {listed}: the boundary" if classes else ": the surface"
        return f"{what}{surface} is curved ({found}), so that no feature has a weight."
    if len(facts["discriminants"]) == 1:
        return f"{what}: a row is taken for {shown[1]} where g(x) is zero or more, for {shown[0]} where it is less."
    if facts["multiclass"] == "one-vs-one":
        return f"{what}: each pair of the classes {listed} has a plane; a row goes to the class that wins most pairs."
    return f"{what}: each of the classes {listed} has a discriminant; a row goes to the class whose value is largest."


def _formulas(facts: dict[str, Any]) -> str:
    """Every discriminant as a sum, the largest weights first."""
    lines = []
    for part in facts["discriminants"][:TERMS]:
        one, other = part["for"], part["against"]
        sides = in_line(one) if other is None else in_line(f"{one} against {other}")
        name = "g(x)" if len(facts["discriminants"]) == 1 else f"g(x), {sides}"
        weights = sorted(part["weights"].items(), key=lambda pair: -abs(pair[1]))
        terms = [f"{weight:+.6g} {in_line(feature)}" for feature, weight in weights if weight]
        more = [f"… ({len(terms) - TERMS:,} more)"] if len(terms) > TERMS else []
        lines.append(f"  {name} = {' '.join([*terms[:TERMS], *more, format(part['intercept'], '+.6g')])}")
    if (left := len(facts["discriminants"]) - TERMS) > 0:
        lines.append(f"  … and {left:,} more, which --json has")
    scaled = "\n  Each feature is standardized first: minus its mean, divided by its standard deviation."
    return "\n".join(lines) + (scaled if facts["standardized"] else "")


def _ranked(facts: dict[str, Any], top: int) -> str:
    shown = facts["ranking"][:top]
    rows = [[row["rank"], row["feature"], f"{row['size']:.6g}", _meaning(row, facts)] for row in shown]
    table = aligned(("rank", "feature", "size of weight", "a larger value speaks for"), rows)
    units = "\nSizes depend on the units of the features; fit with --standardize to make them comparable."
    note = "" if facts["standardized"] else units
    more = f"\n… and {len(facts['ranking']) - top:,} more" if len(facts["ranking"]) > top else ""
    return f"{table}{more}{note}"


def _meaning(row: dict[str, Any], facts: dict[str, Any]) -> str:
    """What a larger value of a feature speaks for: a class, or more or less of what is predicted."""
    if facts["classes"] is not None:
        return "no class alone" if row["speaks_for"] is None else str(row["speaks_for"])
    weight = facts["discriminants"][0]["weights"][row["feature"]]
    return f"a {'higher' if weight > 0 else 'lower'} {facts['target'] or 'target'}" if weight else "no change"

"""A fitted model of statsmodels, read from its results: Logit, Probit, GLM, MNLogit, Poisson and OrderedModel.

The results keep their data, without the rows that were dropped for missing values. Classes are known by their names.

Tests: ``tests/diagnosing/test_diagnoses.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import needed
from .._guards.parameters import refused
from .fitted import BINARY, FitDesign, FittedModel, Outcomes, Printed, Vector, both_outcomes

KNOWN = "the results of a statsmodels Logit, Probit, GLM, MNLogit, Poisson or OrderedModel"


def is_statsmodels(model: Any) -> bool:
    """Whether the object is one of statsmodels."""
    return type(model).__module__.partition(".")[0] == "statsmodels"


def read_results(result: Any) -> FittedModel:
    """What is known of the fit, or an error that says in one sentence why nothing can be said of it."""
    model = getattr(result, "model", None)
    if model is None or not hasattr(result, "params"):
        raise refused("model", _name(result), "fitted", "give what its fit() returns")
    read = READERS.get(kind_of(model))
    if read is None:
        raise refused("model", _name(model), KNOWN, "no other model of statsmodels is known")
    if model.endog is None:
        raise refused("model", _name(model), "one whose data were not removed", "give the results of fit()")
    if getattr(result, "constraints", None) is not None:
        raise refused("model", _name(model), "fitted without constraints", "give the results of fit()")
    return read(model, result)


def read_model(model: Any) -> FittedModel | None:
    """What is known of a model whose fit has failed; None of one that is not known."""
    read = READERS.get(kind_of(model))
    return None if read is None else read(model, None)


def kind_of(model: Any) -> str:
    """The name of the class of statsmodels that a model is of, or is derived from."""
    return next((c.__name__ for c in type(model).__mro__ if c.__module__.startswith("statsmodels.")), "")


def _name(thing: Any) -> str:
    return type(thing).__name__


def _binary(kind: str) -> Callable[[Any, Any], FittedModel]:
    return lambda model, result: _of_outcomes(model, result, kind, np.asarray(model.endog), None)


def _glm(model: Any, result: Any) -> FittedModel:
    family, link = _name(model.family), _name(model.family.link).lower()
    weights = np.asarray(model.freq_weights) * np.asarray(model.var_weights)
    if family == "Binomial" and link in BINARY:
        trials = np.broadcast_to(np.asarray(model.n_trials), weights.shape)
        return _of_outcomes(model, result, link, np.asarray(model.endog), weights * trials)
    if family == "Poisson" and link == "log":
        return _poisson(model, result, weights)
    links = ", ".join(BINARY)
    wanted = f"Binomial with one of the links {links}, or Poisson with the link log"
    raise refused("family", f"{family} with the link {link}", wanted, "of others no verdict is known")


def _of_outcomes(model: Any, result: Any, link: str, share: Any, weights: Any) -> FittedModel:
    found = Outcomes.of(share, weights)
    both_outcomes(found.y)
    return _made(model, result, BINARY[link], "classes", found.rows, found.y, found.weights)


def _poisson(model: Any, result: Any, weights: Any = None) -> FittedModel:
    counts = np.asarray(model.endog, np.float64)
    rows = np.arange(counts.size) if weights is None else np.flatnonzero(weights > 0)
    kept = None if weights is None or np.all(weights == 1) else np.asarray(weights, np.float64)[rows]
    return _made(model, result, "Poisson regression", "poisson", rows, counts[rows], kept)


def _made(
    model: Any, result: Any, kind: str, family: str, rows: NDArray[np.int64], y: Any, weights: Vector | None
) -> FittedModel:
    exog, names = np.asarray(model.exog), [str(name) for name in model.exog_names]
    design = FitDesign.of(exog[rows])
    values, errors = _estimates(result, exog.shape[1])
    return _fitted(model, result, kind, family, design, rows, y, weights, design.printed(names, values, errors))


def _multinomial(model: Any, result: Any) -> FittedModel:
    """The first class is the reference, as it is of ``separability``."""
    exog, names = np.asarray(model.exog), [str(name) for name in model.exog_names]
    y, design = np.asarray(model.endog).astype(int), FitDesign.of(exog)
    both_outcomes(y)
    labels = [str(label) for _, label in sorted(model._ynames_map.items())]
    flat = _estimates(result, exog.shape[1] * (model.J - 1))
    values, errors = (each.reshape(exog.shape[1], -1, order="F") for each in flat)
    printed = [
        each for k in range(model.J - 1) for each in design.printed(names, values[:, k], errors[:, k], k, labels[k + 1])
    ]
    kind, rows = "multinomial logistic regression", np.arange(y.size)
    if sorted(set(labels)) == labels:
        return _fitted(model, result, kind, "classes", design, rows, np.array(labels)[y], None, printed)
    made = _fitted(model, result, kind, "classes", design, rows, y, None, printed)  # separability sorts the classes
    return replace(made, class_names=labels)


def _ordered(model: Any, result: Any) -> FittedModel:
    """Weights come first, then the first threshold and the logarithms of the steps to the next ones."""
    exog, names = np.asarray(model.exog), [str(name) for name in model.exog_names]
    levels, d = len(model.labels), exog.shape[1]
    y = np.asarray(model.endog).astype(int)
    both_outcomes(y)
    if np.unique(y).size < levels:
        wanted = "fitted to rows of every level"
        raise refused("model", _name(model), wanted, "leave out the levels that no row has")
    values, errors = _estimates(result, len(names))
    printed = [
        Printed(name, float(value), float(error), levels - 1 + j if j < d else j - d, step=j > d)
        for j, (name, value, error) in enumerate(zip(names, values, errors, strict=True))
    ]
    design = FitDesign(exog, list(range(d)), None, False)
    kind = "cumulative regression of ordered levels"
    return _fitted(model, result, kind, "cumulative", design, np.arange(y.size), y, None, printed)


def _fitted(
    model: Any,
    result: Any,
    kind: str,
    family: str,
    design: FitDesign,
    rows: Any,
    y: Any,
    weights: Any,
    printed: list[Printed],
) -> FittedModel:
    names = [str(model.exog_names[j]) for j in design.columns]
    return FittedModel(
        program=f"statsmodels {kind_of(model)}",
        kind=kind,
        family=family,
        X=_with_row_names(design.X, names, getattr(model.data, "row_labels", None), rows),
        y=y,
        intercept=design.constant is not None or family == "cumulative",
        printed=printed,
        names=names,
        columns=design.columns,
        constant=design.constant,
        width=model.exog.shape[1],
        rows=np.asarray(rows, np.int64),
        n_rows=len(model.exog),
        weights=weights,
        penalty=_penalty(result, design),
        offset=_offset(model, rows),
        converged=_converged(result),
    )


def _with_row_names(X: Any, names: list[str], labels: Any, rows: Any) -> Any:
    """The rows by the names that they have in the frame of the fit, where these are more than their numbers."""
    if labels is None or type(labels).__name__ == "RangeIndex":
        return X
    return needed("pandas", "io").DataFrame(X, columns=names, index=labels[rows])


def _estimates(result: Any, count: int) -> tuple[Vector, Vector]:
    """Estimates and standard errors; nan where there are none."""
    missing = np.full(count, np.nan)
    if result is None:
        return missing, missing
    values = np.asarray(result.params, np.float64).ravel(order="F")
    try:
        errors = np.asarray(result.bse, np.float64).ravel(order="F")
    except (AttributeError, ValueError, NotImplementedError):  # LinAlgError is a ValueError; penalized fits have none
        errors = missing
    return values, errors if errors.size == values.size else missing


def _penalty(result: Any, design: FitDesign) -> str:
    """The penalty in words; one that leaves out a column but the constant one does not keep all of them finite."""
    kind = _name(getattr(result, "_results", result))
    if kind == "RegularizedResults":
        return "an elastic net (unless alpha, which statsmodels does not keep, is 0 for a column)"
    if not kind.startswith("L1") or not np.any(alpha := result.mle_settings["alpha"]):
        return ""
    each = np.broadcast_to(np.ravel(alpha, order="F"), np.size(result.params))
    if not np.all(each.reshape(np.shape(result.params), order="F")[design.columns]):
        raise refused("alpha", alpha, "above 0 for every column but the constant", "fit again, with or without it")
    return "an L1 penalty"


def _offset(model: Any, rows: Any) -> Vector | None:
    values = getattr(model, "offset", None)
    return np.asarray(values, np.float64)[rows] if values is not None and np.any(np.asarray(values) != 0) else None


def _converged(result: Any) -> bool | None:
    settings = getattr(result, "mle_retvals", None) or {}
    found = getattr(result, "converged", settings.get("converged") if isinstance(settings, dict) else None)
    return None if found is None else bool(found)


READERS: dict[str, Callable[[Any, Any], FittedModel]] = {
    "Logit": _binary("logit"),
    "Probit": _binary("probit"),
    "GLM": _glm,
    "MNLogit": _multinomial,
    "Poisson": _poisson,
    "OrderedModel": _ordered,
}

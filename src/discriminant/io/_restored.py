"""A model made of what a file says, and asked whether it is one."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

import discriminant

from ..solution import Report
from ._checks import check
from ._codec import decoded
from ._errors import not_a_model

WIDE = 10**6  # features from which a trial pattern is sparse


@cache
def class_of(procedure: str) -> type[BaseEstimator] | None:
    kind = getattr(discriminant, procedure) if procedure in discriminant.__all__ else None
    return kind if inspect.isclass(kind) and hasattr(kind, "_held") else None


def procedures() -> list[str]:
    """The names of all estimators; this imports them."""
    return [name for name in discriminant.__all__ if class_of(name) is not None]


def added_parameters(kind: type) -> set[str]:
    """Parameters that version 0.1 did not have: they are written where they are not None."""
    return {name for base in kind.__mro__ for name in vars(base).get("_added_parameters", ())}


def restored(kind: type[BaseEstimator], parameters: dict[str, Any], fitted: dict[str, Any]) -> Any:
    """The model of a class: parameters through its constructor, attributes once they have been checked."""
    known = set(kind().get_params(deep=False))
    if odd := sorted((set(parameters) ^ known) - (added_parameters(kind) - set(parameters))):
        state = "unknown" if odd[0] in parameters else "missing"
        raise not_a_model(f"the parameter {odd[0]!r} of {kind.__name__} is {state}.")
    model = kind(**{name: decoded(value) for name, value in parameters.items()})
    if hasattr(model, "_check_parameters"):
        model._check_parameters()
    held = {name: decoded(value) for name, value in fitted.items()}
    check(kind, held)
    for name, value in held.items():
        setattr(model, name, value)
    if hasattr(model, "_after_load"):
        model._after_load()
    _check_words(model)
    _try(model)
    return model


def _check_words(model: Any) -> None:
    """Refuse parameters, status and report that speak of different fits."""
    wanted = model.get_params(deep=False).get("multiclass")
    if wanted is not None and model.multiclass_ not in ("two-category", wanted):
        raise not_a_model(f"multiclass={wanted!r} and {model.multiclass_!r} disagree.")
    report = getattr(model, "report_", None)
    if isinstance(report, Report):
        if report.to_dict().get("procedure") != type(model).__name__:
            raise not_a_model("its report tells of another fit.")
        str(report)


def _try(model: Any) -> None:
    """Ask the model about one pattern: what cannot answer is no model."""
    shape = 1, model.n_features_in_
    X = np.zeros(shape) if shape[1] <= WIDE else sparse.csr_array(shape)
    if "feature_names_in_" in vars(model):
        model = _nameless(model)
    for name in ("predict", "predict_proba", "transform"):
        if hasattr(model, name):
            getattr(model, name)(X)


def _nameless(model: Any) -> Any:
    """The same model without feature names, for which an array needs no warning."""
    twin = object.__new__(type(model))
    twin.__dict__.update({name: value for name, value in vars(model).items() if name != "feature_names_in_"})
    return twin

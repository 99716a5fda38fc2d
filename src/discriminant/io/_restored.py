"""A model made of what a file says, and asked whether it is one."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

import discriminant

from ..base.classifier import LinearClassifier
from ..base.iterative import SolvingEstimator
from ..base.lazy_report import BorrowedData
from ..features import PolynomialMap, highest_degree, n_terms
from ..mlp.base import NetworkEstimator
from ..multiclass import n_problems
from ..solution import Report, epochs_of
from ..svm.estimator import SupportVectorMachine
from ._checks import check
from ._codec import decoded
from ._errors import ModelFileError

WIDEST_MAP = 10**6  # terms of a polynomial map
WIDE = 10**6  # features from which a trial pattern is sparse


def class_of(procedure: str) -> type[BaseEstimator]:
    """The class of a name in the table; no other name ever comes here."""
    kind: type[BaseEstimator] = getattr(discriminant, procedure)
    return kind


def restored(procedure: str, parameters: dict[str, Any], fitted: dict[str, Any]) -> Any:
    """The model of a procedure: parameters through its constructor, attributes once they have been checked."""
    kind = class_of(procedure)
    model = kind()
    if odd := sorted(set(parameters) ^ set(model.get_params(deep=False))):
        state = "unknown" if odd[0] in parameters else "missing"
        raise ModelFileError(f"this is no model file: the parameter {odd[0]!r} of {procedure} is {state}.")
    model = kind(**{name: decoded(value) for name, value in parameters.items()})
    if hasattr(model, "_check_parameters"):
        model._check_parameters()
    held = {name: decoded(value) for name, value in fitted.items()}
    check(procedure, held)
    for name, value in held.items():
        setattr(model, name, value)
    _complete(model)
    _check_words(model)
    _try(model)
    return model


def _complete(model: Any) -> None:
    """Make what follows from the rest: what ``partial_fit`` goes on from, and the monomials of a map."""
    history = getattr(model, "history_", None)
    if isinstance(model, SolvingEstimator):
        problems = n_problems(model.classes_.size, model.multiclass_) if isinstance(model, LinearClassifier) else 1
        model._rules, model._portions = [], epochs_of(history or {}, problems)
    if isinstance(model, SupportVectorMachine) and "_vectors" not in vars(model):
        model._vectors = BorrowedData()  # a plane through large data keeps no rows of them
    if isinstance(model, PolynomialMap):
        _complete_map(model)


def _complete_map(model: Any) -> None:
    """The monomials follow from the number of features, if they are as many as the file says."""
    d, degree, terms = model.n_features_in_, model.degree, model.n_terms_
    if type(degree) is not int or max(d, terms) > WIDEST_MAP:
        raise ModelFileError(f"this is no model file: a map of {d:,} features and {terms:,} terms is too large.")
    if terms != n_terms(d, highest_degree(d, degree, model.interaction_only), model.interaction_only):
        raise ModelFileError(f"this is no model file: a map of this degree has not {terms:,} terms.")
    twin: Any = PolynomialMap(**model.get_params()).fit(np.zeros((1, d)))
    model._monomials = twin._monomials


def _check_words(model: Any) -> None:
    """Refuse parameters, status and report that speak of different fits."""
    wanted = model.get_params(deep=False).get("multiclass")
    if wanted is not None and model.multiclass_ not in ("two-category", wanted):
        raise ModelFileError(f"this is no model file: multiclass={wanted!r} and {model.multiclass_!r} disagree.")
    if isinstance(model, NetworkEstimator) and model._hidden() != model._units[1:-1].tolist():
        raise ModelFileError(f"this is no model file: hidden={model.hidden!r} and the layers disagree.")
    report = getattr(model, "report_", None)
    if isinstance(report, Report):
        if report.to_dict().get("procedure") != type(model).__name__:
            raise ModelFileError("this is no model file: its report tells of another fit.")
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

"""A fitted model of scikit-learn, of glum or of this package, read with the data of its fit, which it does not keep.

A pipeline is asked about what reaches its last step. Scales are looked through: a column less a number, over a positive
one, has weights of the same signs in every direction in which the likelihood grows, and its ties survive only before
the scaling, since floats round. So the columns are those before the scalers at the end of the pipeline, and the
intercept is that of the scaled ones.

Tests: ``tests/diagnosing/test_estimators.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import refused
from .._guards.validation import table_of
from .fitted import BINARY, INTERCEPT, FittedModel, Outcomes, Printed, both_outcomes

SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
MAKERS = ("sklearn", "glum", "discriminant")
GLUM_LINKS = {"LogitLink": "logit", "ProbitLink": "probit", "CloglogLink": "cloglog"}
KNOWN = (
    "a fitted LogisticRegression, LogisticRegressionCV, SGDClassifier(loss='log_loss'), PoissonRegressor, glum "
    "GeneralizedLinearRegressor or LogisticDiscriminant, or a pipeline that ends with one"
)


class Given(NamedTuple):
    """A model and the data of its fit, as they reach it."""

    model: Any
    X: Any  # before the scalers
    y: NDArray[Any]
    weights: NDArray[np.float64] | None
    names: list[str]
    scaled: bool


def is_estimator(model: Any) -> bool:
    """Whether the object looks like a model of these packages."""
    return type(model).__module__.partition(".")[0] in MAKERS and hasattr(model, "get_params")


def read_estimator(model: Any, X: Any, y: Any, sample_weight: Any) -> FittedModel:
    """What is known of the fit, or an error that says in one sentence why nothing can be said of it."""
    model = getattr(model, "best_estimator_", model)
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    kind = type(last).__name__
    if kind not in READERS or type(last).__module__.partition(".")[0] not in MAKERS:
        raise refused("model", kind, KNOWN, "no other model is known")
    if not hasattr(last, "coef_"):
        raise refused("model", kind, "fitted", "call its fit() first")
    if X is None or y is None:
        raise ValueError(f"{kind} keeps no data: give those of the fit, diagnose(model, X, y).")
    return READERS[kind](_given(model, last, X, y, sample_weight))


def _given(model: Any, last: Any, X: Any, y: Any, sample_weight: Any) -> Given:
    """The data as they reach the last step, or the scalers before it."""
    steps = [step for _, step in model.steps[:-1] if step not in (None, "passthrough")] if last is not model else []
    k = len(steps)
    while k and type(steps[k - 1]).__name__ in SCALERS and getattr(last, "fit_intercept", True):
        k -= 1
    names = None
    for step in steps[:k]:
        names = step.get_feature_names_out(names) if hasattr(step, "get_feature_names_out") else None
        X = step.transform(X)
    if hasattr(X, "columns") and hasattr(last, "_convert_from_df"):  # glum's own levels
        names, X = last.feature_names_, last._convert_from_df(X).toarray()
    X, y = X if hasattr(X, "columns") else table_of(X), np.asarray(y)
    wanted = np.shape(last.coef_)[-1]
    if len(np.shape(X)) != 2 or np.shape(X)[1] != wanted:
        raise ValueError(f"X has shape {np.shape(X)}, and the fit has {wanted} columns; give the data of the fit.")
    if y.shape != (np.shape(X)[0],):
        raise ValueError(f"y has shape {y.shape}, and X has {np.shape(X)[0]} rows; give the data of the fit.")
    weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weights is not None and (weights.shape != y.shape or not np.all(weights >= 0)):
        raise ValueError("sample_weight must have a number >= 0 for each row; give the weights of the fit.")
    own = getattr(X, "columns", getattr(last, "feature_names_in_", None))
    found = own if names is None else names
    called = [f"x{j}" for j in range(wanted)] if found is None else [str(name) for name in found]
    return Given(last, X, y, weights, called, k < len(steps))


def _logistic(penalty: Callable[[Any], str]) -> Callable[[Given], FittedModel]:
    return lambda given: _classes(given, penalty(given.model))


def _classes(given: Given, penalty: str) -> FittedModel:
    """Of many classes, what each weight is above that of the first class: only such differences are determined."""
    model, labels = given.model, given.model.classes_
    strange = [label for label in np.unique(given.y).tolist() if label not in labels.tolist()]
    if strange:
        raise ValueError(f"y holds {strange[0]!r}, which the fit did not know; give the labels of the fit.")
    rows = np.arange(given.y.size) if given.weights is None else np.flatnonzero(given.weights > 0)
    both_outcomes(given.y[rows])
    if np.unique(given.y[rows]).size < labels.size:
        raise ValueError(f"y holds not all of the classes {labels.tolist()} of the fit; give the data of the fit.")
    coef, intercept = np.atleast_2d(model.coef_), np.broadcast_to(np.atleast_1d(model.intercept_), len(model.coef_))
    notes = []
    if labels.size > 2:
        coef, intercept = coef[1:] - coef[0], intercept[1:] - intercept[0]
        notes.append(f"Of {labels.size} classes the table has the weights of each less those of {labels[0]}.")
    printed = [
        each
        for k, (w, w0) in enumerate(zip(coef, intercept, strict=True))
        for each in _printed(given, w, w0, k, str(labels[k + 1]) if labels.size > 2 else "")
    ]
    kind = "logistic regression" if labels.size == 2 else "multinomial logistic regression"
    return _fitted(given, kind, "classes", given.y[rows], rows, penalty, printed, notes)


def _sgd(given: Given) -> FittedModel:
    model = given.model
    if model.loss != "log_loss":
        raise refused("loss", model.loss, "'log_loss'", "other losses have no likelihood")
    if model.classes_.size > 2:
        wanted = "fitted to two classes, for it holds each class against the rest"
        raise refused("model", "SGDClassifier", wanted, "diagnose a fit of one class against the rest")
    return _classes(given, f"{model.penalty} with alpha={model.alpha:g}" if model.penalty and model.alpha else "")


def _poisson(given: Given) -> FittedModel:
    return _counts(given, f"a ridge with alpha={given.model.alpha:g}" if given.model.alpha else "")


def _counts(given: Given, penalty: str) -> FittedModel:
    y = np.asarray(given.y, np.float64)
    rows = np.arange(y.size) if given.weights is None else np.flatnonzero(given.weights > 0)
    printed = _printed(given, np.ravel(given.model.coef_), float(given.model.intercept_))
    return _fitted(given, "Poisson regression", "poisson", y[rows], rows, penalty, printed)


def _glum(given: Given) -> FittedModel:
    model = given.model
    family, link = type(model.family_instance).__name__, type(model.link_instance).__name__
    alpha = getattr(model, "alpha_", model.alpha)
    penalty = f"a penalty with alpha={float(np.max(alpha)):g}" if alpha is not None and np.any(alpha) else ""
    for name in ("P1", "P2") if penalty else ():
        parts = getattr(model, name)
        if not isinstance(parts, str) and (np.ndim(parts) != 1 or not np.all(np.asarray(parts) > 0)):
            raise refused(name, parts, "above 0 for every column", "fit again, with or without a penalty")
    if family == "PoissonDistribution" and link == "LogLink":
        return _counts(given, penalty)
    if family == "BinomialDistribution" and link in GLUM_LINKS:
        found = Outcomes.of(given.y, given.weights)
        both_outcomes(found.y)
        printed = _printed(given, np.ravel(model.coef_), float(model.intercept_))
        kind = BINARY[GLUM_LINKS[link]]
        return _fitted(given, kind, "classes", found.y, found.rows, penalty, printed, weights=found.weights)
    wanted = "binomial with logit, or poisson with log"
    raise refused("family", f"{family} with {link}", wanted, "of others no verdict is known")


def _printed(given: Given, w: Any, w0: float, block: int = 0, label: str = "") -> list[Printed]:
    first = [Printed("intercept", float(w0), np.nan, INTERCEPT, block, label)] if _has_intercept(given.model) else []
    return first + [
        Printed(name, float(value), np.nan, j, block, label)
        for j, (name, value) in enumerate(zip(given.names, w, strict=True))
    ]


def _has_intercept(model: Any) -> bool:
    return bool(getattr(model, "fit_intercept", True))


def _fitted(
    given: Given, kind: str, family: str, y: Any, rows: Any, penalty: str, printed: list[Printed],
    notes: list[str] | None = None, weights: Any = None,
) -> FittedModel:  # fmt: skip
    by_place = given.X.iloc if hasattr(given.X, "iloc") else given.X
    everything = rows.size == given.y.size and np.all(rows == np.arange(rows.size))
    if weights is None and given.weights is not None:
        weights = given.weights[rows]
    told = list(notes or [])
    if given.scaled:
        told.append("The columns are those before the scaling, whose ties rounding would destroy.")
    width, intercept = len(given.names), _has_intercept(given.model)
    return FittedModel(
        program=f"{type(given.model).__module__.partition('.')[0].replace('sklearn', 'scikit-learn')} "
        f"{type(given.model).__name__}",
        kind=kind,
        family=family,
        X=given.X if everything else by_place[rows],
        y=y,
        intercept=intercept,
        printed=printed,
        names=given.names,
        columns=list(range(width)),
        constant=None,
        width=width,
        rows=np.asarray(rows, np.int64),
        n_rows=given.y.size,
        weights=weights,
        penalty=penalty,
        scaled=given.scaled,
        notes=told,
    )


def _of_c(model: Any) -> str:
    """The penalty of scikit-learn's logistic regressions: none where C is infinite, or penalty is None."""
    C = np.asarray(getattr(model, "C_", getattr(model, "C", 1.0)), np.float64)
    if getattr(model, "penalty", "l2") in (None, "none") or np.all(np.isinf(C)):
        return ""
    return f"a penalty with C={float(C.min()):g}"


def _of_ours(model: Any) -> str:
    if model.loss != "log":
        raise refused("loss", model.loss, "'log'", "other losses have no likelihood")
    if model.penalty == "firth":
        return "Firth's penalty"
    return "" if model.penalty is None or np.isinf(model.C) else f"a ridge with C={model.C:g}"


READERS: dict[str, Callable[[Given], FittedModel]] = {
    "LogisticRegression": _logistic(_of_c),
    "LogisticRegressionCV": _logistic(_of_c),
    "LogisticDiscriminant": _logistic(_of_ours),
    "SGDClassifier": _sgd,
    "PoissonRegressor": _poisson,
    "GeneralizedLinearRegressor": _glum,
    "GeneralizedLinearRegressorCV": _glum,
}

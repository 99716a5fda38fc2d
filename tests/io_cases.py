"""Fitted models of every public estimator, for the tests of files: each kind of kernel, schedule, matrix and label."""

from __future__ import annotations

import functools
import inspect
import warnings
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.datasets import load_iris

import discriminant as D
from discriminant import mercer, schedules

X, Y = load_iris(return_X_y=True)
PAIR = slice(0, 100)
LAST = slice(50, 150)
DAYS = np.array(["1994-03-06", "2000-02-29", "2038-01-19"], "datetime64[D]")
TEXTS = np.array(["setosa", "versicolor", "virginica"])[Y]
ESTIMATORS = [
    value for name in D.__all__ if inspect.isclass(value := getattr(D, name)) and issubclass(value, BaseEstimator)
]
KERNELS = {
    "gaussian": "gaussian",
    "sigma 2": mercer.Gaussian(2.0),
    "polynomial": mercer.Polynomial(2),
    "precomputed": "precomputed",
}
SPECIAL: dict[str, tuple[Any, Any, Any]] = {
    "hard margin": (D.SupportVectorMachine(C=np.inf), X[PAIR], Y[PAIR]),
    "svm probability": (D.SupportVectorMachine(probability=True), X, TEXTS),
    "svm two probabilities": (D.SupportVectorMachine(probability=True, kernel="gaussian"), X[LAST], Y[LAST]),
    "svm one-vs-rest": (D.SupportVectorMachine(kernel="gaussian", multiclass="one-vs-rest"), X, Y),
    "averaged": (D.Perceptron(schedule=schedules.Harmonic(2.0), average=True), X, Y),
    "slack": (D.Perceptron(slack=1.0, max_iter=20), X[LAST], Y[LAST]),
    "pocket": (D.Perceptron(pocket=True, multiclass="one-vs-one", max_iter=20), X, TEXTS.astype(object)),
    "recorded": (D.Perceptron(record="weights", max_iter=20), X, Y),
    "adaptive": (D.Perceptron(schedule=schedules.Adaptive(patience=3), max_iter=20), X, Y == 0),
    "rls": (D.WidrowHoff(schedule="rls", max_iter=20), X, Y),
    "dual": (D.WidrowHoff(dual=True, max_iter=20), X, Y),
    "dual regressor": (D.WidrowHoffRegressor(dual=True, max_iter=20), X, X[:, 0]),
    "infinite": (D.LogisticDiscriminant(penalty=None), X[PAIR], Y[PAIR]),
    "firth": (D.LogisticDiscriminant(penalty="firth", class_weight={0: 1.0, 1: 2.0}), X[PAIR], Y[PAIR]),
    "squared logistic": (D.LogisticDiscriminant(loss="squared", max_iter=20), X, Y),
    "two hidden layers": (D.MultilayerPerceptron((5, 3), activation="tanh", early_stopping=True), X, Y),
    "squared network": (D.MultilayerPerceptron((5,), activation="sigmoid", loss="squared", max_iter=9), X, Y),
    "two outputs": (D.MultilayerPerceptronRegressor((5,), max_iter=9), X, X[:, :2]),
    "criterion": (D.GradientDescent(criterion=D.criteria.Logistic, max_iter=20), X, Y),
    "ridge dual": (D.RidgeRegressor(dual=True), X, X[:, 0]),
    "minimax": (D.LinearProgram(criterion="minimax"), X[PAIR], Y[PAIR]),
    "equal scatters": (D.FisherDiscriminant(within="equal", n_components=1), X, Y),
    "losses": (D.LeastSquares(losses=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]), X, Y),
    "interactions": (D.PolynomialMap(degree=3, interaction_only=True), X, Y),
    "bytes": (D.LogisticDiscriminant(class_weight={b"\xff": 2.0}), X, np.array([b"a", b"a\0b", b"\xff"], "S9")[Y]),
    "days": (D.LogisticDiscriminant(class_weight={DAYS[0].item(): 2.0}), X, DAYS[Y]),
    "moments": (D.FisherDiscriminant(), X, DAYS.astype("datetime64[ns]")[Y]),
    "seconds": (D.LogisticDiscriminant(class_weight={datetime(1994, 3, 6): 2}), X, DAYS.astype("datetime64[s]")[Y]),
    "spans": (D.LogisticDiscriminant(class_weight={timedelta(3): 2.0}), X, np.array([-1, 0, 3], "timedelta64[D]")[Y]),
    "half": (D.Perceptron(max_iter=5), X, Y.astype(np.float16)),
    "by hand": (D.MultilayerPerceptron(), None, None),
}


def plain(kind: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Three classes, two in float32, and CSR with text for labels."""
    return {
        f"{kind.__name__}": (kind(), X, Y),
        f"{kind.__name__} float32": (kind(), X[PAIR].astype(np.float32), Y[PAIR]),
        f"{kind.__name__} csr": (kind(), sparse.csr_matrix(X[LAST]), TEXTS[LAST]),
    }


def with_kernel(kind: Any) -> dict[str, tuple[Any, Any, Any]]:
    found: dict[str, tuple[Any, Any, Any]] = {}
    for name, kernel in KERNELS.items():
        given = X @ X.T if kernel == "precomputed" else X
        found[f"{kind.__name__} {name}"] = kind(kernel=kernel), given, Y
    found[f"{kind.__name__} gaussian csr"] = kind(kernel="gaussian"), sparse.csr_array(X[LAST]), Y[LAST]
    return found


CASES = SPECIAL | {name: case for kind in ESTIMATORS for name, case in plain(kind).items()}
for kind in ESTIMATORS:
    if "kernel" in kind().get_params():
        CASES |= with_kernel(kind)


@functools.cache
def fitted(name: str, weighted: bool = False) -> tuple[Any, Any]:
    """The model of a case and the patterns it was fitted to; nobody may change them. Some rows may have weight zero."""
    model, given, y = CASES[name]
    if name == "by hand":
        W = [np.array([[1.0, -1], [1, -1], [0, 0], [0, 0]]), np.array([[1.0], [1.0]])]
        return model.with_weights(W, [np.array([0.5, 1.5]), np.array([-1.0])], classes=["a", "b"]), X
    model = clone(model)
    if is_regressor(model) and np.asarray(y).dtype.kind == "U":
        y = (y == y[0]).astype(float)
    if "max_iter" in model.get_params() and not isinstance(model, D.RecursiveLeastSquares):
        model.set_params(max_iter=min(model.max_iter, 40))
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    weights = {"sample_weight": np.where(np.arange(given.shape[0]) % 7 == 0, 0.0, 1.0)} if weighted else {}
    with warnings.catch_warnings(action="ignore"):
        return model.fit(given, y, **weights), given


def answers(model: Any, given: Any) -> dict[str, Any]:
    """All that a model says about patterns: a copy, since numpy multiplies a matrix by its own transpose otherwise."""
    given = deepcopy(given)
    names = ("predict", "decision_function", "predict_proba", "predict_log_proba", "transform")
    found = {name: getattr(model, name)(given) for name in names if hasattr(model, name)}
    return {name: value.toarray() if sparse.issparse(value) else value for name, value in found.items()}

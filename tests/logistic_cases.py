"""Data and shorthands of the tests of logistic regression."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special
from sklearn.linear_model import LogisticRegression

from discriminant import InfiniteEstimateWarning, LogisticDiscriminant, NotConvergedWarning

Rng = np.random.Generator
Matrix = NDArray[Any]

FOUR = np.array([[1.0, 2], [2, 1], [6, 7], [7, 6]]), np.array([0, 0, 1, 1])


def noisy(rng: Rng, n: int, d: int, c: int = 2) -> tuple[Matrix, Matrix]:
    """Rows whose classes follow a multinomial model."""
    X = rng.normal(size=(n, d)) * np.linspace(0.5, 2, d)
    return X, (X @ rng.normal(size=(d, c)) + rng.gumbel(size=(n, c))).argmax(axis=1)


def quiet(model: LogisticDiscriminant, X: Any, y: Any, **data: Any) -> LogisticDiscriminant:
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        return model.fit(X, y, **data)


def gradient(model: LogisticDiscriminant, X: Any, y: Matrix, C: float, v: Any = 1.0) -> Matrix:
    """The gradient of the log loss with a ridge at the weights of a model, by its probabilities."""
    P = model.predict_proba(X)
    T = y[:, None] == model.classes_
    R = ((P - T).T * v)[-len(model.coef_) :]
    return np.column_stack([R.sum(axis=1), R @ X + model.coef_ / C])


def peer(X: Any, y: Any, C: float, v: Any = None, class_weight: Any = None) -> LogisticRegression:
    model = LogisticRegression(C=C, tol=1e-13, solver="newton-cholesky", max_iter=1000, class_weight=class_weight)
    return model.fit(X, y, v)


def firth_score(a: Matrix, Y: Matrix, y: Matrix, v: Any = 1.0) -> Matrix:
    p = special.expit(Y @ a)
    w = v * p * (1 - p)
    leverage = w * np.sum(Y @ np.linalg.inv((Y.T * w) @ Y) * Y, axis=1)
    return Y.T @ (v * (y - p) + leverage * (0.5 - p))


def infinite(model: LogisticDiscriminant, X: Any, y: Any, **data: Any) -> InfiniteEstimateWarning:
    with pytest.warns(InfiniteEstimateWarning) as caught:
        model.fit(X, y, **data)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = caught[0].message
    assert isinstance(message, InfiniteEstimateWarning)
    assert message.report is model.report_
    return message

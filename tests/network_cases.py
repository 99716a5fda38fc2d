"""Fits of networks that may warn, their weights, and the units by the names of scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

THEIRS = {"sigmoid": "logistic", "tanh": "tanh", "relu": "relu", "linear": "identity"}


def quiet(model: Any, X: Any, y: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # also scikit-learn's ConvergenceWarning
        return model.fit(X, y, **more)


def same_weights(one: Any, other: Any, atol: float = 0.0) -> None:
    for a, b in zip(one.coefs_ + one.intercepts_, other.coefs_ + other.intercepts_, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=atol)

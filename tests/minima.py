"""Minima of the convex criteria by other means: standardized least squares, HiGHS on the whole program, BFGS, SVC."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from hard_data import Data
from scipy.optimize import linprog, minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import discriminant as D

Array = Any


def excess(model: Any, data: Data) -> float:
    """By which fraction the criterion of a fitted model exceeds its minimum; 0 where no oracle can tell."""
    oracle = ORACLES.get(type(model).__name__)
    X, y, w = np.asarray(data.X), np.ravel(data.y), data.sample_weight
    readable = isinstance(data.X, np.ndarray) and X.ndim == 2 and X.dtype == np.float64 and y.dtype.kind in "iufb"
    if oracle is None or not readable or X.shape[1] > 50 or not hasattr(model, "coef_"):
        return 0.0
    w = np.ones(len(y)) if w is None else np.asarray(w, np.float64)
    spread = np.ptp(X[w > 0], axis=0)
    clear = (spread == 0) | ((spread > 1e-12) & (np.abs(X).max(axis=0) < 1e9 * spread))
    if not clear.all() or w.max() > 1e8:
        return 0.0  # beyond what the oracles bear
    classes = getattr(model, "classes_", None)
    if classes is not None and classes.size != 2:
        return 0.0
    t = y.astype(np.float64) if classes is None else np.where(y == classes[1], 1.0, -1.0)
    a = np.concatenate([np.ravel(model.intercept_), np.ravel(model.coef_)])
    return oracle(model, X, t, w, a)


def outputs(X: Array, a: Array) -> Array:
    """aᵗy of every row, in extended precision: X may lie far from the origin."""
    return (X.astype(np.longdouble) @ a[1:].astype(np.longdouble) + np.longdouble(a[0])).astype(np.float64)


def standardized(X: Array, w: Array) -> Array:
    """The augmented patterns with columns of mean 0 and size 1, which spans the same functions."""
    centered = X - np.average(X, axis=0, weights=w)
    size = np.abs(centered).max(axis=0)
    return np.column_stack([np.ones(len(X)), centered / np.where(size > 0, size, 1.0)])


def fraction(value: float, minimum: float, scale: float, least: float = 1e-6) -> float:
    """(value − minimum) / minimum, where minima below a least part of the scale count as that."""
    return (value - minimum) / max(minimum, least * scale, np.finfo(np.float64).tiny)


def squares(model: Any, X: Array, t: Array, w: Array, a: Array) -> float:
    """Σ w (aᵗy − t)²."""
    parameters = model.get_params()
    plain = parameters.get("criterion", "mse") == "mse" and parameters.get("targets", "ones") == "ones"
    if not plain or parameters.get("batch") is False:
        return 0.0
    Y, root = standardized(X, w), np.sqrt(w)
    best = np.linalg.lstsq(Y * root[:, None], t * root, rcond=1e-13)[0]
    # A descent ends within tol² of J(0), and what is held here is a thousandth of the minimum.
    least = max(1e-6, 1e3 * parameters.get("tol", 0.0) ** 2)
    return fraction(w @ (outputs(X, a) - t) ** 2, w @ (Y @ best - t) ** 2, w @ t**2, least)


def violations(model: Any, X: Array, t: Array, w: Array, a: Array) -> float:
    """Σ w max(0, b − z aᵗy), by one slack variable a row."""
    if model.criterion != "perceptron" or model.b != 1.0:
        return 0.0
    Y = standardized(X, w) * t[:, None]
    n, d = Y.shape
    found = linprog(
        np.r_[np.zeros(d), w], -np.c_[Y, np.eye(n)], -np.ones(n), bounds=[(None, None)] * d + [(0, None)] * n
    )
    value = w @ np.maximum(0.0, 1.0 - t * outputs(X, a))
    return fraction(value, found.fun, w.sum()) if found.status == 0 else 0.0


def logistic(model: Any, X: Array, t: Array, w: Array, a: Array) -> float:
    """½‖w‖² + C Σ w log(1 + exp(−z aᵗy)): what a descent from the model's own answer still gains."""
    if model.loss != "log" or model.penalty != "l2" or model.class_weight is not None or model.C > 1e6:
        return 0.0

    def criterion(a: Array) -> float:
        return 0.5 * a[1:] @ a[1:] + model.C * (w @ np.logaddexp(0.0, -t * outputs(X, a)))

    return fraction(criterion(a), min(minimize(criterion, start).fun for start in (a, 0 * a)), model.C * w.sum())


def hinge(model: Any, X: Array, t: Array, w: Array, a: Array) -> float:
    """½‖w‖² + C Σ w max(0, 1 − z g(x)), which libsvm minimizes too."""
    moderate = np.abs(X).max() < 100 and model.C <= 100 and w.min() > 0 and w.max() / w.min() < 100
    if not moderate or model.class_weight is not None or (model.loss, model.intercept) != ("hinge", "free"):
        return 0.0

    def criterion(a: Array) -> float:
        return 0.5 * a[1:] @ a[1:] + model.C * (w @ np.maximum(0.0, 1.0 - t * outputs(X, a)))

    with warnings.catch_warnings(action="error", category=ConvergenceWarning):
        try:
            peer = SVC(kernel="linear", C=model.C, tol=1e-8, max_iter=10**6).fit(X, t, w)
        except ConvergenceWarning:
            return 0.0
    return fraction(criterion(a), criterion(np.r_[peer.intercept_, peer.coef_[0]]), model.C * w.sum())


ORACLES: dict[str, Callable[[Any, Array, Array, Array, Array], float]] = {
    "GradientDescent": squares,
    "NewtonDescent": squares,
    "WidrowHoff": squares,
    "WidrowHoffRegressor": squares,
    "LeastSquares": squares,
    "LeastSquaresRegressor": squares,
    "LinearProgram": violations,
    "LogisticDiscriminant": logistic,
    "SupportVectorMachine": hinge,
}
assert set(ORACLES) <= set(D.__all__)

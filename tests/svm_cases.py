"""Data for support vector machines, and what makes an answer optimal."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from sklearn.svm import SVC

from discriminant import (
    SupportVectorMachine,
    mercer,
)

Rng = np.random.Generator
Matrix = NDArray[Any]


KERNELS: dict[str, Any] = {
    "linear": "linear",
    "polynomial": mercer.Polynomial(degree=2),
    "gaussian": mercer.Gaussian(sigma=1.5),
}


every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def overlapping(rng: Rng, n: int = 60, d: int = 3, c: int = 2) -> tuple[Matrix, Matrix]:
    """Classes of the same spread whose means differ, each of them there."""
    y = np.arange(n) % c
    return rng.normal(size=(n, d)) + 0.8 * np.eye(max(c, d))[y][:, :d] * (1 + y[:, None]), y


def gram(kernel: Any, X: Any) -> Matrix:
    return np.asarray(mercer.get(kernel)(X, X), np.float64)


def svc(kernel: Any, C: float, X: Matrix, y: Matrix, weight: Any = None, tol: float = 1e-6) -> SVC:
    """scikit-learn's answer with the same kernel matrix."""
    return SVC(C=C, kernel="precomputed", tol=tol, cache_size=50).fit(gram(kernel, X), y, weight)


def strengths(model: Any, n: int) -> Iterator[tuple[Matrix, Matrix]]:
    """alpha z of every pair of classes, over all n rows, from what model publishes; and which rows it concerns."""
    table = np.atleast_2d(model.dual_coef_)
    own = np.repeat(np.arange(len(model.n_support_)), model.n_support_)
    for i, j in combinations(range(len(model.n_support_)), 2):
        beta = np.zeros(n)
        beta[model.support_[own == i]] = table[j - 1, own == i]
        beta[model.support_[own == j]] = table[i, own == j]
        yield beta, np.array([i, j])


def dual_values(model: Any, K: Matrix) -> list[float]:
    return [float(np.abs(beta).sum() - beta @ K @ beta / 2) for beta, _ in strengths(model, len(K))]


def check_optimal(
    model: SupportVectorMachine, X: Any, y: Matrix, weight: Any = None, tol: float = 1e-6, kkt: float = 1e-5
) -> None:
    """Constraints, Kuhn-Tucker conditions and duality gap, from alpha_ and the discriminant alone."""
    alpha, z = model.alpha_, np.where(y == model.classes_[1], 1.0, -1.0)
    C = model.C * (np.ones(len(y)) if weight is None else weight)
    K = gram(model.kernel, X) + (model.intercept == "augmented")
    g = np.asarray(model.decision_function(X), np.float64)
    squared = model.loss == "squared_hinge"
    slack = np.maximum(0, 1 - z * g)
    beta = alpha * z
    size = max(1.0, float(np.abs(K).max() * alpha.max()))
    assert np.all(alpha >= 0)
    if not squared:
        assert np.all(alpha <= C * (1 + 1e-12))
    if model.intercept == "free":
        assert abs(alpha @ z) <= 1e-9 * alpha.sum()
    w0 = model.intercept_[0] if model.intercept == "free" else 0.0
    assert_allclose(g, K @ beta + w0, atol=kkt * size)
    # stationarity and complementary slackness
    m = z * g + (alpha / (2 * C) if squared else 0)
    inside = (alpha > 1e-7 * alpha.max()) & (True if squared else alpha < C * (1 - 1e-7))
    assert np.all(m[alpha < C * (1 - 1e-7) if not squared else slice(None)] >= 1 - kkt * size)
    assert np.all(np.abs(m[inside] - 1) <= kkt * size)
    # the gap
    norm = float(beta @ K @ beta)
    if squared:
        primal, dual = norm / 2 + C @ slack**2, alpha.sum() - norm / 2 - (alpha**2 / (4 * C)).sum()
    else:
        primal, dual = norm / 2 + C @ slack, alpha.sum() - norm / 2
    assert abs(primal - dual) <= tol * abs(primal)
    assert model.gap_ <= max(tol, model.tol)
    if model.intercept == "free":
        assert_allclose(model.margin_, norm**-0.5, rtol=1e-5)


def crowd(rng: Rng, c: int = 12, each: int = 9, d: int = 4) -> tuple[Matrix, Matrix]:
    """More classes than are solved pair after pair in Python, in no order; the first is larger than the others."""
    y = rng.permutation(np.append(np.arange(c * each) % c, [0] * 7))
    return rng.normal(size=(y.size, d)) + 1.5 * rng.normal(size=(c, d))[y], y


def press_in_fit(monkeypatch: pytest.MonkeyPatch, number: int) -> list[int]:
    """Ctrl-C in the fit of that number, counted from 1; the list grows by one a fit."""
    work, fits = SupportVectorMachine._solutions, []

    def pressed(self: Any, *arguments: Any, **options: Any) -> Any:
        fits.append(len(fits) + 1)
        if len(fits) == number:
            signal.raise_signal(signal.SIGINT)
        return work(self, *arguments, **options)

    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    monkeypatch.setattr(SupportVectorMachine, "_solutions", pressed)
    return fits

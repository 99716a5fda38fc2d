"""The variants of Ho-Kashyap, the book's steps in plain numpy, and what makes evidence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from discriminant import NotConvergedWarning
from discriminant.squared_error.ho_kashyap import HoKashyap

VARIANTS: dict[str, dict[str, Any]] = {
    "pseudoinverse": {},
    "modified": {"variant": "modified"},
    "descent": {"variant": "descent"},
    "optimal": {"variant": "descent", "eta": "optimal"},
    "gram": {"variant": "descent", "R": "gram"},
}
every_variant = pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS.keys())


def fitted(X: Any, y: Any, sample_weight: Any = None, **options: Any) -> HoKashyap:
    """Fit without the warnings that nonseparable data call for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return HoKashyap(**options).fit(X, y, sample_weight)


def normalized(X: Any, y: Any) -> np.ndarray:
    """Y, built: the label that sorts last is positive."""
    X = np.asarray(X, float)
    z = np.where(np.asarray(y) == np.max(y), 1.0, -1.0)
    return z[:, None] * np.column_stack([np.ones(len(X)), X])


def random_problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Small, of both classes: noise, whole numbers with ties, or labels of a plane."""
    while True:
        n, d, kind = rng.integers(3, 25), rng.integers(1, 6), rng.integers(3)
        X = rng.normal(size=(n, d)) if kind == 0 else rng.integers(-3, 4, size=(n, d)).astype(float)
        y = rng.integers(0, 2, size=n) if kind < 2 else (X @ rng.normal(size=d) + rng.normal() > 0).astype(int)
        if len(set(y)) == 2:
            return X, y


def by_the_book(Y: np.ndarray, b: np.ndarray, options: dict[str, Any], steps: int) -> list[np.ndarray]:
    """a(1), a(2), ... as the equations are printed (errata corrected), with numpy's pseudoinverse."""
    inverse = np.linalg.pinv(Y)
    variant, eta = options.get("variant", "pseudoinverse"), options.get("eta", 0.5)
    R = options.get("R", np.eye(Y.shape[1]))
    R = np.linalg.inv(Y.T @ Y) if isinstance(R, str) else R
    if variant == "descent" and "eta" not in options:
        L = np.linalg.cholesky(R)
        eta = 1 / np.linalg.eigvalsh(L.T @ Y.T @ Y @ L)[-1]
    a = np.zeros(Y.shape[1]) if variant == "descent" else inverse @ b
    path = [a]
    for _ in range(steps):
        e = Y @ a - b
        if variant == "pseudoinverse":
            b = b + 2 * eta * (e + np.abs(e)) / 2
            a = inverse @ b
        elif variant == "modified":
            b, a = b + eta * (e + np.abs(e)), a + eta * inverse @ np.abs(e)
        else:
            v = Y.T @ np.abs(e)
            rate = (v @ R @ v) / (v @ R @ Y.T @ Y @ R @ v) if eta == "optimal" else eta
            b, a = b + (e + np.abs(e)), a + rate * R @ v
        path.append(a)
    return path


def check_evidence(model: HoKashyap, X: Any, y: Any, sign: int = 1) -> None:
    """The evidence is what the documentation says, to the tolerance."""
    found, Y = model.evidence_, sign * normalized(X, y)
    assert found is not None
    assert np.all(found >= 0)
    assert np.any(found > 0)
    assert np.all(np.abs(Y.T @ found) <= 1e-9 * (np.abs(Y).T @ found) + 1e-15 * found.sum())
    assert np.linalg.norm(Y.T @ found) <= 1.0001e-9 * found @ np.linalg.norm(Y, axis=1)

"""Means, scatter and cross products in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant._engine.moments import Coded, moments
from discriminant._engine.threads import BLOCK


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [7, 3 * BLOCK + 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_are_those_of_numpy(make: Any, n: int, weighted: bool, rng: np.random.Generator) -> None:
    X, T, v = rng.normal(size=(n, 3)), rng.normal(size=(n, 2)), rng.uniform(size=n)
    found = moments(make(X), T, v if weighted else None)
    u = v if weighted else np.ones(n)
    mean, target = np.average(X, axis=0, weights=u), np.average(T, axis=0, weights=u)
    assert found.total == pytest.approx(u.sum())
    np.testing.assert_allclose(found.mean, mean)
    np.testing.assert_allclose(found.target_mean, target)
    np.testing.assert_allclose(found.scatter, (X - mean).T @ ((X - mean) * u[:, None]), atol=1e-9 * n)
    np.testing.assert_allclose(found.cross, (X - mean).T @ ((T - target) * u[:, None]), atol=1e-9 * n)
    np.testing.assert_allclose(found.target_scatter, u @ (T - target) ** 2, rtol=1e-9)
    assert found.finite()


def test_data_far_from_the_origin_lose_no_digits(rng: np.random.Generator) -> None:
    X = rng.normal(size=(500, 2))
    near, far = (moments(part, np.empty((500, 0))).scatter for part in (X, X + 1e8))
    np.testing.assert_allclose(far, near, rtol=1e-6)


def test_targets_of_classes_and_what_is_not_finite() -> None:
    labels, table = np.array([0, 1, 1], np.int32), np.array([[0.0, 1.0], [2.0, 3.0]])
    X = np.array([[1.0], [2.0], [4.0]])
    np.testing.assert_array_equal(moments(X, Coded(labels, table)).cross, moments(X, table[labels]).cross)
    assert not moments(X * 1e200, table[labels]).finite()
    assert not moments(np.array([[np.nan], [1.0], [2.0]]), table[labels]).finite()

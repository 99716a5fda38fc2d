"""Eq. 67 with patterns drawn at random and with replacement: every step, mean-square convergence, and its record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from widrow_hoff_cases import fitted, normalized

from discriminant import WidrowHoff, WidrowHoffRegressor, augment, datasets

OPTIONS: Any = {"order": "replacement", "random_state": 3, "schedule": 0.05, "max_iter": 4}


def by_hand(Y: Any, b: Any, eta: Any, draws: Any) -> Any:
    """Eq. 67 to the letter, with the patterns of these draws: a(1), a(2), …"""
    path = [np.zeros(Y.shape[1])]
    for k, i in enumerate(draws, 1):
        path.append(path[-1] + eta(k) * (b[i] - path[-1] @ Y[i]) * Y[i])
    return np.array(path)


@pytest.mark.parametrize("dual", [False, True])
def test_every_step(data: Any, dual: bool) -> None:
    X, y = data
    draws = np.random.RandomState(3)
    visits = np.concatenate([draws.randint(30, size=30) for _ in range(4)])
    assert np.unique(visits[:30]).size < 30  # with replacement
    path = by_hand(normalized(X, y), np.ones(30), lambda k: 0.05, visits)
    model = fitted(WidrowHoff(dual=dual, record="weights", **OPTIONS), X, y)
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-10, atol=1e-12)
    assert model.history_["corrections"].tolist() == [30] * 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_bits_again_and_stored_sparse(data: Any, dtype: Any) -> None:
    X, y = np.round(data[0], 1).astype(dtype), data[1]
    X[np.abs(X) < 0.5] = 0
    models = [fitted(WidrowHoff(**OPTIONS), table, y) for table in (X, X, sparse.csr_array(X), sparse.csr_matrix(X))]
    for model in models[1:]:
        np.testing.assert_array_equal(model.weights_, models[0].weights_)
    other = fitted(WidrowHoff(**OPTIONS | {"random_state": 4}), X, y)
    assert np.abs(other.weights_ - models[0].weights_).max() > 1e-3


def test_rows_of_weight_zero_are_never_drawn(data: Any, rng: np.random.Generator) -> None:
    X, y = data
    weight = (rng.random(30) < 0.7).astype(float)
    X[weight == 0] *= 100
    one, other = (
        fitted(WidrowHoff(**OPTIONS), X, y, weight),
        fitted(WidrowHoff(**OPTIONS), X[weight > 0], y[weight > 0]),
    )
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-10)


def test_convergence_in_mean_square(data: Any) -> None:
    """Eq. 70: over many seeds the mean of ‖a(k) − â‖² falls with k, to a small part of what a constant step leaves."""
    X, y = data
    best = np.linalg.lstsq(normalized(X, y), np.ones(30), rcond=None)[0]

    def missed(passes: int, schedule: Any) -> float:
        options = OPTIONS | {"max_iter": passes, "schedule": schedule, "tol": 0.0}
        ends = [fitted(WidrowHoff(**options | {"random_state": seed}), X, y).weights_ for seed in range(10)]
        return float(np.mean(np.sum((np.array(ends) - best) ** 2, axis=1)))

    falling = [missed(passes, lambda k: 1 / (k + 10)) for passes in (2, 20, 200)]
    assert falling[0] > 4 * falling[1] > 16 * falling[2]
    assert missed(200, 0.1) > 20 * falling[2]


def test_the_regressor_draws_and_records_as_well(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(25, 2)), rng.normal(size=25)
    model = fitted(WidrowHoffRegressor(record="weights", **OPTIONS), X, y)
    draws = np.random.RandomState(3)
    path = by_hand(augment(X), y, lambda k: 0.05, np.concatenate([draws.randint(25, size=25) for _ in range(4)]))
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(model.history_["weights"][-1], model.weights_)
    batch = fitted(WidrowHoffRegressor(batch=True, record="weights", max_iter=7), X, y)
    assert batch.history_["weights"].shape == (8, 3)
    assert "weights" not in fitted(WidrowHoffRegressor(max_iter=3), X, y).history_


def test_a_batch_draws_nothing() -> None:
    with pytest.raises(ValueError, match="order='replacement' must be 'cyclic' where batch=True"):
        WidrowHoff(order="replacement", batch=True).fit(*datasets.or_function())

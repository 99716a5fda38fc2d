"""The path of a network's weights: every step, thinned where it is long, and no other network for being watched."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant import MultilayerPerceptron, MultilayerPerceptronRegressor, datasets, io, plot


def fitted(model: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return model.fit(X, y)


def weights_of(net: Any) -> Any:
    """Layer after layer, its biases first."""
    return np.concatenate([part.ravel() for W, b in zip(net.coefs_, net.intercepts_, strict=True) for part in (b, W)])


@pytest.mark.parametrize("solver", ["adam", "sgd"])
@pytest.mark.parametrize("batch_size", [7, 150])
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_a_row_for_each_step(solver: str, batch_size: int, stored: Any, iris: Any) -> None:
    X, y = stored(iris[0]), iris[1]
    options: Any = {"solver": solver, "batch_size": batch_size, "random_state": 0, "tol": 0.0}
    net = fitted(MultilayerPerceptron((5,), max_iter=3, record="weights", **options), X, y)
    steps = -(-150 // batch_size)
    path = net.history_["weights"]
    assert path.shape == (3 * steps + 1, weights_of(net).size)
    np.testing.assert_array_equal(path[-1], weights_of(net))
    for passes in (1, 2, 3):  # the network is the same as without a record, after every pass
        other = fitted(MultilayerPerceptron((5,), max_iter=passes, **options), X, y)
        np.testing.assert_array_equal(path[passes * steps], weights_of(other))
    assert "weights" not in other.history_


def test_the_steps_are_those_of_the_gradient() -> None:
    """w_updated = w_current − η∇E(w_current), with the gradient that ``gradient`` gives (§8.6.1)."""
    X, y = datasets.xor()
    options: Any = {"solver": "sgd", "momentum": 0.0, "nesterov": False, "learning_rate": 0.5, "alpha": 0.0}
    net = fitted(MultilayerPerceptron((2,), "sigmoid", record="weights", max_iter=4, random_state=1, **options), X, y)
    path = net.history_["weights"]
    for before, after in pairwise(path):
        at = MultilayerPerceptron((2,), "sigmoid", **options).with_weights(*net.layers(before))
        coefs, biases = at.gradient(X, y)
        gradient = np.concatenate([part.ravel() for W, b in zip(coefs, biases, strict=True) for part in (b, W)])
        np.testing.assert_allclose(after, before - 0.5 * gradient, rtol=1e-12, atol=1e-14)


def test_long_paths_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discriminant._engine.path.MAX_CORRECTIONS", 8)
    X, y = datasets.xor()
    options: Any = {"random_state": 0, "tol": 0.0, "batch_size": 2}
    net = fitted(MultilayerPerceptron((2,), max_iter=30, record="weights", **options), X, y)
    path = net.history_["weights"]
    assert len(path) <= 10
    np.testing.assert_array_equal(path[-1], weights_of(net))
    other = fitted(MultilayerPerceptron((2,), max_iter=30, **options), X, y)
    np.testing.assert_array_equal(weights_of(net), weights_of(other))


def test_portions_early_stopping_and_files(iris: Any) -> None:
    X, y = iris
    net = MultilayerPerceptron((3,), record="weights", random_state=0)
    for _ in range(4):
        net.partial_fit(X, y, classes=[0, 1, 2])
    assert len(net.history_["weights"]) == 5
    again = io.loads(io.dumps(net))
    np.testing.assert_array_equal(again.history_["weights"], net.history_["weights"])
    early = fitted(MultilayerPerceptron((3,), record="weights", early_stopping=True, max_iter=9, random_state=0), X, y)
    assert len(early.history_["weights"]) == 10
    values = fitted(MultilayerPerceptronRegressor((2,), record="weights", max_iter=6, random_state=0), X, y * 1.0)
    np.testing.assert_array_equal(values.history_["weights"][-1], weights_of(values))


def test_a_path_can_be_drawn_and_a_bad_row_is_refused() -> None:
    X, y = datasets.xor()
    net = fitted(MultilayerPerceptron((2,), record="weights", max_iter=5, random_state=0), X, y)
    ax = plot.path(net, weights=(2, 4))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("weight 2 of the network", "weight 4 of the network")
    np.testing.assert_array_equal(ax.lines[-1].get_xydata()[0], net.history_["weights"][-1][[2, 4]])
    with pytest.raises(ValueError, match=r"weights.shape=\(3,\) must be \(9,\)"):
        net.layers(np.zeros(3))
    with pytest.raises(ValueError, match="record='all' must be one of"):
        MultilayerPerceptron(record="all").fit(X, y)

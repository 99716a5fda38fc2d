"""The network as a regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from network_cases import quiet, same_weights
from scipy import special
from sklearn.neural_network import MLPRegressor

from discriminant import (
    MultilayerPerceptronRegressor,
)

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def test_example_16_gradient_of_one_linear_unit() -> None:
    """E = (w'x - 1)^2 at w = (0.5, 0), x = (1, 2); the criterion is E/2."""
    net = MultilayerPerceptronRegressor(alpha=0).with_weights([[[0.5], [0.0]]])
    coefs, intercepts = net.gradient([[1.0, 2.0]], [1.0])
    np.testing.assert_array_equal(2 * coefs[0][:, 0], [-1, -2])
    np.testing.assert_array_equal(2 * intercepts[0], [-1])


def criterion(net: Any, X: Any, y: Any, v: Any) -> float:
    """The criterion from what the model predicts, apart from the passes that learn."""
    if isinstance(net, MultilayerPerceptronRegressor):
        each = 0.5 * ((net.predict(X).reshape(y.shape) - y) ** 2).sum(axis=1)
    elif net.loss == "log":
        each = -net.predict_log_proba(X)[np.arange(len(y)), y]
    else:
        g = net.decision_function(X)
        targets = y[:, None] == (1 if g.ndim == 1 else np.arange(g.shape[1]))
        each = 0.5 * ((special.expit(g.reshape(len(y), -1)) - targets) ** 2).sum(axis=1)
    return float((v @ each + net.alpha / 2 * sum((W**2).sum() for W in net.coefs_)) / v.sum())


@pytest.mark.parametrize("outputs", [1, 2])
def test_the_same_regression_as_scikit_learn(outputs: int, iris: Any) -> None:
    X, Y = iris[0][:, :2], iris[0][:, 2 : 2 + outputs]
    y = Y[:, 0] if outputs == 1 else Y
    common = {"max_iter": 30, "random_state": 1, "batch_size": 50}
    ours = quiet(MultilayerPerceptronRegressor((7,), **common), X, y)
    theirs = quiet(MLPRegressor(hidden_layer_sizes=(7,), **common), X, y)
    same_weights(ours, theirs, 1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-9)
    assert ours.predict(X).shape == y.shape
    if outputs == 1:  # scikit-learn divides the loss by the number of outputs, but not its gradient
        np.testing.assert_allclose(ours.history_["criterion"], theirs.loss_curve_, rtol=1e-9)


def test_linear_regression_by_a_network_collapses(iris: Any) -> None:
    X, Y = iris[0][:, :2], iris[0][:, 2:]
    both = quiet(MultilayerPerceptronRegressor((4,), "linear", max_iter=20, random_state=0), X, Y)
    np.testing.assert_allclose(np.column_stack([plane.value(X) for plane in both.collapse()]), both.predict(X))
    one = quiet(MultilayerPerceptronRegressor((), max_iter=20, random_state=0), X, Y[:, 0])
    np.testing.assert_allclose(one.collapse().value(X), one.predict(X))

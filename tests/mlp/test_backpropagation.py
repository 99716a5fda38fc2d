"""Gradients by differences, the steps of scikit-learn, linear units, plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from network_cases import THEIRS, quiet, same_weights
from scipy import sparse, special
from sklearn.neural_network import MLPClassifier

from discriminant import (
    Hyperplane,
    LinearMachine,
    MultilayerPerceptron,
    MultilayerPerceptronRegressor,
)

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
OUTPUTS = ["log two", "log three", "squared two", "squared three", "one value", "two values"]


def problem_of(kind: str, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    X = rng.normal(size=(12, 3))
    c = 2 if kind.endswith("two") else 3
    if "value" in kind:
        return MultilayerPerceptronRegressor, X, rng.normal(size=(12, 1 if kind == "one value" else 2))
    return MultilayerPerceptron, X, np.arange(12) % c


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


@pytest.mark.parametrize("activation", list(THEIRS))
@pytest.mark.parametrize("kind", OUTPUTS)
@pytest.mark.parametrize("hidden", [(), (4,), (3, 5)])
def test_gradient_equals_differences(kind: str, activation: str, hidden: Any, rng: np.random.Generator) -> None:
    make, X, y = problem_of(kind, rng)
    options = {} if "value" in kind else {"loss": kind.split()[0]}
    outputs = 1 if kind.endswith(" two") else np.shape(y)[1] if "value" in kind else 3
    sizes = [3, *hidden, outputs]
    W = [rng.normal(size=pair) for pair in pairwise(sizes)]
    b = [rng.normal(size=n) for n in sizes[1:]]
    v = rng.uniform(0.5, 2, size=12)
    net = make(activation=activation, alpha=0.3, **options).with_weights(W, b)
    gradient = net.gradient(X, y, v)
    step = 1e-5
    for places, found in zip((W, b), gradient, strict=True):
        for place, derivative in zip(places, found, strict=True):
            wanted = np.empty_like(place)
            for index in np.ndindex(place.shape):
                middle, values = place[index], []
                for moved in (middle - step, middle + step):
                    place[index] = moved
                    values.append(criterion(net.with_weights(W, b), X, y, v))
                place[index] = middle
                wanted[index] = (values[1] - values[0]) / (2 * step)
            np.testing.assert_allclose(derivative, wanted, rtol=1e-6, atol=1e-8)


def test_gradient_of_float32_and_of_sparse_rows(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(30, 5)) * (rng.random((30, 5)) < 0.4), np.arange(30) % 3
    net = quiet(MultilayerPerceptron((6,), "tanh", max_iter=2, random_state=0), X, y)
    dense, scattered = net.gradient(X, y), net.gradient(sparse.csr_matrix(X), y)
    single = net.gradient(X.astype(np.float32), y)
    for a, b, c in zip(dense[0] + dense[1], scattered[0] + scattered[1], single[0] + single[1], strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, c, atol=1e-6)
        assert c.dtype == np.float32


@pytest.mark.parametrize("activation", list(THEIRS))
@pytest.mark.parametrize("solver", ["adam", "sgd"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_same_steps_as_scikit_learn(activation: str, solver: str, classes: int, iris: Any) -> None:
    X, y = iris[0][iris[1] < classes], iris[1][iris[1] < classes]
    common = {"solver": solver, "batch_size": 32, "max_iter": 20, "random_state": 3, "alpha": 0.01}
    ours = quiet(MultilayerPerceptron((6, 4), activation, learning_rate=0.01, **common), X, y)
    theirs = quiet(MLPClassifier((6, 4), THEIRS[activation], learning_rate_init=0.01, **common), X, y)
    same_weights(ours, theirs, 1e-9)
    np.testing.assert_allclose(ours.history_["criterion"], theirs.loss_curve_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.n_corrections_ == 20 * -(-len(y) // 32)


@pytest.mark.parametrize("options", [{"momentum": 0.5}, {"nesterov": False}, {"momentum": 0.0, "order": "cyclic"}])
def test_the_same_momentum_and_weights_as_scikit_learn(options: Any, iris: Any, rng: np.random.Generator) -> None:
    X, y = iris
    names = {"nesterov": "nesterovs_momentum", "order": "shuffle"}
    given = {names.get(key, key): False if value == "cyclic" else value for key, value in options.items()}
    v = rng.uniform(0.1, 3, size=len(y))
    common = {"solver": "sgd", "batch_size": 40, "max_iter": 15, "random_state": 3}
    ours = quiet(MultilayerPerceptron((6,), learning_rate=0.05, **common, **options), X, y, sample_weight=v)
    theirs = quiet(MLPClassifier((6,), learning_rate_init=0.05, **common, **given), X, y, sample_weight=v)
    same_weights(ours, theirs, 1e-9)


def test_linear_units_are_one_linear_layer(iris: Any) -> None:
    X, y = iris
    net = quiet(MultilayerPerceptron((5, 3), "linear", max_iter=20, random_state=0), X, y)
    machine = net.collapse()
    assert isinstance(machine, LinearMachine)
    np.testing.assert_allclose(machine.discriminants(X), net.decision_function(X), atol=1e-12)
    np.testing.assert_array_equal(machine.predict(X), net.predict(X))
    pair = quiet(MultilayerPerceptron((5, 3), "linear", max_iter=20, random_state=0), X, y == 1)
    plane = pair.collapse()
    assert isinstance(plane, Hyperplane)
    np.testing.assert_allclose(plane.value(X), pair.decision_function(X), atol=1e-12)


def test_other_units_do_not_collapse() -> None:
    net = MultilayerPerceptron(activation="tanh").with_weights([np.ones((2, 2)), np.ones((2, 1))])
    with pytest.raises(ValueError, match=r"activation='tanh' must be 'linear'"):
        net.collapse()
    assert net.set_params(hidden=()).with_weights([np.ones((2, 1))]).collapse() == Hyperplane([1, 1], 0)


PLAIN = """
import json, warnings
warnings.simplefilter("ignore")
from sklearn.datasets import load_iris
from discriminant import MultilayerPerceptron
X, y = load_iris(return_X_y=True)
nets = [
    MultilayerPerceptron((3, 2), unit, loss=loss, solver=solver, batch_size=16, max_iter=2, random_state=0).fit(
        X[50 * skip :: 5], y[50 * skip :: 5]
    )
    for unit, loss, solver, skip in (
        ("sigmoid", "log", "adam", 0), ("tanh", "squared", "sgd", 0),
        ("relu", "log", "sgd", 1), ("linear", "log", "sgd", 0)
    )
]
print(json.dumps([[part.tolist() for part in net.coefs_ + net.intercepts_] for net in nets]))
"""


@pytest.mark.ci
def test_plain_python_gives_the_same_networks() -> None:
    """The passes without the compiler: what is compiled is what is written."""
    found = []
    for disabled in "01":
        env = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run([sys.executable, "-c", PLAIN], env=env, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout))
    for ours, plain in zip(*found, strict=True):
        for a, b in zip(ours, plain, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)

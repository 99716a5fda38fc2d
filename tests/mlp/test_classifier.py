"""Multi-layer perceptrons: the book's numbers, gradients by differences, the same nets as scikit-learn, bad input."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest
from network_cases import THEIRS, quiet, same_weights
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_limits

from discriminant import (
    MultilayerPerceptron,
    MultilayerPerceptronRegressor,
    datasets,
)

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


# The worked examples


def test_example_17_forward_pass_of_the_exclusive_or() -> None:
    net = MultilayerPerceptron(activation="sigmoid").with_weights([[[1, 8], [1, 8]], [[-30], [25]]], [[0, 0], [0]])
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    np.testing.assert_allclose(net.predict_proba(X)[:, 1], [0.07586, 0.9552, 0.9552, 0.19405], atol=1e-5)
    np.testing.assert_allclose(net.decision_function([[0, 0]]), [-2.5])
    np.testing.assert_array_equal(net.predict(X), [0, 1, 1, 0])
    assert net.hidden == (2,)


@pytest.mark.parametrize(("units", "seeds", "least"), [(2, 3, 1), (4, 10, 9)])
def test_exclusive_or_is_learned(units: int, seeds: int, least: int) -> None:
    X, y = datasets.xor()
    learned = 0
    for seed in range(seeds):
        net = MultilayerPerceptron((units,), "tanh", learning_rate=0.05, alpha=0, max_iter=1000, random_state=seed)
        learned += int((net.fit(X, y).predict(X) == y).all())
    assert learned >= least


def test_exclusive_or_is_learned_as_in_the_book() -> None:
    """Sigmoid units, squared error, plain gradient descent."""
    X, y = datasets.xor()
    net = MultilayerPerceptron(
        (4,), "sigmoid", loss="squared", solver="sgd", learning_rate=2.0, alpha=0, max_iter=3000, tol=0, random_state=0
    ).fit(X, y)
    assert np.abs(net.predict_proba(X)[:, 1] - y).max() < 0.1
    assert net.history_["criterion"][-1] < 0.002
    assert net.history_["errors"][-1] == 0


def test_the_seven_is_told_from_other_pictures() -> None:
    """Example 15: 36 inputs."""
    X, y = datasets.seven(random_state=0)
    net = MultilayerPerceptron((8,), "sigmoid", learning_rate=0.01, random_state=0).fit(X, y)
    assert net.score(X, y) > 0.98


# Linear units


def test_the_verdict_on_planes_is_no_verdict_on_networks() -> None:
    X, y = datasets.xor()
    net = MultilayerPerceptron((4,), "tanh", learning_rate=0.05, max_iter=1000, random_state=0).fit(X, y)
    assert net.diagnose(X, y).verdict == "overlap"
    assert net.report_.to_dict()["remedy"] is None  # it makes no errors
    assert not net.undecided(X).any()


# What the data may be


def test_sparse_rows_give_the_same_network(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 12)) * (rng.random((300, 12)) < 0.3)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    doubled = sparse.csr_matrix(X)
    doubled = sparse.csr_matrix(
        (np.repeat(doubled.data / 2, 2), np.repeat(doubled.indices, 2), 2 * doubled.indptr), shape=X.shape
    )
    nets = [quiet(MultilayerPerceptron((5,), max_iter=4, random_state=0), A, y) for A in (X, doubled)]
    same_weights(*nets)
    np.testing.assert_allclose(nets[0].predict_proba(X), nets[1].predict_proba(doubled), atol=1e-12)


@pytest.mark.parametrize("solver", ["adam", "sgd"])
def test_float32_stays_float32(solver: str, iris: Any) -> None:
    X, y = iris[0].astype(np.float32), iris[1]
    net = quiet(MultilayerPerceptron((6,), solver=solver, max_iter=10, random_state=0), X, y)
    wide = quiet(clone(net), X.astype(np.float64), y)
    assert {part.dtype for part in net.coefs_ + net.intercepts_} == {np.dtype(np.float32)}
    assert net.predict_proba(X).dtype == net.decision_function(X).dtype == np.float32
    same_weights(net, wide, 1e-4)


def test_the_same_seed_gives_the_same_network_on_any_number_of_threads(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(600, 80)), rng.integers(2, size=600)
    nets = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            nets.append(quiet(MultilayerPerceptron((90,), batch_size=300, max_iter=3, random_state=5), X, y))
    same_weights(*nets)
    other = quiet(MultilayerPerceptron((90,), batch_size=300, max_iter=3, random_state=6), X, y)
    assert not np.array_equal(other.coefs_[0], nets[0].coefs_[0])


def test_rows_of_weight_zero_are_absent(iris: Any) -> None:
    X, y = iris
    v = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.5)
    spoiled = np.where(v[:, None] > 0, X, 1e9)
    a = quiet(MultilayerPerceptron((4,), max_iter=5, random_state=0, batch_size=20), spoiled, y, sample_weight=v)
    kept = {"X": X[v > 0], "y": y[v > 0], "sample_weight": v[v > 0]}
    same_weights(a, quiet(clone(a), **kept))


def test_a_class_weight_is_a_weight_of_its_rows(iris: Any) -> None:
    X, y = iris[0][:110], iris[1][:110]
    balanced = quiet(MultilayerPerceptron((4,), max_iter=5, random_state=0, class_weight="balanced"), X, y)
    share = 110 / (3 * np.bincount(y))
    same_weights(balanced, quiet(clone(balanced).set_params(class_weight=None), X, y, sample_weight=share[y]), 1e-15)
    named = quiet(clone(balanced).set_params(class_weight=dict(enumerate(share))), X, y)
    same_weights(balanced, named, 1e-15)


def test_labels_may_be_words(iris: Any) -> None:
    X, y = iris[0], np.array(["setosa", "versicolor", "virginica"])[iris[1]]
    net = MultilayerPerceptron((6,), learning_rate=0.02, random_state=0).fit(X, y)
    assert net.score(X, y) > 0.95
    assert net.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    named = MultilayerPerceptron().with_weights(net.coefs_, net.intercepts_, classes=net.classes_)
    np.testing.assert_array_equal(named.predict(X), net.predict(X))


@pytest.mark.parametrize("size", [1e-90, 1.0, 1e150])
@pytest.mark.parametrize("activation", list(THEIRS))
def test_features_of_any_size_leave_finite_weights(size: float, activation: str, iris: Any) -> None:
    net = quiet(MultilayerPerceptron((4,), activation, max_iter=5, random_state=0), size * iris[0], iris[1])
    assert all(np.isfinite(part).all() for part in net.coefs_ + net.intercepts_)
    assert np.isfinite(net.predict_proba(size * iris[0])).all()


def test_constant_and_repeated_features_are_no_trouble(iris: Any) -> None:
    X = np.column_stack([iris[0], np.ones(150), iris[0][:, 0]])
    assert MultilayerPerceptron((8,), learning_rate=0.02, random_state=0).fit(X, iris[1]).score(X, iris[1]) > 0.95


# Probabilities


@pytest.mark.parametrize("loss", ["log", "squared"])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_sum_to_one_and_agree_with_predict(loss: str, classes: int, iris: Any) -> None:
    X, y = iris[0][iris[1] < classes], iris[1][iris[1] < classes]
    net = MultilayerPerceptron((5,), loss=loss, learning_rate=0.05, max_iter=400, random_state=0).fit(X, y)
    P = net.predict_proba(X)
    assert P.shape == (len(y), classes)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(net.classes_[P.argmax(axis=1)], net.predict(X))
    np.testing.assert_allclose(np.exp(net.predict_log_proba(X)), P)
    assert net.score(X, y) > 0.95


def test_log_probabilities_do_not_underflow() -> None:
    for W in ([[[900.0]]], [[[0.0, 900.0, 5.0]]]):
        net = MultilayerPerceptron().with_weights(W)
        assert net.predict_log_proba([[1.0]])[0, 0] == pytest.approx(-900)
        assert net.predict_proba([[1.0]])[0, 0] == 0


# Portions


def test_two_classes_may_have_two_output_units(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    net = MultilayerPerceptron(hidden=()).with_weights([[[1.0, -1.0], [0.5, 0.0]]])
    before = net.predict(X)
    net.set_params(learning_rate=1e-12).partial_fit(X, before)
    assert net.decision_function(X).shape == (20, 2)
    np.testing.assert_array_equal(net.predict(X), before)


# Bad input


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("hidden", (4, 0)), ("hidden", "64"), ("hidden", 2.5), ("activation", "step"), ("solver", "lbfgs"),
        ("loss", "hinge"), ("alpha", -1), ("batch_size", 0), ("batch_size", "all"), ("learning_rate", 0),
        ("momentum", 1.0), ("nesterov", "yes"), ("order", "sorted"), ("max_iter", 0), ("tol", -1e-3),
        ("early_stopping", None), ("validation_fraction", 1.0), ("n_iter_no_change", 0), ("class_weight", "even"),
    ],
)  # fmt: skip
def test_a_parameter_out_of_range_is_named(parameter: str, value: Any, iris: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{parameter}="):
        MultilayerPerceptron(**{parameter: value}).fit(*iris)


def test_one_number_is_one_hidden_layer(iris: Any) -> None:
    a, b = (quiet(MultilayerPerceptron(hidden, max_iter=2, random_state=0), *iris) for hidden in (5, (5,)))
    same_weights(a, b)


def test_no_hidden_layer_is_a_single_layer(iris: Any) -> None:
    """Without a penalty the gradient of the log loss vanishes at its minimum."""
    X, y = iris[0], (iris[1] == 1).astype(int)
    net = MultilayerPerceptron((), alpha=0, solver="sgd", learning_rate=1.0, max_iter=2000, tol=0, random_state=0)
    quiet(net, X, y)
    assert max(np.abs(part).max() for part in chain(*net.gradient(X, y))) < 1e-6
    assert [W.shape for W in net.coefs_] == [(4, 1)]


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("activation", list(THEIRS))
@pytest.mark.parametrize("kind", [MultilayerPerceptron, MultilayerPerceptronRegressor])
def test_what_is_not_finite_is_found(kind: Any, activation: str, value: float, iris: Any) -> None:
    X = iris[0].copy()
    X[7, 2] = value
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity), first in row 7, column 2"):
        kind((3,), activation, random_state=0).fit(X, iris[1])
    with pytest.raises(ValueError, match="X contains"):
        kind((3,), activation, random_state=0, early_stopping=True).fit(X, iris[1])


def test_bad_data_are_refused(iris: Any) -> None:
    X, y = iris
    with pytest.raises(ValueError, match="y holds one class"):
        MultilayerPerceptron().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="y contains NaN"):
        MultilayerPerceptronRegressor().fit(X, np.where(y == 1, np.nan, 1.0))
    with pytest.raises(ValueError, match="overflow float32"):
        MultilayerPerceptronRegressor().fit(X.astype(np.float32), np.full(150, 1e60))
    with pytest.raises(ValueError, match="X is empty"):
        MultilayerPerceptronRegressor().fit(np.empty((0, 3)), [])


def test_nothing_is_predicted_before_a_fit() -> None:
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(MultilayerPerceptron(), name)([[0.0]])
    with pytest.raises(NotFittedError):
        MultilayerPerceptron().collapse()
    with pytest.raises(NotFittedError):
        MultilayerPerceptronRegressor().predict([[0.0]])


@pytest.mark.parametrize(
    ("coefs", "intercepts", "classes", "message"),
    [
        ([], None, None, "coefs must not be empty"),
        ([np.ones((2, 3)), np.ones((2, 1))], None, None, r"coefs\[1\], of shape \(2, 1\), must fit"),
        ([np.ones((2, 3))], [np.ones(2)], None, r"must fit the layer before and 2 biases"),
        ([np.ones((2, 3))], [], None, "intercepts must have 1 layers"),
        ([np.ones(2)], None, None, r"coefs\[0\] must be .* not \(2,\)"),
        ([[[np.nan]]], None, None, r"coefs\[0\] must be finite"),
        ([np.ones((2, 1))], None, ["a", "b", "c"], "must be 2 distinct labels; there are 1 output units"),
    ],
)
def test_weights_by_hand_must_fit_together(coefs: Any, intercepts: Any, classes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MultilayerPerceptron().with_weights(coefs, intercepts, classes)


def test_features_that_a_network_cannot_notice(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match=r"X must reach 1e-100 for a network to notice.*; standardize"):
        MultilayerPerceptron().fit(1e-150 * X, X[:, 0] > 0)

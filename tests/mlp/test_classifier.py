"""Multi-layer perceptrons: the book's numbers, gradients by differences, the same nets as scikit-learn, bad input."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import warnings
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse, special
from sklearn.base import clone
from sklearn.callback import ScoringMonitor
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from discriminant import (
    FitInterruptedWarning,
    Hyperplane,
    LinearMachine,
    MultilayerPerceptron,
    MultilayerPerceptronRegressor,
    NotConvergedWarning,
    Status,
    datasets,
)
from discriminant._engine import driver
from discriminant.mlp import training

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


THEIRS = {"sigmoid": "logistic", "tanh": "tanh", "relu": "relu", "linear": "identity"}
OUTPUTS = ["log two", "log three", "squared two", "squared three", "one value", "two values"]


@pytest.fixture
def iris() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def quiet(model: Any, X: Any, y: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # also scikit-learn's ConvergenceWarning
        return model.fit(X, y, **more)


def same_weights(one: Any, other: Any, atol: float = 0.0) -> None:
    for a, b in zip(one.coefs_ + one.intercepts_, other.coefs_ + other.intercepts_, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=atol)


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


# Gradients


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


# The same networks as scikit-learn's


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


def test_it_stops_when_scikit_learn_stops(iris: Any) -> None:
    X, y = iris
    ours = MultilayerPerceptron((6,), learning_rate=0.05, max_iter=500, random_state=0).fit(X, y)
    theirs = MLPClassifier((6,), learning_rate_init=0.05, max_iter=500, random_state=0).fit(X, y)
    assert ours.n_iter_ == theirs.n_iter_ == len(ours.history_["criterion"])
    assert ours.status_ is Status.CONVERGED


# Linear units


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


# Stopping


@pytest.mark.parametrize("kind", [MultilayerPerceptron, MultilayerPerceptronRegressor])
def test_early_stopping_keeps_the_weights_that_did_best(kind: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(120, 10))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    net = kind((30,), learning_rate=0.03, early_stopping=True, max_iter=300, random_state=0).fit(X, y)
    seen = net.history_["validation"]
    assert net.status_ is Status.CONVERGED
    assert seen.size == net.n_iter_ == len(net.history_["criterion"])
    best = int(seen.argmin()) + 1
    assert best < net.n_iter_
    shorter = quiet(clone(net).set_params(max_iter=best), X, y)
    same_weights(net, shorter)
    assert f"least loss {seen.min():.4g} in iteration {best}" in str(net.report_)


def test_early_stopping_needs_rows_to_hold_out() -> None:
    X, y = datasets.xor()
    with pytest.raises(ValueError, match=r"early_stopping=True must be False, as 0.1 of 4 rows"):
        MultilayerPerceptron(early_stopping=True).fit(X, y)


def test_a_budget_that_runs_out_warns_and_says_so(iris: Any) -> None:
    with pytest.warns(NotConvergedWarning, match="To try: raise max_iter") as caught:
        net = MultilayerPerceptron(max_iter=3, random_state=0).fit(*iris)
    assert caught[0].filename == __file__
    assert net.status_ is Status.BUDGET
    report = net.report_.to_dict()
    assert report["iterations"] == 3
    assert report["details"] == {"units": "4-64-3", "weights": 515}


def test_callbacks_see_the_model_as_it_stands(iris: Any) -> None:
    for kind, name, y in (
        (MultilayerPerceptron, "accuracy", iris[1]),
        (MultilayerPerceptronRegressor, "r2", iris[0][:, 0]),
    ):
        monitor = ScoringMonitor(scoring=name)
        options = {"learning_rate": 0.05, "batch_size": 30, "random_state": 0}
        quiet(kind((3,), max_iter=4, **options).set_callbacks(monitor), iris[0], y)
        epochs = [row[name] for row in monitor.get_logs().data if row["task_name"] == "epoch"]
        wanted = [quiet(kind((3,), max_iter=k, **options), iris[0], y).score(iris[0], y) for k in (1, 2, 3, 4)]
        np.testing.assert_allclose(epochs, wanted)


@pytest.mark.parametrize("kind", [MultilayerPerceptron, MultilayerPerceptronRegressor])
def test_ctrl_c_leaves_a_usable_model(kind: Any, iris: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    passes, learn = [], training.learn

    def interrupted(*arguments: Any) -> Any:
        passes.append(1)
        if len(passes) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return learn(*arguments)

    monkeypatch.setattr(training, "learn", interrupted)
    monkeypatch.setattr(driver, "_last_interrupt", float("-inf"))  # the test before this one pressed it too
    with pytest.warns(FitInterruptedWarning):
        net = kind((4,), max_iter=50, random_state=0).fit(*iris)
    assert (net.status_, len(net.history_["criterion"])) == (Status.STOPPED, 3)
    monkeypatch.setattr(training, "learn", learn)
    same_weights(net, quiet(kind((4,), max_iter=3, random_state=0), *iris))


@pytest.mark.parametrize("kind", [MultilayerPerceptron, MultilayerPerceptronRegressor])
def test_a_loss_that_overflows_is_an_error_and_leaves_no_model(kind: Any, iris: Any) -> None:
    X = 1e160 * iris[0] if kind is MultilayerPerceptron else iris[0]
    net = kind((4,), "linear", solver="sgd", learning_rate=1e3, batch_size=20, random_state=0)
    with pytest.raises(ValueError, match=r"learning_rate=1000.0 must be smaller, for the loss overflows .*; lower it"):
        net.fit(X, iris[1])
    with pytest.raises(NotFittedError):
        net.predict(iris[0])


# Portions


@pytest.mark.parametrize("kind", [MultilayerPerceptron, MultilayerPerceptronRegressor])
@pytest.mark.parametrize("solver", ["adam", "sgd"])
def test_portions_are_passes(kind: Any, solver: str, iris: Any) -> None:
    X, y = iris
    whole = quiet(kind((5,), solver=solver, order="cyclic", batch_size=40, max_iter=4, random_state=0), X, y)
    net, more = clone(whole), {"classes": [0, 1, 2]} if kind is MultilayerPerceptron else {}
    for _ in range(4):
        net.partial_fit(X, y, **more)
        net = pickle.loads(pickle.dumps(net))
    same_weights(net, whole)
    assert net.n_iter_ == 4
    np.testing.assert_array_equal(net.history_["criterion"], whole.history_["criterion"])


def test_portions_go_on_from_weights_set_by_hand(iris: Any) -> None:
    X, y = iris[0][:100], iris[1][:100]
    start = MultilayerPerceptron((3,), "tanh", solver="sgd", momentum=0, learning_rate=0.5, alpha=0, batch_size=100)
    W, b = [np.full((4, 3), 0.1), np.full((3, 1), 0.2)], [np.zeros(3), np.zeros(1)]
    dW, db = start.with_weights(W, b).gradient(X, y)
    start.partial_fit(X, y)
    for found, before, derivative in zip(start.coefs_ + start.intercepts_, W + b, dW + db, strict=True):
        np.testing.assert_allclose(found, before - 0.5 * derivative, atol=1e-15)


def test_two_classes_may_have_two_output_units(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    net = MultilayerPerceptron(hidden=()).with_weights([[[1.0, -1.0], [0.5, 0.0]]])
    before = net.predict(X)
    net.set_params(learning_rate=1e-12).partial_fit(X, before)
    assert net.decision_function(X).shape == (20, 2)
    np.testing.assert_array_equal(net.predict(X), before)


def test_portions_need_classes_and_no_rows_held_out(iris: Any) -> None:
    with pytest.raises(ValueError, match=r"classes=None must be all classes"):
        MultilayerPerceptron().partial_fit(*iris)
    with pytest.raises(ValueError, match=r"early_stopping=True must be False for partial_fit"):
        MultilayerPerceptron(early_stopping=True).partial_fit(*iris, classes=[0, 1, 2])
    with pytest.raises(
        ValueError, match=r"class_weight=array\(\[1., 2., 3.\]\) must be a dict, .*; give weights by label"
    ):
        MultilayerPerceptron(class_weight=np.array([1.0, 2.0, 3.0])).fit(*iris)
    with pytest.raises(ValueError, match=r"class_weight='balanced' must be a dict"):
        MultilayerPerceptron(class_weight="balanced").partial_fit(*iris, classes=[0, 1, 2])
    net = MultilayerPerceptronRegressor((3,)).partial_fit(iris[0], iris[0][:, :2])
    with pytest.raises(ValueError, match=r"y must have 2 columns, not 1; give one for each output unit"):
        net.partial_fit(*iris)


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


def test_a_batch_larger_than_the_data_warns(iris: Any) -> None:
    with pytest.warns(UserWarning, match=r"batch_size=151 exceeds the 150 rows") as caught:
        net = MultilayerPerceptron((3,), batch_size=151, max_iter=300, tol=0.1, random_state=0).fit(*iris)
    assert caught[0].filename == __file__
    assert "they make one batch" in str(net.report_)
    same_weights(net, MultilayerPerceptron((3,), max_iter=300, tol=0.1, random_state=0).fit(*iris))


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


def test_a_large_pass_is_cut_into_calls(iris: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = quiet(MultilayerPerceptron((3,), batch_size=16, max_iter=3, random_state=0, early_stopping=True), *iris)
    monkeypatch.setattr(training, "ENTRIES", 32 * 4)
    monkeypatch.setattr(training, "BLOCK", 4)
    cut = quiet(clone(whole), sparse.csr_matrix(iris[0]), iris[1])
    same_weights(whole, cut)
    np.testing.assert_allclose(whole.history_["validation"], cut.history_["validation"])
    np.testing.assert_allclose(whole.history_["criterion"], cut.history_["criterion"])


def test_a_loss_that_has_risen_is_no_minimum(rng: np.random.Generator) -> None:
    X = 1e3 * rng.normal(size=(40, 3))
    model = MultilayerPerceptron(solver="sgd", learning_rate=1e6, max_iter=20, activation="linear", random_state=0)
    with pytest.warns(NotConvergedWarning, match="smaller learning_rate, for the loss has risen"):
        model.fit(X, X[:, 0] > 0)
    assert model.status_ is Status.BUDGET


def test_features_that_a_network_cannot_notice(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match=r"X must reach 1e-100 for a network to notice.*; standardize"):
        MultilayerPerceptron().fit(1e-150 * X, X[:, 0] > 0)

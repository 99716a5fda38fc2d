"""When a network stops, Ctrl-C, callbacks, portions."""

from __future__ import annotations

import os
import pickle
import signal
from typing import Any

import numpy as np
import pytest
from network_cases import quiet, same_weights
from scipy import sparse
from sklearn.base import clone
from sklearn.callback import ScoringMonitor
from sklearn.exceptions import NotFittedError
from sklearn.neural_network import MLPClassifier

from discriminant import (
    FitInterruptedWarning,
    MultilayerPerceptron,
    MultilayerPerceptronRegressor,
    NotConvergedWarning,
    Status,
    datasets,
)
from discriminant._engine import driver
from discriminant.mlp import training

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def test_it_stops_when_scikit_learn_stops(iris: Any) -> None:
    X, y = iris
    ours = MultilayerPerceptron((6,), learning_rate=0.05, max_iter=500, random_state=0).fit(X, y)
    theirs = MLPClassifier((6,), learning_rate_init=0.05, max_iter=500, random_state=0).fit(X, y)
    assert ours.n_iter_ == theirs.n_iter_ == len(ours.history_["criterion"])
    assert ours.status_ is Status.CONVERGED


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


@pytest.mark.parametrize(("name", "batch"), [("learn_by_matrices", "auto"), ("learn", 30)])
@pytest.mark.parametrize("kind", [MultilayerPerceptron, MultilayerPerceptronRegressor])
def test_ctrl_c_leaves_a_usable_model(
    kind: Any, name: str, batch: Any, iris: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes, learn = [], getattr(training, name)

    def interrupted(*arguments: Any) -> Any:
        passes.append(1)
        if len(passes) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return learn(*arguments)

    monkeypatch.setattr(training, name, interrupted)
    monkeypatch.setattr(driver, "_last_interrupt", float("-inf"))  # the test before this one pressed it too
    options = {"batch_size": batch, "random_state": 0}
    with pytest.warns(FitInterruptedWarning):
        net = kind((4,), max_iter=50, **options).fit(*iris)
    assert (net.status_, len(net.history_["criterion"])) == (Status.STOPPED, 3)
    monkeypatch.setattr(training, name, learn)
    same_weights(net, quiet(kind((4,), max_iter=3, **options), *iris))


@pytest.mark.parametrize("kind", [MultilayerPerceptron, MultilayerPerceptronRegressor])
def test_a_loss_that_overflows_is_an_error_and_leaves_no_model(kind: Any, iris: Any) -> None:
    X = 1e160 * iris[0] if kind is MultilayerPerceptron else iris[0]
    net = kind((4,), "linear", solver="sgd", learning_rate=1e3, batch_size=20, random_state=0)
    with pytest.raises(ValueError, match=r"learning_rate=1000.0 must be smaller, for the loss overflows .*; lower it"):
        net.fit(X, iris[1])
    with pytest.raises(NotFittedError):
        net.predict(iris[0])


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


def test_a_batch_larger_than_the_data_warns(iris: Any) -> None:
    with pytest.warns(UserWarning, match=r"batch_size=151 exceeds the 150 rows") as caught:
        net = MultilayerPerceptron((3,), batch_size=151, max_iter=300, tol=0.1, random_state=0).fit(*iris)
    assert caught[0].filename == __file__
    assert "they make one batch" in str(net.report_)
    same_weights(net, MultilayerPerceptron((3,), max_iter=300, tol=0.1, random_state=0).fit(*iris))


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

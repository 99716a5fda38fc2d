"""The one outer loop: history, callbacks, a stop that is obeyed, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from recorder import ESTIMATORS, ITERATIVE, Propagated, Recorder, limited, overlapping, three_classes
from scipy import sparse
from sklearn.model_selection import GridSearchCV

from discriminant import (
    FitInterruptedWarning,
    GradientDescent,
    NotConvergedWarning,
    Perceptron,
    Relaxation,
    Status,
    datasets,
)
from discriminant._engine import driver as _driver
from discriminant._engine.driver import CHUNK, Watch, drive, watching
from discriminant._engine.problem import make_problem
from discriminant.error_correcting.relaxation import normalized_eigenvalue
from discriminant.solution import Epoch, Epochs, Findings

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


# --- the loop -------------------------------------------------------------------------------------------------------


class Countdown:
    """A rule that ends by itself after some epochs."""

    answer, path = np.zeros((1, 2)), None

    def __init__(self, epochs: int) -> None:
        self.k, self.left, self.findings = 0, epochs, Findings(details={"said": "so"})

    def epoch(self, problem: Any, watch: Watch) -> Epoch:
        self.left -= 1
        return Epoch(self.left, 0.5, 1.0, 2, None if self.left else Status.CONVERGED)


def test_the_loop_ends_as_the_rule_says() -> None:
    solution = drive(Countdown(4), None, 10, Watch())
    assert (solution.status, solution.n_iter, solution.n_corrections) == (Status.CONVERGED, 4, 8)
    assert [epoch.errors for epoch in solution.epochs] == [3, 2, 1, 0]
    assert solution.findings.details == {"said": "so"}


def test_the_loop_ends_with_the_budget() -> None:
    solution = drive(Countdown(4), None, 3, Watch())
    assert (solution.status, solution.n_iter) == (Status.BUDGET, 3)


def test_a_stop_ends_the_loop_but_a_finished_rule_has_finished() -> None:
    for stop_at, status, n in ((2, Status.STOPPED, 2), (4, Status.CONVERGED, 4)):
        watch, done = Watch(), []

        def end(epochs: int, done: list[int] = done, stop_at: int = stop_at) -> bool:
            done.append(epochs)
            return len(done) == stop_at

        solution = drive(Countdown(4), None, 10, watch, lambda: None, end)
        assert (solution.status, solution.n_iter) == (status, n)
        assert done == [1, 2, 3, 4][:n]
        assert watch.stopped  # no other problem of the fit goes on
        assert drive(Countdown(4), None, 10, watch).n_iter == 0


def test_long_passes_are_cut_into_chunks() -> None:
    watch = Watch()
    assert list(watch.chunks(10, 30)) == [(0, 10)]
    parts = list(watch.chunks(1_000, CHUNK * 10))
    assert parts[0] == (0, 100)
    assert [start for start, _ in parts[1:]] == [stop for _, stop in parts[:-1]]
    assert parts[-1][1] == 1_000
    assert list(watch.chunks(3, 10 * CHUNK)) == [(0, 1), (1, 2), (2, 3)]
    assert list(watch.chunks(5, 0)) == [(0, 5)]  # an empty CSR matrix
    watch.interrupted = True
    with pytest.raises(_driver.Interrupted):
        next(watch.chunks(10, 30))


def test_a_machine_of_many_classes_has_smaller_chunks() -> None:
    X, labels = np.ones((6, 4)), np.arange(6, dtype=np.int32)
    assert make_problem(X, labels, None, 6).work == 6 * make_problem(X, labels % 2, None, 2).work == 6 * 24


def test_a_table_of_epochs_grows() -> None:
    epochs = Epochs(Epoch(k, k / 2, 1.0, k % 3) for k in range(40))
    assert len(epochs) == 40
    assert epochs[-1] == Epoch(39, 19.5, 1.0, 0)
    assert [epoch.errors for epoch in epochs] == list(range(40))
    assert epochs.corrections == sum(k % 3 for k in range(40))
    assert not Epochs()


# --- history --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ITERATIVE)
def test_history(kind: Any) -> None:
    X, y = overlapping()
    model = limited(kind).fit(X, y)
    history = model.history_
    for name, dtype in (("errors", np.int64), ("criterion", float), ("step", float), ("corrections", np.int64)):
        assert history[name].shape == (model.n_iter_,), name
        assert history[name].dtype == dtype
        assert np.all(np.isfinite(history[name]))
    assert 1 <= model.n_iter_ <= 3
    assert history["corrections"].sum() == model.n_corrections_
    assert np.all((history["errors"] >= 0) & (history["errors"] <= len(X)))
    assert "weights" not in history
    facts = model.report_.to_dict()
    assert (facts["iterations"], facts["corrections"]) == (model.n_iter_, model.n_corrections_)
    assert facts["errors"] == history["errors"][-1]
    assert facts["status"] == model.status_.name


@pytest.mark.parametrize("kind", [kind for kind in ITERATIVE if "multiclass" in kind().get_params()])
def test_history_of_several_problems(kind: Any) -> None:
    X, y = three_classes()
    model = limited(kind, multiclass="one-vs-one").fit(X, y)
    problems = model.history_["problem"]
    assert len(problems) == len(model.history_["errors"])
    assert set(problems.tolist()) == {0, 1, 2}
    assert model.n_iter_ == np.bincount(problems).max()
    assert model.n_corrections_ == model.history_["corrections"].sum()


@pytest.mark.parametrize("kind", [kind for kind in ITERATIVE if "record" in kind().get_params()])
def test_a_recorded_path_begins_at_the_start_and_ends_at_the_last_weights(kind: Any) -> None:
    X, y = overlapping()
    model = limited(kind, record="weights").fit(X, y)
    path = model.history_["weights"]
    assert len(path) == model.n_corrections_ + 1
    if hasattr(model, "coefs_"):  # a network, with all its weights in a row
        np.testing.assert_array_equal(model.layers(path[-1])[0][0], model.coefs_[0])
        return
    plain = limited(kind).fit(X, y) if "random_state" not in model.get_params() else model
    np.testing.assert_array_equal(plain.weights_, model.weights_)
    best_of_all = ("PiecewiseLinearMachine", "MinOver", "Adatron")  # where errors are left
    if kind.__name__ not in (*best_of_all, "KernelPerceptron"):  # the latter in other coordinates
        np.testing.assert_allclose(path[-1], model.weights_, rtol=1e-12)


# --- callbacks ------------------------------------------------------------------------------------------------------


# --- Ctrl-C ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def ctrl_c(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Press Ctrl-C; Python's own handler is in place before and must be afterwards."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals are handled in the main thread")
    monkeypatch.setattr(_driver, "_last_interrupt", float("-inf"))
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield lambda: signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, previous)


def pressed(at: int, press: Any) -> Recorder:
    """A callback that presses Ctrl-C at the end of an epoch."""
    return Recorder(action=lambda task: press() if task == at else None)


@pytest.mark.parametrize("kind", ITERATIVE)
def test_ctrl_c_leaves_a_usable_model(kind: Any, ctrl_c: Any) -> None:
    X, y = overlapping()
    model = limited(kind).set_callbacks(pressed(0, ctrl_c))
    with pytest.warns(FitInterruptedWarning, match=r"\(Ctrl-C\). report_ tells") as caught:
        model.fit(X, y)
    assert model.status_ is Status.STOPPED
    assert model.n_iter_ == 1
    assert set(model.predict(X)) <= {0, 1}
    assert caught[0].message.report is model.report_
    assert caught[0].filename == __file__


@pytest.mark.parametrize("strategy", ["one-vs-rest", "one-vs-one"])
def test_ctrl_c_ends_all_problems(strategy: str, ctrl_c: Any) -> None:
    X, y = three_classes()
    model = limited(Perceptron, multiclass=strategy).set_callbacks(pressed(3, ctrl_c))
    with pytest.warns(FitInterruptedWarning):
        model.fit(X, y)
    assert model.status_ is Status.STOPPED
    assert model.weights_.shape == (3, 5)
    assert model.history_["problem"].tolist() == [0, 0, 1, 1]  # setosa takes two passes
    assert np.any(model.weights_[1])
    assert not np.any(model.weights_[2])
    assert model.predict(X).shape == (150,)


def test_ctrl_c_during_the_first_pass(ctrl_c: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_driver, "CHUNK", 3 * 10)  # chunks of ten rows
    X, y = overlapping()
    made: list[int] = []
    whole = Watch.check

    def check(watch: Watch) -> None:
        made.append(1)
        if len(made) == 3:
            ctrl_c()
        whole(watch)

    monkeypatch.setattr(Watch, "check", check)
    for kind in (Perceptron, Relaxation):
        made.clear()
        monkeypatch.setattr(_driver, "_last_interrupt", float("-inf"))
        with pytest.warns(FitInterruptedWarning):
            model = limited(kind, record="weights").fit(X, y)
        assert len(made) == 3
        assert len(model.history_["errors"]) == 0
        facts = model.report_.to_dict()
        assert (model.status_, facts["errors"]) == (Status.STOPPED, None)
        assert np.any(model.weights_ != 0)  # two chunks of learning are kept
        np.testing.assert_array_equal(model.history_["weights"][-1], model.weights_)
        assert "in the last iteration" not in str(model.report_)


EPOCHS = [kind for kind in ESTIMATORS if "max_iter" in kind().get_params()]
assert len(EPOCHS) > len(ITERATIVE)  # regressors have epochs too


@pytest.mark.parametrize("kind", EPOCHS)
def test_ctrl_c_before_the_first_epoch_leaves_a_usable_model(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = overlapping()
    monkeypatch.setattr(Watch, "interrupted", True)
    with pytest.warns(FitInterruptedWarning, match=r"\(Ctrl-C\)"):
        model = limited(kind).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert model.report_.to_dict()["remedy"] is None
    assert model.predict(X).shape == (60,)
    assert "stopped" in str(model.report_)


def test_a_factor_of_batch_relaxation_is_found_between_two_looks_at_the_keyboard() -> None:
    for X in (np.ones((5000, 3)), np.ones((5, 501)), sparse.csr_array(np.ones((5, 4)))):
        problem = make_problem(X, np.arange(X.shape[0], dtype=np.int32) % 2, None, 2)
        watch = Watch()
        assert normalized_eigenvalue(problem, watch) > 0
        watch.interrupted = True
        with pytest.raises(_driver.Interrupted):
            normalized_eigenvalue(problem, watch)


def test_a_second_ctrl_c_raises(ctrl_c: Any) -> None:
    X, y = overlapping()
    listener = Recorder(action=lambda task: (ctrl_c(), ctrl_c()))
    with pytest.raises(KeyboardInterrupt):
        limited(Perceptron).set_callbacks(listener).fit(X, y)
    assert listener.events[-1] == ("teardown",)


def test_a_second_ctrl_c_raises_out_of_a_search(ctrl_c: Any) -> None:
    X, y = overlapping()
    search = GridSearchCV(limited(Perceptron), {"margin": [0.0, 1.0, 2.0]}, cv=2)
    search.set_callbacks(Press(ctrl_c))
    with pytest.warns(FitInterruptedWarning), pytest.raises(KeyboardInterrupt):
        search.fit(X, y)


class Press(Propagated):
    """Presses Ctrl-C in every fit."""

    def __init__(self, press: Any) -> None:
        super().__init__(action=lambda task: press())


def test_a_later_ctrl_c_is_a_first_one_again(ctrl_c: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_driver, "PATIENCE", 0.0)
    X, y = overlapping()
    for _ in range(2):
        with pytest.warns(FitInterruptedWarning):
            limited(Perceptron).set_callbacks(pressed(0, ctrl_c)).fit(X, y)


def test_ctrl_c_after_the_last_correction_is_not_swallowed(ctrl_c: Any) -> None:
    X, y = datasets.or_function()
    model = Perceptron().set_callbacks(pressed(5, ctrl_c))  # the sixth pass is the clean one
    with pytest.warns(FitInterruptedWarning):
        model.fit(X, y)
    assert model.status_ is Status.SEPARATED


def test_ctrl_c_during_partial_fit(ctrl_c: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = overlapping()
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    before = model.n_corrections_
    monkeypatch.setattr(_driver, "CHUNK", 3 * 10)
    whole, made = Watch.check, []

    def check(watch: Watch) -> None:
        made.append(1)
        if len(made) == 4:
            ctrl_c()
        whole(watch)

    monkeypatch.setattr(Watch, "check", check)
    with pytest.warns(FitInterruptedWarning) as caught:
        model.partial_fit(X, y)
    assert caught[0].filename == __file__
    assert model.status_ is Status.STOPPED
    monkeypatch.setattr(Watch, "check", whole)
    model.partial_fit(X, y)
    assert model.n_corrections_ >= before


def test_in_another_thread_nothing_is_installed(ctrl_c: Any) -> None:
    handlers, failures = [], []

    def work() -> None:
        try:
            listener = Recorder(action=lambda task: handlers.append(signal.getsignal(signal.SIGINT)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotConvergedWarning)
                limited(Perceptron).set_callbacks(listener).fit(*overlapping())
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failures
    assert handlers == [signal.default_int_handler] * 3


def test_our_handler_is_there_during_a_fit_and_only_then(ctrl_c: Any) -> None:
    handlers = []
    listener = Recorder(action=lambda task: handlers.append(signal.getsignal(signal.SIGINT)))
    limited(Perceptron).set_callbacks(listener).fit(*overlapping())
    assert len(handlers) == 3
    assert signal.default_int_handler not in handlers
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_users_own_handler_is_left_alone() -> None:
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals are handled in the main thread")
    calls = []

    def own(number: int, frame: Any) -> None:
        calls.append(number)

    previous = signal.signal(signal.SIGINT, own)
    try:
        model = limited(Perceptron).set_callbacks(pressed(0, lambda: signal.raise_signal(signal.SIGINT)))
        model.fit(*overlapping())
        assert calls == [signal.SIGINT]
        assert model.n_iter_ == 3  # the fit went on
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, previous)


def test_the_handler_is_taken_away_when_a_fit_fails(ctrl_c: Any) -> None:
    with pytest.raises(ValueError, match="diverges"):
        GradientDescent(schedule=1e3).fit(*overlapping())
    with pytest.raises(ZeroDivisionError), watching():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


CHILD = """
import faulthandler, signal, sys, warnings
import numpy as np
from discriminant import FitInterruptedWarning, Perceptron
signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background inherits an ignored Ctrl-C
faulthandler.dump_traceback_later(120, exit=True)  # a signal that is lost must not hang the tests
warnings.simplefilter("ignore", FitInterruptedWarning)
X = np.random.default_rng(0).normal(size=(20_000, 20))
y = np.random.default_rng(1).integers(0, 2, 20_000)
model = Perceptron(max_iter=10**7)
Perceptron(max_iter=1).partial_fit(X, y, classes=[0, 1])  # compiled
print("ready", flush=True)
model.fit(X, y)
print(model.status_.name, model.n_iter_ > 0, np.isfinite(model.weights_).all(), flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("raised", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process")
def test_a_real_ctrl_c() -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "STOPPED True True\n"
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)  # within two seconds of the first
        assert child.stdout.readline() == "raised\n"
        assert child.wait(20) == 0

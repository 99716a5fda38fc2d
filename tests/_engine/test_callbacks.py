"""scikit-learn's callbacks: they hear every epoch, see the model as it would be, and may stop it."""

from __future__ import annotations

import signal
import warnings
from typing import Any

import numpy as np
import pytest
from recorder import ESTIMATORS, ITERATIVE, Propagated, Recorder, limited, overlapping, three_classes
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import (
    Perceptron,
    Status,
)
from discriminant._engine import callbacks as _callbacks

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


@pytest.mark.parametrize("kind", ITERATIVE)
def test_callbacks_hear_every_epoch(kind: Any) -> None:
    X, y = overlapping()
    listener = Recorder()
    given_X, given_y = X.tolist(), y.tolist()
    model = limited(kind).set_callbacks(listener).fit(given_X, given_y)
    names = [event[0] for event in listener.events]
    assert names[0] == "setup"
    assert names[-1] == "teardown"
    assert listener.events[1] == ("begin", "fit", 3)
    assert listener.events[-2] == ("end", "fit", 0)
    assert listener.epochs == model.n_iter_
    assert listener.data[0] is given_X  # as the user gave them
    assert listener.data[1] is given_y
    assert [event[2] for event in listener.events if event[:2] == ("end", "epoch")] == list(range(model.n_iter_))


@pytest.mark.parametrize("kind", ITERATIVE)
def test_callbacks_see_the_model_as_it_would_be(kind: Any) -> None:
    X, y = overlapping()
    options = {"random_state": 0} if "random_state" in kind().get_params() else {}
    listener = Recorder()
    model = limited(kind, **options).set_callbacks(listener).fit(X, y)
    for n, seen in enumerate(listener.seen[:-1], start=1):
        assert seen is not model
        assert seen.n_iter_ == n
        alone = kind(max_iter=n, **options).fit(X, y)
        np.testing.assert_allclose(seen.decision_function(X), alone.decision_function(X))
    final = listener.seen[-1]
    np.testing.assert_array_equal(final.predict(X), model.predict(X))
    assert final.status_ is model.status_


def test_hooks_get_the_sample_weight() -> None:
    X, y = overlapping()
    weight = np.ones(60)
    listener = Recorder()
    limited(Perceptron).set_callbacks(listener).fit(X, y, sample_weight=weight)
    assert listener.metadata["sample_weight"] is weight


@pytest.mark.parametrize("kind", ITERATIVE)
def test_a_request_to_stop_is_obeyed(kind: Any) -> None:
    X, y = overlapping()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what was asked for is no surprise
        model = limited(kind).set_callbacks(Recorder(stop_after=1)).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert model.n_iter_ == len(model.history_["errors"]) == 1
    assert set(model.predict(X)) <= {0, 1}
    assert "told to stop" in str(model.report_)
    assert model.report_.to_dict()["remedy"] is None


@pytest.mark.parametrize("strategy", ["one-vs-rest", "one-vs-one"])
def test_a_request_to_stop_ends_all_problems(strategy: str) -> None:
    X, y = three_classes()
    listener = Recorder(stop_after=4)
    model = limited(Perceptron, multiclass=strategy).set_callbacks(listener).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert listener.epochs == 4
    assert model.weights_.shape == (3, 5)
    assert model.predict(X).shape == (150,)
    assert listener.events[1] == ("begin", "fit", 9)


@pytest.mark.parametrize("kind", ITERATIVE)
def test_scoring_monitor(kind: Any) -> None:
    for X, y in (overlapping(), three_classes()):
        monitor = ScoringMonitor(scoring="accuracy")
        model = limited(kind).set_callbacks(monitor).fit(X, y)
        rows = monitor.get_logs().data
        scores = [row["accuracy"] for row in rows if row["task_name"] == "epoch"]
        assert len(scores) == len(model.history_["errors"])
        assert rows[-1]["accuracy"] == pytest.approx(model.score(X, y))


def test_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rich")
    X, y = overlapping()
    for kind in ITERATIVE:
        limited(kind).set_callbacks(ProgressBar()).fit(X, y)
        assert kind.__name__ in capsys.readouterr().out


def test_no_contexts_without_callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a context was made")

    monkeypatch.setattr(_callbacks.CallbackSupportMixin, "_init_callback_context", forbidden)
    limited(Perceptron).fit(*overlapping())
    with pytest.raises(AssertionError, match="a context was made"):
        limited(Perceptron).set_callbacks(Recorder()).fit(*overlapping())


def test_callbacks_inside_a_pipeline_and_a_search() -> None:
    X, y = overlapping()
    monitor = ScoringMonitor(scoring="accuracy")
    inner = limited(Perceptron).set_callbacks(monitor)
    pipeline = make_pipeline(StandardScaler(), inner).fit(X, y)
    rows = [row for row in monitor.get_logs().data if row["task_name"] == "epoch"]
    assert len(rows) == 3
    search = GridSearchCV(pipeline, {"perceptron__margin": [0.0, 1.0]}, cv=2, refit=False)
    search.set_callbacks(Propagated()).fit(X, y)
    (listener,) = search._skl_callbacks
    assert listener.count == {"epoch": 2 * 2 * 3}  # margins, folds, epochs


def test_a_callback_that_raises_is_torn_down() -> None:
    def burst(task: int) -> None:
        raise RuntimeError("out of paper")

    listener = Recorder(action=burst)
    with pytest.raises(RuntimeError, match="out of paper"):
        limited(Perceptron).set_callbacks(listener).fit(*overlapping())
    assert listener.events[-1] == ("teardown",)
    assert signal.getsignal(signal.SIGINT) is not None


def test_the_end_is_told_when_the_data_are_refused() -> None:
    X, y = overlapping()
    listener, model = Recorder(), limited(Perceptron)
    before = {*vars(model), "_skl_callbacks"}
    with pytest.raises(ValueError, match="X contains NaN"):
        model.set_callbacks(listener).fit(np.where(np.arange(len(X))[:, None] > 50, np.nan, X), y)
    assert listener.events[-1] == ("teardown",)
    assert vars(model).keys() == before


EPOCHS = [kind for kind in ESTIMATORS if "max_iter" in kind().get_params()]


assert len(EPOCHS) > len(ITERATIVE)  # regressors have epochs too


@pytest.mark.parametrize("kind", ITERATIVE)
def test_a_model_is_published_once_and_alike_with_callbacks(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Published twice, HoKashyap put the number of its problem before each note twice."""
    X, y = three_classes()
    options = {"random_state": 0} if "random_state" in kind().get_params() else {}
    alone, publish, published = limited(kind, **options).fit(X, y), kind._publish, []
    monkeypatch.setattr(kind, "_publish", lambda *given: (published.append(1), publish(*given)))
    model = limited(kind, **options).set_callbacks(Recorder()).fit(X, y)
    assert published == [1]
    assert model.report_.to_dict() == alone.report_.to_dict()
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))

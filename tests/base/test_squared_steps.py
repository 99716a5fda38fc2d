"""Many steps in one compiled call: those that numpy would make, and none that the procedure must look at."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from recorder import Recorder
from scipy import sparse

from discriminant import GradientDescent, HoKashyap, NotConvergedWarning, WidrowHoff, WidrowHoffRegressor, datasets
from discriminant._engine.problem import make_problem
from discriminant.base import squared_steps as module
from discriminant.base.squared_steps import FIRST, FewPatterns, Steps, squared_steps
from discriminant.descent import gradient
from discriminant.squared_error import ho_kashyap, widrow_hoff

PROCEDURES = [
    GradientDescent(schedule=2e-5, max_iter=300),
    GradientDescent(criterion="mean_squared", schedule=2e-3, max_iter=300),
    GradientDescent(schedule="optimal", tol=0.0),
    WidrowHoff(batch=True, schedule=5e-5, max_iter=300),
    WidrowHoff(batch=True, schedule="optimal", tol=0.0, max_iter=300),
    HoKashyap(max_iter=300),
    HoKashyap(variant="modified", max_iter=300),
    HoKashyap(variant="descent", max_iter=300),
    HoKashyap(variant="descent", R="gram", eta=0.5, max_iter=300),
]


def fitted(model: Any, *data: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(*data, **options)


def slow() -> tuple[Any, Any]:
    """Two classes of iris, which overlap so little that every procedure takes long."""
    X, y = datasets.iris()
    return X[50:], y[50:]


@pytest.mark.parametrize("model", PROCEDURES, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_steps_are_those_of_numpy(model: Any, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = slow()
    options = {"sample_weight": np.arange(100) % 4} if weighted else {}
    rows = len(fitted(model, X, y, **options).history_["step"])
    many, history = model.weights_, model.history_
    for user in (gradient, ho_kashyap, widrow_hoff):
        monkeypatch.setattr(user, "FIRST", 10**9)
    fitted(model, X, y, **options)
    assert rows == model.n_iter_ > FIRST
    assert many == pytest.approx(model.weights_, rel=1e-7, abs=1e-9)
    assert history["corrections"].tolist() == model.history_["corrections"].tolist()
    for name in ("errors", "criterion", "step"):
        assert history[name] == pytest.approx(model.history_[name], rel=1e-6), name


@pytest.mark.parametrize("model", PROCEDURES, ids=str)
def test_who_looks_at_each_step_sees_the_same(model: Any) -> None:
    X, y = slow()
    weights = fitted(model, X, y).weights_
    heard, listened = Recorder(), fitted(type(model)(**model.get_params()), X, y)
    fitted(listened.set_callbacks(heard), X, y)
    assert heard.epochs == model.n_iter_
    assert listened.weights_.tobytes() == weights.tobytes()
    assert fitted(listened.set_params(record="weights"), X, y).weights_.tobytes() == weights.tobytes()
    assert len(listened.history_["weights"]) == model.n_corrections_ + 1
    assert fitted(listened, sparse.csr_matrix(X), y).weights_ == pytest.approx(weights, rel=1e-9)


def test_three_classes_and_targets_of_a_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = slow()
    labels, machine = np.where(X[:, 0] > 6.5, 0, y), HoKashyap(multiclass="one-vs-one", max_iter=400)
    regressor = WidrowHoffRegressor(batch=True, max_iter=300)
    found = fitted(machine, X, labels).weights_, fitted(regressor, X, X[:, 2] - X[:, 0]).weights_
    monkeypatch.setattr(ho_kashyap, "FIRST", 10**9)
    monkeypatch.setattr(widrow_hoff, "FIRST", 10**9)
    assert found[0] == pytest.approx(fitted(machine, X, labels).weights_, rel=1e-7)
    assert found[1] == pytest.approx(fitted(regressor, X, X[:, 2] - X[:, 0]).weights_, rel=1e-7)


def patterns(rng: np.random.Generator) -> tuple[Any, ...]:
    Y, w, T = rng.normal(size=(9, 3)), rng.uniform(1, 2, 9), rng.normal(size=(3, 3))
    return Y, w, w @ np.abs(Y), T, rng.normal(size=3), rng.uniform(1, 2, 9)


@pytest.mark.parametrize("steps", [Steps(), Steps(1.0, 1.0), Steps(0.5, 0.5, 0.001, evidence=0.1, level=0.0)])
def test_plain_python_makes_the_same_steps(steps: Steps, rng: np.random.Generator) -> None:
    given, table, other = patterns(rng), np.zeros((5, 4)), np.zeros((5, 4))
    twin = [part.copy() for part in given]
    assert squared_steps(*given, steps, table) == squared_steps.py_func(*twin, steps, other) > 0
    assert table == pytest.approx(other, rel=1e-12)
    assert given[4] == pytest.approx(twin[4], rel=1e-12)
    assert given[5] == pytest.approx(twin[5], rel=1e-12)


@pytest.mark.parametrize("steps", [Steps(rate=10.0, rise=1.0), Steps(rate=1e200)])
def test_a_step_that_leads_too_far_is_taken_back(steps: Steps, rng: np.random.Generator) -> None:
    given = patterns(rng)
    before = [part.copy() for part in given]
    assert squared_steps(*given, steps, np.zeros((5, 4))) == 0
    assert all(np.array_equal(one, other) for one, other in zip(given, before, strict=True))


@pytest.mark.parametrize("steps", [Steps(short=1e9), Steps(fewest=9), Steps(level=1.0, evidence=1.0)])
def test_a_place_that_needs_a_look_is_not_left(steps: Steps, rng: np.random.Generator) -> None:
    assert squared_steps(*patterns(rng), steps, np.zeros((5, 4))) == 0


def test_a_call_is_short_enough_for_ctrl_c_and_for_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = slow()
    calls: list[int] = []
    compiled = squared_steps

    def counted(*given: Any) -> Any:
        calls.append(len(given[-1]))
        return compiled(*given)

    monkeypatch.setattr(module, "squared_steps", counted)
    fitted(HoKashyap(max_iter=FIRST + 50), X, y)
    assert max(calls) <= 51
    calls.clear()
    monkeypatch.setattr(module, "CHUNK", 4 * X.shape[0] * 10)
    fitted(HoKashyap(max_iter=FIRST + 50), X, y)
    assert max(calls) < 10


def test_large_tables_and_float32_are_left_to_numpy() -> None:
    def serve(n: int, d: int, dtype: Any) -> bool:
        return FewPatterns.serve(make_problem(np.ones((n, d), dtype), np.arange(n, dtype=np.int32) % 2, None, 2))

    assert serve(150, 4, np.float64)
    assert not serve(150, 4, np.float32)
    assert not serve(10_000, 4, np.float64)
    assert not serve(100, 150, np.float64)

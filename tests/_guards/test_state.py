"""All or nothing: a refused portion leaves no trace, and a fit that fails leaves the model as it was."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.preprocessing import PolynomialFeatures

import discriminant
from discriminant import (
    BalancedWinnow,
    FisherDiscriminant,
    KernelPerceptron,
    LinearProgram,
    MultilayerPerceptron,
    MultilayerPerceptronRegressor,
    Perceptron,
    RecursiveLeastSquares,
    Relaxation,
    RidgeRegressor,
    SupportVectorMachine,
    WidrowHoff,
    WidrowHoffRegressor,
)
from discriminant._engine.path import Path
from discriminant.solution import Report

ESTIMATORS = [
    value
    for name in discriminant.__all__
    if inspect.isclass(value := getattr(discriminant, name)) and issubclass(value, BaseEstimator)
]
ONLINE = [
    Perceptron(),
    Perceptron(average=True, schedule="1/k"),
    Perceptron(pocket=True, random_state=np.random.RandomState(0)),
    Perceptron(schedule="adaptive", order="random", random_state=0, record="weights"),
    Perceptron(multiclass="one-vs-rest"),
    BalancedWinnow(),
    BalancedWinnow(order="random", random_state=np.random.RandomState(0)),
    Relaxation(),
    KernelPerceptron(),
    FisherDiscriminant(),
    WidrowHoff(),
    WidrowHoff(schedule="rls", order="random", random_state=0),
    RecursiveLeastSquares(forgetting=0.99),
    WidrowHoffRegressor(order="random", random_state=np.random.RandomState(0)),
    MultilayerPerceptron((3,), random_state=0),
    MultilayerPerceptronRegressor((3,), solver="sgd", random_state=np.random.RandomState(0)),
]


def data(seed: int, model: Any) -> dict[str, Any]:
    """Three classes that overlap; numbers for a regressor."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 3
    X[:, 0] += y
    return {"X": X, "y": X[:, 0] + rng.normal(size=30) if is_regressor(model) else y}


def same(one: Any, other: Any) -> bool:
    """Whether two things hold the same, bit for bit, however deep."""
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Report):
        return same(one.to_dict(), other.to_dict())
    if isinstance(one, np.random.RandomState):
        return same(one.get_state(), other.get_state())
    if is_dataclass(one):
        return same(vars(one), vars(other))
    plain = isinstance(one, int | float | str | Enum | None)
    return repr(one) == repr(other) if plain else type(one) is type(other)


def told(model: Any) -> dict[str, Any]:
    """All that a model has learned, and the state of its random numbers."""
    return {name: value for name, value in vars(model).items() if name.endswith("_") or name == "random_state"}


def spoiled(model: Any) -> Iterator[dict[str, Any]]:
    """Portions that must be refused, most of them after half of their rows."""
    values = [np.nan, np.inf, 1e300][: 2 if isinstance(model, BalancedWinnow) else 3]  # its exponents hold 1e300
    for value in values:
        portion = data(1, model)
        portion["X"][15:, 1] = value
        yield portion
    portion = data(1, model)
    yield portion | {"y": np.where(np.arange(30) == 15, np.nan if is_regressor(model) else 7, portion["y"])}
    yield portion | {"sample_weight": np.where(np.arange(30) == 15, -1.0, 1.0)}
    yield portion | {"X": portion["X"][:, :2]}


@pytest.mark.parametrize("model", ONLINE, ids=lambda model: type(model).__name__)
def test_a_refused_portion_leaves_no_trace(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model, more = copy.deepcopy(model), {} if is_regressor(model) else {"classes": [0, 1, 2]}
    for portion in list(spoiled(model))[:-1]:  # before the first good one any width will do
        before = copy.deepcopy(vars(model))
        with pytest.raises(ValueError, match=r".{20}"):
            model.partial_fit(**portion, **more)
        assert same(vars(model), before)
    model.partial_fit(**data(0, model), **more)
    other = copy.deepcopy(model)
    for portion in spoiled(model):
        with pytest.raises(ValueError, match=r".{20}"):
            model.partial_fit(**portion)
    with monkeypatch.context() as patch:
        patch.setattr(Report, "__init__", raising(KeyboardInterrupt))  # a second Ctrl-C when all rows are learned
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(**data(1, model))
    assert same(told(model), told(other))
    for twin in (model, other):
        twin.partial_fit(**data(2, model))
    assert same(told(model), told(other))
    assert model.n_corrections_ > 0 or isinstance(model, FisherDiscriminant)


def test_a_path_that_was_thinned_in_vain_is_put_back(rng: np.random.Generator) -> None:
    A = rng.normal(size=3)
    path = Path(A, wanted=True)
    path.rows = path.rows[:5].copy()
    for _ in range(6):
        path.add(A := A + 1)
    before, back = path.so_far(A), path.undo(set())
    for k in range(20):
        path.add(A + k)
    back()
    np.testing.assert_array_equal(path.so_far(A), before)


def quick(kind: Any) -> Any:
    """The estimator with few iterations."""
    return kind(**({"max_iter": 3} if "max_iter" in kind().get_params() else {}))


MODELS = [
    *map(quick, ESTIMATORS),
    Perceptron(pocket=True, max_iter=3, random_state=np.random.RandomState(0)),
    SupportVectorMachine(probability=True),
    RidgeRegressor(kernel="gaussian"),
]


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_fit_that_fails_leaves_the_model_as_it_was(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = copy.deepcopy(model)
    good, bad = data(0, model), data(1, model)
    bad["X"][15:, 1] = np.nan
    others = {"X": data(1, model)["X"][:, :2], "y": data(1, model)["y"]}  # what succeeds would leave another width
    for fitted in (False, True):
        if fitted:
            model.fit(**good)
        before = {name: (value, copy.deepcopy(value)) for name, value in vars(model).items()}
        with pytest.raises(ValueError, match="NaN"):
            model.fit(**bad)
        for error in (KeyboardInterrupt, RuntimeError, MemoryError):
            with monkeypatch.context() as patch:
                for kind, name in ((Report, "__init__"), (PolynomialFeatures, "fit"), (CalibratedClassifierCV, "fit")):
                    patch.setattr(kind, name, raising(error))
                with pytest.raises(error):
                    model.fit(**others)
        assert vars(model).keys() == before.keys()
        for name, (value, copied) in before.items():
            assert vars(model)[name] is value
            assert same(value, copied)
    if hasattr(model, "predict"):
        assert len(model.predict(good["X"])) == 30


def test_a_linear_program_that_runs_out_of_time_leaves_the_model_as_it_was(rng: np.random.Generator) -> None:
    model = LinearProgram().fit(**data(0, LinearProgram()))
    before = dict(vars(model))
    model.set_params(time_limit=1e-6, criterion="minimax")
    with pytest.raises(TimeoutError, match="time_limit"):
        model.fit(rng.normal(size=(300, 10)), np.arange(300) % 2)
    changed = {"time_limit": 1e-6, "criterion": "minimax"}
    assert vars(model).keys() == before.keys()
    assert all(value is (changed | before | changed)[name] for name, value in vars(model).items())
    assert len(model.predict(data(0, model)["X"])) == 30


def raising(error: type[BaseException]) -> Any:
    def fail(*given: Any, **options: Any) -> None:
        raise error

    return fail


def test_a_warning_made_an_error_leaves_the_model_as_it_was() -> None:
    model = Perceptron(max_iter=2)
    with pytest.raises(discriminant.NotConvergedWarning):  # the tests' own filter does that
        model.fit(**data(0, model))
    assert vars(model) == vars(clone(model))


@pytest.mark.parametrize("model", ONLINE, ids=lambda model: type(model).__name__)
def test_a_copy_goes_on_like_the_model_itself(model: Any) -> None:
    model, more = copy.deepcopy(model), {} if is_regressor(model) else {"classes": [0, 1, 2]}
    model.partial_fit(**data(0, model), **more)
    twin = pickle.loads(pickle.dumps(model))
    for one in (model, twin):
        one.partial_fit(**data(1, model))
    assert same(told(model), told(twin))

"""One way to run a fit; callbacks are looked at in tests/_engine/test_callbacks.py, portions in test_online.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discriminant import Perceptron, WidrowHoffRegressor
from discriminant._engine.problem import make_problem
from discriminant.base.iterative import _equal, start_vectors


@pytest.mark.parametrize(
    ("now", "before", "equal"),
    [
        ({"a": 0, "b": [1, 2]}, {"b": np.array([1, 2]), "a": 0}, True),
        ({"a": 0, "b": 1}, {"b": 0, "a": 1}, False),  # the same values in the same places
        ({"a": 0, "b": 1}, {"a": 0}, False),
        ({"a": 0}, {"a": 0, "b": 1}, False),
        ({"a": np.zeros(2)}, {"a": np.zeros(3)}, False),
        ({"a": np.nan}, {"a": np.nan}, True),
    ],
)
def test_parameters_are_equal_by_name_and_value(now: Any, before: Any, equal: bool) -> None:
    assert _equal(now, before) == equal


def portion(seed: int, n: int = 40) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 3))
    return X, X[:, 0] + generator.normal(size=n)


def test_a_regressor_heeds_a_step_that_is_set_between_two_portions() -> None:
    model = WidrowHoffRegressor(schedule=0.01).partial_fit(*portion(0))
    model.set_params(schedule=0.02).partial_fit(*portion(1))
    assert model.history_["step"].tolist() == [0.01, 0.02]


def test_start_vectors() -> None:
    problem = make_problem(np.zeros((4, 2), np.float32), np.zeros(4, np.int32), None, 3)
    for count, rows in ((1, 1), (3, 1), (1, 3)):
        starts = start_vectors(None, problem, count, rows)
        assert [start.shape for start in starts] == [(rows, 3)] * count
        same = start_vectors([1, 2, 3], problem, count, rows)  # one vector for all
        assert all(row.tolist() == [1, 2, 3] for start in same for row in start)
        assert all(start.dtype == np.float32 and start.flags.owndata for start in (*starts, *same))
    each = start_vectors(np.arange(9).reshape(3, 3), problem, 3)
    assert [start.tolist() for start in each] == [[[0, 1, 2]], [[3, 4, 5]], [[6, 7, 8]]]
    with pytest.raises(
        ValueError, match=r"start has shape \(2,\); give finite weights, an augmented vector .* \(3,\) or \(3, 3\)"
    ):
        start_vectors([1, 2], problem, 3)
    with pytest.raises(ValueError, match="start holds NaN or infinity"):
        start_vectors([1, np.nan, 2], problem, 1)


def test_no_partial_fit_where_a_rule_cannot_go_on() -> None:
    assert hasattr(Perceptron(), "partial_fit")
    for model in (Perceptron(batch=True), WidrowHoffRegressor(batch=True), WidrowHoffRegressor(dual=True)):
        assert not hasattr(model, "partial_fit")

"""What both forms of Widrow-Hoff share: parameters that are refused, data in portions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from widrow_hoff_cases import fitted

from discriminant import (
    WidrowHoff,
    WidrowHoffRegressor,
    augment,
)


class TestPortions:
    @pytest.mark.parametrize("schedule", [0.03, "1/k", "rls", lambda k: 1 / (k + 5)])
    def test_portions_make_a_pass(self, data: Any, schedule: Any) -> None:
        X, y = data
        whole = fitted(WidrowHoff(schedule=schedule, max_iter=1), X, y)
        model, values = WidrowHoff(schedule=schedule), WidrowHoffRegressor(schedule=schedule)
        for part in (slice(0, 7), slice(7, 8), slice(8, 30)):
            model.partial_fit(X[part], y[part], classes=[0, 1])
            values.partial_fit(X[part], 2.0 * y[part] - 1)
        np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-12)
        np.testing.assert_allclose(values.weights_, whole.weights_, rtol=1e-12)
        assert model.n_iter_ == values.n_iter_ == 3
        assert len(values.history_["criterion"]) == 3
        assert model.n_corrections_ == values.n_corrections_ == 30

    @pytest.mark.parametrize("schedule", [0.03, "1/k", "rls"])
    def test_a_fit_goes_on(self, data: Any, schedule: Any) -> None:
        """The count of visits and what the schedule has seen are not lost, nor in a pickle."""
        X, y = data
        two = fitted(WidrowHoff(schedule=schedule, max_iter=2), X, y)
        one = fitted(WidrowHoff(schedule=schedule, max_iter=1), X, y)
        one = pickle.loads(pickle.dumps(one)).partial_fit(X, y)
        np.testing.assert_allclose(one.weights_, two.weights_, rtol=1e-12)
        np.testing.assert_allclose(one.history_["step"], two.history_["step"])
        values = fitted(WidrowHoffRegressor(schedule=schedule, max_iter=1), X, 2.0 * y - 1)
        values = pickle.loads(pickle.dumps(values)).partial_fit(X, 2.0 * y - 1)
        np.testing.assert_allclose(values.weights_, two.weights_, rtol=1e-12)
        np.testing.assert_allclose(values.history_["step"], two.history_["step"])

    def test_default_step_shrinks_with_longer_patterns(self, data: Any) -> None:
        X, y = data
        model = WidrowHoff().partial_fit(X, y, classes=[0, 1])
        model.partial_fit(10 * X, y).partial_fit(X, y)
        lengths = [np.max(np.sum(augment(s * X) ** 2, axis=1)) for s in (1, 10, 10)]
        np.testing.assert_allclose(model.history_["step"], 0.1 / np.array(lengths))

    def test_many_classes_and_portions_without_some(self, rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(12, 2)), np.repeat([0, 1, 2], 4)
        model = WidrowHoff(schedule=0.05, multiclass="one-vs-one")
        for part in (slice(0, 4), slice(4, 12)):
            model.partial_fit(X[part], y[part], classes=[0, 1, 2])
        whole = fitted(WidrowHoff(schedule=0.05, multiclass="one-vs-one", max_iter=1), X, y)
        np.testing.assert_allclose(model.weights_, whole.weights_, atol=1e-15)

    @pytest.mark.parametrize("bad", [np.nan, 1e200])
    def test_a_refused_portion_leaves_no_trace(self, data: Any, bad: float) -> None:
        X, y = data
        spoiled = X.copy()
        spoiled[5, 2] = bad
        model, values = WidrowHoff().partial_fit(X, y, classes=[0, 1]), WidrowHoffRegressor().partial_fit(X, y)
        with pytest.raises(ValueError, match=r"NaN|overflow"):
            model.partial_fit(spoiled, y)
        with pytest.raises(ValueError, match=r"NaN|overflow"):
            values.partial_fit(spoiled, y)
        twice = fitted(WidrowHoff(max_iter=2), X, y), fitted(WidrowHoffRegressor(max_iter=2), X, y)
        np.testing.assert_allclose(model.partial_fit(X, y).weights_, twice[0].weights_, rtol=1e-12)
        np.testing.assert_allclose(values.partial_fit(X, y).weights_, twice[1].weights_, rtol=1e-12)

    def test_only_where_it_makes_sense(self) -> None:
        for model in (WidrowHoff, WidrowHoffRegressor):
            assert hasattr(model(), "partial_fit")
            assert not hasattr(model(batch=True), "partial_fit")
            assert not hasattr(model(dual=True), "partial_fit")

    def test_a_model_does_not_keep_the_patterns(self, data: Any) -> None:
        X = np.repeat(data[0], 3000, axis=0)
        y = np.repeat(data[1], 3000)
        for model in (
            fitted(WidrowHoff(max_iter=2), X, y),
            WidrowHoff().partial_fit(X, y, classes=[0, 1]),
            WidrowHoffRegressor().partial_fit(X, y),
        ):
            assert len(pickle.dumps(model)) < X.nbytes


BAD: list[tuple[dict[str, Any], str]] = [
    ({"targets": "twos"}, "targets='twos' must be one of"),
    ({"targets": [1.0, 2.0]}, r"targets has shape \(2,\).*each of the 30 rows"),
    ({"targets": np.r_[np.ones(29), 0]}, "targets holds 0; give 'ones', or finite numbers > 0"),
    ({"targets": np.r_[np.ones(29), -1]}, "targets holds -1"),
    ({"targets": np.r_[np.ones(29), np.nan]}, "targets holds nan"),
    ({"multiclass": "kesler"}, "multiclass='kesler' must be one of"),
    ({"record": "all"}, "record='all' must be one of"),
]
BAD_FOR_BOTH: list[tuple[dict[str, Any], str]] = [
    ({"schedule": 0.0}, "schedule=0.0 must be one of"),
    ({"schedule": -1}, "schedule=-1 must be one of"),
    (
        {"schedule": "optimal"},
        r"without curvature, which WidrowHoff.*\(batch=False\) has not.*'rls'",
    ),
    (
        {"schedule": "rls", "batch": True},
        r"without norms, which WidrowHoff.*\(batch=True\) has not.*'optimal'",
    ),
    ({"schedule": lambda k: -1.0}, r"η\(1\)"),
    ({"tol": -1e-3}, "tol=-0.001 must be "),
    ({"order": "backward"}, "order='backward' must be one of"),
    ({"order": "random", "batch": True}, "order='random' must be 'cyclic' where batch=True"),
    ({"start": np.zeros(4), "dual": True}, "start must be None where dual=True.*; drop one"),
    ({"start": np.zeros(3)}, r"start has shape \(3,\)"),
    ({"start": [np.nan, 0, 0, 0]}, "start.*finite"),
    ({"max_iter": 0}, "max_iter=0 must be "),
    ({"max_iter": 1.5}, "max_iter=1.5 must be "),
]


class TestBadInput:
    @pytest.mark.parametrize(("options", "message"), BAD + BAD_FOR_BOTH)
    def test_classifier(self, data: Any, options: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            WidrowHoff(**options).fit(*data)

    @pytest.mark.parametrize(("options", "message"), [*BAD_FOR_BOTH, ({"schedule": "adaptive"}, "one without errors")])
    def test_regressor(self, data: Any, options: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            WidrowHoffRegressor(**options).fit(*data)

    def test_targets_of_a_portion(self, data: Any) -> None:
        X, y = data
        model = WidrowHoff(targets=np.full(30, 2.0)).partial_fit(X, y, classes=[0, 1])
        with pytest.raises(ValueError, match="each of the 10 rows"):
            model.partial_fit(X[:10], y[:10])

    def test_targets_of_the_regressor(self, data: Any) -> None:
        y = np.where(data[1] == 1, np.nan, 1.0)
        with pytest.raises(ValueError, match="NaN"):
            WidrowHoffRegressor().fit(data[0], y)

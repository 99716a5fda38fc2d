"""Widrow-Hoff as a regressor: its report, weights, callbacks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from sklearn.callback import ScoringMonitor
from widrow_hoff_cases import fitted

from discriminant import (
    WidrowHoffRegressor,
    augment,
)


class TestRegressor:
    def test_report(self, data: Any) -> None:
        model = fitted(WidrowHoffRegressor(max_iter=7), *data)
        text, facts = str(model.report_), model.report_.to_dict()
        assert "WidrowHoffRegressor: budget" in text
        assert "minimized       sum of (w'x + w0 - y)^2" in text
        assert "LeastSquaresRegressor" in text
        assert facts["details"]["iterations"] == 7
        assert facts["details"]["criterion value"] == model.history_["criterion"][-1]
        assert str(pickle.loads(pickle.dumps(model)).report_) == text
        assert set(model.history_) == {"criterion", "step", "corrections"}

    def test_sample_weight(self, rng: np.random.Generator) -> None:
        X, y, weight = rng.normal(size=(30, 3)), rng.normal(size=30), rng.random(30) * (np.arange(30) > 4)
        model = WidrowHoffRegressor(batch=True, tol=1e-9, max_iter=20_000).fit(X, y, weight)
        root = np.sqrt(weight)
        answer = np.linalg.lstsq(augment(X) * root[:, None], y * root, rcond=None)[0]
        np.testing.assert_allclose(model.weights_, answer, atol=1e-6)
        np.testing.assert_allclose(model.predict(X), augment(X) @ answer, atol=1e-5)

    def test_callbacks_see_the_model_as_it_stands(self, data: Any) -> None:
        X, y = data
        monitor = ScoringMonitor(scoring="r2")
        model = WidrowHoffRegressor(schedule=0.01, max_iter=4).set_callbacks(monitor)
        fitted(model, X, y)
        shorter = [fitted(WidrowHoffRegressor(schedule=0.01, max_iter=k), X, y).score(X, y) for k in (1, 2, 3, 4)]
        epochs = [row["r2"] for row in monitor.get_logs().data if row["task_name"] == "epoch"]
        np.testing.assert_allclose(epochs, shorter)

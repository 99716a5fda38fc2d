"""Probabilities of machines: Platt's sigmoids, their logarithms, and what is left when they fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from svm_cases import Rng, overlapping, press_in_fit

from discriminant import (
    FitInterruptedWarning,
    Status,
    SupportVectorMachine,
)


def test_logarithms_of_probabilities(rng: Rng):
    X, y = overlapping(rng, 60, 3, 3)
    model = SupportVectorMachine(probability=True).fit(X, y)
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert not hasattr(SupportVectorMachine().fit(X, y), "predict_log_proba")


@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_probabilities(kernel: Any, c: int, rng: Rng):
    X, y = overlapping(rng, 90, 4, c)
    model = SupportVectorMachine(kernel=kernel, probability=True).fit(X, y)
    chances = model.predict_proba(X)
    assert chances.shape == (90, c)
    assert np.all(chances >= 0)
    assert_allclose(chances.sum(axis=1), 1)
    if c == 2:
        order = np.argsort(model.decision_function(X))
        assert np.all(np.diff(chances[order, 1]) >= -1e-12)
    plain = SupportVectorMachine(kernel=kernel).fit(X, y)
    assert_array_equal(plain.predict(X), model.predict(X))
    assert not hasattr(plain, "predict_proba")


@pytest.mark.parametrize("number", [1, 3])
def test_interrupt_of_the_sigmoids_leaves_a_machine_without_them(
    number: int, monkeypatch: pytest.MonkeyPatch, rng: Rng
):
    X, y = overlapping(rng)
    plain, model = SupportVectorMachine().fit(X, y), SupportVectorMachine(probability=True).fit(X, y)
    fits = press_in_fit(monkeypatch, number)
    with pytest.warns(FitInterruptedWarning) as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert len(fits) == number  # no further fold was begun
    assert model.status_ is Status.STOPPED
    assert caught[0].message.report is model.report_
    assert not hasattr(model, "sigmoids_")
    with pytest.raises(ValueError, match="fit again"):
        model.predict_proba(X)
    if number > 1:
        assert_array_equal(model.decision_function(X), plain.decision_function(X))
        assert "sigmoids are missing" in str(model.report_)


def test_a_failed_calibration_leaves_the_model_as_it_was(rng: Rng):
    X, y = overlapping(rng)
    model = SupportVectorMachine(probability=True).fit(X, y)
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match="probability=True must be False where a class has 3 rows"):
        model.fit(X[:6], y[:6])  # too few for five folds
    assert model.__dict__ == before

"""Paths of costs, leaving one out, ranking features and patterns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from svm_cases import Rng, overlapping, press_in_fit

from discriminant import (
    FitInterruptedWarning,
    KernelPerceptron,
    Perceptron,
    Status,
    SupportVectorMachine,
    bounds,
    datasets,
    feature_ranking,
    leave_one_out,
    mercer,
    pattern_ranking,
    separability,
    svm_path,
)


@pytest.mark.parametrize(
    ("n", "options"),
    [(80, {}), (80, {"kernel": "gaussian"}), (80, {"loss": "squared_hinge"}), (80, {"intercept": "augmented"}),
     (1500, {"tol": 1e-7}), (1500, {"loss": "squared_hinge", "tol": 1e-7}),
     (90, {"kernel": mercer.Polynomial(degree=2)})],
)  # fmt: skip
def test_path_gives_what_cold_fits_give(n: int, options: dict[str, Any], rng: Rng):
    X, y = overlapping(rng, n, 3, 3 if n == 90 else 2)
    Cs = [0.01, 0.1, 1.0, 10.0, 3.0]
    models = svm_path(X, y, Cs, **options)
    for C, model in zip(Cs, models, strict=True):
        cold = SupportVectorMachine(C, **options).fit(X, y)
        assert model.C == C
        assert model.status_ is Status.CONVERGED
        ours, other = (m.report_.to_dict()["details"] for m in (model, cold))
        if n != 90:
            assert_allclose(ours["criterion value"], other["criterion value"], rtol=1e-6)
        scale = np.abs(cold.decision_function(X)).max()
        assert_allclose(model.decision_function(X), cold.decision_function(X), atol=2e-3 * scale)
    assert svm_path(X, y, []) == []


def test_path_through_infinity():
    X, y = datasets.table(1, 2)
    models = svm_path(X, y, [1.0, np.inf, 1.0])
    assert_allclose(models[1].margin_, float(separability(X, y).margin), rtol=1e-9)
    assert_allclose(models[0].weights_, models[2].weights_, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "categories"),
    [
        ({"C": 0.5}, (1, 2, 4)),
        ({"C": 1.0, "kernel": "gaussian"}, (1, 3)),
        ({"C": 5.0, "loss": "squared_hinge"}, (1, 3)),
        ({"C": 5.0, "loss": "squared_hinge"}, (1, 2, 4)),
    ],
)
def test_leave_one_out(options: dict[str, Any], categories: tuple[int, ...]):
    X, y = datasets.table(*categories)
    model = SupportVectorMachine(**options).fit(X, y)
    found = leave_one_out(model, X, y)
    errors = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        errors += SupportVectorMachine(**options).fit(X[rest], y[rest]).predict(X[[i]])[0] != y[i]
    assert found.error == errors / len(y)
    assert found.error <= found.bound == model.support_.size / len(y)
    assert leave_one_out(model, sparse.csr_array(X), y) == found


def test_leave_one_out_of_a_hard_margin():
    X, y = datasets.table(3, 2)
    model = SupportVectorMachine(C=np.inf).fit(X, y)
    found = leave_one_out(model, X, y)
    assert found.bound == bounds.support_vector(model) == np.count_nonzero(model.alpha_) / 20
    assert found.error <= found.bound <= 3 / 20


def test_leave_one_out_has_the_weights_of_the_fit(rng: Rng):
    X, y = overlapping(rng, 40)
    weight = rng.integers(0, 4, size=40).astype(float)
    model = SupportVectorMachine(0.5).fit(X, y, weight)
    errors = 0
    for i in np.flatnonzero(weight):
        rest = (np.arange(40) != i) & (weight > 0)
        errors += SupportVectorMachine(0.5).fit(X[rest], y[rest], weight[rest]).predict(X[[i]])[0] != y[i]
    n = np.count_nonzero(weight)
    assert leave_one_out(model, X, y, weight) == (errors / n, model.support_.size / n)
    with pytest.raises(ValueError, match="sample_weight must allow the multipliers"):
        leave_one_out(model, X, y)


def test_leave_one_out_wants_the_data_of_the_fit(rng: Rng):
    X, y = overlapping(rng, 40)
    model = SupportVectorMachine().fit(X, y)
    for other, labels in ((X[:10], y[:10]), (X, y[:10]), (np.vstack([X, X]), np.append(y, y)), (X[0], y)):
        with pytest.raises(ValueError, match="must have the 40 rows"):
            leave_one_out(model, other, labels)
    with pytest.raises(ValueError, match="y must have the labels"):
        leave_one_out(model, X, 1 - y)


def test_a_path_of_one_cost():
    X, y = datasets.table(1, 3)
    (model,) = svm_path(X, y, 1.0)
    assert_array_equal(model.coef_, SupportVectorMachine(1.0).fit(X, y).coef_)


def test_feature_ranking(rng: Rng):
    X, y = rng.normal(size=(200, 5)), np.arange(200) % 2
    X[:, 3] += 3 * y
    X[:, 1] -= 1.5 * y
    model = SupportVectorMachine().fit(X, y)
    assert feature_ranking(model)[:2].tolist() == [3, 1]
    assert sorted(feature_ranking(model).tolist()) == list(range(5))
    assert model.coef_[0, 3] > 0 > model.coef_[0, 1]  # the class each votes for
    assert feature_ranking(SupportVectorMachine().fit(X, np.arange(200) % 3)).shape == (5,)
    with pytest.raises(ValueError, match="fit a linear model first"):
        feature_ranking(SupportVectorMachine(kernel="gaussian").fit(X, y))
    with pytest.raises(ValueError, match="fit a linear model first"):
        feature_ranking(SupportVectorMachine())


def test_pattern_ranking(rng: Rng):
    """By the corrections of Table 8.3 it is α = (5, 2, 2, 0); the others by their support vectors."""
    X, y = datasets.or_function()
    assert pattern_ranking(KernelPerceptron(bias="augmented").fit(X, y)).tolist() == [0, 1, 2, 3]
    assert pattern_ranking(KernelPerceptron(bias="augmented").fit(X[::-1], y[::-1]))[0] == 3
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    model = SupportVectorMachine().fit(X, y)
    found = pattern_ranking(model)
    assert sorted(found.tolist()) == list(range(60))
    assert set(found[: model.support_.size]) == set(model.support_)
    sums = np.abs(model.alpha_).sum(axis=1)[found]
    assert np.all(np.diff(sums) <= 0)
    machine = KernelPerceptron().fit(X + 9 * y[:, None], y)  # one machine: its strengths carry signs
    assert np.all(np.diff(np.abs(machine.alpha_).sum(axis=1)[pattern_ranking(machine)]) <= 0)
    for other in (SupportVectorMachine(), Perceptron().fit(*datasets.or_function()), None):
        with pytest.raises(ValueError, match="must be one with strengths"):
            pattern_ranking(other)


def test_interrupt_of_the_path_ends_the_list(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng)
    fits = press_in_fit(monkeypatch, 2)
    with pytest.warns(FitInterruptedWarning):
        models = svm_path(X, y, [0.1, 1.0, 10.0])
    assert len(fits) == 2
    assert [model.status_ for model in models] == [Status.CONVERGED, Status.STOPPED]
    assert_array_equal(models[1].weights_, models[0].weights_)  # what was known


def test_interrupt_of_leave_one_out(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng)
    model = SupportVectorMachine().fit(X, y)
    fits = press_in_fit(monkeypatch, 2)
    with pytest.raises(KeyboardInterrupt):
        leave_one_out(model, X, y)
    assert len(fits) == 2

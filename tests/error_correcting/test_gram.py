"""Every way to name a kernel, and its rows: kept, made when called for, or not at all."""

import signal

import numpy as np
import pytest
from correction_cases import quietly, table
from sklearn.model_selection import cross_val_score

from discriminant import (
    FitInterruptedWarning,
    KernelPerceptron,
    Status,
    mercer,
)
from discriminant.error_correcting import gram


@pytest.mark.parametrize(
    ("name", "kernel", "function"),
    [
        ("linear", mercer.Linear(), lambda X, Z: X @ Z.T),
        ("polynomial", mercer.Polynomial(), lambda X, Z: (X @ Z.T + 1) ** 3),
        ("gaussian", mercer.Gaussian(), lambda X, Z: np.exp(-((X[:, None] - Z) ** 2).sum(axis=2))),
        ("sigmoid", mercer.Sigmoid(), lambda X, Z: np.tanh(X @ Z.T)),
    ],
)
@pytest.mark.parametrize("bias", ["augmented", "radius"])
def test_all_ways_to_give_a_kernel(name, kernel, function, bias, rng):
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    new = rng.normal(size=(5, 3))
    models = [quietly(KernelPerceptron(k, bias=bias, max_iter=5), X, y) for k in (name, kernel, function)]
    models.append(quietly(KernelPerceptron("precomputed", bias=bias, max_iter=5), function(X, X), y))
    decisions = [model.decision_function(new) for model in models[:3]]
    decisions.append(models[3].decision_function(function(new, X)))
    for model, decision in zip(models, decisions, strict=True):
        np.testing.assert_array_equal(model.alpha_, models[0].alpha_)
        np.testing.assert_allclose(decision, function(new, X) @ models[0].dual_coef_[0] + models[0].intercept_)


def test_a_precomputed_matrix_is_cut_both_ways():
    X, y = table(1, 2)
    for kernel in ("precomputed", mercer.Precomputed()):
        model = KernelPerceptron(kernel)
        assert model.__sklearn_tags__().input_tags.pairwise
        assert not hasattr(model, "partial_fit")
        scores = cross_val_score(model, X @ X.T, y, cv=4)
        np.testing.assert_array_equal(scores, cross_val_score(KernelPerceptron(), X, y, cv=4))
    assert not KernelPerceptron().__sklearn_tags__().input_tags.pairwise
    with pytest.raises(ValueError, match=r"X has shape \(20, 2\), but a precomputed Gram matrix is square"):
        KernelPerceptron("precomputed").fit(X, y)


@pytest.mark.parametrize("schedule", [1.0, lambda k: 1 / k])
@pytest.mark.parametrize("order", ["cyclic", "random"])
@pytest.mark.parametrize("block", [1, 3 * 40 * 8, 2**20])
def test_rows_computed_when_called_for_are_those_of_the_cache(block, order, schedule, monkeypatch, rng):
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    common = {"kernel": mercer.Gaussian(2.0), "order": order, "schedule": schedule, "random_state": 0, "max_iter": 8}
    kept = quietly(KernelPerceptron(**common), X, y)
    monkeypatch.setattr(gram, "BLOCK", block)
    computed = quietly(KernelPerceptron(cache_size=1e-6, **common), X, y)
    np.testing.assert_array_equal(computed.alpha_, kept.alpha_)
    for name in ("errors", "corrections"):
        np.testing.assert_array_equal(computed.history_[name], kept.history_[name])
    np.testing.assert_allclose(computed.history_["criterion"], kept.history_["criterion"], rtol=1e-9)
    np.testing.assert_allclose(computed.decision_function(X), kept.decision_function(X), rtol=1e-9, atol=1e-12)


def test_a_clean_pass_computes_no_kernel_rows(monkeypatch):
    X, y = table(1, 2)
    asked = []

    def kernel(X, Z):
        asked.append(len(X))
        return X @ Z.T

    monkeypatch.setattr(gram, "BLOCK", 1)  # one row at a time
    model = KernelPerceptron(kernel, cache_size=1e-6).fit(X, y)
    rows = sum(asked) - 20  # the diagonal takes 20
    assert rows == model.n_corrections_


def test_only_patterns_that_were_added_are_asked_for(rng):
    X, y = rng.normal(size=(60, 2)) + 3 * (np.arange(60) % 2)[:, None], np.arange(60) % 2
    columns = []

    def kernel(X, Z):
        columns.append(len(Z))
        return np.exp(-((X[:, None] - Z) ** 2).sum(axis=2))

    model = quietly(KernelPerceptron(kernel, max_iter=20), X, y)
    columns.clear()
    model.predict(X)
    assert columns == [np.count_nonzero(model.alpha_)]
    assert columns[0] < 60


def test_an_interrupt_while_kernel_rows_are_made(rng, monkeypatch):
    X, y = rng.normal(size=(50, 2)), np.arange(50) % 2
    monkeypatch.setattr(gram, "ATONCE", 1000)  # ten rows at a time
    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    calls = []

    def kernel(A, B):
        calls.append(len(A))
        if len(A) == 10 and calls.count(10) == 2:
            signal.raise_signal(signal.SIGINT)
        return mercer.Gaussian()(A, B)

    with pytest.warns(FitInterruptedWarning):
        model = KernelPerceptron(kernel).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert calls.count(10) == 2
    assert not model.dual_coef_.any()
    assert set(model.predict(X)) == {1}

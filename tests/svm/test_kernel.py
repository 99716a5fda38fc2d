"""Surfaces: kernels that separate, do not, or are none."""

from __future__ import annotations

import signal
import time
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from svm_cases import Rng, dual_values, every_kernel, gram, overlapping, svc

from discriminant import (
    FitInterruptedWarning,
    NotSeparableError,
    Status,
    SupportVectorMachine,
    datasets,
    mercer,
)
from discriminant.svm import blocks as smo_module


@pytest.mark.parametrize("degree", [1, 2])
def test_a_kernel_that_does_not_separate_says_so(degree: int):
    start = time.perf_counter()
    X, y = datasets.table(1, 3) if degree == 1 else (np.array([[-1.0], [0], [1], [2]]), np.array([0, 1, 0, 1]))
    with pytest.raises(
        NotSeparableError, match=r"surface without errors.*Polynomial\(degree=.*richer kernel"
    ) as caught:
        SupportVectorMachine(C=np.inf, kernel=mercer.Polynomial(degree=degree)).fit(X, y)
    assert caught.value.certificate is None
    assert time.perf_counter() - start < 20


def test_many_rows_with_a_kernel(rng: Rng):
    X, y = overlapping(rng, 2600)
    model = SupportVectorMachine(1.0, kernel="gaussian").fit(X, y)
    assert model.gap_ <= model.tol
    K = gram("gaussian", X)
    theirs = svc("gaussian", 1.0, X, y, tol=1e-4)
    assert_allclose(dual_values(model, K), dual_values(theirs, K), rtol=1e-4)


@every_kernel
@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_precomputed_is_the_kernel(kernel: Any, c: int, loss: str, rng: Rng):
    X, y = overlapping(rng, 60, 4, c)
    new = rng.normal(size=(20, 4))
    plain = SupportVectorMachine(kernel=kernel, loss=loss).fit(X, y)
    given = SupportVectorMachine(kernel="precomputed", loss=loss).fit(gram(kernel, X), y)
    assert_allclose(given.alpha_, plain.alpha_, atol=1e-6)
    K = np.asarray(mercer.get(kernel)(new, X))
    assert_allclose(given.decision_function(K), plain.decision_function(new), atol=1e-6)
    called = SupportVectorMachine(kernel=lambda A, B: mercer.get(kernel)(A, B), loss=loss).fit(X, y)
    assert_allclose(called.decision_function(new), plain.decision_function(new), atol=1e-6)


def test_sigmoid_kernel_reports_that_it_is_indefinite(rng: Rng):
    X, y = overlapping(rng, 80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SupportVectorMachine(10.0, kernel=mercer.Sigmoid(2.0, -1.0)).fit(X, y)
    assert any("not positive semidefinite" in note for note in model.report_.to_dict()["notes"])
    assert "not positive semidefinite" in str(model.report_)
    assert model.predict(X).shape == (80,)
    assert not any("semidefinite" in note for note in SupportVectorMachine().fit(X, y).report_.to_dict()["notes"])


def test_interrupt_of_the_dual(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng, 2600)
    work, calls = smo_module.BlockSolver.round_of_block, []

    def counted(self: Any, *arguments: Any) -> None:
        calls.append(0)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        work(self, *arguments)

    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    monkeypatch.setattr(smo_module.BlockSolver, "round_of_block", counted)
    with pytest.warns(FitInterruptedWarning):
        model = SupportVectorMachine(100.0, kernel="gaussian", tol=1e-6).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert len(calls) == 2
    assert model.support_.size > 0
    assert model.score(X, y) > 0.5
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("scale", [1e8, 1e9, 1e150])
def test_gaussian_machines_of_patterns_far_apart(scale: float, rng: Rng):
    """Every pattern is alone: K is the identity, in training and in prediction."""
    X, y = overlapping(rng)
    model = SupportVectorMachine(C=np.inf, kernel="gaussian").fit(scale * X, y)
    assert model.status_ is Status.SEPARATED
    assert model.score(scale * X, y) == 1
    assert_allclose(model.alpha_, 1, rtol=1e-9)  # 30 rows of either class


def test_a_squared_hinge_without_a_minimum(rng: Rng):
    X, y = overlapping(rng)
    with pytest.raises(ValueError, match=r"with kernel=Sigmoid.*no minimum"):
        SupportVectorMachine(kernel="sigmoid", loss="squared_hinge").fit(X, y)


def test_a_small_violation_with_a_large_gap_is_not_the_end(rng: Rng):
    X = rng.standard_normal((1100, 30))
    y = (X[:, 0] + 0.3 * rng.standard_normal(1100) > 0).astype(int)
    model = SupportVectorMachine(1000.0, kernel="gaussian", tol=0.1).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.gap_ <= 0.01


def test_a_cache_of_few_rows_gives_the_same_answer(rng: Rng):
    X, y = overlapping(rng, 200)
    plain = SupportVectorMachine(kernel="gaussian").fit(X, y)
    for loss, other in (("hinge", plain), ("squared_hinge", None)):
        other = other or SupportVectorMachine(kernel="gaussian", loss=loss).fit(X, y)
        few = SupportVectorMachine(kernel="gaussian", loss=loss, cache_size=8 * 200 * 8 / 2**20, tol=1e-7).fit(X, y)
        assert_allclose(few.decision_function(X), other.decision_function(X), atol=1e-5)


def test_a_kernel_matrix_without_digits_left_is_done_without(rng: Rng):
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + rng.normal(size=300) > 0
    X[:, 1] = 1e9 + 1e6 * X[:, 1]
    model = SupportVectorMachine().fit(X, y)
    assert model.gap_ <= 1e-6
    with pytest.raises(ValueError, match=r"C=1 must be a cost that floats tell .* divide the features by"):
        SupportVectorMachine().fit(1e100 * X, y)

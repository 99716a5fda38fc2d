"""Many small classes: every pair as it would be alone."""

from __future__ import annotations

import pickle
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from svm_cases import Rng, crowd, gram, overlapping

from discriminant import (
    FitInterruptedWarning,
    SupportVectorMachine,
    mercer,
    svm_path,
)
from discriminant.svm.primal import HingeNewton

MANY_KINDS: dict[str, dict[str, Any]] = {
    "linear": {},
    "squares": {"loss": "squared_hinge"},
    "gaussian": {"kernel": "gaussian", "C": 10.0},
    "squares, polynomial": {"kernel": mercer.Polynomial(degree=2), "loss": "squared_hinge", "C": 0.1},
    "large C": {"C": 1e3},
    "indefinite": {"kernel": mercer.Sigmoid(a=0.5, b=-1.0)},
}


@pytest.mark.parametrize("options", MANY_KINDS.values(), ids=MANY_KINDS.keys())
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.ci)])  # of 66 pairs
def test_many_classes_are_as_each_pair_alone(options: Any, make: Any, step: int, rng: Rng):
    X, y = crowd(rng)
    weight = np.append(rng.uniform(0.5, 2, len(y) - 5), np.zeros(5))
    model = SupportVectorMachine(**options).fit(make(X), y, weight)
    scores, alpha = model._scores(make(X)), model.alpha_
    assert alpha.shape == (len(y), 66)
    assert model.dual_coef_.shape == (11, model.support_.size)
    assert_array_equal(model.support_, np.sort(model.support_)[np.argsort(y[np.sort(model.support_)], kind="stable")])
    for p, pair in list(enumerate(combinations(range(12), 2)))[::step]:
        rows = np.isin(y, pair)
        alone = SupportVectorMachine(**options).fit(make(X[rows]), y[rows], weight[rows])
        assert_allclose(scores[rows, p], alone.decision_function(make(X[rows])), rtol=1e-6, atol=1e-6)
        assert_allclose(alpha[rows, p], alone.alpha_, rtol=1e-5, atol=1e-6 * alpha.max())
        assert not alpha[~rows, p].any()
        assert_allclose(np.atleast_1d(model.margin_)[p], alone.margin_, rtol=1e-6)
    assert model.gap_ <= 1e-9
    assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(make(X)), model.decision_function(make(X)))


def test_many_classes_along_a_path(rng: Rng):
    X, y = crowd(rng)
    for model, C in zip(svm_path(X, y, [0.1, 1.0]), [0.1, 1.0], strict=True):
        assert_allclose(model.coef_, SupportVectorMachine(C).fit(X, y).coef_, atol=1e-7)


def test_many_precomputed_classes(rng: Rng):
    X, y = crowd(rng)
    K = gram("gaussian", X)
    one = SupportVectorMachine(kernel="precomputed").fit(K, y)
    other = SupportVectorMachine(kernel="gaussian").fit(X, y)
    assert_allclose(one._scores(K), other._scores(X), atol=1e-9)
    assert_allclose(one.dual_coef_, other.dual_coef_, atol=1e-9)


def test_interrupt_of_many_pairs_is_heard_once(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng, 4200, 4, 4)
    step, calls = HingeNewton._minimize, []

    def interrupted(self: Any, *arguments: Any) -> Any:
        calls.append(0)
        self.rows.watch.interrupted = True
        return step(self, *arguments)

    monkeypatch.setattr(HingeNewton, "_minimize", interrupted)
    with pytest.warns(FitInterruptedWarning):
        model = SupportVectorMachine().fit(X, y)
    assert len(calls) == 1  # the other five pairs were not begun
    assert model.weights_.shape == (6, 5)
    assert model.predict(X).shape == y.shape

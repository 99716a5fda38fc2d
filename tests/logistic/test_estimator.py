"""Logistic regression: scikit-learn's probabilities, weights, storage, and bad requests."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from logistic_cases import gradient, noisy, peer, quiet
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError

from discriminant import LogisticDiscriminant, NotConvergedWarning, Status

Rng = np.random.Generator


@pytest.mark.parametrize(("C", "c"), product([0.01, 1.0, 100.0], [2, 3, 10]))
@pytest.mark.parametrize("n", [300, 2000])
def test_probabilities_agree_with_scikit_learn(rng: Rng, C: float, c: int, n: int) -> None:
    X, y = noisy(rng, n, 4, c)
    v = rng.uniform(0.1, 3, size=n)
    for weight in (None, v):
        theirs = peer(X, y, C, weight)
        for rows in (X, sparse.csr_matrix(X)):
            ours = LogisticDiscriminant(C).fit(rows, y, weight)
            assert ours.status_ is Status.CONVERGED
            assert_allclose(ours.predict_proba(rows), theirs.predict_proba(X), atol=1e-8 if n <= 1000 else 1e-6)
            assert np.abs(gradient(ours, X, y, C, 1.0 if weight is None else weight)).max() <= 1e-7 * n
            details = ours.report_.to_dict()["details"]
            assert details["method"] in {"newton", "chord", "blocks"}
            assert 0 <= details["Newton decrement"] <= 1e-13 * details["criterion value"]
    if c > 2:
        assert_allclose(ours.intercept_.sum(), 0, atol=1e-9)


def test_class_weights(rng: Rng) -> None:
    X, y = noisy(rng, 300, 3, 3)
    labels = np.array(["a", "b", "c"])[y]
    v = rng.uniform(0.5, 2, size=300)
    for weight in ("balanced", {"a": 3.0, "c": 0.5}):
        ours = LogisticDiscriminant(class_weight=weight).fit(X, labels, v)
        row = {"a": 3.0, "b": 1.0, "c": 0.5}
        if weight == "balanced":
            row = {label: v.sum() / 3 / v[labels == label].sum() for label in "abc"}
        theirs = peer(X, labels, 1.0, v * np.array([row[label] for label in labels]))
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    weights = dict.fromkeys("abc", 2.0)
    squared = [
        quiet(LogisticDiscriminant(loss="squared", schedule=s, max_iter=9, class_weight=w), X, labels).weights_
        for s, w in ((1e-3, weights), (2e-3, None))
    ]
    assert_allclose(*squared)


def test_weights_are_rows_and_zero_is_absence(rng: Rng) -> None:
    X, y = noisy(rng, 60, 3)
    v = rng.integers(0, 4, size=60)
    for parameters in ({}, {"penalty": "firth"}, {"penalty": None}, {"class_weight": "balanced"}):
        one = LogisticDiscriminant(**parameters).fit(X, y, v)
        other = LogisticDiscriminant(**parameters).fit(X.repeat(v, axis=0), y.repeat(v))
        assert_allclose(one.weights_, other.weights_, rtol=1e-9)


def test_probabilities_and_their_logarithms(rng: Rng) -> None:
    for c in (2, 3):
        X, y = noisy(rng, 100, 2, c)
        model = LogisticDiscriminant().fit(X, y)
        P = model.predict_proba(X)
        assert_allclose(P.sum(axis=1), 1)
        assert_allclose(np.log(P), model.predict_log_proba(X), rtol=1e-9, atol=1e-12)
        assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
        far = model.predict_log_proba(1e6 * X[:1])
        assert np.all(np.isfinite(far))
        assert far.min() < -1000
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float64


def test_float32_stays_float32(rng: Rng) -> None:
    X, y = noisy(rng, 100, 2)
    model = LogisticDiscriminant().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert_allclose(model.weights_, LogisticDiscriminant().fit(X, y).weights_, rtol=1e-4)


@pytest.mark.parametrize("parameters", [{}, {"penalty": None}, {"penalty": "firth"}, {"loss": "squared"}])
def test_what_is_not_finite_is_refused(rng: Rng, parameters: Any) -> None:
    X, y = noisy(rng, 60, 2)
    for bad, words in ((np.nan, "NaN"), (np.inf, "infinity"), (1e200, "overflows")):
        Z = X.copy()
        Z[7, 1] = bad
        with pytest.raises(ValueError, match=words):
            LogisticDiscriminant(**parameters).fit(Z, y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0}, "C=0 must be .*; give a cost"),
        ({"C": -1.0}, "C=-1.0 must be "),
        ({"C": np.nan}, "C=nan must be "),
        ({"C": "1"}, "C='1' must be "),
        ({"loss": "hinge"}, "loss='hinge' must be one of 'log', 'squared'"),
        ({"penalty": "l1"}, "penalty='l1' must be one of"),
        ({"penalty": "firth", "loss": "squared"}, "penalty='firth' must be None or"),
        ({"schedule": 0.1}, "schedule=0.1 must be None unless"),
        ({"schedule": "optimal", "loss": "squared"}, "GradientDescent"),
        ({"tol": -1e-9}, "tol=-1e-09 must be "),
        ({"max_iter": 0}, "max_iter=0"),
        ({"record": True}, "record=True"),
        ({"class_weight": "even"}, "class_weight='even'"),
        ({"class_weight": 2}, "class_weight=2 must be a dict"),
        ({"class_weight": {9: 1.0}}, "class_weight names 9"),
        ({"class_weight": {1: -1.0}}, "class_weight=-1.0 must be "),
        ({"start": [1.0]}, "start has shape"),
    ],
)
def test_bad_parameters_are_named(rng: Rng, parameters: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        LogisticDiscriminant(**parameters).fit(*noisy(rng, 20, 2))


def test_unfitted_models_say_so() -> None:
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(LogisticDiscriminant(), name)([[0.0, 1.0]])
    with pytest.raises(NotFittedError):
        LogisticDiscriminant().summary()


def test_a_budget_that_is_too_small_warns(rng: Rng) -> None:
    with pytest.warns(NotConvergedWarning, match="budget") as caught:
        model = LogisticDiscriminant(max_iter=1).fit(*noisy(rng, 100, 2))
    assert caught[0].filename == __file__
    assert model.status_ is Status.BUDGET


def test_no_penalty_in_any_type_of_float(rng: Rng) -> None:
    X, y = noisy(rng, 50, 2)
    expected = LogisticDiscriminant(np.inf).fit(X, y).coef_
    assert_allclose(LogisticDiscriminant(np.float32(np.inf)).fit(X, y).coef_, expected)
    assert_allclose(LogisticDiscriminant(np.float64(np.inf)).fit(X, y).coef_, expected)

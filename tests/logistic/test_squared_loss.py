"""The squared loss of a sigmoid: the book's steps, those of the criterion, and where it ends."""

from __future__ import annotations

import numpy as np
from logistic_cases import FOUR, noisy, quiet
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from discriminant import LogisticDiscriminant, Status, criteria
from discriminant.geometry import augment, normalize

Rng = np.random.Generator


def test_example_14() -> None:
    model = LogisticDiscriminant(loss="squared", schedule=0.01, max_iter=300, record="weights")
    path = quiet(model, *FOUR).history_["weights"]
    assert_allclose(path[1], [0, 0.0125, 0.0125], atol=1e-15)
    assert_allclose(path[9], [-0.00754, 0.06927, 0.06927], atol=5e-6)
    sides = (augment(FOUR[0]) @ path.T >= 0).T
    assert sides[9].all()
    assert int(np.flatnonzero((sides == FOUR[1]).all(axis=1))[0]) == 220
    assert_array_equal(model.history_["step"], 0.01)
    assert int(np.flatnonzero(model.history_["errors"] == 0)[0]) == 220


def test_squared_loss_takes_the_steps_of_the_criterion(rng: Rng) -> None:
    X, y = noisy(rng, 50, 3)
    v = rng.uniform(0.5, 2, size=50)
    E = criteria.get("sigmoid")(normalize(augment(X), y), sample_weight=v)
    a = np.zeros(4)
    for k in range(1, 6):
        a -= 0.1 / k * E.gradient(a)
    model = quiet(LogisticDiscriminant(loss="squared", schedule=lambda k: 0.1 / k, max_iter=5), X, y, sample_weight=v)
    assert_allclose(model.weights_, a, rtol=1e-12)
    assert model.status_ is Status.BUDGET
    assert_allclose(model.history_["criterion"][0], E.value(np.zeros(4)))


def test_squared_loss_falls_by_default_and_ends_where_it_is_flat(rng: Rng) -> None:
    X, y = noisy(rng, 60, 2)
    model = LogisticDiscriminant(loss="squared", max_iter=20_000, tol=1e-6).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert np.all(np.diff(model.history_["criterion"]) <= 1e-12)
    E = criteria.get("sigmoid")(normalize(augment(X), y))
    assert np.linalg.norm(E.gradient(model.weights_)) <= 1e-5 * np.linalg.norm(E.gradient(np.zeros(3)))


def test_squared_loss_of_three_classes_is_one_against_the_rest(rng: Rng) -> None:
    X, y = noisy(rng, 90, 2, 3)
    model = quiet(LogisticDiscriminant(loss="squared", max_iter=50), X, y)
    assert model.multiclass_ == "one-vs-rest"
    for k in range(3):
        one = quiet(LogisticDiscriminant(loss="squared", max_iter=50), X, y == k)
        assert_allclose(model.weights_[k], one.weights_)
    P = model.predict_proba(X)
    shares = special.expit(model.decision_function(X))
    assert_allclose(P, shares / shares.sum(axis=1, keepdims=True))
    assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))

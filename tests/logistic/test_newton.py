"""Newton's method and its cheaper kin: which way is taken, that all agree, and when they stop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from logistic_cases import gradient, noisy, peer
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discriminant import LogisticDiscriminant, Status
from discriminant._engine.driver import Interrupted, Watch
from discriminant.logistic import newton
from discriminant.logistic.likelihood import Likelihood
from discriminant.logistic.newton import NewtonRule, cheap, method

Rng = np.random.Generator


@pytest.mark.parametrize("c", [2, 4])
def test_ways_for_many_rows_and_columns_agree(rng: Rng, c: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits are lowered, so that small data go the ways of large ones."""
    X, y = noisy(rng, 6000, 12, c)
    expected = LogisticDiscriminant(2.0, tol=1e-14).fit(X, y).predict_proba(X)
    monkeypatch.setattr("discriminant.logistic.newton.WORK", 1.0)
    monkeypatch.setattr("discriminant.logistic.newton.CHORD", 1)
    for name, limits in (
        ("subsample" if c == 2 else "blocks", {"FIRST": 1400}),
        ("diagonal", {"WIDE": 5, "SMALL": 10}),
    ):
        with monkeypatch.context() as patch:
            for limit, value in limits.items():
                patch.setattr(f"discriminant.logistic.newton.{limit}", value)
            for rows in (X, sparse.csr_matrix(X), X.astype(np.float32)):
                model = LogisticDiscriminant(2.0, tol=1e-14).fit(rows, y)
                details = model.report_.to_dict()["details"]
                assert details["method"] == name
                assert details["Newton decrement"] <= 1e-14 * details["criterion value"]
                assert_allclose(model.predict_proba(rows), expected, atol=1e-6)
                assert model.n_iter_ <= 60


def test_a_subsample_that_misleads_costs_steps_only(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighboring rows that the subsample takes are of another kind than all others."""
    monkeypatch.setattr("discriminant.logistic.newton.FIRST", 1400)
    monkeypatch.setattr("discriminant.logistic.newton.CHORD", 1)
    X, y = noisy(rng, 8000, 4)
    taken = np.arange(8000) % 40 < 8
    X[taken] = 3 * X[taken] + 5
    y[taken] = rng.integers(2, size=taken.sum())
    model = LogisticDiscriminant(tol=1e-13).fit(X, y)
    assert_allclose(model.predict_proba(X), peer(X, y, 1.0).predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("c", [2, 3])
def test_columns_that_the_subsample_does_not_know(rng: Rng, c: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rare column, two equal ones, and no penalty: the minimum is found, and the shortest weights."""
    monkeypatch.setattr("discriminant.logistic.newton.FIRST", 1400)
    monkeypatch.setattr("discriminant.logistic.newton.WORK", 1.0)
    X, y = noisy(rng, 8000, 3, c)
    rare = np.zeros(8000)
    rare[np.flatnonzero(np.arange(8000) % 40 >= 8)[::200]] = 1.0
    plain = LogisticDiscriminant(penalty=None, tol=1e-14).fit(np.column_stack([X, rare]), y)
    assert np.abs(gradient(plain, np.column_stack([X, rare]), y, np.inf)).max() < 1e-3
    model = LogisticDiscriminant(penalty=None, tol=1e-14).fit(np.column_stack([X, rare, X[:, 0]]), y)
    assert_allclose(model.coef_[:, 0], plain.coef_[:, 0] / 2, rtol=1e-4)
    assert_allclose(model.coef_[:, 4], plain.coef_[:, 0] / 2, rtol=1e-4)
    assert_allclose(model.coef_[:, 3], plain.coef_[:, 3], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("parameters", [{}, {"penalty": None}, {"penalty": "firth"}])
def test_a_tolerance_of_zero_goes_on_to_rounding(rng: Rng, parameters: Any) -> None:
    X = rng.normal(size=(3000, 4))
    y = X @ [1, 2, 0, -1] + 2 * rng.normal(size=3000) > 0
    exact = LogisticDiscriminant(tol=0, **parameters).fit(X, y)
    assert exact.status_ is Status.CONVERGED
    assert_allclose(exact.weights_, LogisticDiscriminant(**parameters).fit(X, y).weights_, rtol=1e-5)


def test_an_interrupt_leaves_the_weights_of_that_moment(rng: Rng) -> None:
    X, y = noisy(rng, 200, 3)
    rule = NewtonRule(Likelihood(X, y.astype(np.int32), None, 1, 1.0), np.zeros((1, 4)), 1e-12)
    watch = Watch()
    rule.begin(watch)
    rule.epoch(None, watch)
    before = rule.A.copy()
    watch.interrupted = True
    with pytest.raises(Interrupted):
        rule.epoch(None, watch)
    assert_array_equal(rule.A, before)


def test_the_way_follows_from_the_shape() -> None:
    def way(n: int, d: int, c: int, ridge: float = 1.0) -> str:
        likelihood = Likelihood.__new__(Likelihood)
        likelihood.n, likelihood.d, likelihood.c, likelihood.ridge = n, d, c, ridge
        return method(likelihood)

    assert way(1000, 100, 1, 0.0) == way(50_000, 100, 1, 0.0) == way(5000, 5, 3, 0.0) == "newton"
    assert way(1000, 100, 1) == way(3000, 100, 1) == way(5000, 100, 10) == "chord"
    assert way(200_000, 100, 1) == way(20_000, 100, 1) == "subsample"
    assert way(100_000, 100, 10) == "blocks"
    assert way(5000, 50_000, 1) == way(5000, 50_000, 3) == "diagonal"
    assert newton.FIRST == 20_000


@pytest.mark.parametrize(("n", "d", "c", "C"), [(300, 60, 10, 100.0), (4000, 60, 2, 1.0), (1500, 30, 6, 1.0)])
def test_where_no_hessian_is_made_the_criterion_is_right_to_eight_digits(
    rng: Rng, n: int, d: int, c: int, C: float
) -> None:
    X, y = noisy(rng, n, d, c)
    X[:, 0] *= 1e3  # badly scaled, and correlated
    X[:, 1:] += X[:, [1]]
    model, best = LogisticDiscriminant(C).fit(X, y), LogisticDiscriminant(C, tol=1e-15).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.report_.to_dict()["details"]["method"] == "chord"
    assert not cheap(Likelihood(X, y.astype(np.int32), None, 1 if c == 2 else c, 1 / C))
    least = best.history_["criterion"][-1]
    assert least * (1 - 1e-14) <= model.history_["criterion"][-1] <= least * (1 + 1e-9)
    assert model.n_iter_ <= 200


def test_a_criterion_of_zero_is_a_minimum(rng: Rng) -> None:
    X = rng.normal(size=(20, 5)) + 10 * np.eye(3)[np.arange(20) % 3] @ rng.normal(size=(3, 5))
    model = LogisticDiscriminant(1e10).fit(X, np.arange(20) % 3)
    assert model.status_.finished

"""Firth's penalty: other programs' numbers, published estimates, a root of the modified score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from firthmodels import FirthLogisticRegression
from logistic_cases import Matrix, firth_score, noisy
from numpy.testing import assert_allclose
from scipy import optimize, sparse, special

from discriminant import LogisticDiscriminant, Status, datasets
from discriminant.geometry import augment
from discriminant.logistic.firth import FirthCriterion
from discriminant.logistic.likelihood import Likelihood

Rng = np.random.Generator


@pytest.mark.parametrize("separated", [False, True])
def test_firth_agrees_with_firthmodels(rng: Rng, separated: bool) -> None:
    """On the endometrial data, and on others."""
    for X, y in (datasets.endometrial(), datasets.table(1, 3) if separated else noisy(rng, 60, 3)):
        theirs = FirthLogisticRegression("numpy", gtol=1e-8, xtol=1e-8, max_iter=1000).fit(X, y)
        ours = LogisticDiscriminant(penalty="firth").fit(X, y)
        assert_allclose(ours.weights_, np.r_[theirs.intercept_, theirs.coef_], atol=1e-6)


def test_firth_agrees_with_published_estimates() -> None:
    """The mean-bias-reduced fit of R's brglm2 and logistf, and a root of the modified score found by scipy."""
    X, y = datasets.endometrial()
    model = LogisticDiscriminant(penalty="firth").fit(X, y)
    assert_allclose(model.weights_, [3.77456, 2.92927, -0.03475, -2.60416], atol=5e-6)
    assert_allclose(model.summary().std_error, [1.48869, 1.55076, 0.03958, 0.77602], atol=5e-6)
    Y = augment(X)
    root = optimize.root(firth_score, np.round(model.weights_, 1), (Y, y), tol=1e-13)
    assert_allclose(model.weights_, root.x, rtol=1e-7)
    assert np.abs(firth_score(model.weights_, Y, y)).max() <= 1e-8
    assert model.report_.to_dict()["details"]["method"] == "firth"


def test_firth_is_finite_on_separated_data_and_in_every_storage(rng: Rng) -> None:
    X, y = datasets.table(1, 2)
    v = rng.uniform(0.5, 2, size=len(y))
    for rows in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        model = LogisticDiscriminant(penalty="firth").fit(rows, y, v)
        assert model.status_ is Status.CONVERGED
        scale = 1e-6 if rows.dtype == np.float64 else 1e-2
        assert np.abs(firth_score(model.weights_.astype(float), augment(X), y == y.max(), v)).max() <= scale
    large = noisy(rng, 3000, 4)
    a = LogisticDiscriminant(penalty="firth").fit(*large).weights_
    assert np.abs(firth_score(a, augment(large[0]), large[1])).max() <= 1e-2


def test_firth_refuses_many_columns_and_dependent_ones(rng: Rng) -> None:
    wide = sparse.random(30, 2000, 0.1, format="csr")
    with pytest.raises(ValueError, match="at most 1,500 weights, and X has 2,000 columns, which make 2,001"):
        LogisticDiscriminant(penalty="firth").fit(wide, np.arange(30) % 2)
    with pytest.raises(ValueError, match="which make 1,503"):
        LogisticDiscriminant(penalty="firth").fit(wide[:, :500], np.arange(30) % 3)
    X, y = noisy(rng, 30, 2, 3)
    with pytest.raises(ValueError, match="linearly independent columns"):
        LogisticDiscriminant(penalty="firth").fit(np.column_stack([X, X[:, 0] - 1]), y)


def jeffreys(A: Matrix, Y: Matrix, y: Matrix, v: Matrix) -> float:
    """The log likelihood of c classes, the first with weights zero, and half of log det I, row by row."""
    G = np.column_stack([np.zeros(len(Y)), Y @ A.reshape(-1, Y.shape[1]).T])
    P = special.softmax(G, axis=1)
    information: Any = 0
    for row, p, weight in zip(Y, P[:, 1:], v, strict=True):
        information = information + weight * np.kron(np.diag(p) - np.outer(p, p), np.outer(row, row))
    chosen = special.log_softmax(G, axis=1)[np.arange(len(y)), y]
    return float(v @ chosen + 0.5 * np.linalg.slogdet(information)[1])


def test_the_gradient_of_many_classes_is_that_of_differences(rng: Rng) -> None:
    X, y = noisy(rng, 40, 2, 4)
    v = rng.uniform(0.5, 2, size=40)
    likelihood = Likelihood(X, y.astype(np.int32), v, 4, 0.0, np.zeros(2))
    criterion, A = FirthCriterion(likelihood), rng.normal(size=(4, 3))
    place = criterion.place(A)
    assert place is not None
    free = (A[1:] - A[0]).ravel()
    assert_allclose(place.value, -jeffreys(free, augment(X), y, v), rtol=1e-12)
    wanted = optimize.approx_fprime(free, lambda a: -jeffreys(a, augment(X), y, v), 1e-6)
    assert_allclose(criterion.gradient(A, place), wanted, atol=1e-4)


def test_two_classes_with_two_discriminants_are_two_classes_with_one(rng: Rng) -> None:
    X, y = noisy(rng, 50, 3)
    rows = X, y.astype(np.int32), rng.uniform(0.5, 2, size=50)
    one, two = (FirthCriterion(Likelihood(*rows, c, 0.0, np.zeros(3))) for c in (1, 2))
    a = rng.normal(size=(1, 4))
    A = np.concatenate([np.zeros((1, 4)), a])
    here, there = one.place(a), two.place(A)
    assert here is not None
    assert there is not None
    assert_allclose(there.value, here.value, rtol=1e-13)
    assert_allclose(there.information, here.information, rtol=1e-12)
    assert_allclose(two.gradient(A, there), one.gradient(a, here), rtol=1e-11, atol=1e-12)


def test_a_saturated_table_has_half_a_case_more_in_every_cell() -> None:
    """Jeffreys' prior of a multinomial is Dirichlet's with 1/2: the hepatitis data, where likelihood has no maximum.

    They are those on which brglm2 tests that its brmultinom gives what pmlr gives.
    """
    X, y = datasets.hepatitis()
    model = LogisticDiscriminant(penalty="firth").fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.weights_.shape == (3, 4)
    assert_allclose(model.weights_.sum(axis=0), 0, atol=1e-12)
    for cell in np.unique(X, axis=0):
        counts = np.bincount(y[(cell == X).all(axis=1)], minlength=3) + 0.5
        assert_allclose(model.predict_proba(cell[None])[0], counts / counts.sum(), rtol=1e-6)
    _, first, counts = np.unique(np.column_stack([X, y]), axis=0, return_index=True, return_counts=True)
    grouped = LogisticDiscriminant(penalty="firth").fit(X[first], y[first], counts.astype(float))
    assert_allclose(grouped.weights_, model.weights_, rtol=1e-6)


@pytest.mark.parametrize("sparse_counts", [False, True])
def test_many_classes_have_the_maximum_of_the_penalized_likelihood(sparse_counts: bool) -> None:
    """The alligators, with all counts and with a third of them, where estimates are infinite."""
    gators = datasets.alligators(sparse=sparse_counts)
    X, y = np.asarray(gators.X)[:, :4], np.asarray(gators.y)
    model = LogisticDiscriminant(penalty="firth").fit(X, y)
    Y, v = augment(X), np.ones(len(y))
    found = (model.weights_ - model.weights_[0])[1:].ravel()
    best = jeffreys(found, Y, y, v)
    slope = optimize.approx_fprime(found, lambda a: jeffreys(a, Y, y, v), 1e-6)
    assert np.abs(slope).max() <= 1e-3
    for step in np.random.default_rng(0).normal(size=(20, found.size)):
        assert jeffreys(found + 0.01 * step, Y, y, v) < best
    names = np.array(["e", "a", "d", "b", "c"])[y]  # another class is the first
    other = LogisticDiscriminant(penalty="firth").fit(sparse.csr_matrix(X), names)
    order = [np.flatnonzero(other.classes_ == name)[0] for name in "eadbc"]
    assert_allclose(other.weights_[order], model.weights_, atol=1e-6)

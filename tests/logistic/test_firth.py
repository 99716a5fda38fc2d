"""Firth's penalty: other programs' numbers, published estimates, a root of the modified score."""

from __future__ import annotations

import numpy as np
import pytest
from firthmodels import FirthLogisticRegression
from logistic_cases import firth_score, noisy
from numpy.testing import assert_allclose
from scipy import optimize, sparse

from discriminant import LogisticDiscriminant, Status, datasets
from discriminant.geometry import augment

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


def test_firth_is_for_two_classes_and_few_columns(rng: Rng) -> None:
    with pytest.raises(ValueError, match="two classes, and y has 3"):
        LogisticDiscriminant(penalty="firth").fit(*noisy(rng, 30, 2, 3))
    with pytest.raises(ValueError, match="X has 2,000 of them"):
        LogisticDiscriminant(penalty="firth").fit(sparse.random(30, 2000, 0.1, format="csr"), np.arange(30) % 2)

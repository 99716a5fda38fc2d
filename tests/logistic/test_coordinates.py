"""Coordinates: features far from zero, of any scale, and more of them than rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from logistic_cases import gradient, noisy
from numpy.testing import assert_allclose
from scipy import sparse

from discriminant import LogisticDiscriminant, NotConvergedWarning, Status

Rng = np.random.Generator


def test_the_intercept_is_free(rng: Rng) -> None:
    X, y = noisy(rng, 200, 3)
    near = LogisticDiscriminant(0.1).fit(X, y)
    far = LogisticDiscriminant(0.1).fit(X + 1e6, y)
    assert_allclose(near.coef_, far.coef_, rtol=1e-7)
    assert_allclose(far.intercept_, near.intercept_ - 1e6 * near.coef_.sum(), rtol=1e-7)


def test_more_columns_than_rows(rng: Rng) -> None:
    X, y = noisy(rng, 40, 200)
    for rows in (X, sparse.csr_matrix(X)):
        model = LogisticDiscriminant(0.1).fit(rows, y)
        assert np.abs(gradient(model, X, y, 0.1)).max() <= 1e-9
    three = LogisticDiscriminant(0.1).fit(X, np.arange(40) % 3)
    assert np.abs(gradient(three, X, np.arange(40) % 3, 0.1)).max() <= 1e-9


@pytest.mark.parametrize("parameters", [{}, {"penalty": None}, {"penalty": "firth"}, {"loss": "squared"}])
def test_numbers_at_the_ends_of_floats(rng: Rng, parameters: Any) -> None:
    """A right answer or an error with its remedy, and no warning of NumPy's (which would be an error here)."""
    X = rng.normal(size=(60, 3))
    y = X @ [1, 2, -1] + rng.normal(size=60) > 0
    model = LogisticDiscriminant(**parameters, max_iter=20)
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        right = model.fit(X, y).predict(X)
        assert (model.fit(X, y, sample_weight=np.full(60, 1e150)).predict(X) == right).mean() > 0.9
        assert (model.fit(X.astype(np.longdouble), y).predict(X) == right).all()
        with pytest.raises(ValueError, match=r"sample_weight reaches no more than .*; multiply"):
            model.fit(X, y, sample_weight=np.full(60, 5e-324))
        with pytest.raises(ValueError, match="X overflows"):
            model.fit(X * 1e300, y)
        if parameters:  # the ridge leaves nothing of the features
            with pytest.raises(ValueError, match=r"X must reach .* in column 1 .*StandardScaler"):
                model.fit(X * [1, 1e-300, 1], y)
            with pytest.raises(ValueError, match=r"X must reach .* in column 1"):
                model.fit(sparse.csr_array(X * [1, 1e-300, 1]), y)
        else:
            assert_allclose(model.fit(X * 1e-300, y).coef_, 0, atol=1e-290)


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20, 1e150])
def test_any_scale(rng: Rng, scale: float) -> None:
    X, y = noisy(rng, 60, 2)
    for penalty in (None, "firth"):
        plain = LogisticDiscriminant(penalty=penalty).fit(X, y)
        model = LogisticDiscriminant(penalty=penalty).fit(scale * X, y)
        assert_allclose(model.coef_ * scale, plain.coef_, rtol=1e-6)
        assert_allclose(model.intercept_, plain.intercept_, rtol=1e-6)


@pytest.mark.parametrize("c", [2, 3])
def test_dense_features_far_from_zero_cost_no_digits(rng: Rng, c: int) -> None:
    X, y = noisy(rng, 1500, 5, c)
    X = np.round(X * 1024) / 1024  # so that the sums are exact
    near, far = LogisticDiscriminant().fit(X, y), LogisticDiscriminant().fit(X + 2.0**27, y)
    assert far.status_ is Status.CONVERGED
    assert far.n_iter_ <= 20
    assert_allclose(far.coef_, near.coef_, rtol=1e-6, atol=1e-8)


def test_sparse_columns_far_from_zero(rng: Rng) -> None:
    X, y = noisy(rng, 1200, 3, 3)
    near, far = (LogisticDiscriminant().fit(sparse.csr_matrix(X + shift), y) for shift in (0.0, 1e6))
    assert_allclose(far.predict_proba(sparse.csr_matrix(X + 1e6)), near.predict_proba(sparse.csr_matrix(X)), atol=1e-4)

"""Standard errors and Wald's tests: the inverse information, other programs' numbers, and where there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from logistic_cases import noisy, quiet
from numpy.testing import assert_allclose
from scipy.stats import norm
from statsmodels.api import Logit

from discriminant import LogisticDiscriminant, datasets
from discriminant.geometry import augment
from discriminant.logistic.wald import WaldTable

Rng = np.random.Generator


def test_wald_table_is_that_of_the_inverse_information(rng: Rng) -> None:
    X, y = noisy(rng, 200, 3)
    v = rng.uniform(0.5, 2, size=200)
    model = LogisticDiscriminant(penalty=None).fit(X + 100, y, v)
    Y, p = augment(X + 100), model.predict_proba(X + 100)[:, 1]
    errors = np.sqrt(np.diag(np.linalg.inv((Y.T * (v * p * (1 - p))) @ Y)))
    table = model.summary(0.9)
    assert_allclose(table.std_error, errors, rtol=1e-6)
    assert_allclose(table.p, 2 * norm.sf(np.abs(model.weights_ / errors)), rtol=1e-5)
    assert_allclose(table.interval, model.weights_[:, None] + errors[:, None] * norm.ppf([0.05, 0.95]), rtol=1e-6)
    assert str(table).splitlines()[0].split() == ["estimate", "std", "error", "z", "p", "5", "%", "95", "%"]
    assert isinstance(table, WaldTable)


def test_wald_table_of_a_published_regression() -> None:
    """The smaller regression of the endometrial data: the estimates for PI and EH that R's glm reports."""
    X, y = datasets.endometrial()
    table = LogisticDiscriminant(C=np.inf).fit(X[X[:, 0] == 0, 1:], y[X[:, 0] == 0]).summary()
    assert_allclose(table.coef, [4.30452, -0.04218, -2.90261], atol=1e-5)
    assert_allclose(table.std_error, [1.63730, 0.04433, 0.84555], atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "penalty=None"),
        ({"loss": "squared", "max_iter": 3}, "loss='log'"),
        ({"penalty": None, "max_iter": 1}, "did not finish"),
    ],
)
def test_no_standard_errors_without_maximum_likelihood(rng: Rng, parameters: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        quiet(LogisticDiscriminant(**parameters), *noisy(rng, 50, 2)).summary()


def test_no_standard_errors_of_many_classes_nor_of_collinear_columns(rng: Rng) -> None:
    with pytest.raises(ValueError, match="two classes, and y had 3"):
        LogisticDiscriminant(penalty=None).fit(*noisy(rng, 90, 2, 3)).summary()
    X, y = noisy(rng, 50, 2)
    with pytest.raises(ValueError, match="depend on each other"):
        LogisticDiscriminant(penalty=None).fit(np.hstack([X, X]), y).summary()
    with pytest.raises(ValueError, match="level=1 must be "):
        LogisticDiscriminant(penalty="firth").fit(X, y).summary(1)


@pytest.mark.parametrize("n", [120, 4000])
def test_wald_table_is_that_of_statsmodels(rng: Rng, n: int) -> None:
    X, y = noisy(rng, n, 4)
    table = LogisticDiscriminant(penalty=None).fit(X, y).summary(0.9)
    theirs = Logit(y, augment(X)).fit(disp=0, method="newton", tol=1e-12)
    assert_allclose(table.coef, theirs.params, rtol=1e-7, atol=1e-9)
    assert_allclose(table.std_error, theirs.bse, rtol=1e-7)
    assert_allclose(table.z, theirs.tvalues, rtol=1e-6, atol=1e-8)
    assert_allclose(table.p, theirs.pvalues, rtol=1e-5, atol=1e-12)
    assert_allclose(table.interval, theirs.conf_int(alpha=0.1), rtol=1e-6, atol=1e-7)

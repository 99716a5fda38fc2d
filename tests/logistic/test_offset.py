"""Offsets: other programs' numbers, all storages and sizes; and that they have no say in the verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from firthmodels import FirthLogisticRegression
from logistic_cases import infinite, noisy, quiet
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from discriminant import LogisticDiscriminant, datasets
from discriminant.geometry import augment
from discriminant.logistic.likelihood import Likelihood

Rng = np.random.Generator
BOTH: dict[str, Any] = {"intervals": "profile", "tests": "lr"}


def shifted(rng: Rng, n: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    X, offset = rng.normal(size=(n, 3)) + 2, rng.normal(size=n)
    return X, (rng.random(n) < expit(X @ [1, -1, 0.5] - 1 + offset)).astype(int), offset


@pytest.mark.parametrize("n", [60, 1500, 90_000])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_the_estimate_is_that_of_statsmodels(rng: Rng, n: int, kind: str) -> None:
    X, y, offset = shifted(rng, n)
    v = rng.integers(0, 3, size=n).astype(float)
    theirs = sm.GLM(y, augment(X), family=sm.families.Binomial(), offset=offset, freq_weights=v).fit(tol=1e-13)
    given = sparse.csr_matrix(X) if kind == "sparse" else X
    ours = LogisticDiscriminant(penalty=None, tol=0).fit(given, y, v, offset)
    assert_allclose(ours.weights_, theirs.params, rtol=1e-7)
    assert_allclose(ours.summary().std_error, theirs.bse, rtol=1e-6)
    assert_allclose(ours.deviance_, theirs.deviance, rtol=1e-10)


@pytest.mark.parametrize("n", [80, 1500])
def test_tests_and_intervals_are_those_of_firthmodels(rng: Rng, n: int) -> None:
    X, y, offset = shifted(rng, n)
    table = LogisticDiscriminant(penalty="firth").fit(X, y, offset=offset).summary(**BOTH, data=(X, y, None, offset))
    theirs = FirthLogisticRegression(gtol=1e-7, xtol=1e-7, max_iter=200).fit(X, y, offset=offset).lrt()
    order = np.r_[3, :3]
    assert_allclose(table.coef, np.r_[theirs.intercept_, theirs.coef_], rtol=1e-6)
    assert_allclose(table.p, theirs.lrt_pvalues_[order], rtol=1e-5)
    assert_allclose(table.interval, theirs.conf_int(method="pl", tol=1e-8, max_iter=200)[order], rtol=1e-6)


def test_derivatives_are_differences(rng: Rng) -> None:
    X, y, offset = shifted(rng, 40)
    a = rng.normal(size=(1, 4))
    for rows in (X, sparse.csr_matrix(X)):
        likelihood = Likelihood(rows, y.astype(np.int32), None, 1, 0.0, np.zeros(3), offset)
        g = augment(X) @ a[0] + offset
        look = likelihood.look(a)
        assert_allclose(look.value, np.logaddexp(0, np.where(y == 1, -g, g)).sum(), rtol=1e-12)
        assert_allclose(look.gradient[0], augment(X).T @ (expit(g) - y), rtol=1e-10)
        assert_allclose(likelihood.hessian(a), (augment(X).T * (expit(g) * expit(-g))) @ augment(X), rtol=1e-10)
        assert_allclose(likelihood.at_zero, np.logaddexp(0, np.where(y == 1, -offset, offset)).sum(), rtol=1e-12)


def test_an_infinite_estimate_stays_infinite_with_the_same_rows() -> None:
    X, y = datasets.endometrial()
    offset = np.linspace(-2, 2, len(y))
    plain, moved = LogisticDiscriminant(penalty=None), LogisticDiscriminant(penalty=None)
    infinite(plain, X, y)
    infinite(moved, X, y, offset=offset)
    ours, theirs = moved.limiting_model(), plain.limiting_model()
    assert ours.separated_rows.tolist() == theirs.separated_rows.tolist()
    assert np.isinf(ours.coef).tolist() == [False, True, False, False]
    rest = X[:, 0] == 0
    limit = sm.GLM(y[rest], augment(X[rest, 1:]), family=sm.families.Binomial(), offset=offset[rest]).fit(tol=1e-13)
    assert_allclose(ours.coef[[0, 2, 3]], limit.params, rtol=1e-7)
    assert_allclose(moved.deviance_, limit.deviance, rtol=1e-8)
    table = moved.summary(**BOTH)
    assert np.isfinite(table.interval[1, 0])
    assert table.interval[1, 1] == np.inf


def test_an_offset_that_fits_perfectly_proves_nothing() -> None:
    """All scores are right because of the offset, and the columns still overlap: the estimate is finite."""
    x = np.tile(np.arange(5.0), 4)[:, None]
    y = np.repeat([0, 1], 10)
    offset = np.where(y == 1, 3.0, -3.0)
    model = LogisticDiscriminant(penalty=None).fit(x, y, offset=offset)
    assert model.recession_ is None
    assert_allclose(model.weights_, 0, atol=1e-8)
    apart = LogisticDiscriminant(penalty=None)
    infinite(apart, np.c_[x, y + 0.0], y, offset=-offset)
    assert np.all((apart.decision_function(np.c_[x, y + 0.0]) - offset > 0) == (y == 1))


def test_a_ridge_with_an_offset_has_a_gradient_of_zero(rng: Rng) -> None:
    X, y, offset = shifted(rng, 300)
    model = LogisticDiscriminant(C=0.5).fit(X, y, offset=offset)
    residual = expit(model.decision_function(X) + offset) - y
    assert_allclose(np.r_[residual.sum(), X.T @ residual + model.coef_[0] / 0.5], 0, atol=1e-6)


def test_bad_offsets_are_refused(rng: Rng) -> None:
    X, y, offset = shifted(rng, 30)
    model = LogisticDiscriminant()
    with pytest.raises(
        ValueError, match=r"offset has the shape \(29,\), and must have a number for each of the 30 rows"
    ):
        model.fit(X, y, offset=offset[:-1])
    with pytest.raises(ValueError, match="offset contains NaN"):
        model.fit(X, y, offset=np.full(30, np.nan))
    with pytest.raises(ValueError, match="offset must be None for three classes or more"):
        model.fit(*noisy(rng, 30, 2, 3), offset=offset)
    with pytest.raises(ValueError, match="and for loss='squared'"):
        LogisticDiscriminant(loss="squared").fit(X, y, offset=offset)
    fitted = quiet(LogisticDiscriminant(penalty=None), X, y, offset=offset)
    with pytest.raises(ValueError, match="the data are not those of the fit"):
        fitted.summary(**BOTH, data=(X, y))

"""Likelihood-ratio tests and profile intervals: published numbers, other programs', and estimates at infinity."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from firthmodels import FirthLogisticRegression
from logistic_cases import infinite, noisy, quiet
from numpy.testing import assert_allclose, assert_array_equal
from portions import rest_in_ci
from scipy import sparse
from scipy.stats import chi2
from statsmodels.api import Logit

from discriminant import CoefficientTable, LogisticDiscriminant, datasets, io
from discriminant.geometry import augment
from discriminant.logistic.inference import KeptRows

Rng = np.random.Generator
BOTH = {"intervals": "profile", "tests": "lr"}


def fitted(X: Any, y: Any, penalty: str | None = None, **data: Any) -> LogisticDiscriminant:
    return quiet(LogisticDiscriminant(penalty=penalty), X, y, **data)


def test_the_numbers_that_logistf_prints_of_sex2() -> None:
    """summary(logistf(case ~ age + oc + vic + vicl + vis + dia, data = sex2)), to all its digits.

    Coefficients, intervals of 90 %, tests and p as they stand on the page of ``logistfPrint`` in the R package
    biostatUtil; the coefficients are also those that logistf's own tests expect. Standard errors and intervals of 95 %
    are those of older versions of logistf; newer ones have errors of augmented data (docs/guide/published_tables.rst).
    """
    model = fitted(*datasets.sex2(), "firth")
    low = [-0.6673577, -1.8277045, -0.7986318, 1.4248338, -3.0613215, -1.4743338, 1.0835108]
    high = [0.9177303, -0.4328451, 0.6507581, 3.2325326, -1.2704704, -0.1137542, 6.8752016]
    assert_allclose(model.summary(0.9, **BOTH).interval, np.transpose([low, high]), atol=5.1e-8)
    table = model.summary(**BOTH)
    coef = [0.12025405, -1.10598131, -0.06881673, 2.26887464, -2.11140817, -0.78831694, 3.09601166]
    assert_allclose(table.coef, coef, atol=3e-7)  # where logistf stops: dia is 3.09601263 in another version
    errors = [0.4855415, 0.4236601, 0.4437934, 0.5484160, 0.5430824, 0.4173676, 1.6750089]
    assert_allclose(table.std_error, errors, atol=6e-7)
    low = [-0.8185591, -1.9737884, -0.9414363, 1.2730216, -3.2608611, -1.6080879, 0.7745682]
    high = [1.07315122, -0.30742514, 0.78920202, 3.43543273, -1.11773495, 0.01518468, 8.03029352]
    assert_allclose(table.interval, np.transpose([low, high]), atol=5e-8)
    statistic = [0.06286298, 7.50773092, 0.02467044, 22.93139022, 19.10407252, 3.69740975, 7.89693139]
    assert_allclose(table.statistic, statistic, atol=5e-9)
    p = [8.020268e-01, 6.143472e-03, 8.751911e-01, 1.678877e-06, 1.237805e-05, 5.449701e-02, 4.951873e-03]
    assert_allclose(table.p, p, rtol=1e-6)
    whole = model.likelihood_ratio()
    assert (round(whole.statistic, 5), whole.df, f"{whole.p:.5e}") == (49.09064, 6, "7.15089e-09")
    assert table.n_rows == 239
    assert table.penalized


def test_the_numbers_that_logistf_publishes_of_the_endometrial_data() -> None:
    table = fitted(*datasets.endometrial(), "firth").summary(**BOTH)
    low, high = [1.0825371, 0.6097244, -0.1244587, -4.3651832], [7.20928050, 7.85463171, 0.04045547, -1.23272106]
    assert_allclose(table.interval, np.transpose([low, high]), atol=5e-8)


def test_an_infinite_estimate_has_an_interval_with_one_end() -> None:
    """The endometrial data: the test and the end that the guide once found by scipy."""
    X, y = datasets.endometrial()
    model = LogisticDiscriminant(penalty=None)
    infinite(model, X, y)
    table = model.summary(**BOTH)
    assert_array_equal(table.coef[1], np.inf)
    assert np.isnan(table.std_error[1])
    assert_allclose(table.interval[1], [1.2841118, np.inf], atol=5e-8)
    part = fitted(X[X[:, 0] == 0, 1:], y[X[:, 0] == 0]).summary(**BOTH)
    assert_allclose(table.coef[[0, 2, 3]], part.coef, rtol=1e-7)
    assert_allclose(table.std_error[[0, 2, 3]], part.std_error, rtol=1e-7)
    assert_allclose(table.interval[[0, 2, 3]], part.interval, rtol=1e-7)
    without = Logit(y, augment(X[:, 1:])).fit(disp=0)
    assert table.deviance is not None
    assert_allclose(table.statistic[1], -2 * without.llf - table.deviance, rtol=1e-8)
    assert_allclose([table.deviance, model.deviance_], part.deviance, rtol=1e-9)
    flipped = quiet(LogisticDiscriminant(penalty=None), X * [-1, 1, 1], y).summary(**BOTH)
    assert_allclose(flipped.interval[1], [-np.inf, -1.2841118], atol=5e-8)
    for options in ({"intervals": "profile"}, {"tests": "lr"}):
        with pytest.raises(ValueError, match="the estimate is infinite; take penalty='firth', or profiles"):
            model.summary(**options)


def test_complete_separation_leaves_one_end_or_none() -> None:
    x = np.arange(6.0)[:, None]
    table = fitted(x, x[:, 0] > 2).summary(**BOTH)
    assert_array_equal(table.coef, [-np.inf, np.inf])
    assert_array_equal(np.isinf(table.interval), [[True, False], [False, True]])
    # the likelihood without the slope is that of six fair coins; without the intercept it has a maximum too
    assert_allclose(table.statistic[1], 12 * np.log(2), rtol=1e-10)
    assert table.deviance == 0
    rng = np.random.default_rng(5)
    X = np.column_stack([x, rng.normal(size=(6, 3))])
    free = fitted(X, x[:, 0] > 2).summary(**BOTH)
    undetermined = np.isnan(free.coef)
    assert undetermined.any()
    assert_array_equal(free.interval[undetermined], [[-np.inf, np.inf]] * undetermined.sum())
    assert_array_equal(free.p[undetermined], 1)


@pytest.mark.parametrize("penalty", [None, "firth"])
def test_tests_and_intervals_are_those_of_other_programs(rng: Rng, penalty: str | None) -> None:
    X, y = noisy(rng, 80, 3)
    table = fitted(X, y, penalty).summary(0.9, **BOTH)
    if penalty == "firth":
        theirs = FirthLogisticRegression("numpy", gtol=1e-8, xtol=1e-8, max_iter=1000).fit(X, y)
        theirs.lrt()
        order = [3, 0, 1, 2]  # its intercept comes last
        assert_allclose(table.p, theirs.lrt_pvalues_[order], rtol=1e-6)
        assert_allclose(table.interval, theirs.conf_int(0.1, method="pl", max_iter=200, tol=1e-9)[order], rtol=1e-6)
        return
    whole = Logit(y, augment(X)).fit(disp=0, tol=1e-12)
    assert table.deviance is not None
    assert_allclose([table.deviance, table.aic], [-2 * whole.llf, whole.aic], rtol=1e-10)
    for k in range(4):
        part = Logit(y, np.delete(augment(X), k, axis=1)).fit(disp=0, tol=1e-12)
        assert_allclose(table.statistic[k], 2 * (whole.llf - part.llf), rtol=1e-8)
        assert_allclose(table.p[k], chi2.sf(table.statistic[k], 1), rtol=1e-12)
    pair = fitted(X, y).likelihood_ratio([0, 2])
    assert_allclose(pair.statistic, 2 * (whole.llf - Logit(y, augment(X[:, 1:2])).fit(disp=0).llf), rtol=1e-8)
    assert pair.df == 2


@pytest.mark.parametrize("penalty", rest_in_ci(["firth", None]))
@pytest.mark.parametrize("load", rest_in_ci([datasets.endometrial, datasets.sex2]))
def test_weights_are_rows_and_storage_does_not_matter(load: Any, penalty: str | None, rng: Rng) -> None:
    X, y = load()
    v = rng.integers(0, 3, size=len(y))
    rows = np.repeat(np.arange(len(y)), v)
    wanted = fitted(X[rows], y[rows], penalty).summary(**BOTH)
    for given in (X, sparse.csr_matrix(X)):
        model = fitted(given, y, penalty, sample_weight=v.astype(float))
        found = model.summary(**BOTH)
        assert_allclose(found.interval, wanted.interval, rtol=1e-6)
        assert_allclose(found.statistic, wanted.statistic, rtol=1e-7)
        assert found.n_rows == np.count_nonzero(v)
    weighted = quiet(LogisticDiscriminant(penalty=penalty, class_weight={1: 2}), X, y)
    twice = np.r_[np.arange(len(y)), np.flatnonzero(y == 1)]
    wanted = fitted(X[twice], y[twice], penalty).summary(**BOTH)
    assert_allclose(weighted.summary(**BOTH).interval, wanted.interval, rtol=1e-6)
    assert_allclose(weighted.summary(**BOTH, data=(X, y)).interval, wanted.interval, rtol=1e-6)


def test_units_and_origin_do_not_matter() -> None:
    X, y = datasets.endometrial()
    for penalty in (None, "firth"):
        wanted = fitted(X, y, penalty).summary(**BOTH)
        scaled = fitted(X * [1000, 1e-4, 1], y, penalty).summary(**BOTH)
        assert_allclose(scaled.interval[1:], wanted.interval[1:] / [[1000], [1e-4], [1]], rtol=1e-6)
        moved = fitted(X + np.array([0, 500, -20]), y, penalty).summary(**BOTH)
        assert_allclose(moved.interval[1:], wanted.interval[1:], rtol=1e-6)
        assert_allclose(moved.statistic[1:], wanted.statistic[1:], rtol=1e-6)


def test_wald_beside_the_likelihood() -> None:
    model = fitted(*datasets.sex2(), "firth")
    wald, both = model.summary(), model.summary(**BOTH)
    mixed = model.summary(tests="lr")
    assert_array_equal(mixed.interval, wald.interval)
    assert_array_equal(mixed.statistic, both.statistic)
    assert "Intervals by Wald, tests by the ratio of the penalized likelihood." in str(mixed)
    mixed = model.summary(intervals="profile")
    assert_array_equal(mixed.interval, both.interval)
    assert_array_equal(mixed.p, wald.p)
    assert "Intervals by profiles of the penalized likelihood, tests by Wald." in str(mixed)


def test_the_data_are_remembered_where_they_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = datasets.sex2()
    model = fitted(X, y, "firth")
    wanted = model.summary(**BOTH)
    copies = [pickle.loads(pickle.dumps(model)), io.loads(io.dumps(model))]
    monkeypatch.setattr(KeptRows, "LARGEST", 1000)
    for other in (*copies, fitted(X, y, "firth")):
        assert isinstance(other.summary(), CoefficientTable)
        assert other.summary().deviance == model.summary().deviance
        with pytest.raises(ValueError, match=r"give data=\(X, y\)"):
            other.summary(**BOTH)
        with pytest.raises(ValueError, match=r"give data=\(X, y\)"):
            other.likelihood_ratio()
        assert_allclose(other.summary(**BOTH, data=(X, y)).interval, wanted.interval, rtol=1e-9)
    with pytest.raises(ValueError, match="not those of the fit"):
        model.likelihood_ratio(data=(X[:200], y[:200]))
    for data in (X, (X,), "X, y"):
        with pytest.raises(ValueError, match=r"data must be a tuple \(X, y\)"):
            model.likelihood_ratio(data=data)
    with pytest.raises(ValueError, match="not those of the fit"):
        fitted(X, y).likelihood_ratio(data=(X[:200], y[:200]))


def test_columns_are_found_by_name_number_and_factor() -> None:
    X, y = datasets.sex2()
    frame = pd.DataFrame(X, columns=["age", "oc", "v[T.1]", "v[T.2]", "vis", "dia"])
    model = fitted(frame, y, "firth")
    pair = model.likelihood_ratio("v")
    assert pair.df == 2
    assert model.likelihood_ratio(np.int64(0)) == model.likelihood_ratio("age")
    assert pair == model.likelihood_ratio([2, 3]) == model.likelihood_ratio(["v[T.1]", "v[T.2]", "v"])
    assert_allclose(model.likelihood_ratio("age").statistic, model.summary(tests="lr").statistic[1], rtol=1e-9)
    for columns, words in (("agee", "did you mean 'age'"), ([9], "among the columns age, oc"), ([], "is empty")):
        with pytest.raises(ValueError, match=words):
            model.likelihood_ratio(columns)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({}, "penalty=None"), ({"penalty": None, "max_iter": 1}, "did not finish")],
)
def test_no_likelihood_ratios_without_maximum_likelihood(rng: Rng, parameters: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"no likelihood ratios: .*{words}"):
        quiet(LogisticDiscriminant(**parameters), *noisy(rng, 50, 2)).summary(**BOTH)


def test_collinear_columns_and_unknown_words_are_refused(rng: Rng) -> None:
    X, y = datasets.endometrial()
    twice = fitted(np.hstack([X, X[:, :1]]), y)
    with pytest.raises(ValueError, match="depend on each other"):
        twice.summary(**BOTH)
    wide = fitted(rng.normal(size=(10, 20)), np.arange(10) % 2)
    with pytest.raises(ValueError, match="depend on each other"):
        wide.summary(**BOTH)
    model = fitted(X, y, "firth")
    with pytest.raises(ValueError, match=r"intervals='profil' must be one of .*did you mean 'profile'"):
        model.summary(intervals="profil")
    with pytest.raises(ValueError, match="tests='score' must be one of 'wald', 'lr'"):
        model.summary(tests="score")

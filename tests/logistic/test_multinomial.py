"""The table of three classes or more: another program's numbers, a published table, and estimates at infinity."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from logistic_cases import noisy, quiet
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from portions import rest_in_ci
from scipy.optimize import approx_fprime, minimize
from scipy.special import log_softmax
from statsmodels.api import MNLogit

from discriminant import InfiniteEstimateWarning, LogisticDiscriminant, datasets
from discriminant.geometry import augment
from discriminant.logistic.likelihood import Likelihood
from discriminant.logistic.multinomial import restricted_loss

Rng = np.random.Generator
Matrix = NDArray[Any]

ignored = pytest.mark.filterwarnings(f"ignore::{InfiniteEstimateWarning.__module__}.InfiniteEstimateWarning")

# Agresti, Categorical Data Analysis, 2nd ed., Table 7.2: invertebrates, reptiles, birds and other food against fish
FOOD = [
    [-1.55, 1.46, -1.66, 0.94, 1.12],
    [-3.31, -0.35, 1.24, 2.46, 2.94],
    [-2.09, -0.63, 0.70, -0.65, 1.09],
    [-1.90, 0.33, 0.83, 0.01, 1.52],
]
FOOD_ERRORS = [[0.40, 0.61, 0.47, 0.49], [0.58, 1.19, 1.12, 1.12], [0.64, 0.78, 1.20, 0.84], [0.45, 0.56, 0.78, 0.62]]


def maximum_likelihood(X: Any, y: Any, *data: Any) -> LogisticDiscriminant:
    return LogisticDiscriminant(penalty=None).fit(X, y, *data)


def theirs(X: Any, y: Any, **options: Any) -> Any:
    options = {"tol": 1e-12, "maxiter": 100} | options
    return MNLogit(y, augment(X)).fit(disp=0, method="newton", **options)


def in_blocks(found: Any) -> Matrix:
    """A table of statsmodels, which has a column for each class, as one column."""
    return np.asarray(found).T.ravel()


@pytest.mark.parametrize(("n", "c"), [(150, 3), (4000, 5)])
def test_the_table_is_that_of_statsmodels(rng: Rng, n: int, c: int) -> None:
    X, y = noisy(rng, n, 3, c)
    X += [0, 30, -5]
    model, other = maximum_likelihood(X, y), theirs(X, y)
    table = model.summary(0.9)
    assert_allclose(table.coef, in_blocks(other.params), rtol=1e-6, atol=1e-9)
    assert_allclose(table.std_error, in_blocks(other.bse), rtol=1e-6)
    assert_allclose(table.statistic, in_blocks(other.tvalues), rtol=1e-5, atol=1e-7)
    assert_allclose(table.p, in_blocks(other.pvalues), rtol=1e-4, atol=1e-12)
    assert_allclose(table.interval, other.conf_int(0.1).reshape(-1, 2), rtol=1e-5, atol=1e-7)
    assert_allclose(model.covariance_, other.cov_params(), rtol=1e-5, atol=1e-9)
    assert_allclose([table.aic, table.deviance], [other.aic, -2 * other.llf], rtol=1e-10)
    assert_allclose(table.odds_ratios[:, 0], np.exp(table.coef))
    assert (table.n_rows, len(table.names)) == (n, 4 * (c - 1))


def test_likelihood_ratios_are_those_of_statsmodels(rng: Rng) -> None:
    X, y = noisy(rng, 200, 3, 4)
    model, whole = maximum_likelihood(X, y), theirs(X, y).llf
    table = model.summary(tests="lr")
    bare = MNLogit(y, X).fit(disp=0, method="newton", tol=1e-12)
    ratios = [2 * (whole - bare.llf), *(2 * (whole - theirs(np.delete(X, j, 1), y).llf) for j in range(3))]
    assert_allclose(table.statistic, ratios * 3, rtol=1e-8)
    both = model.likelihood_ratio([0, 2])
    assert_allclose(both.statistic, 2 * (whole - theirs(X[:, [1]], y).llf), rtol=1e-8)
    assert both.df == 6
    assert "Each test is of a column in all classes, with 3 degrees of freedom." in str(table)


def test_alligators_as_published() -> None:
    X, y = datasets.alligators()
    table = maximum_likelihood(X[:, :4], y).summary()
    assert_allclose(table.coef.reshape(4, 5), FOOD, atol=0.0051)
    assert_allclose(table.std_error.reshape(4, 5)[:, 1:], FOOD_ERRORS, atol=0.0051)


@ignored
@pytest.mark.parametrize("penalty", [None, "firth"])
@pytest.mark.parametrize("sparse", rest_in_ci([False, True]))
def test_weights_are_repeated_rows(penalty: str | None, sparse: bool) -> None:
    X, y = datasets.alligators(sparse=sparse)
    rows, first, counts = np.unique(np.column_stack([X, y]), axis=0, return_index=True, return_counts=True)
    assert len(rows) < len(X)
    one = LogisticDiscriminant(penalty=penalty).fit(X, y).summary(tests="lr")
    weighted = LogisticDiscriminant(penalty=penalty).fit(X[first], y[first], counts.astype(float)).summary(tests="lr")
    assert_allclose(weighted.coef, one.coef, rtol=1e-5, atol=1e-6)
    for name in ("std_error", "statistic", "p", "deviance"):
        assert_allclose(getattr(weighted, name), getattr(one, name), rtol=1e-5, atol=1e-6)


def information(a: Matrix, X: Matrix, c: int) -> Matrix:
    """The Fisher information of the classes but the first, row by row."""
    Y = augment(X)
    P = np.exp(log_softmax(np.column_stack([np.zeros(len(Y)), Y @ a.reshape(c - 1, -1).T]), axis=1))[:, 1:]
    return np.asarray(sum(np.kron(np.diag(p) - np.outer(p, p), np.outer(y, y)) for p, y in zip(P, Y, strict=True)))


def test_firth_has_errors_by_the_information_and_ratios_of_the_penalized_likelihood(rng: Rng) -> None:
    X, y = noisy(rng, 40, 2, 3)
    table = LogisticDiscriminant(penalty="firth").fit(X, y).summary(tests="lr")
    errors = np.sqrt(np.diag(np.linalg.inv(information(table.coef, X, 3))))
    assert_allclose(table.std_error, errors, rtol=1e-6)

    def criterion(a: Matrix) -> float:
        G = np.column_stack([np.zeros(len(X)), augment(X) @ a.reshape(2, 3).T])
        likelihood = log_softmax(G, axis=1)[np.arange(len(y)), y].sum()
        return float(-likelihood - 0.5 * np.linalg.slogdet(information(a, X, 3))[1])

    assert np.abs(approx_fprime(table.coef, criterion, 1e-6)).max() < 1e-3
    for k in range(3):
        free = np.delete(np.arange(6), [k, k + 3])
        least = minimize(lambda u, free=free: criterion(np.bincount(free, u, 6)), np.zeros(4), tol=1e-7).fun
        assert_allclose(table.statistic[[k, k + 3]], 2 * (least - criterion(table.coef)), atol=1e-4)


@ignored
def test_the_finite_errors_of_a_saturated_table_are_those_of_its_counts() -> None:
    """Hepatitis: log odds of cells, whose variances are sums of 1/count; one cell is empty."""
    X, y = datasets.hepatitis()
    table = maximum_likelihood(X, y).summary()
    count = {
        cell: np.bincount(y[(X[:, :2] == cell).all(axis=1)], minlength=3) for cell in ((0, 0), (0, 1), (1, 0), (1, 1))
    }
    assert count[1, 0][1] == 0
    assert_allclose(table.coef[[1, 3]], [-np.inf, np.inf])
    assert np.isnan(table.std_error[[1, 3]]).all()
    assert np.isnan(table.interval[[1, 3]]).all()
    assert np.isnan(table.p[[1, 3]]).all()
    none, second, first = count[0, 0], count[0, 1], count[1, 0]
    finite = table.coef[[0, 2, 4, 5, 6]]
    odds = [np.log(none[1] / none[0]), np.log(second[1] / second[0]) - np.log(none[1] / none[0])]
    odds += [np.log(none[2] / none[0]), np.log(first[2] / first[0]) - np.log(none[2] / none[0])]
    assert_allclose(finite[:4], odds, rtol=1e-7)
    cells = [none[:2], np.r_[none[:2], second[:2]], none[[0, 2]], np.r_[none[[0, 2]], first[[0, 2]]]]
    assert_allclose(table.std_error[[0, 2, 4, 5]], [np.sqrt((1 / cell).sum()) for cell in cells], rtol=1e-7)
    assert table.std_error[7] == pytest.approx(np.sqrt(sum((1 / cell[[0, 2]]).sum() for cell in count.values())))


@ignored
@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning")
def test_the_limit_is_what_other_programs_come_close_to() -> None:
    """A third of the alligators: Newton's finite coefficients and errors settle, the others grow."""
    X, y = datasets.alligators(sparse=True)
    model, other = maximum_likelihood(X, y), theirs(X, y, maxiter=18, tol=0)
    table = model.summary(tests="lr")
    finite = np.isfinite(table.coef)
    assert 0 < finite.sum() < finite.size
    assert_allclose(table.coef[finite], in_blocks(other.params)[finite], atol=1e-5)
    assert_allclose(table.std_error[finite], in_blocks(other.bse)[finite], rtol=1e-4)
    assert (in_blocks(other.bse)[~finite] > 100).all()
    assert (np.sign(table.coef[~finite]) == np.sign(in_blocks(other.params)[~finite])).all()
    assert_allclose(table.deviance, -2 * other.llf, atol=1e-4)
    without = [theirs(np.delete(X, j, 1), y, maxiter=18, tol=0).llf for j in range(5)]
    assert_allclose(table.statistic[1:6], 2 * (other.llf - np.array(without)), atol=1e-3)
    assert "blank ones, which are not unique" in str(table)
    assert r"$-\infty$" in table.to_latex()
    assert "held against 0" in table.to_html()
    assert table.to_pandas()["coefficient"].tolist() == table.names


@ignored
def test_complete_separation_leaves_no_finite_coefficient() -> None:
    X, y = [[0.0], [1], [2], [3], [10], [11]], list("aabbcc")
    table = maximum_likelihood(X, y).summary(tests="lr")
    assert table.names == ["b: intercept", "b: x0", "c: intercept", "c: x0"]
    assert table.coef.tolist() == [-np.inf, np.inf, -np.inf, np.inf]
    assert_allclose(table.statistic[[1, 3]], 12 * np.log(3))  # six rows, each with a likelihood of a third
    assert table.deviance == 0


@ignored
def test_iris_is_not_unique() -> None:
    """Setosa is far from the others: in which direction, the data leave open; these two have an estimate."""
    X, y = datasets.iris()
    table = maximum_likelihood(X, y).summary()
    assert np.isnan(table.coef).all()
    assert np.isnan(table.std_error).all()
    assert table.deviance == pytest.approx(11.8985, abs=1e-4)


def test_the_restricted_loss_has_its_derivatives(rng: Rng) -> None:
    X, y = noisy(rng, 30, 2, 4)
    absent = rng.uniform(size=(4, 30)) < 0.4
    absent[y, np.arange(30)] = False
    criterion = restricted_loss(Likelihood(X, y.astype(np.int32), rng.uniform(1, 2, 30), 4, 0.0), absent)
    a = rng.normal(size=9)
    assert_allclose(criterion(a).gradient, approx_fprime(a, lambda u: criterion(u).value, 1e-7), atol=1e-4)
    assert_allclose(criterion(a).hessian, approx_fprime(a, lambda u: criterion(u).gradient, 1e-7), atol=1e-4)


def test_large_fits_have_errors_where_their_data_are_given(rng: Rng) -> None:
    X, y = noisy(rng, 30_000, 30, 3)
    model = maximum_likelihood(X, y)
    assert model.covariance_ is None
    with pytest.raises(ValueError, match="need its data"):
        model.summary()
    table = model.summary(data=(X, y))
    other = theirs(X, y)
    assert_allclose(table.coef, in_blocks(other.params), rtol=1e-5, atol=1e-7)
    assert_allclose(table.std_error, in_blocks(other.bse), rtol=1e-6)


def test_refusals(rng: Rng) -> None:
    X, y = noisy(rng, 90, 2, 3)
    model = maximum_likelihood(X, y)
    with pytest.raises(ValueError, match="intervals='profile' must be 'wald' for three classes or more"):
        model.summary(intervals="profile")
    with pytest.raises(ValueError, match="not those of the fit"):
        model.summary(tests="lr", data=(X[::-1], y))
    with pytest.raises(ValueError, match="depend on each other"):
        maximum_likelihood(np.hstack([X, X]), y).summary()
    with pytest.raises(ValueError, match="a class has no row of positive weight"):
        maximum_likelihood(X, y, (y != 2).astype(float)).summary()
    with pytest.raises(ValueError, match="penalty=None or penalty='firth'"):
        LogisticDiscriminant().fit(X, y).summary()
    with pytest.raises(ValueError, match="did not finish"):
        quiet(LogisticDiscriminant(penalty=None, max_iter=1), X, y).summary()
    with pytest.raises(ValueError, match=r"give data=\(X, y\)"):
        pickle.loads(pickle.dumps(model)).summary(tests="lr")

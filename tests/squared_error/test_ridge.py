"""Ridge regression: primal, dual and kernels against each other and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from discriminant import LeastSquaresRegressor, RidgeRegressor, mercer


@pytest.fixture
def data(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    return rng.normal(size=(40, 6)) + 2, rng.normal(size=40), rng.uniform(0.2, 2, 40)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("shape", [(60, 5), (10, 25)], ids=["tall", "wide"])
def test_primal_dual_and_scikit_learn_agree(shape: tuple[int, int], alpha: float, rng: np.random.Generator) -> None:
    X, t, v = rng.normal(size=shape) + 1, rng.normal(size=shape[0]), rng.uniform(0.2, 2, shape[0])
    theirs = Ridge(alpha=alpha, solver="svd").fit(X, t, sample_weight=v)
    for dual in ("auto", True, False):
        for Z in (X, sparse.csr_array(X)):
            ours = RidgeRegressor(alpha, dual=dual).fit(Z, t, sample_weight=v)
            np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
            assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-8)


def test_dual_solves_the_bordered_system(data: Any) -> None:
    """[[lambda I + G, 1], [1', 0]] (alpha, b) = (y, 0)."""
    X, t, _ = data
    model = RidgeRegressor(0.5, dual=True).fit(X, t)
    n = len(t)
    border = np.block([[0.5 * np.eye(n) + X @ X.T, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    solution = np.linalg.solve(border, np.r_[t, 0])
    np.testing.assert_allclose(np.r_[model.dual_coef_, model.intercept_], solution, atol=1e-9)


def test_constant_is_not_penalized(data: Any) -> None:
    X, t, _ = data
    for dual in (True, False):
        model = RidgeRegressor(1e9, dual=dual).fit(X, t + 1000)
        assert model.predict(X) == pytest.approx(t.mean() + 1000, abs=1e-3)


@pytest.mark.parametrize(
    "kernel", [mercer.Gaussian(2.0), mercer.Polynomial(degree=2, coef0=1.0), mercer.Polynomial(degree=3, coef0=0.0)]
)
def test_kernel_ridge_against_scikit_learn(kernel: mercer.Kernel, data: Any) -> None:
    """scikit-learn's has no constant: it is compared on kernels and targets centered by hand."""
    X, t, _ = data
    model = RidgeRegressor(0.3, kernel=kernel).fit(X, t)
    K = kernel(X)
    center = np.eye(len(t)) - 1 / len(t)
    theirs = KernelRidge(alpha=0.3, kernel="precomputed").fit(center @ K @ center, t - t.mean())
    np.testing.assert_allclose(model.predict(X), theirs.predict(center @ K @ center) + t.mean(), atol=1e-8)


def test_kernels_by_name_callable_and_matrix_agree(data: Any) -> None:
    X, t, v = data
    gaussian = mercer.Gaussian()
    named = RidgeRegressor(kernel="gaussian").fit(X, t, v)
    called = RidgeRegressor(kernel=lambda A, B: gaussian(A, B)).fit(X, t, v)
    matrix = RidgeRegressor(kernel="precomputed").fit(gaussian(X), t, v)
    np.testing.assert_allclose(named.predict(X[:7]), called.predict(X[:7]))
    np.testing.assert_allclose(named.predict(X[:7]), matrix.predict(gaussian(X[:7], X)))
    np.testing.assert_allclose(RidgeRegressor(kernel="linear").fit(X, t, v).predict(X),
                               RidgeRegressor().fit(X, t, v).predict(X), atol=1e-8)  # fmt: skip
    assert np.all(np.isfinite(cross_val_score(RidgeRegressor(kernel="precomputed"), gaussian(X), t)))


def test_no_penalty_is_least_squares(data: Any) -> None:
    X, t, v = data
    np.testing.assert_allclose(RidgeRegressor(0).fit(X, t, v).coef_, LeastSquaresRegressor().fit(X, t, v).coef_)


@pytest.mark.parametrize("dual", [True, False])
def test_zero_weight_is_an_absent_row(dual: bool, data: Any) -> None:
    X, t, v = data
    v = np.where(np.arange(len(v)) % 3, v, 0)
    part = v > 0
    full, small = (RidgeRegressor(dual=dual).fit(*rows) for rows in ((X, t, v), (X[part], t[part], v[part])))
    np.testing.assert_allclose(full.coef_, small.coef_, atol=1e-9)


def test_float32_stays(data: Any) -> None:
    X, t, _ = data
    for parameters in ({}, {"dual": True}, {"kernel": "gaussian"}):
        assert (
            RidgeRegressor(**parameters).fit(X.astype(np.float32), t).predict(X.astype(np.float32)).dtype == np.float32
        )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1}, "alpha=-1"),
        ({"alpha": float("nan")}, "alpha=nan"),
        ({"dual": "yes"}, "dual='yes'"),
        ({"kernel": "gauss"}, "gauss"),
        ({"kernel": "gaussian", "dual": False}, "dual=False must be 'auto' or True where kernel='gaussian'; leave"),
        ({"alpha": 0, "dual": True}, "alpha=0"),
        ({"alpha": 1e-9, "kernel": lambda A, B: -np.asarray(A @ B.T)}, "positive semidefinite"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str, data: Any) -> None:
    X, t, _ = data
    with pytest.raises(ValueError, match=message):
        RidgeRegressor(**parameters).fit(X, t)

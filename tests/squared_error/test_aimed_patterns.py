"""What the patterns tell before the first step: how long it may be, and what none can bear; how they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from widrow_hoff_cases import fitted, normalized, unfinished

from discriminant import (
    WidrowHoff,
    WidrowHoffRegressor,
    augment,
    datasets,
)


class TestLimits:
    def test_default_stays_finite_on_the_slides_points(self) -> None:
        X, y = dataset = datasets.slides_eight()
        model = fitted(WidrowHoff(record="weights"), X, y)
        assert model.history_["step"][0] == pytest.approx(0.1 / 163)
        assert np.abs(model.history_["weights"]).max() < 10
        closer = fitted(WidrowHoff(max_iter=20_000), X, y)
        np.testing.assert_allclose(closer.weights_, dataset.mse, atol=0.05)

    def test_falling_from_one_passes_1e100_on_the_slides_points(self) -> None:
        X, y = datasets.slides_eight()
        with pytest.raises(ValueError, match=r"schedule='1/k' diverges: after \d+ steps.*e\+10\d.*below 0.00454"):
            WidrowHoff(batch=True, schedule="1/k").fit(X, y)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("dual", [False, True])
    def test_too_long_a_step_diverges(self, dtype: Any, dual: bool) -> None:
        X, y = datasets.slides_eight()
        X = X.astype(dtype)
        with pytest.raises(ValueError, match=r"schedule=0.1 diverges.*steps below 0.0123.*StandardScaler"):
            WidrowHoff(schedule=0.1, dual=dual).fit(X, y)
        with (
            pytest.warns(UserWarning, match=r"not below 2 / lambda_max\(Y'Y\) = 0.0045"),
            pytest.raises(ValueError, match="diverges"),
        ):
            WidrowHoff(batch=True, schedule=0.1, dual=dual).fit(X, y)
        with pytest.raises(ValueError, match=r"schedule=0.1 diverges"):
            WidrowHoffRegressor(schedule=0.1, dual=dual).fit(X, y)

    def test_the_warning_begins_at_the_bound(self, data: Any) -> None:
        Y = normalized(*data)
        bound = 2 / np.linalg.eigvalsh(Y.T @ Y)[-1]
        fitted(WidrowHoff(batch=True, schedule=0.9999 * bound, max_iter=5), *data)
        for model in (WidrowHoff, WidrowHoffRegressor):
            with (
                unfinished(),
                pytest.warns(UserWarning, match="the batch rule diverges") as caught,
            ):
                model(batch=True, schedule=1.0001 * bound, max_iter=5).fit(*data)
            assert caught[0].filename == __file__

    def test_many_features(self, rng: np.random.Generator) -> None:
        """Beyond 500 features lambda_max comes from Lanczos; float32 and CSR too."""
        X, y = rng.normal(size=(40, 700)), np.arange(40) % 2
        answer = 1 / np.linalg.norm(augment(X), 2) ** 2
        for given_X in (X, X.astype(np.float32), sparse.csr_array(X)):
            model = fitted(WidrowHoff(batch=True, max_iter=1), given_X, y)
            assert model.history_["step"][0] == pytest.approx(answer, rel=1e-3)

    @pytest.mark.parametrize("scale", [1e-150, 1e150])
    @pytest.mark.parametrize("options", [{}, {"batch": True}, {"dual": True}, {"schedule": "rls"}])
    def test_scales(self, data: Any, scale: float, options: Any) -> None:
        X, y = data
        model = fitted(WidrowHoff(max_iter=20, **options), X * scale, y)
        assert np.all(np.isfinite(model.weights_))

    def test_numbers_too_large_are_refused(self, data: Any) -> None:
        for options in ({}, {"batch": True}, {"dual": True}):
            with pytest.raises(ValueError, match="X overflows"):
                WidrowHoff(**options).fit(data[0] * 1e200, data[1])
        with pytest.raises(ValueError, match="overflow float32"):
            WidrowHoffRegressor().fit(data[0].astype(np.float32), data[0][:, 0] * 1e100)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_not_finite(self, data: Any, bad: float) -> None:
        X = data[0].copy()
        X[3, 1] = bad
        for model in (WidrowHoff(), WidrowHoff(batch=True), WidrowHoff(dual=True), WidrowHoffRegressor()):
            for given_X in (X, sparse.csr_matrix(X)):
                with pytest.raises(ValueError, match=r"NaN|infinity"):
                    model.fit(given_X, data[1])


class TestStorage:
    @pytest.mark.parametrize("options", [{}, {"batch": True}, {"dual": True}, {"schedule": "rls"}])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_dense_and_csr_agree(self, rng: np.random.Generator, options: Any, dtype: Any) -> None:
        X = (rng.normal(size=(40, 8)) * (rng.random((40, 8)) < 0.4)).astype(dtype)
        y = rng.integers(0, 3, 40)
        dense, thin = (fitted(WidrowHoff(max_iter=30, **options), M, y) for M in (X, sparse.csr_array(X)))
        assert dense.weights_.dtype == thin.weights_.dtype == dtype
        tolerance = 1e-10 if dtype == np.float64 else 1e-4
        np.testing.assert_allclose(thin.weights_, dense.weights_, rtol=tolerance, atol=tolerance)
        values = fitted(WidrowHoffRegressor(max_iter=30, **options), X, X[:, 0] * 2 - y)
        others = fitted(WidrowHoffRegressor(max_iter=30, **options), sparse.csr_array(X), X[:, 0] * 2 - y)
        assert values.weights_.dtype == values.coef_.dtype == values.predict(X).dtype == dtype
        np.testing.assert_allclose(others.weights_, values.weights_, rtol=tolerance, atol=tolerance)

    def test_repeated_entries(self, data: Any) -> None:
        X, y = data
        rows, columns = (part.ravel() for part in np.indices(X.shape))
        twice = sparse.coo_array((np.r_[X.ravel(), X.ravel()] / 2, (np.r_[rows, rows], np.r_[columns, columns])))
        doubled = sparse.csr_array(
            (twice.data[order := np.argsort(twice.row, kind="stable")], twice.col[order], np.arange(31) * 6), X.shape
        )
        assert doubled.nnz == 2 * X.size
        for options in ({}, {"batch": True}, {"dual": True}):
            model = fitted(WidrowHoff(max_iter=20, **options), doubled, y)
            np.testing.assert_allclose(model.weights_, fitted(WidrowHoff(max_iter=20, **options), X, y).weights_)
        assert doubled.nnz == 2 * X.size

    def test_float32_follows_float64(self, data: Any) -> None:
        X, y = data
        narrow, wide = (fitted(WidrowHoff(batch=True), X.astype(kind), y) for kind in (np.float32, np.float64))
        np.testing.assert_allclose(narrow.weights_, wide.weights_, atol=1e-3)

"""Makers of kernel rows, and the exponential in float32."""

import numpy as np
import pytest
from dual_cases import Rng

from discriminant import mercer
from discriminant._kernel_matrix.makers import GaussianRowMaker, exponential


@pytest.mark.parametrize("spread", [1e-3, 1.0, 3.0])
def test_fast_gaussian_rows(rng: Rng, spread: float) -> None:
    X = spread * rng.standard_normal((300, 7)) + 100
    kernel = mercer.Gaussian(2.0)
    maker = GaussianRowMaker(kernel, X)
    indices, columns = np.array([0, 5, 299]), np.arange(0, 300, 3)
    np.testing.assert_allclose(maker(indices), kernel(X[indices], X), atol=1e-5)
    np.testing.assert_allclose(maker.narrow(columns)(np.arange(3)), kernel(X[columns[:3]], X[columns]), atol=1e-5)
    np.testing.assert_allclose(np.diagonal(maker(np.arange(300))), 1, atol=1e-5)
    assert maker.reach == pytest.approx(np.square(X - X.mean(axis=0)).sum(axis=1).max() / 4, rel=1e-5)


def test_exponential_is_right_to_float32() -> None:
    t = np.linspace(-87, 0, 100_001, dtype=np.float32)[None]
    found = t.copy()
    exponential(found, np.zeros(1, np.float32), np.zeros(t.size, np.float32))
    np.testing.assert_allclose(found, np.exp(t.astype(np.float64)), rtol=8e-6)
    ends = np.array([[-1e30, -np.inf, 1e-3]], np.float32)
    exponential(ends, np.zeros(1, np.float32), np.zeros(3, np.float32))
    np.testing.assert_allclose(ends, [[0, 0, 1]], atol=1e-30)

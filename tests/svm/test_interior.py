"""The interior method: the value that pairs reach, refused without bounds."""

import numpy as np
import pytest
from dual_cases import BOUNDS, KERNELS, Impatient, Rng, problem, solve, value

from discriminant import mercer
from discriminant._engine.driver import Interrupted
from discriminant.svm.interior import ColumnProducts, Products, interior


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", BOUNDS)
def test_interior_method(kernel: mercer.Kernel, C: float, rng: Rng) -> None:
    X, z = problem(rng, 60)
    K = kernel(X)
    alpha = interior(Products(K, z), z, np.full(60, C), np.ones(60), 0.0, None)
    assert alpha is not None
    assert abs(alpha @ z) <= 1e-12 * alpha.sum()
    assert value(K, z, alpha) == pytest.approx(solve(K, z, C).objective, rel=1e-6)
    assert interior(Products(K, z), z, np.full(60, np.inf), np.ones(60), 0.0, None) is None
    with pytest.raises(Interrupted):
        interior(Products(K, z), z, np.full(60, C), np.ones(60), 0.0, Impatient(3))


@pytest.mark.parametrize("C", BOUNDS)
def test_few_columns_are_as_good_as_the_whole_matrix(C: float, rng: Rng) -> None:
    X, z = problem(rng, 80)
    alpha = interior(ColumnProducts(X, z), z, np.full(80, C), np.ones(80), 0.0, None)
    assert alpha is not None
    assert abs(alpha @ z) <= 1e-12 * alpha.sum()
    assert value(X @ X.T, z, alpha) == pytest.approx(solve(X @ X.T, z, C).objective, rel=1e-6)

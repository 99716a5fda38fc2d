"""Linear algebra: the factor of a matrix that can be trusted, the largest eigenvalue, sums of squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant._engine.linalg import add_squares, cholesky, largest_eigenvalue
from discriminant._engine.problem import narrow


def test_a_factor_solves_and_tells_what_cannot_be_trusted(rng: np.random.Generator) -> None:
    scale = np.array([1e-8, 1, 1e5, 1e9])  # the diagonal is brought to one first
    X, u = rng.normal(size=(50, 4)), rng.normal(size=(4, 2))
    S = (X * scale).T @ (X * scale)
    factor = cholesky(S)
    assert factor is not None
    np.testing.assert_allclose(factor.solve(S @ (u / scale[:, None])), u / scale[:, None], rtol=1e-9)
    assert 0 < factor.rcond <= 1
    for bad in (np.ones((2, 2)), np.diag([1.0, 0.0]), -np.eye(2), np.full((2, 2), np.nan), np.diag([1.0, np.inf])):
        assert cholesky(bad) is None


@pytest.mark.parametrize("d", [3, 40])
def test_the_largest_eigenvalue_of_a_matrix_and_of_its_products(d: int, rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, d))
    A = X.T @ X
    expected = np.linalg.norm(X, 2) ** 2
    assert largest_eigenvalue(A, d) == pytest.approx(expected, rel=1e-12)
    found = largest_eigenvalue(lambda v: A @ v, d)
    assert found == pytest.approx(expected, rel=1e-6)
    assert largest_eigenvalue(lambda v: A @ v, d) == found  # its start is fixed


@pytest.mark.parametrize("make", [np.ascontiguousarray, sparse.csr_array])
def test_sums_of_squares(make: Any, rng: np.random.Generator) -> None:
    X, weight, chosen = rng.normal(size=(6, 3)), rng.uniform(size=2), np.array([1, 4])
    q = np.ones(4)
    add_squares(narrow(make(X)), chosen, weight, q)
    np.testing.assert_allclose(q, 1 + weight @ np.column_stack([np.ones(2), X[chosen]]) ** 2)

"""From what the user gives to what compiled code takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant._engine import problem
from discriminant._engine.problem import narrow, sqnorms
from discriminant._engine.rows import (
    CSR,
    row_sqnorm,
)

X = np.array([[1.5, 0.0, -2.0, 0.5], [0.0, 0.0, 0.0, 0.0], [0.25, -1.0, 4.0, 0.0], [0.0, 3.0, 0.0, -0.75]])


def wide(dense: Any) -> Any:
    """A CSR matrix with 64-bit indices."""
    matrix = sparse.csr_array(dense)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


FLOATS = [np.dtype("float64"), np.dtype("float32")]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("make", [np.ascontiguousarray, sparse.csr_array])
def test_squared_lengths(make: Any, dtype: Any) -> None:
    rows = narrow(make(X.astype(dtype)))
    np.testing.assert_array_equal(sqnorms(rows), (X**2).sum(axis=1))
    assert row_sqnorm(rows, 2) == 17.0625


def test_indices_are_unsigned_views_and_the_callers_matrix_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problem, "COPIED", 0)
    for make, unsigned in ((sparse.csr_array, np.uint32), (wide, np.uint64)):
        matrix = make(X)
        before = matrix.copy()
        rows = narrow(matrix)
        assert isinstance(rows, CSR)
        assert rows.indices.dtype == rows.indptr.dtype == unsigned
        assert np.shares_memory(rows.data, matrix.data)
        assert np.shares_memory(rows.indices, matrix.indices)
        assert not rows.data.flags.writeable
        assert not rows.indices.flags.writeable
        assert matrix.data.flags.writeable
        np.testing.assert_array_equal(matrix.toarray(), before.toarray())


def test_a_few_long_indices_become_short() -> None:
    """Passes for 64 bits would be compiled for them alone."""
    rows, expected = narrow(wide(X)), narrow(sparse.csr_array(X))
    assert isinstance(rows, CSR)
    for one, other in zip(rows, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    far = sparse.csr_array(([1.0], [problem.COPIED], [0, 1]), shape=(1, problem.COPIED + 1))
    far.indices, far.indptr = far.indices.astype(np.int64), far.indptr.astype(np.int64)
    assert narrow(far).indices.dtype == np.uint64

"""Elimination that leaves out zeros: the rows it keeps are those that a dense calculation keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from discriminant import separability
from discriminant.separation import integers, spanning
from discriminant.separation.elimination import Elimination


def levels(rng: np.random.Generator, n: int, count: int) -> NDArray[Any]:
    """A factor with all its levels, an intercept that depends on them, and two numbers."""
    return np.column_stack([np.ones(n), np.eye(count)[rng.integers(count, size=n)], rng.normal(size=(n, 2))])


def test_rows_that_are_kept_span_all_and_the_probe_is_orthogonal_to_them(rng: np.random.Generator) -> None:
    Z = levels(rng, 300, 40)
    found = Elimination(sparse.csr_matrix(Z))
    assert found.take(range(300))
    assert len(found.chosen) == np.linalg.matrix_rank(Z[found.chosen]) == np.linalg.matrix_rank(Z) == 42
    first = [k for k in range(300) if np.linalg.matrix_rank(Z[: k + 1]) > np.linalg.matrix_rank(Z[:k])]
    assert found.chosen == first
    probe = found.probe()
    assert np.abs(probe).max() > 0.01
    assert np.abs(Z @ probe).max() < 1e-9


def test_it_gives_up_where_rows_fill(rng: np.random.Generator) -> None:
    Z = sparse.random(400, 400, 0.02, "csr", rng=rng)
    assert not Elimination(Z).take(range(400))
    assert integers._sparse_pivots(integers._entries((100 * Z).astype(int).toarray().tolist()), 2**61 - 1) is None


def test_pivots_are_the_same_with_and_without_zeros(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.rint(10 * levels(rng, 120, 30)).astype(int)
    rows = [*rows.tolist(), *(rows[:5] + rows[5:10]).tolist()]
    assert integers._is_sparse(rows)
    found = [integers.pivots(some) for some in (rows, [list(column) for column in zip(*rows, strict=True)])]
    monkeypatch.setattr(integers, "SPARSE", 0.0)
    assert found == [integers.pivots(some) for some in (rows, [list(column) for column in zip(*rows, strict=True)])]
    assert integers.pivots([[0] * 9, [0] * 9]) == []


def test_verdicts_of_factors_are_the_same_with_and_without_zeros(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = levels(rng, 3000, 150)[:, 2:], rng.integers(2, size=3000)
    y[X[:, 7] == 1] = 1
    X = sparse.csr_matrix(X)
    verdicts = []
    for many in (0, 10**6):
        monkeypatch.setattr(spanning, "MANY", many)
        s = separability(X, y)
        assert s.certificate.verify(X, y)
        verdicts.append((s.verdict, s.separated_rows.tolist()))
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][0] == "quasi"

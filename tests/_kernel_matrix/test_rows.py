"""Kernel rows that are kept: which, where, and shared by whom."""

from typing import Any

import numpy as np
import pytest
from dual_cases import Rng, by_blocks, judge, problem, smo, solve
from numpy.typing import NDArray

from discriminant import mercer
from discriminant._kernel_matrix.rows import KernelRows


@pytest.mark.parametrize("kept", [2, 3, 7, 40])
def test_the_smallest_cache_gives_the_same_answer(kept: int, rng: Rng) -> None:
    X, z = problem(rng, 100)
    K = mercer.Gaussian(1.5)(X)
    whole, poor = solve(K, z, 1.0), solve(K, z, 1.0, tol=1e-6, cache_bytes=kept * 100 * 8)
    assert poor.objective == pytest.approx(whole.objective, rel=1e-8)
    judge(K, z, 1.0, poor, 1e-6)


def test_pairs_of_classes_share_rows(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X = rng.standard_normal((240, 3))
    y = np.arange(240) % 3
    X[:, 0] += y
    K, made = mercer.Gaussian(1.5)(X), []

    def rows(indices: NDArray[np.int64]) -> NDArray[Any]:
        made.extend(indices.tolist())
        return K[indices]

    for large in (False, True):
        if large:
            by_blocks(monkeypatch)
        made.clear()
        shared = KernelRows(rows, 240, dtype=np.float64, workers=1)
        for a, b in ((0, 1), (0, 2), (1, 2)):
            part = np.flatnonzero((y == a) | (y == b))
            z = np.where(y[part] == b, 1.0, -1.0)
            found = smo(shared.part(part), np.ones(part.size), z, np.ones(part.size), tol=1e-6)
            judge(K[np.ix_(part, part)], z, 1.0, found, 1e-6)
        assert len(made) == len(set(made)) <= 240


def test_rows_last_used_are_kept() -> None:
    K, made = np.arange(100.0).reshape(10, 10), []

    def rows(indices: NDArray[np.int64]) -> NDArray[Any]:
        made.append(indices.tolist())
        return K[indices]

    shared = KernelRows(rows, 10, cache_bytes=4 * 10 * 8)
    for wanted in ([0, 1, 2, 3], [0, 1], [4, 5], [0, 1], [2]):
        np.testing.assert_array_equal(shared.take(np.array(wanted)), K[wanted])
    assert made == [[0, 1, 2, 3], [4, 5], [2]]
    np.testing.assert_array_equal(shared.take(np.arange(10), np.array([1, 7])), K[:, [1, 7]])


def test_a_matrix_is_not_copied(rng: Rng) -> None:
    X, z = problem(rng, 60)
    K = mercer.Gaussian(1.5)(X)
    shared = KernelRows.of_matrix(K)
    assert np.shares_memory(shared.store, K)
    before, some = K.copy(), np.arange(0, 60, 3)
    np.testing.assert_array_equal(shared.narrow(some).take(np.arange(20)), K[np.ix_(some, some)])
    np.testing.assert_array_equal(K, before)
    assert smo(shared, np.diag(K), z, np.ones(60)).objective == pytest.approx(solve(K, z, 1.0).objective, rel=1e-9)
    assert KernelRows.of_matrix(np.eye(3, dtype=np.int64)).take(np.array([1])).tolist() == [[0, 1, 0]]


def test_failed_rows_leave_no_false_ones() -> None:
    shared = KernelRows(lambda indices: np.full((indices.size, 3), 1 / (indices[:, None] - 1)), 3, 2 * 24, workers=1)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        shared.take(np.array([0, 1]))
    np.testing.assert_array_equal(shared.take(np.array([0, 2])), [[-1, -1, -1], [1, 1, 1]])


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"cache_size=9.54e-05 must be at least .* two kernel rows of 50 patterns"):
        KernelRows(lambda indices: np.eye(50)[indices], 50, 100)
    with pytest.raises(ValueError, match=r"cache_size=.* must be at least"):
        solve(np.eye(50), np.ones(50), 1.0, cache_bytes=500)
    with pytest.raises(ValueError, match=r"K has shape \(2, 3\).*square"):
        KernelRows.of_matrix(np.ones((2, 3)))


def test_narrow_rows_take_over_the_memory(rng: Rng) -> None:
    K = rng.standard_normal((40, 40))
    whole = KernelRows(lambda indices: K[indices], 40, 8 * 40 * 8, np.float64, 1)
    whole.take(np.arange(8))
    columns = np.array([3, 5, 8, 13, 21])
    narrow = whole.narrow(columns)
    assert np.shares_memory(narrow.store, whole.store)
    assert narrow.capacity == 5
    np.testing.assert_array_equal(narrow.take(np.arange(5)), K[np.ix_(columns, columns)])
    np.testing.assert_array_equal(whole.take(np.arange(8)), K[:8])  # made anew, not what lies there now


def test_a_crowd_of_problems_has_short_rows_of_its_own(rng: Rng) -> None:
    K = rng.standard_normal((40, 40))
    poor = KernelRows(lambda indices: K[indices], 40, 8 * 40 * 8, np.float64, 1)
    rich = KernelRows(lambda indices: K[indices], 40, 40 * 40 * 8, np.float64, 1)
    part = np.arange(0, 40, 2)
    assert poor.part(part).shared is not poor
    assert rich.part(part).shared is rich
    for source in (poor.part(part), rich.part(part)):
        np.testing.assert_array_equal(source.block(np.array([1, 4]), np.array([0, 3])), K[np.ix_([2, 8], [0, 6])])

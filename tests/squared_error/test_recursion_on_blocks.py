"""Recursive least squares from the triangle of all rows: weights, R and the state for partial_fit are those of fit."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import RecursiveLeastSquares
from discriminant._blocks.memory import MemoryBlocks
from discriminant.base.streams import fit_followed
from discriminant.squared_error.recursion_on_blocks import fit_by_triangle


def by_triangle(model, *data, rows=64):
    fit_followed(model, MemoryBlocks(*data, rows=rows), lambda blocks: fit_by_triangle(model, blocks), None, 60.0, None)
    return model


def assert_same(made, kept, tol=1e-9):
    for name in ("weights_", "R_"):
        expected = getattr(kept, name)
        np.testing.assert_allclose(getattr(made, name), expected, rtol=tol, atol=tol * np.abs(expected).max())
    value, expected = (model.report_.to_dict()["details"]["criterion value"] for model in (made, kept))
    assert value == pytest.approx(expected, rel=tol)
    assert (made.status_, made.multiclass_) == (kept.status_, kept.multiclass_)
    assert made.report_.to_dict()["notes"] == kept.report_.to_dict()["notes"]


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("c", [2, 4])
def test_one_sum_has_the_answer_of_the_recursion(c, weighted, make, rng):
    X, y = rng.normal(size=(500, 5)) * [1, 100, 1e-2, 1, 1] + [0, 1e3, 0, 0, 5], rng.integers(0, c, 500)
    y[:64] = 0  # the first block has one class
    weight = rng.integers(0, 3, 500).astype(float) if weighted else None
    start = rng.normal(size=(1 if c == 2 else c, 6))
    kept = RecursiveLeastSquares(start=start).fit(make(X), y, weight)
    made = by_triangle(RecursiveLeastSquares(start=start), make(X), y, weight)
    assert_same(made, kept)
    assert (made.n_iter_, made.history_["errors"].size) == (1, 0)
    portion = rng.normal(size=(40, 5)), rng.integers(0, c, 40)
    assert_same(made.partial_fit(*portion), kept.partial_fit(*portion))


def test_rows_fewer_than_columns_and_repeated_columns(rng):
    """YᵗY is singular: δ alone decides on some directions, and R has entries of 1/δ there."""
    X = rng.normal(size=(12, 20))
    X, y = np.hstack([X, X]), np.arange(12) % 2
    made, kept = by_triangle(RecursiveLeastSquares(), X, y, rows=5), RecursiveLeastSquares().fit(X, y)
    assert_same(made, kept, 1e-8)
    Y = np.hstack([np.ones((12, 1)), X])
    np.testing.assert_allclose(made.R_ @ (1e-4 * np.eye(41) + Y.T @ Y), np.eye(41), atol=1e-8)


def test_a_small_delta_beside_large_features_loses_nothing(rng):
    """δI + YᵗY has a condition of 1e17 here: made as a sum of products, it would have no correct digit left."""
    X = np.c_[1e6 * rng.normal(size=300), 1e-3 * rng.normal(size=300)]
    y = (X[:, 1] > 0).astype(int)
    made = by_triangle(RecursiveLeastSquares(delta=1e-12), X, y)
    Y, scale = np.c_[np.ones(300), X], np.array([1, 1e6, 1e-3])
    expected = np.linalg.lstsq(Y / scale, 2.0 * y - 1, rcond=None)[0] / scale
    np.testing.assert_allclose(made.weights_, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).min())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forgetting": 0.9}, "forgetting=0.9 must be 1 on a cluster, .* order of the rows"),
        ({"max_iter": 2}, "max_iter=2 must be 1 on a cluster"),
        ({"record": "weights"}, "record='weights' must be None"),
        ({"targets": np.ones(9)}, "targets='an array' must be 'ones'"),
    ],
    ids=str,
)
def test_what_depends_on_the_order_is_refused(options, message, rng):
    with pytest.raises(ValueError, match=message):
        by_triangle(RecursiveLeastSquares(**options), rng.normal(size=(9, 2)), np.arange(9) % 2)


def test_rows_that_overflow_are_refused():
    X = np.array([[1e200, 1.0], [1e308, 2.0], [-1e308, 1e308], [1.0, 1.0]])
    with pytest.raises(ValueError, match="X overflows"):
        by_triangle(RecursiveLeastSquares(), X, [0, 1, 0, 1])

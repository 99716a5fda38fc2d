"""Products with Y, whatever holds it: an array, CSR, or samples that imply it."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import samples
from discriminant.geometry import augment, normalize
from discriminant.samples import (
    Samples,
    as_matrix,
    as_vector,
    finite_rows,
    gram,
    product,
    row_sqnorms,
    scaled_blocks,
    transposed_product,
)


def test_whole_numbers_become_float64_and_float32_stays():
    assert as_matrix([[1, 2], [3, 4]]).dtype == np.float64
    assert as_matrix(np.ones((2, 2), np.float32)).dtype == np.float32
    np.testing.assert_array_equal(as_vector([1, 2], 2, "a"), [1.0, 2.0])


def test_products_by_hand():
    Y = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(product(np.eye(2), [3, 4]), [3, 4])
    np.testing.assert_array_equal(transposed_product(Y, [1, 1]), [4, 6])
    np.testing.assert_array_equal(gram(Y, [2, 0]), [[2, 4], [4, 8]])
    np.testing.assert_array_equal(row_sqnorms(np.array([[3.0, 4.0], [0.0, 1.0]])), [25, 1])
    np.testing.assert_array_equal(Samples([[1.0], [3.0]], [1, -1]).gram([1.0, 2.0]), [[3, 7], [7, 19]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_samples_are_the_matrix_that_they_imply(rng, form):
    X, z = rng.normal(size=(9, 3)), np.where(np.arange(9) % 2, 1, -1)
    Y, implied = normalize(augment(X), z), Samples(form(X), z)
    a, v, w = rng.normal(size=4), rng.normal(size=9), rng.uniform(size=9)
    np.testing.assert_allclose(product(implied, a), Y @ a, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(transposed_product(implied, v), Y.T @ v, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(gram(implied, w), (Y.T * w) @ Y, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(row_sqnorms(implied), (Y**2).sum(axis=1), rtol=1e-13)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1, 7, 2**20])
def test_blocks_are_the_rows_times_a_power_of_two(rng, form, size, monkeypatch):
    monkeypatch.setattr("discriminant.samples.BLOCK_SIZE", size)
    X = rng.normal(size=(10, 3)).astype(np.float32)
    rows, exponent = finite_rows(form(X))
    assert 2.0 ** (exponent - 1) <= np.abs(X).max() < 2.0**exponent
    parts, blocks = zip(*scaled_blocks(rows, 0.25), strict=True)
    np.testing.assert_array_equal(np.concatenate([np.arange(10)[part] for part in parts]), np.arange(10))
    dense = [block.toarray() if sparse.issparse(block) else block for block in blocks]
    np.testing.assert_array_equal(np.concatenate(dense), X.astype(np.float64) / 4)


@pytest.mark.parametrize("weights", [None, 2.5, "each"])
def test_products_of_samples(weights, rng, monkeypatch):
    monkeypatch.setattr(samples, "BLOCK_ROWS", 4)  # 12 rows in 3 blocks, 13 in 4
    for n in (3, 12, 13):
        X, z, a = rng.normal(size=(n, 3)), rng.choice([-1.0, 1.0], size=n), rng.normal(size=4)
        Y = z[:, None] * np.column_stack([np.ones(n), X])
        w = rng.normal(size=n) if weights == "each" else weights
        expected = Y.T @ np.diag(np.broadcast_to(1.0 if w is None else w, n)) @ Y
        for kind in (Y, sparse.csr_matrix(Y), Samples(X, z), Samples(sparse.csr_array(X), z)):
            assert kind.shape == Y.shape
            np.testing.assert_allclose(kind @ a, Y @ a, atol=1e-12)
            np.testing.assert_allclose(kind.T @ z, Y.T @ z, atol=1e-12)
            np.testing.assert_allclose(gram(kind, w), expected, atol=1e-12)
            np.testing.assert_array_equal(gram(kind, w), gram(kind, w).T)
            np.testing.assert_allclose(row_sqnorms(kind), np.sum(Y**2, axis=1))


def test_duplicate_entries_are_added_first():
    Y = sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    np.testing.assert_array_equal(row_sqnorms(Y), [9.0, 9.0])
    np.testing.assert_array_equal(gram(Y, [2.0, 1.0]), [[18.0, 0.0], [0.0, 9.0]])
    assert Y.nnz == 3, "the caller's matrix is as it was"


def test_integers_become_floats():
    Y = Samples([[1, 2], [3, 4]], [1, -1])
    assert Y.dtype == np.float64
    np.testing.assert_array_equal(Y @ [1, 1, 0], [2.0, -4.0])


def test_bad_samples():
    with pytest.raises(ValueError, match=r"z must hold the signs .* got 0"):
        Samples([[1.0], [2.0]], [1, 0])
    with pytest.raises(ValueError, match="z must hold 2"):
        Samples([[1.0], [2.0]], [1])
    with pytest.raises(ValueError, match="X must be a matrix"):
        Samples([1.0, 2.0], [1, 1])
    with pytest.raises(ValueError, match="weights must hold 2"):
        Samples([[1.0], [2.0]], [1, 1]).gram([1.0])

"""Sums of products by digits and elimination by panels are those of Python's whole numbers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from discriminant.separation import rows
from discriminant.separation.digits import PANEL, Writing, bits_of, echelon, products, rank_modulo, residues, signs


def some_numbers(rng: np.random.Generator, bits: int, *shape: int) -> np.ndarray:
    """Whole numbers of up to so many bits, zeros and the largest among them."""
    words = rng.integers(0, 2**32, (*shape, bits // 32 + 1)).astype(object)
    numbers = sum(words[..., k] << 32 * k for k in range(words.shape[-1])) % (1 << bits)
    kind = rng.integers(0, 5, shape)
    numbers = np.where(kind == 0, 0, np.where(kind == 1, (1 << bits) - 1, numbers))
    return np.asarray(numbers * rng.choice([-1, 1], shape).astype(object), object)


@pytest.mark.parametrize("left", [1, 8, 21, 22, 30, 50, 61, 200])
@pytest.mark.parametrize("right", [1, 20, 53, 64, 1000])
def test_signs_of_products(left: int, right: int, rng: np.random.Generator) -> None:
    for p in (1, 3, 785):
        y, v = some_numbers(rng, left, 6, p), some_numbers(rng, right, p, 4)
        v[0, 0], v[0, 1] = 1, -1
        y[0], y[1], y[2] = 0, 0, 0
        y[1, 0], y[2, -1] = 1, -1
        y = y if left > 61 else y.astype(np.int64)
        writing = Writing.of(left, right, p)
        digits = writing.right([int(value) for value in v.ravel()]).reshape(-1, p, 4).transpose(1, 0, 2)
        exact = y.astype(object) @ v
        assert_array_equal(
            signs(products(writing.left(y), digits), writing.width), np.sign(exact.astype(object)).astype(int)
        )
        for prime in rows.PRIMES:
            assert_array_equal(residues(writing.left(y), writing.width, prime), y.astype(object) % prime)


def test_one_unit_among_huge_numbers_is_seen() -> None:
    """Sums that cancel but for the last bit, with carries through every place."""
    for bits in (60, 500, 5000):
        writing = Writing.of(1, bits + 1, 2)
        for rest in (-1, 0, 1):
            v = [1 << bits, -(1 << bits) + rest]
            digits = writing.right(v).T[:, :, None]
            assert signs(products(writing.left(np.array([[1, 1]])), digits), writing.width) == rest


def test_bits() -> None:
    assert bits_of([]) == bits_of(np.empty((0, 3), np.int64)) == bits_of([0]) == 0
    assert bits_of([-8, 7]) == bits_of(np.array([-8, 7])) == 4
    assert bits_of(np.array([1 << 100, -(1 << 101)], object)) == 102


@pytest.mark.parametrize("n", [1, 7, 9, PANEL, PANEL + 1, 300])
def test_the_echelon_form_is_the_plain_one(n: int, rng: np.random.Generator) -> None:
    for rank in (1, 5, 40):
        M = rng.integers(-99, 100, (n, rank)) @ rng.integers(-9, 10, (rank, 60))
        M[rng.random(M.shape) < 0.2 * (rank > 5)] = 0
        for some in (M, [[int(value) << 70 for value in row] for row in M.tolist()]):
            columns, E = echelon(iter(some), rows.PRIMES[0])
            known, reduced = rows.echelon([list(map(int, row)) for row in some], rows.PRIMES[0])
            assert columns == known
            assert_array_equal(E, reduced)
            assert rank_modulo(iter(some), rows.PRIMES[0]) == len(known)
    assert echelon([], rows.PRIMES[0])[0] == []
    assert rank_modulo([[0, 0]], rows.PRIMES[0]) == 0


def test_the_largest_residues_do_not_overflow() -> None:
    """Rows of residues as large as they can be: sums of products come next to what float64 can hold."""
    prime = rows.PRIMES[0]
    n = 2 * PANEL
    M = np.full((n, n), prime // 2) + np.diag(np.arange(1, n + 1))
    columns, E = echelon(M, prime)
    known, reduced = rows.echelon(M.tolist(), prime)
    assert columns == known
    assert_array_equal(E, reduced)

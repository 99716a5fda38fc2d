"""Tests of Dixon's lifting: what it returns solves the equations, in whole numbers."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
import pytest
from exact_oracle import dot

from discriminant._engine.progress import OutOfTime
from discriminant.separation import lifting
from discriminant.separation.integers import LIFTED, solve
from discriminant.separation.lifting import lifted


def solves(A: Any, B: Any, found: Any) -> bool:
    """Whether Ax = qb for each column b of B, with numbers that have no common divisor."""
    return found is not None and all(
        q > 0 and gcd(q, *x) == 1 and [dot(row, x) for row in A] == [q * row[k] for row in B]
        for k, (q, x) in zip(range(len(B[0])), found, strict=True)
    )


def whole(rng: np.random.Generator, shape: tuple[int, int], bits: int) -> list[list[int]]:
    """Numbers of any size, with their signs."""
    words = [rng.integers(0, 2**30, shape).astype(object) << 30 * k for k in range(-(-bits // 30))]
    return ((sum(words) % 2**bits) * rng.choice([-1, 1], shape)).tolist()


@pytest.mark.parametrize("n", [1, 2, 7, 30])
@pytest.mark.parametrize("bits", [1, 8, 70, 200])
def test_solutions_are_exact(n: int, bits: int, rng: np.random.Generator) -> None:
    for _ in range(3):
        A, B = whole(rng, (n, n), bits), whole(rng, (n, 2), int(rng.integers(1, 100)))
        found = lifted(A, B)
        if found is None:
            assert np.linalg.matrix_rank(np.array(A, float)) < n
        else:
            assert solves(A, B, found)


def test_solutions_of_their_own_denominators() -> None:
    """Small factors are all that tells one denominator from the other."""
    A = np.diag([2, 3, 4, 5, 49] * 4)[np.random.default_rng(0).permutation(20)].tolist()
    B = [[1, 0, 6, row[0]] for row in A]
    found = lifted(A, B)
    assert solves(A, B, found)
    assert [q for q, _ in found or []] == [2940, 1, 490, 1]


def test_numbers_of_many_sizes(rng: np.random.Generator) -> None:
    """Rows as those of patterns that are read with many decimals, and of some with few."""
    powers = rng.integers(0, 40, 40).tolist()
    A = [[value * 10**k for value in row] for row, k in zip(whole(rng, (40, 40), 20), powers, strict=True)]
    B = [[10**60, 0] for _ in A]
    found = lifted(A, B)
    assert solves(A, B, found)
    assert found is not None
    assert found[1] == (1, [0] * 40)


def test_no_prime_shows_that_a_singular_matrix_is_regular(rng: np.random.Generator) -> None:
    A = whole(rng, (12, 12), 40)
    A[3] = [2 * one - other for one, other in zip(A[5], A[7], strict=True)]
    assert lifted(A, [[1]] * 12) is None
    with pytest.raises(ZeroDivisionError):
        solve(A, [[1]] * 12)


def test_a_determinant_that_the_first_prime_divides(rng: np.random.Generator) -> None:
    A = whole(rng, (9, 9), 12)
    first, second, _ = lifting._primes(9)
    A[0] = [first * value for value in A[0]]
    found = lifted(A, [[1]] * 9)
    assert solves(A, [[1]] * 9, found)
    A[1] = [second * value for value in A[1]]
    found = lifted(A, [[1]] * 9)
    assert solves(A, [[1]] * 9, found)


def test_large_systems_are_lifted(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of so many products are exact too; whoever listens can end the work."""
    n = LIFTED + 350
    A, B = whole(rng, (n, n), 7), whole(rng, (n, 1), 7)
    monkeypatch.setattr("discriminant.separation.integers.call", None)
    ((q, x),) = solve(A, B)
    chosen = rng.choice(n, 20, replace=False)
    assert all(dot(A[i], x) == q * B[i][0] for i in chosen)
    near = np.linalg.solve(np.array(A, float), np.array(B, float)).ravel()
    np.testing.assert_allclose([float(Fraction(value, q)) for value in x[:20]], near[:20], rtol=1e-6)

    def stop(text: str, share: float) -> None:
        raise OutOfTime(text)

    with pytest.raises(OutOfTime):
        solve(A, B, stop)

"""Numbers are read exactly, patterns give the rows z, and elimination in whole numbers is right."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from exact_oracle import rank, rows_of
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from discriminant.separation.rows import (
    PRIMES,
    Construction,
    ExactTable,
    binary_parts,
    decimal_parts,
    rank_modulo_prime,
    spans,
    weighted_sum,
    whole_numbers,
)

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite)
@example(0.1)
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
@example(9007199254740993.0)
@example(1e22)
@example(1e23)
@example(-1e150)
@example(1.25e-150)
def test_parts_of_numbers(value: float) -> None:
    m, e = decimal_parts(value)
    assert m * Fraction(10) ** e == Fraction(repr(value))
    m, e = binary_parts(value)
    assert m * Fraction(2) ** e == Fraction(value)


@given(st.lists(finite, max_size=5))
def test_whole_numbers(values: list[float]) -> None:
    for reading, exact in (("decimal", lambda v: Fraction(repr(v))), ("float", Fraction)):
        m, q = whole_numbers(values, reading)
        assert q > 0
        assert [Fraction(number, q) for number in m] == [exact(v) for v in values]


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=4))
@example([np.float32(0.1).item(), np.float32(1e-45).item(), np.float32(16777217).item()])
def test_float32_means_its_own_shortest_form(values: list[float]) -> None:
    X = np.array([values], np.float32)
    row = ExactTable(X, "decimal").row(0)
    assert [Fraction(m, row.q) for m in row.m] == [Fraction(str(value)) for value in X[0]]
    row = ExactTable(X, "float").row(0)
    assert [Fraction(m, row.q) for m in row.m] == [Fraction(value) for value in values]


def test_integers_are_not_rounded() -> None:
    for dtype, value in ((np.int64, -(2**63)), (np.int64, 2**53 + 1), (np.uint64, 2**64 - 1), (np.int8, -128)):
        for reading in ("decimal", "float"):
            row = ExactTable(np.array([[value, 1]], dtype), reading).row(0)
            assert (row.m, row.q) == ([value, 1], 1)
    assert ExactTable(np.array([[True, False]]), "decimal").row(0).m == [1, 0]
    assert ExactTable([[1, 0.5]], "decimal").augmented(0, True) == ([10, 10, 5], 10)
    assert ExactTable([[1, 0.5]], "float").augmented(0, False) == ([2, 1], 2)


def test_a_sparse_row_is_the_dense_one() -> None:
    dense = np.array([[0.1, 0.0, -2.5], [0.0, 0.0, 0.0], [1e-150, 3.0, 0.0]])
    twice = sparse.csr_array(
        (np.array([0.1, -1.25, -1.25, 3.0, 1e-150]), np.array([0, 2, 2, 1, 0]), np.array([0, 3, 3, 5])), shape=(3, 3)
    )
    for matrix in (sparse.csr_array(dense), sparse.coo_array(dense), sparse.csc_matrix(dense), twice):
        before = getattr(matrix, "nnz", None)
        for reading in ("decimal", "float"):
            table, other = ExactTable(matrix, reading), ExactTable(dense, reading)
            for i in range(3):
                row, whole = table.row(i), other.row(i)
                assert [Fraction(m, row.q) for m in row.full(3)] == [Fraction(m, whole.q) for m in whole.full(3)]
                assert Fraction(row.times([3, 5, 7]), row.q) == Fraction(whole.times([3, 5, 7]), whole.q)
        assert matrix.nnz == before
    assert_array_equal(twice.data, [0.1, -1.25, -1.25, 3.0, 1e-150])


def blocks_of_numbers(rng: np.random.Generator) -> list[np.ndarray]:
    """Tables of all types and sizes of numbers."""
    X = rng.integers(-99, 100, (40, 4))
    wide = 10.0 ** rng.integers(-30, 30, (40, 4))
    return [
        X, X.astype(np.int8), X > 0, X + 2**62, X.astype(np.uint64), X.astype(np.float64), X / 100, X * 1e-17, X * 1e15,
        X * wide, (X / 10).astype(np.float32), (X * wide).astype(np.float32), (X / 7).astype(np.float32),
        (X / 10).astype(np.float16), rng.normal(size=(40, 4)), rng.normal(size=(40, 4)).round(14), X * 5e-324,
        X * 2.0**-60, np.where(X > 50, X / 3, X / 100), np.zeros((3, 0)), X * 1e300,
    ]  # fmt: skip


def test_machine_integers_are_the_numbers_of_the_rows(rng: np.random.Generator) -> None:
    good = 0
    for X in blocks_of_numbers(rng):
        for matrix in (X, sparse.csr_array(X)) if X.dtype != np.float16 else (X,):
            for reading in ("decimal", "float"):
                table, chosen = ExactTable(matrix, reading), np.arange(len(X) - 1, 0, -2)
                scaled = table.scaled(chosen)
                assert scaled.m.dtype == scaled.q.dtype == np.int64
                columns = range(X.shape[1]) if scaled.columns is None else scaled.columns.tolist()
                for i, m, q in zip(chosen[scaled.good], scaled.m[scaled.good], scaled.q[scaled.good], strict=True):
                    row = table.row(int(i))
                    full = row.full(X.shape[1])
                    assert int(q) == row.q
                    assert {j: int(value) for j, value in zip(columns, m, strict=True) if value} == {
                        j: value for j, value in enumerate(full) if value
                    }
                good += int(scaled.good.sum())
    assert good > 700


def test_most_tables_are_read_as_machine_integers(rng: np.random.Generator) -> None:
    X = rng.integers(-999, 1000, (50, 3))
    single = (X / 100).astype(np.float32)
    for table in (X, X.astype(float), X / 1000, X / 1e12, single, X * 2**40, sparse.csr_array(X)):
        assert ExactTable(table, "decimal").scaled(np.arange(50)).good.all()
    for table in (X, X / 8, rng.random((50, 3)) + 1, X.astype(np.float16)):
        assert ExactTable(table, "float").scaled(np.arange(50)).good.all()
    assert not ExactTable(np.full((2, 1), 2**63, np.uint64), "float").scaled(np.arange(2)).good.any()


def test_a_table_has_rows_and_columns() -> None:
    for X in (3, [1, 2], np.ones((2, 2, 2)), None):
        with pytest.raises(ValueError, match="give a table of rows and columns"):
            ExactTable(X, "decimal")
    with pytest.raises(ValueError, match="no number"):
        ExactTable([["a"]], "decimal")


def test_ranks(rng: np.random.Generator) -> None:
    assert rank_modulo_prime([]) == 0
    for trial in range(200):
        n, m, r = rng.integers(1, 7, 3)
        M = (rng.integers(-3, 4, (n, r)).astype(object) @ rng.integers(-3, 4, (r, m)).astype(object)).tolist()
        factor = 1 if trial % 2 else 10**40
        assert rank_modulo_prime([[factor * value for value in row] for row in M]) == rank(M)


def test_a_rank_modulo_a_prime_never_exceeds_the_rank(rng: np.random.Generator) -> None:
    """Multiples of the primes vanish: the rank found may fall, and must not rise."""
    a, b, c = PRIMES
    assert rank_modulo_prime([[a, 0], [0, a]]) == 2  # another prime sees it
    assert rank_modulo_prime([[a * b * c, 0], [0, 1]]) == 1
    for _ in range(100):
        M = [[int(v) * int(rng.choice([1, a, b * c])) + int(rng.integers(2)) * a for v in row]
             for row in rng.integers(-2, 3, (4, 4))]  # fmt: skip
        assert rank_modulo_prime(M) <= rank(M)


def test_the_primes_are_primes() -> None:
    assert len(set(PRIMES)) == 3
    for prime in PRIMES:
        assert prime < 2**31
        assert all(prime % k for k in range(2, int(prime**0.5) + 1))


# Rows z --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_groups", [0, 2, 3, 4])
def test_rows_are_those_of_kesler(n_groups: int, intercept: bool, rng: np.random.Generator) -> None:
    """The rows z, their names and their sides, beside those of the tests' own solver."""
    X = rng.integers(-3, 4, (9, 2)) / 10
    own = [int(k) for k in rng.integers(0, n_groups or 2, 9)]
    table, construction = ExactTable(X, "decimal"), Construction(n_groups, 2, intercept)
    patterns = [table.augmented(i, intercept) for i in range(9)]
    names = [(i, rival) for i in range(9) for rival in construction.rivals(own[i])]
    made = [(i, tuple(construction.z(patterns[i][0], own[i], rival))) for i, rival in names]
    assert made == rows_of([tuple(y) for y, _ in patterns], own, n_groups)
    assert construction.n_columns == len(made[0][1]) == (2 + intercept) * max(n_groups - 1, 1)
    b = [int(value) for value in rng.integers(-9, 10, construction.n_columns)]
    for (i, rival), (_, z) in zip(names, made, strict=True):
        sides = construction.sides(table.row(i), own[i], construction.blocks(b))
        assert list(sides) == list(construction.rivals(own[i]))
        assert [sides[rival]] == weighted_sum(b, [[value] for value in z])


# Elimination ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_combinations_of_rows(rng: np.random.Generator, rows: int) -> None:
    M = [[int(value) for value in row] for row in rng.integers(-9, 10, (rows, 6))]
    inside = [[int(value) for value in row] for row in rng.integers(-3, 4, (5, rows)) @ np.array(M)]
    assert spans(M, inside)
    assert spans(M, M[::-1])
    assert spans([], [[0] * 6])
    outside = [value + 10**9 * (k == 5) for k, value in enumerate(inside[0])]
    assert spans(M, [*inside, outside]) == (rank([*M, outside]) == rank(M))
    assert not spans(M, [[10**20 + k**3 for k in range(6)]]) or rows > 5

"""Linear algebra in whole numbers: against elimination in fractions, rays, and the conditions of optimality."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import time
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exact_oracle import dot, rays
from exact_oracle import rank as rank_in_fractions
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls

from discriminant._engine.progress import OutOfTime
from discriminant.separation import flint as _flint
from discriminant.separation import nonnegative as _nonnegative
from discriminant.separation.integers import (
    alternative,
    combined,
    coordinates,
    kernel,
    nearest_point,
    pivots,
    primitive,
    products,
    rank,
    relation,
    solve,
    whole,
)
from discriminant.separation.nonnegative import heard

Matrix = list[list[int]]


def matrices(rng: np.random.Generator, count: int) -> list[Matrix]:
    """Small whole numbers with dependent rows, zero rows and numbers beyond 64 bits."""
    made = []
    for trial in range(count):
        n, m, r = rng.integers(1, 7), rng.integers(1, 6), rng.integers(1, 5)
        M = (rng.integers(-2, 3, (n, r)).astype(object) @ rng.integers(-2, 3, (r, m)).astype(object)).tolist()
        made.append([[value * (1 if trial % 3 else 10**25) for value in row] for row in M])
    return made


def test_primitive_and_whole() -> None:
    assert primitive([6, -9, 0]) == [2, -3, 0]
    assert primitive([0, 0]) == [0, 0]
    assert primitive([10**40]) == [1]
    assert whole([Fraction(1, 2), Fraction(-1, 3), Fraction(0)]) == [3, -2, 0]
    assert whole([Fraction(-4), Fraction(6)]) == [-2, 3]


def test_ranks_kernels_and_products(rng: np.random.Generator) -> None:
    assert rank([]) == 0
    for M in matrices(rng, 150):
        assert rank(M) == rank_in_fractions(M)
        basis = kernel(M)
        assert len(basis) == len(M[0]) - rank(M)
        assert rank_in_fractions(basis) == len(basis)
        assert all(gcd(*vector) == 1 for vector in basis)
        assert products(M, basis) == [[0] * len(basis) for _ in M]
        assert products(M, M) == [[dot(a, b) for b in M] for a in M]
    assert products([[1, 2]], []) == [[]]
    assert products([], [[1]]) == []


def test_a_relation_is_unique(rng: np.random.Generator) -> None:
    found_some = 0
    for M in matrices(rng, 200):
        found = relation(M)
        if rank_in_fractions(M) != len(M) - 1:
            assert found is None
            continue
        found_some += 1
        assert found is not None
        assert any(found)
        assert all(dot(found, column) == 0 for column in zip(*M, strict=True))
        assert gcd(*found) == 1
    assert found_some > 20


def full(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(-9, 10, (n, n)).astype(object) * 10**25


def mostly_zero(rng: np.random.Generator, n: int) -> Any:
    return np.diag(rng.integers(1, 9, n)) + rng.integers(-5, 6, (n, n)) * (rng.random((n, n)) < 1.5 / n)


def bordered(rng: np.random.Generator, n: int) -> Any:
    """A factor: an unknown of every equation, and one of its own for each."""
    A = np.diag(rng.integers(1, 9, n))
    A[:, 0] = rng.integers(1, 9, n)
    return A


def triangle(rng: np.random.Generator, n: int) -> Any:
    """Each equation gives its unknown in turn; rows and columns come in any order."""
    A = np.tril(rng.integers(-5, 6, (n, n)), -1) + np.diag(rng.integers(1, 9, n))
    return A[rng.permutation(n)][:, rng.permutation(n)]


@pytest.mark.parametrize("make", [full, mostly_zero, bordered, triangle])
@pytest.mark.parametrize("turned", [False, True])
def test_equations_are_solved_exactly(make: Any, turned: bool, rng: np.random.Generator) -> None:
    tried = 0
    for _ in range(40):
        n, m = int(rng.integers(1, 9)), int(rng.integers(1, 4))
        A = (make(rng, n).T if turned else make(rng, n)).tolist()
        B = rng.integers(-9, 10, (n, m)).tolist()
        if rank_in_fractions(A) < n:
            continue
        tried += 1
        given = [list(row) for row in A], [list(row) for row in B]
        for b, (q, x) in zip(zip(*B, strict=True), solve(A, B), strict=True):
            assert q > 0
            assert [dot(row, x) for row in A] == [q * value for value in b]
        assert given == (A, B)
    assert tried > 20


def test_what_one_unknown_gives_is_not_solved_for(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, *matrices: Matrix) -> Any:
        raise AssertionError(name)

    monkeypatch.setattr("discriminant.separation.integers.call", refuse)
    for make in (bordered, triangle):
        for A in (make(rng, 8), make(rng, 8).T):
            ((q, x),) = solve(A.tolist(), [[1]] * 8)
            assert [dot(row, x) for row in A.tolist()] == [q] * 8


def test_coordinates_and_sums_of_rows(rng: np.random.Generator) -> None:
    tried = 0
    for M in matrices(rng, 150):
        weights = [int(w) * 10**20 for w in rng.integers(-9, 10, len(M))]
        assert combined(weights, M) == [dot(weights, column) for column in zip(*M, strict=True)]
        if rank_in_fractions(M) < len(M):
            continue
        tried += 1
        factors = rng.integers(-9, 10, (3, len(M))).tolist()
        vectors = [combined(some, M) for some in factors]
        vectors = [primitive(vector) for vector in vectors]  # so that most need a denominator
        found = coordinates(M, vectors)
        assert len(found) == 3
        for vector, (q, share) in zip(vectors, found, strict=True):
            assert q > 0
            assert combined(share, M) == [q * value for value in vector]
    assert tried > 20
    assert coordinates([[1, 0], [1, 1]], [[3, 2]]) == [(1, [1, 2])]
    assert coordinates([[2, 0], [0, 3]], [[1, 1]]) == [(6, [3, 2])]
    assert coordinates([], [[0, 0]]) == [(1, [])]
    assert coordinates([[1, 2]], []) == []


def test_a_vector_of_a_kernel_belongs_to_a_column_that_depends_on_others(rng: np.random.Generator) -> None:
    """Sparse rows, some of them twice, with columns of zeros: the basis is that of the reduced echelon form."""
    for _ in range(60):
        M = rng.integers(-3, 4, (int(rng.integers(1, 6)), 7)) * (rng.random(7) < 0.7) * (rng.random((1, 7)) < 0.8)
        M = np.concatenate([M, M[:2]]).tolist()
        basis = kernel(M)
        columns = [list(column) for column in zip(*M, strict=True)]
        dependent = [j for j in range(7) if rank_in_fractions(columns[: j + 1]) == rank_in_fractions(columns[:j])]
        assert sorted(max(j for j, value in enumerate(vector) if value) for vector in basis) == dependent
        assert all(dot(row, vector) == 0 for row in M for vector in basis)
        for vector in basis:
            assert sum(vector[j] != 0 for j in dependent) == 1
            assert next(vector[j] for j in dependent if vector[j]) > 0


def test_a_relation_whose_rows_are_known() -> None:
    assert relation([[1, 0], [0, 2], [-3, -2]]) in ([3, 1, 1], [-3, -1, -1])
    assert relation([[1, 1], [0, 0]]) in ([0, 1], [0, -1])
    assert relation([[1, 0], [0, 1]]) is None  # none at all
    assert relation([[1, 0], [2, 0], [3, 0]]) is None  # more than one


def test_numbers_that_are_prime_themselves() -> None:
    """Modulo one of them, a row vanishes; the second prime depends on the rows, and is none of them."""
    rows = [[2**61 - 1, 0], [0, 2**62 - 57]]
    assert pivots(rows) == [0, 1]
    assert kernel([[2**61 - 1, 0, 0], [0, 2**62 - 57, 0]]) == [[0, 0, 1]]
    assert relation([*rows, [2**61 - 1, 2**62 - 57]]) == [1, 1, -1]


def test_each_turn_of_the_alternative_can_be_ended(rng: np.random.Generator) -> None:
    class Ended(Exception): ...

    def end(text: str, share: float) -> None:
        told.append(text)
        if len(told) == 3:
            raise Ended

    told: list[str] = []
    with pytest.raises(Ended):
        alternative(rng.integers(-9, 10, (40, 6)).tolist(), tick=end)
    assert told[2] == "whole numbers of 3 rows"


def test_coordinates_need_independent_rows() -> None:
    assert coordinates([[2, 0], [0, 3]], [[1, 1]]) == [(6, [3, 2])]
    with pytest.raises(ZeroDivisionError):
        coordinates([[1, 1], [2, 2]], [[1, 1]])


@pytest.mark.parametrize("start", ["first", "last", "all"])
def test_gordans_alternative(start: str, rng: np.random.Generator) -> None:
    seen = {True: 0, False: 0}
    for M in matrices(rng, 300):
        begin = {"first": [0], "last": [len(M) - 1], "all": list(range(len(M)))}[start]
        t, weights = alternative(M, begin)
        _, found = rays(M, len(M[0]))
        b = [sum(column) for column in zip(*found, strict=True)]
        separable = bool(b) and all(dot(row, b) > 0 for row in M)
        assert (t is not None) == separable
        seen[separable] += 1
        if t is not None:
            assert all(dot(row, t) > 0 for row in M)
            assert weights == {}
            continue
        assert min(weights.values()) > 0
        assert all(sum(w * M[k][j] for k, w in weights.items()) == 0 for j in range(len(M[0])))
        assert rank_in_fractions([M[k] for k in weights]) == len(weights) - 1  # their only relation
    assert min(seen.values()) > 30


@pytest.mark.parametrize("groups", [1, 2])
def test_the_nearest_point_meets_the_conditions_of_optimality(groups: int, rng: np.random.Generator) -> None:
    """X is a sum of points of the hulls, and no row of a group lies behind those that have a share in it."""
    at_zero = 0
    for trial in range(200):
        n, d = int(rng.integers(groups, 9)), int(rng.integers(1, 4))
        rows = rng.integers(-4, 5, (n, d)).tolist()
        if trial % 2:
            rows = [[value + 5 for value in row] for row in rows]
        group = [k % groups for k in range(n)]
        x, weights = nearest_point(rows, group, [n - 1] if trial % 3 else list(range(n)))
        assert min(weights.values()) > 0
        for g in range(groups):
            assert sum(w for k, w in weights.items() if group[k] == g) == 1
        point = [sum(w * rows[k][j] for k, w in weights.items()) for j in range(d)]
        assert any(x) == any(point)
        if not any(point):
            at_zero += 1
            continue
        factor = next(Fraction(a) / p for a, p in zip(x, point, strict=True) if p)
        assert factor > 0
        assert [factor * p for p in point] == x
        for g in range(groups):
            sides = {k: dot(rows[k], x) for k in range(n) if group[k] == g}
            assert all(sides[k] == min(sides.values()) for k in weights if group[k] == g)
    assert 20 < at_zero < 180


def test_a_known_nearest_point() -> None:
    x, weights = nearest_point([[0, 3], [4, 0], [9, 9]], [0, 0, 0], [2])
    assert x == [3, 4]  # the foot of the height of a right triangle, (36/25, 48/25)
    assert weights == {0: Fraction(16, 25), 1: Fraction(9, 25)}


def test_any_separating_vector_will_do() -> None:
    rows = [[1, 0], [1, 5], [1, -5], [3, 1]]
    x, _ = nearest_point(rows, [0] * 4, [0], stop_outside=True)
    assert all(dot(row, x) > 0 for row in rows)


# Long calls ---------------------------------------------------------------------------------------------------------


def test_long_calls_are_made_elsewhere_with_the_same_answers(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    rows = rng.integers(-9, 10, (3, 5)).tolist()
    square = (np.eye(3, dtype=int) * 5 + rng.integers(-1, 2, (3, 3))).tolist()
    calls = [("rank", rows), ("pivots", rows), ("nullspace", rows), ("multiply", rows, rows), ("solve", square, square),
             ("flat", rows, [[1, 0], [0, 1], [1, 0]])]  # fmt: skip
    here = [_flint.call(name, *matrices) for name, *matrices in calls]
    monkeypatch.setattr(_flint, "SHORT", 0)
    monkeypatch.setattr(_flint, "CALLS", {})  # nothing is made in this process
    assert [_flint.call(name, *matrices) for name, *matrices in calls] == here
    with pytest.raises(ZeroDivisionError):
        _flint.call("solve", [[1, 1], [1, 1]], [[1], [2]])


@pytest.mark.parametrize("program", ["/nonexistent/python", "false"])
def test_without_another_python_long_calls_are_made_here(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_flint, "SHORT", 0)
    monkeypatch.setattr(sys, "executable", program)
    assert _flint.call("rank", [[1, 2], [2, 4]]) == 1


def test_files_beside_the_data_are_not_taken_for_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "flint.py").write_text("raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_flint, "SHORT", 0)
    monkeypatch.setattr(_flint, "CALLS", {})  # nothing is made in this process
    assert _flint.call("rank", [[1, 2], [2, 4]]) == 1


def test_an_answer_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"4 rows of 60,000 numbers, whose answer has about \d+ GB: take fewer"):
        _flint.call("nullspace", [[1 << 60] * 60_000] * 4)


@pytest.mark.ci
def test_a_lack_of_memory_is_an_error_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that does the work may have 1 GB of addresses; its answer needs more."""
    monkeypatch.setattr(_flint, "SHORT", 0)
    monkeypatch.setattr(_flint, "LARGEST", np.inf)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    began = subprocess.Popen

    def limited(*arguments: Any, **options: Any) -> Any:
        few = (2**30, limits[1])
        return began(*arguments, **options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, few))

    monkeypatch.setattr(subprocess, "Popen", limited)
    with pytest.raises(ValueError, match="not enough memory for it: take fewer features"):
        _flint.call("nullspace", [[1 << 60] * 9_000])


def test_ctrl_c_ends_a_long_call(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    monkeypatch.setattr(_flint, "SHORT", 0)
    rows = [[int(value) << 500 for value in row] for row in rng.integers(-(2**60), 2**60, (150, 151))]
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            _flint.call("nullspace", [[value + k for k, value in enumerate(row)] for row in rows])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(
    ("m", "q", "shift"), [(40, 5, 0.0), (40, 5, 1.0), (200, 60, 0.0), (200, 60, 0.4), (20, 40, 0.1)]
)
def test_nonnegative_least_squares_step_by_step(rng: np.random.Generator, m: int, q: int, shift: float) -> None:
    A = np.vstack([rng.normal(shift, size=(q, m)), np.ones(m)])
    A[:, m // 2 :] = A[:, : m - m // 2]  # each column twice
    b = np.r_[np.zeros(q), 1.0]
    known, nothing = nnls(A, b)[0], np.zeros(m)
    for start in (nothing, known, _nonnegative._by_blocks(A, b, nothing, None)):
        assert start.min() >= 0
        x = _nonnegative._stepwise(A, b, 1000, start)
        assert x.min() >= 0
        assert_allclose(A @ x, A @ known, atol=1e-9)
    with pytest.raises(RuntimeError, match="too many steps"):
        _nonnegative._stepwise(A, b, 1, nothing)


def test_whoever_listens_can_end_long_work(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """``max_seconds`` ends it like that."""

    def stop(text: str, share: float) -> None:
        raise OutOfTime(text)

    monkeypatch.setattr(_flint, "SHORT", 0)
    monkeypatch.setattr(_nonnegative, "SHORT", 0)
    rows = [[int(value) << 500 for value in row] for row in rng.integers(-(2**60), 2**60, (150, 151))]
    A, b = rng.normal(size=(60, 200)), rng.normal(size=60)
    began = time.monotonic()
    for work in (
        lambda: _flint.call("nullspace", [[value + k for k, value in enumerate(row)] for row in rows], tick=stop),
        lambda: _nonnegative.heard(time.sleep, 20, tick=stop),
        lambda: _nonnegative.nonnegative(A, b, 1000, tick=stop),
        lambda: _nonnegative._stepwise(A, b, 1000, np.zeros(200), stop),
    ):
        with pytest.raises(OutOfTime):
            work()
    assert time.monotonic() - began < 10
    assert _nonnegative.heard(sorted, [2, 1], tick=stop, reverse=True) == [2, 1]


def test_ctrl_c_ends_the_wait_for_a_long_call(rng: np.random.Generator) -> None:
    A = rng.normal(size=(2, 2000))
    assert_array_equal(heard(np.linalg.qr, A)[1], np.linalg.qr(A)[1])
    with pytest.raises(np.linalg.LinAlgError):
        heard(np.linalg.inv, A)
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            heard(lambda _: time.sleep(5), A)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert time.monotonic() - began < 2

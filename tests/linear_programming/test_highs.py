"""The solver's wrapper: optima and their duals, whole numbers, early ends, failures, silence."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import LinearConstraint, linprog, milp

import discriminant
from discriminant.linear_programming.highs import Program, SolverError, solve

TRIANGLE = np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 1]])


def covering(A: Any, whole: bool = False) -> Program:
    """Minimize the sum of u with Au >= 1 and 0 <= u <= 1."""
    m, n = A.shape
    mask = np.ones(n, bool) if whole else None
    return Program(np.ones(n), sparse.csr_array(A), np.ones(m), np.full(m, np.inf), np.zeros(n), np.ones(n), mask)


@pytest.fixture
def long() -> Program:
    """A program of some seconds."""
    rng = np.random.default_rng(0)
    n, d = 8000, 20
    A = sparse.hstack([sparse.csr_array(rng.normal(size=(n, d))), sparse.eye_array(n)], format="csr")
    lower = np.r_[np.full(d, -np.inf), np.zeros(n)]
    cost = np.r_[np.zeros(d), np.ones(n)]
    return Program(cost, A, np.ones(n), np.full(n, np.inf), lower, np.full(n + d, np.inf))


def test_an_optimum_and_its_duals() -> None:
    answer = solve(covering(TRIANGLE))
    assert answer.status == "optimal"
    np.testing.assert_allclose(answer.primal, 0.5)
    np.testing.assert_allclose(answer.row_duals, 0.5)
    assert (answer.objective, answer.bound) == (1.5, 1.5)


def test_whole_numbers() -> None:
    answer = solve(covering(TRIANGLE, whole=True))
    assert answer.status == "optimal"
    assert sorted(abs(answer.primal.round(9))) == [0, 1, 1]
    assert answer.objective == answer.bound == pytest.approx(2)
    assert np.all(np.isnan(answer.row_duals))


@pytest.mark.parametrize("presolve", [True, False])
@pytest.mark.parametrize("method", ["choose", "simplex", "ipm"])
def test_agrees_with_scipy(presolve: bool, method: Any, rng: np.random.Generator) -> None:
    for _ in range(5):
        A, cost = rng.normal(size=(12, 6)), rng.normal(size=6)
        ends = np.ones(12), np.full(12, np.inf)
        program = Program(cost, sparse.csc_array(A), -ends[0], ends[1], np.full(6, -2.0), np.full(6, 3.0))
        answer = solve(program, presolve=presolve, method=method)
        oracle = linprog(cost, -A, ends[0], bounds=(-2, 3))
        assert answer.objective == pytest.approx(oracle.fun, abs=1e-7)
        np.testing.assert_allclose(answer.row_duals, -oracle.ineqlin.marginals, atol=1e-6)


def test_whole_numbers_agree_with_scipy(rng: np.random.Generator) -> None:
    for _ in range(5):
        A = (rng.random((25, 15)) < 0.25).astype(float)
        A[np.arange(25), rng.integers(0, 15, 25)] = 1
        oracle = milp(np.ones(15), integrality=np.ones(15), bounds=(0, 1), constraints=LinearConstraint(A, lb=1))
        assert solve(covering(A, whole=True)).objective == pytest.approx(oracle.fun)


def test_rows_and_columns_are_the_same_matrix() -> None:
    program = covering(TRIANGLE[:2])
    assert solve(program).objective == solve(replace(program, A=program.A.tocsc())).objective == 1


def test_the_same_program_has_the_same_answer(rng: np.random.Generator) -> None:
    A = (rng.random((40, 30)) < 0.15).astype(float)
    A[np.arange(40), rng.integers(0, 30, 40)] = 1
    one, other = (solve(covering(A, whole=True)) for _ in range(2))
    np.testing.assert_array_equal(one.primal, other.primal)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"upper": np.full(3, 0.1)}, "'Infeasible'"),
        ({"cost": -np.ones(3), "upper": np.full(3, np.inf)}, "'Unbounded'|'Primal infeasible or unbounded'"),
        ({"cost": np.array([1, np.nan, 1])}, "NaN or infinity"),
        ({"row_lower": np.array([1, np.nan, 1])}, "HiGHS refuses"),
    ],
)
def test_a_failed_solve_raises(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SolverError, match=message):
        solve(replace(covering(TRIANGLE), **changes))


def test_an_option_that_the_solver_refuses() -> None:
    with pytest.raises(SolverError, match="time_limit=-1"):
        solve(covering(TRIANGLE), time_limit=-1)


class TestEarlyEnds:
    def test_time_limit(self, long: Program) -> None:
        start = time.monotonic()
        answer = solve(long, method="simplex", time_limit=0.1)
        assert answer.status == "time limit"
        assert answer.status != "optimal"
        assert time.monotonic() - start < 2
        assert answer.bound == -np.inf

    def test_stop_is_heard(self, long: Program) -> None:
        start = time.monotonic()
        answer = solve(long, method="simplex", stop=lambda: time.monotonic() - start > 0.2)
        assert answer.status == "stopped"
        assert 0.15 < time.monotonic() - start < 2

    def test_an_exception_of_the_caller_ends_the_solver(self, long: Program) -> None:
        asked: list[int] = []

        def stop() -> bool:
            if asked:
                raise KeyboardInterrupt
            asked.append(1)
            return False

        with pytest.raises(KeyboardInterrupt):
            solve(long, method="simplex", stop=stop)
        assert not [thread for thread in threading.enumerate() if thread.name == "HiGHS"]

    def test_whole_numbers_keep_their_bound(self, rng: np.random.Generator) -> None:
        A = (rng.random((300, 200)) < 0.03).astype(float)
        A[np.arange(300), rng.integers(0, 200, 300)] = 1
        answer = solve(covering(A, whole=True), time_limit=0.3)
        assert answer.status == "time limit"
        assert 0 < answer.bound <= answer.objective


def test_in_a_thread_of_the_caller() -> None:
    found: list[float] = []
    thread = threading.Thread(target=lambda: found.append(solve(covering(TRIANGLE)).objective))
    thread.start()
    thread.join()
    assert found == [1.5]


def test_silence(capfd: pytest.CaptureFixture[str]) -> None:
    solve(covering(TRIANGLE, whole=True))
    assert capfd.readouterr() == ("", "")


def test_no_other_file_knows_the_solver() -> None:
    sources = Path(discriminant.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if "import highspy" in path.read_text(encoding="utf-8")] == ["highs.py"]

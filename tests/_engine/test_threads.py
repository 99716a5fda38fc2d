"""Threads: what a task computes does not depend on how many there are, and BLAS gets its own back."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_info, threadpool_limits

from discriminant import LogisticDiscriminant
from discriminant._engine.threads import BLOCK, Workers, in_order, one_blas_thread


def blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture
def two_threads() -> Any:
    """BLAS at two threads, whatever the machine has."""
    with threadpool_limits(2, "blas"):
        yield blas_threads()


def test_the_last_to_leave_gives_blas_its_threads_back(two_threads: Any) -> None:
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()  # it must not take the limit of the first for what was there before
    first.__exit__(None, None, None)
    assert set(blas_threads()) == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == two_threads


def test_fits_in_threads_leave_blas_as_it_was(two_threads: Any) -> None:
    X, y = load_iris(return_X_y=True)
    start = threading.Barrier(4)

    def fit() -> None:
        start.wait()
        for _ in range(5):
            LogisticDiscriminant().fit(X, y)

    threads = [threading.Thread(target=fit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert blas_threads() == two_threads


def test_an_error_gives_blas_its_threads_back(two_threads: Any) -> None:
    with pytest.raises(KeyboardInterrupt), one_blas_thread():
        raise KeyboardInterrupt
    assert blas_threads() == two_threads


@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_task_is_done_once(count: int) -> None:
    done: list[int] = []
    Workers(count).each(done.append, 7)
    assert sorted(done) == list(range(7))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(count: int) -> None:
    def work(task: int) -> int:
        time.sleep(0.001 * (7 - task))
        return task**2

    assert Workers(count).each(work, 7) == [task**2 for task in range(7)]
    assert Workers(count).each(work, 0) == []


def test_a_task_may_share_work_itself() -> None:
    """More callers than threads, each of which waits for tasks of its own."""
    found = Workers(8).each(lambda k: sum(Workers(8).each(lambda j: sum(Workers(8).each(int, j)), 5)) + k, 16)
    assert found == [10 + k for k in range(16)]


def test_one_pool_serves_all_calls() -> None:
    def name(task: int) -> str:
        time.sleep(0.001)
        return threading.current_thread().name

    names = {found for _ in range(20) for found in Workers(3).each(name, 6)}
    assert len(names) <= max(2, os.cpu_count() or 1)


@pytest.mark.parametrize("bad", [0, 3])
def test_an_error_of_any_task_is_raised_when_no_other_runs(bad: int) -> None:
    running: set[int] = set()

    def work(task: int) -> None:
        running.add(task)
        time.sleep(0.005)
        running.remove(task)
        if task == bad:
            raise ArithmeticError(f"task {task}")

    with pytest.raises(ArithmeticError, match=f"task {bad}"):
        Workers(4).each(work, 8)
    assert not running


def test_the_errstate_of_the_caller_holds_in_every_thread() -> None:
    X = np.full((20 * BLOCK, 1), 1e200)
    with np.errstate(over="ignore"):  # a warning is an error here
        (total,) = in_order(X, lambda rows: [np.square(X[rows]).sum()])
    assert total == np.inf


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_has_threads_of_its_own() -> None:
    assert Workers(2).each(int, 4) == [0, 1, 2, 3]
    child = os.fork()
    if child == 0:
        os._exit(0 if Workers(2).each(int, 4) == [0, 1, 2, 3] else 1)
    assert os.waitpid(child, 0)[1] == 0

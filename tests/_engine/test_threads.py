"""Threads: what a task computes does not depend on how many there are, and BLAS gets its own back."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_info, threadpool_limits

from discriminant import LogisticDiscriminant
from discriminant._engine.threads import Workers, one_blas_thread


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

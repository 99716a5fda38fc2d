"""Threads that share the tasks of a solver; what a task computes does not depend on how many there are."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from .driver import Watch
from .linalg import add_squares as add_squares

BLOCK = 4096  # rows at a time: a block of 100 columns stays in the cache
RUNS = 16  # parts of the data that threads may take, whatever their number


class _Limit:
    """How many fits hold BLAS at one thread now, and what the last of them gives back."""

    lock = threading.Lock()
    holders = 0
    before: Any = None


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS at one thread: the same bits whatever their number, and our own threads share the work.

    The number belongs to the process.  The first to come sets it and the last to leave gives it back, so that fits in
    several threads do not mistake each other's limit for what was there before.
    """
    with _Limit.lock:
        if _Limit.holders == 0:
            _Limit.before = _libraries().limit(limits=1, user_api="blas")
        _Limit.holders += 1
    try:
        yield
    finally:
        with _Limit.lock:
            _Limit.holders -= 1
            if _Limit.holders == 0:
                _Limit.before.restore_original_limits()


class Workers:
    """As many threads as there are processors, unless a number is given; the calling one takes its share."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count or os.cpu_count() or 1
        self._pool: ThreadPoolExecutor | None = None

    def each(self, work: Callable[[int], None], tasks: int) -> None:
        """Do the work of every number below ``tasks``."""
        workers = max(1, min(self.count, tasks))

        def share(k: int) -> None:
            for task in range(k, tasks, workers):
                work(task)

        if workers > 1:
            self._pool = self._pool or ThreadPoolExecutor(self.count - 1)
        others = [self._pool.submit(share, k) for k in range(1, workers)] if self._pool else []
        try:
            share(0)
        finally:
            for other in others:
                other.result()


def in_order(X: Any, work: Callable[[slice], list[Any]], watch: Watch | None = None) -> list[Any]:
    """Add up the work on all blocks: a thread takes a run of blocks, and the runs are added in their order.

    The runs depend on the number of rows alone, and BLAS works with one thread, so that the sums have the same bits
    whatever the number of threads.  A watch is asked before each block.
    """
    n = X.shape[0]
    run = BLOCK * max(1, -(-n // (BLOCK * RUNS)))
    runs = [range(start, min(start + run, n), BLOCK) for start in range(0, n, run)]

    def part(start: int) -> list[Any]:
        if watch is not None:
            watch.check()
        return work(slice(start, min(start + BLOCK, n)))

    def total(starts: range) -> list[Any]:
        parts = [part(start) for start in starts]
        return [sum(column[1:], start=column[0]) for column in zip(*parts, strict=True)]

    if len(runs) == 1:
        return total(runs[0])
    with one_blas_thread(), ThreadPoolExecutor(os.cpu_count()) as pool:
        sums = list(pool.map(total, runs))
    return [sum(column[1:], start=column[0]) for column in zip(*sums, strict=True)]


def in_runs(n: int, count: int, work: Callable[[int, int], list[Any]]) -> list[Any]:
    """Add up the work on ``count`` runs of rows, in their order."""
    if count <= 1:
        return work(0, n)
    runs = list(pairwise(np.linspace(0, n, count + 1).astype(int).tolist()))
    with one_blas_thread(), ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(lambda run: work(*run), runs))
    return [sum(column[1:], start=column[0]) for column in zip(*parts, strict=True)]

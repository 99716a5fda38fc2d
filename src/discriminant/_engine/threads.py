"""Threads that share the tasks of a solver; what a task computes does not depend on how many there are."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from .driver import Watch

BLOCK = 4096  # rows at a time: a block of 100 columns stays in the cache
RUNS = 16  # parts of the data that threads may take, whatever their number

T = TypeVar("T")


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


@cache
def _pool() -> ThreadPoolExecutor:
    """The helpers of all callers, started when they are first needed."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), "discriminant")


if hasattr(os, "register_at_fork"):  # the threads of a parent do not live in its child
    os.register_at_fork(after_in_child=_pool.cache_clear)


class Workers:
    """At most ``count`` threads, as many as there are processors by default; the calling one takes its share.

    One pool serves all.  Nobody waits for work that lies in its queue: who calls takes tasks until none is left, takes
    back the helpers that have not begun, and waits for the others.  So a task may call ``each`` itself.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = count or os.cpu_count() or 1

    def each(self, work: Callable[[int], T], tasks: int) -> list[T]:
        """The results of the work for every number below ``tasks``, in the order of these numbers."""
        results: list[Any] = [None] * tasks
        waiting = deque(range(tasks))

        def share() -> None:
            while waiting:
                try:
                    task = waiting.popleft()
                except IndexError:  # another thread took the last
                    return
                results[task] = work(task)

        # A copy of the context brings numpy's errstate along.
        helpers = [_pool().submit(copy_context().run, share) for _ in range(min(self.count, tasks) - 1)]
        try:
            share()
        finally:
            waiting.clear()
            running = [helper for helper in helpers if not helper.cancel()]
            wait(running)
        for helper in running:
            helper.result()
        return results


def _summed(parts: list[list[Any]]) -> list[Any]:
    """The sums of the first, second, ... entries of all parts, in the order of the parts."""
    return [sum(column[1:], start=column[0]) for column in zip(*parts, strict=True)]


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

    def total(k: int) -> list[Any]:
        return _summed([part(start) for start in runs[k]])

    if len(runs) == 1:
        return total(0)
    with one_blas_thread():
        return _summed(Workers().each(total, len(runs)))


def in_runs(n: int, count: int, work: Callable[[int, int], list[Any]]) -> list[Any]:
    """Add up the work on ``count`` runs of rows, in their order."""
    if count <= 1:
        return work(0, n)
    ends = np.linspace(0, n, count + 1).astype(int).tolist()
    with one_blas_thread():
        return _summed(Workers().each(lambda k: work(ends[k], ends[k + 1]), count))

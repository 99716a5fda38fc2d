"""Threads that share the tasks of a solver; what a task computes does not depend on how many there are."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


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

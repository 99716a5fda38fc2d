"""Threads that share the tasks of a solver; what a task computes does not depend on how many there are."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


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

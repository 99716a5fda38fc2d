"""The next blocks are read by a thread while the present one is worked on.  Tests: ``tests/io/test_streams.py``."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .._engine.driver import Watch

T = TypeVar("T")
PATIENCE = 0.1  # seconds between two looks at the watch, or at whether anybody still waits


class _End:
    """What stands behind the last item: the error that ended the reading, or None."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def read_ahead(make: Callable[[], Iterator[T]], ahead: int, watch: Callable[[], Watch]) -> Iterator[T]:
    """The items of an iterator that a thread runs, which is at most so many items ahead.

    What it raises is raised here, behind the items before it. The thread ends with the items, or when nobody wants more
    of them.
    """
    found: queue.Queue[Any] = queue.Queue(ahead)
    closed = threading.Event()

    def put(item: Any) -> bool:
        while not closed.is_set():
            try:
                found.put(item, timeout=PATIENCE)
            except queue.Full:
                continue
            return True
        return False

    def run() -> None:
        error = None
        try:
            for item in make():
                if not put(item):
                    return
        except Exception as raised:
            error = raised
        put(_End(error))

    thread = threading.Thread(target=run, name="discriminant-read-ahead", daemon=True)
    thread.start()
    try:
        while True:
            watch().check()
            try:
                item = found.get(timeout=PATIENCE)
            except queue.Empty:
                continue
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        closed.set()
        thread.join()

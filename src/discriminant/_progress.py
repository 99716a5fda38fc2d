"""A line on stderr that tells how far long work is; nothing in a pipe, nothing within the first second."""

from __future__ import annotations

import sys
import time
from typing import Self

DELAY = 1.0  # seconds before the first line
PAUSE = 0.1  # seconds between two
WIDTH = 24


class Progress:
    """Shows a bar with what is being done; ``shown`` = None asks whether stderr is a terminal."""

    def __init__(self, title: str, shown: bool | None) -> None:
        self.title = title
        self.shown = sys.stderr.isatty() if shown is None else bool(shown)
        self.text = ""
        self._next = self._length = 0.0

    def __enter__(self) -> Self:
        self._next, self._length = time.monotonic() + DELAY, 0
        return self

    def __exit__(self, *_: object) -> None:
        if self._length:
            print("\r" + " " * int(self._length) + "\r", end="", file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """What is being done from now on."""
        self.text = text
        self.share(0.0)

    def share(self, done: float) -> None:
        """How much of it is done, from 0 to 1."""
        now = time.monotonic()
        if not self.shown or now < self._next:
            return
        self._next = now + PAUSE
        filled = round(done * WIDTH)
        line = f"{self.title} [{'#' * filled}{'.' * (WIDTH - filled)}] {self.text}"
        print("\r" + line.ljust(int(self._length)), end="", file=sys.stderr, flush=True)
        self._length = len(line)

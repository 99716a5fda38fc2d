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
        self._next = self._length = self._began = self._done = 0.0

    def __enter__(self) -> Self:
        self._next, self._length = time.monotonic() + DELAY, 0
        return self

    def __exit__(self, *_: object) -> None:
        if self._length:
            print("\r" + " " * int(self._length) + "\r", end="", file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """What is being done from now on."""
        self.text = text
        self._began = time.monotonic()
        self.share(0.0)

    def share(self, done: float) -> None:
        """How much of it is done, from 0 to 1."""
        now = time.monotonic()
        if done < self._done:  # another pass of the same kind
            self._began = now
        self._done = done
        if not self.shown or now < self._next:
            return
        self._next = now + PAUSE
        filled = round(done * WIDTH)
        line = f"{self.title} [{'#' * filled}{'.' * (WIDTH - filled)}] {self.text}{self._left(done, now)}"
        print("\r" + line.ljust(int(self._length)), end="", file=sys.stderr, flush=True)
        self._length = len(line)

    def _left(self, done: float, now: float) -> str:
        """The time that is left, where enough is done to tell."""
        elapsed = now - self._began
        return f", {elapsed * (1 - done) / done:,.0f} s left" if 0 < done < 1 and elapsed > PAUSE else ""

"""How far long work is: it calls ``tell(text, share)``, and here is the bar that listens to it in a terminal.

The bar stands here and not in the command line, because ``separability`` shows it to whoever calls it from Python.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Self

DELAY = 1.0  # seconds before the first line
PAUSE = 0.1  # seconds between two
WIDTH = 24  # characters of the bar

Tell = Callable[[str, float], None]  # what is being done, "" for the same as before, and how much of it, from 0 to 1


class TerminalBar:
    """A line on stderr, nothing within the first second; ``shown`` = None asks whether stderr is a terminal."""

    def __init__(self, title: str, shown: bool | None) -> None:
        self.title, self.text = title, ""
        self.shown = sys.stderr.isatty() if shown is None else bool(shown)
        self._next = self._length = self._began = self._done = 0.0

    def __enter__(self) -> Self:
        self._next, self._length = time.monotonic() + DELAY, 0
        return self

    def __exit__(self, *_: object) -> None:
        if self._length:
            print("\r" + " " * int(self._length) + "\r", end="", file=sys.stderr, flush=True)

    def __call__(self, text: str, share: float) -> None:
        """Show what is being done, and the time that is left where enough is done to tell."""
        now = time.monotonic()
        if text or share < self._done:  # other work, or another pass of the same kind
            self.text, self._began = text or self.text, now
        self._done = share
        if not self.shown or now < self._next:
            return
        self._next = now + PAUSE
        filled, elapsed = round(share * WIDTH), now - self._began
        left = f", {elapsed * (1 - share) / share:,.0f} s left" if 0 < share < 1 and elapsed > PAUSE else ""
        line = f"{self.title} [{'#' * filled}{'.' * (WIDTH - filled)}] {self.text}{left}"
        print("\r" + line.ljust(int(self._length)), end="", file=sys.stderr, flush=True)
        self._length = len(line)

"""How far long work is: it calls ``tell(text, share)``, and here is the bar that listens to it in a terminal.

The bar stands here and not in the command line, because ``separability`` shows it to whoever calls it from Python. It
also knows how long the work may take: who is told often can end it, and no solver need know of a clock.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import ClassVar, Self

DELAY = 1.0  # seconds before the first line
PAUSE = 0.1  # seconds between two
WIDTH = 24  # characters of the bar

Tell = Callable[[str, float], None]  # what is being done, "" for the same as before, and how much of it, from 0 to 1


class CompilingNotice:
    """Whom to tell, once, that compiling takes long; nobody by default. numba need not be there to set it."""

    tell: ClassVar[Callable[[], None] | None] = None


class OutOfTime(Exception):
    """The work has taken all the seconds that it may, or would take too many, of which its words then tell."""


class TerminalBar:
    """A line on stderr, nothing within the first second; ``shown`` = None asks whether stderr is a terminal.

    ``max_seconds`` is what the work within one ``with`` may take, None for no limit; a ``with`` inside another shares
    its line and its seconds. ``part`` says which part of a larger work is being done.
    """

    def __init__(self, title: str, shown: bool | None, max_seconds: float | None = None) -> None:
        self.title, self.text, self.part = title, "", ""
        self.shown = sys.stderr.isatty() if shown is None else bool(shown)
        self.max_seconds = max_seconds
        self._depth, self._end = 0, inf
        self._next = self._length = self._began = self._done = 0.0

    def __enter__(self) -> Self:
        if not self._depth:
            now = time.monotonic()
            self._next, self._length, self.part = now + DELAY, 0, ""
            self._end = inf if self.max_seconds is None else now + self.max_seconds
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._length and not self._depth:
            print("\r" + " " * int(self._length) + "\r", end="", file=sys.stderr, flush=True)

    @contextmanager
    def within(self, seconds: float) -> Iterator[Self]:
        """At most so many seconds for the work inside, of those that there are."""
        with self:
            end = self._end
            self._end = min(end, time.monotonic() + seconds)
            try:
                yield self
            finally:
                self._end = end

    def __call__(self, text: str, share: float) -> None:
        """Show what is being done, and the time that is left where enough is done to tell."""
        now = time.monotonic()
        if self._depth and now >= self._end:
            raise OutOfTime
        if text or share < self._done:  # other work, or another pass of the same kind
            self.text, self._began = text or self.text, now
        self._done = share
        if not self.shown or now < self._next:
            return
        self._next = now + PAUSE
        filled, elapsed = round(share * WIDTH), now - self._began
        left = f", {elapsed * (1 - share) / share:,.0f} s left" if 0 < share < 1 and elapsed > PAUSE else ""
        part = f"{self.part}: " if self.part else ""
        line = f"{self.title} [{'#' * filled}{'.' * (WIDTH - filled)}] {part}{self.text}{left}"
        print("\r" + line.ljust(int(self._length)), end="", file=sys.stderr, flush=True)
        self._length = len(line)

"""The one outer loop: epochs, history, callbacks, and an orderly stop on Ctrl-C.

A procedure is a ``Rule``: an object that makes one epoch at a time and can say at any moment which weights it would
answer with.  Python runs the epochs; compiled code runs chunks of at most about a fifth of a second, between which
an interrupt is noticed.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..solution import EMPTY, Epoch, Epochs, Findings, Solution, Status

CHUNK = 20_000_000  # matrix entries of one compiled call: about a tenth of a second
TOGETHER = 1024  # epochs that are written into the history at a time
PATIENCE = 2.0  # seconds within which a second Ctrl-C raises

_last_interrupt = float("-inf")


class Interrupted(Exception):
    """Ctrl-C was pressed; raised between two chunks."""


class Watch:
    """Knows whether Ctrl-C was pressed, and cuts long passes into chunks so that it is noticed.

    ``stopped`` is what a callback asks for: no problem of the fit makes another epoch.
    """

    interrupted = False
    stopped = False
    _raises = False

    def check(self) -> None:
        if self.interrupted:
            raise Interrupted

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Within, Ctrl-C raises ``Interrupted`` where it comes: for long work that never looks at the watch."""
        self.check()
        self._raises = True
        try:
            yield
        finally:
            self._raises = False

    def chunks(self, n_rows: int, entries: int) -> Iterator[tuple[int, int]]:
        """Row ranges of about ``CHUNK`` entries; raises ``Interrupted`` between two of them."""
        size = max(1, CHUNK * n_rows // max(entries, 1))
        for start in range(0, n_rows, size):
            self.check()
            yield start, min(start + size, n_rows)


@contextmanager
def watching() -> Iterator[Watch]:
    """A watch that hears Ctrl-C; the second one within two seconds raises, also across the fits of a search.

    Only in the main thread, and only where no other handler is installed.
    """
    watch = Watch()

    def handler(number: int, frame: FrameType | None) -> None:
        global _last_interrupt
        now = time.monotonic()
        second, _last_interrupt = now - _last_interrupt < PATIENCE, now
        if second:
            raise KeyboardInterrupt
        watch.interrupted = True
        if watch._raises:
            raise Interrupted

    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, handler)
    try:
        yield watch
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def interrupt_raises() -> Iterator[None]:
    """For a direct method, which has no model before its end: Ctrl-C between two blocks of its work raises."""
    try:
        yield
    except Interrupted:
        raise KeyboardInterrupt from None


@dataclass(frozen=True)
class Plan:
    """How a rule is to run, whatever it computes: order of the visits, seed, and whether its path is kept."""

    order: str = "cyclic"
    random_state: Any = None
    record: bool = False
    shares: int = 1  # of the memory for paths, when a fit has several

    def random(self) -> Any:
        from sklearn.utils import check_random_state  # a second of imports that a verdict on data does not need

        return None if self.order == "cyclic" else check_random_state(self.random_state)

    def drawn(self, rows: NDArray[np.uint32], random: Any) -> NDArray[np.uint32]:
        """The visits of one pass: the rows in their order, permuted, or each drawn anew from all of them."""
        if random is None:
            return rows
        order = random.permutation(rows) if self.order == "random" else random.choice(rows, rows.size)
        return np.asarray(order, np.uint32)


class Rule(Protocol):
    """A procedure at work on one problem; ``k`` counts its corrections."""

    k: int

    @property
    def answer(self) -> NDArray[Any]:
        """The augmented weights it would return now, one row a discriminant."""

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded weights, or None."""

    @property
    def findings(self) -> Findings:
        """What it finds beside the weights."""

    def epoch(self, problem: Any, watch: Watch) -> Epoch:
        """One iteration; its ``status`` is None while there is more to do."""


class RuleOfMany(Rule, Protocol):
    """A rule whose compiled calls make many epochs each."""

    def epochs(self, problem: Any, watch: Watch) -> tuple[NDArray[np.float64], Status | None]:
        """The epochs of the next call, within the rule's own ``max_iter``, as rows of a history; and why it ended."""


class LeapingRule(Rule, Protocol):
    """A rule that makes the epochs of which there is nothing to say many in one compiled call."""

    def leap(self, problem: Any, watch: Watch, limit: int) -> NDArray[np.float64]:
        """At most so many epochs, as rows of a history; none where the next one needs a closer look."""


def drive(
    rule: Rule,
    problem: Any,
    max_iter: int,
    watch: Watch,
    begin: Callable[[], None] | None = None,
    end: Callable[[int], bool] | None = None,
) -> Solution[Any]:
    """Run the rule until it says that it is done, a callback or Ctrl-C stops it, or ``max_iter`` is reached.

    ``begin`` is called before each epoch, ``end`` after it with the number of epochs; True asks to stop.
    """
    if end is None and hasattr(type(rule), "epochs"):  # of the class: a look at its answer would come too early
        return _drive_many(cast(RuleOfMany, rule), problem, max_iter, watch)
    epochs, fresh, status, k = Epochs(), list[Epoch](), Status.BUDGET, 0
    leap = cast(LeapingRule, rule).leap if hasattr(type(rule), "leap") else None
    while k < max_iter:
        if watch.interrupted or watch.stopped:
            status = Status.STOPPED
            break
        if begin is not None:
            begin()
        ended = None
        try:
            table = EMPTY if leap is None else leap(problem, watch, max_iter - k if end is None else 1)
            if not len(table):
                epoch = rule.epoch(problem, watch)
                ended = epoch.status
                fresh.append(epoch)
        except Interrupted:
            status = Status.STOPPED
            break
        k += len(table) or 1
        if len(table) or len(fresh) == TOGETHER:
            epochs.extend(fresh)
            epochs.join(table)
            fresh.clear()
        if end is not None and end(k):
            watch.stopped = True
        if ended is not None or watch.stopped:
            status = ended or Status.STOPPED
            break
    epochs.extend(fresh)
    return Solution(rule.answer, status, epochs, rule.findings, rule.path)


def _drive_many(rule: RuleOfMany, problem: Any, max_iter: int, watch: Watch) -> Solution[Any]:
    """The same where nobody looks at each epoch, for a rule that makes many in one call."""
    epochs, status = Epochs(), Status.BUDGET
    while len(epochs) < max_iter:
        if watch.interrupted or watch.stopped:
            status = Status.STOPPED
            break
        try:
            table, ended = rule.epochs(problem, watch)
        except Interrupted:
            status = Status.STOPPED
            break
        epochs.join(table)
        if ended is not None:
            status = ended
            break
    return Solution(rule.answer, status, epochs, rule.findings, rule.path)

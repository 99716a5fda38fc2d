"""A child process that examines cases; where it hangs or dies, that is a finding, and another child goes on."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from hard_cases import Case
from promised_functions import examine
from promises import Finding

MEMORY = 8 * 2**30  # bytes of address space of a child: what asks for more gets a MemoryError
LIMIT = 10.0  # seconds of one call; the tables fit a screen, so that more is a hang
COMPILING = 4  # times as long for a second try
MANY = 20  # cases that are listed when one of them has spoilt the memory of the process
START = 120.0  # seconds for a child to import everything


def work(inbox: Connection, outbox: Connection, said: str) -> None:
    """Examine cases until there are no more; what anyone prints goes to the file ``said``."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    handle = os.open(said, os.O_WRONLY | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    outbox.send("ready")
    while (case := inbox.recv()) is not None:
        trial = examine(case, outbox.send)
        outbox.send((trial.calls, trial.findings))


class Supervisor:
    """Hands cases to a child and waits; starts another child when it has to end one."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        self.calls = 0
        self._seen: list[Case] = []
        self._said = Path(tempfile.mkstemp(prefix="hard-data-")[1])
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        inbox, self._out = context.Pipe(duplex=False)
        self._in, outbox = context.Pipe(duplex=False)
        self._child = context.Process(target=work, args=(inbox, outbox, str(self._said)), daemon=True)
        self._child.start()
        inbox.close()
        outbox.close()
        if not self._in.poll(START):
            raise RuntimeError("a child process does not start")
        self._in.recv()

    def close(self) -> None:
        """End the child."""
        self._child.kill()
        self._child.join()
        self._said.unlink()

    def examine(self, case: Case) -> list[Finding]:
        """The findings of a case. A hang counts when it comes twice, for the first may have been busy compiling.

        An abort that does not come again in a new process was made by an earlier case, in memory that it spoilt.
        """
        before = self._seen
        found = self._once(case, self.limit)
        if not any(finding.sort in ("hang", "abort") for finding in found):
            self._seen = [*before, case]
            return found
        self._seen = []
        alone = self._once(case, COMPILING * self.limit)
        if found[0].sort == "abort" and not any(finding.sort == "abort" for finding in alone):
            words = f"{found[0].text}; not alone, so that an earlier case did it: {'; '.join(map(str, before[-MANY:]))}"
            return [*alone, found[0]._replace(text=words)]
        return alone

    def _once(self, case: Case, limit: float) -> list[Finding]:
        os.truncate(self._said, 0)
        self._out.send(case)
        stage = ""
        while True:
            if not self._in.poll(limit):
                return [self._replace("hang", stage, f"no answer in {limit:g} s")]
            try:
                told = self._in.recv()
            except EOFError:
                return [self._replace("abort", stage, "")]
            if not isinstance(told, str):
                break
            stage = told
            self.calls += 1
        printed = self._said.read_text(errors="replace").strip()
        extra = [Finding("leaked warning", stage, f"printed: {printed[:200]}")] if printed else []
        return told[1] + extra

    def _replace(self, sort: str, stage: str, text: str) -> Finding:
        self._child.kill() if sort == "hang" else None
        self._child.join()
        words = text or f"exit code {self._child.exitcode}: {self._said.read_text(errors='replace').strip()[:200]}"
        self._start()
        return Finding(sort, stage, words)


@contextmanager
def supervisor(limit: float = LIMIT) -> Iterator[Supervisor]:
    """A supervisor, whose child ends with it."""
    made = Supervisor(limit)
    try:
        yield made
    finally:
        made.close()

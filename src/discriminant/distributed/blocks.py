"""Blocks that lie on the workers of a dask cluster: each round sends a message to them and adds what they answer.

The data stay where they are.  A round is one task for each block, held to the worker that has the block, and a tree of
sums whose nodes add up to four neighbors in their order: the answer does not depend on who was ready first.  Every node
is held to the worker of its first block, so that one message goes from each worker to the tree.

A worker that dies takes its blocks along.  The scheduler computes them again elsewhere, and the round is repeated; what
cannot be computed again ends the fit with an error that says so, as does a scheduler that no longer answers.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from threading import Event
from typing import Any

import dask
import numpy as np
from dask import delayed
from distributed import Client, Future
from distributed.comm.core import CommClosedError
from scipy import sparse

from .._blocks.blocks import Block, Part, added, applied
from .._blocks.journal import Journal
from .._blocks.survey import means_and_scales
from .._engine.driver import Watch
from .._engine.progress import Tell
from .chunks import Chunks

FAN_IN = 4  # results that a node of the tree adds
PATIENCE = 10.0  # seconds that the scheduler has to answer
WORKERLESS = 60.0  # seconds that a lost worker has to be replaced
LOOK = 0.5  # seconds between two looks at who is there
PAUSE = 0.05  # seconds between two looks at the watch


class LostWorker(Exception):
    """A worker that takes part in a round is gone."""


class DaskBlocks:
    """The blocks of a dask collection, on the workers of a client.

    ``means`` and ``scales`` are those of the columns where these were standardized.

    ``rounds`` counts the rounds, ``moved`` those that were repeated because a worker was lost.
    """

    means: Any = None
    scales: Any = None
    classes: Any = None  # the first round finds them
    n_rows: int | None = None
    weighted = True
    in_order = False

    def __init__(self, client: Client, chunks: Chunks) -> None:
        self.client, self.watch, self.moved, self.rounds = client, Watch(), 0, 0
        self.tell: Tell | None = None
        self.journal: Journal | None = None
        self._seen = time.monotonic()  # when a worker was there
        self.n_features, self.dtype, self.feature_names = chunks.n_features, chunks.dtype, chunks.feature_names
        workers = self._workers()
        if not workers:
            raise ConnectionError(f"no worker has joined the scheduler at {self._address}; start some and fit again.")
        if chunks.placed:
            blocks = client.compute(chunks.tasks)
        else:  # neighbors on one worker, where nothing is anywhere yet
            blocks, n = [], len(chunks.tasks)
            for k, worker in enumerate(workers):
                run = chunks.tasks[n * k // len(workers) : n * (k + 1) // len(workers)]
                blocks += client.compute(run, workers=[worker], allow_other_workers=True) if run else []
        self._blocks, self._names, self._firsts = blocks, chunks.names, [0] * len(blocks)
        self.homes: list[str] = []
        self._settle()
        self._number()

    def _number(self) -> None:
        """Count the rows: empty blocks take no part, and every other one learns its place."""
        sizes = self.gather(_rows)
        kept = [k for k, size in enumerate(sizes) if size]
        if not kept:
            raise ValueError("X has no rows; give at least two classes of them.")
        firsts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        self.n_rows = int(firsts[-1])
        self._blocks, self._names = [self._blocks[k] for k in kept], [self._names[k] for k in kept]
        self.homes, self._firsts = [self.homes[k] for k in kept], [firsts[k] for k in kept]

    def __len__(self) -> int:
        return len(self._blocks)

    def total(self, part: Part, *args: Any) -> tuple[Any, ...]:
        """``part`` of every block, added along the tree."""
        if (known := self._known(part)) is not None:
            return known
        return self._noted(part, self._round(lambda: self._sum(self._answers(part, args))))

    def _known(self, part: Part) -> tuple[Any, ...] | None:
        """What an earlier run has found in this round."""
        known = None if self.journal is None else self.journal.known(part.__name__)
        return None if known is None else tuple(known)

    def _noted(self, part: Part, found: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.journal is not None:
            self.journal.close(part.__name__, found)
        return found

    def identity(self) -> list[Any]:
        """What tells these blocks from others, for a checkpoint: their sizes and first rows."""
        return [self.n_features, str(self.dtype), self.gather(_first_row)]

    def gather(self, part: Part, *args: Any) -> list[Any]:
        """``part`` of every block, in their order."""
        answers: list[Any] = self._round(lambda: self._answers(part, args))
        return answers

    def standardized(self) -> DaskBlocks:
        """The same rows with columns of mean 0 and standard deviation 1, which one round finds."""
        means, scales = means_and_scales(self)
        tasks = [delayed(_scaled, pure=False)(block, means, scales) for block in self._blocks]
        made = DaskBlocks(
            self.client, Chunks(tasks, self._names, self.n_features, self.dtype, self.feature_names, placed=True)
        )
        made.means, made.scales = means, scales
        return made

    def evolving(self, part: Part) -> Evolution:
        """Something that each block keeps from round to round, such as its multipliers."""
        return Evolution(self, part)

    def on_each_worker(self, function: Callable[..., Any], *args: Any) -> None:
        """Call a function once on every worker that has a block."""
        self._round(lambda: [self._submit(function, *args, at=worker) for worker in sorted({*self.homes})])

    def _answers(self, part: Part, args: tuple[Any, ...]) -> list[Future]:
        message = self._message(args)
        return [
            self._submit(_evaluated, part, block, first, message, at=home)
            for block, first, home in zip(self._blocks, self._firsts, self.homes, strict=True)
        ]

    def _message(self, args: tuple[Any, ...]) -> Future:
        """The arguments as one task, which workers pass on to each other, and which outlives any of them."""
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
            return self._submit(_same, args, at=self.homes[0])

    def _sum(self, answers: list[Future]) -> Future:
        homes = self.homes
        while len(answers) > 1:
            groups = range(0, len(answers), FAN_IN)
            answers = [
                answers[k] if k + 1 == len(answers) else self._submit(_sum_of, *answers[k : k + FAN_IN], at=homes[k])
                for k in groups
            ]
            homes = homes[::FAN_IN]
        return answers[0]

    def _submit(self, function: Callable[..., Any], *args: Any, at: str) -> Future:
        return self.client.submit(function, *args, workers=[at], pure=False)

    def _round(self, begin: Callable[[], Any]) -> Any:
        """What the tasks give; from the beginning when a worker of theirs is lost."""
        self.rounds += 1
        while True:
            try:
                return self._awaited(begin())
            except LostWorker:
                self.moved += 1
                self._settle()

    def _awaited(self, wanted: Any) -> Any:
        """The results of one task or of several, while the workers that they need are there."""
        self._wait([wanted] if isinstance(wanted, Future) else wanted, self.homes)
        patience = LOOK
        while True:
            try:
                return self.client.sync(
                    lambda: self.client.gather(wanted, asynchronous=True), callback_timeout=patience
                )
            except TimeoutError:  # long, or made again because a worker died with it
                self.watch.check()
                self._check_workers(self.homes)
                patience *= 2
            except (OSError, KeyError, CommClosedError):
                self._check_workers(self.homes)
                raise

    def _wait(self, futures: Sequence[Future], homes: Sequence[str] = ()) -> None:
        look, news = time.monotonic() + LOOK, Event()
        for future in futures:
            future.add_done_callback(lambda _: news.set())
        while not all(future.done() for future in futures):
            self.watch.check()
            news.wait(PAUSE)
            news.clear()
            if time.monotonic() > look:
                self._check_workers(homes)
                if self.tell is not None:
                    self.tell(f"round {self.rounds} on {len({*self.homes})} workers", 0.0)
                look = time.monotonic() + LOOK
        if any(future.cancelled() for future in futures):
            self._check_workers(homes)

    def _check_workers(self, homes: Sequence[str]) -> None:
        there = self._workers()
        if there:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > WORKERLESS:
            raise ConnectionError(f"no worker is left of the scheduler at {self._address}; start some and fit again.")
        if lost := {*homes} - {*there}:
            raise LostWorker(", ".join(sorted(lost)))

    def _workers(self) -> list[str]:
        """The addresses of the workers that are there now."""
        return sorted(self._asked(self.client.scheduler.ncores, workers=None))

    def _asked(self, question: Callable[..., Any], **given: Any) -> Any:
        """What the scheduler answers; an error where it does not, in seconds."""
        try:
            if self.client.status != "running":
                raise CommClosedError(self.client.status)
            return self.client.sync(question, callback_timeout=PATIENCE, **given)
        except (OSError, TimeoutError, CommClosedError) as error:
            raise ConnectionError(
                f"the scheduler at {self._address} does not answer ({error or type(error).__name__}); start it again "
                "and fit anew, or from the checkpoint if there is one."
            ) from error

    @property
    def _address(self) -> str:
        scheduler = self.client.scheduler
        return "?" if scheduler is None else str(scheduler.address)

    def _settle(self) -> None:
        """Wait until every block is on some worker, and learn on which."""
        while True:
            self._wait(self._blocks)
            for block, name in zip(self._blocks, self._names, strict=True):
                if block.status == "error":
                    raise block.exception()
                if block.status != "finished":
                    raise ConnectionError(
                        f"{name} was lost with its worker, and nothing tells how to compute it again; give data that "
                        "the workers read themselves, or scatter copies to several of them."
                    )
            places = self._asked(self.client.scheduler.who_has, keys=[block.key for block in self._blocks])
            there = {*self._workers()}
            found = [sorted(there.intersection(places.get(block.key, ()))) for block in self._blocks]
            if all(found):
                self.homes = [each[0] for each in found]
                return
            self._check_workers(())
            self.watch.check()
            time.sleep(LOOK)


class Evolution:
    """A state of every block that stays on its worker: ``part(block, state, *args)`` gives the next and an answer.

    Where a worker is lost its blocks repeat all rounds so far by themselves, from the messages that they were sent.
    """

    def __init__(self, blocks: DaskBlocks, part: Part) -> None:
        self._of, self._part = blocks, part
        self._sent: list[tuple[Any, ...]] = []
        self._states: list[Any] = []
        self._at: list[str] = []

    def total(self, *args: Any) -> tuple[Any, ...]:
        """One round: every block takes a step, and the answers are added along the tree."""
        blocks, steps = self._of, list[Future]()

        def begin() -> Future:
            message = blocks._message(args)
            steps[:] = [
                blocks._submit(_stepped, self._part, block, first, state, message, at=home)
                for block, first, state, home in zip(
                    blocks._blocks, blocks._firsts, self._restored(), blocks.homes, strict=True
                )
            ]
            return blocks._sum(
                [blocks._submit(itemgetter(1), step, at=home) for step, home in zip(steps, blocks.homes, strict=True)]
            )

        if (answer := blocks._known(self._part)) is None:
            answer = blocks._noted(self._part, blocks._round(begin))
            self._states, self._at = steps, [*blocks.homes]
        self._sent.append(args)
        return answer

    def _restored(self) -> list[Any]:
        """The states after the last round; those that were lost with a worker are made again."""
        if not self._sent:
            return [None] * len(self._of)
        homes, sent = self._of.homes, self._sent
        if not self._states:  # an earlier run was here
            self._states, self._at = [None] * len(homes), [""] * len(homes)
        for k, (home, before) in enumerate(zip(homes, self._at, strict=True)):
            if home != before:
                block, first = self._of._blocks[k], self._of._firsts[k]
                self._states[k] = self._of._submit(_replayed, self._part, block, first, sent, at=home)
                self._at[k] = home
        return self._states


def _same(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return args


def _rows(block: Block) -> int:
    return block.n_rows


def _first_row(block: Block) -> list[Any]:
    X = block.X[:1]
    numbers = X.toarray() if sparse.issparse(X) else X
    return [block.first, block.n_rows, hashlib.sha256(numbers.tobytes()).hexdigest()[:16], str(block.y[0])]


def _scaled(block: Block, means: Any, scales: Any) -> Block:
    X = (block.X.toarray() if sparse.issparse(block.X) else block.X) - means
    return replace(block, table=np.ascontiguousarray(X / scales, block.X.dtype))


def _evaluated(part: Part, block: Block, first: int, args: tuple[Any, ...]) -> Any:
    return applied(part, replace(block, first=first), args)


def _sum_of(*answers: tuple[Any, ...]) -> tuple[Any, ...]:
    total = answers[0]
    for answer in answers[1:]:
        total = added(total, answer)
    return total


def _stepped(part: Part, block: Block, first: int, last: Any, args: tuple[Any, ...]) -> Any:
    return applied(part, replace(block, first=first), (None if last is None else last[0], *args))


def _replayed(part: Part, block: Block, first: int, sent: list[tuple[Any, ...]]) -> Any:
    last = None
    for args in sent:
        last = _stepped(part, block, first, last, args)
    return last

"""One page: its requests, the newest of each slot first, its answers, and an end to all of it when the page is gone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from .messages import (
    KINDS,
    UNEXPECTED,
    VERSION,
    CancelRequest,
    Json,
    Message,
    MessageError,
    PageRequest,
    RunRequest,
    VerdictRequest,
    parse,
)
from .pool import Pool

GRACE = 0.3  # seconds that a run may still take when a newer one of its slot waits
FIRST, EVERY = 1.0, 0.5  # seconds until the page is told that a run takes long, and between such words
JOBS = {kind: name for name, kind in KINDS.items()}

Send = Callable[[str], Awaitable[None]]
Key = int | str


class Session:
    """What one socket asks for and gets.

    Parameters
    ----------
    pool : Pool
        Where the work is done.
    send : callable
        Sends a text to the page.
    """

    def __init__(self, pool: Pool, send: Send) -> None:
        self.pool, self._send = pool, send
        self._current: dict[Key, asyncio.Task[None]] = {}
        self._pending: dict[Key, Message] = {}
        self._timers: dict[Key, asyncio.TimerHandle] = {}
        self._telling: set[asyncio.Task[None]] = set()
        self._closed = False
        self._runs: dict[int, list[str]] = {}  # the messages of the last whole recording of each slot

    async def handle(self, text: str) -> None:
        """Do what a message asks for, or begin with it."""
        try:
            message = parse(text)
        except MessageError as error:
            await self.tell("error", error.id, slot=None, message=str(error), parameter=None)
            return
        if isinstance(message, CancelRequest):
            await self._cancel(message.slot)
            return
        await self._begin(_key(message), message)

    async def close(self) -> None:
        """End everything: nobody listens any more."""
        self._closed = True
        self._pending.clear()
        tasks = [*self._current.values(), *self._telling]
        for task in tasks:
            task.cancel()
        for timer in self._timers.values():
            timer.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def tell(self, kind: str, id: int | None, **facts: Any) -> None:
        """Send a message."""
        await self._send(json.dumps({"v": VERSION, "type": kind, "id": id} | facts))

    async def _begin(self, key: Key, message: Message) -> None:
        """Work on a request, after the one that is at work in its slot; a third one takes the place of the second."""
        if key not in self._current:
            self._start(key, message)
            return
        passed_over = self._pending.get(key)
        self._pending[key] = message
        if passed_over is not None:
            await self._tell_cancelled(passed_over)
        elif key not in self._timers:
            self._timers[key] = asyncio.get_running_loop().call_later(GRACE, self._current[key].cancel)

    def _start(self, key: Key, message: Message) -> None:
        task = asyncio.create_task(self._work(message))
        self._current[key] = task
        task.add_done_callback(lambda task: self._next(key, message, task))

    def _next(self, key: Key, message: Message, task: asyncio.Task[None]) -> None:
        """The slot is free: tell the page of a request that was ended, and go on with what waits there."""
        self._current.pop(key, None)
        if timer := self._timers.pop(key, None):
            timer.cancel()
        error = None if task.cancelled() else task.exception()
        if task.cancelled() and not self._closed:
            self._beside(self._tell_cancelled(message))
        elif error is not None and not self._closed:  # also that of a socket that broke: then this is not heard
            self._beside(self._tell_failed(message, f"Unexpected {type(error).__name__}: {error}. {UNEXPECTED}"))
        if key in self._pending:
            self._start(key, self._pending.pop(key))

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Tell the page something beside the work; where the socket broke, its own loop sees to that."""
        task = asyncio.create_task(work)
        self._telling.add(task)
        task.add_done_callback(self._told)

    def _told(self, told: asyncio.Task[None]) -> None:
        self._telling.discard(told)
        if not told.cancelled():
            told.exception()

    async def _cancel(self, slot: int) -> None:
        waiting = self._pending.pop(slot, None)
        if waiting is not None:
            await self._tell_cancelled(waiting)
        if slot in self._current:
            self._current[slot].cancel()

    async def _tell_cancelled(self, message: Message) -> None:
        await self.tell("cancelled", message.id, slot=getattr(message, "slot", None))

    async def _tell_failed(self, message: Message, sentence: str) -> None:
        slot = getattr(message, "slot", None)
        await self.tell("error", message.id, slot=slot, message=sentence, parameter=None)

    async def _work(self, message: Message) -> None:
        """Hand a request to a worker and its answers to the page."""
        ticking = None
        try:
            if isinstance(message, RunRequest):
                await self.tell("started", message.id, slot=message.slot)
                ticking = asyncio.create_task(self._tick(message))
            job = self._job(message)
            if job is None:
                await self._tell_failed(message, "There is no run in this slot yet; wait until it has run.")
                return
            texts = []
            async with aclosing(self.pool.run(job, lambda ahead: self.tell("waiting", message.id, ahead=ahead))) as run:
                async for text in run:
                    texts.append(text)
                    if isinstance(message, RunRequest) and _is_last(text):
                        self._runs[message.slot] = texts  # before the page hears of it, and may ask for it
                    await self._send(text)
        finally:
            if ticking is not None:
                ticking.cancel()  # which also forgives it a socket that broke

    async def _tick(self, message: RunRequest) -> None:
        """Tell the page how long a run has taken."""
        seconds = FIRST
        await asyncio.sleep(FIRST)
        while True:
            await self.tell("progress", message.id, slot=message.slot, seconds=seconds)
            await asyncio.sleep(EVERY)
            seconds += EVERY

    def _job(self, message: Message) -> Json | None:
        """What a worker is asked to do; None for a page of slots that hold no run."""
        if isinstance(message, PageRequest):
            if any(slot not in self._runs for slot in message.slots):
                return None
            recordings = [_recording(self._runs[slot]) for slot in message.slots]
            return {"job": "page", "id": message.id, "recordings": recordings, "seconds": self.pool.seconds / 2}
        return {"job": JOBS[type(message)], **asdict(message), "seconds": self.pool.seconds / 2}


def _key(message: Message) -> Key:
    """Where a request stands in line: each run by its slot, all else by its kind."""
    if isinstance(message, RunRequest):
        return message.slot
    return "verdict" if isinstance(message, VerdictRequest) else "data"


def _is_last(text: str) -> bool:
    """Whether a message ends a recording; most are long and do not even hold the word."""
    return '"last"' in text and bool(json.loads(text).get("last"))


def _recording(texts: list[str]) -> Json:
    """Head and steps from the messages that carried them."""
    head, *frames = [json.loads(text) for text in texts]
    return {"head": head["head"], "steps": [step for each in frames for step in each["steps"]]}

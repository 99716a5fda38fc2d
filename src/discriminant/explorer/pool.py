"""Worker processes: warm ones kept, at most eight busy, each ended when its time is over or nobody wants its answer.

They are subprocesses with pipes, as those of ``warm_up``: the event loop reads them without a thread, and they see the
end of their standard input when the server dies, however it dies.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, suppress
from typing import Any, TypeVar

from .messages import VERSION, Json

CODE = """import gc, sys
sys.path[:] = {path!r}
gc.disable()  # nothing that is imported is garbage, to look for which takes a sixth of the time
from discriminant.explorer.worker import main
gc.freeze()
gc.enable()
main()"""
MOST_BUSY = 8
MOST_IDLE = 4  # a race of three and the verdict
SECONDS = 20.0  # that a job may take
STARTING = 60.0  # and a process until it is ready: the first one of all compiles
PATIENCE = 1.0  # seconds that a job waits for a busy worker before another is started, which takes longer
BROKE_OFF = "The run needed more memory than it may take, or broke off; take fewer points."
NOT_STARTED = "No process could be started for the run: {}; close other programs and try again."
LINE = 256 * 2**20  # bytes of the longest answer

T = TypeVar("T")
Waiting = Callable[[int], Awaitable[None]]


class WorkerEnded(Exception):
    """A worker is gone in the midst of a job."""


class Worker:
    """One process, and the way to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, folder: str | None = None) -> Worker:
        """A process that has imported the library and is ready for a job; its temporary files are in the folder."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", CODE.format(path=sys.path),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            limit=LINE, start_new_session=True,  # Ctrl-C in the terminal is for the server
            env=os.environ | ({"TMPDIR": folder} if folder else {}),
        )  # fmt: skip
        worker = cls(process)
        try:
            async with asyncio.timeout(STARTING):
                await worker.line()
        except BaseException:
            await worker.end()
            raise
        return worker

    async def line(self) -> str:
        """The next line; empty at the end of an answer."""
        assert self.process.stdout is not None
        text = await self.process.stdout.readline()
        if not text:
            raise WorkerEnded
        return text.decode().rstrip("\n")

    async def ask(self, job: str) -> AsyncIterator[str]:
        """The answers to a job."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(job.encode() + b"\n")
            await self.process.stdin.drain()
        except ConnectionError:
            raise WorkerEnded from None
        while text := await self.line():
            yield text

    async def end(self) -> None:
        """End the process, whatever it does."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        self.process._transport.close()  # type: ignore[attr-defined]  # else its pipes stay open until they are collected


class Pool:
    """The workers of a server.

    Parameters
    ----------
    seconds : float
        That a job may take.
    busy : int
        Jobs at work at once; the next waits.
    folder : str or None
        Where workers put temporary files: one that is ended cannot remove its own.
    """

    def __init__(self, seconds: float = SECONDS, busy: int = MOST_BUSY, folder: str | None = None) -> None:
        self.seconds, self.folder = seconds, folder
        self.workers: set[Worker] = set()
        self._idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        self._room = asyncio.Semaphore(busy)
        self._queue = 0
        self._spare: list[asyncio.Task[Worker]] = []  # starts that nobody waits for
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def warm(self) -> None:
        """Start a worker in the background if none is idle."""
        if self._idle.empty() and not self._spare and not self._closed:
            self._leave(self._later(self._start()))

    async def run(
        self, job: Json, waiting: Waiting | None = None, seconds: float | None = None
    ) -> AsyncGenerator[str, None]:
        """The answers to a job, as they come; its end, or that of whoever iterates, frees or ends the worker.

        ``waiting`` is told how many are ahead where all are busy; ``seconds`` are in place of those of the pool.
        """
        if self._room.locked() and waiting is not None:
            await waiting(self._queue + 1)
        self._queue += 1
        try:
            await self._room.acquire()
        finally:
            self._queue -= 1
        worker, done = None, False
        try:
            worker = await self._take()
            end = asyncio.get_running_loop().time() + (seconds or self.seconds)
            answers = worker.ask(json.dumps(job))
            while True:
                async with asyncio.timeout_at(end):  # not around the yield: the time of whoever iterates does not count
                    text = await anext(answers, None)
                if text is None:
                    break
                yield text
            done = True
        except TimeoutError:
            yield self._failed(job, self._late() if worker else f"No worker was ready within {STARTING:g} seconds.")
        except WorkerEnded:
            yield self._failed(job, BROKE_OFF if worker else NOT_STARTED.format("it broke off"))
        except OSError as error:
            yield self._failed(job, NOT_STARTED.format(error.strerror or error))
        finally:
            self._room.release()
            if worker is not None:
                self._give_back(worker, done)

    async def answer(self, job: Json, seconds: float | None = None) -> str:
        """The one answer to a job that has only one."""
        answer = ""
        async with aclosing(self.run(job, seconds=seconds)) as texts:
            async for text in texts:
                answer = text
        return answer

    async def close(self) -> None:
        """End all workers."""
        self._closed = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self.workers))
        self.workers.clear()

    def _late(self) -> str:
        return f"The run was ended after {self.seconds:g} seconds; take fewer points, or fewer iterations (max_iter)."

    def _failed(self, job: Json, message: str) -> str:
        told = {"v": VERSION, "type": "error", "id": job.get("id"), "slot": job.get("slot")}
        return json.dumps(told | {"message": message, "parameter": None})

    async def _take(self) -> Worker:
        """An idle worker, one that becomes idle soon, or a new one."""
        with suppress(asyncio.QueueEmpty):
            return self._idle.get_nowait()
        with suppress(TimeoutError):
            if self.workers:
                async with asyncio.timeout(PATIENCE):
                    return await self._idle.get()
        starting = self._spare.pop() if self._spare else self._later(self._start())
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._leave(starting)
            raise

    def _leave(self, starting: asyncio.Task[Worker]) -> None:
        """Let a start go on that nobody waits for: the next job takes it, or its worker becomes idle."""
        self._spare.append(starting)
        starting.add_done_callback(self._keep)

    def _keep(self, starting: asyncio.Task[Worker]) -> None:
        if starting in self._spare:
            self._spare.remove(starting)
            if not starting.cancelled() and starting.exception() is None:
                self._give_back(starting.result(), True)

    async def _start(self) -> Worker:
        worker = await Worker.start(self.folder)
        if self._closed:
            await worker.end()
            raise WorkerEnded
        self.workers.add(worker)
        return worker

    def _give_back(self, worker: Worker, done: bool) -> None:
        if done and not self._closed and self._idle.qsize() < MOST_IDLE:
            self._idle.put_nowait(worker)
        else:
            self._later(self._end(worker))

    async def _end(self, worker: Worker) -> None:
        await worker.end()
        self.workers.discard(worker)
        self.warm()

    def _later(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

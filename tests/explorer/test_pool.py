"""Worker processes: warm ones are kept, late ones ended, and none is left over.  A stand-in answers for the library."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from explorer_cases import STUB, message

from discriminant.explorer import pool as room
from discriminant.explorer.pool import Pool


@pytest.fixture(autouse=True)
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "CODE", STUB.replace("{", "{{").replace("}", "}}"))


def played(play: Callable[[Pool], Awaitable[None]], seconds: float = 5, busy: int = 8) -> None:
    """A scene with a pool; afterwards no process of it is there any more."""

    async def scene() -> None:
        pool = Pool(seconds, busy)
        started: list[Any] = []
        begin = room.Worker.start

        async def start(folder: Any = None) -> Any:
            started.append(await begin(folder))
            return started[-1]

        room.Worker.start = start  # type: ignore[method-assign]
        try:
            await play(pool)
        finally:
            room.Worker.start = begin  # type: ignore[method-assign]
            await pool.close()
        assert started
        assert all(worker.process.returncode is not None for worker in started)

    asyncio.run(asyncio.wait_for(scene(), 30))


def job(seed: float = 0, **facts: Any) -> dict[str, Any]:
    return {"job": "run", **message("run", **facts), "seed": seed}


async def answered(pool: Pool, asked: dict[str, Any], waiting: Any = None) -> list[dict[str, Any]]:
    return [json.loads(text) async for text in pool.run(asked, waiting)]


def pid(answers: list[dict[str, Any]]) -> int:
    return int(answers[0]["head"]["pid"])


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_worker_is_used_again() -> None:
    async def play(pool: Pool) -> None:
        first, second = await answered(pool, job()), await answered(pool, job())
        assert pid(first) == pid(second)
        assert [each["type"] for each in first] == ["recording", "frames"]

    played(play)


def test_one_is_started_ahead() -> None:
    async def play(pool: Pool) -> None:
        pool.warm()
        while not pool.workers:
            await asyncio.sleep(0.01)
        assert pid(await answered(pool, job())) == next(iter(pool.workers)).process.pid

    played(play)


def test_a_job_that_takes_too_long_is_ended_and_said_so() -> None:
    async def play(pool: Pool) -> None:
        first = pid(await answered(pool, job()))
        late = await answered(pool, job(60, id=5, slot=2))
        assert [each["type"] for each in late] == ["error"]
        assert (late[0]["id"], late[0]["slot"]) == (5, 2)
        assert "ended after 2 seconds; take fewer points" in late[0]["message"]
        assert pid(await answered(pool, job())) != first
        assert not is_there(first)

    played(play, seconds=2)


def test_a_worker_that_dies_is_a_sentence_and_the_next_job_runs() -> None:
    async def play(pool: Pool) -> None:
        died = await answered(pool, job(procedure="die"))
        assert "more memory than it may take, or broke off" in died[0]["message"]
        assert pid(await answered(pool, job()))

    played(play)


def test_an_idle_worker_that_died_is_a_sentence_too() -> None:
    async def play(pool: Pool) -> None:
        first = pid(await answered(pool, job()))
        os.kill(first, 9)
        await asyncio.sleep(0.05)
        assert (await answered(pool, job()))[0]["type"] == "error"
        assert pid(await answered(pool, job())) != first

    played(play)


def test_who_stops_listening_ends_the_worker() -> None:
    async def play(pool: Pool) -> None:
        first = pid(await answered(pool, job()))
        task = asyncio.create_task(answered(pool, job(60)))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for _ in range(100):
            await asyncio.sleep(0.01)
            if not is_there(first):
                break
        assert not is_there(first)

    played(play)


def test_more_jobs_than_places_wait_and_are_told() -> None:
    async def play(pool: Pool) -> None:
        told: list[int] = []

        async def waiting(ahead: int) -> None:
            told.append(ahead)

        found = await asyncio.gather(*(answered(pool, job(0.2), waiting) for _ in range(5)))
        assert all(each[-1]["type"] == "frames" for each in found)
        assert sorted(told) == [1, 2, 3]
        assert len(pool.workers) <= 2

    played(play, busy=2)


def test_few_are_kept_idle() -> None:
    async def play(pool: Pool) -> None:
        await asyncio.gather(*(answered(pool, job(0.6)) for _ in range(4)))
        for _ in range(200):
            await asyncio.sleep(0.01)
            if len(pool.workers) == room.MOST_IDLE:
                break
        assert len(pool.workers) == room.MOST_IDLE

    played(play)


def test_the_end_of_a_pool_ends_a_job() -> None:
    async def play(pool: Pool) -> None:
        task = asyncio.create_task(answered(pool, job(60)))
        while not pool.workers:
            await asyncio.sleep(0.01)
        task.cancel()
        await pool.close()
        await asyncio.gather(task, return_exceptions=True)
        assert not pool.workers

    played(play)


def test_a_process_that_cannot_be_started_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(pool: Pool) -> None:
        code, fork = room.CODE, asyncio.create_subprocess_exec
        monkeypatch.setattr(room, "CODE", "raise SystemExit")
        assert "could be started for the run: it broke off" in (await answered(pool, job(id=4)))[0]["message"]
        monkeypatch.setattr(room, "CODE", "import time; time.sleep(60)")
        monkeypatch.setattr(room, "STARTING", 0.2)
        late = (await answered(pool, job(id=5)))[0]
        assert (late["id"], late["message"]) == (5, "No worker was ready within 0.2 seconds.")

        async def full(*_: Any, **__: Any) -> Any:
            raise BlockingIOError(11, "Resource temporarily unavailable")

        monkeypatch.setattr(asyncio, "create_subprocess_exec", full)
        assert "run: Resource temporarily unavailable; close" in (await answered(pool, job()))[0]["message"]
        monkeypatch.undo()
        monkeypatch.setattr(room, "CODE", code)
        assert asyncio.create_subprocess_exec is fork
        assert pid(await answered(pool, job()))

    played(play)


def test_a_start_goes_on_when_its_job_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    forked, fork = [], asyncio.create_subprocess_exec

    async def counted(*line: Any, **options: Any) -> Any:
        forked.append(await fork(*line, **options))
        return forked[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", counted)

    async def play(pool: Pool) -> None:
        for _ in range(3):
            task = asyncio.create_task(answered(pool, job()))
            while not forked:
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        first = pid(await answered(pool, job()))
        assert [process.pid for process in forked] == [first]

    played(play)


def test_temporary_files_are_in_the_folder_of_the_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import tempfile; print(flush=True); input(); print(tempfile.gettempdir()); print(flush=True)"
    monkeypatch.setattr(room, "CODE", code)

    async def scene() -> None:
        pool = Pool(folder=str(tmp_path))
        assert await pool.answer(job()) == str(tmp_path)
        await pool.close()

    asyncio.run(scene())

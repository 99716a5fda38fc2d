"""One page's requests: the newest of a slot wins, a third takes the place of the second, an end is an end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest
from explorer_cases import message

from discriminant.explorer import session
from discriminant.explorer.pool import Pool

Told = list[dict[str, Any]]


class SlowPool(Pool):
    """Jobs take as many seconds as their seed says; what was begun, ended and broken off is kept."""

    def __init__(self) -> None:
        self.seconds = 20.0
        self.begun: list[int] = []
        self.broken: list[int] = []

    async def run(self, job: Any, waiting: Any = None) -> AsyncGenerator[str, None]:
        self.begun.append(job["id"])
        try:
            await asyncio.sleep(job.get("seed", 0))
            if job["job"] == "page":
                yield json.dumps({"type": "page", "id": job["id"], "html": job["recordings"]})
                return
            yield json.dumps({"type": "recording", "id": job["id"], "head": job["id"]})
            if job.get("procedure") == "broken":
                yield json.dumps({"type": "error", "id": job["id"]})
                return
            if job.get("procedure") == "faulty":
                raise ZeroDivisionError("oh")
            yield json.dumps({"type": "frames", "id": job["id"], "steps": [job["id"]], "last": True})
        except asyncio.CancelledError:
            self.broken.append(job["id"])
            raise


def played(play: Callable[[session.Session, SlowPool], Awaitable[None]]) -> tuple[Told, SlowPool]:
    """What a page is told while it plays a scene."""
    told: Told = []
    pool = SlowPool()

    async def scene() -> None:
        async def send(text: str) -> None:
            told.append(json.loads(text))

        page = session.Session(pool, send)
        await play(page, pool)
        await page.close()

    asyncio.run(asyncio.wait_for(scene(), 10))
    return told, pool


def brief(told: Told) -> list[tuple[str, int]]:
    return [(each["type"], each["id"]) for each in told]


async def quiet(page: session.Session, *busy: int) -> None:
    """Wait until nothing is at work but in these slots."""
    while set(page._current) - set(busy) or page._telling:
        await asyncio.sleep(0.001)


async def begun(pool: SlowPool, id: int) -> None:
    while id not in pool.begun:
        await asyncio.sleep(0.001)


async def ask(page: session.Session, kind: str, id: int, **facts: Any) -> None:
    await page.handle(json.dumps(message(kind, id, **facts)))


def test_a_run_is_started_and_answered() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "run", 1)
        await quiet(page)

    assert brief(played(play)[0]) == [("started", 1), ("recording", 1), ("frames", 1)]


def test_of_three_runs_of_a_slot_the_second_is_passed_over() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        for id in (1, 2, 3):
            await ask(page, "run", id)
        await quiet(page)

    told, pool = played(play)
    assert pool.begun == [1, 3]
    assert ("cancelled", 2) in brief(told)
    assert brief(told)[-1] == ("frames", 3)


def test_a_long_run_is_ended_for_a_newer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "GRACE", 0.05)

    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "run", 1, seed=60)
        await begun(pool, 1)
        await ask(page, "run", 2)
        await quiet(page)

    told, pool = played(play)
    assert pool.broken == [1]
    assert brief(told) == [("started", 1), ("cancelled", 1), ("started", 2), ("recording", 2), ("frames", 2)]


def test_slots_and_verdicts_do_not_wait_for_each_other() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "run", 1, seed=60)
        await ask(page, "run", 2, slot=1)
        await ask(page, "verdict", 3)
        await ask(page, "dataset", 4)
        await quiet(page, 0)

    told, _ = played(play)
    assert {id for kind, id in brief(told) if kind == "frames"} == {2, 3, 4}


def test_a_run_that_is_cancelled_before_it_begins_is_told_of() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "run", 1)
        await ask(page, "cancel", 2)
        await quiet(page)

    told, pool = played(play)
    assert (brief(told), pool.begun) == ([("cancelled", 1)], [])


def test_cancel_ends_a_run_and_forgets_what_waits() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "run", 1, seed=60)
        await begun(pool, 1)
        await ask(page, "run", 2)
        await ask(page, "cancel", 3)
        await quiet(page)

    told, pool = played(play)
    assert (pool.begun, pool.broken) == ([1], [1])
    assert {id for kind, id in brief(told) if kind == "cancelled"} == {1, 2}


def test_a_page_that_goes_away_ends_its_runs() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        for slot in range(4):
            await ask(page, "run", slot, slot=slot, seed=60)
            await begun(pool, slot)

    assert sorted(played(play)[1].broken) == [0, 1, 2, 3]


def test_a_page_is_made_of_the_last_runs() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "page", 1)
        await quiet(page)
        await ask(page, "run", 2)
        await ask(page, "run", 3, slot=2)
        await quiet(page)
        await ask(page, "page", 4, slots=[2, 0])
        await quiet(page)

    told, _ = played(play)
    assert "no run in this slot" in told[0]["message"]
    assert told[-1]["html"] == [{"head": 3, "steps": [3]}, {"head": 2, "steps": [2]}]


def test_a_page_can_be_asked_for_when_the_last_step_is_heard() -> None:
    told: Told = []

    async def scene() -> None:
        async def send(text: str) -> None:
            told.append(json.loads(text))
            if told[-1].get("last"):
                await ask(page, "page", 2)
                await asyncio.sleep(0.05)

        page = session.Session(SlowPool(), send)
        await ask(page, "run", 1)
        await quiet(page)
        await page.close()

    asyncio.run(asyncio.wait_for(scene(), 10))
    assert told[-1]["html"] == [{"head": 1, "steps": [1]}]


def test_a_run_that_breaks_off_is_no_page() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "run", 1, procedure="broken")
        await quiet(page)
        await ask(page, "page", 2)
        await quiet(page)

    told, pool = played(play)
    assert pool.begun == [1]
    assert told[-1]["message"] == "There is no run in this slot yet; wait until it has run."


def test_a_fault_of_our_own_is_told() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "run", 1, procedure="faulty", slot=3)
        await quiet(page)

    last = played(play)[0][-1]
    assert (last["type"], last["id"], last["slot"]) == ("error", 1, 3)
    assert "Unexpected ZeroDivisionError: oh" in last["message"]


def test_progress_is_told_of_a_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "FIRST", 0.02)
    monkeypatch.setattr(session, "EVERY", 0.02)

    async def play(page: session.Session, pool: SlowPool) -> None:
        await ask(page, "run", 1, seed=1)
        await quiet(page)

    told, _ = played(play)
    assert [each["type"] for each in told].count("progress") >= 2


def test_faults_are_answered_with_their_id() -> None:
    async def play(page: session.Session, pool: SlowPool) -> None:
        await page.handle(json.dumps(message("run", 9) | {"slot": 17}))
        await page.handle("{")

    told, pool = played(play)
    assert [(each["type"], each["id"]) for each in told] == [("error", 9), ("error", None)]
    assert not pool.begun

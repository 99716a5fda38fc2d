"""Times of contests: audited first, then run in turns, ours, peer, ours, peer, …, and the medians compared."""

from __future__ import annotations

import contextlib
import functools
import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from threadpoolctl import ThreadpoolController

from ._case import AuditError, Contest, Goal, Peer, Run


@dataclass(frozen=True)
class Result:
    """What a contest with one peer gave; times are medians in seconds, low and high the quartiles of the ratio."""

    contest: str
    peer: str
    threads: int
    ours: float
    theirs: float
    low: float
    high: float
    goal: Goal
    audit: str

    @property
    def ratio(self) -> float:
        return self.goal.ratio(self.ours, self.theirs)


@dataclass(frozen=True)
class Effort:
    """How often to take turns: at least and at most so many times, and in between for so many seconds.

    Runs that are shorter than ``sample`` seconds are repeated within one turn.  The processor's clock instead of the
    wall's leaves out what other processes take; it adds up all threads, so that it is for one thread only.
    """

    least: int = 3
    most: int = 15
    seconds: float = 12.0
    sample: float = 0.02
    clock: Callable[[], float] = time.perf_counter


QUICK = Effort(most=3, sample=0)


@functools.cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()


def blas_threads() -> int:
    """The threads that BLAS uses now."""
    return max((pool["num_threads"] for pool in _pools().info() if pool["user_api"] == "blas"), default=1)


def one_thread() -> contextlib.AbstractContextManager[object]:
    """BLAS and OpenMP limited to one thread."""
    limit: contextlib.AbstractContextManager[object] = _pools().limit(limits=1)
    return limit


def measure(contest: Contest, effort: Effort = QUICK) -> list[Result]:
    """Audit every peer on an untimed run, which also warms the caches, then let all take turns."""
    runs = [contest.ours, *(peer.run for peer in contest.peers)]
    ours, *theirs = [run() for run in runs]
    audits = [_audited(contest, peer, ours, result) for peer, result in zip(contest.peers, theirs, strict=True)]
    samples = _take_turns(runs, effort)
    return [
        _compared(contest, peer, audit, samples[0], sample)
        for peer, audit, sample in zip(contest.peers, audits, samples[1:], strict=True)
    ]


def _audited(contest: Contest, peer: Peer, ours: object, theirs: object) -> str:
    try:
        return ", ".join(audit(ours, theirs) for audit in peer.audits)
    except AuditError as error:
        raise AuditError(f"{contest.name} against {peer.name}: {error}") from None


def _take_turns(runs: list[Run], effort: Effort) -> list[list[float]]:
    """Seconds of each run, by run and round, free from the garbage collector."""
    gc.collect()
    gc.disable()
    try:
        counts = [max(1, round(effort.sample / _seconds(run, 1, effort.clock))) for run in runs]
        samples: list[list[float]] = [[] for _ in runs]
        begin = time.perf_counter()
        for done in range(effort.most):
            if done >= effort.least and time.perf_counter() - begin > effort.seconds:
                break
            for run, count, sample in zip(runs, counts, samples, strict=True):
                sample.append(_seconds(run, count, effort.clock))
        return samples
    finally:
        gc.enable()


def _seconds(run: Run, count: int, clock: Callable[[], float]) -> float:
    """Seconds of one run, averaged over ``count`` of them."""
    begin = clock()
    for _ in range(count):
        run()
    return (clock() - begin) / count


def _compared(contest: Contest, peer: Peer, audit: str, ours: list[float], theirs: list[float]) -> Result:
    low, high = np.percentile([peer.goal.ratio(a, b) for a, b in zip(ours, theirs, strict=True)], [25, 75])
    medians = float(np.median(ours)), float(np.median(theirs))
    return Result(contest.name, peer.name, blas_threads(), *medians, float(low), float(high), peer.goal, audit)

"""What a case is made of: contests with peers, readings without one, and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Run = Callable[[], Any]
Audit = Callable[[Any, Any], str]  # (our result, theirs) -> what was found equal; raises AuditError


class AuditError(Exception):
    """The two sides did not do the same work, so that their times must not be compared."""


@dataclass(frozen=True)
class Goal:
    """A bound on theirs / ours from below, or on ours / theirs from above."""

    bound: float
    above: bool

    def __str__(self) -> str:
        return f"≥ {self.bound:g}×" if self.above else f"≤ {self.bound:g} of it"

    def ratio(self, ours: float, theirs: float) -> float:
        return theirs / ours if self.above else ours / theirs

    def written(self, ratio: float) -> str:
        return f"{ratio:.2f}×" if self.above else f"{ratio:.2f} of it"

    def met(self, ratio: float) -> bool:
        return ratio >= self.bound if self.above else ratio <= self.bound


def faster(times: float) -> Goal:
    """Our run is this many times faster than theirs."""
    return Goal(times, above=True)


def within(share: float) -> Goal:
    """Our run takes at most this share of theirs."""
    return Goal(share, above=False)


class Peer:
    """Somebody else's way to the same answer, the goal against it, and the audits that the work was equal."""

    def __init__(self, name: str, run: Run, goal: Goal, *audits: Audit) -> None:
        if not audits:
            raise TypeError(f"the peer {name!r} has no audit: say how its work is known to equal ours")
        self.name, self.run, self.goal, self.audits = name, run, goal, audits


@dataclass(frozen=True)
class Contest:
    """One thing that we and others do."""

    name: str
    ours: Run
    peers: list[Peer]


@dataclass(frozen=True)
class Reading:
    """One number that is judged by itself; ``more`` where it was still growing when the measuring was given up."""

    name: str
    value: float
    unit: str
    limit: float
    audit: str
    more: bool = False

    @property
    def met(self) -> bool:
        return self.value <= self.limit and not self.more


Outcome = Contest | Reading | str  # a string is a note, for what could not be measured
Measure = Callable[[bool], Iterator[Outcome]]


@dataclass(frozen=True)
class Case:
    """An id of performance.md, its title, the function that brings its contests, and the module it stands in."""

    id: str
    title: str
    outcomes: Measure
    module: str = ""


CASES: list[Case] = []


def case(id: str, title: str) -> Callable[[Measure], Measure]:
    """Register the function as a case."""

    def register(outcomes: Measure) -> Measure:
        CASES.append(Case(id, title, outcomes, outcomes.__module__.rpartition(".")[2]))
        return outcomes

    return register

"""What a search knows before it has ended, for whoever must stop it: its best plane, what is excluded, pairs decided.

Tests: ``tests/separation/test_knowledge.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from .._guards.parameters import refused
from ..exceptions import UndecidedError
from ..geometry import Hyperplane, LinearMachine

if TYPE_CHECKING:
    from .system import Direction, System

BLOCK = 1 << 21  # numbers of X, or of discriminants, that are made at once to count the wrong rows of a plane


@dataclass
class Knowledge:
    """The facts of a search that is under way; what they say stays true however it ends."""

    direction: Direction | None = None  # the one with the fewest rows known to contradict it
    n_wrong: int | None = None  # these rows, so far as they were counted
    relation: dict[tuple[int, int], int] | None = None  # weights > 0 by row with which some add up to zero
    is_weak: bool = False  # whether some vector, not zero on all rows, has none on the wrong side

    def saw(self, direction: Direction, n_wrong: int) -> None:
        """A vector, not zero on all rows, was tried, and so many rows contradict it.

        Of two with as many, the later one is the better: the count may be cut short.
        """
        if self.n_wrong is None or n_wrong <= self.n_wrong:
            self.direction, self.n_wrong = direction, n_wrong

    def related(self, weights: dict[tuple[int, int], int]) -> None:
        """Rows were found that add up to zero with positive weights; the first such will do."""
        self.relation = self.relation or weights


def undecided(
    what: str,
    system: System,
    groups: Sequence[tuple[Any, ...]],
    seconds: float | None,
    pairs: dict[Any, str],
    why: str = "",
) -> UndecidedError:
    """The error that tells what is known of a question after so many seconds; ``pairs`` were decided beside it.

    ``why`` says what stands in the way if it is not the time.
    """
    known, labels = system.known, [group[0] for group in groups]
    touching = known.relation or any(verdict != "complete" for verdict in pairs.values())
    excluded = [*(["complete"] if touching else []), *(["overlap"] if known.is_weak or known.n_wrong == 0 else [])]
    plane, n_wrong = best_plane(system, labels)
    told = [
        *(["some rows balance each other, so that no plane separates strictly"] if touching else []),
        *(["some rows lie weakly apart, so that the classes do not overlap in full"] if known.is_weak else []),
        *(["so it is quasi, but for which rows is open"] if len(excluded) == 2 else []),
        *([] if n_wrong is None else [f"the best plane has {n_wrong:,} of {system.patterns.size:,} rows wrong"]),
        *([f"{len(pairs):,} pairs of classes are decided"] if pairs else []),
    ]
    words = f"{why}{_so_far(told)}" if why else too_long(what, seconds, told)
    facts: dict[str, Any] = {"plane": plane, "n_wrong": n_wrong, "pairs": pairs, "passes": system.passes}
    return UndecidedError(words, seconds or 0.0, excluded=tuple(excluded), **facts)


def too_long(what: str, seconds: float | None, told: list[str]) -> str:
    """The message for a question that would take longer, with what is known of it."""
    wanted = f"larger for {what}{_so_far(told)}"
    return str(refused("max_seconds", seconds, wanted, "give more seconds, or set no limit"))


def _so_far(told: list[str]) -> str:
    return f" (so far, {'; '.join(told)})" if told else ""


def best_plane(system: System, labels: list[Any]) -> tuple[Hyperplane | LinearMachine | None, int | None]:
    """The best vector so far in floats, and how many rows it has not strictly on their side; of classes only."""
    if system.known.direction is None or not labels:
        return None, None
    A = system.augmented(system.known.direction)
    if len(labels) == 2:
        plane = Hyperplane.from_augmented(A[0])
        return plane, sum(int(np.sum(plane.side(X) != 2 * own - 1)) for X, own in _blocks(system, 2))
    machine = LinearMachine(np.concatenate([np.zeros_like(A[:1]), A]), labels)
    return machine, sum(_n_wrong(machine, X, own) for X, own in _blocks(system, len(labels)))


def _n_wrong(machine: LinearMachine, X: Any, own: Any) -> int:
    g = machine.discriminants(X)
    at = np.arange(len(own))
    mine = g[at, own]
    g[at, own] = -np.inf
    return int((mine <= g.max(axis=1)).sum())


def _blocks(system: System, n_classes: int) -> Iterator[tuple[Any, Any]]:
    """The patterns that take part, block by block, with the indices of their classes."""
    width = n_classes if sparse.issparse(system.X) else max(n_classes, system.d)
    for patterns in np.array_split(system.patterns, 1 + system.patterns.size * width // BLOCK):
        yield system.X[patterns], system.own[patterns]

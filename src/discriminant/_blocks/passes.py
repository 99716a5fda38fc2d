"""Passes over blocks that come one after the other, kept in a journal where there is one.

Tests: ``tests/_blocks/test_journal.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.progress import Tell
from .._engine.threads import one_blas_thread
from .blocks import Block, KeptByBlocks, Part, added, applied
from .journal import Journal
from .kept import RowStates


class PassesInOrder:
    """What ``Blocks`` asks for, given the blocks one after the other."""

    watch: Watch
    classes: NDArray[Any] | None = None
    n_rows: int | None = None
    weighted: bool = True
    in_order: bool = True
    tell: Tell | None = None  # told how far a pass is
    journal: Journal | None = None  # what was found in earlier runs, and is kept for later ones

    def __iter__(self) -> Iterator[Block]:
        raise NotImplementedError  # pragma: no cover

    def total(self, part: Part, *args: Any) -> tuple[Any, ...]:
        """``part(block, *args)`` of all blocks, added entry by entry."""
        journal, name = self.journal, part.__name__
        if journal is not None and (known := journal.known(name)) is not None:
            return tuple(known)
        sums: tuple[Any, ...] | None
        done, sums = (0, None) if journal is None else journal.begun(name)
        with one_blas_thread():
            for k, block in enumerate(self):
                if k < done:
                    continue
                found = applied(part, block, args)
                sums = tuple(found) if sums is None else added(sums, found)
                if journal is not None:
                    journal.offer(name, k + 1, sums)
        assert sums is not None  # no blocks are refused by who gives them
        if journal is not None:
            journal.close(name, sums)
        return sums

    def evolving(self, part: Part) -> KeptByBlocks:
        """A number for each row, which ``part`` replaces from pass to pass."""
        return RowStates(self, part)

    def gather(self, part: Part, *args: Any) -> list[Any]:
        """``part(block, *args)`` of all blocks."""
        return [applied(part, block, args) for block in self]

"""Numbers that belong to rows, one each, kept beside blocks that come one after the other.

A part of a sum may have a state, ``part(block, state, *args)`` gives the next and an answer; on a cluster it stays with
its block.  Here it is an array of a float for each row, and all of them lie in the order of the rows in memory, or from
64 MiB on in a temporary file, 8 bytes a row, of which a pass reads and writes the place of one block at a time.

Tests: ``tests/squared_error/test_ho_kashyap_on_blocks.py``.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from tempfile import SpooledTemporaryFile
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._engine.threads import one_blas_thread
from .blocks import Block, Part, added, applied
from .journal import Journal

IN_MEMORY = 2**26  # bytes


class Journaled(Iterable[Block], Protocol):
    """Blocks in their order, with what was found in an earlier run, if there was one."""

    journal: Journal | None


class RowStates:
    """A number for each row, which ``part`` replaces from pass to pass.

    A checkpoint holds the answers alone: the first pass that an earlier run has not made makes all of its steps again,
    block by block, from the arguments.
    """

    def __init__(self, blocks: Journaled, part: Part) -> None:
        self._of, self._part = blocks, part
        self._file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (it lasts as long as this object)
        weakref.finalize(self, self._file.close)
        self._begun, self._missed = False, list[tuple[Any, ...]]()

    def total(self, *args: Any) -> tuple[Any, ...]:
        """One pass: every block takes a step, and the answers are added."""
        journal, name = self._of.journal, self._part.__name__
        if journal is not None and (known := journal.known(name)) is not None:
            self._missed.append(args)
            return tuple(known)
        sums: tuple[Any, ...] | None = None
        with one_blas_thread():
            for block in self._of:
                state, found = self._held(block), ()
                for step in (*self._missed, args):
                    state, found = applied(self._part, block, (state, *step))
                self._hold(block, state)
                sums = found if sums is None else added(sums, found)
        assert sums is not None  # no blocks are refused by who gives them
        self._begun, self._missed = True, []
        if journal is not None:
            journal.close(name, sums)
        return sums

    def _held(self, block: Block) -> Any:
        if not self._begun:
            return None
        self._file.seek(8 * block.first)
        return np.frombuffer(self._file.read(8 * block.n_rows), np.float64)

    def _hold(self, block: Block, state: NDArray[np.float64]) -> None:
        self._file.seek(8 * block.first)
        self._file.write(state.tobytes())

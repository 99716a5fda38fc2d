"""The weights on their way, one row a correction, thinned so that they stay within bounds of memory."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guards.state import Changing, Undo
from .rows import inlined

MAX_CORRECTIONS = 10_000  # recorded one by one; beyond that the path is thinned
MAX_BYTES = 256 * 2**20  # what the paths of a fit may occupy, and once more while they are handed over


@inlined
def copy_into(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy one vector; a loop, because a slice assignment compiles for three seconds."""
    for j in range(source.size):
        target[j] = source[j]


class Path(Changing):
    """The weights a(1), a(2), ... of a fit, one row a correction, bounded in memory by thinning.

    At most ``MAX_CORRECTIONS + 1`` rows and ``MAX_BYTES`` bytes are held, a share of these when a fit has several
    paths.  The last row is always the latest vector.  A compiled pass knows nothing of it: it is given as many steps as
    there are corrections until the next row.

    ``cursor`` = (corrections so far, rows in use, corrections between two rows).
    """

    def __init__(self, A: NDArray[Any], wanted: bool, shares: int = 1) -> None:
        self.rows = np.empty((0, A.size), A.dtype)  # none where none are wanted
        self.cursor = np.array([0, 1, 1], np.int64)
        if wanted:
            room = MAX_BYTES // shares // A.nbytes
            self.rows = np.empty((min(MAX_CORRECTIONS + 1, max(room, 3)), A.size), A.dtype)
            self.rows[0] = A.ravel()

    @property
    def gap(self) -> int:
        """How many corrections there may be until the weights are looked at."""
        return int(self.cursor[2] - self.cursor[0] % self.cursor[2]) if self.rows.size else sys.maxsize

    def add(self, A: NDArray[Any], corrections: int = 1) -> None:
        """Append A, which so many corrections have led to, not more than ``gap``, if it is the turn of a row.

        When the path is full, every second row is kept, and from then on every second correction.
        """
        if not (self.rows.size and corrections):
            return
        made, used, stride = (int(c) for c in self.cursor)
        made += corrections
        if used == len(self.rows) and made % stride == 0:
            used, stride = (used + 1) // 2, 2 * stride
            self.rows[:used] = self.rows[::2].copy()
        if made % stride == 0:
            self.rows[used] = A.ravel()
            used += 1
        self.cursor[:] = made, used, stride

    def undo(self, known: set[int]) -> Undo:
        """What puts the rows in use back; the others hold nothing yet."""
        cursor = self.cursor.copy()
        rows = self.rows[: cursor[1]].copy()

        def back() -> None:
            self.cursor[:], self.rows[: cursor[1]] = cursor, rows

        return back

    def so_far(self, A: NDArray[Any]) -> NDArray[Any] | None:
        """The rows in use, closed by the present A when thinning passed over it."""
        if not self.rows.size:
            return None
        corrections, used, stride = (int(c) for c in self.cursor)
        rows = self.rows[:used].reshape(-1, *A.shape)
        return rows.copy() if corrections % stride == 0 else np.concatenate([rows, A[None]])

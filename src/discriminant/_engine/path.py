"""The weights on their way, one row a correction, thinned so that they stay within bounds of memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._guards.state import Changing, Undo
from .rows import compiled, inlined

MAX_CORRECTIONS = 10_000  # recorded one by one; beyond that the path is thinned
MAX_BYTES = 256 * 2**20  # what the paths of a fit may occupy, and once more while they are handed over


@inlined
def copy_into(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy one vector; a loop, because a slice assignment compiles for three seconds."""
    for j in range(source.size):
        target[j] = source[j]


@compiled
def record(path: NDArray[Any], cursor: NDArray[np.int64], A: NDArray[Any]) -> None:
    """Append A to the path; when it is full, keep every second row and from then on every second correction.

    ``cursor`` = (corrections so far, rows in use, corrections between two rows).
    """
    cursor[0] += 1
    if cursor[1] == path.shape[0] and cursor[0] % cursor[2] == 0:
        kept = (path.shape[0] + 1) // 2
        for r in range(kept):
            copy_into(path[2 * r], path[r])
        cursor[1], cursor[2] = kept, 2 * cursor[2]
    if cursor[0] % cursor[2] == 0:
        copy_into(A.ravel(), path[cursor[1]])
        cursor[1] += 1


class Trail(NamedTuple):
    """Where a compiled pass records corrected weights: the rows of a path and its cursor.

    Where no path is kept there is None in its place, which the compiler leaves out: the mere possibility would cost a
    pass over short rows 5 % of its time.
    """

    rows: NDArray[Any]
    cursor: NDArray[np.int64]


class Path(Changing):
    """The weights a(1), a(2), ... of a fit, one row a correction, bounded in memory by thinning.

    At most ``MAX_CORRECTIONS + 1`` rows and ``MAX_BYTES`` bytes are held, a share of these when a fit has several
    paths.  The last row is always the latest vector.
    """

    def __init__(self, A: NDArray[Any], wanted: bool, shares: int = 1) -> None:
        self.rows = np.empty((0, A.size), A.dtype)  # none where none are wanted
        self.cursor = np.array([0, 1, 1], np.int64)
        if wanted:
            room = MAX_BYTES // shares // A.nbytes
            self.rows = np.empty((min(MAX_CORRECTIONS + 1, max(room, 3)), A.size), A.dtype)
            self.rows[0] = A.ravel()

    @property
    def trail(self) -> Trail | None:
        return Trail(self.rows, self.cursor) if self.rows.size else None

    def add(self, A: NDArray[Any]) -> None:
        if self.rows.size:
            record(self.rows, self.cursor, A)

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

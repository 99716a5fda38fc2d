"""Independent rows among those of a sparse matrix, in floats: elimination, of which most of factors stays sparse.

Tests: ``tests/separation/test_elimination.py``.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from .passes import Floats

INDEPENDENT = 1e-7  # a row of length one that others leave less of is taken to depend on them
LARGE = 0.1  # of the largest entry that is left of a row: such may be pivots
FILL = 20  # entries that are made for each one that there was, at the most


class Elimination:
    """Rows of a CSR matrix, one after the other: each is kept if those before it leave something of it."""

    def __init__(self, Z: Any) -> None:
        self.Z, self.uses = Z, np.bincount(Z.indices, minlength=Z.shape[1]).tolist()
        self.chosen: list[int] = []
        self.order: dict[int, int] = {}  # of the pivots, by their column
        self.pivots: list[tuple[int, dict[int, float]]] = []  # one in their column, zero in those of earlier ones
        self.work = 0

    def take(self, places: Iterable[int]) -> bool:
        """Take these rows; False where too many entries were made."""
        for place in map(int, places):
            some = slice(self.Z.indptr[place], self.Z.indptr[place + 1])
            rest = self._reduced(dict(zip(self.Z.indices[some].tolist(), self.Z.data[some].tolist(), strict=True)))
            most = max(map(abs, rest.values()), default=0.0)
            if most > INDEPENDENT:
                _, column = min((self.uses[j], j) for j, value in rest.items() if abs(value) >= LARGE * most)
                pivot = rest.pop(column)
                self.order[column] = len(self.pivots)
                self.pivots.append((column, {j: value / pivot for j, value in rest.items()}))
                self.chosen.append(place)
            self.work -= FILL * (some.stop - some.start)
            if self.work > FILL * self.Z.shape[1]:
                return False
        return True

    def _reduced(self, rest: dict[int, float]) -> dict[int, float]:
        """What the pivots leave of a row."""
        waiting = sorted(self.order[j] for j in rest if j in self.order)
        while waiting:
            column, pivot = self.pivots[heappop(waiting)]
            factor = rest.pop(column, 0.0)
            for j, value in pivot.items() if factor else ():
                if j in self.order and j not in rest:
                    heappush(waiting, self.order[j])
                rest[j] = rest.get(j, 0.0) - factor * value
            self.work += len(pivot)
        return rest

    def probe(self) -> Floats:
        """A vector at random that is orthogonal to all rows that were kept."""
        b: Floats = np.random.default_rng(0).normal(size=self.Z.shape[1])
        for column, pivot in reversed(self.pivots):
            b[column] = -sum(value * b[j] for j, value in pivot.items())
        return b

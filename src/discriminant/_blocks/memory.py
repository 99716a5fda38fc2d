"""Arrays in memory as blocks, so that what runs on blocks can be tried on them.

Tests: ``tests/_blocks/test_blocks.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._engine.driver import Watch
from .blocks import Block, make_block
from .passes import PassesInOrder


class MemoryBlocks(PassesInOrder):
    """Arrays that are in memory, so many rows at a time."""

    def __init__(self, X: Any, y: Any, weight: Any = None, rows: int = 1000, names: list[str] | None = None) -> None:
        self.n_features, self.feature_names, self.watch = int(X.shape[1]), names, Watch()
        self.dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        self._data = X, np.asarray(y), weight
        self._starts = range(0, X.shape[0], rows)

    def __iter__(self) -> Iterator[Block]:
        X, y, weight = self._data
        for first in self._starts:
            self.watch.check()
            some = slice(first, first + self._starts.step)
            name = f"rows {first} to {min(some.stop, X.shape[0]) - 1}"
            part = None if weight is None else weight[some]
            yield make_block(X[some], y[some], part, first, name, self.dtype, self.n_features)

    def identity(self) -> list[Any]:
        """What tells these blocks from others, for a checkpoint."""
        X, y, _ = self._data
        return [list(X.shape), self._starts.step, str(self.dtype), [str(label) for label in np.ravel(y)[:20]]]

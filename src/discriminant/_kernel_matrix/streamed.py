"""Gaussian kernel rows that are made where they are needed and kept nowhere.

With few features rows are cheap to make, and the memory for thousands of them is not to be had for nothing.  A tile of
rows and columns is one matrix product; while it is still in the processor's cache, its exponentials are taken and added
up.  The tiles do not depend on the number of threads, and so neither do the sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.rows import compiled
from .._engine.threads import Workers
from .makers import GaussianRowMaker
from .rows import CACHE, StoredRows, in_float64
from .source import Block, Gram, Indices, Vector

FEATURES = 128  # up to so many, rows are not worth their memory
TILE = 512  # rows and columns of a tile
SOME = 128  # rows of a task
SQUARE = 16  # rows that are turned into columns at a time


class StreamedRows:
    """The ``KernelSource`` of a problem on the rows of a fast maker."""

    dtype = np.dtype(np.float32)
    keeps_rows = False

    def __init__(self, maker: GaussianRowMaker, workers: Workers | None = None, cache_bytes: float = CACHE) -> None:
        self.maker, self.workers, self.n = maker, workers or Workers(), len(maker.X)
        self.cache_bytes = cache_bytes  # for rows in float64, should these not do
        self.capacity = self.n  # any block will do
        self.made = 0

    def part(self, indices: Indices) -> StreamedRows:
        return self if indices.size == self.n else self.narrow(indices)

    def narrow(self, indices: Indices) -> StreamedRows:
        return StreamedRows(self.maker.narrow(indices), self.workers, self.cache_bytes)

    def missing(self, indices: Indices) -> int:
        return 0

    def gram(self, block: Indices, kept: Indices, new: Indices, known: Gram, watch: Watch | None = None) -> Block:
        block = np.r_[block[kept], new]
        K = np.empty((block.size, block.size), np.float32)
        self._fill(K[kept.size :], new, block)

        def complete(k: int) -> None:
            _complete(K, known, kept, k * SOME, min((k + 1) * SOME, kept.size))

        self.workers.each(complete, -(-kept.size // SOME))
        return block, K

    def add(
        self, f: Vector, indices: Indices, weights: Vector, known: Indices | None = None, watch: Watch | None = None
    ) -> None:
        used = np.flatnonzero(weights)
        rows, weights = indices[used], weights[used]
        self.made += rows.size
        others = np.ones(self.n, bool)
        if known is not None:
            others[known] = False
        columns = np.flatnonzero(others)

        def add(k: int) -> None:
            if watch is not None:
                watch.check()
            tile = columns[k * TILE : (k + 1) * TILE]
            for start in range(0, rows.size, TILE):
                part = slice(start, start + TILE)
                f[tile] += self.maker.weighed(rows[part], weights[part], tile)

        self.workers.each(add, -(-columns.size // TILE))

    def add_exact(self, f: Vector, indices: Indices, weights: Vector, watch: Watch) -> None:
        self.wide().add_exact(f, indices, weights, watch)

    def block(self, rows: Indices, columns: Indices) -> Vector:
        K = np.empty((rows.size, columns.size), np.float32)
        self._fill(K, rows, columns)
        return K.astype(np.float64)

    def whole(self) -> None:
        return None  # its rows are float32

    def doubt(self, alpha: Vector) -> float:
        return self.maker.doubt(alpha)

    def wide(self) -> StoredRows:
        return in_float64(self.maker, self.n, self.cache_bytes, self.workers)

    def _fill(self, out: NDArray[np.float32], rows: Indices, columns: Indices) -> None:
        def fill(k: int) -> None:
            part = slice(k * SOME, (k + 1) * SOME)
            self.maker.into(out[part], rows[part], columns)

        self.workers.each(fill, -(-rows.size // SOME))


@compiled
def _complete(K: Any, known: Any, kept: Any, start: int, stop: int) -> None:
    """Fill some of the first rows of a kernel matrix: the kept ones, whose part is known; the new ones are there."""
    m, k = len(K), kept.size
    for s in range(start, stop):
        row = known[kept[s]]
        for t in range(k):
            K[s, t] = row[kept[t]]
    for first in range(k, m, SQUARE):
        last = min(first + SQUARE, m)
        for s in range(start, stop):
            for t in range(first, last):
                K[s, t] = K[t, s]

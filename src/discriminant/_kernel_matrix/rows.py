"""Rows of a kernel matrix: made a block at a time by threads, the latest kept, shared by the problems that need them.

What is asked of them is what working off a block of rows takes (see ``_smo``): the small matrix K_BB of the block, and
f_t += sum_s w_s K_st for all t, which reads each kept row once and adds up in float64.

References
----------
Joachims, *Making Large-Scale SVM Learning Practical*, 1999 (cache of kernel rows); Wen, Shi, Li, He, Chen,
*ThunderSVM*, JMLR 19, 2018 (rows shared by the pairs of classes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._engine.driver import Watch
from .._engine.rows import compiled
from .._engine.threads import Workers
from .makers import GaussianRowMaker, RowMaker

SMALL = 1000  # rows up to which the whole kernel matrix is one block, solved to FINE whatever tol
BLOCK = 512  # rows that are asked for at a time
CACHE = 200 * 2**20  # bytes of kernel rows that are kept
CHUNK = 64  # kernel rows made by one call: the work in between stays in the processor's cache
COLUMNS = 1024  # columns that are brought up to date at a time

Indices = NDArray[np.int64]
EVERYTHING: Indices = np.zeros(0, np.int64)
Vector = NDArray[np.float64]
Make = Callable[[Indices], NDArray[Any]]


class KernelRows:
    """Rows of the kernel matrix of n patterns, the latest kept; several problems may share them.

    ``make(indices)`` gives the rows, and is called from several threads, with one BLAS thread each, unless
    ``workers`` is 1.  Rows are kept in float32 when n is large, unless ``dtype`` says otherwise, and in ``memory`` that
    may be given.
    """

    def __init__(
        self,
        make: Make,
        n: int,
        cache_bytes: float = CACHE,
        dtype: Any = None,
        workers: int | Workers | None = None,
        memory: NDArray[Any] | None = None,
    ) -> None:
        self.make, self.n, self.cache_bytes = make, n, cache_bytes
        self.workers = workers if isinstance(workers, Workers) else Workers(workers)
        self.dtype = np.dtype((np.float64 if n <= SMALL else np.float32) if dtype is None else dtype)
        self.capacity = int(min(n, cache_bytes // (n * self.dtype.itemsize)))
        if self.capacity < min(2, n):
            raise ValueError(
                f"cache_size={cache_bytes / 2**20:.3g} is too small: two kernel rows of {n} patterns take "
                f"{2 * n * self.dtype.itemsize / 2**20:.3g} megabytes; give at least that."
            )
        room = np.empty(self.capacity * n, self.dtype) if memory is None else memory
        self.store = room[: self.capacity * n].reshape(self.capacity, n)
        self.rounded = False  # rows were made in a wider type than they are kept in
        self.made = 0  # rows, counted each time
        self.forget()

    def forget(self) -> None:
        """Keep nothing of what was made."""
        self.place = np.full(self.n, -1)  # where a row is kept
        self._owner = np.full(self.capacity, -1)
        self._used = np.zeros(self.capacity, np.int64)  # when a slot was last asked for
        self._clock = 0

    @classmethod
    def of_matrix(cls, K: ArrayLike) -> Self:
        """Give the rows of a matrix that is there already; nothing is copied."""
        matrix = np.asarray(K)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"K has shape {matrix.shape}, but a precomputed kernel matrix is square; give K(x_i, x_j)")
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
        rows = cls(lambda indices: matrix[indices], len(matrix), 2 * max(1, matrix.nbytes), matrix.dtype, 1)
        rows.store, rows.place, rows._owner = matrix, np.arange(len(matrix)), np.arange(len(matrix))
        return rows

    def slots(self, indices: Indices, watch: Watch | None = None) -> Indices:
        """Say where in ``store`` these rows are, at most ``capacity`` of them; the missing ones are made.

        With a ``watch``, Ctrl-C is heard on the way.
        """
        self._clock += 1
        places = self.place[indices]
        self._used[places[places >= 0]] = self._clock
        missing = indices[places < 0]
        if missing.size:
            oldest = np.sort(np.argsort(self._used, kind="stable")[: missing.size])  # neighbors, if possible
            self.place[self._owner[oldest][self._owner[oldest] >= 0]] = -1
            self._owner[oldest], self._used[oldest] = -1, 0  # whatever happens below, no row is there under false name
            self._fill(missing, oldest, watch)
            self.place[missing], self._owner[oldest], self._used[oldest] = oldest, missing, self._clock
        return self.place[indices]

    def take(self, indices: Indices, columns: Indices | None = None) -> NDArray[Any]:
        """Give the rows, of any number, as an array of their own; all columns or those asked for."""
        width = self.n if columns is None else columns.size
        taken = np.empty((indices.size, width), self.dtype)
        for part, places in self.portions(indices):
            rows = self.store[places] if columns is None else self.store[places[:, None], columns]
            taken[part] = rows
        return taken

    def portions(self, indices: Indices, watch: Watch | None = None) -> Iterator[tuple[slice, Indices]]:
        """Go through rows of any number, as many at a time as are worth it and can be kept."""
        size = min(self.capacity, BLOCK)
        for start in range(0, indices.size, size):
            part = slice(start, start + size)
            yield part, self.slots(indices[part], watch)

    def exact_matrix(self, columns: Indices) -> Vector:
        """Give the kernel matrix of some patterns as it is made, not as rows are kept."""
        return np.ascontiguousarray(_exact(self._made_for(columns))(np.arange(columns.size)), np.float64)

    def doubt(self, alpha: Vector) -> float:
        """Give about what float32 may have made of sums of rows; anything where they were cut down to it."""
        if isinstance(self.make, GaussianRowMaker):
            return self.make.doubt(alpha)
        return np.inf if self.rounded else 0.0

    def wide(self) -> KernelRows:
        """Give the same rows, kept in float64."""
        return KernelRows(_exact(self.make), self.n, max(self.cache_bytes, 16 * self.n), np.float64, self.workers)

    def part(self, columns: Indices) -> Part:
        """Give the rows and columns of some patterns, as a problem of their own sees them.

        Where not all whole rows can be kept, shorter ones of its own serve a problem better: rows of many classes would
        drive each other out.
        """
        if self.capacity < self.n and columns.size < self.n:
            return Part(self.narrow(columns), EVERYTHING)
        return Part(self, np.asarray(columns, np.int64))

    def narrow(self, columns: Indices) -> KernelRows:
        """Give the rows and columns of some patterns, kept in the memory of these rows, which are forgotten."""
        self.forget()
        memory = self.store.reshape(-1)
        return KernelRows(self._made_for(columns), columns.size, memory.nbytes, self.dtype, self.workers, memory)

    def _made_for(self, columns: Indices) -> Make:
        """Give what makes the rows and columns of some patterns."""
        make = self.make
        return make.narrow(columns) if isinstance(make, RowMaker) else lambda rows: make(columns[rows])[:, columns]

    def _fill(self, indices: Indices, places: Indices, watch: Watch | None) -> None:
        self.made += indices.size

        def fill(k: int) -> None:
            if watch is not None:
                watch.check()
            part = slice(k * CHUNK, (k + 1) * CHUNK)
            some, where = indices[part], places[part]
            if isinstance(self.make, GaussianRowMaker) and where[-1] - where[0] == where.size - 1:
                self.make.into(self.store[where[0] : where[-1] + 1], some)
                return
            block = self.make(some)
            self.rounded |= block.dtype.itemsize > self.dtype.itemsize
            self.store[where] = block

        self.workers.each(fill, -(-indices.size // CHUNK))


class Part(NamedTuple):
    """Shared kernel rows, and the patterns that take part in a problem; no columns means all of them."""

    kernel: KernelRows
    columns: Indices

    @property
    def dtype(self) -> np.dtype[Any]:
        """Give the type that rows are kept in."""
        return self.kernel.dtype

    @property
    def capacity(self) -> int:
        """Give the largest number of rows of a block."""
        return self.kernel.capacity

    @property
    def made(self) -> int:
        """Give the number of rows that were made, counted each time."""
        return self.kernel.made

    def missing(self, indices: Indices) -> int:
        """Give the number of these rows that are not kept."""
        return int(np.count_nonzero(self.kernel.place[self.names(indices)] < 0))

    def names(self, indices: Indices) -> Indices:
        """Give the patterns' numbers in the whole set."""
        return self.columns[indices] if self.columns.size else indices

    def add(
        self, f: Vector, indices: Indices, weights: Vector, known: Indices | None = None, watch: Watch | None = None
    ) -> None:
        """Add the weighted sum of these rows to f; where it is known, it may have any value afterwards.

        With a ``watch``, Ctrl-C raises ``Interrupted`` and leaves f unfinished.
        """
        used, store = np.flatnonzero(weights), self.kernel.store
        share = COLUMNS * -(-f.size // (COLUMNS * self.kernel.workers.count))  # a sum is one thread's, row after row
        for part, places in self.kernel.portions(self.names(indices[used]), watch):
            rest = (0, -places.size % 4)
            slots, some = np.pad(places, rest, mode="edge"), np.pad(weights[used][part], rest)

            def add(k: int, slots: Indices = slots, some: Vector = some) -> None:
                _add(store, slots, some, self.columns, f, k * share, min((k + 1) * share, f.size))

            self.kernel.workers.each(add, self.kernel.workers.count)

    def add_exact(self, f: Vector, indices: Indices, weights: Vector, watch: Watch) -> None:
        """Add the weighted sum of these rows, as they are made, to f; Ctrl-C leaves it unfinished."""
        make = _exact(self.kernel.make)
        for start in range(0, indices.size, CHUNK):
            watch.check()
            part = slice(start, start + CHUNK)
            total = weights[part] @ np.asarray(make(self.names(indices[part])), np.float64)
            f += total[self.columns] if self.columns.size else total

    def doubt(self, alpha: Vector) -> float:
        """Give about what float32 may have made of f."""
        return self.kernel.doubt(alpha)

    def wide(self) -> Part:
        """Give the same with rows kept in float64."""
        return Part(self.kernel.wide(), self.columns)

    def narrow(self, indices: Indices) -> Part:
        """Give the rows of some patterns, cut to these; what is kept now is forgotten."""
        return Part(self.kernel.narrow(self.names(indices)), EVERYTHING)

    def gram(
        self, block: Indices, kept: Indices, new: Indices, known: NDArray[Any], watch: Watch | None = None
    ) -> tuple[Indices, NDArray[Any]]:
        """Give the next block and its kernel matrix: some of the last one, whose matrix is known, and new rows."""
        block = np.r_[block[kept], new]
        names = self.names(block)
        return block, _gram(self.kernel.store, self.kernel.slots(names, watch), names, np.argsort(names), known, kept)

    def block(self, rows: Indices, columns: Indices) -> Vector:
        """Give a part of the kernel matrix, in float64."""
        return self.kernel.take(self.names(rows), self.names(columns)).astype(np.float64)

    def whole(self) -> Vector:
        """Give the whole kernel matrix of the problem, in float64."""
        everything = self.columns if self.columns.size else np.arange(self.kernel.n)
        if self.dtype != np.float64:  # what is solved to the last digits needs them all
            return self.kernel.exact_matrix(everything)
        return np.ascontiguousarray(self.kernel.take(everything, self.columns if self.columns.size else None))


def _exact(make: Make) -> Make:
    """Give what makes the same rows to the last digit."""
    return make.exact() if isinstance(make, RowMaker) else make


@compiled
def _gram(store: Any, slots: Any, block: Any, order: Any, known: Any, kept: Any) -> Any:
    """Give the kernel matrix of a block from what is known and from kept rows, each read from left to right."""
    m, k = block.size, kept.size
    K = np.empty((m, m), store.dtype)
    for s in range(k):
        for t in range(k):
            K[s, t] = known[kept[s], kept[t]]
    for s in range(k, m):
        row = store[slots[s]]
        for t in range(m):
            K[s, order[t]] = row[block[order[t]]]
    for s in range(k):
        for t in range(k, m):
            K[s, t] = K[t, s]
    return K


@compiled
def _add(store: Any, slots: Any, weights: Any, columns: Any, f: Any, start: int, stop: int) -> None:
    """Add the weighted rows to f in one range of columns, in float64; four at a time, which saves visits to f."""
    for first in range(start, stop, COLUMNS):
        last = min(first + COLUMNS, stop)
        for s in range(0, slots.size, 4):
            p, q, r, u = store[slots[s]], store[slots[s + 1]], store[slots[s + 2]], store[slots[s + 3]]
            a, b, c, d = weights[s], weights[s + 1], weights[s + 2], weights[s + 3]
            if columns.size:
                for t in range(first, last):
                    k = columns[t]
                    f[t] += a * p[k] + b * q[k] + c * r[k] + d * u[k]
            else:
                for t in range(first, last):
                    f[t] += a * p[t] + b * q[t] + c * r[t] + d * u[t]

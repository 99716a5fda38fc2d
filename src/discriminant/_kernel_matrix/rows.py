"""Rows of a kernel matrix: made a block at a time by threads, the latest kept, shared by the problems that need them.

A working set B of rows takes the small matrix K_BB, and f_t += Σ_s w_s K_st for all t, which reads each kept row once
and adds up in float64 (``KernelSource`` says what else).

Sources: Joachims, *Making Large-Scale SVM Learning Practical*, 1999 (cache of kernel rows); Wen, Shi, Li, He, Chen,
*ThunderSVM*, JMLR 19, 2018 (rows shared by the pairs of classes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._engine.driver import Watch
from .._engine.rows import compiled
from .._engine.threads import Workers
from .makers import GaussianRowMaker, GivenRows, RowMaker
from .source import Block, Gram, Indices, Vector

SMALL = 1000  # rows up to which a problem is solved to the last digits whatever tol: its K takes 8 MB
BLOCK = 512  # rows that are asked for at a time
CACHE = 200 * 2**20  # bytes of kernel rows that are kept
CHUNK = 64  # kernel rows made by one call: the work in between stays in the processor's cache
FEW = 2**14  # kernel values up to which numpy adds up rows: compiled code would hardly be faster
COLUMNS = 1024  # columns that are brought up to date at a time: 8 kB of f stay in the processor's cache

EVERYTHING: Indices = np.zeros(0, np.int64)
Make = Callable[[Indices], NDArray[Any]]  # numbers of rows → the rows; a ``RowMaker`` is one


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
        self.make = make if isinstance(make, RowMaker) else GivenRows(make)
        self.n, self.cache_bytes = n, cache_bytes
        self.workers = workers if isinstance(workers, Workers) else Workers(workers)
        self.dtype = np.dtype((np.float64 if n <= SMALL else np.float32) if dtype is None else dtype)
        self.capacity = int(min(n, cache_bytes // (n * self.dtype.itemsize)))
        if self.capacity < min(2, n):
            least = f"at least {2 * n * self.dtype.itemsize / 2**20:.3g}, for two kernel rows of {n} patterns"
            raise ValueError(f"cache_size={cache_bytes / 2**20:.3g} must be {least}; give more megabytes.")
        room = np.empty(self.capacity * n, self.dtype) if memory is None else memory
        self.store = room[: self.capacity * n].reshape(self.capacity, n)
        self.rounded = False  # rows were made in a wider type than they are kept in
        self.made = 0  # rows, counted each time
        self.given = False  # the store is the caller's matrix, and no row of it is ever replaced
        self.forget()

    def forget(self) -> None:
        self.place = np.full(self.n, -1)  # where a row is kept
        self._owner = np.full(self.capacity, -1)
        self._used = np.zeros(self.capacity, np.int64)  # when a slot was last asked for
        self._clock = 0

    @classmethod
    def of_matrix(cls, K: ArrayLike) -> Self:
        """The rows of a matrix that is there already; nothing is copied."""
        matrix = np.asarray(K)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"K has shape {matrix.shape}, but a precomputed kernel matrix is square; give K(x_i, x_j)")
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
        rows = cls(lambda indices: matrix[indices], len(matrix), 2 * max(1, matrix.nbytes), matrix.dtype, 1)
        rows.store, rows.place, rows._owner, rows.given = matrix, np.arange(len(matrix)), np.arange(len(matrix)), True
        return rows

    def slots(self, indices: Indices, watch: Watch | None = None) -> Indices:
        """Where in ``store`` these rows are, at most ``capacity`` of them; the missing ones are made."""
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
        """Rows, of any number, as an array of their own; all columns or those asked for."""
        width = self.n if columns is None else columns.size
        taken = np.empty((indices.size, width), self.dtype)
        for part, places in self.portions(indices):
            taken[part] = self.store[places] if columns is None else self.store[places[:, None], columns]
        return taken

    def portions(self, indices: Indices, watch: Watch | None = None) -> Iterator[tuple[slice, Indices]]:
        size = min(self.capacity, BLOCK)
        for start in range(0, indices.size, size):
            part = slice(start, start + size)
            yield part, self.slots(indices[part], watch)

    def part(self, columns: Indices) -> StoredRows:
        """The rows and columns of some patterns, as a problem of their own sees them.

        Where not all whole rows can be kept, shorter ones of its own serve a problem better: rows of many classes would
        drive each other out.
        """
        if self.capacity < self.n and columns.size < self.n:
            return StoredRows(self.narrow(columns))
        return StoredRows(self, np.asarray(columns, np.int64))

    def narrow(self, columns: Indices) -> KernelRows:
        """The rows and columns of some patterns, kept in the memory of these rows, which are forgotten."""
        memory = None if self.given else self.store.reshape(-1)
        if not self.given:
            self.forget()
        return KernelRows(self.make.narrow(columns), columns.size, self.store.nbytes, self.dtype, self.workers, memory)

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


class StoredRows:
    """The ``KernelSource`` of a problem on kernel rows that it shares: the patterns ``columns``, or all of them."""

    keeps_rows = True

    def __init__(self, shared: KernelRows, columns: Indices = EVERYTHING) -> None:
        self.shared, self.columns = shared, columns
        self.dtype, self.capacity = shared.dtype, shared.capacity

    @property
    def made(self) -> int:
        return self.shared.made

    def missing(self, indices: Indices) -> int:
        return int(np.count_nonzero(self.shared.place[self._names(indices)] < 0))

    def _names(self, indices: Indices) -> Indices:
        """The patterns' numbers among all those that share the rows."""
        return self.columns[indices] if self.columns.size else indices

    def gram(self, block: Indices, kept: Indices, new: Indices, known: Gram, watch: Watch | None = None) -> Block:
        block = np.r_[block[kept], new]
        names = self._names(block)
        return block, _gram(self.shared.store, self.shared.slots(names, watch), names, np.argsort(names), known, kept)

    def add(
        self, f: Vector, indices: Indices, weights: Vector, known: Indices | None = None, watch: Watch | None = None
    ) -> None:
        used, store, workers = np.flatnonzero(weights), self.shared.store, self.shared.workers
        if used.size * f.size <= FEW:
            if watch is not None:
                watch.check()
            f += weights[used] @ self.block(indices[used], np.arange(f.size))
            return
        share = COLUMNS * -(-f.size // (COLUMNS * workers.count))  # a sum is one thread's, row after row
        for part, places in self.shared.portions(self._names(indices[used]), watch):
            rest = (0, -places.size % 4)
            slots, some = np.pad(places, rest, mode="edge"), np.pad(weights[used][part], rest)

            def add(k: int, slots: Indices = slots, some: Vector = some) -> None:
                _add(store, slots, some, self.columns, f, k * share, min((k + 1) * share, f.size))

            workers.each(add, workers.count)

    def add_exact(self, f: Vector, indices: Indices, weights: Vector, watch: Watch) -> None:
        make = self.shared.make.exact()
        for start in range(0, indices.size, CHUNK):
            watch.check()
            part = slice(start, start + CHUNK)
            total = weights[part] @ np.asarray(make(self._names(indices[part])), np.float64)
            f += total[self.columns] if self.columns.size else total

    def block(self, rows: Indices, columns: Indices) -> Vector:
        return self.shared.take(self._names(rows), self._names(columns)).astype(np.float64)

    def whole(self) -> Vector | None:
        everything = self.columns if self.columns.size else np.arange(self.shared.n)
        if self.shared.cache_bytes < 8 * everything.size**2:
            return None
        if self.dtype == np.float64:
            K = self.shared.take(everything, self.columns if self.columns.size else None)
        else:
            K = self.shared.make.narrow(everything).exact()(np.arange(everything.size))
        return np.ascontiguousarray(K, np.float64)

    def doubt(self, alpha: Vector) -> float:
        return np.inf if self.shared.rounded else self.shared.make.doubt(alpha)

    def wide(self) -> StoredRows:
        return in_float64(self.shared.make, self.shared.n, self.shared.cache_bytes, self.shared.workers, self.columns)

    def narrow(self, indices: Indices) -> StoredRows:
        return StoredRows(self.shared.narrow(self._names(indices)))


def in_float64(
    make: RowMaker, n: int, cache_bytes: float, workers: Workers, columns: Indices = EVERYTHING
) -> StoredRows:
    """The rows of a maker to the last digit, at least two of which are kept whatever the memory for them."""
    return StoredRows(KernelRows(make.exact(), n, max(cache_bytes, 16 * n), np.float64, workers), columns)


@compiled
def _gram(store: Any, slots: Any, block: Any, order: Any, known: Any, kept: Any) -> Any:
    """The kernel matrix of a block from what is known and from kept rows, each read from left to right."""
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

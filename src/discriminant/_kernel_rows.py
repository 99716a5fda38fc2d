"""Rows of a kernel matrix: made a block at a time by threads, the latest kept, shared by the problems that need them.

What is asked of them is what working off a block of rows takes (see ``_smo``): the small matrix K_BB of the block, and
f_t += sum_s w_s K_st for all t, which reads each kept row once and adds up in float64.

References
----------
Joachims, *Making Large-Scale SVM Learning Practical*, 1999 (cache of kernel rows); Wen, Shi, Li, He, Chen,
*ThunderSVM*, JMLR 19, 2018 (rows shared by the pairs of classes).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._rows import compiled

SMALL = 2000  # rows up to which the whole kernel matrix is one block, solved to FINE whatever tol
BLOCK = 512  # rows of a working set
CACHE = 200 * 2**20  # bytes of kernel rows that are kept
CHUNK = 64  # kernel rows made by one call: the work in between stays in the processor's cache
COLUMNS = 1024  # columns that a thread brings up to date at a time

Indices = NDArray[np.int64]
Vector = NDArray[np.float64]
Make = Callable[[Indices], NDArray[Any]]


class KernelRows:
    """Rows of the kernel matrix of n patterns, the latest kept; several problems may share them.

    ``make(indices)`` gives the rows, and is called from several threads, with one BLAS thread each, unless
    ``workers`` is 1.  Rows are kept in float32 when n is large, unless ``dtype`` says otherwise.
    """

    def __init__(
        self, make: Make, n: int, cache_bytes: float = CACHE, dtype: Any = None, workers: int | None = None
    ) -> None:
        self.make, self.n, self.cache_bytes, self.workers = make, n, cache_bytes, workers or os.cpu_count() or 1
        self.dtype = np.dtype((np.float64 if n <= SMALL else np.float32) if dtype is None else dtype)
        self.capacity = int(min(n, cache_bytes // (n * self.dtype.itemsize)))
        if self.capacity < min(2, n):
            raise ValueError(
                f"cache_bytes = {cache_bytes:.0f} holds {self.capacity} kernel rows of {n} patterns, and two are "
                f"needed; give at least {2 * n * self.dtype.itemsize} (cache_size counts in megabytes)"
            )
        self.store = np.empty((self.capacity, n), self.dtype)
        self.rounded = False  # rows were made in a wider type than they are kept in
        self._slot = np.full(n, -1)  # where a row is kept
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
        rows.store, rows._slot, rows._owner = matrix, np.arange(len(matrix)), np.arange(len(matrix))
        return rows

    def slots(self, indices: Indices) -> Indices:
        """Say where in ``store`` these rows are, at most ``capacity`` of them; the missing ones are made."""
        self._clock += 1
        places = self._slot[indices]
        self._used[places[places >= 0]] = self._clock
        missing = indices[places < 0]
        if missing.size:
            oldest = np.argsort(self._used, kind="stable")[: missing.size]
            self._slot[self._owner[oldest][self._owner[oldest] >= 0]] = -1
            self._owner[oldest], self._used[oldest] = -1, 0  # whatever happens below, no row is there under false name
            self._fill(missing, oldest)
            self._slot[missing], self._owner[oldest], self._used[oldest] = oldest, missing, self._clock
        return self._slot[indices]

    def take(self, indices: Indices, columns: Indices | None = None) -> NDArray[Any]:
        """Give the rows, of any number, as an array of their own; all columns or those asked for."""
        width = self.n if columns is None else columns.size
        taken = np.empty((indices.size, width), self.dtype)
        for part, places in self.portions(indices):
            rows = self.store[places] if columns is None else self.store[places[:, None], columns]
            taken[part] = rows
        return taken

    def portions(self, indices: Indices) -> Iterator[tuple[slice, Indices]]:
        """Go through rows of any number, as many at a time as are worth it and can be kept."""
        size = min(self.capacity, BLOCK)
        for start in range(0, indices.size, size):
            part = slice(start, start + size)
            yield part, self.slots(indices[part])

    def exact(self, indices: Indices) -> NDArray[np.float64]:
        """Give rows as they are made, not as they are kept."""
        return np.asarray(self.make(indices), np.float64)

    def wide(self) -> KernelRows:
        """Give the same rows, kept in float64."""
        return KernelRows(self.make, self.n, max(self.cache_bytes, 16 * self.n), np.float64, self.workers)

    def part(self, columns: Indices) -> Part:
        """Give the rows and columns of some patterns, as a problem of their own sees them."""
        return Part(self, np.asarray(columns, np.int64))

    def _fill(self, indices: Indices, places: Indices) -> None:
        def fill(start: int) -> None:
            some = slice(start, start + CHUNK)
            block = self.make(indices[some])
            self.rounded |= block.dtype.itemsize > self.dtype.itemsize
            self.store[places[some]] = block

        _each(fill, range(0, indices.size, CHUNK), self.workers)


class Part(NamedTuple):
    """Shared kernel rows, and the patterns that take part in a problem; no columns means all of them."""

    kernel: KernelRows
    columns: Indices

    def names(self, indices: Indices) -> Indices:
        """Give the patterns' numbers in the whole set."""
        return self.columns[indices] if self.columns.size else indices

    def add(self, f: Vector, indices: Indices, weights: Vector) -> None:
        """Add the weighted sum of these rows to f."""
        used = np.flatnonzero(weights)
        for part, places in self.kernel.portions(self.names(indices[used])):
            _add(self.kernel.store, places, weights[used][part], self.columns, f, self.kernel.workers)

    def add_exact(self, f: Vector, indices: Indices, weights: Vector) -> None:
        """Add the weighted sum of these rows, as they are made, to f."""
        for start in range(0, indices.size, CHUNK):
            part = slice(start, start + CHUNK)
            total = weights[part] @ self.kernel.exact(self.names(indices[part]))
            f += total[self.columns] if self.columns.size else total

    def wide(self) -> Part:
        """Give the same with rows kept in float64."""
        return Part(self.kernel.wide(), self.columns)

    def gram(self, kept: Indices, new: Indices, corner: Vector) -> Vector:
        """Give the kernel matrix of a block in float64, of which a corner is known."""
        block, k = self.names(np.r_[kept, new]), kept.size
        K = np.empty((block.size, block.size))
        K[:k, :k] = corner
        K[k:] = _columns(self.kernel.store, self.kernel.slots(block)[k:], block)
        K[:k, k:] = K[k:, :k].T
        return K

    def whole(self) -> Vector:
        """Give the whole kernel matrix of the problem, in float64."""
        everything = self.columns if self.columns.size else np.arange(self.kernel.n)
        matrix = self.kernel.take(everything, self.columns if self.columns.size else None)
        return np.ascontiguousarray(matrix, np.float64)


@compiled
def _columns(store: Any, slots: Any, columns: Any) -> Any:
    """Give some columns of some rows, in float64."""
    K = np.empty((slots.size, columns.size))
    for s in range(slots.size):
        row = store[slots[s]]
        for t in range(columns.size):
            K[s, t] = row[columns[t]]
    return K


@compiled
def _add_columns(store: Any, slots: Any, weights: Any, columns: Any, f: Any, start: int, stop: int) -> None:
    """Add the weighted rows to f in one range of columns, in float64; four at a time, which saves visits to f."""
    m = slots.size
    for s in range(0, m, 4):
        a, b, c, d = s, min(s + 1, m - 1), min(s + 2, m - 1), min(s + 3, m - 1)
        p, q, r, u = store[slots[a]], store[slots[b]], store[slots[c]], store[slots[d]]
        wp, wq = weights[a], weights[b] if s + 1 < m else 0.0
        wr, wu = weights[c] if s + 2 < m else 0.0, weights[d] if s + 3 < m else 0.0
        if columns.size:
            for t in range(start, stop):
                k = columns[t]
                f[t] += wp * p[k] + wq * q[k] + wr * r[k] + wu * u[k]
        else:
            for t in range(start, stop):
                f[t] += wp * p[t] + wq * q[t] + wr * r[t] + wu * u[t]


def _add(store: NDArray[Any], slots: Indices, weights: Vector, columns: Indices, f: Vector, workers: int) -> None:
    """Add the weighted rows to f, the columns shared among threads; every sum is made by one of them."""

    def add(start: int) -> None:
        _add_columns(store, slots, weights, columns, f, start, min(start + COLUMNS, f.size))

    _each(add, range(0, f.size, COLUMNS), workers)


def _each(work: Callable[[int], None], starts: range, workers: int) -> None:
    """Do the work for every start, in threads where there are several of both."""
    if workers == 1 or len(starts) == 1:
        for start in starts:
            work(start)
        return
    with ThreadPoolExecutor(min(workers, len(starts))) as pool:
        list(pool.map(work, starts))

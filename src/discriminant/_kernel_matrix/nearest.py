"""The nearest points of the hulls of two classes in the feature space of a kernel: the hard margin, or proof of none.

    minimize  ‖Σ μ_i z_i φ(x_i)‖²   subject to  μ >= 0,  Σ μ_i = 1 in each class

With f_t = Σ μ_i z_i K_it the squared distance is d² = Σ μ_i z_i f_i; half the distance is the largest margin, and
(min f of the one class - max f of the other) / d its double that μ has reached.  The active set method: the rows that
come nearest to the other side join those with μ > 0, Newton's step goes to the nearest points of the affine hulls of
these, or as far as μ stays positive, and a row whose μ becomes zero leaves.  d² falls with every row that joins, no set
comes twice, and the search ends, also where the hulls touch: d² is then zero to rounding, whereas the multipliers of
the dual would grow forever.

Sources: Wolfe, *Finding the Nearest Point in a Polytope*, Mathematical Programming 11, 1976; Lawson, Hanson, *Solving
Least Squares Problems*, 1974, ch. 23; Keerthi, Shevade, Bhattacharyya, Murthy, *A Fast Iterative Nearest Point
Algorithm for Support Vector Machine Classifier Design*, IEEE Trans. Neural Networks 11, 2000.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh

from .._engine.driver import Interrupted, Watch
from .._engine.threads import one_blas_thread
from .source import Indices, KernelSource, Vector

TOUCH = 1e-14  # squared distance, in units of the largest K(x, x), that rounding cannot tell from zero
EXACT = 1e-12  # relative difference of d² and of what is reached that is left in the end
DEFINITE = 1e-13  # smallest pivot, in units of the largest one, of rows that are affinely independent
FLAT = 1e-6  # part of a unit vector that is more than rounding
GROWTH = 8  # a set grows by this part of it at a time


class Nearest(NamedTuple):
    """Weights of the nearest points, the squared distance of the hulls, and how it was found."""

    mu: Vector
    square: float  # d²
    reached: float  # min f of the one class - max f of the other: at most d², equal at the optimum
    middle: float  # f midway between these two
    steps: int
    apart: bool  # False where the hulls touch, to rounding
    interrupted: bool


def nearest(
    source: KernelSource, diagonal: Vector, z: Vector, watch: Watch | None = None, start: Indices | None = None
) -> Nearest:
    """Search for the nearest points; ``source`` has kernel rows in float64, ``start`` rows of both classes."""
    search = ActiveSet(source, z, float(diagonal.max()), start, watch or Watch())
    joined = 1
    square, reached = search.look()
    with one_blas_thread():  # the same sums whatever the number of threads
        while square > TOUCH * search.scale and square - reached > EXACT * square:
            worst, before = search.violators(joined), square
            if not worst.size:
                break
            try:
                search.join(worst)
            except Interrupted:
                return search.answer(interrupted=True)
            square, reached = search.look()
            if not square < before and joined == 1:  # rounding has the last word
                break
            joined = max(1, search.support.size // GROWTH) if square < before else 1
    return search.answer(interrupted=False)


class ActiveSet:
    """The rows with μ > 0, their kernel matrix, and f of all rows."""

    def __init__(self, source: KernelSource, z: Vector, scale: float, start: Indices | None, watch: Watch) -> None:
        self.source, self.z, self.scale, self.steps, self.watch = source, z, scale, 0, watch
        self.support = np.array([np.argmax(z > 0), np.argmax(z < 0)]) if start is None else start
        own = z[self.support]
        self.mu = np.where(own > 0, 1 / np.count_nonzero(own > 0), 1 / np.count_nonzero(own < 0))
        self.K = source.block(self.support, self.support)
        with suppress(Interrupted):  # heard again at the next step
            self._descend()

    def look(self) -> tuple[float, float]:
        """Bring f up to date; d², and what is reached of it."""
        beta = self.mu * self.z[self.support]
        self.f = np.zeros(self.z.size)
        self.source.add(self.f, self.support, beta)
        square = float(beta @ self.f[self.support])
        return square, float(self.f[self.z > 0].min() - self.f[self.z < 0].max())

    def violators(self, count: int) -> Indices:
        """Rows nearer to the other side than those with μ > 0: the worst, or several of both classes."""
        found, excess = [], []
        for side in (1, -1):
            f, own = side * self.f, self.z == side
            level = float(self.mu[own[self.support]] @ f[self.support][own[self.support]])
            f = np.where(own, f, np.inf)
            f[self.support] = np.inf
            worst = np.argpartition(f, count - 1)[:count] if count < f.size else np.arange(f.size)
            worst = worst[f[worst] < level]
            found.append(worst)
            excess.append(level - f[worst])
        both = np.concatenate(found)
        return both if count > 1 else both[np.argsort(-np.concatenate(excess), kind="stable")[:1]]

    def join(self, new: Indices) -> None:
        """Let rows in, and go down as far as it goes with what is there, or until Ctrl-C."""
        self.watch.check()
        self.support = np.r_[self.support, new]
        self.mu = np.r_[self.mu, np.zeros(new.size)]
        more = self.source.block(new, self.support)
        self.K = np.block([[self.K, more[:, : -new.size].T], [more]])
        self._descend()

    def answer(self, interrupted: bool) -> Nearest:
        square, reached = self.look()
        apart = square > TOUCH * self.scale
        mu = np.zeros(self.z.size)
        mu[self.support] = self.mu
        middle = (float(self.f[self.z > 0].min()) + float(self.f[self.z < 0].max())) / 2
        return Nearest(mu, square, reached, middle, self.steps, apart, interrupted)

    def _descend(self) -> None:
        """Take steps to the nearest points of the affine hulls until they lie in the hulls."""
        while True:
            self.watch.check()
            self.steps += 1
            move, whole = self._move()
            shrinking = move < 0
            room = np.where(shrinking, self.mu / np.where(shrinking, -move, 1), np.inf)
            share = float(room.min(initial=np.inf))
            if whole and share >= 1:
                self.mu = self.mu + move
                break
            self.mu = np.maximum(self.mu + share * move, 0)
            self._leave(room <= share)
        self._leave(self.mu <= 0)

    def _leave(self, gone: NDArray[np.bool_]) -> None:
        left = np.flatnonzero(~gone)
        self.support, self.mu, self.K = self.support[left], self.mu[left], self.K[left[:, None], left]

    def _move(self) -> tuple[Vector, bool]:
        """The way to the nearest points of the affine hulls, or one along which nothing changes (False).

        A constant added to K within a class changes nothing, as μ sums up to one there, and makes K definite unless
        the points are affinely dependent.
        """
        z = self.z[self.support]
        sides = np.column_stack([z > 0, z < 0]).astype(np.float64)
        Q = self.K * np.outer(z, z) + self.scale * sides @ sides.T
        try:
            factor = cho_factor(Q, lower=True)
            pivots = np.diagonal(factor[0]) ** 2
            definite = pivots.min() > DEFINITE * pivots.max()
        except np.linalg.LinAlgError:
            definite = False
        if not definite:
            flat = eigh(Q, subset_by_index=[0, 0])[1][:, 0]
            flat -= sides @ (sides.T @ flat / sides.sum(axis=0))
            flat = flat if flat[self.mu <= 0].sum() >= 0 else -flat  # a row that has just come in stays
            return (flat, False) if flat.min() < -FLAT else (np.zeros_like(flat), True)
        U = cho_solve(factor, sides)
        return U @ np.linalg.solve(sides.T @ U, np.ones(2)) - self.mu, True

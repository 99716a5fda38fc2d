"""Nonnegative least squares: minimize ‖Ax - b‖ over x >= 0, by Lawson and Hanson's active set method.

Columns enter the set P one by one, the steepest first; least squares on P alone tells where to go, and columns whose
weight vanishes on the way leave P. SciPy does this in one call that hears no Ctrl-C. So large problems are solved here,
a column at a time, with a QR factorization of the columns of P that is kept up to date.

References
----------
C. L. Lawson and R. J. Hanson, *Solving Least Squares Problems* (1974), chapter 23.

Tests: ``tests/separation/test_integers.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr_delete, qr_insert, solve_triangular

from .._engine.progress import PAUSE, Tell

Floats = NDArray[np.float64]

TALL = 8000  # rows for which no square factor Q is kept: 0.5 GiB
NEAR = 1e-11  # a hull nearer to zero than this, with rows of length one, is taken to contain it
PAYS = 0.99  # of the distance that is left, at the most, after a block of columns that paid
SHORT = 1e8  # rows x columns x rank of a problem that SciPy solves in a fifth of a second
FEW = 1_000  # numbers that a library is done with in milliseconds: a thread would take as long


def heard(work: Callable[..., Any], *given: Any, tick: Tell | None = None, **options: Any) -> Any:
    """What a long call of a library answers; it runs in a thread, because Ctrl-C ends the wait for it at once.

    While it lasts, ``tick`` is called again and again, and may raise to end the wait.
    """
    if getattr(given[0], "size", math.inf) <= FEW:
        return work(*given, **options)
    answer: Future[Any] = Future()

    def run() -> None:
        try:
            answer.set_result(work(*given, **options))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=run, daemon=True).start()
    while tick is not None and not wait([answer], PAUSE).done:
        tick("", 0.0)
    return answer.result()


def hull_program(rows: Floats) -> tuple[Floats, Floats]:
    """A and b of the point of the hull of some rows R that is nearest to zero: least ‖(R, 1)ᵗλ - (0, 1)‖, λ >= 0."""
    A = np.concatenate([rows, np.ones((len(rows), 1))], axis=1).T
    return A, np.append(np.zeros(rows.shape[1]), 1.0)


def nonnegative(A: Floats, b: Floats, max_iter: int, start: Floats | None = None, tick: Tell | None = None) -> Floats:
    """The x >= 0 with the least ‖Ax - b‖, from x = 0 or near ``start``; RuntimeError after too many steps."""
    if (A.size * min(A.shape) <= SHORT and start is None) or len(A) > TALL:
        from scipy.optimize import nnls  # 0.2 s of imports that most data do not need

        if len(A) > TALL:
            return np.asarray(heard(nnls, A, b, maxiter=max_iter, tick=tick)[0])
        return np.asarray(nnls(A, b, maxiter=max_iter)[0])
    start = _by_blocks(A, b, np.zeros(A.shape[1]) if start is None else start, tick)
    return _stepwise(A, b, max_iter, start, tick)


def _by_blocks(A: Floats, b: Floats, x: Floats, tick: Tell | None) -> Floats:
    """A good x >= 0 to begin with: half as many columns as P has room for enter at a time, while it pays.

    Those whose weight is not positive leave together. That may go in circles, and so it is not the end.
    """
    best, least = x, np.inf
    while True:
        rest = b - A @ x
        size = float(np.linalg.norm(rest))
        if not size < PAYS * least:
            return best
        best, least = x, size
        room = len(A) - np.count_nonzero(x)
        slope = np.where(x > 0, -np.inf, rest @ A)
        steepest = np.argsort(-slope, kind="stable")[: (room + 1) // 2]
        chosen = np.union1d(np.flatnonzero(x), steepest[slope[steepest] > 0])
        while True:
            if tick is not None:
                tick("", 0.0)
            P = A[:, chosen]
            try:
                weights = np.linalg.solve(P.T @ P, b @ P)
            except np.linalg.LinAlgError:
                return best
            if not np.any(weights <= 0):
                break
            chosen = chosen[weights > 0]
        x = np.zeros(A.shape[1])
        x[chosen] = weights


def _stepwise(A: Floats, b: Floats, max_iter: int, start: Floats, tick: Tell | None = None) -> Floats:
    """The same, one column at a time."""
    rows = Passive(A, b, start)
    tol = 100 * np.finfo(np.float64).eps * float(np.sqrt(np.einsum("ij,ij->j", A, A).max()) * np.linalg.norm(b))
    refused: list[int] = []
    for _ in range(max_iter):
        if tick is not None:
            tick("", 0.0)
        slope = rows.residual() @ A
        slope[[*rows.chosen, *refused]] = -np.inf
        j = int(np.argmax(slope))
        if not slope[j] > tol or len(rows.chosen) == A.shape[0]:
            break
        refused = [] if rows.enter(j) else [*refused, j]  # what rounding alone makes steep is passed over
    else:
        raise RuntimeError("nonnegative least squares took too many steps")
    x = np.zeros(A.shape[1])
    x[rows.chosen] = rows.x
    return x


class Passive:
    """The columns of P with their weights x > 0, and the factors QR of these columns."""

    def __init__(self, A: Floats, b: Floats, start: Floats) -> None:
        self.A, self.b = A, b
        self.chosen: list[int] = np.flatnonzero(start).tolist()
        self.x = start[self.chosen]
        self.Q: Any = np.eye(len(b))
        self.R: Any = np.zeros((len(b), 0))
        if self.chosen:
            self.Q, self.R = np.linalg.qr(A[:, self.chosen], mode="complete")
            self._go()

    def enter(self, j: int) -> bool:
        """Take in a column, and go to the least squares on P; False where its weight would not be positive."""
        k = len(self.chosen)
        before = self.Q, self.R
        if k:
            self.Q, self.R = qr_insert(self.Q, self.R, self.A[:, j], k, "col", check_finite=False)
        else:  # SciPy wants a column to begin with
            self.Q, self.R = np.linalg.qr(self.A[:, [j]], mode="complete")
        self.chosen, self.x = [*self.chosen, j], np.r_[self.x, 0.0]
        target = self._least_squares()
        if not target[-1] > 0:
            self.chosen, self.x, (self.Q, self.R) = self.chosen[:-1], self.x[:-1], before
            return False
        self._go()
        return True

    def _go(self) -> None:
        """Go to the least squares on P; columns whose weight vanishes on the way leave."""
        while (out := np.flatnonzero((target := self._least_squares()) <= 0)).size:
            steps = self.x[out] / (self.x[out] - target[out])
            self.x = self.x + steps.min() * (target - self.x)
            self.x[out[steps == steps.min()]] = 0  # but for rounding it is
            self._leave(np.flatnonzero(self.x <= 0))
        self.x = target

    def residual(self) -> Floats:
        """What the columns of P leave of b."""
        rest = self.Q[:, len(self.chosen) :]
        return np.asarray(rest @ (self.b @ rest))

    def _least_squares(self) -> Floats:
        k = len(self.chosen)
        return np.asarray(solve_triangular(self.R[:k], (self.b @ self.Q)[:k], check_finite=False))

    def _leave(self, places: NDArray[np.int64]) -> None:
        for k in places[::-1].tolist():
            self.Q, self.R = qr_delete(self.Q, self.R, k, 1, "col", check_finite=False)
            del self.chosen[k]
        self.x = np.delete(self.x, places)


def nearest_to_zero(R: Floats, tick: Tell | None = None) -> tuple[Floats | None, Floats]:
    """A vector b with Rb > 0, from the point of the hull of the rows that is nearest to zero, or a relation.

    Nonnegative least squares on (R, 1)ᵗλ = (0, 1). Where the residual ρ is not zero, its condition of optimality says
    that (R, 1) ρ <= 0, with a positive last entry of ρ: -ρ is a vector with Rb > 0.
    """
    m, q = R.shape
    basis = None
    if m < q:
        basis, triangle = heard(np.linalg.qr, R.T, tick=tick)
        R = triangle.T
    A, target = hull_program(R)
    weights = nonnegative(A, target, 10 * (m + q), tick=tick)
    weights[weights < NEAR * weights.max()] = 0  # what rounding has left of rows that have no share
    b = (A @ weights)[:-1]
    length = np.linalg.norm(b)
    if length > 0 and (R @ b).min() > NEAR * length:
        b /= length
        return (b if basis is None else basis @ b), weights
    return None, weights

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

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr_delete, qr_insert, solve_triangular
from scipy.optimize import nnls

Floats = NDArray[np.float64]

TALL = 8000  # rows for which no square factor Q is kept: 0.5 GiB
SHORT = 1e8  # rows x columns x rank of a problem that SciPy solves in a fifth of a second


def hull_program(rows: Floats) -> tuple[Floats, Floats]:
    """A and b of the point of the hull of some rows R that is nearest to zero: least ‖(R, 1)ᵗλ - (0, 1)‖, λ >= 0."""
    A = np.concatenate([rows, np.ones((len(rows), 1))], axis=1).T
    return A, np.append(np.zeros(rows.shape[1]), 1.0)


def nonnegative(A: Floats, b: Floats, max_iter: int) -> Floats:
    """The x >= 0 with the least ‖Ax - b‖; RuntimeError after too many steps."""
    if A.size * min(A.shape) <= SHORT or len(A) > TALL:
        return np.asarray(nnls(A, b, maxiter=max_iter)[0])
    return _stepwise(A, b, max_iter)


def _stepwise(A: Floats, b: Floats, max_iter: int) -> Floats:
    """The same, one column at a time."""
    rows = Passive(A, b)
    tol = 100 * np.finfo(np.float64).eps * float(np.sqrt(np.einsum("ij,ij->j", A, A).max()) * np.linalg.norm(b))
    refused: list[int] = []
    for _ in range(max_iter):
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

    def __init__(self, A: Floats, b: Floats) -> None:
        self.A, self.b = A, b
        self.chosen: list[int] = []
        self.x = np.zeros(0)
        self.Q: Any = np.eye(len(b))
        self.R: Any = np.zeros((len(b), 0))

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
        while (out := np.flatnonzero(target <= 0)).size:
            steps = self.x[out] / (self.x[out] - target[out])
            self.x = self.x + steps.min() * (target - self.x)
            self.x[out[steps == steps.min()]] = 0  # but for rounding it is
            self._leave(np.flatnonzero(self.x <= 0))
            target = self._least_squares()
        self.x = target
        return True

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

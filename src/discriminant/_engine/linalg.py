"""Linear algebra that says when it cannot be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.linalg.lapack import dpocon
from scipy.sparse.linalg import LinearOperator, eigsh

from .._guards.validation import all_finite
from .rows import compiled, row_column, row_length, row_value

WELL = 1e-10  # least reciprocal condition: below it the normal equations lose too many of the 16 digits

Matrix = NDArray[np.float64]


@dataclass
class Cholesky:
    """A factor of a positive definite matrix scaled to a unit diagonal, with its reciprocal condition."""

    factor: Matrix
    scale: Matrix
    rcond: float

    def solve(self, b: Matrix) -> Matrix:
        scaled = linalg.cho_solve((self.factor, False), b * self.scale[:, None], check_finite=False)
        return np.asarray(scaled * self.scale[:, None])


def cholesky(S: Matrix) -> Cholesky | None:
    """The factor, or None for a matrix that is not safely positive definite."""
    diagonal = np.diag(S)
    if not np.all(diagonal > 0) or not all_finite(S):
        return None
    scale = 1 / np.sqrt(diagonal)
    scaled = S * scale * scale[:, None]
    try:
        factor = linalg.cholesky(scaled, check_finite=False)
    except linalg.LinAlgError:
        return None
    rcond, _ = dpocon(factor, np.abs(scaled).sum(axis=0).max())
    return Cholesky(factor, scale, float(rcond)) if rcond >= WELL else None


def largest_eigenvalue(A: NDArray[Any] | Callable[[Matrix], NDArray[Any]], d: int, tol: float = 1e-6) -> float:
    """λ_max of a symmetric d × d matrix: of the matrix itself, or to a relative ``tol`` from its products Av alone."""
    if not callable(A):
        return float(np.linalg.eigvalsh(A)[-1])
    operator = LinearOperator((d, d), matvec=lambda v: A(v.ravel()), dtype=np.float64)
    start = np.random.default_rng(0).random(d)  # fixed, and at right angles to nothing in particular
    return float(eigsh(operator, k=1, v0=start, tol=tol, return_eigenvectors=False)[0])


@compiled
def add_squares(X: Any, chosen: NDArray[np.int64], weight: Matrix, q: Matrix) -> None:
    """Add Σ weight y² over chosen rows to q, column by column."""
    for k in range(chosen.size):
        i = chosen[k]
        q[0] += weight[k]
        for j in range(row_length(X, i)):
            x = row_value(X, i, j)
            q[row_column(X, i, j) + 1] += weight[k] * x * x

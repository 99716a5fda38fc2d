"""Coordinates in which a logistic regression is well conditioned, and the way there and back.

Up to ``SMALL`` rows X is made dense and centered; where it has more columns than rows, w = Qu with an orthonormal basis
Q of the rows, because neither the loss nor the shortest w needs anything beyond it. Larger X are centered on the fly,
but for features very far from zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.linalg import Matrix
from .._engine.moments import center_of
from .._engine.problem import DENSE
from .hessian import FullHessian
from .likelihood import Likelihood
from .newton import SMALL, WIDE

SLIGHT = 1e-150  # entries of X whose squares lose digits
DISTANT = 1e4  # times the spread of a feature: its distance from zero from which X is copied, to be centered first


def check_sizes(X: Any) -> None:
    """Refuse a column so small that its squares vanish, though without a ridge it has a say."""
    size = abs(X[:: max(1, X.shape[0] // 1000)]).max(axis=0)
    size = np.asarray(size.toarray() if sparse.issparse(size) else size, np.float64).ravel()
    small = np.flatnonzero((size > 0) & (size < SLIGHT))
    if small.size:
        found = f"{size[small[0]]:.3g} in column {small[0]} (counted from 0)"
        raise ValueError(f"X must reach {SLIGHT}, not {found}, or its squares are lost; take StandardScaler.")


def distant(X: Any, center: Matrix) -> bool:
    """Whether dense features lie so far from zero that products with them, centered afterwards, would lose digits."""
    if sparse.issparse(X):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.abs(X[:: max(1, len(X) // 64)] - center).max(axis=0)
    return bool(np.any((np.abs(center) > DISTANT * reach) & (reach > 0)))


class Frame:
    """The likelihood in its own coordinates, and the way there and back."""

    def __init__(
        self, X: Any, own: NDArray[np.int32], v: Matrix | None, c: int, ridge: float, offset: Matrix | None = None
    ) -> None:
        n, d = X.shape
        self.basis: Matrix | None = None
        self.shift = center_of(X)
        if (n > SMALL or n * d > DENSE) and not distant(X, self.shift):
            self.likelihood = Likelihood(X, own, v, c, ridge, self.shift, offset)
            return
        X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            X -= self.shift
        if d > n and n <= SMALL:
            self.basis, R = np.linalg.qr(X.T)
            X = np.ascontiguousarray(R.T)
        self.likelihood = Likelihood(X, own, v, c, ridge, np.zeros(X.shape[1]), offset)

    @classmethod
    def about(cls, likelihood: Any, center: Matrix) -> Frame:
        """The frame of a likelihood that takes its features about this point by itself."""
        frame = cls.__new__(cls)
        frame.basis, frame.shift, frame.likelihood = None, center, likelihood
        return frame

    def inward(self, A: Matrix) -> Matrix:
        """From (w₀, w) to the weights of the likelihood."""
        W = A[:, 1:] if self.basis is None else A[:, 1:] @ self.basis
        return np.column_stack([A[:, 0] + A[:, 1:] @ self.shift, W])

    def outward(self, A: Matrix) -> Matrix:
        """The way back; of the discriminants that give the same probabilities, those with the sum zero."""
        W = A[:, 1:] if self.basis is None else A[:, 1:] @ self.basis.T
        found = np.column_stack([A[:, 0] - W @ self.shift, W])
        if len(found) > 1:
            free = slice(None) if self.likelihood.ridge == 0 else slice(1)
            found[:, free] -= found[:, free].mean(axis=0)
        return found

    def covariance(self, A: Matrix) -> Matrix | None:
        """The inverse information matrix of (w₀, w), for many classes of what each has above the first.

        None where it is singular or too large, or is not meant at all.
        """
        likelihood = self.likelihood
        if likelihood.ridge > 0 or likelihood.size > WIDE or self.basis is not None:
            return None
        free = slice(likelihood.d + 1 if likelihood.c > 1 else 0, None)
        hessian = FullHessian(likelihood.hessian(A)[free, free])
        return self.inverse(hessian) if hessian.regular else None

    def inverse(self, hessian: FullHessian) -> Matrix:
        """The inverse of a Hessian in the coordinates of (w₀, w); where it is singular, the pseudoinverse."""
        T = np.eye(len(self.shift) + 1)
        T[0, 1:] = -self.shift
        T = np.asarray(np.kron(np.eye(max(1, self.likelihood.c - 1)), T), np.float64)
        return np.asarray(T @ hessian.columns(np.eye(len(T))) @ T.T)

    def others(self, held: Sequence[int]) -> Matrix:
        """A basis of the directions in which some coefficients of a discriminant, (w₀, w), do not change."""
        N = np.eye(len(self.shift) + 1)
        if 0 in held:  # the coordinates of the frame have w₀ + wᵗshift in its place
            N[0, 1:] = self.shift
        return np.delete(N, held, axis=1)

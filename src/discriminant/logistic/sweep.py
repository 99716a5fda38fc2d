"""The criterion at many points in one sweep over the rows: what profiles of all coefficients need at a time.

    J(u), ∇J(u), I(u)   at   a = â + T u,        Tᵗ I(â) T = 1

In these coordinates u is counted in standard errors and the information is close to the identity. With the products
y_j y_k of a row written one after another as ζ, the informations of all points are one matrix product, and so are the
leverages that the gradient of Firth's penalty needs:

    I = Σ w ζ        yᵗ I⁻¹ y = ζᵗ I⁻¹        ∇(− log det I / 2) = − Σ w (1/2 − p) (yᵗ I⁻¹ y) y,      w = v p (1 − p)

Rows are taken a block at a time, so that nothing is as large as the data; the sums have the same bits whatever the
number of threads.

Symbols: U the points, one a row; ``Y`` the rows y in these coordinates, one a column; P their probabilities, one point
a row; v the weights of the rows, t the indicators of the positive class.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from .._engine.linalg import Matrix
from .likelihood import BLOCK, Likelihood

ROOM = 2**17  # products of a block of rows: they stay in the second cache
LEAST = 64  # rows of a block


class Views(NamedTuple):
    """The log loss at many points, its gradients and Hessians."""

    values: Matrix
    gradients: Matrix
    informations: Matrix


class Sweep:
    """Sums over the rows of two classes at points â + T u."""

    def __init__(self, likelihood: Likelihood, a: Matrix, T: Matrix) -> None:
        self.likelihood, self.a, self.T = likelihood, a, T
        self.upper = np.triu_indices(len(a))
        self.rooms = threading.local()  # a thread that asks for memory at every block spends its time on that
        self.block = int(np.clip(ROOM // len(self.upper[0]), LEAST, BLOCK))

    def _sums(self, add: Callable[[Matrix, slice], list[Any]]) -> list[Any]:
        return self.likelihood.sums(add, block=self.block)

    def _block(self, Y: Matrix, rows: slice) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """The rows in the coordinates of u, their scores at â, indicators and weights."""
        likelihood = self.likelihood
        t, g = likelihood.own[rows].astype(np.float64), self.a @ Y.T
        if likelihood.offset is not None:
            g += likelihood.offset[rows]
        return self.T.T @ Y.T, g, t, likelihood.weights(rows)

    def _products(self, Y: Matrix) -> Matrix:
        """ζ, one row a column."""
        if not hasattr(self.rooms, "Z"):
            self.rooms.Z = np.empty((len(self.upper[0]), self.block))
        Z: Matrix = self.rooms.Z[:, : Y.shape[1]]
        at = 0
        for j in range(len(Y)):
            np.multiply(Y[j:], Y[j], out=Z[at : at + len(Y) - j])
            at += len(Y) - j
        return Z

    def look(self, U: Matrix) -> Views:
        """The log loss at points, its gradients, and the informations."""

        def add(rows: Matrix, some: slice) -> list[Any]:
            Y, g, t, v = self._block(rows, some)
            G = U @ Y
            G += g
            E = np.abs(G)
            losses = G @ (v * (0.5 - t)) + E @ (0.5 * v)
            np.negative(E, out=E)
            np.exp(E, out=E)
            losses += np.log1p(E) @ v
            R = 1 / (1 + E)
            E *= R
            E *= R  # p (1 - p)
            R -= 0.5
            np.copysign(R, G, out=R)
            R += 0.5 - t  # p - t
            if self.likelihood.v is not None:
                R *= v
                E *= v
            return [losses, R @ Y.T, E @ self._products(Y).T]

        values, gradients, packed = self._sums(add)
        return Views(values, gradients, self._unpacked(packed))

    def _unpacked(self, packed: Matrix) -> Matrix:
        """Symmetric matrices of their upper triangles."""
        rows, columns = self.upper
        full = np.empty((len(packed), len(self.a), len(self.a)))
        full[:, rows, columns] = full[:, columns, rows] = packed
        return full

    def penalty_gradients(self, U: Matrix, inverses: Matrix) -> Matrix:
        """The gradients of − log det I / 2, given the inverses of I at the points."""
        rows, columns = self.upper
        packed = inverses[:, rows, columns] * np.where(rows == columns, 1.0, 2.0)

        def add(block: Matrix, some: slice) -> list[Any]:
            Y, g, _, v = self._block(block, some)
            P = U @ Y
            P += g
            np.exp(np.negative(P, out=P), out=P)
            P = 1 / (1 + P)
            leverage = packed @ self._products(Y)
            leverage *= P
            leverage *= 1 - P
            P -= 0.5
            leverage *= P
            return [(leverage * v if self.likelihood.v is not None else leverage) @ Y.T]

        return np.asarray(self._sums(add)[0])

    def third_derivatives(self, Q: Matrix) -> Matrix:
        """Those of the log loss at â, twice along each direction of Q: Σ w (1 − 2p) (qᵗy)² y."""

        def add(block: Matrix, some: slice) -> list[Any]:
            Y, g, _, v = self._block(block, some)
            p = expit(g)
            return [((Q @ Y) ** 2 * (v * p * (1 - p) * (1 - 2 * p))) @ Y.T]

        return np.asarray(self._sums(add)[0])

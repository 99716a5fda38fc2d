"""What stands for the Hessian in a step of logistic regression.

    step = −M⁻¹ ∇J

M is a matrix, one block for each discriminant, one block for all of them, or a diagonal; where it is singular the
shortest step is taken. BFGS corrects it (``_engine/bfgs.py``).

Symbols: G a gradient, one row a discriminant; H the Hessian; M what approximates it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrs

from .._engine.linalg import Cholesky, Matrix, cholesky
from .._engine.refusals import NotFiniteError
from .._guards.validation import all_finite

SINGULAR = 1e-12  # of the largest eigenvalue: smaller ones may be the rounding of sums over many rows


class DiagonalHessian:
    """M is diagonal, the same for every discriminant."""

    regular = True

    def __init__(self, diagonal: Matrix) -> None:
        self.inverse = 1 / np.where(diagonal > 0, diagonal, 1.0)

    def solve(self, G: Matrix) -> Matrix:
        return np.asarray(G * self.inverse)


class BlockHessian:
    """M has one block a discriminant; steps have the sum zero, as the minimum has.

    Among such steps the blocks alone fall short of the Hessian by (c − 1)/c where all classes are equally likely.
    """

    def __init__(self, H: Matrix) -> None:
        self.blocks = [FullHessian(len(H) / (len(H) - 1) * block) for block in H]
        self.regular = all(block.regular for block in self.blocks)

    def solve(self, G: Matrix) -> Matrix:
        G = G - G.mean(axis=0)
        step = np.concatenate([block.solve(g[None]) for block, g in zip(self.blocks, G, strict=True)])
        return np.asarray(step - step.mean(axis=0))


class SharedBlockHessian:
    """M has the same block for every discriminant; steps have the sum zero, as the minimum has."""

    def __init__(self, block: Matrix) -> None:
        whole = FullHessian(block)
        self.inverse, self.regular = whole.columns(np.eye(len(block))), whole.regular

    def solve(self, G: Matrix) -> Matrix:
        if len(G) > 1:
            G = G - G.sum(axis=0) / len(G)
        return np.asarray(G @ self.inverse)


class FullHessian:
    """M is a matrix, of full rank or not; then the shortest solution is taken."""

    def __init__(self, H: Matrix) -> None:
        if not all_finite(H):
            raise NotFiniteError
        self.factor: Cholesky | None = cholesky(H)
        self.rank = len(H)
        if self.factor is None:
            self._decompose(H)
        self.regular = self.rank == len(H)

    def _decompose(self, H: Matrix) -> None:
        """Eigenvectors of H with a unit diagonal, so that features of different size do not make it singular."""
        self.scale = np.sqrt(np.diag(H).clip(min=0))
        self.scale[self.scale == 0] = 1.0
        values, vectors = np.linalg.eigh(H / self.scale / self.scale[:, None])
        kept = values > SINGULAR * values.max()
        self.values, self.vectors, self.rank = values[kept], vectors[:, kept], int(kept.sum())
        self.null, _ = np.linalg.qr(vectors[:, ~kept] / self.scale[:, None])

    def solve(self, G: Matrix) -> Matrix:
        return self.columns(G.reshape(-1, 1)).reshape(G.shape)

    def columns(self, B: Matrix) -> Matrix:
        """M⁻¹ B, column by column."""
        if self.factor is not None:
            scale = self.factor.scale[:, None]
            found, _ = dpotrs(self.factor.factor, B * scale)
            return np.asarray(found * scale)
        B = B - self.null @ (self.null.T @ B)  # before and after, so that M⁻¹ stays symmetric
        scale, values = self.scale[:, None], self.values[:, None]
        step = self.vectors @ (self.vectors.T @ (B / scale) / values) / scale
        return np.asarray(step - self.null @ (self.null.T @ step))


Hessian = DiagonalHessian | BlockHessian | SharedBlockHessian | FullHessian  # M; ``solve(G)`` is M⁻¹ G


def gauged(H: Matrix, c: int, ridge: float) -> Matrix:
    """H made regular where the same vector may be added to every discriminant: to w₀ always, to w without a ridge."""
    if c == 1:
        return H
    cube = H.reshape(c, -1, c, H.shape[0] // c)
    width = cube.shape[1] if ridge == 0 else 1
    for j in range(width):
        cube[:, j, :, j] += np.trace(cube[:, j, :, j]) / c**2
    return H

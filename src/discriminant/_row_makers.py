"""What makes rows K(x_i, .) of a kernel matrix: any kernel by its own formula, the Gaussian one in float32 and fast.

The Gaussian rows take one matrix product, exp(-|x - x'|²/sigma²) = exp(2x'x'/sigma² - |x|²/sigma² - |x'|²/sigma²), in
which the two squares ride along as further columns, and an exponential that the compiler turns into vector code:
e^t = 2^m p(f) with m whole and |f| <= 1/2, where p is the Taylor polynomial of 2^f, right to the last digits of
float32, and 2^m is added to the exponent's bits.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import mercer
from ._rows import compiled

PORTION = 1024  # numbers whose whole parts m wait for their turn
LOG2E = np.float32(1.4426950408889634)
P1, P2, P3, P4, P5, P6 = (np.float32(np.log(2) ** k / f) for k, f in enumerate((1, 2, 6, 24, 120, 720), start=1))
LOWEST, HALF, ONE, ZERO = np.float32(-87), np.float32(0.5), np.float32(1), np.float32(0)

Indices = NDArray[np.int64]


class RowMaker:
    """Rows of the matrix of a kernel K(X, Z) over patterns X."""

    def __init__(self, kernel: mercer.Kernel, X: Any) -> None:
        self.kernel, self.X = kernel, X

    def __call__(self, indices: Indices) -> NDArray[Any]:
        """Give the rows with these numbers."""
        return np.asarray(self.kernel(self.X[indices], self.X))

    def narrow(self, columns: Indices) -> Self:
        """Give the maker for some of the patterns alone."""
        return type(self)(self.kernel, self.X[columns])


class GaussianRowMaker(RowMaker):
    """Rows of exp(-|x - x'|²/sigma²) in float32."""

    kernel: mercer.Gaussian

    def __init__(self, kernel: mercer.Gaussian, X: NDArray[Any]) -> None:
        super().__init__(kernel, X)
        A = ((X - X.mean(axis=0)) * (np.sqrt(2) / kernel.sigma)).astype(np.float32)
        half = np.einsum("ij,ij->i", A, A)[:, None] / 2
        self.reach = float(half.max())  # rounding makes a relative error of this number times that of float32
        self.left = np.hstack([A, -half, np.ones_like(half)])
        self.right = np.ascontiguousarray(np.hstack([A, np.ones_like(half), -half]).T)

    def __call__(self, indices: Indices) -> NDArray[np.float32]:
        """Give the rows with these numbers."""
        return self.into(np.empty((indices.size, self.right.shape[1]), np.float32), indices)

    def into(self, out: NDArray[np.float32], indices: Indices) -> NDArray[np.float32]:
        """Write the rows to where they are to be kept."""
        np.dot(self.left[indices], self.right, out=out)
        exponential(out)
        return out


@compiled
def exponential(D: Any) -> None:
    """Replace each number of a float32 array by e to its power; positive ones, which rounding leaves, count as zero."""
    whole = np.empty(PORTION, np.int32)
    for i in range(D.shape[0]):
        for start in range(0, D.shape[1], PORTION):
            row = D[i, start : min(start + PORTION, D.shape[1])]
            bits = row.view(np.int32)
            for t in range(row.size):
                x = min(max(row[t], LOWEST), ZERO) * LOG2E
                m = np.int32(x - HALF)
                f = x - np.float32(m)
                whole[t] = m
                row[t] = ONE + f * (P1 + f * (P2 + f * (P3 + f * (P4 + f * (P5 + f * P6)))))
            for t in range(row.size):
                bits[t] += whole[t] << np.int32(23)

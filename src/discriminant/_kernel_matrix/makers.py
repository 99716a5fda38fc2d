"""What makes rows K(x_i, .) of a kernel matrix: any kernel by its own formula, the Gaussian one in float32 and fast.

The Gaussian rows take one matrix product, exp(-‖x - x'‖²/σ²) = exp(aᵗa' - ‖a‖²/2 - ‖a'‖²/2) with a = x √2/σ, and an
exponential that the compiler turns into vector code: eᵗ = 2ᵐ p(f) with m whole and |f| <= 1/2, where p is the Taylor
polynomial of 2ᶠ, right to the last digits of float32, and m is added to the exponent's bits.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import mercer
from .._engine.rows import compiled, inlined
from .source import Indices

LEAST = 1e-290  # largest K(x, x) below which quotients of kernel values are lost to underflow
PORTION = 1024  # numbers whose m are kept between the two loops, in 4 kB of cache
LOG2E = np.float32(1.4426950408889634)
P1, P2, P3, P4, P5, P6 = (np.float32(np.log(2) ** k / f) for k, f in enumerate((1, 2, 6, 24, 120, 720), start=1))
LOWEST, HALF, ONE, ZERO = np.float32(-87), np.float32(0.5), np.float32(1), np.float32(0)

Singles = NDArray[np.float32]


def checked_diagonal(kernel: mercer.Kernel, X: Any) -> NDArray[Any]:
    """K(x, x) of all patterns; refused where they underflow, for they are divided by."""
    diagonal = np.asarray(kernel.diagonal(X))
    if 0 < (largest := float(np.abs(diagonal).max(initial=0))) < LEAST:
        raise ValueError(f"kernel={kernel!r} underflows to K(x, x) of {largest:.1g}; standardize the features.")
    return diagonal


class RowMaker:
    """Rows of the matrix of a kernel K(X, Z) over patterns X."""

    def __init__(self, kernel: mercer.Kernel, X: Any) -> None:
        self.kernel, self.X = kernel, X

    def __call__(self, indices: Indices) -> NDArray[Any]:
        return np.asarray(self.kernel(self.X[indices], self.X))

    def narrow(self, columns: Indices) -> RowMaker:
        """The maker for some of the patterns alone."""
        return RowMaker(self.kernel, self.X[columns])

    def exact(self) -> RowMaker:
        """The maker of the same rows to the last digit."""
        return self

    def doubt(self, alpha: NDArray[np.float64]) -> float:
        """About what rounding in float32 makes of Σ α_s K_st."""
        return 0.0


class GivenRows(RowMaker):
    """Rows that a function gives by their numbers, such as those of a matrix at hand."""

    def __init__(self, function: Callable[[Indices], NDArray[Any]]) -> None:
        self.function = function

    def __call__(self, indices: Indices) -> NDArray[Any]:
        return self.function(indices)

    def narrow(self, columns: Indices) -> GivenRows:
        return GivenRows(lambda indices: self.function(columns[indices])[:, columns])


class GaussianRowMaker(RowMaker):
    """Rows of exp(-‖x - x'‖²/σ²) in float32; X are the vectors a."""

    kernel: mercer.Gaussian

    def __init__(self, kernel: mercer.Gaussian, X: NDArray[Any]) -> None:
        super().__init__(kernel, ((X - X.mean(axis=0)) * (np.sqrt(2) / kernel.sigma)).astype(np.float32))
        self.given, self.own = X, np.arange(len(X))  # the patterns as they are, and which of them are X
        self.level = np.einsum("ij,ij->i", self.X, self.X) / -2
        self.reach = -float(self.level.min())  # rounding makes a relative error of this number times that of float32

    def __call__(self, indices: Indices) -> Singles:
        return self.into(np.empty((indices.size, len(self.X)), np.float32), indices)

    def narrow(self, columns: Indices) -> GaussianRowMaker:
        some = copy(self)
        some.X, some.level, some.own = self.X[columns], self.level[columns], self.own[columns]
        return some

    def exact(self) -> RowMaker:
        return RowMaker(self.kernel, self.given[self.own].astype(np.float64))

    def doubt(self, alpha: NDArray[np.float64]) -> float:  # the errors of the rows have either sign
        return float(np.finfo(np.float32).eps * (1 + self.reach) * np.linalg.norm(alpha))

    def into(self, out: Singles, indices: Indices, columns: Indices | None = None) -> Singles:
        others, level = (self.X, self.level) if columns is None else (self.X[columns], self.level[columns])
        np.dot(self.X[indices], others.T, out=out)
        exponential(out, self.level[indices], level)
        return out

    def weighed(self, indices: Indices, weights: NDArray[np.float64], columns: Indices) -> NDArray[np.float64]:
        total = np.zeros(columns.size)
        D = np.dot(self.X[indices], self.X[columns].T)
        add_exponential(D, self.level[indices], self.level[columns], weights, total)
        return total


@compiled
def exponential(D: Any, rows: Any, columns: Any) -> None:
    """Replace each D_it by e to the power D_it + row_i + column_t; a positive one, left by rounding, counts as zero."""
    whole = np.empty(PORTION, np.int32)
    for i in range(D.shape[0]):
        for start in range(0, D.shape[1], PORTION):
            stop = min(start + PORTION, D.shape[1])
            raise_to(D[i, start:stop], rows[i], columns[start:stop], whole)


@compiled
def add_exponential(D: Any, rows: Any, columns: Any, weights: Any, total: Any) -> None:
    """Add the weighted sum over i of e to the power D_it + row_i + column_t; D is spent."""
    whole = np.empty(PORTION, np.int32)
    for i in range(D.shape[0]):
        weight = weights[i]
        for start in range(0, D.shape[1], PORTION):
            stop = min(start + PORTION, D.shape[1])
            some, sums = D[i, start:stop], total[start:stop]
            raise_to(some, rows[i], columns[start:stop], whole)
            for t in range(some.size):
                sums[t] += weight * some[t]


@inlined
def raise_to(some: Any, row: Any, columns: Any, whole: Any) -> None:
    """Replace a portion of a row by its exponentials; ``whole`` is room for as many numbers m."""
    bits = some.view(np.int32)
    for t in range(some.size):
        x = min(max(some[t] + row + columns[t], LOWEST), ZERO) * LOG2E
        m = np.int32(x - HALF)
        f = x - np.float32(m)
        whole[t] = m
        some[t] = ONE + f * (P1 + f * (P2 + f * (P3 + f * (P4 + f * (P5 + f * P6)))))
    for t in range(some.size):
        bits[t] += whole[t] << np.int32(23)

"""The sum of strengths times K(x, z), a block of rows x at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import mercer
from .._engine.driver import Watch

BLOCK = 64 * 2**20  # bytes of kernel rows that are computed at a time


def expansion(kernel: mercer.Kernel, X: Any, Z: Any, strengths: NDArray[Any], watch: Watch | None = None) -> Any:
    """The sums of strengths times K(x, z) over the rows of Z, for each row of X; those of strength 0 take no part."""
    if isinstance(kernel, mercer.Linear):
        return np.asarray(X @ np.asarray(strengths @ Z).T)
    used = np.flatnonzero(strengths.any(axis=0))
    weights = strengths[:, used].T
    if isinstance(kernel, mercer.Precomputed):
        return np.asarray(X[:, used] @ weights)
    scores = np.zeros((X.shape[0], weights.shape[1]), np.result_type(X.dtype, weights.dtype))
    if used.size:
        for part, K in kernel_blocks(kernel, X, Z[used], watch):
            scores[part] = K @ weights
    return scores


def kernel_blocks(
    kernel: mercer.Kernel, X: Any, Z: Any, watch: Watch | None = None
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """The kernel values K(x, z) with all rows of Z, as many rows x at a time as memory allows."""
    size = max(1, BLOCK // (8 * max(1, Z.shape[0])))
    for start in range(0, X.shape[0], size):
        if watch is not None:
            watch.check()
        part = slice(start, start + size)
        yield part, kernel(X[part], Z)

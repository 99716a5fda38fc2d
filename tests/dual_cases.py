"""Problems of the dual, how they are solved in tests, and what their answers must be."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discriminant import mercer
from discriminant._engine.driver import Interrupted, Watch
from discriminant._kernel_matrix import rows as kernel_rows
from discriminant._kernel_matrix.rows import CACHE, KernelRows, StoredRows
from discriminant.svm import blocks
from discriminant.svm.dual import Dual

Rng = np.random.Generator
KERNELS = [mercer.Linear(), mercer.Polynomial(degree=2), mercer.Polynomial(degree=3, coef0=0.5), mercer.Gaussian(1.5)]
BOUNDS = [0.01, 0.1, 1.0, 100.0, 1e4]


def problem(rng: Rng, n: int, d: int = 4, noise: float = 0.4) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two overlapping classes, both of them there."""
    X = rng.standard_normal((n, d))
    z = np.where(X[:, 0] + noise * rng.standard_normal(n) > 0, 1.0, -1.0)
    z[:2] = 1.0, -1.0
    return X, z


def smo(rows: Any, diagonal: NDArray[Any], *rest: Any, **options: Any) -> Dual:
    return blocks.smo(StoredRows(rows) if isinstance(rows, KernelRows) else rows, diagonal, *rest, **options)


def solve(K: NDArray[Any], z: NDArray[Any], C: Any, cache_bytes: float = CACHE, **options: Any) -> Dual:
    rows = KernelRows(lambda indices: K[indices], z.size, cache_bytes, workers=1)
    return smo(rows, np.diag(K), z, np.broadcast_to(np.float64(C), z.shape), **options)


def value(K: NDArray[Any], z: NDArray[Any], alpha: NDArray[Any]) -> float:
    beta = alpha * z
    return float(alpha.sum() - beta @ K @ beta / 2)


def judge(K: NDArray[Any], z: NDArray[Any], C: Any, found: Dual, tol: float) -> None:
    """The constraints, the optimality conditions and the published numbers, all from alpha and w0 alone."""
    K, alpha, C = K.astype(np.float64), found.alpha, np.broadcast_to(np.float64(C), z.shape)
    total = alpha.sum()
    assert np.all(alpha >= 0)
    assert np.all(alpha <= C)
    assert abs(alpha @ z) <= 1e-12 * max(total, 1e-300)
    margin = z * (K @ (alpha * z) + found.bias)
    slack = tol + 1e-14 * np.abs(K).max() * total
    assert np.all(margin[(alpha < C)] >= 1 - slack)
    assert np.all(margin[alpha > 0] <= 1 + slack)
    dual = value(K, z, alpha)
    primal = total - dual + C @ np.maximum(0, 1 - margin)
    assert found.objective == pytest.approx(dual, rel=1e-7, abs=1e-12)
    assert (primal - dual) / max(abs(primal), 1e-300) <= found.gap + 1e-7
    assert found.converged
    assert not found.interrupted


def by_blocks(monkeypatch: pytest.MonkeyPatch, narrow: int = 32, wide: int = 32) -> None:
    """Treat a small problem as a large one."""
    for module in (blocks, kernel_rows):
        monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(blocks, "NARROW", narrow)
    monkeypatch.setattr(blocks, "WIDE", wide)


class Impatient(Watch):
    """Ctrl-C after a few looks at the watch, of which a round takes one or more."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Interrupted

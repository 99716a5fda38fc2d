"""The contract of kernel sources: whoever holds the rows, the same K, the same sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discriminant import mercer
from discriminant._engine.driver import Interrupted, Watch
from discriminant._kernel_matrix.makers import GaussianRowMaker, RowMaker
from discriminant._kernel_matrix.rows import KernelRows, StoredRows
from discriminant._kernel_matrix.source import KernelSource
from discriminant._kernel_matrix.streamed import StreamedRows

KERNEL = mercer.Gaussian(2.0)
X = np.random.default_rng(5).standard_normal((90, 3))
K = KERNEL(X)
SOME = np.arange(1, 90, 3)

SOURCES: dict[str, Any] = {
    "stored": lambda: StoredRows(KernelRows(RowMaker(KERNEL, X), 90)),
    "few stored": lambda: StoredRows(KernelRows(RowMaker(KERNEL, X), 90, 8 * 90 * 8)),
    "stored in float32": lambda: StoredRows(KernelRows(GaussianRowMaker(KERNEL, X), 90, dtype=np.float32)),
    "a function": lambda: StoredRows(KernelRows(lambda indices: K[indices], 90, workers=1)),
    "a matrix": lambda: StoredRows(KernelRows.of_matrix(K)),
    "streamed": lambda: StreamedRows(GaussianRowMaker(KERNEL, X)),
}
every_source = pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES.keys())
parts = pytest.mark.parametrize("part", [False, True], ids=["all", "part"])


@every_source
@parts
def test_the_contract(make: Any, part: bool, rng: np.random.Generator) -> None:
    source: KernelSource = make()
    true = K
    if part:
        source, true = source.narrow(SOME), K[np.ix_(SOME, SOME)]
    n = len(true)
    rows, columns, weights = np.array([0, 7, 20]), np.array([3, 5]), rng.standard_normal(3)
    np.testing.assert_allclose(source.block(rows, columns), true[np.ix_(rows, columns)], atol=1e-6)
    f, expected = np.ones(n), 1 + weights @ true[rows]
    source.add(f, rows, weights)
    np.testing.assert_allclose(f, expected, atol=1e-6)
    g = np.ones(n)
    source.add_exact(g, rows, weights, Watch())
    np.testing.assert_allclose(g, expected, atol=1e-13)
    block, first = source.gram(np.zeros(0, np.int64), np.zeros(0, np.int64), rows, np.zeros((0, 0), source.dtype))
    block, second = source.gram(block, np.array([2, 0]), columns, first)
    assert block.tolist() == [20, 0, 3, 5]
    np.testing.assert_allclose(second, true[np.ix_(block, block)], atol=1e-6)
    assert first.dtype == second.dtype == source.dtype
    assert 2 <= source.capacity <= n
    assert source.missing(rows) in ((0,) if not source.keeps_rows else range(4))
    assert source.made > 0 or not source.missing(np.arange(n))
    whole, wide = source.whole(), source.wide()
    if whole is not None:
        np.testing.assert_allclose(whole, true, atol=1e-14)
    assert wide.dtype == np.float64
    assert wide.doubt(np.ones(n)) == 0
    assert source.doubt(np.ones(n)) >= 0


@pytest.mark.parametrize("make", [SOURCES["stored"], SOURCES["streamed"]], ids=["stored", "streamed"])
def test_ctrl_c_is_heard_while_rows_are_added(make: Any) -> None:
    watch = Watch()
    watch.interrupted = True
    with pytest.raises(Interrupted):
        make().add(np.zeros(90), np.arange(3), np.ones(3), watch=watch)

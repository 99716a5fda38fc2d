"""The blocked sums of kernel values: the same as in one piece, and interruptible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discriminant import mercer
from discriminant._engine.driver import Interrupted, Watch
from discriminant._kernel_matrix import expansion as module
from discriminant._kernel_matrix.expansion import expansion, kernel_blocks

KERNELS = [mercer.Linear(), mercer.Gaussian(1.5), mercer.Polynomial(degree=2)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("block", [module.BLOCK, 300], ids=["one piece", "pieces"])
def test_the_sum_of_strengths(
    kernel: Any, block: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    X, Z, strengths = rng.standard_normal((40, 3)), rng.standard_normal((12, 3)), rng.standard_normal((2, 12))
    strengths[:, ::3] = 0
    np.testing.assert_allclose(expansion(kernel, X, Z, strengths), kernel(X, Z) @ strengths.T, atol=1e-12)
    given = expansion(mercer.Precomputed(), kernel(X, Z), None, strengths)
    np.testing.assert_allclose(given, kernel(X, Z) @ strengths.T, atol=1e-12)
    assert not expansion(kernel, X, Z, np.zeros((2, 12))).any()


def test_blocks_cover_every_row_once(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    monkeypatch.setattr(module, "BLOCK", 8 * 12 * 7)
    X, Z = rng.standard_normal((40, 3)), rng.standard_normal((12, 3))
    found = list(kernel_blocks(KERNELS[1], X, Z))
    assert [K.shape[0] for _, K in found] == [7] * 5 + [5]
    np.testing.assert_allclose(np.concatenate([K for _, K in found]), KERNELS[1](X, Z))
    assert [part.start for part, _ in found] == list(range(0, 40, 7))


def test_ctrl_c_is_heard_between_blocks(rng: np.random.Generator) -> None:
    watch = Watch()
    watch.interrupted = True
    X = rng.standard_normal((5, 2))
    with pytest.raises(Interrupted):
        expansion(KERNELS[1], X, X, np.ones((1, 5)), watch)

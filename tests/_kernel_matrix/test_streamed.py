"""Kernel rows that are kept nowhere: the same sums, the same answers."""

from typing import Any

import numpy as np
import pytest
from dual_cases import Rng, by_blocks, judge, problem, smo, solve
from numpy.typing import NDArray

from discriminant import mercer
from discriminant._kernel_matrix.makers import GaussianRowMaker
from discriminant._kernel_matrix.streamed import StreamedRows
from discriminant.svm import blocks


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("features", [2, 30])
def test_streamed_rows_give_the_same_answer(C: float, features: int, rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 700, features)
    kernel = mercer.Gaussian(float(np.sqrt(features)))
    exact = solve(kernel(X), z, C)
    by_blocks(monkeypatch, 16, 64)
    monkeypatch.setattr(blocks, "WHOLE", 100)
    found = smo(StreamedRows(GaussianRowMaker(kernel, X)), np.ones(700), z, np.full(700, C))
    assert found.converged
    assert found.objective == pytest.approx(exact.objective, rel=1e-4)
    f = (found.alpha * z) @ kernel(X) - z
    np.testing.assert_allclose(found.f, f, atol=2e-5 * max(1, C))
    assert found.alpha @ z == pytest.approx(0, abs=1e-9 * C)


def test_streamed_rows_are_those_of_the_kernel(rng: Rng) -> None:
    X = rng.standard_normal((1300, 5))
    kernel, f, g = mercer.Gaussian(2.0), rng.standard_normal(1300), rng.standard_normal(600)
    K, rows = kernel(X), StreamedRows(GaussianRowMaker(mercer.Gaussian(2.0), X))
    indices, weights, known = np.arange(3, 603), rng.standard_normal(600), np.arange(100, 900)
    expected = f + weights @ K[indices]
    rows.add(f, indices, weights, known=known)
    others = np.setdiff1d(np.arange(1300), known)
    np.testing.assert_allclose(f[others], expected[others], atol=1e-4)
    part, before = rows.part(indices), g.copy()
    part.add(g, np.arange(600), np.zeros(600))
    np.testing.assert_array_equal(g, before)
    part.add(g, np.arange(600), weights)
    np.testing.assert_allclose(g, before + weights @ K[np.ix_(indices, indices)], atol=1e-4)
    np.testing.assert_allclose(part.block(np.arange(4), np.arange(600)), K[3:7, indices], atol=1e-6)
    block, first = rows.gram(np.zeros(0, np.int64), np.zeros(0, np.int64), indices, np.zeros((0, 0), np.float32))
    block, second = rows.gram(block, np.arange(0, 600, 7), np.arange(700, 950), first)
    np.testing.assert_allclose(second, K[np.ix_(block, block)], atol=1e-6)
    assert rows.part(np.arange(1300)) is rows


def test_streamed_rows_at_rest_are_left_out(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also within a part; a part that was chosen too early makes the next one wait."""
    by_blocks(monkeypatch, 16, 32)
    monkeypatch.setattr(blocks, "WHOLE", 0)
    X, z = problem(rng, 900, 3)
    seen: list[tuple[int, int]] = []
    shrink, active = blocks.BlockSolver.shrink, blocks.BlockSolver.active

    def watched(work: blocks.BlockSolver, some: NDArray[np.int64], *rest: Any) -> None:
        seen.append((work.z.size, some.size))
        shrink(work, some, *rest)
        if some.size == 100:
            assert work.spare == 4

    def wrong_at_first(work: blocks.BlockSolver) -> NDArray[np.int64]:
        return active(work) if work.rounds or work.partial else np.arange(100)

    monkeypatch.setattr(blocks.BlockSolver, "shrink", watched)
    monkeypatch.setattr(blocks.BlockSolver, "active", wrong_at_first)
    kernel = mercer.Gaussian(1.5)
    found = smo(StreamedRows(GaussianRowMaker(kernel, X)), np.ones(900), z, np.ones(900))
    assert seen[0] == (900, 100)
    assert any(size == 900 and 4 * some <= 900 for size, some in seen[1:])
    assert any(size < 900 for size, _ in seen)
    judge(kernel(X), z, 1.0, found, 1e-3)


@pytest.mark.parametrize(("sigma", "C"), [(2.0, 1e4), (1000.0, 1e6)])
def test_streamed_rows_do_not_hide_a_violation(sigma: float, C: float, rng: Rng) -> None:
    X = rng.standard_normal((700, 2))
    z = np.where(rng.random(700) < 0.8, np.where(np.sin(2 * X[:, 0]) > X[:, 1], 1.0, -1.0), -1.0)
    kernel = mercer.Gaussian(sigma)  # the wider one is one to about the digits of float32
    found = smo(StreamedRows(GaussianRowMaker(kernel, X)), np.ones(700), z, np.full(700, C))
    assert found.converged
    judge(kernel(X), z, C, found, 1.01e-3)

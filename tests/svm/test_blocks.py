"""The dual of the soft margin: optimality conditions, known answers, and equal answers however it is computed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from dual_cases import BOUNDS, KERNELS, Rng, by_blocks, judge, problem, smo, solve, value
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from discriminant import mercer
from discriminant._engine.driver import Watch
from discriminant._engine.threads import Workers
from discriminant._kernel_matrix.makers import GaussianRowMaker, RowMaker
from discriminant._kernel_matrix.rows import KernelRows
from discriminant._kernel_matrix.streamed import StreamedRows
from discriminant.svm import blocks
from discriminant.svm.dual import DualProblem, feasible


@pytest.mark.parametrize("C", BOUNDS)
@pytest.mark.parametrize("wide", [40, 80])
def test_hard_blocks_are_solved_by_the_interior_method(
    C: float, wide: int, rng: Rng, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, z = problem(rng, 150, 3)
    K = mercer.Polynomial(degree=2)(X)
    whole = solve(K, z, C)
    by_blocks(monkeypatch, 40, wide)
    monkeypatch.setattr(blocks, "WORK", 40 * 100)  # so few pairs are seldom enough
    parts = solve(K, z, C)
    assert parts.converged
    assert parts.objective == pytest.approx(whole.objective, rel=1e-4)


@pytest.mark.parametrize("large", [False, True])
def test_a_bound_of_zero_takes_the_row_out(large: bool, rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        by_blocks(monkeypatch)
    X, z = problem(rng, 80)
    K, part = mercer.Gaussian(1.5)(X), rng.random(80) < 0.5
    some, alone = solve(K, z, part.astype(float), tol=1e-9), solve(K[np.ix_(part, part)], z[part], 1.0, tol=1e-9)
    assert not some.alpha[~part].any()
    assert some.objective == pytest.approx(alone.objective, rel=1e-9)
    assert some.bias == pytest.approx(alone.bias, abs=1e-7)


def test_warm_start_by_blocks(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    by_blocks(monkeypatch)
    X, z = problem(rng, 300)
    K = mercer.Gaussian(1.5)(X)
    cold = solve(K, z, 2.0)
    again = solve(K, z, 2.0, start=cold.alpha)
    assert again.iterations <= min(5, cold.iterations // 2)
    assert again.objective == pytest.approx(cold.objective, rel=1e-5)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_blocks_agree_with_the_whole(
    kernel: mercer.Kernel, C: float, rng: Rng, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, z = problem(rng, 400)
    K = kernel(X / 2)
    whole = solve(K, z, C)
    by_blocks(monkeypatch, 64, 64)
    parts = solve(K, z, C, tol=1e-4)
    assert parts.objective == pytest.approx(whole.objective, rel=1e-4)
    assert parts.gap <= 1e-3
    judge(K, z, C, parts, 1e-4)


def test_tight_tolerance_by_blocks_is_met_in_float64(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 300)
    K = mercer.Gaussian(1.5)(X)
    whole = solve(K, z, 10.0, tol=1e-10)
    by_blocks(monkeypatch)
    parts = solve(K, z, 10.0, tol=1e-10)
    judge(K, z, 10.0, parts, 1e-9)
    assert whole.violation <= 1e-10
    assert parts.violation <= 1e-10
    np.testing.assert_allclose(parts.alpha, whole.alpha, atol=1e-7)


def test_float32_rows(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 300)
    K = mercer.Gaussian(1.5)(X)
    narrow = K.astype(np.float32)
    exact, small = solve(K, z, 1.0), solve(narrow, z, 1.0)
    by_blocks(monkeypatch)
    large = solve(narrow, z, 1.0)
    judge(narrow, z, 1.0, small, 3e-9)
    judge(narrow, z, 1.0, large, 1.1e-3)
    assert small.objective == pytest.approx(exact.objective, rel=1e-6)
    assert large.objective == pytest.approx(exact.objective, rel=1e-4)


def gaussian_rows(X: NDArray[Any]) -> Callable[[NDArray[np.int64]], NDArray[Any]]:
    half = (X * X).sum(axis=1) / 2
    return lambda indices: np.exp(np.minimum(X[indices] @ X.T - half[indices, None] - half, 0))


def streamed(X: NDArray[Any], workers: int) -> StreamedRows:
    return StreamedRows(GaussianRowMaker(mercer.Gaussian(4 * np.sqrt(2)), X), Workers(workers))


@pytest.mark.parametrize("stream", [False, True])
def test_same_bits_whatever_the_number_of_threads(stream: bool, rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "WHOLE", 600)
    X, z = problem(rng, 2600, 20)
    rows, found = gaussian_rows(X.astype(np.float32) / 4), []
    for workers in (1, 2, 5):
        with threadpool_limits(workers, "blas"):
            shared = streamed(X, workers) if stream else KernelRows(rows, 2600, workers=workers)
            found.append(smo(shared, np.ones(2600), z, np.ones(2600)))
    for other in found[1:]:
        np.testing.assert_array_equal(other.alpha, found[0].alpha)
        np.testing.assert_array_equal(other.f, found[0].f)
        assert other[2:] == found[0][2:]


def test_shrinking_changes_nothing(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 2600, 8)
    rows, seen = gaussian_rows(X / 2), []
    shrink = blocks.BlockSolver.shrink

    def watched(work: blocks.BlockSolver, active: NDArray[np.int64], limit: float, *rest: Any) -> None:
        shrink(work, active, limit, *rest)
        seen.append((active.size, work.violation() / limit))

    monkeypatch.setattr(blocks.BlockSolver, "shrink", watched)
    bounds = np.ones(2600)
    roomy = smo(KernelRows(rows, 2600), np.ones(2600), z, bounds)
    assert not seen
    tight = smo(KernelRows(rows, 2600, 80 * 2600 * 4), np.ones(2600), z, bounds)
    assert seen
    assert all(2 * size <= 2600 for size, _ in seen)
    assert min(left for _, left in seen) <= 1, "the rows left out were never at rest"
    assert tight.converged
    assert tight.objective == pytest.approx(roomy.objective, rel=1e-4)
    f = (tight.alpha * z) @ rows(np.arange(2600)).astype(np.float64) - z
    np.testing.assert_allclose(tight.f, f, atol=1e-5)


def test_an_interrupt_while_shrunk_keeps_what_was_found(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 2600, 8)
    shrink = blocks.BlockSolver.shrink

    def stopped(work: blocks.BlockSolver, active: NDArray[np.int64], limit: float) -> None:
        work.watch.interrupted = True
        shrink(work, active, limit)

    monkeypatch.setattr(blocks.BlockSolver, "shrink", stopped)
    found = smo(KernelRows(gaussian_rows(X / 2), 2600, 80 * 2600 * 4), np.ones(2600), z, np.ones(2600))
    assert found.interrupted
    assert found.objective > 0
    assert found.alpha @ z == pytest.approx(0, abs=1e-9)


def test_an_interrupt_while_rows_are_made_leaves_alpha_and_f_alike(rng: Rng) -> None:
    """Ctrl-C is heard between kernel rows; f still belongs to alpha, and no half-made row is kept."""
    X, z = problem(rng, 2600, 8)
    K, watch, made = mercer.Gaussian(2.0)(X), Watch(), []

    def rows(indices: NDArray[np.int64]) -> NDArray[Any]:
        made.append(indices.size)
        watch.interrupted = len(made) == 10  # in the second block
        return K[indices]

    kept = KernelRows(rows, 2600, dtype=np.float64, workers=1)
    found = smo(kept, np.ones(2600), z, np.ones(2600), tol=1e-6, watch=watch)
    assert found.interrupted
    assert len(made) == 10
    assert found.iterations == 1
    np.testing.assert_allclose(found.f, K @ (found.alpha * z) - z, atol=1e-9)
    assert np.all(kept.store[kept.place[kept.place >= 0]] == K[kept.place >= 0])


def test_the_interior_method_helps_where_there_are_no_bounds(rng: Rng) -> None:
    X, z = problem(rng, 200)
    K, free = mercer.Gaussian(1.5)(X) + 0.005 * np.eye(200), np.full(200, np.inf)
    best = solve(K, z, free)
    alpha = feasible(best.alpha * rng.random(200), z, free)
    better = blocks._improved(K, z, free, alpha, K @ (alpha * z) - z, None)
    assert value(K, z, better) == pytest.approx(best.objective, rel=1e-6)


def test_nothing_of_rows_in_float32_is_left_when_they_become_wider(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 300)
    by_blocks(monkeypatch)
    rows = KernelRows(RowMaker(mercer.Gaussian(1.5), X), 300, dtype=np.float32)
    work = blocks.BlockSolver(
        rows.part(np.arange(300)), DualProblem(np.ones(300), z, np.ones(300), Watch()), np.zeros(300)
    )
    work.run(1e-3)
    work.fresh, work.checked = False, 0.0
    assert not work.settled(1e-12)
    assert work.source.dtype == work.gram.dtype == np.float64
    assert work.block.size == work.gram.size == 0


def test_slow_blocks_give_way_to_the_interior_method(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    by_blocks(monkeypatch)
    monkeypatch.setattr(blocks, "SLOW", 3)
    X, z = problem(rng, 300, 5)
    K = mercer.Gaussian(2.0)(X)
    solved: list[int] = []
    step = blocks.BlockSolver.round_of_active

    def watched(work: blocks.BlockSolver, active: NDArray[np.int64]) -> None:
        solved.append(active.size)
        step(work, active)

    monkeypatch.setattr(blocks.BlockSolver, "round_of_active", watched)
    found = solve(K, z, 1e4, tol=1e-6)
    assert solved
    assert found.iterations < 40
    judge(K, z, 1e4, found, 1e-6)

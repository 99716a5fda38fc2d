"""The dual of the soft margin: optimality conditions, known answers, and equal answers however it is computed."""

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from discriminant import mercer
from discriminant._engine.driver import Interrupted, Watch
from discriminant._engine.threads import Workers
from discriminant._kernel_matrix import rows as _kernel_rows
from discriminant._kernel_matrix.makers import GaussianRowMaker, RowMaker, exponential
from discriminant._kernel_matrix.rows import KernelRows
from discriminant._kernel_matrix.streamed import StreamedRows
from discriminant.svm import blocks as _smo
from discriminant.svm.blocks import smo
from discriminant.svm.dual import Dual, feasible
from discriminant.svm.interior import interior

Rng = np.random.Generator
KERNELS = [mercer.Linear(), mercer.Polynomial(degree=2), mercer.Polynomial(degree=3, coef0=0.5), mercer.Gaussian(1.5)]
BOUNDS = [0.01, 0.1, 1.0, 100.0, 1e4]


def problem(rng: Rng, n: int, d: int = 4, noise: float = 0.4) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two overlapping classes, both of them there."""
    X = rng.standard_normal((n, d))
    z = np.where(X[:, 0] + noise * rng.standard_normal(n) > 0, 1.0, -1.0)
    z[:2] = 1.0, -1.0
    return X, z


def solve(K: NDArray[Any], z: NDArray[Any], C: Any, **options: Any) -> Dual:
    return smo(lambda indices: K[indices], np.diag(K), z, np.broadcast_to(np.float64(C), z.shape), **options)


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
    for module in (_smo, _kernel_rows):
        monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(_smo, "NARROW", narrow)
    monkeypatch.setattr(_smo, "WIDE", wide)


@pytest.mark.parametrize("seed", range(200))
def test_optimality_on_random_problems(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, z = problem(rng, int(rng.integers(5, 90)), int(rng.integers(1, 6)), rng.choice([0.0, 0.4, 3.0]))
    C = BOUNDS[seed % 5] * (rng.uniform(0.2, 5, z.size) if seed % 3 else np.ones(z.size))
    K = KERNELS[seed % 4](X)
    found = solve(K, z, C)
    judge(K, z, C, found, 3e-9)
    assert found.gap <= 1e-7


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", BOUNDS)
def test_agrees_with_scikit_learn(kernel: mercer.Kernel, C: float, rng: Rng) -> None:
    X, z = problem(rng, 120)
    K, weight = kernel(X), rng.uniform(0.5, 2, z.size)
    with warnings.catch_warnings():  # theirs does not always end
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = SVC(C=C, kernel="precomputed", tol=1e-6, max_iter=1_000_000).fit(K, z, weight)
    alpha = np.zeros(z.size)
    alpha[theirs.support_] = np.abs(theirs.dual_coef_[0])
    ours = solve(K, z, C * weight)
    if theirs.n_iter_[0] < 1_000_000:
        assert ours.objective == pytest.approx(value(K, z, alpha), rel=1e-6)
    assert ours.objective >= value(K, z, alpha) - 1e-9 * abs(ours.objective)
    if kernel == KERNELS[3]:
        assert ours.bias == pytest.approx(theirs.intercept_[0], abs=1e-4)


def test_xor_of_duda_example_2() -> None:
    X = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    found = solve(mercer.Polynomial(degree=2)(X), np.array([1.0, -1, -1, 1]), 1e6)
    np.testing.assert_allclose(found.alpha, 1 / 8, atol=1e-10)
    assert found.bias == pytest.approx(0, abs=1e-10)
    assert found.objective == pytest.approx(1 / 4)


@pytest.mark.parametrize("C", [1e3, np.inf])
def test_example_10(C: float) -> None:
    X = np.array([[2.0, 1.0], [1.0, 3.0], [6.0, 3.0]])
    found = solve(X @ X.T, np.array([-1.0, -1.0, 1.0]), C)
    np.testing.assert_allclose(found.alpha, [1 / 10, 0, 1 / 10], atol=1e-10)
    np.testing.assert_allclose((found.alpha * [-1, -1, 1]) @ X, [2 / 5, 1 / 5], atol=1e-10)
    assert found.bias == pytest.approx(-2, abs=1e-10)


@pytest.mark.parametrize("C", [1e3, np.inf])
def test_hard_margin_with_a_row_to_spare(C: float) -> None:
    # The support vectors are (1, 1) and (3, 3): w = (1/2, 1/2), w0 = -2, and (4, 4) keeps its distance.
    X = np.array([[1.0, 1.0], [3.0, 3.0], [4.0, 4.0]])
    found = solve(X @ X.T, np.array([-1.0, 1.0, 1.0]), C)
    np.testing.assert_allclose(found.alpha, [1 / 4, 1 / 4, 0], atol=1e-10)
    assert found.bias == pytest.approx(-2, abs=1e-10)
    assert found.gap <= 1e-9


def test_tiny_problems_by_trying_every_face(rng: Rng) -> None:
    for _ in range(20):
        X, z = problem(rng, 5, 2, 2.0)
        K = mercer.Gaussian(1.0)(X)
        C = rng.uniform(0.2, 3, 5)
        assert solve(K, z, C).objective == pytest.approx(best_of_faces(K, z, C), rel=1e-10)


def best_of_faces(K: NDArray[Any], z: NDArray[Any], C: NDArray[Any]) -> float:
    """The largest W: on every face of the box, where its gradient vanishes along the constraint."""
    best, Q = 0.0, K * np.outer(z, z)
    for face in itertools.product((0, 1, 2), repeat=z.size):
        free = np.array(face) == 2
        alpha, m = np.where(np.array(face) == 1, C, 0.0), int(free.sum())
        system = np.block([[Q[np.ix_(free, free)], z[free][:, None]], [z[free][None], np.zeros((1, 1))]])
        right = np.r_[(1 - Q @ alpha)[free], -(alpha @ z)]
        if m:
            alpha[free] = np.linalg.lstsq(system, right)[0][:m]
        if abs(alpha @ z) < 1e-9 and np.all(alpha >= -1e-12) and np.all(alpha <= C + 1e-12):
            best = max(best, value(K, z, alpha))
    return best


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", BOUNDS)
def test_interior_method(kernel: mercer.Kernel, C: float, rng: Rng) -> None:
    X, z = problem(rng, 60)
    K = kernel(X)
    alpha = interior(K, z, np.full(60, C), np.ones(60), 0.0, None)
    assert alpha is not None
    assert abs(alpha @ z) <= 1e-12 * alpha.sum()
    assert value(K, z, alpha) == pytest.approx(solve(K, z, C).objective, rel=1e-6)
    assert interior(K, z, np.full(60, np.inf), np.ones(60), 0.0, None) is None
    with pytest.raises(Interrupted):
        interior(K, z, np.full(60, C), np.ones(60), 0.0, Impatient(3))


@pytest.mark.parametrize("C", BOUNDS)
@pytest.mark.parametrize("wide", [40, 80])
def test_hard_blocks_are_solved_by_the_interior_method(
    C: float, wide: int, rng: Rng, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, z = problem(rng, 150, 3)
    K = mercer.Polynomial(degree=2)(X)
    whole = solve(K, z, C)
    by_blocks(monkeypatch, 40, wide)
    monkeypatch.setattr(_smo, "WORK", 40 * 100)  # so few pairs are seldom enough
    parts = solve(K, z, C)
    assert parts.converged
    assert parts.objective == pytest.approx(whole.objective, rel=1e-4)


@pytest.mark.parametrize("C", BOUNDS)
def test_duplicates(C: float, rng: Rng) -> None:
    X, z = problem(rng, 40)
    K = mercer.Gaussian(2.0)(np.vstack([X, X, X[:10]]))
    both = np.r_[z, z, -z[:10]]  # ten rows stand in both classes
    judge(K, both, C, solve(K, both, C), 3e-9)


def test_twice_a_row_is_twice_its_bound(rng: Rng) -> None:
    X, z = problem(rng, 40)
    once, twice = np.r_[X, X[:15]], np.where(np.arange(40) < 15, 2.0, 1.0)
    a, b = solve(mercer.Gaussian(2.0)(once), np.r_[z, z[:15]], 1.0), solve(mercer.Gaussian(2.0)(X), z, twice)
    assert a.objective == pytest.approx(b.objective, rel=1e-9)
    assert a.bias == pytest.approx(b.bias, abs=1e-7)


def test_one_row_a_class() -> None:
    X = np.array([[0.0, 0.0], [0.0, 4.0]])
    found = solve(X @ X.T, np.array([-1.0, 1.0]), 10.0)
    np.testing.assert_allclose(found.alpha, 1 / 8)
    assert found.bias == pytest.approx(-1)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_one_class_alone(sign: float) -> None:
    found = solve(np.eye(3), np.full(3, sign), 1.0)
    assert not found.alpha.any()
    assert found.bias == sign
    assert found.gap == 0
    assert found.converged


def test_all_at_the_bound() -> None:
    found = solve(np.eye(4), np.array([1.0, 1, -1, -1]), 0.1)
    np.testing.assert_array_equal(found.alpha, 0.1)
    assert found.bias == pytest.approx(0)


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


def test_warm_start(rng: Rng) -> None:
    X, z = problem(rng, 150)
    K = mercer.Gaussian(1.5)(X)
    cold = solve(K, z, 2.0)
    again = solve(K, z, 2.0, start=cold.alpha)
    assert again.inner <= 2
    assert solve(K, z, 1.0, start=cold.alpha).objective == pytest.approx(solve(K, z, 1.0).objective, rel=1e-9)
    assert solve(K, z, 2.0, start=rng.uniform(-3, 9, 150)).objective == pytest.approx(cold.objective, rel=1e-9)


def test_warm_start_by_blocks(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    by_blocks(monkeypatch)
    X, z = problem(rng, 300)
    K = mercer.Gaussian(1.5)(X)
    cold = solve(K, z, 2.0)
    again = solve(K, z, 2.0, start=cold.alpha)
    assert again.iterations <= min(5, cold.iterations // 2)
    assert again.objective == pytest.approx(cold.objective, rel=1e-5)


def test_feasible_start(rng: Rng) -> None:
    z, C = np.where(rng.random(50) < 0.3, 1.0, -1.0), rng.uniform(0, 2, 50)
    alpha = feasible(rng.uniform(-1, 3, 50), z, C)
    assert np.all((alpha >= 0) & (alpha <= C))
    assert abs(alpha @ z) <= 1e-15 * alpha.sum()
    assert not feasible(np.ones(50), np.ones(50), C).any()
    assert not feasible(None, z, C).any()


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("C", [0.1, 10.0, 1e3])
def test_indefinite_kernel_ends(C: float, large: bool, rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        by_blocks(monkeypatch)
    X, z = problem(rng, 200)
    K = mercer.Sigmoid(a=1.0, b=-2.0)(X)
    assert np.linalg.eigvalsh(K)[0] < -1e-3
    found = solve(K, z, C)
    assert found.indefinite
    assert found.converged
    assert found.violation <= 1e-3
    assert abs(found.alpha @ z) <= 1e-10 * found.alpha.sum()


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_definite_kernel_is_not_called_indefinite(kernel: mercer.Kernel, rng: Rng) -> None:
    X, z = problem(rng, 100)
    assert not solve(kernel(X.astype(np.float32)), z, 10.0).indefinite


class Impatient(Watch):
    """Ctrl-C after a few looks at the watch, of which a round takes one or more."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Interrupted


@pytest.mark.parametrize(("looks", "least"), [(0, 0), (8, 1)])
def test_interrupt_keeps_what_was_found(looks: int, least: int, rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    by_blocks(monkeypatch)
    X, z = problem(rng, 400)
    K = mercer.Gaussian(1.5)(X)
    found = solve(K, z, 1.0, watch=Impatient(looks))
    assert found.interrupted
    assert not found.converged
    assert least <= found.iterations <= looks
    assert found.objective == pytest.approx(value(K, z, found.alpha), abs=1e-4)
    assert abs(found.alpha @ z) <= 1e-12
    slack = np.maximum(0, 1 - z * (K @ (found.alpha * z) + found.bias)).sum()
    assert found.primal == pytest.approx(0.5 * (found.alpha * z) @ K @ (found.alpha * z) + slack, abs=1e-3)


def test_tick_hears_the_violation(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    by_blocks(monkeypatch)
    X, z = problem(rng, 400)
    heard: list[float] = []
    found = solve(mercer.Gaussian(1.5)(X), z, 1.0, tick=heard.append)
    assert heard[0] == 2  # f = -z at the start
    assert len(heard) == found.iterations
    assert found.violation <= 1e-3 < min(heard)


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


@pytest.mark.parametrize("kept", [2, 3, 7, 40])
def test_the_smallest_cache_gives_the_same_answer(kept: int, rng: Rng) -> None:
    X, z = problem(rng, 100)
    K = mercer.Gaussian(1.5)(X)
    whole, poor = solve(K, z, 1.0), solve(K, z, 1.0, tol=1e-6, cache_bytes=kept * 100 * 8)
    assert poor.objective == pytest.approx(whole.objective, rel=1e-8)
    judge(K, z, 1.0, poor, 1e-6)


def gaussian_rows(X: NDArray[Any]) -> Callable[[NDArray[np.int64]], NDArray[Any]]:
    half = (X * X).sum(axis=1) / 2
    return lambda indices: np.exp(np.minimum(X[indices] @ X.T - half[indices, None] - half, 0))


def streamed(X: NDArray[Any], workers: int) -> StreamedRows:
    return StreamedRows(GaussianRowMaker(mercer.Gaussian(4 * np.sqrt(2)), X), Workers(workers))


@pytest.mark.parametrize("stream", [False, True])
def test_same_bits_whatever_the_number_of_threads(stream: bool, rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_smo, "WHOLE", 600)
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


def test_pairs_of_classes_share_rows(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X = rng.standard_normal((240, 3))
    y = np.arange(240) % 3
    X[:, 0] += y
    K, made = mercer.Gaussian(1.5)(X), []

    def rows(indices: NDArray[np.int64]) -> NDArray[Any]:
        made.extend(indices.tolist())
        return K[indices]

    for large in (False, True):
        if large:
            by_blocks(monkeypatch)
        made.clear()
        shared = KernelRows(rows, 240, dtype=np.float64, workers=1)
        for a, b in ((0, 1), (0, 2), (1, 2)):
            part = np.flatnonzero((y == a) | (y == b))
            z = np.where(y[part] == b, 1.0, -1.0)
            found = smo(shared.part(part), np.ones(part.size), z, np.ones(part.size), tol=1e-6)
            judge(K[np.ix_(part, part)], z, 1.0, found, 1e-6)
        assert len(made) == len(set(made)) <= 240


def test_rows_last_used_are_kept() -> None:
    K, made = np.arange(100.0).reshape(10, 10), []

    def rows(indices: NDArray[np.int64]) -> NDArray[Any]:
        made.append(indices.tolist())
        return K[indices]

    shared = KernelRows(rows, 10, cache_bytes=4 * 10 * 8)
    for wanted in ([0, 1, 2, 3], [0, 1], [4, 5], [0, 1], [2]):
        np.testing.assert_array_equal(shared.take(np.array(wanted)), K[wanted])
    assert made == [[0, 1, 2, 3], [4, 5], [2]]
    np.testing.assert_array_equal(shared.take(np.arange(10), np.array([1, 7])), K[:, [1, 7]])


def test_a_matrix_is_not_copied(rng: Rng) -> None:
    X, z = problem(rng, 60)
    K = mercer.Gaussian(1.5)(X)
    shared = KernelRows.of_matrix(K)
    assert np.shares_memory(shared.store, K)
    assert smo(shared, np.diag(K), z, np.ones(60)).objective == pytest.approx(solve(K, z, 1.0).objective, rel=1e-9)
    assert KernelRows.of_matrix(np.eye(3, dtype=np.int64)).take(np.array([1])).tolist() == [[0, 1, 0]]


def test_failed_rows_leave_no_false_ones() -> None:
    shared = KernelRows(lambda indices: np.full((indices.size, 3), 1 / (indices[:, None] - 1)), 3, 2 * 24, workers=1)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        shared.take(np.array([0, 1]))
    np.testing.assert_array_equal(shared.take(np.array([0, 2])), [[-1, -1, -1], [1, 1, 1]])


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"cache_size=9.54e-05 is too small: two kernel rows of 50 patterns"):
        KernelRows(lambda indices: np.eye(50)[indices], 50, 100)
    with pytest.raises(ValueError, match=r"cache_size=.*is too small"):
        solve(np.eye(50), np.ones(50), 1.0, cache_bytes=500)
    with pytest.raises(ValueError, match=r"K has shape \(2, 3\).*square"):
        KernelRows.of_matrix(np.ones((2, 3)))


def test_shrinking_changes_nothing(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 2600, 8)
    rows, seen = gaussian_rows(X / 2), []
    shrink = _smo.Blocks.shrink

    def watched(work: _smo.Blocks, active: NDArray[np.int64], limit: float, *rest: Any) -> None:
        shrink(work, active, limit, *rest)
        seen.append((active.size, work.violation() / limit))

    monkeypatch.setattr(_smo.Blocks, "shrink", watched)
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
    shrink = _smo.Blocks.shrink

    def stopped(work: _smo.Blocks, active: NDArray[np.int64], limit: float, tick: Any) -> None:
        work.watch.interrupted = True
        shrink(work, active, limit, tick)

    monkeypatch.setattr(_smo.Blocks, "shrink", stopped)
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


def test_narrow_rows_take_over_the_memory(rng: Rng) -> None:
    K = rng.standard_normal((40, 40))
    whole = KernelRows(lambda indices: K[indices], 40, 8 * 40 * 8, np.float64, 1)
    whole.take(np.arange(8))
    columns = np.array([3, 5, 8, 13, 21])
    narrow = whole.narrow(columns)
    assert np.shares_memory(narrow.store, whole.store)
    assert narrow.capacity == 5
    np.testing.assert_array_equal(narrow.take(np.arange(5)), K[np.ix_(columns, columns)])
    np.testing.assert_array_equal(whole.take(np.arange(8)), K[:8])  # made anew, not what lies there now


def test_a_crowd_of_problems_has_short_rows_of_its_own(rng: Rng) -> None:
    K = rng.standard_normal((40, 40))
    poor = KernelRows(lambda indices: K[indices], 40, 8 * 40 * 8, np.float64, 1)
    rich = KernelRows(lambda indices: K[indices], 40, 40 * 40 * 8, np.float64, 1)
    part = np.arange(0, 40, 2)
    assert poor.part(part).kernel is not poor
    assert rich.part(part).kernel is rich
    for source in (poor.part(part), rich.part(part)):
        np.testing.assert_array_equal(source.block(np.array([1, 4]), np.array([0, 3])), K[np.ix_([2, 8], [0, 6])])


@pytest.mark.parametrize("spread", [1e-3, 1.0, 3.0])
def test_fast_gaussian_rows(rng: Rng, spread: float) -> None:
    X = spread * rng.standard_normal((300, 7)) + 100
    kernel = mercer.Gaussian(2.0)
    maker = GaussianRowMaker(kernel, X)
    indices, columns = np.array([0, 5, 299]), np.arange(0, 300, 3)
    np.testing.assert_allclose(maker(indices), kernel(X[indices], X), atol=1e-5)
    np.testing.assert_allclose(maker.narrow(columns)(np.arange(3)), kernel(X[columns[:3]], X[columns]), atol=1e-5)
    np.testing.assert_allclose(np.diagonal(maker(np.arange(300))), 1, atol=1e-5)
    assert maker.reach == pytest.approx(np.square(X - X.mean(axis=0)).sum(axis=1).max() / 4, rel=1e-5)


def test_exponential_is_right_to_float32() -> None:
    t = np.linspace(-87, 0, 100_001, dtype=np.float32)[None]
    found = t.copy()
    exponential(found, np.zeros(1, np.float32), np.zeros(t.size, np.float32))
    np.testing.assert_allclose(found, np.exp(t.astype(np.float64)), rtol=8e-6)
    ends = np.array([[-1e30, -np.inf, 1e-3]], np.float32)
    exponential(ends, np.zeros(1, np.float32), np.zeros(3, np.float32))
    np.testing.assert_allclose(ends, [[0, 0, 1]], atol=1e-30)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("features", [2, 30])
def test_streamed_rows_give_the_same_answer(C: float, features: int, rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 700, features)
    kernel = mercer.Gaussian(float(np.sqrt(features)))
    exact = solve(kernel(X), z, C)
    by_blocks(monkeypatch, 16, 64)
    monkeypatch.setattr(_smo, "WHOLE", 100)
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
    monkeypatch.setattr(_smo, "WHOLE", 0)
    X, z = problem(rng, 900, 3)
    seen: list[tuple[int, int]] = []
    shrink, active = _smo.Blocks.shrink, _smo.Blocks.active

    def watched(work: _smo.Blocks, some: NDArray[np.int64], *rest: Any) -> None:
        seen.append((work.z.size, some.size))
        shrink(work, some, *rest)
        if some.size == 100:
            assert work.spare == 4

    def wrong_at_first(work: _smo.Blocks) -> NDArray[np.int64]:
        return active(work) if work.rounds or work.partial else np.arange(100)

    monkeypatch.setattr(_smo.Blocks, "shrink", watched)
    monkeypatch.setattr(_smo.Blocks, "active", wrong_at_first)
    kernel = mercer.Gaussian(1.5)
    found = smo(StreamedRows(GaussianRowMaker(kernel, X)), np.ones(900), z, np.ones(900))
    assert seen[0] == (900, 100)
    assert any(size == 900 and 4 * some <= 900 for size, some in seen[1:])
    assert any(size < 900 for size, _ in seen)
    judge(kernel(X), z, 1.0, found, 1e-3)


def test_the_interior_method_helps_where_there_are_no_bounds(rng: Rng) -> None:
    X, z = problem(rng, 200)
    K, free = mercer.Gaussian(1.5)(X) + 0.005 * np.eye(200), np.full(200, np.inf)
    best = solve(K, z, free)
    alpha = feasible(best.alpha * rng.random(200), z, free)
    better = _smo._improved(K, z, free, alpha, K @ (alpha * z) - z, None)
    assert value(K, z, better) == pytest.approx(best.objective, rel=1e-6)


@pytest.mark.parametrize(("sigma", "C"), [(2.0, 1e4), (1000.0, 1e6)])
def test_streamed_rows_do_not_hide_a_violation(sigma: float, C: float, rng: Rng) -> None:
    X = rng.standard_normal((700, 2))
    z = np.where(rng.random(700) < 0.8, np.where(np.sin(2 * X[:, 0]) > X[:, 1], 1.0, -1.0), -1.0)
    kernel = mercer.Gaussian(sigma)  # the wider one is one to about the digits of float32
    found = smo(StreamedRows(GaussianRowMaker(kernel, X)), np.ones(700), z, np.full(700, C))
    assert found.converged
    judge(kernel(X), z, C, found, 1.01e-3)


def test_small_problems_do_not_see_that_rows_are_kept_in_float32(rng: Rng) -> None:
    X, z = problem(rng, 300)
    kernel = mercer.Gaussian(200.0)
    some = np.arange(0, 300, 2)
    for maker in (RowMaker(kernel, X), GaussianRowMaker(kernel, X)):
        rows = KernelRows(maker, 300, dtype=np.float32)
        found = smo(rows.part(some), np.ones(150), z[some], np.full(150, 1e4), tol=1e-9)
        judge(kernel(X[some]), z[some], 1e4, found, 3e-9)


def test_nothing_of_rows_in_float32_is_left_when_they_become_wider(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, z = problem(rng, 300)
    by_blocks(monkeypatch)
    rows = KernelRows(RowMaker(mercer.Gaussian(1.5), X), 300, dtype=np.float32)
    work = _smo.Blocks(rows.part(np.arange(300)), np.ones(300), z, np.ones(300), np.zeros(300))
    work.run(1e-3, None, None)
    work.fresh, work.checked = False, 0.0
    assert not work.settled(1e-12)
    assert work.source.dtype == work.gram.dtype == np.float64
    assert work.block.size == work.gram.size == 0


def test_slow_blocks_give_way_to_the_interior_method(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    by_blocks(monkeypatch)
    monkeypatch.setattr(_smo, "SLOW", 3)
    X, z = problem(rng, 300, 5)
    K = mercer.Gaussian(2.0)(X)
    solved: list[int] = []
    step = _smo.Blocks.round_of_active

    def watched(work: _smo.Blocks, active: NDArray[np.int64]) -> None:
        solved.append(active.size)
        step(work, active)

    monkeypatch.setattr(_smo.Blocks, "round_of_active", watched)
    found = solve(K, z, 1e4, tol=1e-6)
    assert solved
    assert found.iterations < 40
    judge(K, z, 1e4, found, 1e-6)

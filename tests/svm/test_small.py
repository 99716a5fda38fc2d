"""Small problems of the dual: optimality, known answers, oracles."""

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from dual_cases import BOUNDS, KERNELS, Rng, judge, problem, smo, solve, value
from numpy.typing import NDArray
from portions import rest_in_ci
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from discriminant import mercer
from discriminant._kernel_matrix.makers import GaussianRowMaker, RowMaker
from discriminant._kernel_matrix.rows import KernelRows


@pytest.mark.parametrize("seed", rest_in_ci(range(200), 60))
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


def test_warm_start(rng: Rng) -> None:
    X, z = problem(rng, 150)
    K = mercer.Gaussian(1.5)(X)
    cold = solve(K, z, 2.0)
    again = solve(K, z, 2.0, start=cold.alpha)
    assert again.inner <= 2
    assert solve(K, z, 1.0, start=cold.alpha).objective == pytest.approx(solve(K, z, 1.0).objective, rel=1e-9)
    assert solve(K, z, 2.0, start=rng.uniform(-3, 9, 150)).objective == pytest.approx(cold.objective, rel=1e-9)


def test_small_problems_do_not_see_that_rows_are_kept_in_float32(rng: Rng) -> None:
    X, z = problem(rng, 300)
    kernel = mercer.Gaussian(200.0)
    some = np.arange(0, 300, 2)
    for maker in (RowMaker(kernel, X), GaussianRowMaker(kernel, X)):
        rows = KernelRows(maker, 300, dtype=np.float32)
        found = smo(rows.part(some), np.ones(150), z[some], np.full(150, 1e4), tol=1e-9)
        judge(kernel(X[some]), z[some], 1e4, found, 3e-9)

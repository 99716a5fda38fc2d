"""The nearest points of two hulls in feature space: optimality, finite ends, and hulls that touch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discriminant import NotSeparableError, SupportVectorMachine, mercer, separability
from discriminant._engine.driver import Interrupted
from discriminant._kernel_matrix.nearest import Nearest, nearest
from discriminant._kernel_matrix.rows import KernelRows, StoredRows

Rng = np.random.Generator
Matrix = NDArray[Any]


def search(K: Matrix, z: Matrix, **options: Any) -> Nearest:
    return nearest(StoredRows(KernelRows.of_matrix(K)), np.diagonal(K).copy(), z, **options)


def labelled(rng: Rng, n: int, d: int) -> tuple[Matrix, Matrix]:
    """Patterns with labels by chance, both of them there."""
    z = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    z[:2] = 1, -1
    return rng.standard_normal((n, d)), z


@pytest.mark.parametrize("kernel", [mercer.Gaussian(1.0), mercer.Gaussian(3.0), mercer.Polynomial(degree=3)], ids=str)
@pytest.mark.parametrize("n", [2, 3, 10, 60])
def test_optimality(rng: Rng, kernel: mercer.Kernel, n: int) -> None:
    X, z = labelled(rng, n, 4)
    if isinstance(kernel, mercer.Polynomial):
        z = np.where(X[:, 0] * X[:, 1] > np.median(X[:, 0] * X[:, 1]) - 1e-9, 1.0, -1.0)
    K = kernel(X)
    found = search(K, z)
    assert found.apart
    assert found.mu.min() >= 0
    for side in (1, -1):
        assert found.mu[z == side].sum() == pytest.approx(1, abs=1e-12)
    f = (found.mu * z) @ K
    square = (found.mu * z) @ f
    assert found.square == pytest.approx(square, rel=1e-9)
    # no row lies nearer to the other side than the nearest points do: (f of +) - (f of -) >= d²
    assert f[z > 0].min() - f[z < 0].max() == pytest.approx(square, rel=1e-6)


def test_many_random_problems_end(rng: Rng) -> None:
    """Conflicting twins, one point a class, collinear points: every search ends, and rightly."""
    for trial in range(300):
        n, d = int(rng.integers(2, 25)), int(rng.integers(1, 4))
        X = rng.integers(-2, 3, (n, d)).astype(float)
        z = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        z[:2] = 1, -1
        K = X @ X.T
        found = search(K + 1, z)  # a constant says nothing: the intercept is free
        if found.apart:
            w = X.T @ (found.mu * z)
            g = X @ w
            assert g[z > 0].min() > g[z < 0].max(), trial
        else:
            assert separability(X, z).verdict != "complete", trial


def test_hulls_that_touch_end_soon(rng: Rng) -> None:
    X, z = labelled(rng, 3000, 5)
    K = mercer.Polynomial(degree=2)(X)
    found = search(K, z)
    assert not found.apart
    assert found.steps < 200
    assert np.count_nonzero(found.mu) <= 20 + 2  # as many points as dimensions of feature space, and two


def test_a_margin_of_a_millionth(rng: Rng) -> None:
    X = rng.uniform(-1, 1, (200, 3))
    z = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:, 0] = z * (np.abs(X[:, 0]) + 1e-6)
    X[:2, 0], z[:2] = (1e-6, -1e-6), (1, -1)
    model = SupportVectorMachine(C=np.inf, kernel=lambda A, B: A @ B.T + 1).fit(X, z)
    exact = SupportVectorMachine(C=np.inf).fit(X, z)
    assert model.margin_ == pytest.approx(exact.margin_, rel=1e-3)
    assert model.score(X, z) == 1


def test_the_error_says_what_meets(rng: Rng) -> None:
    X, z = labelled(rng, 3000, 3)
    with pytest.raises(
        NotSeparableError, match=r"Polynomial\(degree=2.* weighted means of \d+ rows .* take a finite C"
    ):
        SupportVectorMachine(C=np.inf, kernel=mercer.Polynomial(degree=2)).fit(X, z)
    twins = np.vstack([X, X[:1]]), np.append(z, -z[0])
    with pytest.raises(NotSeparableError, match=r"weighted means of \d+ rows"):
        SupportVectorMachine(C=np.inf, kernel=mercer.Gaussian(0.1)).fit(*twins)


def test_an_interrupt_leaves_a_plane_between_the_classes(rng: Rng) -> None:
    class Stopped:
        left = 3

        def check(self) -> None:
            self.left -= 1
            if self.left < 0:
                raise Interrupted

    X, z = labelled(rng, 80, 3)
    found = search(mercer.Gaussian(1.0)(X), z, watch=Stopped())
    assert found.interrupted
    assert found.mu[z > 0].sum() == pytest.approx(1)


def test_the_memory_of_few_rows_will_do(rng: Rng) -> None:
    X, z = labelled(rng, 400, 3)
    few = SupportVectorMachine(C=np.inf, kernel=mercer.Gaussian(0.5), cache_size=20 * 400 * 8 / 2**20).fit(X, z)
    many = SupportVectorMachine(C=np.inf, kernel=mercer.Gaussian(0.5)).fit(X, z)
    np.testing.assert_allclose(few.alpha_, many.alpha_, rtol=1e-6, atol=1e-9)

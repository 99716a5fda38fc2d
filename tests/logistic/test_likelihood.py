"""The criterion of logistic regression: finite differences, bounds, sizes of any kind, the same bits by any threads."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from logistic_cases import noisy
from numpy.testing import assert_allclose
from scipy import sparse, special

from discriminant._engine.threads import in_runs
from discriminant.logistic.likelihood import Likelihood

Rng = np.random.Generator


@pytest.mark.parametrize(("c", "kind"), product([2, 3, 5], ["dense", "csr"]))
def test_gradient_and_hessian_are_those_of_the_criterion(rng: Rng, c: int, kind: str) -> None:
    X, y = noisy(rng, 30, 3, c)
    v, k = rng.uniform(0.5, 2, size=30), 1 if c == 2 else c
    likelihood = Likelihood(sparse.csr_matrix(X) if kind == "csr" else X, y.astype(np.int32), v, k, 0.3)
    A, h = rng.normal(size=(k, 4)), 1e-5
    at, H = likelihood.look(A), likelihood.hessian(A)
    Z = np.column_stack([np.zeros(30), (X - likelihood.center) @ A[0, 1:] + A[0, 0]]) if c == 2 else None
    Z = (X - likelihood.center) @ A[:, 1:].T + A[:, 0] if Z is None else Z
    assert_allclose(at.value, -v @ special.log_softmax(Z, axis=1)[np.arange(30), y] + 0.15 * np.sum(A[:, 1:] ** 2))
    assert at.errors == np.count_nonzero(Z.argmax(axis=1) != y)
    for j in range(A.size):
        E = np.zeros(A.size)
        E[j] = h
        up, down = (likelihood.look(A + sign * E.reshape(A.shape)) for sign in (1, -1))
        assert_allclose(at.gradient.ravel()[j], (up.value - down.value) / (2 * h), rtol=1e-6, atol=1e-7)
        assert_allclose(H[j], (up.gradient - down.gradient).ravel() / (2 * h), rtol=1e-5, atol=1e-6)
    for block, whole in zip(likelihood.diagonal_blocks(A), range(k), strict=True):
        part = slice(whole * 4, whole * 4 + 4)
        assert_allclose(block, H[part, part], rtol=1e-10)


def test_a_tie_is_an_error() -> None:
    X, y = np.eye(3), np.arange(3, dtype=np.int32)
    assert Likelihood(X, y, None, 3, 1.0).look(np.zeros((3, 4))).errors == 3
    assert Likelihood(X, y % 2, None, 1, 1.0).look(np.zeros((1, 4))).errors == 3


def test_margins_of_any_size() -> None:
    X, own = np.array([[1.0], [-1.0]]), np.array([1, 0], np.int32)
    likelihood = Likelihood(X, own, None, 1, 0.0, np.zeros(1))
    assert 0 <= likelihood.look(np.array([[0, 1e300]])).value < 1e-300
    assert_allclose(likelihood.look(np.array([[0, -1e300]])).value, 2e300)
    assert_allclose(likelihood.look(np.array([[0.0, 40]])).value, 2 * np.exp(-40), rtol=1e-12)
    three = Likelihood(np.eye(3), np.arange(3, dtype=np.int32), None, 3, 0.0, np.zeros(3))
    assert three.look(np.column_stack([np.zeros(3), 1e300 * np.eye(3)])).value == 0


@pytest.mark.parametrize(("n", "c"), [(1, 3), (7, 4), (255, 5), (1030, 3)])
def test_blocks_of_any_size_add_up(rng: Rng, n: int, c: int) -> None:
    X, own = rng.normal(size=(n, 5)), rng.integers(c, size=n).astype(np.int32)
    A = rng.normal(size=(c, 6))
    dense, csr = (Likelihood(rows, own, None, c, 0.0, np.zeros(5)).look(A) for rows in (X, sparse.csr_matrix(X)))
    assert_allclose(dense.value, csr.value)
    assert_allclose(dense.gradient, csr.gradient, atol=1e-12)
    assert dense.errors == csr.errors


def test_runs_have_the_same_bits_whatever_the_threads(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    x = rng.normal(size=1000)
    sums = []
    for cores in (1, 2, 7):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        sums.append(in_runs(1000, 16, lambda low, high: [x[low:high].sum()]))
    assert sums[0] == sums[1] == sums[2]


@pytest.mark.parametrize("c", [2, 5])
def test_no_hessian_is_larger_than_the_bound(rng: Rng, c: int) -> None:
    """Böhning's bound, for steps whose sum over the classes is zero, and nothing else in it at A = 0."""
    X, y = noisy(rng, 60, 3, c)
    k, v = 1 if c == 2 else c, rng.uniform(0.5, 2, size=60)
    likelihood = Likelihood(X + 3, y.astype(np.int32), v, k, 0.7)
    bound = likelihood.bound()
    for A in (np.zeros((k, 4)), rng.normal(size=(k, 4))):
        H = likelihood.hessian(A)
        for _ in range(20):
            s = rng.normal(size=(k, 4))
            s -= s.mean(axis=0) if c > 2 else 0
            most = float(np.einsum("ki,ij,kj", s, bound, s))
            assert s.ravel() @ H @ s.ravel() <= most * (1 + 1e-12)
            if not A.any():
                assert_allclose(s.ravel() @ H @ s.ravel(), most)
    if c == 2:
        assert_allclose(likelihood.curvature(A), H, atol=1e-9)

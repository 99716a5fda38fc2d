"""Pairs of rows: what they do to α and f, and what they notice."""

from typing import Any

import numpy as np
import pytest
from dual_cases import KERNELS, Rng, by_blocks, problem, solve

from discriminant import mercer
from discriminant.svm.dual import keys
from discriminant.svm.pair_steps import pairs


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


def test_keys_are_those_of_the_index_sets() -> None:
    z, alpha = np.array([1.0, 1.0, -1.0, -1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0, 0.5])
    up, low = keys(z, alpha, np.ones(5), np.arange(5.0))
    np.testing.assert_array_equal(up, [0, np.inf, np.inf, 3, 4])
    np.testing.assert_array_equal(low, [np.inf, -1, -2, np.inf, -4])


@pytest.mark.parametrize("run", [pairs, getattr(pairs, "py_func", pairs)], ids=["compiled", "plain"])
def test_pairs_keep_f_and_the_constraint(run: Any, rng: Rng) -> None:
    X, z = problem(rng, 30)
    K = KERNELS[3](X)
    alpha, f = np.zeros(30), -z
    steps, indefinite = run(K, np.diagonal(K).copy(), z, np.ones(30), alpha, f, 1e-6, 10_000)
    assert 0 < steps < 10_000
    assert not indefinite
    assert abs(alpha @ z) < 1e-12
    np.testing.assert_allclose(f, K @ (alpha * z) - z, atol=1e-12)
    few, _ = run(K, np.diagonal(K).copy(), z, np.ones(30), np.zeros(30), -z, 1e-6, 3)
    assert few == 3

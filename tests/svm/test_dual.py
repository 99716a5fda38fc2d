"""The dual on its way: feasible starts, degenerate problems, what is told and kept."""

import numpy as np
import pytest
from dual_cases import Impatient, Rng, by_blocks, problem, solve, value

from discriminant import mercer
from discriminant.svm.dual import feasible


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


def test_feasible_start(rng: Rng) -> None:
    z, C = np.where(rng.random(50) < 0.3, 1.0, -1.0), rng.uniform(0, 2, 50)
    alpha = feasible(rng.uniform(-1, 3, 50), z, C)
    assert np.all((alpha >= 0) & (alpha <= C))
    assert abs(alpha @ z) <= 1e-15 * alpha.sum()
    assert not feasible(np.ones(50), np.ones(50), C).any()
    assert not feasible(None, z, C).any()


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

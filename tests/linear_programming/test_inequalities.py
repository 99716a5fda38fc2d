"""Rows of a separating vector in the solver's coordinates: the way there and back, and the two programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from discriminant import augment, datasets, kesler, normalize
from discriminant.linear_programming.inequalities import inequalities, minimize


@pytest.mark.parametrize("c", [2, 3, 4])
@pytest.mark.parametrize("intercept", [True, False])
def test_coordinates_keep_all_products(c: int, intercept: bool, rng: np.random.Generator) -> None:
    X, labels = rng.normal(size=(12, 3)) * [1e-6, 1, 1e5] + [0, 1e3, 0], np.arange(12) % c
    X[0] = 0
    rows = inequalities(X, labels, c, intercept)
    u = rng.normal(size=rows.Z.shape[1])
    A = rows.weights(u)
    np.testing.assert_allclose(rows.margins(A), rows.Z @ u, rtol=1e-9, atol=1e-9)
    Y = normalize(augment(X), labels) if c == 2 else kesler(X, labels)
    np.testing.assert_allclose(rows.margins(A), Y @ A.ravel(), rtol=1e-9, atol=1e-9)
    assert abs(rows.Z).max() <= 1
    if c > 2:
        np.testing.assert_allclose(A.sum(axis=0), 0, atol=1e-6 * np.abs(A).max())
    if not intercept:
        assert np.all(A[:, 0] == 0)


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("c", [2, 3])
def test_an_array_and_a_csr_matrix_make_the_same_program(offset: float, c: int, rng: np.random.Generator) -> None:
    X, labels = rng.integers(-3, 4, (15, 4)) + offset, np.arange(15) % c
    dense, csr = inequalities(X, labels, c), inequalities(sparse.csr_array(X), labels, c)
    np.testing.assert_array_equal(dense.Z.toarray(), csr.Z.toarray())
    if offset:
        assert np.ptp(dense.Z.toarray(), axis=0).max() > 0.5  # the offset is gone, the spread is not


def test_a_column_with_a_zero_stays_sparse() -> None:
    X = sparse.random_array((50, 20), density=0.1, rng=0, format="csr")
    rows = inequalities(X, np.arange(50) % 2, 2)
    assert rows.Z.nnz == X.nnz + 50


@pytest.mark.parametrize("c", [2, 3])
def test_columns_that_nearly_depend_on_each_other_are_untangled(c: int, rng: np.random.Generator) -> None:
    x, labels = rng.normal(size=(30, 2)), np.arange(30) % c
    X = np.c_[x[:, 0], x[:, 0] + 1e-9 * x[:, 1]]
    rows = inequalities(X, labels, c)
    assert rows.T is not None
    assert np.linalg.cond(rows.Z.toarray()) < 10
    u = rng.normal(size=rows.Z.shape[1])
    np.testing.assert_allclose(rows.margins(rows.weights(u)), rows.Z @ u, atol=1e-5)
    np.testing.assert_array_equal(inequalities(sparse.csr_array(X), labels, c).Z.toarray(), rows.Z.toarray())
    dependent = inequalities(np.c_[x, x.sum(axis=1)], labels, c)
    assert dependent.T is None  # what is wholly dependent does no harm


def test_rounding_is_not_separation() -> None:
    rows = inequalities(np.array([[1.0], [2.0]]), np.array([0, 1]), 2)
    assert rows.satisfied(np.array([[-1.5, 1.0]])).all()
    assert not rows.satisfied(np.array([[-1.0, 1.0]]))[0]
    assert not rows.satisfied(np.array([[-1.0 - 1e-16, 1.0 - 1e-16]]))[0]


def primal(Y: Any, b: Any, v: Any) -> float:
    """The program as the book states it, by another interface."""
    n, p = Y.shape
    k = n if v is not None else 1
    slack = np.eye(n) if v is not None else np.ones((n, 1))
    cost = np.r_[np.zeros(p), v if v is not None else [1.0]]
    bounds = [(None, None)] * p + [(0, None)] * k
    return float(linprog(cost, -np.hstack([Y, slack]), -b, bounds=bounds).fun)


@pytest.mark.parametrize("weighted", [True, False])
def test_the_dual_has_the_value_of_the_books_program(weighted: bool, rng: np.random.Generator) -> None:
    for seed in range(6):
        c = 2 + seed % 2
        X, labels = rng.normal(size=(25, 3)), np.arange(25) % c
        rows = inequalities(X, labels, c)
        b, v = (rng.uniform(0.5, 2, rows.owner.size) for _ in range(2))
        optimum = minimize(rows.Z, b, v if weighted else None)
        expected = primal(normalize(augment(X), labels) if c == 2 else kesler(X, labels), b, v if weighted else None)
        tau = np.maximum(b - rows.margins(rows.weights(optimum.u)), 0)
        assert b @ optimum.multipliers == pytest.approx(expected, abs=1e-8)
        assert (v @ tau if weighted else tau.max()) == pytest.approx(expected, abs=1e-8)
        assert rows.residual(optimum.multipliers) < 1e-9


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("apart", [0.0, 1.0, 20.0])
def test_a_sifted_program_has_the_same_minimum(
    weighted: bool, c: int, apart: float, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = rng.normal(size=(400, 3)), np.sort(np.arange(400) % c)
    X[:, 0] += apart * labels
    rows = inequalities(X, labels, c)
    b, v = (rng.uniform(0.5, 2, rows.owner.size) for _ in range(2))
    whole = minimize(rows.Z, b, v if weighted else None)
    monkeypatch.setattr("discriminant.linear_programming.inequalities.LARGE", 80)
    sifted = minimize(rows.Z, b, v if weighted else None)
    assert sifted.optimal
    assert b @ sifted.multipliers == pytest.approx(b @ whole.multipliers, abs=1e-8)
    tau = np.maximum(b - rows.Z @ sifted.u, 0)
    assert (v @ tau if weighted else tau.max()) == pytest.approx(b @ whole.multipliers, abs=1e-7)
    assert np.all(sifted.multipliers >= 0)
    assert rows.residual(sifted.multipliers) < 1e-9
    if weighted:
        assert np.all(sifted.multipliers <= v * (1 + 1e-12))


def test_a_sifted_program_that_is_stopped_has_no_answer(rng: np.random.Generator) -> None:
    rows = inequalities(rng.normal(size=(9000, 3)), np.arange(9000) % 2, 2)
    early = minimize(rows.Z, np.ones(9000), np.ones(9000), stop=lambda: True)
    assert early.status == "stopped"
    assert early.multipliers.shape == (9000,)


def test_the_size_of_margins_and_weights_does_not_matter() -> None:
    X, y = datasets.table(1, 3)
    rows = inequalities(X, y, 2)
    one = minimize(rows.Z, np.ones(20), np.ones(20))
    for size in (1e-100, 1e100):
        other = minimize(rows.Z, np.full(20, size), np.full(20, size))
        np.testing.assert_allclose(other.u / size, one.u, rtol=1e-9)
        np.testing.assert_allclose(other.multipliers / size, one.multipliers, rtol=1e-9)

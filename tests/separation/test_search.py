"""The search for a verdict: large data by few passes, guesses that fail, and whole numbers that decide alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from verdict_cases import check, in_integers, parts, separates, tied_problem

from discriminant import Separability, datasets, separability
from discriminant.separation import search as _faces

# Large data ---------------------------------------------------------------------------------------------------------


def few_rows(s: Separability) -> bool:
    """Whether the verdict came from a part of the data and few passes over the rest."""
    return len(s._outcome.working) < 5000 and 1 <= s._system.passes <= 15


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
def test_many_rows(make: Any, rng: np.random.Generator) -> None:
    n, d = 20_000, 10
    w = rng.integers(-3, 4, d)
    X = rng.integers(-1000, 1000, (n, d)) / 100
    side = np.rint(X * 100).astype(int) @ w
    X, side = make(X[side != 0]), side[side != 0]
    y = (side > 0).astype(int)
    s = separability(X, y)
    assert s.verdict == "complete"
    assert separates(s, X, y)
    assert few_rows(s)
    assert s.certificate.verify(X, y)
    y[np.abs(side).argmax()] ^= 1
    s = separability(X, y)
    assert s.verdict == "overlap"
    assert few_rows(s)
    assert s.certificate.verify(X, y)


def test_many_columns(rng: np.random.Generator) -> None:
    n, d = 2000, 150
    X = rng.normal(size=(n, d)).round(3)
    side = X @ rng.normal(size=d)
    X, y = X[np.abs(side) > 0.5], (side[np.abs(side) > 0.5] > 0).astype(int)
    s = separability(X, y)
    assert s.verdict == "complete"
    assert separates(s, X, y)
    assert s.certificate.verify(X, y)
    X[1], y[1] = X[0], 1 - y[0]
    s = separability(X, y)
    assert s.verdict != "complete"  # a row in both classes
    assert {0, 1} <= set(s.boundary_rows)
    assert s.certificate.verify(X, y)


def test_many_rows_on_a_boundary(rng: np.random.Generator) -> None:
    """A level of a factor that only one class has, and ties of whole numbers in all else."""
    n = 20_000
    X = rng.integers(-3, 4, (n, 4))
    y = rng.integers(0, 2, n)
    alone = rng.random(n) < 0.01
    y[alone] = 1
    s = separability(np.c_[X, alone], y)
    assert s.verdict == "quasi"
    assert_array_equal(s.separated_rows, np.flatnonzero(alone))
    assert_array_equal(s.infinite_, [0, 0, 0, 0, 1])
    assert few_rows(s)
    assert s.certificate.verify(np.c_[X, alone], y)


def test_a_single_row_that_decides(rng: np.random.Generator) -> None:
    """One row of 20,000 lies outside the plane in which all others do."""
    X = rng.integers(-9, 9, (20_000, 2))
    X = np.c_[X, X.sum(axis=1)]
    y = rng.integers(0, 2, len(X))
    assert separability(X, y).verdict == "overlap"
    X[12_345, 2] += 1
    s = separability(X, y)
    assert (s.verdict, s.separated_rows.tolist()) == ("quasi", [12_345])
    assert s.certificate.verify(X, y)


@pytest.mark.parametrize("separating", [False, True])
def test_a_factor_of_many_levels(rng: np.random.Generator, separating: bool) -> None:
    """Many small relations are found at a time, and coefficients start from the face that is known."""
    level = rng.integers(40, size=800)
    X = np.column_stack([level[:, None] == np.arange(1, 40), rng.normal(size=(800, 2)).round(2)]).astype(float)
    y = rng.integers(2, size=800)
    if separating:
        y[level == 3] = 1
    s = separability(X, y)
    assert s.verdict == ("quasi" if separating else "overlap")
    assert s.infinite_.tolist() == [float(separating and j == 2) for j in range(41)]
    assert s.certificate.verify(X, y)
    terms = {(term.row, term.rival) for relation in s.certificate.relations for term in relation}
    assert len(terms) <= 2 * 42
    assert len(s.certificate.support) <= 43


# Where floats fail --------------------------------------------------------------------------------------------------


def refuse(R: Any) -> Any:
    raise RuntimeError("no convergence")


GUESSES = {
    "none": refuse,
    "all weights": lambda R: (None, np.ones(len(R))),
    "one weight": lambda R: (None, np.eye(len(R))[0]),
    "wrong vector": lambda R: (np.ones(R.shape[1]), np.ones(len(R))),
    "zero": lambda R: (np.zeros(R.shape[1]), np.ones(len(R))),
    "not a number": lambda R: (np.full(R.shape[1], np.nan), np.ones(len(R))),
}


@pytest.mark.ci
@pytest.mark.parametrize("guess", GUESSES)
def test_bad_guesses(guess: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_faces, "nearest_to_zero", GUESSES[guess])
    fell_back = 0
    for trial in range(100):
        X, y = tied_problem(rng, 2 + trial % 2)
        s = check(X / 7, y, intercept=bool(trial % 3))
        fell_back += in_integers(s)
        assert in_integers(s) == ("the verdict was found in whole numbers" in str(s))
    assert fell_back > 10


def test_whole_numbers_decide_alone_on_larger_data(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = datasets.iris()
    expected = [parts(separability(X, y)), parts(separability(X[50:], y[50:]))]
    monkeypatch.setattr(_faces, "nearest_to_zero", refuse)
    found = [separability(X, y), separability(X[50:], y[50:])]
    assert [parts(s) for s in found] == expected
    assert all(map(in_integers, found))


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-150, 1e150, 1e307])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_guesses_at_the_boundary_of_extreme_numbers(
    scale: float, n_classes: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """Where a guess in floats overflows, it is given up, and the search goes on without it."""
    monkeypatch.setattr(_faces, "WIDE", 1)
    X = rng.integers(-3, 4, (30, 3)) * scale
    check(X, np.clip(np.digitize(X[:, 0] / scale, [0.5, 1.5]), 0, n_classes - 1))
    check(X, rng.integers(0, n_classes, 30))


@pytest.mark.parametrize("X", [np.zeros((4, 3)), sparse.csr_matrix((4, 3)), np.eye(4)[:, :1]])
@pytest.mark.parametrize("y", [[0, 1, 0, 1], [0, 1, 2, 1]])
@pytest.mark.parametrize("intercept", [True, False])
def test_guesses_at_the_boundary_of_zeros(
    X: Any, y: list[int], intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_faces, "WIDE", 1)
    monkeypatch.setattr(_faces, "NARROW", 0)
    check(X, y, intercept=intercept)

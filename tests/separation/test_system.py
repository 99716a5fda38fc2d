"""More columns than rows: the proof is found on independent columns, and the verdict is that of all of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from verdict_cases import separates, tied_problem

from discriminant import separability
from discriminant.separation import search as _faces
from discriminant.separation import system as _system
from discriminant.separation.rows import PRIMES


def test_more_features_than_rows(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(12, 60)), np.arange(12) % 2
    s = separability(X, y)
    assert s.verdict == "complete"
    assert separates(s, X, y)
    assert s.certificate.verify(X, y)
    assert np.isnan(s.infinite_[0])
    X[6:] = X[:6]
    s = separability(X, np.repeat([0, 1], 6))
    assert s.verdict == "overlap"
    assert s.certificate.verify(X, np.repeat([0, 1], 6))


@pytest.mark.parametrize("kind", ["dense", "csr", "three classes"])
def test_wide_data_that_do_not_separate(rng: np.random.Generator, kind: str) -> None:
    """Few rows and thousands of features: the proof is found on independent columns."""
    X = rng.normal(size=(6, 2000)).round(3)
    X[1] = X[0]
    y = [0, 1, 0, 1, 0, 1] if kind != "three classes" else [0, 1, 2, 0, 1, 2]
    s = separability(sparse.csr_array(X) if kind == "csr" else X, y)
    assert s.verdict == "quasi"
    assert s.boundary_rows.tolist() == [0, 1]
    assert s.certificate.verify(X, y)
    assert len(s.certificate.to_json()) < 400_000
    assert np.isnan(s.infinite_).all()
    assert "quasi" in str(s)


def test_wide_data_have_the_verdicts_of_narrow_ones(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    """Ties among few rows: every verdict and every sign is that of a search on all columns."""
    monkeypatch.setattr(_system, "MANY", 0)
    verdicts = set()
    for turn in range(25):
        X, y = tied_problem(rng, 3 if turn % 5 == 0 else 2)
        X = np.hstack([X, X[:, :1] @ rng.integers(-1, 2, (1, len(X))), rng.integers(0, 2, (len(X), turn % 2))])
        wide = separability(X, y)
        with monkeypatch.context() as other:
            other.setattr(_system, "MANY", 10**9)
            known = separability(X, y)
            signs = known.infinite_
        assert wide.verdict == known.verdict
        assert wide.certificate.verify(X, y)
        assert_array_equal(wide.boundary_rows, known.boundary_rows)
        assert_array_equal(wide.infinite_, signs)
        verdicts.add((wide.verdict, wide._outcome.narrow is not None))
    assert {("quasi", True), ("overlap", True), ("complete", False)} <= verdicts


def test_columns_that_depend_on_others_modulo_a_prime_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_system, "MANY", 0)
    first, second, third = PRIMES
    X = np.zeros((3, 6), np.int64)
    X[:, 0], X[:, 1] = [0, 1, 2], [0, first, 0]  # the second column separates, and vanishes modulo the first prime
    s = separability(X, [0, 1, 0])
    assert s.verdict == "complete"
    monkeypatch.setattr(_faces, "_guess", lambda face, live: ([], None))
    assert separability(X, [0, 1, 0]).verdict == "complete"
    X[:, 1] = [0, first * second, 0]
    assert separability(X, [0, 1, 0]).verdict == "complete"
    X[0, 2] = third  # nothing but the row itself
    assert separability(X, [0, 1, 0]).verdict == "complete"

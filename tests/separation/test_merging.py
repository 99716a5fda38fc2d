"""Many classes by pairs: what is proved for groups of classes holds for the classes, in whole numbers."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from exact_oracle import rank
from numpy.typing import NDArray
from portions import rest_in_ci
from scipy import sparse
from verdict_problems import Problem, faults

from discriminant import datasets, separability
from discriminant.separation import merging
from discriminant.separation.search import settle
from discriminant.separation.system import System


def clouds(rng: np.random.Generator, n: int, d: int, c: int, spread: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows with one decimal around the means of classes, some of them far from all others."""
    y = np.arange(n) % c
    return (rng.normal(size=(c, d))[y] + spread * rng.normal(size=(n, d))).round(1), y


def outcome_of(X: Any, y: Any, intercept: bool = True) -> Any:
    return settle(System(X, y.astype(np.int32), int(y.max()) + 1, intercept, "decimal"))


@pytest.mark.parametrize(("intercept", "large"), [(True, 20_000), (False, 20_000), (True, 6)])
def test_groups_have_the_verdict_that_the_oracle_finds_for_the_classes(
    intercept: bool, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "LARGE", large)
    merged, whole = 0, 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        X, y = clouds(rng, 36, 2, int(rng.integers(3, 7)), float(rng.choice([0.2, 0.4, 0.8])))
        X = sparse.csr_matrix(X) if seed % 4 == 0 else X
        outcome = outcome_of(X, y, intercept)
        merged += outcome.merged is not None
        whole += outcome.verdict == "overlap" and outcome.merged is None
        assert faults(Problem(X, y, {"intercept": intercept}))[1] == []
    assert merged > 4
    assert whole > 0


@pytest.mark.parametrize("spread", [0.3, 0.5, 1.0])
def test_the_face_of_the_groups_is_one_of_the_classes(spread: float, rng: np.random.Generator) -> None:
    X, y = clouds(rng, 120, 2, 8, spread)
    face = outcome_of(X, y).face
    span = face.system.matrix(face.span)
    assert rank(span) == len(span) == face.system.n_columns - len(face.vectors)
    assert separability(X, y).certificate.verify(X, y, method="plain")


def collinear(X: NDArray[Any]) -> NDArray[Any]:
    """With columns that depend on the others: their sum, a constant, and nothing at all."""
    return np.column_stack([X, X.sum(axis=1).round(1), np.full(len(X), 3), np.zeros(len(X))])


@pytest.mark.parametrize("trials", rest_in_ci([8, 16]))
@pytest.mark.parametrize("intercept", [True, False])
def test_collinear_columns_do_not_keep_classes_from_being_merged(trials: int, intercept: bool) -> None:
    merged, whole = 0, 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        X, y = clouds(rng, 40, 2, int(rng.integers(3, 6)), float(rng.choice([0.3, 0.5, 0.8])))
        X = collinear(X)
        X = sparse.csr_matrix(X) if seed % 4 == 0 else X
        outcome = outcome_of(X, y, intercept)
        face = outcome.face
        assert rank(face.system.matrix(face.span)) == len(face.span) == face.system.n_columns - len(face.vectors)
        merged += outcome.merged is not None
        whole += outcome.verdict == "overlap"
        assert faults(Problem(X, y, {"intercept": intercept}))[1] == []
    assert merged > trials // 5
    assert whole > 0


def test_a_column_that_only_others_have_keeps_two_classes_apart() -> None:
    """What is zero in both classes of a pair may still tell them from each other by way of a third."""
    rng = np.random.default_rng(0)
    X, y = clouds(rng, 60, 2, 3, 3.0)
    X = np.column_stack([X, np.where(y == 2, rng.integers(-3, 4, 60), 0)])
    system = System(X, y.astype(np.int32), 3, True, "decimal")
    pair = settle(merging.pair_of(system, 1, np.flatnonzero(y < 2)))
    assert pair.verdict == "overlap"
    assert not merging.Collinear(system).vanish(pair.face, lambda text, share: None)
    assert faults(Problem(X, y, {}))[1] == []


def test_classes_of_zeros_are_not_merged() -> None:
    """Without an intercept their rows are zero: the others may still lie weakly apart from each."""
    X, y = np.array([[0, 0], [2, -2], [0, 0], [0, 0], [2, -2], [0, 0], [2, -2]]), np.array([3, 3, 0, 2, 1, 0, 3])
    assert outcome_of(X, y, intercept=False).verdict == "quasi"
    assert faults(Problem(X, y, {"intercept": False}))[1] == []


def test_a_class_apart_stays_apart() -> None:
    flowers, kinds = datasets.iris()
    outcome = outcome_of(flowers, np.unique(kinds, return_inverse=True)[1])
    assert outcome.verdict == "quasi"
    assert outcome.merged.groups == [0, 1, 1]
    assert outcome.boundary.tolist() == list(range(50, 150))
    s = separability(flowers, kinds)
    assert {row for row, *_ in s.certificate.relations[0]} <= set(range(50, 150))
    assert s.certificate.verify(flowers, kinds, method="plain")


def test_signs_are_those_found_without_groups(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clouds(rng, 90, 2, 6, 0.4)
    X[y == 5, 0] += 9
    s = separability(X, y)
    assert s.verdict == "quasi"
    assert s._outcome.merged is not None
    monkeypatch.setattr(merging, "NARROW", 0)
    plain = separability(X, y)
    assert plain._outcome.merged is None
    np.testing.assert_array_equal(s.infinite_, plain.infinite_)
    np.testing.assert_array_equal(s.infinite_intercept_, plain.infinite_intercept_)
    np.testing.assert_array_equal(s.separated_pairs, plain.separated_pairs)


def test_no_pair_is_asked_again_and_again() -> None:
    X, y = clouds(np.random.default_rng(0), 60, 2, 12, 0.001)
    asked = []

    def decide(system: System) -> Any:
        asked.append(system)
        return settle(system)

    whole = System(X, y.astype(np.int32), 12, True, "decimal")
    assert merging.by_merging(whole, decide, lambda text, share: None) is None
    assert len(asked) == 13


@pytest.mark.ci
def test_fifty_classes_take_a_second() -> None:
    X, y = clouds(np.random.default_rng(0), 2000, 6, 50, 0.5)
    began = time.process_time()
    s = separability(X, y, progress=False)
    assert s.certificate.verify(X, y)
    assert str(s).startswith("quasi")
    assert time.process_time() - began < 10
    assert len(s.certificate.relations[0]) <= 8

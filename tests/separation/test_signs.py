"""Signs of coefficients: against exact rays, with aliased columns, where floats fail, and when the time is up."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from exact_oracle import rank, separation
from numpy.testing import assert_array_equal
from portions import rest_in_ci
from scipy import sparse

from discriminant import datasets, separability
from discriminant.separation import aliases as _aliases
from discriminant.separation import answer as _answer
from discriminant.separation import signs as _signs
from discriminant.separation.rows import PRIMES
from discriminant.separation.words import lines

Problem = tuple[np.ndarray, np.ndarray, dict[str, Any]]


def tied_problem(rng: np.random.Generator, trial: int) -> Problem:
    """Small whole numbers with ties and dependent columns: classes or counts, with an intercept or not."""
    while True:
        n, d = rng.integers(3, 9), rng.integers(1, 5)
        X = rng.integers(-1, 3, (n, d))
        if d > 1 and trial % 2:
            X[:, -1] = X[:, :-1] @ rng.integers(-1, 2, d - 1) + rng.integers(-1, 2)
        y = rng.integers(0, 3 if trial % 3 == 0 else 2, n)
        if np.unique(y).size == y.max() + 1 > 1:
            family = "poisson" if trial % 7 == 0 else "classes"
            return X, y, {"intercept": bool(trial % 4), "family": family}


def expected(X: np.ndarray, y: np.ndarray, intercept: bool, family: str) -> np.ndarray:
    """The signs of (w0, w) over all rays, a row for each block."""
    signs = np.array(separation(X, y, intercept, family=family).signs)
    return (0 - signs if family == "poisson" else signs).reshape(-1, X.shape[1] + intercept)


def found(s: Any) -> np.ndarray:
    rows = np.atleast_2d(s.infinite_)
    return np.hstack([s.infinite_intercept_.reshape(len(rows), -1), rows])


@pytest.mark.parametrize("fails", [False, True], ids=["floats", "whole numbers"])
def test_signs_are_those_over_all_rays(fails: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The intercept's too; and where no guess in floats succeeds, the search of the verdict finds them."""
    if fails:
        monkeypatch.setattr(_signs.Guess, "against", lambda *_: (_ for _ in ()).throw(RuntimeError("no convergence")))
    seen = set()
    for trial in range(50 if fails else 150):
        X, y, options = tied_problem(rng, trial)
        signs = found(separability(X, y, **options))
        assert_array_equal(signs, expected(X, y, **options))
        seen |= set(np.nan_to_num(signs, nan=9).ravel().tolist())
    assert seen == {-1, 0, 1, 9}


@pytest.mark.parametrize("trials", rest_in_ci([40, 120]))
def test_dropped_columns_leave_the_signs_of_the_smaller_model(trials: int, rng: np.random.Generator) -> None:
    dropped = 0
    for trial in range(trials):
        X, y, options = tied_problem(rng, trial)
        s = separability(X, y, aliased="drop", **options)
        intercept, aliased = options["intercept"], s.aliased_.tolist()
        augmented = np.hstack([np.ones((len(X), int(intercept)), int), X]).T.tolist()
        depends = [rank(augmented[: j + 1]) == rank(augmented[:j]) for j in range(len(augmented))]
        assert aliased == [j - intercept for j, is_so in enumerate(depends) if is_so]
        signs = found(s)
        assert np.isnan(signs[:, depends]).all()
        kept = [j for j in range(X.shape[1]) if j not in aliased]
        if kept:
            assert_array_equal(signs[:, ~np.array(depends)], expected(X[:, kept], y, **options))
        assert s.certificate == separability(X, y, **options).certificate  # the verdict is the same
        dropped += len(aliased)
    assert dropped > trials // 3


def test_all_levels_of_a_factor() -> None:
    """R leaves out the last of them, and holds the others to it; the words say so."""
    level, y = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 1, 1])
    names = ["c=r", "c=g", "c=b"]
    s = separability(np.eye(3)[level], y, feature_names=names)
    assert np.isnan(found(s)).all()
    assert s.aliased_.tolist() == [2]
    assert s.coefficients() == {"intercept": "+inf", "c=r": "-inf", "c=g": "-inf", "c=b": "aliased"}
    assert "  aliased        c=b depends on earlier columns and cannot be estimated; the signs are" in str(s)
    s = separability(np.eye(3)[level], y, feature_names=names, aliased="drop")
    assert_array_equal(found(s), [[1, -1, -1, np.nan]])
    s = separability(np.eye(3)[level], [0, 1, 0, 1, 0, 1], feature_names=names)
    assert s.coefficients()["c=b"] == "aliased"
    assert "finite estimates, not unique ones" in str(s)
    with pytest.raises(ValueError, match="aliased='leave' must be one of 'keep', 'drop'"):
        separability(np.eye(3), [0, 1, 1], aliased="leave")


@pytest.mark.parametrize("kind", ["dense", "csr", "decimals"])
def test_a_level_that_only_a_few_rows_of_many_have(rng: np.random.Generator, kind: str) -> None:
    """Rows beyond those that are looked at first show that its column does not depend on the others."""
    n = 3000
    X = rng.integers(-3, 4, (n, 2))
    rare = np.zeros(n, int)
    rare[[1000, 2000]] = 1
    X = np.c_[X, rare, X.sum(axis=1), 1 - rare]
    y = rng.integers(0, 2, n)
    y[rare == 1] = 1
    stored = {"dense": X, "csr": sparse.csr_array(X.astype(float)), "decimals": X / 10}[kind]
    s = separability(stored, y)
    assert s.verdict == "quasi"
    assert s.aliased_.tolist() == [3, 4]
    ways = s.coefficients()
    assert [ways[name] for name in ("intercept", "x0", "x1", "x2", "x3", "x4")] == [
        "finite", "finite", "finite", "+inf", "aliased", "aliased",
    ]  # fmt: skip


def test_fewer_rows_than_columns(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prime shows that the rows are independent: no elimination in long numbers, which took seconds of a printout."""
    monkeypatch.delattr(_aliases, "rank")
    s = separability(rng.normal(size=(8, 11)), np.arange(8) % 2)
    assert s.verdict == "complete"
    assert s.aliased_.tolist() == [7, 8, 9, 10]


def test_columns_that_depend_modulo_primes_only() -> None:
    X = np.zeros((4, 3), np.int64)
    X[:, 0] = [0, 1, 2, 3]
    X[1, 1] = PRIMES[0]
    X[2, 2] = PRIMES[1]
    s = separability(X, [0, 1, 0, 1])
    assert s.aliased_.size == 0
    assert_array_equal(found(s), expected(X, np.array([0, 1, 0, 1]), True, "classes"))


@pytest.mark.parametrize("offset", [0.0, 1e9, 1e-9])
def test_signs_beside_large_offsets(offset: float, rng: np.random.Generator) -> None:
    for trial in range(1, 40, 2):
        X, y, options = tied_problem(rng, trial)
        moved = X + offset if offset else X * 1e-200
        assert_array_equal(found(separability(moved, y, **options)), expected(moved, y, **options))


def test_known_intercepts() -> None:
    """The patients' infinite coefficient leaves the intercept alone; turned around, the intercept goes with it."""
    patients = datasets.endometrial()
    s = separability(*patients, feature_names=patients.feature_names)
    assert s.coefficients() == {"intercept": "finite", "NV": "+inf", "PI": "finite", "EH": "finite"}
    X = patients.X.copy()
    X[:, 0] = 1 - X[:, 0]
    assert_array_equal(found(separability(X, patients.y)), [[1, -1, 0, 0]])
    assert separability(X, patients.y, intercept=False).infinite_intercept_.size == 0


def test_the_time_of_a_printout_is_limited(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.repeat(np.arange(6), 12)
    X = (3 * rng.normal(size=(6, 4))[y] + rng.normal(size=(72, 4))).round(1)
    s = separability(X, y)
    assert s.verdict != "overlap"
    monkeypatch.setattr(_answer, "ASKED", 0.0)
    assert np.isnan(s.infinite_).all()
    assert set(s.coefficients(0.0).values()) == {"not computed"}
    began = time.process_time()
    ways = s.coefficients()
    assert "not computed" not in ways.values()
    assert s._signs.spent > 0
    assert s.coefficients(0.0) == ways  # what is known stays
    assert time.process_time() - began < 20


def test_many_classes_print_in_time(rng: np.random.Generator) -> None:
    """20 classes of 40 rows and 6 features: over 100 s when each sign was searched for by itself."""
    y = np.repeat(np.arange(20), 40)
    X = rng.normal(size=(800, 6)).round(2)
    X[:, 0] = y == 3  # alone in its column
    s = separability(X, y)
    assert s.verdict == "quasi"
    began = time.process_time()
    text = "\n".join(lines(s, seconds=60.0))  # the processor's time counts here, whatever else it does
    assert time.process_time() - began < 2
    assert "x0 of 3 +inf" in text

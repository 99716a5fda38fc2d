"""The fewest removals: known answers, brute force, bounds that hold, what is left really separates, early ends."""

from __future__ import annotations

import os
import signal
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from portions import rest_in_ci
from scipy import sparse
from scipy.optimize import linprog

from discriminant import Hyperplane, LinearMachine, Removals, augment, datasets, kesler, minimum_removals
from discriminant._engine.driver import Watch
from discriminant.linear_programming import removals
from discriminant.linear_programming.inequalities import inequalities


def separable(X: Any, y: Any, c: int, intercept: bool = True) -> bool:
    """By another interface: whether some a has a'y >= 1 on all of Kesler's rows."""
    if not len(X):
        return True
    Y = augment(X) if intercept else np.asarray(X)
    pairs = [(i, j) for i in range(len(Y)) for j in range(c) if j != y[i]]
    rows = [np.kron(np.eye(c)[y[i]] - np.eye(c)[j], Y[i]) for i, j in pairs]
    return bool(linprog(np.zeros(len(rows[0])), -np.array(rows), -np.ones(len(rows)), bounds=(None, None)).success)


def brute_force(X: Any, y: Any, c: int, intercept: bool = True) -> int:
    """Try all sets, the smaller ones first."""
    n = len(X)
    for size in range(n + 1):
        for removed in combinations(range(n), size):
            rest = np.setdiff1d(np.arange(n), removed)
            if separable(X[rest], y[rest], c, intercept):
                return size
    raise AssertionError("without any pattern nothing is left to separate")


def check(found: Removals, X: Any, y: Any) -> None:
    """What is left is separated by the plane or the machine that comes with it, strictly."""
    rest = np.setdiff1d(np.arange(len(y)), found.rows)
    classes = np.unique(y)
    X = X.toarray() if sparse.issparse(X) else np.asarray(X, float)
    if isinstance(found.hyperplane, Hyperplane):
        assert np.all(found.hyperplane.value(X[rest]) * np.where(y[rest] == classes[1], 1, -1) > 0)
    else:
        assert np.all(found.hyperplane.predict(X[rest]) == y[rest])
        assert not found.hyperplane.undecided(X[rest]).any()
    assert found.lower_bound <= found.upper_bound == len(found) == found.rows.size
    assert np.all(np.diff(found.rows) > 0)


@pytest.mark.parametrize(
    ("load", "fewest"),
    [
        (lambda: datasets.table(1, 3), 1),
        (lambda: datasets.table(1, 2), 0),
        (lambda: datasets.table(1, 2, 4), 0),
        (datasets.xor, 1),
        (datasets.inseparable_six, 1),
        (datasets.iris, 1),
        (lambda: (datasets.iris().X[50:], datasets.iris().y[50:]), 1),
        (datasets.breast_cancer, 0),
    ],
    ids=["table 1/3", "table 1/2", "table 1/2/4", "xor", "six", "iris", "iris pair", "breast cancer"],
)
@pytest.mark.parametrize("exact", ["auto", True, False])
def test_known_answers(load: Any, fewest: int, exact: Any) -> None:
    X, y = load()
    found = minimum_removals(X, y, exact=exact)
    assert (found.lower_bound, found.upper_bound, found.exact) == (fewest, fewest, True)
    check(found, X, y)


@pytest.mark.parametrize("trials", rest_in_ci([3, 9]))
@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_brute_force(trials: int, c: int, intercept: bool, rng: np.random.Generator) -> None:
    """Small whole numbers, so that points coincide and lie on lines."""
    for trial in range(trials):
        n = int(rng.integers(5, 9)) if c == 2 else 6
        X, y = rng.integers(-2, 3, (n, 1 + trial % 3)).astype(float), rng.integers(0, c, n)
        y[:c] = np.arange(c)
        found = minimum_removals(X, y, intercept=intercept)
        assert found.exact
        assert len(found) == brute_force(X, y, c, intercept)
        check(found, X, y)
        quick = minimum_removals(X, y, intercept=intercept, exact=False)
        assert quick.lower_bound <= len(found) <= quick.upper_bound
        check(quick, X, y)


def test_labels_that_are_noise_take_many_circuits(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    found, quick = (minimum_removals(X, y, exact=exact) for exact in (True, False))
    assert found.exact
    assert not quick.exact
    assert quick.lower_bound < len(found) <= len(quick)
    check(found, X, y)


def test_no_plane_makes_fewer_errors(rng: np.random.Generator) -> None:
    """In the plane some best line passes as near as one likes to two of the patterns: try them all."""
    X, y = rng.normal(size=(25, 2)), rng.integers(0, 2, 25)
    fewest = len(y)
    for i, j in combinations(range(25), 2):
        normal = np.array([X[j, 1] - X[i, 1], X[i, 0] - X[j, 0]])
        g = (X - X[i]) @ normal
        others = np.setdiff1d(np.arange(25), [i, j])
        for sign in (1, -1):  # a little turn puts the two patterns on the sides that are right for them
            fewest = min(fewest, int(np.sum(sign * g[others] * (2 * y[others] - 1) < 0)))
    assert len(minimum_removals(X, y)) == fewest


def test_the_set_says_what_it_is() -> None:
    found = minimum_removals(*datasets.table(1, 3))
    assert str(found) == (
        "Without 1 pattern (row 12) the rest is linearly separable; no fewer will do "
        "(by covering circuits, proved smallest)."
    )
    assert "none has to be removed" in str(minimum_removals(*datasets.table(1, 2)))
    rng = np.random.default_rng(0)
    quick = minimum_removals(rng.normal(size=(60, 2)), rng.integers(0, 2, 60), exact=False)
    assert "..." in str(quick)
    assert f"at least {quick.lower_bound} must go (by a greedy search)" in str(quick)


def test_the_same_data_give_the_same_answer(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(30, 2)), rng.integers(2, size=30)
    one, other = (minimum_removals(X, y) for _ in range(2))
    assert one.rows.tolist() == other.rows.tolist()


def test_no_pattern_goes_where_only_rounding_says_so() -> None:
    """Gaps that floats of a linear program do not see."""
    for X in ([[1], [1 + 1e-9], [5], [6]], [[2**60], [2**60 + 1], [2**60 + 2], [2**60 + 3]]):
        found = minimum_removals(X, [0, 1, 1, 1])
        assert (len(found), found.lower_bound) == (0, 0)


@pytest.mark.parametrize("c", [2, 3])
def test_dense_and_sparse_and_labels_of_any_kind(c: int, rng: np.random.Generator) -> None:
    X, y = rng.integers(-2, 3, (20, 3)).astype(float), np.arange(20) % c
    dense, csr = minimum_removals(X, y), minimum_removals(sparse.csr_array(X), np.array(list("abc"))[y])
    np.testing.assert_array_equal(dense.rows, csr.rows)
    check(csr, sparse.csr_array(X), np.array(list("abc"))[y])
    assert isinstance(dense.hyperplane, Hyperplane if c == 2 else LinearMachine)
    assert len(minimum_removals(X.astype(np.float32), y)) == len(dense)


@pytest.mark.parametrize(("scale", "offset"), [(1e-150, 0), (1e150, 0), (1, 1e9)])
def test_extreme_scales_and_offsets(scale: float, offset: float) -> None:
    X, y = datasets.table(1, 3)
    X = np.round(8 * X) * scale + offset
    found = minimum_removals(X, y)
    assert (len(found), found.exact) == (1, True)
    check(found, X, y)


def test_points_that_coincide() -> None:
    X, y = np.array([[0.0], [0], [0], [0], [0]]), np.array([0, 1, 0, 1, 0])
    found = minimum_removals(X, y)
    assert (found.rows.tolist(), found.exact) == ([1, 3], True)
    nothing = minimum_removals(X, y, intercept=False)
    assert (len(nothing), nothing.exact) == (5, True)


def test_classes_on_a_line() -> None:
    """A linear machine gives each class one interval; the class in the middle is no obstacle."""
    X, y = np.array([[0.0], [1], [2], [3], [4], [5]]), np.array([0, 0, 1, 1, 2, 2])
    assert len(minimum_removals(X, y)) == 0
    y[5] = 0
    found = minimum_removals(X, y)
    assert (len(found), found.exact) == (1, True)
    rest = np.setdiff1d(np.arange(6), found.rows)
    assert np.all(kesler(X[rest], y[rest]) @ found.hyperplane.weights.ravel() > 0)


class TestEarlyEnds:
    def test_time_limit_leaves_the_best_set_so_far(self, rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
        found = minimum_removals(X, y, exact=True, time_limit=1.0)
        assert not found.exact
        assert 0 < found.lower_bound < found.upper_bound <= 150
        assert "stopped by the time limit" in found.method
        check(found, X, y)

    def test_a_search_for_a_circuit_ends_when_time_is_up(self, rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
        rows = inequalities(X, y, 2, True, Watch())
        search = removals.Removing(rows, X, Watch(), end=np.inf)
        everything = np.ones(200, bool)
        assert search.circuit(everything) is not None
        search.end = 0.0
        assert search.circuit(everything) is None

    def test_no_time_at_all(self, rng: np.random.Generator) -> None:
        X, y = rng.normal(size=(50, 3)), np.arange(50) % 5 // 2
        found = minimum_removals(X, y, time_limit=1e-9)
        assert found.lower_bound == 0
        assert len(found) == 30  # all but the largest class
        check(found, X, y)

    def test_ctrl_c_leaves_the_best_set_so_far(self, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
        cover = removals.Removing.cover

        def interrupted(self: Any) -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            return cover(self)

        monkeypatch.setattr(removals.Removing, "cover", interrupted)
        monkeypatch.setattr("discriminant._engine.driver._last_interrupt", float("-inf"))
        X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
        found = minimum_removals(X, y)
        assert "stopped by Ctrl-C" in found.method
        assert 0 < found.lower_bound < found.upper_bound
        check(found, X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"time_limit": 0}, "time_limit=0"),
        ({"time_limit": "long"}, "time_limit='long'"),
        ({"time_limit": True}, "time_limit=True must be a number > 0; give seconds"),
        ({"exact": "yes"}, "exact='yes' must be one of 'auto', True, False"),
        ({"exact": 1}, "exact=1 must be one of"),
        ({"y": [0, 0, 0, 0]}, "one class"),
        ({"y": [0, 1]}, "inconsistent numbers"),
        ({"X": [[np.nan], [1], [2], [3]]}, "NaN"),
    ],
)
def test_bad_input(parameters: dict[str, Any], message: str) -> None:
    data = {"X": [[0.0], [1], [2], [3]], "y": [0, 1, 0, 1]} | parameters
    with pytest.raises(ValueError, match=message):
        minimum_removals(**data)

"""Exhaustive search: the smallest integer vectors by brute force, where there are none, limits, bad input."""

import itertools

import numpy as np
import pytest
from correction_cases import normalized
from hypothesis import given
from hypothesis import strategies as st

from discriminant import datasets, integer_search
from discriminant.error_correcting import exhaustive
from discriminant.error_correcting.exhaustive import _first_solution


def brute_force(X, y, most):
    """The least r for which some vector of integers up to r separates, with all such vectors."""
    Y = normalized(X, y)
    for r in range(1, most + 1):
        cube = np.array(list(itertools.product(range(-r, r + 1), repeat=Y.shape[1])))
        if np.any(found := np.all(cube @ Y.T > 0, axis=1)):
            return r, cube[found]
    return None, np.empty((0, Y.shape[1]))


@pytest.mark.parametrize(
    ("data", "smallest"),
    [
        (datasets.or_function(), [-1, 2, 2]),
        (datasets.and_function(), [-3, 2, 2]),
        (datasets.boolean("majority", 3), [-3, 2, 2, 2]),
        (datasets.parity(1), [-1, 2]),
    ],
    ids=["or", "and", "majority", "identity"],
)
def test_boolean_functions(data, smallest):
    X, y = data
    a = integer_search(X, y)
    assert a.dtype == np.int64
    assert np.all(normalized(X, y) @ a > 0)
    r, solutions = brute_force(X, y, 4)
    assert np.abs(a).max() == r
    assert a.tolist() == smallest == solutions[0].tolist()  # the first in the order of counting


@pytest.mark.parametrize("data", [datasets.xor(), datasets.parity(3)])
def test_none_for_parity(data):
    assert integer_search(*data, max_weight=4) is None


@given(st.integers(0, 10**6), st.integers(1, 2), st.integers(1, 3))
def test_against_brute_force(seed, d, most):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, (6, d)), np.arange(6) % 2
    r, solutions = brute_force(X, y, most)
    a = integer_search(X, y, max_weight=most)
    if r is None:
        assert a is None
    else:
        assert np.abs(a).max() == r
        assert a.tolist() in solutions.tolist()


def test_a_larger_limit_finds_larger_weights():
    X, y = np.array([[0.0], [6.5], [7.5], [9.0]]), ["near", "near", "remote", "remote"]  # only about x = 7
    assert integer_search(X, y, max_weight=6) is None
    assert integer_search(X, y, max_weight=7).tolist() == [-7, 1]


def test_a_search_in_chunks_finds_the_same(monkeypatch):
    data = datasets.boolean("majority", 3)
    whole = integer_search(*data)
    for size in (1, 7, 1000):
        monkeypatch.setattr(exhaustive, "CHUNK", size)
        np.testing.assert_array_equal(integer_search(*data), whole)


def test_the_compiled_search_is_plain_python():
    Y = normalized(*datasets.and_function())
    for start in (0, 30, 57, 100):
        fast, plain = np.zeros(3), np.zeros(3)
        assert _first_solution(Y, 2, start, 125, 40, fast) == _first_solution.py_func(Y, 2, start, 125, 40, plain)
        np.testing.assert_array_equal(fast, plain)


@pytest.mark.parametrize("max_weight", [0, -1, 1.5, "3", None])
def test_the_limit_is_a_whole_number(max_weight):
    with pytest.raises(ValueError, match=r"max_weight=.* must be .*; give a whole number"):
        integer_search(*datasets.xor(), max_weight=max_weight)


def test_too_many_to_try():
    X = np.eye(12)
    with pytest.raises(ValueError, match=r"max_weight=10 in 12 dimensions makes about 1e17 vectors.*use Perceptron"):
        integer_search(X, np.arange(12) % 2)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[0.0], [1.0]], [1, 1], "y has 1 classes"),
        ([[0.0], [1.0], [2.0]], [0, 1, 2], "y has 3 classes"),
        ([[0.0], [1.0], [2.0]], [0, 1], "2 labels; give one of two for each row"),
        ([[np.nan], [1.0]], [0, 1], "NaN"),
        ([0.0, 1.0], [0, 1], "Expected 2D array"),
        ([["a"], ["b"]], [0, 1], "could not convert string"),
    ],
)
def test_bad_data(X, y, words):
    with pytest.raises(ValueError, match=words):
        integer_search(X, y)

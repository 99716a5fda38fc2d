"""Many classes: Kesler's construction by hand and by linear programming, votes, ambiguous regions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from discriminant import (
    BalancedWinnow,
    GradientDescent,
    KernelPerceptron,
    NewtonDescent,
    Perceptron,
    PiecewiseLinearMachine,
    Relaxation,
    augment,
    datasets,
    kesler,
    normalize,
)
from discriminant.multiclass import ambiguous, n_problems, pairs, pairwise_scores, relabel, votes


def test_kesler_by_hand() -> None:
    rows = kesler([[2, 3], [5, 7], [11, 13]], ["b", "a", "c"])
    assert rows.tolist() == [
        [-1, -2, -3, 1, 2, 3, 0, 0, 0],  # b against a
        [0, 0, 0, 1, 2, 3, -1, -2, -3],  # b against c
        [1, 5, 7, -1, -5, -7, 0, 0, 0],
        [1, 5, 7, 0, 0, 0, -1, -5, -7],
        [-1, -11, -13, 0, 0, 0, 1, 11, 13],
        [0, 0, 0, -1, -11, -13, 1, 11, 13],
    ]


def test_kesler_for_two_classes_repeats_the_normalized_patterns() -> None:
    X, y = datasets.slides_eight()
    Y = normalize(augment(X), y)
    np.testing.assert_array_equal(kesler(X, y), np.hstack([-Y, Y]))


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_shape_and_type(name: str) -> None:
    X, y = datasets.load(name)
    n, d = X.shape
    assert kesler(X, y).shape == (n * 2, 3 * (d + 1))
    assert kesler(X.astype(np.float32), y).dtype == np.float32
    assert kesler(X.astype(np.int64), y).dtype == np.float64


def test_sparse_in_sparse_out_without_stored_zeros() -> None:
    X, y = datasets.digits()
    X, y = X[:50], y[:50]
    rows = kesler(sparse.csr_array(X), y)
    assert rows.format == "csr"
    np.testing.assert_array_equal(rows.toarray(), kesler(X, y))
    assert rows.nnz == 2 * 9 * (np.count_nonzero(X) + 50)  # y and -y, for each of nine rivals
    assert kesler(sparse.coo_matrix(X.astype(np.float32)), y).dtype == np.float32


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"y has 1 class, .*; give two or more"):
        kesler([[1.0], [2.0]], [0, 0])
    for y in ([0, 1, 2], [[0], [1]]):
        with pytest.raises(ValueError, match=r"y has shape .*, expected \(2,\); give one label for each row"):
            kesler([[1.0], [2.0]], y)
    with pytest.raises(ValueError, match=r"X has shape \(2,\); give rows of points"):
        kesler([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match=r"X must hold real numbers .* encode or drop the rest"):
        kesler([["low"], ["high"]], [0, 1])


def separates(rows: Any) -> bool:
    """Whether some a has rows @ a >= 1, by linear programming."""
    n, d = rows.shape
    answer = linprog(np.zeros(d), -rows, -np.ones(n), bounds=(None, None), method="highs")
    assert answer.status in (0, 2)
    return answer.status == 0


@pytest.mark.parametrize(
    ("chosen", "machine"), [((1, 2, 4), True), ((2, 3, 4), True), ((1, 2, 3), False), ((1, 2, 3, 4), False)]
)
def test_separable_by_a_machine_is_separable_after_kesler(chosen: Any, machine: bool) -> None:
    data = datasets.table(*chosen)
    assert data.separable is machine
    assert separates(kesler(*data)) is machine


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 2)), min_size=6, max_size=14))
def test_a_fit_separates_exactly_when_the_linear_program_does(rows: Any) -> None:
    X, y = np.array([row[:2] for row in rows], float), np.array([row[2] for row in rows])
    y[:3] = [0, 1, 2]
    model = Perceptron(max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    if model.status_.name == "SEPARATED":
        assert np.all(kesler(X, y) @ model.weights_.ravel() > 0)
    assert (model.status_.name == "SEPARATED") <= separates(kesler(X, y))
    assert not (model.report_.to_dict()["inseparable"] and separates(kesler(X, y)))


def test_pairs_and_problems() -> None:
    assert pairs(4) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    for c in (2, 3, 7):
        for strategy in ("one-vs-rest", "one-vs-one"):
            assert n_problems(c, strategy) == len(relabel(np.arange(c, dtype=np.int32), c, strategy))
    assert n_problems(5, "kesler") == n_problems(2, "two-category") == 1


def test_relabel() -> None:
    labels = np.array([0, 1, 2, -1, 1], np.int32)  # -1 is a row that is not part of the problem
    rest = relabel(labels, 3, "one-vs-rest")
    assert [z.tolist() for z in rest] == [[1, 0, 0, -1, 0], [0, 1, 0, -1, 1], [0, 0, 1, -1, 0]]
    one = relabel(labels, 3, "one-vs-one")
    assert [z.tolist() for z in one] == [[0, 1, -1, -1, 1], [0, -1, 1, -1, -1], [-1, 0, 1, -1, 0]]
    assert all(z.dtype == np.int32 for z in [*rest, *one])


# Scores of the pairs (0, 1), (0, 2), (1, 2); positive is a vote for the second.
ONE_ONE = np.array([[-1.0, -2, 5], [3, -1, 1], [1, 2, -4], [0, 1, 1], [0, 0, 0], [-2, 3, -1], [-1, 3, -1]])


def test_votes_of_pairs_by_hand() -> None:
    assert votes(ONE_ONE, 3, "one-vs-one").tolist() == [
        [2, 0, 1], [1, 1, 1], [0, 2, 1], [0, 0, 2], [0, 0, 0], [1, 1, 1], [1, 1, 1],
    ]  # fmt: skip
    assert ambiguous(ONE_ONE, 3, "one-vs-one").tolist() == [False, True, False, False, True, True, True]


def test_confidence_orders_equal_votes_only() -> None:
    scores = pairwise_scores(ONE_ONE, 3)
    np.testing.assert_array_equal(np.rint(scores), votes(ONE_ONE, 3, "one-vs-one"))
    assert np.all(np.abs(scores - np.rint(scores)) < 0.5)
    # Row 1: class 0 has -3 + 1, class 1 has 3 - 1, class 2 has -1 + 1.  Row 4: all equal, and the first wins.
    assert scores.argmax(axis=1).tolist() == [0, 1, 1, 2, 0, 2, 2]
    huge = pairwise_scores(np.array([[1e300, -1e300, 1e300]]), 3)
    assert np.all(np.isfinite(huge))
    assert pairwise_scores(ONE_ONE.astype(np.float32), 3).dtype == np.float32


def test_claims_of_one_against_the_rest_by_hand() -> None:
    scores = np.array([[1.0, -1, -1], [-1, -2, -3], [1, 2, -1], [0, -1, 1], [0, 0, 0]])
    assert votes(scores, 3, "one-vs-rest").tolist() == [[1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert ambiguous(scores, 3, "one-vs-rest").tolist() == [False, True, True, False, True]


def test_ties_of_a_linear_machine() -> None:
    scores = np.array([[1.0, 0, -1], [1, 1, 0], [0, 1, 1], [2, 2, 2]])
    assert ambiguous(scores, 3, "kesler").tolist() == [False, True, True, True]


def test_the_ambiguous_regions_of_figure_5_3() -> None:
    """Three classes in a triangle: one against the rest leaves the middle to none and the corners to two."""
    X = np.array([[0.0, 4], [-4, -3], [4, -3]])
    X, y = np.concatenate([X, X + 0.5, X - 0.5]), np.tile([0, 1, 2], 3)
    model = Perceptron(multiclass="one-vs-rest").fit(X, y)
    assert not model.undecided(X).any()
    grid = np.array([[x, z] for x in np.linspace(-40, 40, 41) for z in np.linspace(-40, 40, 41)])
    claims = model.votes(grid).sum(axis=1)
    assert {0, 1, 2} <= set(claims.tolist())
    np.testing.assert_array_equal(model.undecided(grid), claims != 1)
    machine = Perceptron().fit(X, y)
    assert not machine.undecided(grid + 0.01).any()


MANY = [
    (kind, strategy)
    for kind, options in [
        (Perceptron, ("kesler", "one-vs-rest", "one-vs-one")),
        (Relaxation, ("kesler", "one-vs-rest", "one-vs-one")),
        (KernelPerceptron, ("kesler", "one-vs-rest", "one-vs-one")),
        (BalancedWinnow, ("one-vs-rest", "one-vs-one")),
        (GradientDescent, ("one-vs-rest", "one-vs-one")),
        (NewtonDescent, ("one-vs-rest", "one-vs-one")),
        (PiecewiseLinearMachine, (None,)),
    ]
    for strategy in options
]


@pytest.mark.parametrize(("kind", "strategy"), MANY)
@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_the_largest_decision_is_the_prediction(kind: Any, strategy: Any) -> None:
    X, y = datasets.iris()
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    options = {} if strategy is None else {"multiclass": strategy}
    model = kind(max_iter=5, **options).fit(X, names)
    grid = np.random.default_rng(0).normal(X.mean(axis=0), 3, (200, 4))
    decision = model.decision_function(grid)
    assert decision.shape == (200, 3)
    np.testing.assert_array_equal(model.classes_[decision.argmax(axis=1)], model.predict(grid))
    decided = ~model.undecided(grid)
    if strategy == "one-vs-one":
        np.testing.assert_array_equal(decision.argmax(axis=1)[decided], model.votes(grid).argmax(axis=1)[decided])
    assert decided.any()
    two = kind(max_iter=5, **options).fit(X[:100], names[:100])
    assert two.decision_function(grid).shape == (200,)
    np.testing.assert_array_equal(two.predict(grid) == "versicolor", two.decision_function(grid) >= 0)

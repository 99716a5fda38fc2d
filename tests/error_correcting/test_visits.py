"""Kesler's rule, votes of several discriminants, and what a pass has met."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from correction_cases import quietly, table

from discriminant import (
    NotConvergedWarning,
    Perceptron,
    Relaxation,
    Status,
    datasets,
    kesler,
)
from discriminant._engine.driver import Watch
from discriminant._engine.problem import make_problem
from discriminant.error_correcting.corrections import all_errors
from discriminant.error_correcting.visits import PassTotals, count_errors


def strongest_rival(X: Any, y: Any, A: Any, b: float, passes: int, eta: float = 1.0) -> tuple[Any, int]:
    """Kesler's rule on its explicit rows: of a pattern's c-1 rows the one with the least margin, first on ties."""
    rows, c, a, k = kesler(X, y), len(np.unique(y)), A.ravel().copy(), 0
    for _ in range(passes):
        before = k
        for block in rows.reshape(-1, c - 1, rows.shape[1]):
            margins = block @ a
            if margins.min() <= b:
                a, k = a + eta * block[margins.argmin()], k + 1
        if k == before:
            break
    return a.reshape(A.shape), k


@pytest.mark.parametrize("margin", [0.0, 3.0])
def test_the_linear_machine_is_keslers_construction(margin: float) -> None:
    generator = np.random.default_rng(2)
    X, y = generator.integers(-3, 4, (40, 3)).astype(float), generator.integers(0, 4, 40)
    start = generator.integers(-2, 3, (4, 4)).astype(float)
    model = quietly(Perceptron(margin=margin, start=start, max_iter=25, schedule=2.0), X, y)
    A, k = strongest_rival(X, y, start, margin, 25, eta=2.0)
    np.testing.assert_array_equal(model.weights_, A)
    assert model.n_corrections_ == k


def test_the_table_is_separated_by_a_machine_but_not_totally() -> None:
    X, y = datasets.table(1, 2, 4)
    model = Perceptron(max_iter=20_000).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert np.all(kesler(X, y) @ model.weights_.ravel() > 0)
    assert not model.undecided(X).any()
    with pytest.warns(NotConvergedWarning):
        rest = Perceptron(multiclass="one-vs-rest").fit(X, y)
    assert rest.status_ is not Status.SEPARATED
    pairs = Perceptron(multiclass="one-vs-one").fit(X, y)
    assert pairs.status_ is Status.SEPARATED
    assert pairs.score(X, y) == 1


def test_a_batch_machine_adds_all_violators() -> None:
    X, y = datasets.iris()
    model = quietly(Perceptron(batch=True, max_iter=4, record="weights"), X, y)
    rows, a = kesler(X, y), np.zeros(15)
    for k in range(4):
        np.testing.assert_allclose(model.history_["weights"][k].ravel(), a, atol=1e-9)
        margins = (rows @ a).reshape(-1, 2)
        strongest = rows.reshape(-1, 2, 15)[np.arange(len(X)), margins.argmin(axis=1)]
        a = a + strongest[margins.min(axis=1) <= 0].sum(axis=0)


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_one_against_the_rest_is_c_fits() -> None:
    X, y = datasets.iris()
    model = Perceptron(multiclass="one-vs-rest", max_iter=20).fit(X, y)
    alone = [Perceptron(max_iter=20).fit(X, y == label) for label in model.classes_]
    np.testing.assert_array_equal(model.weights_, [fit.weights_ for fit in alone])
    assert model.n_corrections_ == sum(fit.n_corrections_ for fit in alone)
    assert model.n_iter_ == max(fit.n_iter_ for fit in alone)
    np.testing.assert_array_equal(model.history_["errors"], np.concatenate([fit.history_["errors"] for fit in alone]))
    np.testing.assert_array_equal(model.history_["problem"], np.repeat(range(3), [fit.n_iter_ for fit in alone]))
    claims = np.column_stack([fit.decision_function(X) for fit in alone]) > 0
    np.testing.assert_array_equal(model.votes(X), claims)
    np.testing.assert_array_equal(model.undecided(X), claims.sum(axis=1) != 1)


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_one_against_one_is_a_fit_for_each_pair() -> None:
    X, y = datasets.wine()
    model = Perceptron(multiclass="one-vs-one", max_iter=20).fit(X, y)
    counted = np.zeros((len(X), 3), int)
    for p, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        part = (y == i) | (y == j)
        alone = Perceptron(max_iter=20).fit(X[part], y[part])
        np.testing.assert_array_equal(model.weights_[p], alone.weights_)
        g = alone.decision_function(X)
        counted[:, i] += g < 0
        counted[:, j] += g > 0
    np.testing.assert_array_equal(model.votes(X), counted)
    np.testing.assert_array_equal(model.undecided(X), (counted == counted.max(axis=1)[:, None]).sum(axis=1) > 1)
    assert model.decision_function(X).shape == (len(X), 3)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_a_machine_takes_no_votes() -> None:
    model = Perceptron().fit(*datasets.or_function())
    with pytest.raises(ValueError, match="for votes; its largest discriminant decides"):
        model.votes([[0, 0]])


def test_undecided_on_the_plane() -> None:
    model = Perceptron().fit(*datasets.or_function())  # a = (-1, 2, 2)
    assert model.undecided([[0.5, 0], [0, 0.5], [0.5, 0.5], [0, 0]]).tolist() == [True, True, False, False]
    assert model.predict([[0.5, 0]]).tolist() == [1]  # sgn 0 = +1


def test_totals_of_two_passes() -> None:
    both = PassTotals(3, 2, 1, 0.5, 0.25, True).plus(PassTotals(4, 1, 1, 2.0, -1.0, False))
    assert both == (7, 3, 2, 2.5, -1.0, False)
    assert PassTotals().plus(both) == both


def test_errors_are_counted_up_to_what_is_not_finite() -> None:
    X = np.array([[1.0], [2.0], [np.inf], [3.0]])
    problem = make_problem(X, np.array([0, 1, 1, 0], np.int32), None, 2)
    for count in (count_errors, count_errors.py_func):
        assert count(problem.rows, problem.labels, 0, 4, np.array([0.0, 1.0]), 9) == (1, False)
    with pytest.raises(ValueError, match="infinity"):
        all_errors(problem, np.array([0.0, 1.0]), Watch())


def test_all_four_categories_without_margin():
    """Computer exercise 12(a): not separable together, and corrections without margin shrink toward nothing."""
    X, y = table(1, 2, 3, 4)
    start = np.vstack([np.zeros(3), np.eye(3)])
    model = quietly(Relaxation(margin=0, start=start, max_iter=100), X, y)
    assert model.status_ is Status.BUDGET
    assert model.score(X, y) > 0.7
    assert np.linalg.norm(model.weights_) < np.linalg.norm(start)


def test_ambiguous_regions_of_one_against_the_rest():
    """Computer exercise 12(b): where no category or more than one claims a point."""
    X, y = table(1, 2, 3, 4)
    model = quietly(Relaxation(multiclass="one-vs-rest", max_iter=50), X, y)
    grid = np.stack(np.meshgrid(np.linspace(-10, 10, 41), np.linspace(-10, 10, 41)), axis=-1).reshape(-1, 2)
    claims = (grid @ model.coef_.T + model.intercept_ > 0).sum(axis=1)
    np.testing.assert_array_equal(model.undecided(grid), claims != 1)
    assert 0 < np.count_nonzero(claims != 1) < len(grid)
    for category, row in zip(model.classes_, model.weights_, strict=True):
        alone = quietly(Relaxation(max_iter=50), X, y == category)
        np.testing.assert_allclose(row, alone.weights_, rtol=1e-12)

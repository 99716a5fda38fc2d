"""Least squares, Fisher and ridge from blocks of rows: the answers of fit."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import FisherDiscriminant, LeastSquares, LeastSquaresRegressor, RidgeRegressor
from discriminant._blocks.memory import MemoryBlocks


def classes_of(rng, n=3000, d=6, c=2, far=0.0):
    X = rng.normal(size=(n, d)) + far
    y = np.array(["a", "b", "c", "d"])[rng.integers(0, c, n)]
    X[y == "b", 0] += 1
    return X, y, rng.uniform(0, 2, n).round()


@pytest.mark.parametrize("c", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        LeastSquares(),
        LeastSquares(targets="fisher"),
        LeastSquares(targets="posterior"),
        FisherDiscriminant(),
        FisherDiscriminant(within="equal", shrinkage=0.1, threshold="midpoint"),
    ],
    ids=str,
)
def test_classifiers_on_blocks_are_those_in_memory(model, weighted, c, rng):
    X, y, weight = classes_of(rng, c=c)
    weight = weight if weighted else None
    y[:70], blocks_y = "a", y  # the first block has one class
    kept = type(model)(**model.get_params()).fit(X, y, weight)
    made = model.fit_stream(MemoryBlocks(X, blocks_y, weight, rows=64))
    np.testing.assert_allclose(made.weights_, kept.weights_, rtol=1e-9, atol=1e-11)
    assert made.classes_.tolist() == kept.classes_.tolist()
    assert made.status_ is kept.status_
    assert made.report_.to_dict()["n_samples"] == 3000
    assert list(made.history_) == list(kept.history_)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("model", [LeastSquaresRegressor(), RidgeRegressor(3.0)], ids=str)
def test_regressors_on_blocks_are_those_in_memory(model, make, rng):
    X = rng.normal(size=(1000, 5))
    t, weight = X @ np.arange(5) + rng.normal(size=1000), rng.uniform(0, 2, 1000).round()
    kept = type(model)(**model.get_params()).fit(make(X), t, weight)
    made = model.fit_stream(MemoryBlocks(make(X), t, weight, rows=77))
    np.testing.assert_allclose(made.weights_, kept.weights_, rtol=1e-10, atol=1e-12)
    assert made.report_.to_dict()["details"]["criterion value"] == pytest.approx(
        kept.report_.to_dict()["details"]["criterion value"], rel=1e-9
    )


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_dependent_columns_and_few_rows_give_the_shortest_answer(alpha, rng):
    X = rng.normal(size=(300, 4)) + 1e3
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(300, 7.0)])
    t = X[:, 0] + rng.normal(size=300)
    for rows in (300, 5):
        model = RidgeRegressor(alpha) if alpha else LeastSquaresRegressor()
        kept = type(model)(**model.get_params()).fit(X[:rows], t[:rows])
        made = model.fit_stream(MemoryBlocks(X[:rows], t[:rows], rows=40))
        np.testing.assert_allclose(made.predict(X[:rows]), kept.predict(X[:rows]), rtol=1e-9)
        np.testing.assert_allclose(made.weights_, kept.weights_, rtol=1e-6, atol=1e-8)


def test_features_far_from_zero_keep_their_digits(rng):
    X, y, _ = classes_of(rng, far=1e6)
    kept = LeastSquares().fit(X, y)
    made = LeastSquares().fit_stream(MemoryBlocks(X, y, rows=100))
    np.testing.assert_allclose(made.coef_, kept.coef_, atol=1e-9)


def test_names_of_columns_are_kept(rng):
    X, y, _ = classes_of(rng, n=50, d=2)
    made = LeastSquares().fit_stream(MemoryBlocks(X, y, names=["height", "width"]))
    assert made.feature_names_in_.tolist() == ["height", "width"]


def test_what_needs_all_rows_says_why():
    assert not hasattr(FisherDiscriminant(shrinkage="auto"), "fit_stream")
    for model, reason in [
        (LeastSquares(targets=[1.0, 2.0]), "a margin for each row"),
        (FisherDiscriminant(shrinkage="auto"), "all patterns of a class"),
        (RidgeRegressor(kernel="gaussian"), "one weight for each row"),
    ]:
        with pytest.raises(AttributeError, match=reason):
            _ = model.fit_stream


def test_a_refused_block_leaves_the_model_as_it_was(rng):
    X, y, _ = classes_of(rng, n=90)
    model = LeastSquares().fit(X, y)
    before = model.weights_.copy()
    X = X.copy()
    X[70, 2] = np.inf
    with pytest.raises(ValueError, match="rows 50 to 89: X contains infinity, first in row 20, column 2"):
        model.fit_stream(MemoryBlocks(X, y, rows=50))
    np.testing.assert_array_equal(model.weights_, before)

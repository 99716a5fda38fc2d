"""Rules that pass over blocks of rows: the corrections of fit, in the same order."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import (
    BalancedWinnow,
    HoKashyap,
    KernelPerceptron,
    MinOver,
    MultilayerPerceptron,
    NotConvergedWarning,
    Perceptron,
    RecursiveLeastSquares,
    Relaxation,
    WidrowHoff,
    WidrowHoffRegressor,
)
from discriminant._blocks.memory import MemoryBlocks

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def rows_of(rng, n=600, d=4, c=2):
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, c))).argmax(axis=1), rng.integers(0, 3, n).astype(float)


BITWISE = [
    Perceptron(margin=0.1),
    Perceptron(schedule="1/k", max_iter=5),
    Perceptron(average=True, max_iter=7),
    Perceptron(bias="radius", max_iter=5),
    Perceptron(multiclass="one-vs-rest", max_iter=9),
    Perceptron(class_weight="balanced", max_iter=4),
    Relaxation(max_iter=8),
    Relaxation(multiclass="one-vs-one", max_iter=8),
    BalancedWinnow(max_iter=6),
    WidrowHoff(schedule=0.01, max_iter=4),
    RecursiveLeastSquares(),
    RecursiveLeastSquares(max_iter=2, forgetting=0.999),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("model", BITWISE, ids=str)
def test_single_sample_rules_have_the_bits_of_fit(model, c, weighted, rng):
    X, y, weight = rows_of(rng, c=c)
    weight = weight if weighted else None
    kept = type(model)(**model.get_params()).fit(X, y, weight)
    made = type(model)(**model.get_params()).fit_stream(MemoryBlocks(X, y, weight, rows=97))
    np.testing.assert_array_equal(made.weights_, kept.weights_)
    assert (made.status_, made.n_iter_, made.n_corrections_) == (kept.status_, kept.n_iter_, kept.n_corrections_)
    for name in ("errors", "corrections"):
        np.testing.assert_array_equal(made.history_[name], kept.history_[name])
    np.testing.assert_allclose(made.history_["criterion"], kept.history_["criterion"])
    assert made.report_.to_dict()["n_samples"] == 600


CLOSE = [
    WidrowHoff(schedule="rls", max_iter=4),
    Perceptron(batch=True, max_iter=20),
    Relaxation(batch=True, max_iter=20),
    Relaxation(batch=True, eta=1e-4, max_iter=20),
    WidrowHoff(max_iter=5),
    WidrowHoff(batch=True, max_iter=50),
    WidrowHoff(batch=True, schedule="optimal", tol=1e-8),
]


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("model", CLOSE, ids=str)
def test_sums_over_all_rows_agree_but_for_rounding(model, make, rng):
    X, y, weight = rows_of(rng)
    kept = type(model)(**model.get_params()).fit(make(X), y, weight)
    made = type(model)(**model.get_params()).fit_stream(MemoryBlocks(make(X), y, weight, rows=97))
    np.testing.assert_allclose(made.weights_, kept.weights_, rtol=1e-9, atol=1e-11)
    assert (made.status_, made.n_iter_) == (kept.status_, kept.n_iter_)


@pytest.mark.parametrize("options", [{"schedule": 0.01, "max_iter": 3}, {"batch": True, "tol": 1e-8}], ids=str)
def test_the_regressor_agrees(options, rng):
    X, _, weight = rows_of(rng)
    t = X @ np.arange(4) + rng.normal(size=600)
    kept = WidrowHoffRegressor(**options).fit(X, t, weight)
    made = WidrowHoffRegressor(**options).fit_stream(MemoryBlocks(X, t, weight, rows=97))
    np.testing.assert_allclose(made.weights_, kept.weights_, rtol=1e-9)
    assert made.status_ is kept.status_


def test_integers_prove_a_cycle_as_in_memory():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    kept, made = Perceptron().fit(X, y), Perceptron().fit_stream(MemoryBlocks(X, y, rows=3))
    assert made.report_.to_dict()["inseparable"]
    assert made.report_.to_dict()["notes"] == kept.report_.to_dict()["notes"]


def test_an_overflow_names_its_block(rng):
    X, y, _ = rows_of(rng, n=60)
    X[45] = 1e200
    with pytest.raises(ValueError, match="rows 40 to 59: X overflows"):
        Relaxation().fit_stream(MemoryBlocks(X, y, rows=20))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Perceptron(pocket=True), "pocket=True"),
        (Perceptron(order="random"), "shuffle"),
        (Perceptron(slack=1.0), "slack=1.0"),
        (WidrowHoff(dual=True), "dual=True"),
        (MinOver(), "all rows at once"),
        (KernelPerceptron(), "weights belong to rows"),
        (MultilayerPerceptron(order="cyclic"), "partial_fit"),
        (HoKashyap(margin=np.ones(3)), "margin has a number for each row"),
    ],
    ids=str,
)
def test_what_needs_all_rows_has_no_such_method(model, reason):
    assert not hasattr(model, "fit_stream")
    with pytest.raises(AttributeError, match=reason):
        _ = model.fit_stream


def test_what_did_not_finish_warns(rng):
    X, y, _ = rows_of(rng)
    with pytest.warns(NotConvergedWarning):
        Perceptron(max_iter=1).fit_stream(MemoryBlocks(X, y, rows=97))


def test_arrays_are_no_stream(rng):
    X, _, _ = rows_of(rng, n=10)
    with pytest.raises(ValueError, match=r"stream='ndarray' must be what discriminant\.io\.stream gives"):
        Perceptron().fit_stream(X)
    with pytest.raises(ValueError, match="every=-1 must be a number >= 0"):
        Perceptron().fit_stream(X, every=-1)

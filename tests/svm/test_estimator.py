"""Support vector machines: worked numbers, optimality by the tests' own arithmetic, oracles, equivalences."""

from __future__ import annotations

import gc
import pickle
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from portions import rest_in_ci
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC
from svm_cases import KERNELS, Rng, check_optimal, dual_values, every_kernel, gram, overlapping, press_in_fit, svc

from discriminant import (
    FitInterruptedWarning,
    NotConvergedWarning,
    NotSeparableError,
    Status,
    SupportVectorMachine,
    bounds,
    datasets,
    mercer,
    separability,
)

COSTS = [0.01, 1.0, 100.0, 1e4]


every_cost = pytest.mark.parametrize("C", COSTS)


# The worked numbers -------------------------------------------------------------------------------------------------


def test_example_10():
    dataset = datasets.svm_three()
    model = SupportVectorMachine(C=np.inf).fit(*dataset)
    assert_allclose(model.coef_, [[2 / 5, 1 / 5]], atol=1e-10)
    assert_allclose(model.intercept_, [-2], atol=1e-10)
    assert_allclose(model.alpha_, [1 / 10, 0, 1 / 10], atol=1e-10)
    assert_allclose((model.margin_, model.width_), (5**0.5, 2 * 5**0.5), rtol=1e-12)
    assert model.alpha_[1] == 0  # on its support plane, and no support vector
    assert_array_equal(model.support_, [0, 2])
    assert_allclose(model.decision_function(dataset.X), [-1, -1, 1], atol=1e-12)
    assert (model.status_, model.gap_ < 1e-12) == (Status.SEPARATED, True)


@pytest.mark.parametrize("kernel", [mercer.Polynomial(degree=1, coef0=0), lambda X, Z: X @ Z.T])
def test_example_10_by_the_dual(kernel: Any):
    dataset = datasets.svm_three()
    model = SupportVectorMachine(C=np.inf, kernel=kernel).fit(*dataset)
    assert_allclose(model.alpha_, dataset.alpha, atol=1e-10)
    assert_allclose(model.intercept_, [-2], atol=1e-9)


def test_scikit_learn_gets_three_digits_of_example_10():
    """What the page says; if it no longer holds, the page must change."""
    X, y = datasets.svm_three()
    theirs = SVC(C=1e10, kernel="linear").fit(X, y)
    error = max(abs(theirs.coef_ - [0.4, 0.2]).max(), abs(theirs.intercept_[0] + 2))
    assert 1e-4 < error < 1e-2


def test_problem_29():
    dataset = datasets.margin_six()
    model = SupportVectorMachine(C=np.inf).fit(*dataset)
    assert_allclose(model.weights_, [-3, 2, 2], atol=1e-10)
    assert_allclose(model.margin_, 2**0.5 / 4, rtol=1e-12)
    t = model.alpha_[5]
    assert 0 <= t <= 2
    assert_allclose(model.alpha_, dataset.alpha + t * dataset.alpha_direction, atol=1e-10)
    assert_allclose(model.alpha_.sum() / 2, dataset.dual_value, rtol=1e-12)
    assert_allclose(model.report_.to_dict()["details"]["criterion value"], 4, rtol=1e-12)


def test_example_2(rng: Rng):
    dataset = datasets.xor_signed()
    model = SupportVectorMachine(C=np.inf, kernel=mercer.Polynomial(degree=2)).fit(*dataset)
    assert_allclose(model.alpha_, 1 / 8, atol=1e-10)
    assert_allclose(model.margin_, 2**0.5, rtol=1e-10)
    X = rng.normal(size=(50, 2))
    assert_allclose(model.decision_function(X), X.prod(axis=1), atol=1e-9)
    assert model.status_ is Status.SEPARATED
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("kernel", ["linear", mercer.Polynomial(degree=1)])
def test_hard_margin_leaves_rows_without_weight_out(kernel: Any):
    X, y = datasets.table(3, 2)
    wrong, weight = 1 - y[:4], np.append(np.ones(20), np.zeros(4))
    plain = SupportVectorMachine(C=np.inf, kernel=kernel).fit(X, y)
    model = SupportVectorMachine(C=np.inf, kernel=kernel).fit(np.vstack([X, X[:4]]), np.append(y, wrong), weight)
    assert_allclose(model.decision_function(X), plain.decision_function(X), rtol=1e-7)
    assert np.all(model.alpha_[20:] == 0)


def test_hard_margin_of_many_classes():
    X, y = datasets.table(1, 2, 4)
    model = SupportVectorMachine(C=np.inf).fit(X, y)
    assert model.status_ is Status.SEPARATED
    for p, pair in enumerate(combinations((1, 2, 4), 2)):
        rows = np.isin(y, pair)
        assert_allclose(model.margin_[p], float(separability(X[rows], y[rows]).margin), rtol=1e-9)
    assert model.score(X, y) == 1


# Optimality on random problems --------------------------------------------------------------------------------------


KINDS: list[dict[str, Any]] = [
    {"loss": loss, "kernel": kernel} for loss in ("hinge", "squared_hinge") for kernel in KERNELS.values()
]


@pytest.mark.parametrize("seed", rest_in_ci(range(200), 60))
def test_optimality_on_random_problems(seed: int):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 60)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) if seed % 3 else rng.integers(-3, 4, size=(n, d)).astype(float)
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    y[:2] = 0, 1
    weight = rng.uniform(0.2, 3, size=n) if seed % 2 else None
    C = float(10 ** rng.uniform(-2, 4))
    options = KINDS[seed % len(KINDS)]
    model = SupportVectorMachine(C, **options).fit(X, y, weight)
    assert model.status_ is Status.CONVERGED
    check_optimal(model, X, y, weight)


# scikit-learn -------------------------------------------------------------------------------------------------------


@every_kernel
@every_cost
@pytest.mark.parametrize("weighted", rest_in_ci([True, False]))
def test_dual_value_is_that_of_svc(kernel: Any, C: float, weighted: bool, rng: Rng):
    X, y = overlapping(rng)
    weight = rng.uniform(0.3, 3, size=len(y)) if weighted else None
    model, theirs = SupportVectorMachine(C, kernel=kernel).fit(X, y, weight), svc(kernel, C, X, y, weight)
    K = gram(kernel, X)
    ours, other = dual_values(model, K)[0], dual_values(theirs, K)[0]
    assert ours >= other * (1 - 1e-8)
    assert_allclose(ours, other, rtol=1e-4)
    assert_array_equal(model.predict(X), theirs.predict(K))


@every_kernel
@every_cost
@pytest.mark.parametrize("weighted", [False, True])
def test_one_vs_one_is_that_of_svc(kernel: Any, C: float, weighted: bool, rng: Rng):
    X, y = overlapping(rng, 75, 4, 3)
    weight = rng.uniform(0.3, 3, size=len(y)) if weighted else None
    model, theirs = SupportVectorMachine(C, kernel=kernel).fit(X, y, weight), svc(kernel, C, X, y, weight)
    K = gram(kernel, X)
    ours, other = np.array(dual_values(model, K)), np.array(dual_values(theirs, K))
    assert np.all(ours >= other * (1 - 1e-8))
    assert_allclose(ours, other, rtol=1e-4)
    assert model.dual_coef_.shape[0] == theirs.dual_coef_.shape[0] == 2


@every_kernel
@every_cost
def test_one_vs_rest_is_svc_on_each_class(kernel: Any, C: float, rng: Rng):
    X, y = overlapping(rng, 75, 4, 3)
    model = SupportVectorMachine(C, kernel=kernel, multiclass="one-vs-rest").fit(X, y)
    K = gram(kernel, X)
    assert model.alpha_.shape == (75, 3)
    assert model.dual_coef_.shape == (3, model.support_.size)
    for k in range(3):
        beta = np.zeros(75)
        beta[model.support_] = model.dual_coef_[k]
        theirs = svc(kernel, C, X, (y == k).astype(int))
        assert_allclose(np.abs(beta).sum() - beta @ K @ beta / 2, dual_values(theirs, K)[0], rtol=1e-4)
        assert_allclose(model.decision_function(X)[:, k], K @ beta + model.intercept_[k], atol=1e-6 * max(1, C))


def test_many_rows_with_weights_are_those_of_fewer_rows(rng: Rng):
    X, y = overlapping(rng, 900)
    weight = rng.integers(1, 4, size=900)
    large = SupportVectorMachine(0.1, tol=1e-7).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    small = SupportVectorMachine(0.1).fit(X, y, weight)
    assert_allclose(large.weights_, small.weights_, rtol=1e-3, atol=1e-4)
    criterion = [m.report_.to_dict()["details"]["criterion value"] for m in (large, small)]
    assert_allclose(*criterion, rtol=1e-6)


@every_kernel
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_weights_of_classes_are_costs(kernel: Any, loss: str, rng: Rng):
    X, y = overlapping(rng, 63, 4, 3)
    names = np.array(["a", "b", "c"])[y]
    v = rng.uniform(0.5, 2, size=63)
    v[:5] = 0
    for given, factors in (({"a": 3.0, "c": 0.5}, [3.0, 1.0, 0.5]), ("balanced", 1 / np.bincount(y, v))):
        weight = v * np.asarray(factors)[y] * (v.sum() / 3 if given == "balanced" else 1)
        one = SupportVectorMachine(kernel=kernel, loss=loss, class_weight=given).fit(X, names, v)
        other = SupportVectorMachine(kernel=kernel, loss=loss).fit(X, names, weight)
        assert_allclose(one._scores(X), other._scores(X), rtol=1e-6, atol=1e-6)
    theirs = SVC(kernel="linear", class_weight="balanced", tol=1e-8).fit(X, names)
    ours = SupportVectorMachine(class_weight="balanced").fit(X, names)
    assert_allclose(ours.coef_, -theirs.coef_, atol=1e-4)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("even", "class_weight='even'"),
        (2, "class_weight=2 must be a dict"),
        ({9: 1.0}, "names 9"),
        ({1: 0.0}, "give weights > 0"),
    ],
)
def test_weights_of_classes_that_make_no_sense(given: Any, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        SupportVectorMachine(class_weight=given).fit(*datasets.table(1, 3))


def test_bound_of_support_vectors(rng: Rng):
    X, y = overlapping(rng)
    model = SupportVectorMachine().fit(X, y)
    assert bounds.support_vector(model) == model.support_.size / 60
    with pytest.raises(ValueError, match="two-class"):
        bounds.support_vector(SupportVectorMachine().fit(*datasets.table()))


# Equivalences -------------------------------------------------------------------------------------------------------


@every_kernel
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_dense_is_csr(kernel: Any, loss: str, rng: Rng):
    X, y = overlapping(rng, 60, 3, 3)
    X[np.abs(X) < 0.3] = 0
    one = SupportVectorMachine(kernel=kernel, loss=loss).fit(X, y)
    other = SupportVectorMachine(kernel=kernel, loss=loss).fit(sparse.csr_array(X), y)
    assert_allclose(one.alpha_, other.alpha_, atol=1e-6)
    assert_allclose(one.decision_function(X), other.decision_function(sparse.csr_array(X)), atol=1e-6)
    assert_array_equal(one.support_, other.support_)
    assert_allclose(other.support_vectors_.toarray(), one.support_vectors_)


def test_repeated_entries_are_summed():
    X, y = datasets.table(1, 3)
    twice = sparse.csr_array(
        (np.repeat(X / 2, 2, axis=1).ravel(), np.tile([0, 0, 1, 1], 20), 4 * np.arange(21)), (20, 2)
    )
    for kernel in ("linear", "gaussian"):
        one, other = (SupportVectorMachine(kernel=kernel).fit(data, y) for data in (X, twice))
        assert_allclose(one.alpha_, other.alpha_, atol=1e-7)
    assert not twice.has_canonical_format


@every_kernel
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_label_swap_negates(kernel: Any, C: float):
    X, y = datasets.table(3, 2)
    one, other = (SupportVectorMachine(C, kernel=kernel).fit(X, labels) for labels in (y, 1 - y))
    assert_allclose(one.decision_function(X), -other.decision_function(X), atol=1e-7)
    assert_allclose(one.alpha_, other.alpha_, rtol=1e-5, atol=1e-7)


@every_kernel
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_weight_two_is_two_rows(kernel: Any, loss: str, rng: Rng):
    X, y = overlapping(rng)
    weight = rng.integers(0, 3, size=60)
    one = SupportVectorMachine(kernel=kernel, loss=loss).fit(X, y, weight)
    other = SupportVectorMachine(kernel=kernel, loss=loss).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-6)
    assert np.all(one.alpha_[weight == 0] == 0)
    assert_allclose(one.margin_, other.margin_, rtol=1e-6)


def test_feature_permutation_permutes(rng: Rng):
    X, y = overlapping(rng)
    one, other = SupportVectorMachine().fit(X, y), SupportVectorMachine().fit(X[:, [2, 0, 1]], y)
    assert_allclose(one.coef_[:, [2, 0, 1]], other.coef_, atol=1e-8)


def test_degenerate_data():
    for X, y in (
        ([[1.0], [3.0]], [0, 1]),
        ([[0.0, 5.0], [0.0, 5.0], [1.0, 5.0], [1.0, 5.0]], [0, 0, 1, 1]),
        ([[1.0, 1.0], [1.0, 1.0]], [0, 1]),
        ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [0, 1, 1]),
    ):
        for options in ({}, {"loss": "squared_hinge"}, {"intercept": "augmented"}, {"kernel": "gaussian"}):
            model = SupportVectorMachine(10.0, **options).fit(np.array(X), y)
            assert model.status_ is Status.CONVERGED
            assert np.all(np.isfinite(model.decision_function(np.array(X))))
    model = SupportVectorMachine(C=np.inf).fit([[1.0], [3.0]], ["a", "b"])
    assert_allclose(model.weights_, [-2, 1])


def test_the_data_are_left_alone(rng: Rng):
    X, y = overlapping(rng)
    kept = X.copy()
    for options in ({}, {"loss": "squared_hinge"}, {"kernel": "gaussian"}, {"C": 1e3}):
        SupportVectorMachine(**options).fit(X, y)
    K = gram("gaussian", X)
    again = K.copy()
    SupportVectorMachine(kernel="precomputed").fit(K, y)
    SupportVectorMachine(kernel="precomputed", loss="squared_hinge").fit(K, y)
    assert_array_equal(X, kept)
    assert_array_equal(K, again)


@pytest.mark.parametrize("options", [{}, {"kernel": "gaussian"}, {"C": np.inf}, {"probability": True}])
def test_clone_and_pickle(options: dict[str, Any]):
    X, y = datasets.table(3, 2)
    model = SupportVectorMachine(**options).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert str(again.report_) == str(model.report_)
    copy = clone(again)
    assert not hasattr(copy, "alpha_")
    assert_array_equal(copy.fit(X, y).alpha_, model.alpha_)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_interrupt_before_the_first_step_tells_the_criterion_at_zero(
    kernel: str, loss: str, monkeypatch: pytest.MonkeyPatch, rng: Rng
):
    X, y = overlapping(rng, 1100)
    press_in_fit(monkeypatch, 1)
    with pytest.warns(FitInterruptedWarning):
        model = SupportVectorMachine(3.0, kernel=kernel, loss=loss).fit(X, y)
    assert model.report_.to_dict()["details"]["criterion value"] == pytest.approx(3300)  # every slack is one
    assert model.gap_ == 1
    assert model.margin_ == np.inf
    assert "Ctrl-C came before the first step" in str(model.report_)


# hard numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("C", [1.0, 1e10])
def test_the_report_of_many_classes_is_that_of_the_model(C: float, multiclass: str, rng: Rng):
    X, y = overlapping(rng, 90, 3, 3)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        model = SupportVectorMachine(C, multiclass=multiclass).fit(X, y)
    details = model.report_.to_dict()["details"]
    assert details["support vectors"] == model.support_.size
    assert details["smallest margin"] == model.margin_.min()
    assert details["largest duality gap"] == model.gap_ >= 0
    assert not {"margin", "duality gap", "KKT violation", "rounds"} & set(details)


# Parameters ---------------------------------------------------------------------------------------------------------


BAD: list[tuple[dict[str, Any], str]] = [
    ({"C": 0}, "C=0 must be .*inf for the hard margin"),
    ({"C": -1.0}, r"C=-1\.0 must be "),
    ({"C": float("nan")}, "C=nan must be "),
    ({"C": -np.inf}, "C=-inf must be "),
    ({"C": "1"}, "C='1' must be "),
    ({"kernel": "rbff"}, "kernel='rbff' must be one of .* did you mean 'rbf'"),
    ({"kernel": mercer.Gaussian}, "kernel=<class .*Gaussian.*a kernel such as Gaussian"),
    ({"kernel": "precomputed"}, r"shape \(20, 2\).*square"),
    ({"kernel": "gaussian", "cache_size": 1e-5}, "must be at least .* for two kernel rows of 20 patterns"),
    ({"kernel": "gaussian", "cache_size": 0}, "cache_size=0 must be "),
    ({"loss": "log"}, "loss='log' must be one of"),
    ({"intercept": "none"}, "intercept='none' must be one of"),
    ({"intercept": "augmented", "kernel": "gaussian"}, "'augmented' must be 'free' unless"),
    ({"tol": 0}, "tol=0 must be "),
    ({"tol": -1e-3}, r"tol=-0\.001 must be "),
    ({"multiclass": "kesler"}, "multiclass='kesler' must be one of"),
    ({"probability": "yes"}, "probability='yes' must be one of"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[f"{i}-{message[:20]}" for i, (_, message) in enumerate(BAD)])
def test_bad_parameters(options: dict[str, Any], message: str):
    X, y = datasets.table(4, 2)
    with pytest.raises(ValueError, match=message):
        SupportVectorMachine(**options).fit(X, y)


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_bad_data(kernel: str, bad: float, C: float):
    X, y = datasets.table(4, 2)
    X = X.copy()
    X[3, 1] = bad
    for data in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            SupportVectorMachine(C, kernel=kernel).fit(data, y)
    with pytest.raises(ValueError, match="one class"):
        SupportVectorMachine(C, kernel=kernel).fit(X, np.zeros(20))


@pytest.mark.parametrize("make", [np.array, sparse.csr_array, pd.DataFrame], ids=["dense", "csr", "frame"])
def test_a_plane_keeps_no_copy_of_large_data(make: Any, rng: Rng):
    X = rng.normal(size=(5000, 40))
    y = X[:, 0] + rng.normal(size=5000) > 0
    given = make(X)
    model = SupportVectorMachine(tol=0.01).fit(given, y)
    found = model.support_vectors_
    assert_array_equal(found.toarray() if sparse.issparse(found) else found, X[model.support_])
    other = pickle.loads(pickle.dumps(model))
    assert_array_equal(other.predict(given), model.predict(given))
    del given, found
    gc.collect()
    for gone in (model, other):
        with pytest.raises(AttributeError, match=r"no longer in memory.*X\[support_\]"):
            _ = gone.support_vectors_
    rows = X.tolist()
    assert_array_equal(SupportVectorMachine(tol=0.01).fit(rows, y).support_vectors_, X[model.support_])


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X = [[0.0], [1.0], [2.0]]
    model = SupportVectorMachine(C=np.inf).fit(X, [0, 1, 1])
    with pytest.raises(NotSeparableError):
        model.fit(X, ["a", "b", "a"])
    assert_array_equal(model.predict(X), [0, 1, 1])
    fresh = SupportVectorMachine(C=np.inf)
    with pytest.raises(NotSeparableError):
        fresh.fit(X, ["a", "b", "a"])
    with pytest.raises(NotFittedError):
        fresh.predict(X)


def test_what_is_not_reached_is_not_called_converged(rng: Rng):
    """A kernel matrix that spans sixteen digits."""
    X, y = 100 * rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    with pytest.warns(NotConvergedWarning) as caught:
        model = SupportVectorMachine(kernel="polynomial").fit(X, y)
    assert caught[0].filename == __file__
    assert model.gap_ > 0.01


def test_a_class_without_weight_is_refused(rng: Rng):
    X, y = overlapping(rng)
    for options in ({}, {"kernel": "gaussian"}, {"C": np.inf, "kernel": "gaussian"}):
        with pytest.raises(ValueError, match="sample_weight must be positive for a row of each class"):
            SupportVectorMachine(**options).fit(X, y, np.where(y == y[0], 1.0, 0.0))

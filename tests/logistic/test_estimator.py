"""Logistic regression: the book's steps, other programs' numbers, a certificate of every fit, and infinity."""

from __future__ import annotations

import pickle
import signal
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from firthmodels import FirthLogisticRegression
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import optimize, sparse, special
from scipy.stats import norm
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from statsmodels.api import Logit

from discriminant import (
    FitInterruptedWarning,
    InfiniteEstimateWarning,
    LogisticDiscriminant,
    NotConvergedWarning,
    Status,
    criteria,
    datasets,
)
from discriminant._engine import driver as _driver
from discriminant._engine.driver import Interrupted, Watch
from discriminant._engine.problem import narrow
from discriminant._engine.threads import in_runs
from discriminant.geometry import augment, normalize
from discriminant.logistic import newton as _newton
from discriminant.logistic import softmax as _softmax
from discriminant.logistic import squared_loss as _sigmoid
from discriminant.logistic.firth import FirthRule
from discriminant.logistic.hessian import FullHessian, Pairs, gauged
from discriminant.logistic.likelihood import Likelihood
from discriminant.logistic.newton import NewtonRule, cheap, method
from discriminant.logistic.passes import long_pass, short_pass
from discriminant.logistic.wald import WaldTable
from discriminant.separation import verdict as separation

Rng = np.random.Generator
Matrix = NDArray[Any]

FOUR = np.array([[1.0, 2], [2, 1], [6, 7], [7, 6]]), np.array([0, 0, 1, 1])


def noisy(rng: Rng, n: int, d: int, c: int = 2) -> tuple[Matrix, Matrix]:
    """Rows whose classes follow a multinomial model."""
    X = rng.normal(size=(n, d)) * np.linspace(0.5, 2, d)
    return X, (X @ rng.normal(size=(d, c)) + rng.gumbel(size=(n, c))).argmax(axis=1)


def quiet(model: LogisticDiscriminant, X: Any, y: Any, **data: Any) -> LogisticDiscriminant:
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        return model.fit(X, y, **data)


def gradient(model: LogisticDiscriminant, X: Any, y: Matrix, C: float, v: Any = 1.0) -> Matrix:
    """The gradient of the log loss with a ridge at the weights of a model, by its probabilities."""
    P = model.predict_proba(X)
    T = y[:, None] == model.classes_
    R = ((P - T).T * v)[-len(model.coef_) :]
    return np.column_stack([R.sum(axis=1), R @ X + model.coef_ / C])


# The book -----------------------------------------------------------------------------------------------------------


def test_example_14() -> None:
    model = LogisticDiscriminant(loss="squared", schedule=0.01, max_iter=300, record="weights")
    path = quiet(model, *FOUR).history_["weights"]
    assert_allclose(path[1], [0, 0.0125, 0.0125], atol=1e-15)
    assert_allclose(path[9], [-0.00754, 0.06927, 0.06927], atol=5e-6)
    sides = (augment(FOUR[0]) @ path.T >= 0).T
    assert sides[9].all()
    assert int(np.flatnonzero((sides == FOUR[1]).all(axis=1))[0]) == 220
    assert_array_equal(model.history_["step"], 0.01)
    assert int(np.flatnonzero(model.history_["errors"] == 0)[0]) == 220


def test_squared_loss_takes_the_steps_of_the_criterion(rng: Rng) -> None:
    X, y = noisy(rng, 50, 3)
    v = rng.uniform(0.5, 2, size=50)
    E = criteria.get("sigmoid")(normalize(augment(X), y), sample_weight=v)
    a = np.zeros(4)
    for k in range(1, 6):
        a -= 0.1 / k * E.gradient(a)
    model = quiet(LogisticDiscriminant(loss="squared", schedule=lambda k: 0.1 / k, max_iter=5), X, y, sample_weight=v)
    assert_allclose(model.weights_, a, rtol=1e-12)
    assert model.status_ is Status.BUDGET
    assert_allclose(model.history_["criterion"][0], E.value(np.zeros(4)))


def test_squared_loss_falls_by_default_and_ends_where_it_is_flat(rng: Rng) -> None:
    X, y = noisy(rng, 60, 2)
    model = LogisticDiscriminant(loss="squared", max_iter=20_000, tol=1e-6).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert np.all(np.diff(model.history_["criterion"]) <= 1e-12)
    E = criteria.get("sigmoid")(normalize(augment(X), y))
    assert np.linalg.norm(E.gradient(model.weights_)) <= 1e-5 * np.linalg.norm(E.gradient(np.zeros(3)))


def test_squared_loss_of_three_classes_is_one_against_the_rest(rng: Rng) -> None:
    X, y = noisy(rng, 90, 2, 3)
    model = quiet(LogisticDiscriminant(loss="squared", max_iter=50), X, y)
    assert model.multiclass_ == "one-vs-rest"
    for k in range(3):
        one = quiet(LogisticDiscriminant(loss="squared", max_iter=50), X, y == k)
        assert_allclose(model.weights_[k], one.weights_)
    P = model.predict_proba(X)
    shares = special.expit(model.decision_function(X))
    assert_allclose(P, shares / shares.sum(axis=1, keepdims=True))
    assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


# The criterion ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("c", "kind"), product([2, 3, 5], ["dense", "csr"]))
def test_gradient_and_hessian_are_those_of_the_criterion(rng: Rng, c: int, kind: str) -> None:
    X, y = noisy(rng, 30, 3, c)
    v, k = rng.uniform(0.5, 2, size=30), 1 if c == 2 else c
    likelihood = Likelihood(sparse.csr_matrix(X) if kind == "csr" else X, y.astype(np.int32), v, k, 0.3)
    A, h = rng.normal(size=(k, 4)), 1e-5
    at, H = likelihood.look(A), likelihood.hessian(A)
    Z = np.column_stack([np.zeros(30), (X - likelihood.center) @ A[0, 1:] + A[0, 0]]) if c == 2 else None
    Z = (X - likelihood.center) @ A[:, 1:].T + A[:, 0] if Z is None else Z
    assert_allclose(at.value, -v @ special.log_softmax(Z, axis=1)[np.arange(30), y] + 0.15 * np.sum(A[:, 1:] ** 2))
    assert at.errors == np.count_nonzero(Z.argmax(axis=1) != y)
    for j in range(A.size):
        E = np.zeros(A.size)
        E[j] = h
        up, down = (likelihood.look(A + sign * E.reshape(A.shape)) for sign in (1, -1))
        assert_allclose(at.gradient.ravel()[j], (up.value - down.value) / (2 * h), rtol=1e-6, atol=1e-7)
        assert_allclose(H[j], (up.gradient - down.gradient).ravel() / (2 * h), rtol=1e-5, atol=1e-6)
    for block, whole in zip(likelihood.diagonal_blocks(A), range(k), strict=True):
        part = slice(whole * 4, whole * 4 + 4)
        assert_allclose(block, H[part, part], rtol=1e-10)


def test_a_tie_is_an_error() -> None:
    X, y = np.eye(3), np.arange(3, dtype=np.int32)
    assert Likelihood(X, y, None, 3, 1.0).look(np.zeros((3, 4))).errors == 3
    assert Likelihood(X, y % 2, None, 1, 1.0).look(np.zeros((1, 4))).errors == 3


def test_margins_of_any_size() -> None:
    X, own = np.array([[1.0], [-1.0]]), np.array([1, 0], np.int32)
    likelihood = Likelihood(X, own, None, 1, 0.0, np.zeros(1))
    assert 0 <= likelihood.look(np.array([[0, 1e300]])).value < 1e-300
    assert_allclose(likelihood.look(np.array([[0, -1e300]])).value, 2e300)
    assert_allclose(likelihood.look(np.array([[0.0, 40]])).value, 2 * np.exp(-40), rtol=1e-12)
    three = Likelihood(np.eye(3), np.arange(3, dtype=np.int32), None, 3, 0.0, np.zeros(3))
    assert three.look(np.column_stack([np.zeros(3), 1e300 * np.eye(3)])).value == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_passes_equal_plain_python(rng: Rng, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy(rng, 20, 3)
    own, v, a = y.astype(np.int32), rng.uniform(size=20), rng.normal(size=4)
    passes = [(X, short_pass), *product((X, sparse.csr_matrix(X)), (long_pass, _sigmoid._pass))]
    for rows, function in passes:
        results = []
        for run in (function, function.py_func):
            total = np.zeros(4)
            results.append((run(narrow(rows.astype(dtype)), own, v, a, 2, 20, total), total))
        assert_allclose(results[0][0], results[1][0])
        assert_allclose(results[0][1], results[1][1])
    results = []
    W, first = rng.normal(size=(4, 3)), rng.normal(size=3)
    three = rng.integers(3, size=20).astype(np.int32)
    for python in (False, True):
        with monkeypatch.context() as patch:
            for name in ("scores", "pulls", "shifted", "divided", "exponentials"):
                plain = getattr(_softmax, name)
                patch.setattr(_softmax, name, plain.py_func if python else plain)
            results.append(_softmax.machine_pass(narrow(X.astype(dtype)), three, v, W, first, 1, 20))
    for one, other in zip(*results, strict=True):
        assert_allclose(one, other)


def test_exponentials_are_right_to_the_last_digit(rng: Rng) -> None:
    x = np.r_[0.0, -1e-300, -1e-9, -rng.uniform(0, 1, 1000), -rng.uniform(0, 700, 1000)]
    found = x.copy()
    bits = np.empty(x.size, np.int64)
    _softmax.exponentials(found, x.size, bits, bits.view(np.float64))
    assert_allclose(found, np.exp(x), rtol=5e-16)
    low = np.array([-708.5, -1e5, -np.inf])
    _softmax.exponentials(low, 3, bits, bits.view(np.float64))
    assert np.all((low >= 0) & (low < 1e-300))


@pytest.mark.parametrize(("n", "c"), [(1, 3), (7, 4), (255, 5), (1030, 3)])
def test_blocks_of_any_size_add_up(rng: Rng, n: int, c: int) -> None:
    X, own = rng.normal(size=(n, 5)), rng.integers(c, size=n).astype(np.int32)
    A = rng.normal(size=(c, 6))
    dense, csr = (Likelihood(rows, own, None, c, 0.0, np.zeros(5)).look(A) for rows in (X, sparse.csr_matrix(X)))
    assert_allclose(dense.value, csr.value)
    assert_allclose(dense.gradient, csr.gradient, atol=1e-12)
    assert dense.errors == csr.errors


def test_runs_have_the_same_bits_whatever_the_threads(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    x = rng.normal(size=1000)
    sums = []
    for cores in (1, 2, 7):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        sums.append(in_runs(1000, 16, lambda low, high: [x[low:high].sum()]))
    assert sums[0] == sums[1] == sums[2]


# Against scikit-learn -----------------------------------------------------------------------------------------------


def peer(X: Any, y: Any, C: float, v: Any = None, class_weight: Any = None) -> LogisticRegression:
    model = LogisticRegression(C=C, tol=1e-13, solver="newton-cholesky", max_iter=1000, class_weight=class_weight)
    return model.fit(X, y, v)


@pytest.mark.parametrize(("C", "c"), product([0.01, 1.0, 100.0], [2, 3, 10]))
@pytest.mark.parametrize("n", [300, 2000])
def test_probabilities_agree_with_scikit_learn(rng: Rng, C: float, c: int, n: int) -> None:
    X, y = noisy(rng, n, 4, c)
    v = rng.uniform(0.1, 3, size=n)
    for weight in (None, v):
        theirs = peer(X, y, C, weight)
        for rows in (X, sparse.csr_matrix(X)):
            ours = LogisticDiscriminant(C).fit(rows, y, weight)
            assert ours.status_ is Status.CONVERGED
            assert_allclose(ours.predict_proba(rows), theirs.predict_proba(X), atol=1e-8 if n <= 1000 else 1e-6)
            assert np.abs(gradient(ours, X, y, C, 1.0 if weight is None else weight)).max() <= 1e-7 * n
            details = ours.report_.to_dict()["details"]
            assert details["method"] in {"newton", "chord", "blocks"}
            assert 0 <= details["Newton decrement"] <= 1e-13 * details["criterion value"]
    if c > 2:
        assert_allclose(ours.intercept_.sum(), 0, atol=1e-9)


@pytest.mark.parametrize("c", [2, 4])
def test_ways_for_many_rows_and_columns_agree(rng: Rng, c: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits are lowered, so that small data go the ways of large ones."""
    X, y = noisy(rng, 6000, 12, c)
    expected = LogisticDiscriminant(2.0, tol=1e-14).fit(X, y).predict_proba(X)
    monkeypatch.setattr("discriminant.logistic.newton.WORK", 1.0)
    monkeypatch.setattr("discriminant.logistic.newton.CHORD", 1)
    for name, limits in (
        ("subsample" if c == 2 else "blocks", {"FIRST": 1400}),
        ("diagonal", {"WIDE": 5, "SMALL": 10}),
    ):
        with monkeypatch.context() as patch:
            for limit, value in limits.items():
                patch.setattr(f"discriminant.logistic.newton.{limit}", value)
            for rows in (X, sparse.csr_matrix(X), X.astype(np.float32)):
                model = LogisticDiscriminant(2.0, tol=1e-14).fit(rows, y)
                details = model.report_.to_dict()["details"]
                assert details["method"] == name
                assert details["Newton decrement"] <= 1e-14 * details["criterion value"]
                assert_allclose(model.predict_proba(rows), expected, atol=1e-6)
                assert model.n_iter_ <= 60


def test_a_subsample_that_misleads_costs_steps_only(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighboring rows that the subsample takes are of another kind than all others."""
    monkeypatch.setattr("discriminant.logistic.newton.FIRST", 1400)
    monkeypatch.setattr("discriminant.logistic.newton.CHORD", 1)
    X, y = noisy(rng, 8000, 4)
    taken = np.arange(8000) % 40 < 8
    X[taken] = 3 * X[taken] + 5
    y[taken] = rng.integers(2, size=taken.sum())
    model = LogisticDiscriminant(tol=1e-13).fit(X, y)
    assert_allclose(model.predict_proba(X), peer(X, y, 1.0).predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("c", [2, 3])
def test_columns_that_the_subsample_does_not_know(rng: Rng, c: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rare column, two equal ones, and no penalty: the minimum is found, and the shortest weights."""
    monkeypatch.setattr("discriminant.logistic.newton.FIRST", 1400)
    monkeypatch.setattr("discriminant.logistic.newton.WORK", 1.0)
    X, y = noisy(rng, 8000, 3, c)
    rare = np.zeros(8000)
    rare[np.flatnonzero(np.arange(8000) % 40 >= 8)[::200]] = 1.0
    plain = LogisticDiscriminant(penalty=None, tol=1e-14).fit(np.column_stack([X, rare]), y)
    assert np.abs(gradient(plain, np.column_stack([X, rare]), y, np.inf)).max() < 1e-3
    model = LogisticDiscriminant(penalty=None, tol=1e-14).fit(np.column_stack([X, rare, X[:, 0]]), y)
    assert_allclose(model.coef_[:, 0], plain.coef_[:, 0] / 2, rtol=1e-4)
    assert_allclose(model.coef_[:, 4], plain.coef_[:, 0] / 2, rtol=1e-4)
    assert_allclose(model.coef_[:, 3], plain.coef_[:, 3], rtol=1e-4, atol=1e-5)


def test_class_weights(rng: Rng) -> None:
    X, y = noisy(rng, 300, 3, 3)
    labels = np.array(["a", "b", "c"])[y]
    v = rng.uniform(0.5, 2, size=300)
    for weight in ("balanced", {"a": 3.0, "c": 0.5}):
        ours = LogisticDiscriminant(class_weight=weight).fit(X, labels, v)
        row = {"a": 3.0, "b": 1.0, "c": 0.5}
        if weight == "balanced":
            row = {label: v.sum() / 3 / v[labels == label].sum() for label in "abc"}
        theirs = peer(X, labels, 1.0, v * np.array([row[label] for label in labels]))
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    weights = dict.fromkeys("abc", 2.0)
    squared = [
        quiet(LogisticDiscriminant(loss="squared", schedule=s, max_iter=9, class_weight=w), X, labels).weights_
        for s, w in ((1e-3, weights), (2e-3, None))
    ]
    assert_allclose(*squared)


def test_weights_are_rows_and_zero_is_absence(rng: Rng) -> None:
    X, y = noisy(rng, 60, 3)
    v = rng.integers(0, 4, size=60)
    for parameters in ({}, {"penalty": "firth"}, {"penalty": None}, {"class_weight": "balanced"}):
        one = LogisticDiscriminant(**parameters).fit(X, y, v)
        other = LogisticDiscriminant(**parameters).fit(X.repeat(v, axis=0), y.repeat(v))
        assert_allclose(one.weights_, other.weights_, rtol=1e-9)


def test_the_intercept_is_free(rng: Rng) -> None:
    X, y = noisy(rng, 200, 3)
    near = LogisticDiscriminant(0.1).fit(X, y)
    far = LogisticDiscriminant(0.1).fit(X + 1e6, y)
    assert_allclose(near.coef_, far.coef_, rtol=1e-7)
    assert_allclose(far.intercept_, near.intercept_ - 1e6 * near.coef_.sum(), rtol=1e-7)


def test_more_columns_than_rows(rng: Rng) -> None:
    X, y = noisy(rng, 40, 200)
    for rows in (X, sparse.csr_matrix(X)):
        model = LogisticDiscriminant(0.1).fit(rows, y)
        assert np.abs(gradient(model, X, y, 0.1)).max() <= 1e-9
    three = LogisticDiscriminant(0.1).fit(X, np.arange(40) % 3)
    assert np.abs(gradient(three, X, np.arange(40) % 3, 0.1)).max() <= 1e-9


def test_a_good_start_needs_no_steps_and_a_bad_one_arrives(rng: Rng) -> None:
    X, y = noisy(rng, 300, 3)
    model = LogisticDiscriminant().fit(X, y)
    assert LogisticDiscriminant(start=model.weights_).fit(X, y).n_iter_ <= 2
    assert_allclose(LogisticDiscriminant(start=[50.0, -50, 50, 50]).fit(X, y).weights_, model.weights_, rtol=1e-9)
    path = LogisticDiscriminant(record="weights").fit(X, y).history_
    assert_allclose(path["weights"][-1], model.weights_)
    assert np.all(np.diff(path["criterion"]) <= 1e-9)


# Probabilities ------------------------------------------------------------------------------------------------------


def test_probabilities_and_their_logarithms(rng: Rng) -> None:
    for c in (2, 3):
        X, y = noisy(rng, 100, 2, c)
        model = LogisticDiscriminant().fit(X, y)
        P = model.predict_proba(X)
        assert_allclose(P.sum(axis=1), 1)
        assert_allclose(np.log(P), model.predict_log_proba(X), rtol=1e-9, atol=1e-12)
        assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
        far = model.predict_log_proba(1e6 * X[:1])
        assert np.all(np.isfinite(far))
        assert far.min() < -1000
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float64


def test_float32_stays_float32(rng: Rng) -> None:
    X, y = noisy(rng, 100, 2)
    model = LogisticDiscriminant().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert_allclose(model.weights_, LogisticDiscriminant().fit(X, y).weights_, rtol=1e-4)


# Standard errors and Firth ------------------------------------------------------------------------------------------


def test_wald_table_is_that_of_the_inverse_information(rng: Rng) -> None:
    X, y = noisy(rng, 200, 3)
    v = rng.uniform(0.5, 2, size=200)
    model = LogisticDiscriminant(penalty=None).fit(X + 100, y, v)
    Y, p = augment(X + 100), model.predict_proba(X + 100)[:, 1]
    errors = np.sqrt(np.diag(np.linalg.inv((Y.T * (v * p * (1 - p))) @ Y)))
    table = model.summary(0.9)
    assert_allclose(table.std_error, errors, rtol=1e-6)
    assert_allclose(table.p, 2 * norm.sf(np.abs(model.weights_ / errors)), rtol=1e-5)
    assert_allclose(table.interval, model.weights_[:, None] + errors[:, None] * norm.ppf([0.05, 0.95]), rtol=1e-6)
    assert str(table).splitlines()[0].split() == ["estimate", "std", "error", "z", "p", "5", "%", "95", "%"]
    assert isinstance(table, WaldTable)


def test_wald_table_of_a_published_regression() -> None:
    """The smaller regression of the endometrial data: the estimates for PI and EH that R's glm reports."""
    X, y = datasets.endometrial()
    table = LogisticDiscriminant(C=np.inf).fit(X[X[:, 0] == 0, 1:], y[X[:, 0] == 0]).summary()
    assert_allclose(table.coef, [4.30452, -0.04218, -2.90261], atol=1e-5)
    assert_allclose(table.std_error, [1.63730, 0.04433, 0.84555], atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "penalty=None"),
        ({"loss": "squared", "max_iter": 3}, "loss='log'"),
        ({"penalty": None, "max_iter": 1}, "did not finish"),
    ],
)
def test_no_standard_errors_without_maximum_likelihood(rng: Rng, parameters: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        quiet(LogisticDiscriminant(**parameters), *noisy(rng, 50, 2)).summary()


def test_no_standard_errors_of_many_classes_nor_of_collinear_columns(rng: Rng) -> None:
    with pytest.raises(ValueError, match="two classes, and y had 3"):
        LogisticDiscriminant(penalty=None).fit(*noisy(rng, 90, 2, 3)).summary()
    X, y = noisy(rng, 50, 2)
    with pytest.raises(ValueError, match="depend on each other"):
        LogisticDiscriminant(penalty=None).fit(np.hstack([X, X]), y).summary()
    with pytest.raises(ValueError, match="level=1 must be "):
        LogisticDiscriminant(penalty="firth").fit(X, y).summary(1)


@pytest.mark.parametrize("n", [120, 4000])
def test_wald_table_is_that_of_statsmodels(rng: Rng, n: int) -> None:
    X, y = noisy(rng, n, 4)
    table = LogisticDiscriminant(penalty=None).fit(X, y).summary(0.9)
    theirs = Logit(y, augment(X)).fit(disp=0, method="newton", tol=1e-12)
    assert_allclose(table.coef, theirs.params, rtol=1e-7, atol=1e-9)
    assert_allclose(table.std_error, theirs.bse, rtol=1e-7)
    assert_allclose(table.z, theirs.tvalues, rtol=1e-6, atol=1e-8)
    assert_allclose(table.p, theirs.pvalues, rtol=1e-5, atol=1e-12)
    assert_allclose(table.interval, theirs.conf_int(alpha=0.1), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("separated", [False, True])
def test_firth_agrees_with_firthmodels(rng: Rng, separated: bool) -> None:
    """On the endometrial data, and on others."""
    for X, y in (datasets.endometrial(), datasets.table(1, 3) if separated else noisy(rng, 60, 3)):
        theirs = FirthLogisticRegression("numpy", gtol=1e-8, xtol=1e-8, max_iter=1000).fit(X, y)
        ours = LogisticDiscriminant(penalty="firth").fit(X, y)
        assert_allclose(ours.weights_, np.r_[theirs.intercept_, theirs.coef_], atol=1e-6)


def firth_score(a: Matrix, Y: Matrix, y: Matrix, v: Any = 1.0) -> Matrix:
    p = special.expit(Y @ a)
    w = v * p * (1 - p)
    leverage = w * np.sum(Y @ np.linalg.inv((Y.T * w) @ Y) * Y, axis=1)
    return Y.T @ (v * (y - p) + leverage * (0.5 - p))


def test_firth_agrees_with_published_estimates() -> None:
    """The mean-bias-reduced fit of R's brglm2 and logistf, and a root of the modified score found by scipy."""
    X, y = datasets.endometrial()
    model = LogisticDiscriminant(penalty="firth").fit(X, y)
    assert_allclose(model.weights_, [3.77456, 2.92927, -0.03475, -2.60416], atol=5e-6)
    assert_allclose(model.summary().std_error, [1.48869, 1.55076, 0.03958, 0.77602], atol=5e-6)
    Y = augment(X)
    root = optimize.root(firth_score, np.round(model.weights_, 1), (Y, y), tol=1e-13)
    assert_allclose(model.weights_, root.x, rtol=1e-7)
    assert np.abs(firth_score(model.weights_, Y, y)).max() <= 1e-8
    assert model.report_.to_dict()["details"]["method"] == "firth"


def test_firth_is_finite_on_separated_data_and_in_every_storage(rng: Rng) -> None:
    X, y = datasets.table(1, 2)
    v = rng.uniform(0.5, 2, size=len(y))
    for rows in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        model = LogisticDiscriminant(penalty="firth").fit(rows, y, v)
        assert model.status_ is Status.CONVERGED
        scale = 1e-6 if rows.dtype == np.float64 else 1e-2
        assert np.abs(firth_score(model.weights_.astype(float), augment(X), y == y.max(), v)).max() <= scale
    large = noisy(rng, 3000, 4)
    a = LogisticDiscriminant(penalty="firth").fit(*large).weights_
    assert np.abs(firth_score(a, augment(large[0]), large[1])).max() <= 1e-2


# Infinity -----------------------------------------------------------------------------------------------------------


def infinite(model: LogisticDiscriminant, X: Any, y: Any, **data: Any) -> InfiniteEstimateWarning:
    with pytest.warns(InfiniteEstimateWarning) as caught:
        model.fit(X, y, **data)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = caught[0].message
    assert isinstance(message, InfiniteEstimateWarning)
    assert message.report is model.report_
    return message


@pytest.mark.parametrize("parameters", [{"penalty": None}, {"C": np.inf}])
def test_quasi_separation_is_told_and_the_rest_is_estimated(parameters: Any) -> None:
    X, y = datasets.endometrial()
    model = LogisticDiscriminant(**parameters)
    warning = infinite(model, X, y)
    for words in ("quasi", "penalty='firth'", "report_"):
        assert words in str(warning)
    assert "Rows fitted perfectly: 21, 22, 23" in str(model.report_)
    assert "x0 +inf, x1 finite, x2 finite" in str(model.report_)
    assert warning.separability.certificate.verify(X, y)
    assert_allclose(model.recession_, [0, 1, 0, 0], atol=1e-12)
    part = LogisticDiscriminant(penalty=None).fit(X[X[:, 0] == 0, 1:], y[X[:, 0] == 0])
    assert_allclose(model.weights_[[0, 2, 3]], part.weights_, rtol=1e-6)
    assert_allclose(model.predict_proba(X)[X[:, 0] == 1, 1], 1)
    assert model.status_ is Status.CONVERGED
    assert model.report_.to_dict()["verdict"].startswith("quasi")
    with pytest.raises(ValueError, match="the estimate is infinite"):
        model.summary()
    assert len(pickle.dumps(model)) < 20_000


def test_fits_of_many_data_give_one_warning(rng: Rng) -> None:
    X, y = datasets.endometrial()
    texts = set()
    for k in range(4):
        some = rng.permutation(len(y))[: 70 + k]
        texts.add(str(infinite(LogisticDiscriminant(penalty=None), X[some] * (k + 1), y[some])))
    assert len(texts) == 1


@pytest.mark.parametrize("parameters", [{}, {"penalty": None}, {"penalty": "firth"}])
def test_a_tolerance_of_zero_goes_on_to_rounding(rng: Rng, parameters: Any) -> None:
    X = rng.normal(size=(3000, 4))
    y = X @ [1, 2, 0, -1] + 2 * rng.normal(size=3000) > 0
    exact = LogisticDiscriminant(tol=0, **parameters).fit(X, y)
    assert exact.status_ is Status.CONVERGED
    assert_allclose(exact.weights_, LogisticDiscriminant(**parameters).fit(X, y).weights_, rtol=1e-5)


@pytest.mark.parametrize("parameters", [{}, {"penalty": None}, {"penalty": "firth"}, {"loss": "squared"}])
def test_numbers_at_the_ends_of_floats(rng: Rng, parameters: Any) -> None:
    """A right answer or an error with its remedy, and no warning of NumPy's (which would be an error here)."""
    X = rng.normal(size=(60, 3))
    y = X @ [1, 2, -1] + rng.normal(size=60) > 0
    model = LogisticDiscriminant(**parameters, max_iter=20)
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        right = model.fit(X, y).predict(X)
        assert (model.fit(X, y, sample_weight=np.full(60, 1e150)).predict(X) == right).mean() > 0.9
        assert (model.fit(X.astype(np.longdouble), y).predict(X) == right).all()
        with pytest.raises(ValueError, match=r"sample_weight reaches no more than .*: multiply"):
            model.fit(X, y, sample_weight=np.full(60, 5e-324))
        with pytest.raises(ValueError, match="X overflows"):
            model.fit(X * 1e300, y)
        if parameters:  # the ridge leaves nothing of the features
            with pytest.raises(ValueError, match=r"X is too small in column 1 .*StandardScaler"):
                model.fit(X * [1, 1e-300, 1], y)
            with pytest.raises(ValueError, match="X is too small in column 1"):
                model.fit(sparse.csr_array(X * [1, 1e-300, 1]), y)
        else:
            assert_allclose(model.fit(X * 1e-300, y).coef_, 0, atol=1e-290)


@pytest.mark.parametrize("where", ["separability", "start", "gradient"])
def test_an_interrupt_is_heard_where_no_step_is_made(monkeypatch: pytest.MonkeyPatch, rng: Rng, where: str) -> None:
    """In the search for a proof at infinity, in the start from a subsample, in Firth's first gradient."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(_driver, "_last_interrupt", float("-inf"))
    X = rng.normal(size=(90_000 if where == "start" else 200, 3))
    y = X[:, 0] + (0 if where == "separability" else rng.normal(size=len(X))) > 0

    def press(*_: Any, **__: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        assert where != "separability", "Ctrl-C went unheard"
        raise Interrupted

    if where == "separability":
        monkeypatch.setattr(separation, "settle", press)
    else:
        rule, method = (NewtonRule, "_search") if where == "start" else (FirthRule, "_gradient")
        monkeypatch.setattr(rule, method, press)
    model = LogisticDiscriminant(penalty="firth" if where == "gradient" else None)
    try:
        with pytest.warns(FitInterruptedWarning):
            model.fit(X, y)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert model.status_ is Status.STOPPED
    assert np.isfinite(model.weights_).all()
    if where == "separability":
        assert (model.predict(X) == y).all()


def test_complete_separation_gives_a_plane_that_separates() -> None:
    X, y = datasets.table(1, 2)
    model = LogisticDiscriminant(penalty=None)
    warning = infinite(model, X, y)
    assert warning.separability.verdict == "complete"
    assert model.status_ is Status.SEPARATED
    z = np.where(y == y.max(), 1, -1)
    assert (z * (X @ model.recession_[1:] + model.recession_[0])).min() > 0
    assert_allclose(np.linalg.norm(model.recession_[1:]), 1)
    assert model.predict_proba(X)[np.arange(len(y)), (z > 0).astype(int)].min() > 1 - 1e-12


def test_multinomial_estimates_at_infinity(rng: Rng) -> None:
    X, y = datasets.table(1, 2, 4)
    model = LogisticDiscriminant(penalty=None)
    assert infinite(model, X, y).separability.verdict == "complete"
    assert model.score(X, y) == 1
    assert model.recession_.shape == (3, 3)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 1, 2, rng.integers(2, size=120))  # one class apart, the others mixed
    warning = infinite(model, X, y)
    assert warning.separability.verdict == "quasi"
    rest = y < 2
    pair = LogisticDiscriminant(penalty=None).fit(X[rest], y[rest])
    assert_allclose(model.predict_proba(X[rest])[:, 1], pair.predict_proba(X[rest])[:, 1], atol=1e-6)
    assert_array_equal(model.predict(X[~rest]), 2)


def test_rows_of_weight_zero_do_not_count() -> None:
    X, y = datasets.endometrial()
    X, y = np.vstack([X, [[1, 10, 1]]]), np.r_[y, 0]  # one patient more, and the classes overlap
    LogisticDiscriminant(penalty=None).fit(X, y)
    infinite(LogisticDiscriminant(penalty=None), X, y, sample_weight=np.r_[np.ones(79), 0])


def test_overlap_is_never_taken_for_separation(rng: Rng) -> None:
    """One row in a thousand stands between the classes, far on the wrong side: a slow way to a finite answer."""
    X = np.r_[rng.normal(size=500) - 4, rng.normal(size=500) + 4, 30.0][:, None]
    y = np.r_[np.zeros(500), np.ones(500), 0].astype(int)
    model = LogisticDiscriminant(penalty=None).fit(X, y)
    assert model.recession_ is None
    assert np.abs(gradient(model, X, y, np.inf)).max() < 1e-8


def test_separability_is_not_asked_on_the_normal_path(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discriminant.separation.separability", None)
    LogisticDiscriminant(penalty=None).fit(*noisy(rng, 300, 4))
    LogisticDiscriminant(penalty=None).fit(*noisy(rng, 3000, 4, 3))
    LogisticDiscriminant(penalty="firth").fit(*datasets.table(1, 2))
    LogisticDiscriminant().fit(*datasets.table(1, 2))


def test_too_large_for_a_proof_the_weights_are_proof_enough(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discriminant.logistic.infinity.PROVABLE", (10, 10))
    X, y = datasets.table(1, 2)
    model = LogisticDiscriminant(penalty=None)
    assert infinite(model, X, y).separability is None
    assert model.score(X, y) == 1


# Degenerate data and bad requests -----------------------------------------------------------------------------------


def test_collinear_columns_share_their_weight(rng: Rng) -> None:
    X, y = noisy(rng, 100, 2)
    plain = LogisticDiscriminant(penalty=None).fit(X, y)
    model = LogisticDiscriminant(penalty=None).fit(np.column_stack([X, X[:, 0], np.full(100, 0.1)]), y)
    assert_allclose(model.coef_[0], np.r_[plain.coef_[0] * [0.5, 1], plain.coef_[0, 0] / 2, 0], rtol=1e-8, atol=1e-12)
    assert "shortest" in model.report_.to_dict()["notes"][0]
    with pytest.raises(ValueError, match="linearly independent"):
        LogisticDiscriminant(penalty="firth").fit(np.hstack([X, X]), y)
    H = gauged(np.zeros((2, 2)), 1, 0.0)
    assert FullHessian(H + np.diag([1.0, 0])).rank == 1


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20, 1e150])
def test_any_scale(rng: Rng, scale: float) -> None:
    X, y = noisy(rng, 60, 2)
    for penalty in (None, "firth"):
        plain = LogisticDiscriminant(penalty=penalty).fit(X, y)
        model = LogisticDiscriminant(penalty=penalty).fit(scale * X, y)
        assert_allclose(model.coef_ * scale, plain.coef_, rtol=1e-6)
        assert_allclose(model.intercept_, plain.intercept_, rtol=1e-6)


@pytest.mark.parametrize("parameters", [{}, {"penalty": None}, {"penalty": "firth"}, {"loss": "squared"}])
def test_what_is_not_finite_is_refused(rng: Rng, parameters: Any) -> None:
    X, y = noisy(rng, 60, 2)
    for bad, words in ((np.nan, "NaN"), (np.inf, "infinity"), (1e200, "overflows")):
        Z = X.copy()
        Z[7, 1] = bad
        with pytest.raises(ValueError, match=words):
            LogisticDiscriminant(**parameters).fit(Z, y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0}, "C=0 must be .*; give a cost"),
        ({"C": -1.0}, "C=-1.0 must be "),
        ({"C": np.nan}, "C=nan must be "),
        ({"C": "1"}, "C='1' must be "),
        ({"loss": "hinge"}, "loss='hinge' must be one of 'log', 'squared'"),
        ({"penalty": "l1"}, "penalty='l1' must be one of"),
        ({"penalty": "firth", "loss": "squared"}, "belongs to loss='log'"),
        ({"schedule": 0.1}, "belongs to loss='squared'"),
        ({"schedule": "optimal", "loss": "squared"}, "GradientDescent"),
        ({"tol": -1e-9}, "tol=-1e-09 must be "),
        ({"max_iter": 0}, "max_iter=0"),
        ({"record": True}, "record=True"),
        ({"class_weight": "even"}, "class_weight='even'"),
        ({"class_weight": 2}, "class_weight=2: give a dict"),
        ({"class_weight": {9: 1.0}}, "class_weight names 9"),
        ({"class_weight": {1: -1.0}}, "class_weight=-1.0 must be "),
        ({"start": [1.0]}, "start has shape"),
    ],
)
def test_bad_parameters_are_named(rng: Rng, parameters: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        LogisticDiscriminant(**parameters).fit(*noisy(rng, 20, 2))


def test_firth_is_for_two_classes_and_few_columns(rng: Rng) -> None:
    with pytest.raises(ValueError, match="two classes, and y has 3"):
        LogisticDiscriminant(penalty="firth").fit(*noisy(rng, 30, 2, 3))
    with pytest.raises(ValueError, match="X has 2,000 of them"):
        LogisticDiscriminant(penalty="firth").fit(sparse.random(30, 2000, 0.1, format="csr"), np.arange(30) % 2)


def test_unfitted_models_say_so() -> None:
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(LogisticDiscriminant(), name)([[0.0, 1.0]])
    with pytest.raises(NotFittedError):
        LogisticDiscriminant().summary()


def test_a_budget_that_is_too_small_warns(rng: Rng) -> None:
    with pytest.warns(NotConvergedWarning, match="budget") as caught:
        model = LogisticDiscriminant(max_iter=1).fit(*noisy(rng, 100, 2))
    assert caught[0].filename == __file__
    assert model.status_ is Status.BUDGET


def test_an_interrupt_leaves_the_weights_of_that_moment(rng: Rng) -> None:
    X, y = noisy(rng, 200, 3)
    rule = NewtonRule(Likelihood(X, y.astype(np.int32), None, 1, 1.0), np.zeros((1, 4)), 1e-12)
    watch = Watch()
    rule.begin(watch)
    rule.epoch(None, watch)
    before = rule.A.copy()
    watch.interrupted = True
    with pytest.raises(Interrupted):
        rule.epoch(None, watch)
    assert_array_equal(rule.A, before)


def test_the_way_follows_from_the_shape() -> None:
    def way(n: int, d: int, c: int, ridge: float = 1.0) -> str:
        likelihood = Likelihood.__new__(Likelihood)
        likelihood.n, likelihood.d, likelihood.c, likelihood.ridge = n, d, c, ridge
        return method(likelihood)

    assert way(1000, 100, 1, 0.0) == way(50_000, 100, 1, 0.0) == way(5000, 5, 3, 0.0) == "newton"
    assert way(1000, 100, 1) == way(3000, 100, 1) == way(5000, 100, 10) == "chord"
    assert way(200_000, 100, 1) == way(20_000, 100, 1) == "subsample"
    assert way(100_000, 100, 10) == "blocks"
    assert way(5000, 50_000, 1) == way(5000, 50_000, 3) == "diagonal"
    assert _newton.FIRST == 20_000


def test_pairs_give_what_the_recursion_over_them_gives(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nocedal and Wright, Algorithm 7.4, beside the closed form; the oldest pairs are forgotten."""
    monkeypatch.setattr("discriminant.logistic.hessian.MEMORY", 3)
    H = np.diag(rng.uniform(1, 9, size=6))
    hessian, pairs = FullHessian(np.diag(rng.uniform(1, 9, size=6))), Pairs(6)
    held: list[tuple[Any, Any]] = []
    for _ in range(12):
        s = rng.normal(size=6)
        pairs.append(s, H @ s)
        held = [*held, (s, H @ s)][-3:]
        g = rng.normal(size=(2, 3))
        q, strengths = g.ravel().copy(), []
        for s, y in reversed(held):
            strengths.append((s @ q) / (s @ y))
            q -= strengths[-1] * y
        r = hessian.solve(q[None])[0]
        for (s, y), alpha in zip(held, reversed(strengths), strict=True):
            r += (alpha - (y @ r) / (s @ y)) * s
        assert_allclose(pairs.solve(g, hessian, False).ravel(), r, rtol=1e-9)
        y = held[-1][1].reshape(2, 3)
        assert_allclose(pairs.solve(y, hessian, True).ravel(), held[-1][0])  # the latest change comes from its step
    pairs.clear()
    assert_allclose(pairs.solve(g, hessian, True), hessian.solve(g))


@pytest.mark.parametrize("c", [2, 5])
def test_no_hessian_is_larger_than_the_bound(rng: Rng, c: int) -> None:
    """Böhning's bound, for steps whose sum over the classes is zero, and nothing else in it at A = 0."""
    X, y = noisy(rng, 60, 3, c)
    k, v = 1 if c == 2 else c, rng.uniform(0.5, 2, size=60)
    likelihood = Likelihood(X + 3, y.astype(np.int32), v, k, 0.7)
    bound = likelihood.bound()
    for A in (np.zeros((k, 4)), rng.normal(size=(k, 4))):
        H = likelihood.hessian(A)
        for _ in range(20):
            s = rng.normal(size=(k, 4))
            s -= s.mean(axis=0) if c > 2 else 0
            most = float(np.einsum("ki,ij,kj", s, bound, s))
            assert s.ravel() @ H @ s.ravel() <= most * (1 + 1e-12)
            if not A.any():
                assert_allclose(s.ravel() @ H @ s.ravel(), most)
    if c == 2:
        assert_allclose(likelihood.curvature(A), H, atol=1e-9)


@pytest.mark.parametrize(("n", "d", "c", "C"), [(300, 60, 10, 100.0), (4000, 60, 2, 1.0), (1500, 30, 6, 1.0)])
def test_where_no_hessian_is_made_the_criterion_is_right_to_eight_digits(
    rng: Rng, n: int, d: int, c: int, C: float
) -> None:
    X, y = noisy(rng, n, d, c)
    X[:, 0] *= 1e3  # badly scaled, and correlated
    X[:, 1:] += X[:, [1]]
    model, best = LogisticDiscriminant(C).fit(X, y), LogisticDiscriminant(C, tol=1e-15).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.report_.to_dict()["details"]["method"] == "chord"
    assert not cheap(Likelihood(X, y.astype(np.int32), None, 1 if c == 2 else c, 1 / C))
    least = best.history_["criterion"][-1]
    assert least * (1 - 1e-14) <= model.history_["criterion"][-1] <= least * (1 + 1e-9)
    assert model.n_iter_ <= 200


@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e100, 1e300])
def test_a_start_far_away_does_not_mislead(rng: Rng, C: float, c: int, far: float) -> None:
    """So far out every probability is 0 or 1, and the Hessian nothing but the penalty."""
    X, y = noisy(rng, 200, 3, c)
    start = far * rng.normal(size=4 if c == 2 else (3, 4))
    model = LogisticDiscriminant(C, start=start).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert_allclose(model.coef_, LogisticDiscriminant(C).fit(X, y).coef_, rtol=1e-6)
    assert "began at zero" in str(model.report_)


def test_no_penalty_in_any_type_of_float(rng: Rng) -> None:
    X, y = noisy(rng, 50, 2)
    expected = LogisticDiscriminant(np.inf).fit(X, y).coef_
    assert_allclose(LogisticDiscriminant(np.float32(np.inf)).fit(X, y).coef_, expected)
    assert_allclose(LogisticDiscriminant(np.float64(np.inf)).fit(X, y).coef_, expected)


@pytest.mark.parametrize("c", [2, 3])
def test_dense_features_far_from_zero_cost_no_digits(rng: Rng, c: int) -> None:
    X, y = noisy(rng, 1500, 5, c)
    X = np.round(X * 1024) / 1024  # so that the sums are exact
    near, far = LogisticDiscriminant().fit(X, y), LogisticDiscriminant().fit(X + 2.0**27, y)
    assert far.status_ is Status.CONVERGED
    assert far.n_iter_ <= 20
    assert_allclose(far.coef_, near.coef_, rtol=1e-6, atol=1e-8)


def test_as_many_classes_as_rows_need_no_long_proof(rng: Rng) -> None:
    X = rng.normal(size=(100, 5))
    with pytest.warns(InfiniteEstimateWarning):
        model = LogisticDiscriminant(np.inf).fit(X, np.arange(100))
    assert model.status_ is Status.SEPARATED
    assert model.score(X, np.arange(100)) == 1
    assert "the weights themselves" in model.report_.to_dict()["proof"]


def test_small_features_are_separated_as_well() -> None:
    for seed in range(8):
        X, y = np.random.default_rng(seed).normal(size=(20, 50)) * 1e-4, np.arange(20) % 3
        with pytest.warns(InfiniteEstimateWarning):
            model = LogisticDiscriminant(np.inf).fit(X, y)
        assert model.score(X, y) == 1
        assert model.report_.to_dict()["details"]["Newton decrement"] >= 0


def test_sparse_columns_far_from_zero(rng: Rng) -> None:
    X, y = noisy(rng, 1200, 3, 3)
    near, far = (LogisticDiscriminant().fit(sparse.csr_matrix(X + shift), y) for shift in (0.0, 1e6))
    assert_allclose(far.predict_proba(sparse.csr_matrix(X + 1e6)), near.predict_proba(sparse.csr_matrix(X)), atol=1e-4)


def test_a_criterion_of_zero_is_a_minimum(rng: Rng) -> None:
    X = rng.normal(size=(20, 5)) + 10 * np.eye(3)[np.arange(20) % 3] @ rng.normal(size=(3, 5))
    model = LogisticDiscriminant(1e10).fit(X, np.arange(20) % 3)
    assert model.status_.finished

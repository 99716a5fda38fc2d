"""Planes: hard margins with proof, soft ones to the gap, sizes far from one."""

from __future__ import annotations

import importlib
import signal
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from svm_cases import Matrix, Rng, check_optimal, overlapping

from discriminant import (
    FitInterruptedWarning,
    NotSeparableError,
    Status,
    SupportVectorMachine,
    datasets,
    mercer,
    separability,
)
from discriminant.svm.linear import DENSE
from discriminant.svm.primal import HingeNewton
from discriminant.svm.small import SmallSolver

SEPARABLE = [(1, 2), (3, 2), (4, 2), (1, 4), (3, 4)]


@pytest.mark.parametrize("pair", SEPARABLE)
def test_hard_margin_is_that_of_separability(pair: tuple[int, int]):
    X, y = datasets.table(*pair)
    if not datasets.table(*pair).separable:
        pytest.skip("overlap")
    model = SupportVectorMachine(C=np.inf).fit(X, y)
    margin = separability(X, y).margin
    assert margin.lower * (1 - 1e-12) <= model.margin_ <= margin.upper * (1 + 1e-12)
    z = 2 * y - 1
    attained = z * model.decision_function(X) / np.linalg.norm(model.coef_)
    assert_allclose(attained.min(), margin.lower, rtol=1e-9)
    assert_allclose(model.alpha_ * z @ X, model.coef_[0], rtol=1e-9, atol=1e-12)
    assert_allclose(model.alpha_ @ z, 0, atol=1e-12 * model.alpha_.sum())
    assert_allclose(z[model.support_] * model.decision_function(X)[model.support_], 1, rtol=1e-9)
    by_dual = SupportVectorMachine(C=np.inf, kernel=mercer.Polynomial(degree=1, coef0=0)).fit(X, y)
    assert_allclose(by_dual.margin_, model.margin_, rtol=1e-7)


def test_at_least_three_pairs_of_the_table_are_separable():
    assert sum(bool(datasets.table(*pair).separable) for pair in SEPARABLE) >= 3


def least_length(Y: Matrix) -> Matrix:
    """The shortest a with Ya >= 1, by least distance programming (Lawson and Hanson, chapter 23)."""
    E = np.vstack([Y.T, np.ones(len(Y))])
    f = np.r_[np.zeros(Y.shape[1]), 1.0]
    residual = E @ nnls(E, f)[0] - f
    return np.asarray(-residual[:-1] / residual[-1])


@pytest.mark.parametrize("name", ["svm_three", "margin_six", *SEPARABLE])
def test_augmented_hard_margin_is_the_shortest_solution(name: Any):
    X, y = getattr(datasets, name)() if isinstance(name, str) else datasets.table(*name)
    z = np.where(y == y.max(), 1.0, -1.0)
    Y = z[:, None] * np.column_stack([np.ones(len(y)), X])
    if separability(X, y).verdict != "complete":
        pytest.skip("overlap")
    model = SupportVectorMachine(C=np.inf, intercept="augmented").fit(X, y)
    assert_allclose((Y @ model.weights_).min(), 1, rtol=1e-9)
    assert_allclose(model.alpha_ @ Y, model.weights_, rtol=1e-9, atol=1e-12)
    assert_allclose(model.weights_, least_length(Y), rtol=1e-6, atol=1e-9)
    assert_allclose(model.margin_, 1 / np.linalg.norm(model.coef_), rtol=1e-12)
    free = SupportVectorMachine(C=np.inf).fit(X, y)
    assert np.linalg.norm(model.weights_) <= np.linalg.norm(free.weights_) * (1 + 1e-12)
    assert model.margin_ <= free.margin_ * (1 + 1e-12)


@pytest.mark.parametrize("intercept", ["free", "augmented"])
@pytest.mark.parametrize("labels", [(0, 1), ("apple", "pear")])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_the_error_carries_a_certificate(intercept: str, labels: Any, make: Any):
    for X, y in (datasets.table(1, 3), datasets.inseparable_six(), datasets.xor_signed()):
        y = np.array(labels)[y]
        with pytest.raises(NotSeparableError, match=r"C=inf asks for a plane.*take a finite C") as caught:
            SupportVectorMachine(C=np.inf, intercept=intercept).fit(make(X), y)
        assert caught.value.certificate.verify(X, y)


def test_the_error_of_a_pair_of_classes_carries_the_certificate_of_the_pair():
    X, y = datasets.table()
    with pytest.raises(NotSeparableError) as caught:
        SupportVectorMachine(C=np.inf).fit(X, y)
    verified = []
    for i, j in combinations(range(1, 5), 2):
        rows = np.isin(y, [i, j])
        try:
            verified.append(caught.value.certificate.verify(X[rows], y[rows]))
        except ValueError:
            continue
    assert verified == [True]


def test_one_point_of_two_classes_never_hangs():
    X, y = np.array([[0.0], [1], [1], [2]]), np.array([0, 0, 1, 1])
    for kernel in ("linear", "gaussian", mercer.Polynomial(degree=3), lambda A, B: A @ B.T):
        with pytest.raises(NotSeparableError):
            SupportVectorMachine(C=np.inf, kernel=kernel).fit(X, y)
    with pytest.raises(NotSeparableError):
        SupportVectorMachine(C=np.inf, kernel="precomputed").fit(np.zeros((4, 4)), y)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6])
def test_overlap_never_hangs_whatever_the_scale(scale: float):
    X, y = datasets.table(1, 3)
    with pytest.raises(NotSeparableError):
        SupportVectorMachine(C=np.inf, kernel=lambda A, B: A @ B.T).fit(scale * X, y)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("seed", range(20))
def test_optimality_of_the_augmented_margin(loss: str, seed: int):
    rng = np.random.default_rng(seed)
    X, y = overlapping(rng, int(rng.integers(6, 60)), int(rng.integers(2, 6)))
    weight = rng.uniform(0.2, 3, size=len(y))
    model = SupportVectorMachine(float(10 ** rng.uniform(-2, 3)), loss=loss, intercept="augmented").fit(X, y, weight)
    check_optimal(model, X, y, weight, tol=1e-4, kkt=1e-4)
    z, C = 2 * y - 1, model.C * weight
    t = np.maximum(0, 1 - z * model.decision_function(X))
    primal = model.weights_ @ model.weights_ / 2 + C @ (t if loss == "hinge" else t**2)
    assert_allclose(model.report_.to_dict()["details"]["criterion value"], primal, rtol=1e-9)
    assert model.gap_ <= 1e-6


@pytest.mark.parametrize("seed", range(30))
def test_the_augmented_hinge_is_finished_on_small_data(seed: int):
    rng = np.random.default_rng(seed)
    X, y = overlapping(rng, int(rng.integers(6, 300)), int(rng.integers(2, 12)))
    model = SupportVectorMachine(float(10 ** rng.uniform(-3, 4)), intercept="augmented").fit(X, y)
    assert abs(model.gap_) <= 1e-9


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n", [60, 1100])
@pytest.mark.parametrize("scale", [1e-9, 1e6, 1e8])
def test_the_size_of_the_patterns_goes_with_the_cost(loss: str, n: int, scale: float, rng: Rng):
    X, y = overlapping(rng, n)
    plain = SupportVectorMachine(1e3, loss=loss).fit(X, y)
    model = SupportVectorMachine(1e3 / scale**2, loss=loss).fit(scale * X, y)
    assert_allclose(scale * model.coef_, plain.coef_, rtol=1e-3, atol=1e-3)
    assert_allclose(scale**2 * model.alpha_.sum(), plain.alpha_.sum(), rtol=1e-2)
    assert_allclose(model.margin_, scale * plain.margin_, rtol=1e-2)
    large = SupportVectorMachine(loss=loss).fit(scale * X, y)  # C|x|² of 1e16 ended far from the minimum
    assert large.status_ is Status.CONVERGED
    assert abs(large.gap_) <= 1e-3


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_augmented_is_linear_svc(loss: str, C: float, weighted: bool, rng: Rng):
    X, y = overlapping(rng, 80)
    z, weight = 2 * y - 1, rng.uniform(0.3, 3, size=80) if weighted else np.ones(80)

    def value(w: Matrix, w0: float) -> float:
        t = np.maximum(0, 1 - z * (X @ w + w0))
        return float((w @ w + w0 * w0) / 2 + C * weight @ (t if loss == "hinge" else t**2))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = LinearSVC(C=C, loss=loss, intercept_scaling=1, dual=True, tol=1e-10, max_iter=10**5, random_state=0)
        theirs.fit(X, y, weight)
    model = SupportVectorMachine(C, loss=loss, intercept="augmented").fit(X, y, weight)
    ours, other = value(model.coef_[0], model.intercept_[0]), value(theirs.coef_[0], theirs.intercept_[0])
    assert ours <= other * (1 + 1e-7)
    assert_allclose(ours, other, rtol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("intercept", ["free", "augmented"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("C", [0.01, 10.0])
def test_many_rows(loss: str, intercept: str, make: Any, dtype: Any, C: float, rng: Rng):
    X, y = overlapping(rng, 2400, 8)
    X[np.abs(X) < 0.5] = 0
    X = X.astype(dtype)
    model = SupportVectorMachine(C, loss=loss, intercept=intercept).fit(make(X), y)
    assert model.status_ is Status.CONVERGED
    assert model.coef_.dtype == dtype
    assert model.gap_ <= model.tol
    z, free, A = 2 * y - 1, intercept == "free", X.astype(np.float64)
    a, alpha = model.weights_.astype(np.float64), model.alpha_
    t = np.maximum(0, 1 - z * (A @ a[1:] + a[0]))
    primal = a[free:] @ a[free:] / 2 + C * (t if loss == "hinge" else t**2).sum()
    v = np.r_[alpha @ z, (alpha * z) @ A][free:]
    dual = alpha.sum() - v @ v / 2 - (0 if loss == "hinge" else (alpha**2).sum() / (4 * C))
    assert np.all(alpha >= 0)
    assert loss == "squared_hinge" or np.all(alpha <= C * (1 + 1e-12))
    if free:
        assert abs(alpha @ z) <= 1e-9 * alpha.sum()
    assert (primal - dual) / primal <= model.tol * 1.01
    assert primal >= dual * (1 - 1e-9)


def test_far_from_the_origin(rng: Rng):
    X, y = overlapping(rng)
    for loss in ("hinge", "squared_hinge"):
        near, far = (SupportVectorMachine(loss=loss).fit(X + shift, y) for shift in (0, 1e4))
        assert_allclose(near.coef_, far.coef_, rtol=1e-5)
        assert far.gap_ <= 1e-6


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_many_rows_far_from_the_origin(loss: str, rng: Rng):
    X, y = overlapping(rng, 3000)
    near, far = (SupportVectorMachine(loss=loss).fit(X + shift, y) for shift in (0, 1e4))
    assert_allclose(near.coef_, far.coef_, rtol=0.05)


def test_a_wide_sparse_matrix_stays_sparse():
    X = sparse.random_array((60, 10**6), density=1e-5, format="csr", random_state=np.random.default_rng(0))
    y = np.arange(60) % 2
    assert X.shape[0] * X.shape[1] > DENSE
    model = SupportVectorMachine().fit(X, y)
    assert model.gap_ <= 1e-8
    columns = np.unique(X.indices)
    assert_allclose(model.coef_[:, columns], SupportVectorMachine().fit(X[:, columns], y).coef_, atol=1e-7)


@pytest.mark.parametrize("c", [2, 3])
def test_interrupt_of_the_primal(c: int, monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng, 2100, 4, c)
    step, calls = HingeNewton._minimize, []

    def interrupted(self: Any, *arguments: Any) -> Any:
        calls.append(0)
        if len(calls) == 2:
            self.rows.watch.interrupted = True
        return step(self, *arguments)

    monkeypatch.setattr(HingeNewton, "_minimize", interrupted)
    with pytest.warns(FitInterruptedWarning):
        model = SupportVectorMachine(tol=1e-8).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert np.all(np.isfinite(model.weights_))
    assert model.gap_ > 0
    assert model.score(X, y) >= 1 / c - 0.01


@pytest.mark.parametrize("intercept", ["free", "augmented"])
@pytest.mark.parametrize("place", ["svm.linear.settle", "separation.margin._touched"])
def test_interrupt_of_the_hard_margin(intercept: str, place: str, monkeypatch: pytest.MonkeyPatch, rng: Rng):
    """While a plane is looked for there is none; while the largest margin is, there is one that separates."""
    X, y = overlapping(rng, 200, 5)
    X[:, 0] += 9 * y
    module, _, name = place.rpartition(".")
    wanted = importlib.import_module(f"discriminant.{module}")
    work, calls = getattr(wanted, name), []

    def stopped(*arguments: Any, **options: Any) -> Any:
        calls.append(0)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return work(*arguments, **options)

    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    monkeypatch.setattr(wanted, name, stopped)
    with pytest.warns(FitInterruptedWarning):
        model = SupportVectorMachine(C=np.inf, intercept=intercept).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert len(calls) == 1
    if name == "_touched":
        assert model.score(X, y) == 1
        assert_allclose(((2 * y - 1) * model.decision_function(X)).min(), 1)
    else:
        assert not model.weights_.any()


def test_a_high_cost_of_margins_that_rounding_leaves_below_one(rng: Rng):
    """Few rows of many columns, all on the margin: slack of rounding alone, which the plane is longer to avoid."""
    X, y = sparse.random_array((60, 20_000), density=2e-3, format="csr", rng=rng), np.arange(60) % 2
    model = SupportVectorMachine(1e10).fit(X, y)
    assert model.gap_ < 1e-12
    assert np.all((2 * y - 1) * model.decision_function(X) >= 1)


def test_a_high_cost_that_the_dual_has_no_digits_for(monkeypatch: pytest.MonkeyPatch):
    """One of many pairs whose dual would work off pairs of rows for minutes; the primal has the answer at once."""
    rng, y = np.random.default_rng(2), np.arange(200) % 2
    X = rng.normal(size=(200, 10)) + 0.5 * rng.normal(size=(2, 10))[y]
    work, rounds = SmallSolver.round, []
    monkeypatch.setattr(SmallSolver, "round", lambda self, *rest: rounds.append(0) or work(self, *rest))
    model = SupportVectorMachine(1e10).fit(X, y)
    assert len(rounds) <= 10
    assert model.status_ is Status.CONVERGED
    z, w, alpha = 2.0 * y - 1, model.coef_[0], model.alpha_
    value = w @ w / 2 + 1e10 * np.maximum(0, 1 - z * model.decision_function(X)).sum()
    dual = alpha.sum() - np.square((alpha * z) @ X).sum() / 2
    assert np.all((alpha >= 0) & (alpha <= 1e10))
    assert abs(alpha @ z) <= 1e-9 * alpha.sum()
    assert abs(value - dual) <= 1e-8 * value


def test_a_margin_below_the_rounding_is_refused(rng: Rng):
    """In decimals 4x is not four times x, and a plane of huge weights would part what floats cannot."""
    x = np.sort(rng.normal(size=4))
    with pytest.raises(NotSeparableError, match=r"lost in the rounding of floats.*leave out columns"):
        SupportVectorMachine(C=np.inf).fit(np.column_stack([x, 4 * x]), [0, 1, 0, 1])

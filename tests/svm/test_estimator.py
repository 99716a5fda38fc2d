"""Support vector machines: worked numbers, optimality by the tests' own arithmetic, oracles, equivalences."""

from __future__ import annotations

import gc
import importlib
import pickle
import signal
import time
import tracemalloc
import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import nnls
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC, LinearSVC

from discriminant import (
    FitInterruptedWarning,
    NotConvergedWarning,
    NotSeparableError,
    Status,
    SupportVectorMachine,
    bounds,
    datasets,
    feature_ranking,
    leave_one_out,
    mercer,
    separability,
    svm_path,
)
from discriminant.svm import blocks as smo_module
from discriminant.svm.linear import DENSE
from discriminant.svm.primal import Newton
from discriminant.svm.small import Whole

Rng = np.random.Generator
Matrix = NDArray[Any]

KERNELS: dict[str, Any] = {
    "linear": "linear",
    "polynomial": mercer.Polynomial(degree=2),
    "gaussian": mercer.Gaussian(sigma=1.5),
}
PRICES = [0.01, 1.0, 100.0, 1e4]
SEPARABLE = [(1, 2), (3, 2), (4, 2), (1, 4), (3, 4)]
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
every_price = pytest.mark.parametrize("C", PRICES)


def overlapping(rng: Rng, n: int = 60, d: int = 3, c: int = 2) -> tuple[Matrix, Matrix]:
    """Classes of the same spread whose means differ, each of them there."""
    y = np.arange(n) % c
    return rng.normal(size=(n, d)) + 0.8 * np.eye(max(c, d))[y][:, :d] * (1 + y[:, None]), y


def gram(kernel: Any, X: Any) -> Matrix:
    return np.asarray(mercer.get(kernel)(X, X), np.float64)


def svc(kernel: Any, C: float, X: Matrix, y: Matrix, weight: Any = None, tol: float = 1e-6) -> SVC:
    """scikit-learn's answer with the same kernel matrix."""
    return SVC(C=C, kernel="precomputed", tol=tol, cache_size=50).fit(gram(kernel, X), y, weight)


def strengths(model: Any, n: int) -> Iterator[tuple[Matrix, Matrix]]:
    """alpha z of every pair of classes, over all n rows, from what model publishes; and which rows it concerns."""
    table = np.atleast_2d(model.dual_coef_)
    own = np.repeat(np.arange(len(model.n_support_)), model.n_support_)
    for i, j in combinations(range(len(model.n_support_)), 2):
        beta = np.zeros(n)
        beta[model.support_[own == i]] = table[j - 1, own == i]
        beta[model.support_[own == j]] = table[i, own == j]
        yield beta, np.array([i, j])


def dual_values(model: Any, K: Matrix) -> list[float]:
    return [float(np.abs(beta).sum() - beta @ K @ beta / 2) for beta, _ in strengths(model, len(K))]


def check_optimal(
    model: SupportVectorMachine, X: Any, y: Matrix, weight: Any = None, tol: float = 1e-6, kkt: float = 1e-5
) -> None:
    """Constraints, Kuhn-Tucker conditions and duality gap, from alpha_ and the discriminant alone."""
    alpha, z = model.alpha_, np.where(y == model.classes_[1], 1.0, -1.0)
    C = model.C * (np.ones(len(y)) if weight is None else weight)
    K = gram(model.kernel, X) + (model.intercept == "augmented")
    g = np.asarray(model.decision_function(X), np.float64)
    squared = model.loss == "squared_hinge"
    slack = np.maximum(0, 1 - z * g)
    beta = alpha * z
    size = max(1.0, float(np.abs(K).max() * alpha.max()))
    assert np.all(alpha >= 0)
    if not squared:
        assert np.all(alpha <= C * (1 + 1e-12))
    if model.intercept == "free":
        assert abs(alpha @ z) <= 1e-9 * alpha.sum()
    w0 = model.intercept_[0] if model.intercept == "free" else 0.0
    assert_allclose(g, K @ beta + w0, atol=kkt * size)
    # stationarity and complementary slackness
    m = z * g + (alpha / (2 * C) if squared else 0)
    inside = (alpha > 1e-7 * alpha.max()) & (True if squared else alpha < C * (1 - 1e-7))
    assert np.all(m[alpha < C * (1 - 1e-7) if not squared else slice(None)] >= 1 - kkt * size)
    assert np.all(np.abs(m[inside] - 1) <= kkt * size)
    # the gap
    norm = float(beta @ K @ beta)
    if squared:
        primal, dual = norm / 2 + C @ slack**2, alpha.sum() - norm / 2 - (alpha**2 / (4 * C)).sum()
    else:
        primal, dual = norm / 2 + C @ slack, alpha.sum() - norm / 2
    assert abs(primal - dual) <= tol * abs(primal)
    assert model.gap_ <= max(tol, model.tol)
    if model.intercept == "free":
        assert_allclose(model.margin_, norm**-0.5, rtol=1e-5)


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


# The hard margin ----------------------------------------------------------------------------------------------------


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
        with pytest.raises(NotSeparableError, match=r"C=inf asks for a plane.*Take a finite C") as caught:
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


@pytest.mark.parametrize("degree", [1, 2])
def test_a_kernel_that_does_not_separate_says_so(degree: int):
    start = time.perf_counter()
    X, y = datasets.table(1, 3) if degree == 1 else (np.array([[-1.0], [0], [1], [2]]), np.array([0, 1, 0, 1]))
    with pytest.raises(
        NotSeparableError, match=r"surface without errors.*Polynomial\(degree=.*richer kernel"
    ) as caught:
        SupportVectorMachine(C=np.inf, kernel=mercer.Polynomial(degree=degree)).fit(X, y)
    assert caught.value.certificate is None
    assert time.perf_counter() - start < 20


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


# Many classes -------------------------------------------------------------------------------------------------------


def crowd(rng: Rng, c: int = 12, each: int = 9, d: int = 4) -> tuple[Matrix, Matrix]:
    """More classes than are solved pair after pair in Python, in no order; the first is larger than the others."""
    y = rng.permutation(np.append(np.arange(c * each) % c, [0] * 7))
    return rng.normal(size=(y.size, d)) + 1.5 * rng.normal(size=(c, d))[y], y


MANY_KINDS: dict[str, dict[str, Any]] = {
    "linear": {},
    "squares": {"loss": "squared_hinge"},
    "gaussian": {"kernel": "gaussian", "C": 10.0},
    "squares, polynomial": {"kernel": mercer.Polynomial(degree=2), "loss": "squared_hinge", "C": 0.1},
    "dear": {"C": 1e3},
    "indefinite": {"kernel": mercer.Sigmoid(a=0.5, b=-1.0)},
}


@pytest.mark.parametrize("options", MANY_KINDS.values(), ids=MANY_KINDS.keys())
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_many_classes_are_as_each_pair_alone(options: Any, make: Any, rng: Rng):
    X, y = crowd(rng)
    weight = np.append(rng.uniform(0.5, 2, len(y) - 5), np.zeros(5))
    model = SupportVectorMachine(**options).fit(make(X), y, weight)
    scores, alpha = model._scores(make(X)), model.alpha_
    assert alpha.shape == (len(y), 66)
    assert model.dual_coef_.shape == (11, model.support_.size)
    assert_array_equal(model.support_, np.sort(model.support_)[np.argsort(y[np.sort(model.support_)], kind="stable")])
    for p, pair in enumerate(combinations(range(12), 2)):
        rows = np.isin(y, pair)
        alone = SupportVectorMachine(**options).fit(make(X[rows]), y[rows], weight[rows])
        assert_allclose(scores[rows, p], alone.decision_function(make(X[rows])), rtol=1e-6, atol=1e-6)
        assert_allclose(alpha[rows, p], alone.alpha_, rtol=1e-5, atol=1e-6 * alpha.max())
        assert not alpha[~rows, p].any()
        assert_allclose(np.atleast_1d(model.margin_)[p], alone.margin_, rtol=1e-6)
    assert model.gap_ <= 1e-9
    assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(make(X)), model.decision_function(make(X)))


def test_many_classes_keep_no_number_for_each_row_and_problem(rng: Rng):
    X, y = crowd(rng, 60, 6)
    model = SupportVectorMachine(kernel="gaussian").fit(X, y)
    table = len(y) * model.intercept_.size * 8
    assert len(pickle.dumps(model)) < table / 2
    tracemalloc.start()
    model.fit(X, y)
    assert tracemalloc.get_traced_memory()[1] < 2.5 * table  # labels, multipliers and weights of all rows took 5
    tracemalloc.stop()


def test_many_classes_along_a_path(rng: Rng):
    X, y = crowd(rng)
    for model, C in zip(svm_path(X, y, [0.1, 1.0]), [0.1, 1.0], strict=True):
        assert_allclose(model.coef_, SupportVectorMachine(C).fit(X, y).coef_, atol=1e-7)


def test_many_precomputed_classes(rng: Rng):
    X, y = crowd(rng)
    K = gram("gaussian", X)
    one = SupportVectorMachine(kernel="precomputed").fit(K, y)
    other = SupportVectorMachine(kernel="gaussian").fit(X, y)
    assert_allclose(one._scores(K), other._scores(X), atol=1e-9)
    assert_allclose(one.dual_coef_, other.dual_coef_, atol=1e-9)


# Optimality on random problems --------------------------------------------------------------------------------------

KINDS: list[dict[str, Any]] = [
    {"loss": loss, "kernel": kernel} for loss in ("hinge", "squared_hinge") for kernel in KERNELS.values()
]


@pytest.mark.parametrize("seed", range(200))
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


# Prices and sizes far from one --------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n", [60, 1100])
@pytest.mark.parametrize("scale", [1e-9, 1e6, 1e8])
def test_the_size_of_the_patterns_goes_with_the_price(loss: str, n: int, scale: float, rng: Rng):
    X, y = overlapping(rng, n)
    plain = SupportVectorMachine(1e3, loss=loss).fit(X, y)
    model = SupportVectorMachine(1e3 / scale**2, loss=loss).fit(scale * X, y)
    assert_allclose(scale * model.coef_, plain.coef_, rtol=1e-3, atol=1e-3)
    assert_allclose(scale**2 * model.alpha_.sum(), plain.alpha_.sum(), rtol=1e-2)
    assert_allclose(model.margin_, scale * plain.margin_, rtol=1e-2)
    dear = SupportVectorMachine(loss=loss).fit(scale * X, y)  # C|x|² of 1e16 ended far from the minimum
    assert dear.status_ is Status.CONVERGED
    assert abs(dear.gap_) <= 1e-3


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("alike", [True, False])
def test_weights_beyond_floats_are_refused(kernel: str, loss: str, alike: bool, rng: Rng):
    X, y = overlapping(rng)
    weight = np.full(60, 1e200)
    weight[1:] = 1e200 if alike else 1
    with pytest.raises(ValueError, match=r"sample_weight reaches 1e\+200, .*; divide the weights by their size"):
        SupportVectorMachine(kernel=kernel, loss=loss).fit(X, y, weight)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_kernel_values_beyond_floats_are_refused(loss: str, rng: Rng):
    X, y = overlapping(rng)
    with pytest.raises(ValueError, match=r"for kernel values of .*: standardize the features"):
        SupportVectorMachine(kernel="polynomial", loss=loss).fit(X + 1e8, y)
    with pytest.warns(NotConvergedWarning, match="rounding hides the length of w"):
        SupportVectorMachine(kernel=mercer.Polynomial(degree=2), loss=loss).fit(X + 1e4, y)


def test_tiny_prices(rng: Rng):
    X, y = overlapping(rng, 61)
    for C in (1e-20, 1e-200):
        model = SupportVectorMachine(C, loss="squared_hinge").fit(X, y)
        assert abs(model.gap_) <= 1e-9
        assert_allclose(model.intercept_, 2 * y.mean() - 1, rtol=1e-6)  # the least squares of the labels


# scikit-learn -------------------------------------------------------------------------------------------------------


@every_kernel
@every_price
@pytest.mark.parametrize("weighted", [False, True])
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
@every_price
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
@every_price
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


@pytest.mark.parametrize("c", [2, 3])
@every_kernel
def test_shapes_are_those_of_svc(kernel: Any, c: int, rng: Rng):
    X, y = overlapping(rng, 60, 4, c)
    names = np.array(["b", "a", "d"])[y]
    model = SupportVectorMachine(0.7, kernel=kernel, tol=1e-6).fit(X, names)
    theirs = SVC(C=0.7, tol=1e-9, kernel=lambda A, B: np.asarray(mercer.get(kernel)(A, B))).fit(X, names)
    assert_array_equal(model.classes_, theirs.classes_)
    assert_array_equal(model.support_, theirs.support_)
    assert_array_equal(model.n_support_, theirs.n_support_)
    assert model.dual_coef_.shape == theirs.dual_coef_.shape
    sign = 1 if c == 2 else -1  # of a pair, the later class is the positive one here
    assert_allclose(model.dual_coef_, sign * theirs.dual_coef_, atol=1e-5)
    assert_array_equal(model.support_vectors_, X[model.support_])
    assert model.intercept_.shape == theirs.intercept_.shape
    assert_allclose(model.intercept_, sign * theirs.intercept_, atol=1e-5)


@every_kernel
def test_the_discriminant_can_be_rebuilt(kernel: Any, rng: Rng):
    X, y = overlapping(rng)
    new = rng.normal(size=(20, 3))
    model = SupportVectorMachine(2.0, kernel=kernel).fit(X, y)
    K = mercer.get(kernel)(new, model.support_vectors_)
    assert_allclose((K @ model.dual_coef_.T + model.intercept_)[:, 0], model.decision_function(new), atol=1e-9)
    if kernel == "linear":
        assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_, atol=1e-9)


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


# Many rows ----------------------------------------------------------------------------------------------------------


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


def test_many_rows_with_weights_are_those_of_fewer_rows(rng: Rng):
    X, y = overlapping(rng, 900)
    weight = rng.integers(1, 4, size=900)
    large = SupportVectorMachine(0.1, tol=1e-7).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    small = SupportVectorMachine(0.1).fit(X, y, weight)
    assert_allclose(large.weights_, small.weights_, rtol=1e-3, atol=1e-4)
    criterion = [m.report_.to_dict()["details"]["criterion value"] for m in (large, small)]
    assert_allclose(*criterion, rtol=1e-6)


def test_many_rows_with_a_kernel(rng: Rng):
    X, y = overlapping(rng, 2600)
    model = SupportVectorMachine(1.0, kernel="gaussian").fit(X, y)
    assert model.gap_ <= model.tol
    K = gram("gaussian", X)
    theirs = svc("gaussian", 1.0, X, y, tol=1e-4)
    assert_allclose(dual_values(model, K), dual_values(theirs, K), rtol=1e-4)


# Paths, leaving one out, ranking ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "options"),
    [(80, {}), (80, {"kernel": "gaussian"}), (80, {"loss": "squared_hinge"}), (80, {"intercept": "augmented"}),
     (1500, {"tol": 1e-7}), (1500, {"loss": "squared_hinge", "tol": 1e-7}),
     (90, {"kernel": mercer.Polynomial(degree=2)})],
)  # fmt: skip
def test_path_gives_what_cold_fits_give(n: int, options: dict[str, Any], rng: Rng):
    X, y = overlapping(rng, n, 3, 3 if n == 90 else 2)
    Cs = [0.01, 0.1, 1.0, 10.0, 3.0]
    models = svm_path(X, y, Cs, **options)
    for C, model in zip(Cs, models, strict=True):
        cold = SupportVectorMachine(C, **options).fit(X, y)
        assert model.C == C
        assert model.status_ is Status.CONVERGED
        ours, other = (m.report_.to_dict()["details"] for m in (model, cold))
        if n != 90:
            assert_allclose(ours["criterion value"], other["criterion value"], rtol=1e-6)
        scale = np.abs(cold.decision_function(X)).max()
        assert_allclose(model.decision_function(X), cold.decision_function(X), atol=2e-3 * scale)
    assert svm_path(X, y, []) == []


def test_path_through_infinity():
    X, y = datasets.table(1, 2)
    models = svm_path(X, y, [1.0, np.inf, 1.0])
    assert_allclose(models[1].margin_, float(separability(X, y).margin), rtol=1e-9)
    assert_allclose(models[0].weights_, models[2].weights_, rtol=1e-6)


@pytest.mark.parametrize("options", [{"C": 0.5}, {"C": 1.0, "kernel": "gaussian"}, {"C": 5.0, "loss": "squared_hinge"}])
@pytest.mark.parametrize("categories", [(1, 3), (1, 2, 4)])
def test_leave_one_out(options: dict[str, Any], categories: tuple[int, ...]):
    X, y = datasets.table(*categories)
    model = SupportVectorMachine(**options).fit(X, y)
    found = leave_one_out(model, X, y)
    errors = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        errors += SupportVectorMachine(**options).fit(X[rest], y[rest]).predict(X[[i]])[0] != y[i]
    assert found.error == errors / len(y)
    assert found.error <= found.bound == model.support_.size / len(y)
    assert leave_one_out(model, sparse.csr_array(X), y) == found


def test_leave_one_out_of_a_hard_margin():
    X, y = datasets.table(3, 2)
    model = SupportVectorMachine(C=np.inf).fit(X, y)
    found = leave_one_out(model, X, y)
    assert found.bound == bounds.support_vector(model) == np.count_nonzero(model.alpha_) / 20
    assert found.error <= found.bound <= 3 / 20


def test_leave_one_out_has_the_weights_of_the_fit(rng: Rng):
    X, y = overlapping(rng, 40)
    weight = rng.integers(0, 4, size=40).astype(float)
    model = SupportVectorMachine(0.5).fit(X, y, weight)
    errors = 0
    for i in np.flatnonzero(weight):
        rest = (np.arange(40) != i) & (weight > 0)
        errors += SupportVectorMachine(0.5).fit(X[rest], y[rest], weight[rest]).predict(X[[i]])[0] != y[i]
    n = np.count_nonzero(weight)
    assert leave_one_out(model, X, y, weight) == (errors / n, model.support_.size / n)
    with pytest.raises(ValueError, match="sample_weight is not that of the fit"):
        leave_one_out(model, X, y)


def test_leave_one_out_wants_the_data_of_the_fit(rng: Rng):
    X, y = overlapping(rng, 40)
    model = SupportVectorMachine().fit(X, y)
    for other, labels in ((X[:10], y[:10]), (X, y[:10]), (np.vstack([X, X]), np.append(y, y)), (X[0], y)):
        with pytest.raises(ValueError, match="fitted to 40 rows"):
            leave_one_out(model, other, labels)
    with pytest.raises(ValueError, match="y has other labels"):
        leave_one_out(model, X, 1 - y)


@every_kernel
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_weights_of_classes_are_prices(kernel: Any, loss: str, rng: Rng):
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
    [("even", "class_weight='even'"), (2, "give a dict"), ({9: 1.0}, "names 9"), ({1: 0.0}, "give weights > 0")],
)
def test_weights_of_classes_that_make_no_sense(given: Any, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        SupportVectorMachine(class_weight=given).fit(*datasets.table(1, 3))


def test_logarithms_of_probabilities(rng: Rng):
    X, y = overlapping(rng, 60, 3, 3)
    model = SupportVectorMachine(probability=True).fit(X, y)
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert not hasattr(SupportVectorMachine().fit(X, y), "predict_log_proba")


def test_a_path_of_one_price():
    X, y = datasets.table(1, 3)
    (model,) = svm_path(X, y, 1.0)
    assert_array_equal(model.coef_, SupportVectorMachine(1.0).fit(X, y).coef_)


def test_bound_of_support_vectors(rng: Rng):
    X, y = overlapping(rng)
    model = SupportVectorMachine().fit(X, y)
    assert bounds.support_vector(model) == model.support_.size / 60
    with pytest.raises(ValueError, match="two-class"):
        bounds.support_vector(SupportVectorMachine().fit(*datasets.table()))


def test_feature_ranking(rng: Rng):
    X, y = rng.normal(size=(200, 5)), np.arange(200) % 2
    X[:, 3] += 3 * y
    X[:, 1] -= 1.5 * y
    model = SupportVectorMachine().fit(X, y)
    assert feature_ranking(model)[:2].tolist() == [3, 1]
    assert sorted(feature_ranking(model).tolist()) == list(range(5))
    assert model.coef_[0, 3] > 0 > model.coef_[0, 1]  # the class each votes for
    assert feature_ranking(SupportVectorMachine().fit(X, np.arange(200) % 3)).shape == (5,)
    with pytest.raises(ValueError, match="fit a linear model first"):
        feature_ranking(SupportVectorMachine(kernel="gaussian").fit(X, y))
    with pytest.raises(ValueError, match="fit a linear model first"):
        feature_ranking(SupportVectorMachine())


# Probabilities ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_probabilities(kernel: Any, c: int, rng: Rng):
    X, y = overlapping(rng, 90, 4, c)
    model = SupportVectorMachine(kernel=kernel, probability=True).fit(X, y)
    chances = model.predict_proba(X)
    assert chances.shape == (90, c)
    assert np.all(chances >= 0)
    assert_allclose(chances.sum(axis=1), 1)
    if c == 2:
        order = np.argsort(model.decision_function(X))
        assert np.all(np.diff(chances[order, 1]) >= -1e-12)
    plain = SupportVectorMachine(kernel=kernel).fit(X, y)
    assert_array_equal(plain.predict(X), model.predict(X))
    assert not hasattr(plain, "predict_proba")


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


@every_kernel
@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_precomputed_is_the_kernel(kernel: Any, c: int, loss: str, rng: Rng):
    X, y = overlapping(rng, 60, 4, c)
    new = rng.normal(size=(20, 4))
    plain = SupportVectorMachine(kernel=kernel, loss=loss).fit(X, y)
    given = SupportVectorMachine(kernel="precomputed", loss=loss).fit(gram(kernel, X), y)
    assert_allclose(given.alpha_, plain.alpha_, atol=1e-6)
    K = np.asarray(mercer.get(kernel)(new, X))
    assert_allclose(given.decision_function(K), plain.decision_function(new), atol=1e-6)
    called = SupportVectorMachine(kernel=lambda A, B: mercer.get(kernel)(A, B), loss=loss).fit(X, y)
    assert_allclose(called.decision_function(new), plain.decision_function(new), atol=1e-6)


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


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_scale(scale: float, loss: str, rng: Rng):
    X, y = overlapping(rng)
    one = SupportVectorMachine(loss=loss).fit(X, y)
    other = SupportVectorMachine(1 / scale**2, loss=loss).fit(X * scale, y)
    assert_allclose(other.coef_ * scale, one.coef_, rtol=1e-5)
    assert other.gap_ <= 1e-6


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


def test_sigmoid_kernel_reports_that_it_is_indefinite(rng: Rng):
    X, y = overlapping(rng, 80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SupportVectorMachine(10.0, kernel=mercer.Sigmoid(2.0, -1.0)).fit(X, y)
    assert any("not positive semidefinite" in note for note in model.report_.to_dict()["notes"])
    assert "not positive semidefinite" in str(model.report_)
    assert model.predict(X).shape == (80,)
    assert not any("semidefinite" in note for note in SupportVectorMachine().fit(X, y).report_.to_dict()["notes"])


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


# Ctrl-C -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [2, 3])
def test_interrupt_of_the_primal(c: int, monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng, 2100, 4, c)
    step, calls = Newton._minimize, []

    def interrupted(self: Any, *arguments: Any) -> Any:
        calls.append(0)
        if len(calls) == 2:
            self.rows.watch.interrupted = True
        return step(self, *arguments)

    monkeypatch.setattr(Newton, "_minimize", interrupted)
    with pytest.warns(FitInterruptedWarning):
        model = SupportVectorMachine(tol=1e-8).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert np.all(np.isfinite(model.weights_))
    assert model.gap_ > 0
    assert model.score(X, y) >= 1 / c - 0.01


@pytest.mark.parametrize("intercept", ["free", "augmented"])
@pytest.mark.parametrize("place", ["_svm_planes.settle", "_margin._touched"])
def test_interrupt_of_the_hard_margin(intercept: str, place: str, monkeypatch: pytest.MonkeyPatch, rng: Rng):
    """While a plane is looked for there is none; while the largest margin is, there is one that separates."""
    X, y = overlapping(rng, 200, 5)
    X[:, 0] += 9 * y
    module, name = place.split(".")
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


def test_interrupt_of_the_dual(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng, 2600)
    work, calls = smo_module.Blocks.round_of_block, []

    def counted(self: Any, *arguments: Any) -> None:
        calls.append(0)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        work(self, *arguments)

    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    monkeypatch.setattr(smo_module.Blocks, "round_of_block", counted)
    with pytest.warns(FitInterruptedWarning):
        model = SupportVectorMachine(100.0, kernel="gaussian", tol=1e-6).fit(X, y)
    assert model.status_ is Status.STOPPED
    assert len(calls) == 2
    assert model.support_.size > 0
    assert model.score(X, y) > 0.5
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def press_in_fit(monkeypatch: pytest.MonkeyPatch, number: int) -> list[int]:
    """Ctrl-C in the fit of that number, counted from 1; the list grows by one a fit."""
    work, fits = SupportVectorMachine._solutions, []

    def pressed(self: Any, *arguments: Any) -> Any:
        fits.append(len(fits) + 1)
        if len(fits) == number:
            signal.raise_signal(signal.SIGINT)
        return work(self, *arguments)

    monkeypatch.setattr("discriminant._engine.driver._last_interrupt", -1e9)
    monkeypatch.setattr(SupportVectorMachine, "_solutions", pressed)
    return fits


@pytest.mark.parametrize("number", [1, 3])
def test_interrupt_of_the_sigmoids_leaves_a_machine_without_them(
    number: int, monkeypatch: pytest.MonkeyPatch, rng: Rng
):
    X, y = overlapping(rng)
    plain, model = SupportVectorMachine().fit(X, y), SupportVectorMachine(probability=True).fit(X, y)
    fits = press_in_fit(monkeypatch, number)
    with pytest.warns(FitInterruptedWarning) as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert len(fits) == number  # no further fold was begun
    assert model.status_ is Status.STOPPED
    assert caught[0].message.report is model.report_
    assert not hasattr(model, "sigmoids_")
    with pytest.raises(ValueError, match="fit again"):
        model.predict_proba(X)
    if number > 1:
        assert_array_equal(model.decision_function(X), plain.decision_function(X))
        assert "sigmoids are missing" in str(model.report_)


def test_a_failed_calibration_leaves_the_model_as_it_was(rng: Rng):
    X, y = overlapping(rng)
    model = SupportVectorMachine(probability=True).fit(X, y)
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match="probability=True: a class has 3 rows"):
        model.fit(X[:6], y[:6])  # too few for five folds
    assert model.__dict__ == before


def test_interrupt_of_the_path_ends_the_list(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng)
    fits = press_in_fit(monkeypatch, 2)
    with pytest.warns(FitInterruptedWarning):
        models = svm_path(X, y, [0.1, 1.0, 10.0])
    assert len(fits) == 2
    assert [model.status_ for model in models] == [Status.CONVERGED, Status.STOPPED]
    assert_array_equal(models[1].weights_, models[0].weights_)  # what was known


def test_interrupt_of_leave_one_out(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng)
    model = SupportVectorMachine().fit(X, y)
    fits = press_in_fit(monkeypatch, 2)
    with pytest.raises(KeyboardInterrupt):
        leave_one_out(model, X, y)
    assert len(fits) == 2


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


def test_interrupt_of_many_pairs_is_heard_once(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, y = overlapping(rng, 4200, 4, 4)
    step, calls = Newton._minimize, []

    def interrupted(self: Any, *arguments: Any) -> Any:
        calls.append(0)
        self.rows.watch.interrupted = True
        return step(self, *arguments)

    monkeypatch.setattr(Newton, "_minimize", interrupted)
    with pytest.warns(FitInterruptedWarning):
        model = SupportVectorMachine().fit(X, y)
    assert len(calls) == 1  # the other five pairs were not begun
    assert model.weights_.shape == (6, 5)
    assert model.predict(X).shape == y.shape


# hard numbers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-323, 1e-300, 1e-160, 1e300])
@pytest.mark.parametrize(
    "options", [{}, {"loss": "squared_hinge"}, {"C": np.inf}, {"intercept": "augmented"}, {"probability": True}]
)
def test_numbers_whose_squares_are_no_floats_are_refused(options: dict[str, Any], scale: float, rng: Rng):
    X, y = overlapping(rng)
    X[:, 0] += 9 * y
    with pytest.raises(ValueError, match=r"(under|over)flows.*Divide the features"):
        SupportVectorMachine(**options).fit(scale * X, y)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_prices_that_are_hardly_floats_are_refused(kernel: str, loss: str, rng: Rng):
    X, y = overlapping(rng)
    for C, weight, other in ((1.0, 1e-310, "larger"), (1e200, 1e100, "smaller")):
        with pytest.raises(ValueError, match=f"give a {other} price"):
            SupportVectorMachine(C, kernel=kernel, loss=loss).fit(X, y, np.full(60, weight))


@pytest.mark.parametrize("scale", [1e8, 1e9, 1e150])
def test_gaussian_machines_of_patterns_far_apart(scale: float, rng: Rng):
    """Every pattern is alone: K is the identity, in training and in prediction."""
    X, y = overlapping(rng)
    model = SupportVectorMachine(C=np.inf, kernel="gaussian").fit(scale * X, y)
    assert model.status_ is Status.SEPARATED
    assert model.score(scale * X, y) == 1
    assert_allclose(model.alpha_, 1, rtol=1e-9)  # 30 rows of either class


def test_a_squared_hinge_without_a_minimum(rng: Rng):
    X, y = overlapping(rng)
    with pytest.raises(ValueError, match="has no minimum with kernel=Sigmoid"):
        SupportVectorMachine(kernel="sigmoid", loss="squared_hinge").fit(X, y)


def test_an_infinite_margin_has_its_reason():
    model = SupportVectorMachine(kernel="gaussian").fit([[1.0], [1.0], [1.0]], [0, 1, 1])
    assert model.margin_ == np.inf
    assert "margin_ and width_ are infinite" in str(model.report_)


def test_a_tiny_price_has_a_finite_margin(rng: Rng):
    X, y = overlapping(rng, 61)
    model = SupportVectorMachine(1e-200).fit(X, y)
    assert np.square(model.coef_).sum() == 0  # it underflows
    assert_allclose(model.margin_ * np.linalg.norm(1e200 * model.coef_), 1e200, rtol=1e-12)


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


def test_a_high_price_of_margins_that_rounding_leaves_below_one(rng: Rng):
    """Few rows of many columns, all on the margin: slack of rounding alone, which the plane is longer to avoid."""
    X, y = sparse.random_array((60, 20_000), density=2e-3, format="csr", rng=rng), np.arange(60) % 2
    model = SupportVectorMachine(1e10).fit(X, y)
    assert model.gap_ < 1e-12
    assert np.all((2 * y - 1) * model.decision_function(X) >= 1)


def test_a_high_price_that_the_dual_has_no_digits_for(monkeypatch: pytest.MonkeyPatch):
    """One of many pairs whose dual would work off pairs of rows for minutes; the primal has the answer at once."""
    rng, y = np.random.default_rng(2), np.arange(200) % 2
    X = rng.normal(size=(200, 10)) + 0.5 * rng.normal(size=(2, 10))[y]
    work, rounds = Whole.round, []
    monkeypatch.setattr(Whole, "round", lambda self, *rest: rounds.append(0) or work(self, *rest))
    model = SupportVectorMachine(1e10).fit(X, y)
    assert len(rounds) <= 10
    assert model.status_ is Status.CONVERGED
    z, w, alpha = 2.0 * y - 1, model.coef_[0], model.alpha_
    value = w @ w / 2 + 1e10 * np.maximum(0, 1 - z * model.decision_function(X)).sum()
    dual = alpha.sum() - np.square((alpha * z) @ X).sum() / 2
    assert np.all((alpha >= 0) & (alpha <= 1e10))
    assert abs(alpha @ z) <= 1e-9 * alpha.sum()
    assert abs(value - dual) <= 1e-8 * value


def test_a_small_violation_with_a_large_gap_is_not_the_end(rng: Rng):
    X = rng.standard_normal((1100, 30))
    y = (X[:, 0] + 0.3 * rng.standard_normal(1100) > 0).astype(int)
    model = SupportVectorMachine(1000.0, kernel="gaussian", tol=0.1).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.gap_ <= 0.01


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
    ({"kernel": "gaussian", "cache_size": 1e-5}, "too small: two kernel rows of 20 patterns"),
    ({"kernel": "gaussian", "cache_size": 0}, "cache_size=0 must be "),
    ({"loss": "log"}, "loss='log' is unknown"),
    ({"intercept": "none"}, "intercept='none' is unknown"),
    ({"intercept": "augmented", "kernel": "gaussian"}, "belongs to the linear kernel"),
    ({"tol": 0}, "tol=0 must be "),
    ({"tol": -1e-3}, r"tol=-0\.001 must be "),
    ({"multiclass": "kesler"}, "multiclass='kesler' is unknown"),
    ({"probability": "yes"}, "probability='yes' is unknown"),
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


def test_a_cache_of_few_rows_gives_the_same_answer(rng: Rng):
    X, y = overlapping(rng, 200)
    plain = SupportVectorMachine(kernel="gaussian").fit(X, y)
    for loss, other in (("hinge", plain), ("squared_hinge", None)):
        other = other or SupportVectorMachine(kernel="gaussian", loss=loss).fit(X, y)
        few = SupportVectorMachine(kernel="gaussian", loss=loss, cache_size=8 * 200 * 8 / 2**20, tol=1e-7).fit(X, y)
        assert_allclose(few.decision_function(X), other.decision_function(X), atol=1e-5)


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


def test_a_margin_below_the_rounding_is_refused(rng: Rng):
    """In decimals 4x is not four times x, and a plane of huge weights would part what floats cannot."""
    x = np.sort(rng.normal(size=4))
    with pytest.raises(NotSeparableError, match=r"lost in the rounding of floats.*leave out columns"):
        SupportVectorMachine(C=np.inf).fit(np.column_stack([x, 4 * x]), [0, 1, 0, 1])


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


def test_a_kernel_matrix_without_digits_left_is_done_without(rng: Rng):
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + rng.normal(size=300) > 0
    X[:, 1] = 1e9 + 1e6 * X[:, 1]
    model = SupportVectorMachine().fit(X, y)
    assert model.gap_ <= 1e-6
    with pytest.raises(ValueError, match=r"C=1 is beyond what floats can tell .* divide the features by"):
        SupportVectorMachine().fit(1e100 * X, y)


def test_a_class_without_weight_is_refused(rng: Rng):
    X, y = overlapping(rng)
    for options in ({}, {"kernel": "gaussian"}, {"C": np.inf, "kernel": "gaussian"}):
        with pytest.raises(ValueError, match="sample_weight is zero for every row of a class"):
            SupportVectorMachine(**options).fit(X, y, np.where(y == y[0], 1.0, 0.0))

"""Balanced Winnow: Algorithm 7 with both vectors, exponents of any size, redundant features, portions, storage."""

import math

import numpy as np
import pytest
from correction_cases import quietly, table
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant import BalancedWinnow, NotConvergedWarning, Perceptron, Status, datasets
from discriminant._engine.problem import narrow
from discriminant.error_correcting.visits import PassTotals, Visits
from discriminant.error_correcting.winnow import ROOM, ExponentScale, _epoch, _refresh


def algorithm_7(X, y, alpha, passes, plus=1.0, minus=1.0):
    """As the book prints it, until a clean pass: both vectors change at each error, and a tie is an error."""
    X, z = np.column_stack([np.ones(len(X)), X]), np.where(np.asarray(y) == np.max(y), 1, -1)
    plus, minus = (np.full(X.shape[1], v) for v in (plus, minus))
    corrections, path = [], [plus - minus]
    for _ in range(passes):
        corrections.append(0)
        for row, sign in zip(X, z, strict=True):
            if np.sign(plus @ row - minus @ row) != sign:
                plus, minus = alpha ** (sign * row) * plus, alpha ** (-sign * row) * minus
                corrections[-1] += 1
                path.append(plus - minus)
        if not corrections[-1]:
            break
    return plus, minus, corrections, np.array(path)


def logarithmic_passes(X, y, alpha, passes):
    """Algorithm 7 on exponents alone; every decision is taken in units of the row's own largest term."""
    X, z = np.column_stack([np.ones(len(X)), X]), np.where(np.asarray(y) == np.max(y), 1, -1)
    s, corrections, doubtful = np.zeros(X.shape[1]), [], 0
    for _ in range(passes):
        corrections.append(0)
        for row, sign in zip(X, z, strict=True):
            g = relative(row, s * math.log(alpha))
            doubtful += 0 < abs(g) < 1e-4  # rounding in float32 might decide these
            if sign * g <= 0:
                s += sign * row
                corrections[-1] += 1
        if not corrections[-1]:
            break
    return s, corrections, doubtful


def relative(row, exponents):
    """The sum of row_i 2 sinh(exponent_i), divided by the sum of its absolute terms; no term is larger than one."""
    used = (row != 0) & (exponents != 0)
    if not used.any():
        return 0.0
    row, e = row[used] * np.sign(exponents[used]), np.abs(exponents[used])
    terms = row / np.abs(row).max() * np.exp(e - e.max()) * -np.expm1(-2 * e)
    return math.fsum(terms) / math.fsum(np.abs(terms))


# Algorithm 7


@pytest.mark.parametrize("alpha", [1.05, 1.1, 1.3])
@pytest.mark.parametrize("categories", [(1, 2), (3, 2), (4, 2)])
def test_algorithm_7_to_the_step(alpha, categories):
    X, y = table(*categories)
    plus, minus, corrections, path = algorithm_7(X, y, alpha, 60)
    model = quietly(BalancedWinnow(alpha=alpha, max_iter=60, record="weights"), X, y)
    np.testing.assert_array_equal(model.history_["corrections"], corrections)
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.weights_, plus - minus, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(alpha**model.exponents_, plus, rtol=1e-9)
    np.testing.assert_allclose(alpha**-model.exponents_, minus, rtol=1e-9)
    assert model.shift_ == 0.0
    assert (model.n_iter_, model.n_corrections_) == (len(corrections), sum(corrections))
    assert model.status_ is (Status.BUDGET if corrections[-1] else Status.SEPARATED)


def test_or():
    """By hand: the first pattern is a tie, hence an error, and both vectors change."""
    X, y = datasets.or_function()
    plus, minus, corrections, _ = algorithm_7(np.asarray(X, float), y, 2.0, 100)
    model = BalancedWinnow(alpha=2, record="weights").fit(X, y)
    np.testing.assert_array_equal(model.history_["weights"][1], [0.5 - 2.0, 0.0, 0.0])
    assert plus.tolist() == [0.5, 4.0, 4.0]
    assert minus.tolist() == [2.0, 0.25, 0.25]
    np.testing.assert_allclose(model.weights_, [-1.5, 3.75, 3.75], rtol=1e-15)
    assert model.n_corrections_ == sum(corrections)


def test_a_start_of_exponents():
    X, y = table(3, 2)
    start = np.array([1.0, -2.0, 3.0])
    _, _, corrections, path = algorithm_7(X, y, 1.2, 30, 1.2**start, 1.2**-start)
    model = quietly(BalancedWinnow(alpha=1.2, start=start, max_iter=30, record="weights"), X, y)
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-9)
    np.testing.assert_array_equal(model.history_["corrections"], corrections)


def test_the_sample_weight_multiplies_the_exponent():
    X, y = table(3, 2)
    weight = np.linspace(0.2, 2.0, len(X))
    s, z = np.zeros(3), np.where(y == 1, 1, -1)
    Y = np.column_stack([np.ones(len(X)), X])
    for _ in range(4):
        for row, sign, w in zip(Y, z, weight, strict=True):
            if sign * (row @ np.sinh(s * math.log(1.1))) <= 0:
                s += sign * w * row
    model = quietly(BalancedWinnow(max_iter=4), X, y, weight)
    np.testing.assert_allclose(model.exponents_, s, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_compiled_pass_is_plain_python(form, rng):
    X, labels = form(rng.normal(size=(30, 3)) * 50), (np.arange(30) % 2).astype(np.int32)
    model = quietly(BalancedWinnow(max_iter=1), X, labels)
    s, V = np.zeros(4), np.zeros(4)
    visits = Visits(narrow(X), labels, np.empty(0), np.arange(30, dtype=np.uint32), np.ones(30))
    totals, _ = _epoch.py_func(visits, s, V, ExponentScale(math.log(1.1), 300.0))
    np.testing.assert_allclose(model.exponents_, s, rtol=1e-12)
    np.testing.assert_allclose(model.weights_, V, rtol=1e-9)
    met = PassTotals(*totals)
    assert met.visited == 30
    assert met.corrections == model.n_corrections_
    np.testing.assert_allclose(met.criterion, model.history_["criterion"][0], rtol=1e-9)


# Exponents of any size


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e-3, 1.0, 10.0, 1e3, 1e6])
def test_decisions_are_those_of_logarithms(dtype, scale):
    """From weights that a difference of exponentials would round to 0 up to such as would overflow it."""
    X, y = table(1, 2)
    X = (X * scale).astype(dtype)
    s, corrections, doubtful = logarithmic_passes(X.astype(float), y, 1.1, 40)
    assert doubtful <= 1
    model = quietly(BalancedWinnow(max_iter=40), X, y)
    np.testing.assert_array_equal(model.history_["corrections"], corrections)
    np.testing.assert_allclose(model.exponents_, s, rtol=1e-12)
    assert model.weights_.dtype == dtype
    assert np.all(np.isfinite(model.weights_))
    assert np.all(np.isfinite(model.decision_function(X)))
    assert np.all(np.isfinite(model.history_["criterion"]))
    top, room = np.abs(s).max() * math.log(1.1), ROOM[np.dtype(dtype)]
    assert top - room <= model.shift_ <= max(0.0, top)


@given(
    st.lists(st.integers(-(10**8), 10**8).map(lambda k: k / 1000), min_size=1, max_size=6),
    st.sampled_from([np.float64, np.float32]),
)
def test_the_weights_stay_in_range(exponents, dtype):
    s, V, room = np.array(exponents), np.empty(len(exponents), dtype), ROOM[np.dtype(dtype)]
    shift, peak = _refresh(s, ExponentScale(1.0, room), V)
    assert abs(s[peak]) == np.abs(s).max()
    assert np.all(np.abs(V) <= 1.001 * np.exp(room))
    assert np.array_equal(np.sign(V[[peak]]), np.sign(s[[peak]]).astype(dtype))
    if shift:
        np.testing.assert_allclose(abs(V[peak]), np.exp(room / 2), rtol=1e-3)
    else:
        np.testing.assert_allclose(V, 2 * np.sinh(s), rtol=1e-5)


def test_the_shift_follows_the_weights_down():
    """A weight of e^5000 comes back to e^1: without a new shift every weight would vanish and every answer be a tie."""
    X, y = np.array([[1.0], [-1.0], [1.0], [-1.0]]), [0, 1, 0, 1]
    model = BalancedWinnow(alpha=math.e, start=[0.0, 5000.0], max_iter=6000, order="cyclic").fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert model.shift_ == 0.0
    np.testing.assert_allclose(model.weights_, 2 * np.sinh(model.exponents_), rtol=1e-12)
    assert model.exponents_[1] < 0


def test_too_large_is_said():
    with pytest.raises(ValueError, match=r"X overflows: its entries reach 1.5e\+308"):
        BalancedWinnow().fit([[-1.5e308, -1.5e308], [1.5e308, 1.5e308]], [0, 1])


# Computer exercise 6


def test_irrelevant_features_cost_it_less_than_the_perceptron():
    """Both need one correction on the ten informative features; then the perceptron's grow, and Winnow's hardly."""
    counts = []
    for d in (10, 100, 400, 1600):
        X, y = datasets.redundant(1000, d, 10, random_state=0)
        winnow, perceptron = BalancedWinnow(alpha=1.5).fit(X, y), Perceptron().fit(X, y)
        assert winnow.status_ is perceptron.status_ is Status.SEPARATED
        assert winnow.n_iter_ <= perceptron.n_iter_
        counts.append((winnow.n_corrections_, perceptron.n_corrections_))
    assert counts == [(1, 1), (3, 3), (5, 9), (7, 29)]


def test_the_weight_goes_to_the_informative_features():
    X, y = datasets.redundant(1000, 400, 10, random_state=0)
    w = np.abs(BalancedWinnow(alpha=1.5).fit(X, y).coef_[0])
    assert w[:10].min() > np.percentile(w[10:], 95)


# Portions, storage, many classes


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_portions_are_the_first_pass(scale):
    X, y = table(1, 2)
    whole = quietly(BalancedWinnow(max_iter=1), X * scale, y)
    model = BalancedWinnow()
    for part in np.array_split(np.arange(len(X)), 5):
        model.partial_fit(X[part] * scale, y[part], classes=[0, 1])
    np.testing.assert_array_equal(model.exponents_, whole.exponents_)
    np.testing.assert_array_equal(model.weights_, whole.weights_)
    assert model.n_corrections_ == whole.n_corrections_


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_it_goes_on_after_a_fit(scale):
    X, y = table(1, 3)
    whole = quietly(BalancedWinnow(max_iter=5), X * scale, y)
    model = quietly(BalancedWinnow(max_iter=3), X * scale, y).partial_fit(X * scale, y).partial_fit(X * scale, y)
    np.testing.assert_array_equal(model.exponents_, whole.exponents_)
    np.testing.assert_array_equal(model.history_["corrections"], whole.history_["corrections"])


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_storage_does_not_matter(scale):
    X, y = table(1, 2)
    X *= scale
    reference = quietly(BalancedWinnow(max_iter=30), X, y)
    repeated = sparse.csr_array(
        (np.repeat(X.ravel() / 2, 2), np.tile([0, 0, 1, 1], len(X)), np.arange(0, 4 * len(X) + 1, 4)), shape=X.shape
    )
    for form in (sparse.csr_array(X), repeated):
        model = quietly(BalancedWinnow(max_iter=30), form, y)
        np.testing.assert_array_equal(model.history_["corrections"], reference.history_["corrections"])
        np.testing.assert_allclose(model.exponents_, reference.exponents_, rtol=1e-12)
    assert repeated.nnz == 2 * X.size


@pytest.mark.parametrize(("strategy", "problems"), [("one-vs-rest", 3), ("one-vs-one", 3)])
def test_many_classes(strategy, problems):
    X, y = table(1, 2, 4)
    model = quietly(BalancedWinnow(multiclass=strategy, max_iter=40), X, y)
    assert model.weights_.shape == model.exponents_.shape == (problems, 3)
    assert model.shift_.shape == (problems,)
    for p, row in enumerate(model.exponents_):
        pair = (0, 1), (0, 2), (1, 2)
        rows = np.isin(y, model.classes_[list(pair[p])]) if strategy == "one-vs-one" else np.full(len(y), True)
        positive = model.classes_[pair[p][1]] if strategy == "one-vs-one" else model.classes_[p]
        alone = quietly(BalancedWinnow(max_iter=40), X[rows], y[rows] == positive)
        np.testing.assert_array_equal(row, alone.exponents_)


def test_overlapping_classes_are_reported():
    with pytest.warns(NotConvergedWarning, match="an alpha closer to 1 or standardized features"):
        model = BalancedWinnow(max_iter=10).fit(*table(1, 3))
    assert model.status_ is Status.BUDGET


@pytest.mark.parametrize("alpha", [1, 0.5, -1.0, np.nan, np.inf, "2", True])
def test_alpha_is_above_one(alpha):
    with pytest.raises(ValueError, match=f"alpha={alpha!r} must be .*; give a base above 1"):
        BalancedWinnow(alpha=alpha).fit(*table(1, 2))


def test_there_is_no_keslers_rule():
    with pytest.raises(ValueError, match="multiclass='kesler' must be one of 'one-vs-rest', 'one-vs-one'"):
        BalancedWinnow(multiclass="kesler").fit(*table(1, 2, 4))

"""Increments that vary, batches and the two updates of the bias: the bounds hold on exact runs and are minima."""

import math
from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest
from bound_cases import OR_X, OR_Y, dot, normalized, points, radius_perceptron, vectors
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize_scalar

from discriminant import Perceptron, bounds, datasets, perceptron_bounds

etas = st.lists(st.integers(1, 6), min_size=1, max_size=5)


def labeled(X, a):
    """The labels that a gives; none of the patterns lies on its plane."""
    y = [int(dot(a, (1, *x)) > 0) for x in X]
    assume(len(set(y)) == 2 and all(dot(a, (1, *x)) for x in X))
    return y


def variable_increment(Y, a, increments, margin, batch=False):
    """Algorithms 5 and 6 in exact arithmetic with increments that repeat: the number of corrections."""
    a, increments, corrections = list(map(Fraction, a)), cycle(increments), 0
    while True:
        before = corrections
        for part in [Y] if batch else [[y] for y in Y]:
            wrong = [y for y in part if dot(a, y) <= margin]
            if wrong:
                eta = next(increments)
                a = [p + eta * sum(column) for p, column in zip(a, zip(*wrong, strict=True), strict=True)]
                corrections += 1
        if corrections == before:
            return corrections


@given(points, vectors, vectors, etas, st.integers(0, 4), st.booleans())
def test_no_run_exceeds_it(X, a, start, increments, margin, batch):
    y = labeled(X, a)
    pair = min(increments), max(increments)
    bound = bounds.perceptron(X, y, a, start=start, eta=pair, margin=margin, batch=batch)
    assert variable_increment(normalized(X, y), start, increments, margin, batch) <= bound.corrections


@given(points, vectors, vectors, st.floats(0.1, 10), st.floats(1, 20), st.floats(0, 10))
def test_it_is_the_minimum_over_alpha(X, a, start, low, ratio, margin):
    Y = normalized(X, labeled(X, a))
    beta2, gamma = max(dot(p, p) for p in Y), min(dot(a, p) for p in Y)

    def k0(alpha):
        away = float(np.sum((np.array(start) - alpha * np.array(a)) ** 2))
        return max(away / (eta * (2 * alpha * gamma - 2 * margin - eta * beta2)) for eta in (low, ratio * low))

    need = (ratio * low * beta2 + 2 * margin) / (2 * gamma)
    found = minimize_scalar(lambda s: k0(need + math.exp(s)), bounds=(-30, 30), method="bounded")
    bound = bounds.perceptron(X, labeled(X, a), a, start=start, eta=(low, ratio * low), margin=margin)
    assert bound <= found.fun * (1 + 1e-9) + 1e-9
    if np.linalg.norm(np.array(start) - need * np.array(a)) > 1e-6:
        assert bound == pytest.approx(k0(low * bound.alpha), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 3), (0.5, 8)])
def test_from_zero_it_is_the_fixed_bound_times_the_ratio_of_means(low, high):
    expected = 27 * (low + high) ** 2 / (4 * low * high)
    assert bounds.perceptron(OR_X, OR_Y, [-1, 2, 2], eta=(low, high)) == pytest.approx(expected, rel=1e-14)
    assert bounds.perceptron_from_numbers([-1, 2, 2], 3**0.5, 1.0, eta=(low, high)) == pytest.approx(expected)


@given(points, vectors)
def test_a_batch_is_never_longer_than_its_spread(X, a):
    """‖Σ y‖² ≤ m min(mβ², λ) for every set of m patterns: the step of the proof, by enumeration."""
    Y = np.array(normalized(X, labeled(X, a)), float)
    beta2 = (Y**2).sum(axis=1).max()
    spread = perceptron_bounds.spread(X)
    assert 1 <= spread <= len(Y) * (1 + 1e-9)
    for chosen in range(1, 2 ** len(Y)):
        some = Y[[bool(chosen >> i & 1) for i in range(len(Y))]]
        square, m = float(np.sum(some.sum(axis=0) ** 2)), len(some)
        assert square <= m * min(m, spread) * beta2 * (1 + 1e-9)


def test_the_spread_at_any_scale_and_width(rng, monkeypatch):
    X = rng.standard_normal((30, 4)) + 2
    Y = np.column_stack([np.full(30, 3.0), X])
    expected = np.linalg.eigvalsh(Y.T @ Y)[-1] / (Y**2).sum(axis=1).max()
    assert perceptron_bounds.spread(X, 3.0) == pytest.approx(expected)
    assert perceptron_bounds.spread(sparse.csr_array(X), 3.0) == pytest.approx(expected)
    assert perceptron_bounds.spread(1e200 * X, 3e200) == pytest.approx(expected)
    monkeypatch.setattr(perceptron_bounds, "WIDE", 3)
    assert perceptron_bounds.spread(X, 3.0) == pytest.approx((Y**2).sum() / (Y**2).sum(axis=1).max())


@pytest.mark.parametrize("options", [{}, {"bias": "radius"}, {"margin": 5.0}, {"start": [1, -2, 3]}], ids=str)
def test_the_report_of_a_batch_has_its_bound(options):
    X, y = datasets.table(1, 2)
    model = Perceptron(batch=True, schedule=2.0, **options).fit(X, y)
    bound = model.report_.to_dict()["bound"]
    assert model.n_corrections_ <= bound
    if "bias" not in options:
        numbers = {name: options[name] for name in ("margin", "start") if name in options}
        assert bound == pytest.approx(bounds.perceptron(X, y, model, eta=2.0, batch=True, **numbers), rel=1e-9)


def test_a_batch_of_many_classes_obeys_keslers_bound():
    X, y = datasets.table(1, 2, 4)
    model = Perceptron(batch=True, max_iter=10_000).fit(X, y)
    bound = bounds.perceptron(X, y, model, batch=True)
    assert model.n_corrections_ <= bound.corrections
    assert model.report_.to_dict()["bound"] == pytest.approx(bound, rel=1e-9)


@given(points, vectors)
def test_the_two_biases(X, a):
    y = labeled(X, a)
    assume(any(a[1:]))
    length, R = math.hypot(*a[1:]), bounds.radius(X)
    gamma, b = min(dot(a, p) for p in normalized(X, y)) / length, a[0] / length
    found = bounds.bias_updates(X, y, a)
    assert found.radius == pytest.approx(2 * (R**2 + b**2) / gamma**2)
    assert found.augmented == pytest.approx((1 + R**2) * (1 + b**2) / gamma**2) == bounds.perceptron(X, y, a)
    assert found.augmented - found.radius == pytest.approx((R**2 - 1) * (b**2 - 1) / gamma**2, abs=1e-6 * sum(found))
    if abs(b) <= R:
        assert found.radius <= bounds.novikoff(R, gamma) * (1 + 1e-12)
    assert radius_perceptron(np.array(X, float), 2 * np.array(y) - 1.0) <= found.radius * (1 + 1e-9)


def test_what_the_remark_says_of_them():
    """Without a bias the other bound is better by a factor of 2; with |b| of the order of R, worse by one of R²."""
    X, y = np.array([[100.0, 1.0], [-100.0, -1.0]]), [1, 0]
    central = bounds.bias_updates(X, y, [0, 0, 1])
    assert central.radius / central.augmented == pytest.approx(2, rel=1e-3)
    far = bounds.bias_updates([[101.0], [99.0]], y, [-100, 1])
    assert far.augmented / far.radius == pytest.approx(101**2 / 4, rel=0.02)


@pytest.mark.parametrize("eta", [(0, 1), (2, 1), (1, 2, 3), (1, math.inf), ("a", "b")], ids=str)
def test_bad_increments(eta):
    with pytest.raises((ValueError, TypeError), match="eta="):
        bounds.perceptron(OR_X, OR_Y, [-1, 2, 2], eta=eta)


def test_the_biases_are_those_of_one_plane():
    with pytest.raises(ValueError, match="of one plane"):
        bounds.bias_updates(OR_X, OR_Y, [[0, 0, 0], [-1, 2, 2]])


def test_a_margin_too_small_for_a_bound_is_not_called_none():
    X, y = np.array([[0, 0], [0, 1e-200], [1e-200, 0]]), [0, 1, 1]
    with pytest.raises(ValueError, match=r"separates by gamma = 1, too little for a bound.*scale the columns"):
        bounds.perceptron(X, y, [-1, 2e200, 2e200])


def test_batch_is_a_flag():
    with pytest.raises(ValueError, match="batch='yes' must be one of True, False"):
        bounds.perceptron([[0.0], [1.0]], [0, 1], [-1, 2], batch="yes")

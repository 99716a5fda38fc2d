"""MinOver and the Adatron: the exact margins, the rules by hand, bounds that meet, kernels, storage, bad input."""

import numpy as np
import pytest
from correction_cases import quietly, table
from margin_cases import EXACT, RULES, XOR, two_clouds

from discriminant import Adatron, MinOver, Status, datasets, margins, separability
from discriminant._engine.driver import Watch
from discriminant._engine.problem import make_problem
from discriminant.error_correcting.margin_rule import MarginPlan, MarginRule
from discriminant.error_correcting.minover import Learn

# The books' numbers


@pytest.mark.parametrize("pair", [(1, 2), (1, 4), (3, 2), (4, 2), (3, 4)])
@pytest.mark.parametrize(("kind", "options"), RULES)
def test_the_margin_of_every_separable_pair_of_the_table(kind, options, pair):
    X, y = table(*pair)
    exact = float(separability(X, y).margin)
    model = kind(**options).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert 0.99 * exact <= model.margin_ <= exact * (1 + 1e-9)
    assert exact <= model.margin_ * (1 + model.gap_) * (1 + 1e-9)
    assert 0 <= model.gap_ <= 1e-3
    np.testing.assert_allclose(margins(model, X, y).margin, model.margin_, rtol=1e-9)
    assert model.score(X, y) == 1


@pytest.mark.parametrize("kind", EXACT)
def test_example_10(kind):
    X, y = datasets.svm_three()
    model = kind(tol=1e-12).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[2 / 5, 1 / 5]], rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, [-2], rtol=1e-10)
    np.testing.assert_allclose(model.weights_, [-2, 2 / 5, 1 / 5], rtol=1e-10)
    np.testing.assert_allclose(model.alpha_, [0.1, 0, 0.1], rtol=1e-10, atol=1e-12)
    assert model.support_.tolist() == [0, 2]
    assert model.margin_ == pytest.approx(np.sqrt(5), rel=1e-10)


@pytest.mark.parametrize("kind", EXACT)
def test_problem_29(kind):
    X, y = datasets.margin_six()
    model = kind(tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.weights_, [-3, 2, 2], rtol=1e-7)
    assert model.margin_ == pytest.approx(np.sqrt(2) / 4, rel=1e-8)
    z = np.where(np.asarray(y) == 1, 1, -1)
    np.testing.assert_allclose(model.alpha_ * z @ np.asarray(X, float), [2, 2], rtol=1e-7)
    assert model.alpha_.sum() / 2 == pytest.approx(4, rel=1e-7)  # the dual value: half of the sum, as |w|^2 is the sum


@pytest.mark.parametrize(("kind", "options"), RULES)
def test_example_2(kind, options):
    X, y = datasets.xor_signed()
    model = kind(XOR, **options).fit(X, y)
    np.testing.assert_allclose(model.alpha_, np.full(4, 1 / 8), rtol=1e-3)
    assert model.margin_ == pytest.approx(np.sqrt(2), rel=1e-3)
    new = np.array([[2.0, 3.0], [-1.0, 0.5]])
    np.testing.assert_allclose(model.decision_function(new), new.prod(axis=1), rtol=5e-3)
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "weights_")


@pytest.mark.parametrize("kind", EXACT)
def test_the_norm_leaves_the_intercept_out(kind):
    """On augmented vectors only 0.90 of this margin is reached; far from the origin nothing at all changes."""
    X, y = table(3, 2)
    model, moved = kind(tol=1e-6).fit(X, y), kind(tol=1e-6).fit(X + 1000, y)
    assert model.margin_ == pytest.approx(float(separability(X, y).margin), rel=1e-6)
    assert moved.margin_ == pytest.approx(model.margin_, rel=2e-6)
    np.testing.assert_allclose(moved.coef_, model.coef_, rtol=1e-2, atol=1e-3)


# The rules by hand


def printed_minover(X, y, updates):
    """Krauth and Mezard with a free threshold: add the worst pattern of each class."""
    alpha, z = np.zeros(len(y)), np.where(y == 1, 1, -1)
    for _ in range(updates):
        f = X @ (alpha * z @ X)
        alpha[np.argmin(np.where(y == 1, f, np.inf))] += 1
        alpha[np.argmax(np.where(y == 0, f, -np.inf))] += 1
    return alpha


def printed_adatron(X, y, eta, updates):
    """Two worst patterns, or the two best remembered ones, whichever are further from z g(x) = 1."""
    alpha, z = np.zeros(len(y)), np.where(y == 1, 1, -1)
    for _ in range(updates):
        f = X @ (alpha * z @ X)
        p, q = np.argmin(np.where(y == 1, f, np.inf)), np.argmax(np.where(y == 0, f, -np.inf))
        if alpha.any():
            r = np.argmax(np.where((y == 1) & (alpha > 0), f, -np.inf))
            s = np.argmin(np.where((y == 0) & (alpha > 0), f, np.inf))
            if f[r] - f[s] - 2 > 2 - (f[p] - f[q]):
                p, q = r, s
        step = eta * (2 - (f[p] - f[q])) / np.sum((X[p] - X[q]) ** 2)
        step = max(step, -min(alpha[p], alpha[q])) if step < 0 else step
        alpha[[p, q]] += step
    return alpha


def printed_line(X, y, updates):
    """The method of Mitchell, Demyanov and Malozemov on both hulls."""
    alpha, z = np.zeros(len(y)), np.where(y == 1, 1, -1)
    alpha[[np.argmax(y == 1), np.argmax(y == 0)]] = 1
    for _ in range(updates - 1):
        w = alpha * z @ X
        worst = [np.argmin(np.where(y == c, z * (X @ w), np.inf)) for c in (1, 0)]
        best = [np.argmax(np.where((y == c) & (alpha > 0), z * (X @ w), -np.inf)) for c in (1, 0)]
        gaps = [(z * (X @ w))[b] - (z * (X @ w))[a] for a, b in zip(worst, best, strict=True)]
        a, b = (worst[0], best[0]) if gaps[0] >= gaps[1] else (worst[1], best[1])
        step = min(alpha[b], max(gaps) / np.sum((X[a] - X[b]) ** 2))
        alpha[a] += step
        alpha[b] -= step
    return alpha


@pytest.mark.parametrize("updates", [1, 2, 5, 9])
def test_the_updates_are_those_of_the_rules(updates, rng):
    X, y = two_clouds(rng, n=200, d=20, apart=1.0)
    common = {"tol": 1e-15, "max_iter": updates, "kernel": lambda X, Z: X @ Z.T, "record": "weights"}
    for model, alpha in (
        (MinOver(step="fixed", **common), printed_minover(X, y, updates)),
        (MinOver(**common), printed_line(X, y, updates)),
        (Adatron(**common), printed_adatron(X, y, 1.0, updates)),
        (Adatron(eta=0.3, **common), printed_adatron(X, y, 0.3, updates)),
    ):
        quietly(model, X, y)
        assert model.n_iter_ == model.n_corrections_ == updates
        reached = np.abs(model.history_["weights"][-1][1:])
        np.testing.assert_allclose(reached / reached.sum(), alpha / alpha.sum(), rtol=1e-8, atol=1e-12)


def test_fixed_steps_are_whole_numbers(rng):
    X, y = two_clouds(rng, apart=4.0)
    model = quietly(MinOver(step="fixed", max_iter=50, tol=1e-9), X, y)
    counts = model.alpha_ * 50 / model.alpha_[y == 1].sum()
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)
    np.testing.assert_array_equal(model.history_["step"], 1)


# Classes that overlap


def test_the_adatron_names_rows_that_coincide():
    X, y = [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]], [0, 0, 1]
    model = quietly(Adatron(), X, y)
    assert model.status_ is Status.NOT_SEPARABLE
    assert "rows 2 and 1 of different classes coincide" in str(model.report_)
    assert model.evidence_.tolist() == [0, 1, 1]


# Compiled code, storage, symmetry


def test_an_update_of_minover_adds_the_difference_of_the_worst_patterns():
    X, labels = np.array([[2.0, 1.0], [1.0, 3.0], [6.0, 3.0]]), np.array([0, 0, 1], np.int32)
    rule = MarginRule(Learn(exchanges=False), make_problem(X, labels, None, 2), MarginPlan(tol=1e-3, max_iter=1))
    rule.epoch(rule.problem, Watch())
    np.testing.assert_array_equal(rule.v, [0, *(X[2] - X[0])])  # before the first update all patterns are the worst
    np.testing.assert_array_equal(rule.alpha, [1, 0, 1])


# Weights, classes, callbacks, bad input


def test_bad_rates_and_steps():
    for eta in (0, 2, -1, "fast"):
        with pytest.raises(ValueError, match=r"eta=.* must be .*; the rule converges for 0 < eta < 2"):
            Adatron(eta=eta).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="step='best' must be one of "):
        MinOver(step="best").fit([[0.0], [1.0]], [0, 1])

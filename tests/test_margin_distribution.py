"""Margins of examples: functional, geometric, and their slack."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import SVC, LinearSVC

from discriminant.geometry import Hyperplane, LinearMachine, augment
from discriminant.margin_distribution import margins

SCALES = [1e-150, 1e-10, 1.0, 1e150]
small_integers = st.integers(-8, 8)
reals = st.floats(-100, 100).map(lambda value: round(value, 3))


def vectors(d, elements=reals):
    return arrays(np.float64, d, elements=elements)


def test_margins_by_hand():
    result = margins(Hyperplane([3, 4], -5), [[3, 4], [0, 0], [-1, 3], [-1, 2]], ["p", "n", "n", "p"], gamma=1)
    np.testing.assert_array_equal(result.functional, [20, 5, -4, 0])
    np.testing.assert_array_equal(result.geometric, [4, 1, -0.8, 0])
    np.testing.assert_array_equal(result.slack, [0, 0, 5, 1])
    np.testing.assert_allclose(result.D, 26**0.5, rtol=1e-15)
    assert result.errors == 2  # the undecided example is one
    assert result.margin == -0.8
    np.testing.assert_allclose(result.quantiles([0, 0.5, 1]), [-0.8, 0.5, 4], rtol=1e-15)
    assert repr(result) == "MarginDistribution(n=4, margin=-0.8, errors=2, gamma=1, D=5.099)"
    assert "2 of them on the wrong side" in str(result)


def test_problem_29_margin():
    X = [[1, 1], [2, 2], [2, 0], [0, 0], [1, 0], [0, 1]]
    y = [1, 1, 1, 0, 0, 0]
    result = margins(Hyperplane([2, 2], -3), X, y)
    assert result.margin == pytest.approx(2**0.5 / 4, rel=1e-15)
    np.testing.assert_array_equal(np.flatnonzero(result.functional == 1), [0, 2, 4, 5])
    assert result.gamma == 1
    assert result.D == result.errors == 0
    swapped = margins(Hyperplane([-2, -2], 3), X, [1 - label for label in y])
    np.testing.assert_array_equal(swapped.functional, result.functional)


def test_slack_is_literal_or_that_of_the_unit_plane():
    X, y = [[3, 4], [0, 0], [-1, 3]], [1, 0, 0]
    literal, unit = (margins(Hyperplane([3, 4], -5), X, y, gamma=2, normalized=n) for n in (False, True))
    np.testing.assert_array_equal(literal.slack, [0, 0, 6])
    np.testing.assert_allclose(unit.slack, [0, 1, 2.8], rtol=1e-15)
    already_unit = margins(Hyperplane([0.6, 0.8], -1), X, y, gamma=2)
    np.testing.assert_allclose(already_unit.slack, unit.slack, rtol=1e-14)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(("X", "expected"), [([[-3], [2], [1]], 1), ([[-3], [2], [-1]], 3), ([[3], [-2], [-1]], 0)])
def test_default_target_margin(X, expected, normalized):
    """The smallest margin, else the largest, else zero; in the unit of the slacks."""
    unit = 1 if normalized else 2
    result = margins(Hyperplane([2]), X, [0, 1, 1], normalized=normalized)
    assert result.gamma == expected * unit
    assert (result.D == 0) == (expected == 1)


def test_freund_schapire_bound_holds_for_the_slack_of_the_unit_plane(rng):
    """Theorem 2.7: mistakes of the first pass of Table 2.1 (with the R² bias) are at most (2(R + D)/γ)²."""
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=200) > 0).astype(int)
    R = np.linalg.norm(X, axis=1).max()
    w, b, mistakes = np.zeros(2), 0.0, 0
    for x, z in zip(X, 2 * y - 1, strict=True):
        if z * (w @ x + b) <= 0:
            w, b, mistakes = w + z * x, b + z * R**2, mistakes + 1
    result = margins(Hyperplane([5, 0]), X, y, gamma=1, normalized=True)
    assert result.D > 0
    assert mistakes <= (2 * (R + result.D) / result.gamma) ** 2
    np.testing.assert_allclose(result.D**2, np.square(np.maximum(0, 1 - (2 * y - 1) * X[:, 0])).sum(), rtol=1e-12)


def test_margin_by_the_augmented_norm():
    X, y = [[3, 4], [0, 0]], [1, 0]
    plane = Hyperplane([3, 4], -12)
    by_a = margins(plane, X, y, by="a")
    np.testing.assert_allclose(by_a.geometric, np.array([13, 12]) / 13, rtol=1e-15)
    np.testing.assert_array_equal(by_a.functional, [13, 12])
    distances = Hyperplane(plane.a).distance(augment(X))
    np.testing.assert_allclose(by_a.geometric, distances * [1, -1], rtol=1e-15)


@given(vectors((4, 3), small_integers), vectors((5, 2), small_integers))
def test_margins_of_a_linear_machine(weights, X):
    classes, true = np.array(["d", "a", "c", "b"]), np.array([0, 1, 2, 3, 0])
    machine = LinearMachine(weights, classes)
    g = machine.discriminants(X)
    expected = []
    for row, i in zip(g, true, strict=True):
        rival = max((j for j in range(4) if j != i), key=lambda j: (row[j], -j))
        norm = np.linalg.norm(weights[i, 1:] - weights[rival, 1:])
        assume(norm > 0)
        expected.append((row[i] - row[rival], (row[i] - row[rival]) / norm))
    result = margins(machine, X, classes[true])
    functional, geometric = np.transpose(expected)
    np.testing.assert_array_equal(result.functional, functional)
    np.testing.assert_allclose(result.geometric, geometric, rtol=1e-14)
    wrong = (machine.predict(X) != classes[true]) | ((g == g.max(axis=1, keepdims=True)).sum(axis=1) > 1)
    assert result.errors == wrong.sum()


@pytest.fixture(params=[2, 3])
def labeled(request, rng):
    """Three overlapping classes, or two of them, with labels that are not their indices."""
    y = np.repeat(np.arange(request.param), 20)
    return rng.normal(size=(len(y), 2)) + 2 * np.array([[0, 0], [1, 0], [0, 1]])[y], np.array(["x", "y", "z"])[y]


@pytest.mark.parametrize(
    "model", [LogisticRegression(), LinearSVC(fit_intercept=False), RidgeClassifier(), LinearDiscriminantAnalysis()]
)
def test_margins_of_fitted_classifiers(model, labeled):
    X, y = labeled
    model.fit(X, y)
    result = margins(model, X, y)
    true = np.searchsorted(model.classes_, y)
    g = model.decision_function(X)
    g = np.column_stack([np.zeros(len(X)), g]) if g.ndim == 1 else g
    rival = np.where(np.arange(g.shape[1]) == true[:, None], -np.inf, g).max(axis=1)
    np.testing.assert_allclose(result.functional, g[np.arange(len(X)), true] - rival, rtol=1e-9, atol=1e-12)
    assert result.errors == np.sum(model.predict(X) != y)
    np.testing.assert_allclose(
        margins(model, sparse.csr_array(X), y).geometric, result.geometric, rtol=1e-9, atol=1e-12
    )


def test_fitted_two_class_model_is_its_hyperplane(rng):
    X, y = rng.normal(size=(30, 2)), np.repeat([0, 1], 15)
    model = LogisticRegression().fit(X, y)
    expected = margins(Hyperplane(model.coef_[0], model.intercept_[0]), X, y)
    np.testing.assert_array_equal(margins(model, X, y).geometric, expected.geometric)
    one = margins(model, X[:1], y[:1])  # the model's classes count, not those present
    assert one.geometric[0] == pytest.approx(expected.geometric[0], rel=1e-12)
    model.sparsify()
    np.testing.assert_array_equal(margins(model, X, y).geometric, expected.geometric)


@pytest.mark.parametrize("c", [3, 4])
def test_pairwise_weights_are_refused(rng, c):
    X, y = rng.normal(size=(10 * c, 2)), np.repeat(np.arange(c), 10)
    with pytest.raises(ValueError, match="one discriminant a class"):
        margins(SVC(kernel="linear").fit(X, y), X, y)


@pytest.mark.parametrize("scale", SCALES)
def test_margins_at_any_scale(scale):
    plane = Hyperplane(np.array([3, 4]) * scale, -5 * scale * scale)
    result = margins(plane, np.array([[3, 4], [0, 0], [-1, 3]]) * scale, [1, 0, 0], gamma=scale, normalized=True)
    np.testing.assert_allclose(result.geometric, np.array([4, 1, -0.8]) * scale, rtol=1e-13)
    np.testing.assert_allclose(result.D, 1.8 * scale, rtol=1e-13)
    assert result.errors == 1


PLANE, MACHINE = Hyperplane([1.0, 1.0]), LinearMachine([[0, 1, 0], [0, 0, 1], [1, 0, 1]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: margins(PLANE, [[1, 2]], [1]), r"y must have exactly two distinct values, got \[1\]"),
        (lambda: margins(PLANE, [[1, 2]], [0, 1]), r"y has shape \(2,\), expected \(1,\)"),
        (lambda: margins(PLANE, [1, 2], [0, 1]), r"X must have one row"),
        (lambda: margins(PLANE, [[1], [2]], [0, 1]), r"X has shape \(2, 1\)"),
        (lambda: margins(PLANE, [[1, 2], [2, 1]], [0, 1], gamma=0), r"gamma=0 must be None or a number > 0"),
        (lambda: margins(PLANE, [[1, 2], [2, 1]], [0, 1], gamma=np.nan), r"gamma=nan must be None or a number > 0"),
        (lambda: margins(PLANE, [[1, 2], [2, 1]], [0, 1], by="b"), r"by='b' must be one of 'w', 'a'"),
        (lambda: margins(Hyperplane([0, 0]), [[1, 2], [2, 1]], [0, 1]), r"the same weight vector"),
        (lambda: margins(MACHINE, [[1, 2]], [3]), r"y holds 3, which is not among the classes \[0, 1, 2\]"),
        (lambda: margins(MACHINE, [[1, 2]], ["0"]), r"y holds '0'"),
        (lambda: margins(MACHINE, [[0, 9]], [1]), r"classes 1 and 2 the same weight vector"),
        (lambda: margins(LogisticRegression(), [[1, 2]], [0]), r"must be a fitted linear classifier"),
        (lambda: margins("plane", [[1, 2]], [0]), r"must be a fitted linear classifier"),
    ],
)
def test_margin_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()

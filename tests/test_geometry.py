"""Hyperplanes, linear machines, augmentation, quadrics and margins: the book's numbers and the geometry's laws."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import SVC, LinearSVC

from discriminant.geometry import Hyperplane, LinearMachine, augment, normalize, unaugment
from discriminant.margin_distribution import margins
from discriminant.quadrics import classify_quadric

SCALES = [1e-150, 1e-10, 1.0, 1e150]
small_integers = st.integers(-8, 8)
reals = st.floats(-100, 100).map(lambda value: round(value, 3))


def vectors(d, elements=reals):
    return arrays(np.float64, d, elements=elements)


# Hyperplane


def test_hyperplane_by_hand():
    plane = Hyperplane([3, 4], -5)
    X = [[3, 4], [0, 0], [-1, 2]]
    np.testing.assert_array_equal(plane.value(X), [20, -5, 0])
    np.testing.assert_array_equal(plane.distance(X), [4, -1, 0])
    np.testing.assert_array_equal(plane.side(X), [1, -1, 0])
    np.testing.assert_array_equal(plane.undecided(X), [False, False, True])
    np.testing.assert_allclose(plane.project(X), [[0.6, 0.8], [0.6, 0.8], [-1, 2]], atol=1e-15)
    assert plane.origin_distance == -1
    np.testing.assert_array_equal(plane.a, [-5, 3, 4])


def test_one_point_gives_one_value():
    plane = Hyperplane([3, 4], -5)
    for method, expected in [("value", 20), ("distance", 4), ("side", 1), ("undecided", False)]:
        result = getattr(plane, method)([3, 4])
        assert np.ndim(result) == 0
        assert result == expected
    assert plane.project([3, 4]).shape == (2,)


@given(vectors(3), reals, vectors((4, 3)), vectors(3))
def test_projection_is_the_nearest_point_of_the_surface(w, w0, X, other):
    assume(np.linalg.norm(w) > 1e-2)
    plane = Hyperplane(w, w0)
    r, feet = plane.distance(X), plane.project(X)
    size = 1 + np.abs(X).max() + np.abs(r).max()
    np.testing.assert_allclose(plane.distance(feet), 0, atol=1e-13 * size)
    np.testing.assert_allclose(np.linalg.norm(X - feet, axis=1), np.abs(r), atol=1e-13 * size)
    np.testing.assert_allclose(np.cross(X - feet, w), 0, atol=1e-12 * size * np.linalg.norm(w))
    elsewhere = plane.project(other)
    assert (np.linalg.norm(X - elsewhere, axis=1) >= np.abs(r) - 1e-12 * (size + np.abs(elsewhere).max())).all()


@given(vectors(3), reals, vectors((4, 3)), st.floats(1e-3, 1e3))
def test_distances_ignore_the_length_of_w(w, w0, X, factor):
    assume(np.linalg.norm(w) > 1e-2)
    plane = Hyperplane(w, w0)
    expected = plane.distance(X)
    atol = 1e-13 * (1 + np.abs(X).max() + abs(plane.origin_distance))
    np.testing.assert_allclose(Hyperplane(factor * w, factor * w0).distance(X), expected, atol=atol)
    np.testing.assert_allclose(Hyperplane(-factor * w, -factor * w0).distance(X), -expected, atol=atol)


@pytest.mark.parametrize(("scale_w", "scale_x"), [*product(SCALES, SCALES), (1e-300, 1), (1e300, 1)])
def test_any_scale(scale_w, scale_x):
    plane = Hyperplane(np.array([3, 4]) * scale_w, -5 * scale_w * scale_x)
    X = np.array([[3, 4], [0, 0]]) * scale_x
    np.testing.assert_allclose(plane.distance(X), np.array([4, -1]) * scale_x, rtol=1e-14)
    np.testing.assert_allclose(plane.project(X), [[0.6 * scale_x, 0.8 * scale_x]] * 2, rtol=1e-14)
    np.testing.assert_allclose(plane.origin_distance, -scale_x, rtol=1e-14)
    np.testing.assert_array_equal(plane.side(X), [1, -1])


def test_side_survives_where_the_value_underflows():
    assert Hyperplane([1e-200]).value([1e-200]) == 0
    assert Hyperplane([1e-200]).side([1e-200]) == 1


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_sparse_points_equal_dense_points(rng, container):
    X = rng.integers(-3, 4, size=(20, 5)) * (rng.random((20, 5)) < 0.4)
    plane = Hyperplane(rng.integers(-3, 4, size=5), 1)
    machine = LinearMachine(rng.integers(-3, 4, size=(3, 6)))
    for method in (plane.value, plane.distance, plane.project, plane.side, plane.undecided):
        np.testing.assert_array_equal(method(container(X)), method(X))
    for method in (machine.discriminants, machine.predict, machine.undecided):
        np.testing.assert_array_equal(method(container(X)), method(X))


def test_equality_and_representation():
    plane = Hyperplane([3, 4], -5)
    assert plane == Hyperplane.from_augmented([-5, 3, 4])
    assert hash(plane) == hash(Hyperplane.from_augmented([-5, 3, 4]))
    assert plane != Hyperplane([3, 4], -4)
    assert plane != Hyperplane([6, 8], -10)
    assert plane != Hyperplane([3, 4, 0], -5)
    assert plane != "Hyperplane"
    assert repr(plane) == "Hyperplane(w=[3., 4.], w0=-5.0)"
    assert len(repr(Hyperplane(np.arange(1000)))) < 100


def test_weights_are_copied_and_kept():
    w = np.array([3.0, 4.0])
    plane = Hyperplane(w)
    w[0] = 0
    assert plane.w[0] == 3
    with pytest.raises(ValueError, match="read-only"):
        plane.w[0] = 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hyperplane([]), r"w must be a nonempty array with 1 axes"),
        (lambda: Hyperplane([[1, 2]]), r"w must .* got shape \(1, 2\)"),
        (lambda: Hyperplane([1, np.nan]), r"w must be finite"),
        (lambda: Hyperplane([1], np.inf), r"w0 must be finite"),
        (lambda: Hyperplane([1], [1, 2]), r"w0 must .* got shape \(2,\)"),
        (lambda: Hyperplane(["a"]), r"w must hold real numbers"),
        (lambda: Hyperplane([1j]), r"w must hold real numbers .*complex"),
        (lambda: Hyperplane.from_augmented([1]), r"a=\[1\.\] has no weight beside w0"),
        (lambda: Hyperplane([1, 2]).value([1, 2, 3]), r"X has shape \(3,\).* the 2 features"),
        (lambda: Hyperplane([1, 2]).value([[1], [2, 3]]), r"X must hold real numbers"),
        (lambda: Hyperplane([1, 2]).value([[np.nan, 1]]), r"X must be finite"),
        (lambda: Hyperplane([1, 2]).value(sparse.csr_array([[np.inf, 1]])), r"X must be finite"),
        (lambda: Hyperplane([1, 2]).value(sparse.csr_array([[1j, 1]])), r"X must hold real numbers"),
        (lambda: Hyperplane([1, 2]).value(np.zeros((1, 1, 2))), r"X has shape \(1, 1, 2\)"),
        (lambda: Hyperplane([0, 0], 1).distance([1, 1]), r"w=\[0\. 0\.\] must not be zero"),
        (lambda: Hyperplane([0, 0], 1).project([1, 1]), r"w=\[0\. 0\.\] must not be zero"),
        (lambda: Hyperplane([0, 0], 1).origin_distance, r"w=\[0\. 0\.\] must not be zero"),
    ],
)
def test_hyperplane_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_zero_weights_still_have_values_and_sides():
    np.testing.assert_array_equal(Hyperplane([0, 0], 2).value([[1, 5]]), [2])
    np.testing.assert_array_equal(Hyperplane([0, 0], 0).undecided([[1, 5]]), [True])


# LinearMachine


def test_linear_machine_by_hand():
    machine = LinearMachine([[0, 1, 0], [0, 0, 1], [1, -1, -1]], classes=["east", "north", "west"])
    X = [[3, 1], [2, 2], [-2, 0]]
    np.testing.assert_array_equal(machine.discriminants(X), [[3, 1, -3], [2, 2, -3], [-2, 0, 3]])
    assert machine.predict(X).tolist() == ["east", "east", "west"]
    np.testing.assert_array_equal(machine.undecided(X), [False, True, False])
    assert machine.predict([2, 2]) == "east"
    assert machine.discriminants([2, 2]).shape == (3,)
    assert machine.undecided([2, 2])
    assert machine.n_classes == 3
    assert machine.boundary(0, 2) == Hyperplane([2, 1], -1)
    np.testing.assert_allclose(machine.distance(X, 0, 1), [2**0.5, 0, -(2**0.5)], rtol=1e-15)
    assert repr(machine) == "LinearMachine(n_classes=3, n_features=2)"


def test_tie_below_the_largest_is_decided():
    assert not LinearMachine([[2, 0], [1, 0], [1, 0]]).undecided([5])


@given(vectors((4, 3), small_integers), vectors((2, 2), small_integers), st.integers(0, 16))
def test_regions_are_convex(weights, ends, k):
    """Problem 1, exact because the weights are integers and λ is k/16."""
    machine = LinearMachine(weights)
    assume(not machine.undecided(ends).any())
    start, end = machine.predict(ends)
    assume(start == end)
    between = (k * ends[0] + (16 - k) * ends[1]) / 16
    assert machine.predict(between) == start
    assert not machine.undecided(between)


@given(vectors((3, 3), small_integers), vectors(3, small_integers), vectors((5, 2), small_integers))
def test_only_differences_of_weights_matter(weights, shift, X):
    """Problem 4(b)."""
    machine, shifted = LinearMachine(weights), LinearMachine(weights + shift)
    np.testing.assert_array_equal(machine.predict(X), shifted.predict(X))
    np.testing.assert_array_equal(machine.undecided(X), shifted.undecided(X))
    assert machine.boundary(0, 2) == shifted.boundary(0, 2)


@given(vectors((3, 3), small_integers), vectors((5, 2), small_integers))
def test_distance_to_a_boundary(weights, X):
    norm = np.linalg.norm(weights[0, 1:] - weights[1, 1:])
    assume(norm > 0)
    machine = LinearMachine(weights)
    g = machine.discriminants(X)
    np.testing.assert_allclose(machine.distance(X, 0, 1), (g[:, 0] - g[:, 1]) / norm, rtol=1e-14)
    np.testing.assert_array_equal(machine.distance(X, 1, 0), -machine.distance(X, 0, 1))


@pytest.mark.parametrize("scale", [1e-300, *SCALES, 1e300])
def test_linear_machine_at_any_scale(scale):
    weights = np.array([[0, 1, 0], [0, 0, 1], [1, -1, -1]]) * scale
    machine = LinearMachine(weights)
    np.testing.assert_array_equal(machine.predict([[3, 1], [1, 3], [-2, 0]]), [0, 1, 2])
    np.testing.assert_allclose(machine.distance([3, 1], 0, 1), 2**0.5, rtol=1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearMachine([1, 2]), r"weights must .* got shape \(2,\)"),
        (lambda: LinearMachine([[1, 2]]), r"weights has shape \(1, 2\)"),
        (lambda: LinearMachine([[1], [2]]), r"weights has shape \(2, 1\)"),
        (lambda: LinearMachine([[1, np.nan], [2, 1]]), r"weights must be finite"),
        (lambda: LinearMachine([[1, 2], [3, 4]], classes=[1]), r"classes=\[1\] must be 2 distinct"),
        (lambda: LinearMachine([[1, 2], [3, 4]], classes=["a", "a"]), r"classes=.* must be 2 distinct"),
        (lambda: LinearMachine([[1, 2], [3, 4]]).boundary(0, 0), r"i, j=0, 0 .* up to 1"),
        (lambda: LinearMachine([[1, 2], [3, 4]]).boundary(0, 2), r"i, j=0, 2"),
        (lambda: LinearMachine([[1, 2], [3, 4]]).boundary(-1, 0), r"i, j=-1, 0"),
        (lambda: LinearMachine([[1, 2], [3, 2]]).distance([[1]], 0, 1), r"w=\[0\.\] must not be zero"),
        (lambda: LinearMachine([[1, 2], [3, 4]]).predict([[1, 2]]), r"X has shape \(1, 2\).* 1 features"),
    ],
)
def test_linear_machine_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Augmentation and normalization


@given(vectors((4, 3), st.floats(allow_nan=False)), st.sampled_from([np.float32, np.float64]))
def test_augmentation_and_normalization_are_reversible(X, dtype):
    with np.errstate(over="ignore"):
        X = X.astype(dtype)
    labels = np.array(["n", "p", "p", "n"])
    before = X.copy()
    X.flags.writeable = False
    Y = augment(X)
    assert Y.dtype == dtype
    np.testing.assert_array_equal(Y[:, 0], 1)
    np.testing.assert_array_equal(unaugment(Y), X)
    Z = normalize(Y, labels)
    assert Z.dtype == dtype
    np.testing.assert_array_equal(Z, [-Y[0], Y[1], Y[2], -Y[3]])
    np.testing.assert_array_equal(normalize(Z, labels), Y)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_sparse_patterns_equal_dense_patterns(rng, container, dtype):
    dense = (rng.integers(-3, 4, size=(6, 4)) * (rng.random((6, 4)) < 0.5)).astype(dtype)
    X, labels = container(dense), [1, 0, 0, 1, 1, 0]
    Y = augment(X)
    Z = normalize(Y, labels)
    for result, expected in [
        (Y, augment(dense)),
        (Z, normalize(augment(dense), labels)),
        (normalize(Z, labels), augment(dense)),
        (unaugment(Y), dense),
    ]:
        assert result.format == "csr"
        assert isinstance(result, sparse.sparray) == isinstance(X, sparse.sparray)
        assert result.dtype == (np.float64 if dtype == np.int64 else dtype)
        np.testing.assert_array_equal(result.toarray(), expected)
    np.testing.assert_array_equal(X.toarray(), dense)
    np.testing.assert_array_equal(Y.toarray(), augment(dense))


def test_integers_of_any_kind_become_floats():
    np.testing.assert_array_equal(normalize(np.array([[1, 2], [1, 3]], dtype=np.uint8), [0, 1]), [[-1, -2], [1, 3]])
    assert augment([[True, False]]).dtype == np.float64
    np.testing.assert_array_equal(augment([2, 3]), [1, 2, 3])
    np.testing.assert_array_equal(unaugment([1, 2, 3]), [2, 3])


def test_results_do_not_share_memory_with_their_input():
    Y = np.array([[1.0, 2.0]])
    unaugment(Y)[0, 0] = 7
    assert Y[0, 1] == 2


@given(vectors(3, small_integers), vectors((6, 2), small_integers))
def test_normalized_patterns_forget_their_labels(a, X):
    """aᵗy > 0 exactly where the sign of g is that of the label (§5.4.1)."""
    labels = np.array([1, 1, 1, 0, 0, 0])
    right = Hyperplane.from_augmented(a).side(X) == 2 * labels - 1
    np.testing.assert_array_equal(normalize(augment(X), labels) @ a > 0, right)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: augment(5), r"X has shape \(\)"),
        (lambda: augment([["a"]]), r"X must hold real numbers"),
        (lambda: augment([[1], [2, 3]]), r"X must hold real numbers in equal rows"),
        (lambda: unaugment([[1, 2], [-1, 3]]), r"Y must have y0 = 1 .* undo normalize"),
        (lambda: unaugment(sparse.csr_array([[0, 2]])), r"Y must have y0 = 1"),
        (lambda: unaugment(np.empty((2, 0))), r"Y must have y0 = 1"),
        (lambda: normalize([1, 2], [0, 1]), r"Y has shape \(2,\)"),
        (lambda: normalize([[1], [1]], [0, 0]), r"labels must have exactly two distinct values, got \[0\]"),
        (lambda: normalize([[1], [1], [1]], [0, 1, 2]), r"exactly two distinct values, got \[0, 1, 2\]"),
        (lambda: normalize([[1], [1]], [0, np.nan]), r"exactly two distinct values"),
        (lambda: normalize([[1], [1]], np.array([0, "a"], dtype=object)), r"labels cannot be sorted"),
        (lambda: normalize([[1], [1]], [0]), r"labels has shape \(1,\), expected \(2,\)"),
    ],
)
def test_pattern_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Quadrics

P11D = [[1, 2, 0], [2, 5, 1], [0, 1, -3]], [5, 2, -3], Fraction(331, 16)
P11E = [[1, 2, 3], [2, 0, 4], [3, 4, -5]], [2, -1, 3], Fraction(-59, 104)


def quadratic(W, w, w0, x):
    return w0 + np.dot(w, x) + np.dot(x, np.dot(W, x))


@pytest.mark.parametrize(("W", "w", "cone"), [P11D, P11E])
def test_problem_11(W, w, cone):
    assert classify_quadric(W, w, float(cone)).kind == "cone"
    assert classify_quadric(W, w, 0).kind == "hyperhyperboloid"
    for w0 in (float(cone) * (1 - 1e-9), float(cone) * (1 + 1e-9)):
        assert classify_quadric(W, w, w0).kind == "hyperhyperboloid"
    apex = classify_quadric(W, w, float(cone)).center
    assert abs(quadratic(W, w, float(cone), apex)) < 1e-12
    np.testing.assert_allclose(2 * np.dot(W, apex) + w, 0, atol=1e-12)


def test_quadratic_of_one_variable():
    pair = classify_quadric([[2]], [1], -1)  # −1 + x + 2x², §5.3
    assert pair.kind == "hypersphere"
    np.testing.assert_array_equal(
        np.concatenate([pair.center - pair.semi_axes, pair.center + pair.semi_axes]), [-1, 0.5]
    )


@pytest.mark.parametrize(
    ("W", "w", "w0", "kind"),
    [
        (np.eye(3), [-2, 0, 4], 1, "hypersphere"),
        (-np.eye(3), [2, 0, -4], -1, "hypersphere"),
        (np.diag([1, 4]), [0, 0], -4, "hyperellipsoid"),
        (np.diag([-1, -4]), [0, 0], 4, "hyperellipsoid"),
        (np.diag([1, -4]), [0, 0], -4, "hyperhyperboloid"),
        (np.diag([1, -4]), [0, 0], 4, "hyperhyperboloid"),
        (np.diag([1, -4]), [0, 0], 0, "cone"),
        (np.diag([1, -4]), [2, 8], -3, "cone"),
        (np.diag([1, 4]), [0, 0], 0, "point"),
        (np.diag([-1, -4]), [2, 8], -5, "point"),
        (np.diag([1, 4]), [0, 0], 1, "empty"),
        (-np.eye(2), [0, 0], -1, "empty"),
        (np.diag([1, 0]), [0, 1], 0, "singular"),
        (np.ones((2, 2)), [1, -1], 0, "singular"),
        (np.zeros((2, 2)), [1, 1], 0, "singular"),
        ([[0, 1], [-1, 0]], [1, 1], 0, "singular"),
    ],
)
def test_kinds(W, w, w0, kind):
    quadric = classify_quadric(W, w, w0)
    assert quadric.kind == kind
    assert (quadric.W_bar is None) == (kind in {"cone", "point", "singular"})
    assert (quadric.center is None) == (kind == "singular")
    assert (len(quadric.semi_axes) > 0) == (kind in {"hypersphere", "hyperellipsoid", "hyperhyperboloid"})
    assert quadric.axes.shape == (len(quadric.semi_axes), len(w))


def test_axes_by_hand():
    ellipse = classify_quadric(np.diag([4, 1]), [-8, 0], 0)  # (x₁ − 1)² + x₂²/4 = 1
    np.testing.assert_array_equal(ellipse.center, [1, 0])
    np.testing.assert_array_equal(ellipse.semi_axes, [2, 1])
    np.testing.assert_array_equal(np.abs(ellipse.axes), [[0, 1], [1, 0]])
    np.testing.assert_array_equal(ellipse.W_bar, np.diag([4, 1]) / 16)


@given(vectors((3, 3)), vectors(3), reals)
def test_axes_end_on_the_surface(W, w, w0):
    quadric = classify_quadric(W, w, w0)
    assume(quadric.W_bar is not None)
    symmetric = (W + W.T) / 2
    assume(np.linalg.cond(symmetric) < 1e6)
    c = quadric.center
    delta = w @ np.linalg.solve(symmetric, w) - 4 * w0
    size = np.linalg.norm(symmetric) * (c @ c) + abs(w0)
    assume(abs(delta) > 1e-6 * size)
    np.testing.assert_allclose(quadric.W_bar, symmetric / delta, rtol=1e-6, atol=1e-6 * np.abs(quadric.W_bar).max())
    lambdas = np.linalg.eigvalsh(symmetric / delta)
    assert len(quadric.semi_axes) == np.count_nonzero(lambdas > 0)
    assert (np.diff(quadric.semi_axes) <= 0).all()
    for length, axis in zip(quadric.semi_axes, quadric.axes, strict=True):
        terms = np.linalg.norm(symmetric) * (np.linalg.norm(c) + length) ** 2 + abs(w0)
        assert abs(np.linalg.norm(axis) - 1) < 1e-12
        assert abs(quadratic(W, w, w0, c + length * axis)) < 1e-11 * terms
        assert abs(quadratic(W, w, w0, c - length * axis)) < 1e-11 * terms


@given(vectors((3, 3), small_integers), vectors(3, small_integers), small_integers, st.sampled_from([-3.0, 0.5, 7.0]))
def test_multiples_and_asymmetric_weights_have_the_same_surface(W, w, w0, factor):
    first = classify_quadric(W, w, w0)
    second = classify_quadric(factor * W.T, factor * w, factor * w0)
    assert first.kind == second.kind
    np.testing.assert_allclose(first.semi_axes, second.semi_axes, rtol=1e-9)


@given(vectors((3, 3), small_integers), vectors(3, small_integers))
def test_surfaces_through_their_center_are_recognized(W, center):
    """With w = −2Wc and w₀ = cᵗWc the form is (x − c)ᵗW(x − c): wᵗW⁻¹w = 4w₀ exactly, in integers."""
    W = W + W.T
    eigenvalues = np.linalg.eigvalsh(W)
    assume(np.abs(eigenvalues).min() > 1e-6)
    definite = eigenvalues[0] > 0 or eigenvalues[-1] < 0
    quadric = classify_quadric(W, -2 * W @ center, center @ W @ center)
    assert quadric.kind == ("point" if definite else "cone")
    np.testing.assert_allclose(quadric.center, center, atol=1e-6)


@pytest.mark.parametrize(
    ("scale_g", "scale_x"), [*product(SCALES, [1e-75, 1.0, 1e75]), (1e-160, 1e-160), (1e160, 1e160)]
)
def test_quadrics_at_any_scale(scale_g, scale_x):
    """x → x/scale_x stretches the surface; the factor of g does not matter."""
    W, w, cone = (np.asarray(value, dtype=float) for value in P11D)
    scaled_W, scaled_w = W * (scale_g / scale_x) / scale_x, w * (scale_g / scale_x)
    one = classify_quadric(W, w, 0)
    other = classify_quadric(scaled_W, scaled_w, 0)
    assert other.kind == "hyperhyperboloid"
    np.testing.assert_allclose(other.semi_axes, one.semi_axes * scale_x, rtol=1e-12)
    np.testing.assert_allclose(other.center, one.center * scale_x, rtol=1e-12)
    assert classify_quadric(scaled_W, scaled_w, float(cone) * scale_g).kind == "cone"


@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_sphere_at_any_scale_is_measured_by_its_bias(scale):
    sphere = classify_quadric(np.eye(2) / scale, [0, 0], -scale)
    assert sphere.kind == "hypersphere"
    np.testing.assert_allclose(sphere.semi_axes, [scale, scale], rtol=1e-14)


def test_tolerance_is_the_callers():
    nearly = np.diag([1.0, 1.0 + 1e-6])
    assert classify_quadric(nearly, [0, 0], -1).kind == "hyperellipsoid"
    assert classify_quadric(nearly, [0, 0], -1, tol=1e-5).kind == "hypersphere"
    flat = np.diag([1.0, 1e-6])
    assert classify_quadric(flat, [0, 0], -1).kind == "hyperellipsoid"
    assert classify_quadric(flat, [0, 0], -1, tol=1e-5).kind == "singular"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: classify_quadric([[1, 2]], [1, 2], 0), r"W has shape \(1, 2\) and w \(2,\)"),
        (lambda: classify_quadric(np.eye(2), [1], 0), r"W has shape \(2, 2\) and w \(1,\)"),
        (lambda: classify_quadric([1], [1], 0), r"W must .* got shape \(1,\)"),
        (lambda: classify_quadric([[np.inf]], [1], 0), r"W must be finite"),
        (lambda: classify_quadric([[1]], [1], np.nan), r"w0 must be finite"),
        (lambda: classify_quadric([[1]], [1], 0, tol=-1), r"tol=-1 must be"),
    ],
)
def test_quadric_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Margins


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
        (lambda: margins(MACHINE, [[1, 2]], [3]), r"y holds 3, which is not one of the model's classes \[0, 1, 2\]"),
        (lambda: margins(MACHINE, [[1, 2]], ["0"]), r"y holds '0'"),
        (lambda: margins(MACHINE, [[0, 9]], [1]), r"classes 1 and 2 the same weight vector"),
        (lambda: margins(LogisticRegression(), [[1, 2]], [0]), r"must be a fitted linear classifier"),
        (lambda: margins("plane", [[1, 2]], [0]), r"must be a fitted linear classifier"),
    ],
)
def test_margin_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()

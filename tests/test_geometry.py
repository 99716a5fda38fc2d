"""Hyperplanes, linear machines and augmentation: the book's numbers and the geometry's laws."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from discriminant.geometry import Hyperplane, LinearMachine, augment, normalize, unaugment

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


def exact_side(plane: Hyperplane, x: Sequence[float]) -> int:
    g = sum((Fraction(u) * Fraction(v) for u, v in zip(plane.w.tolist(), x, strict=True)), Fraction(plane.w0))
    return (g > 0) - (g < 0)


@pytest.mark.parametrize(
    ("w", "w0", "x", "side"),
    [
        ([1e290, 1e-150], 0.0, [0.0, 1.0], 1),  # beside the large weight the small one vanished
        ([1e290, 1e290, 1e-150], 0.0, [1.0, -1.0, -1.0], -1),
        ([1e290, 1.0], 1e-150, [0.0, 0.0], 1),
        ([1.0], 0.0, [5e-324], 1),  # half of the smallest float is zero
        ([5e-324], -5e-324, [1.0], 0),
        ([5e-324, 1.0], 0.0, [-3.0, 0.0], -1),
        ([1e-200], 0.0, [-1e-200], -1),
        ([1e300, 1e300], 0.0, [1e308, -9e307], 1),
        ([1.5, 1.5, -1.5], -1.0, [1.5e308, 1.5e308, 1.5e308], 1),
    ],
)
def test_sides_at_the_ends_of_the_floats(w: list[float], w0: float, x: list[float], side: int) -> None:
    """Whatever underflows or overflows on the way, alone, among other points and in CSR."""
    plane = Hyperplane(w, w0)
    assert exact_side(plane, x) == side
    assert plane.side(x) == side
    among = np.array([np.zeros(len(w)), x, np.ones(len(w))])
    for X in (among, sparse.csr_matrix(among)):
        assert plane.side(X)[1] == side
        assert plane.undecided(X)[1] == (side == 0)


magnitudes = st.floats(allow_nan=False, allow_infinity=False).map(lambda v: float(f"{v:.2e}") if abs(v) < 1e300 else v)


@given(arrays(np.float64, 3, elements=magnitudes), magnitudes, arrays(np.float64, (2, 3), elements=magnitudes))
@pytest.mark.filterwarnings("ignore:overflow encountered in ldexp")
def test_sides_are_exact_wherever_rounding_cannot_reach(w: np.ndarray, w0: float, X: np.ndarray) -> None:
    """The sign is that of the exact sum unless that is within rounding of zero; a value never has the other sign."""
    plane = Hyperplane(w, w0)
    for x, side, value in zip(X.tolist(), plane.side(X), plane.value(X), strict=True):
        terms = [*(Fraction(u) * Fraction(v) for u, v in zip(w.tolist(), x, strict=True)), Fraction(w0)]
        if abs(sum(terms)) > Fraction(1, 1 << 49) * sum(map(abs, terms)) or not any(terms):
            assert side == exact_side(plane, x)
        assert side == np.sign(value) or (value == 0 and side != 0)

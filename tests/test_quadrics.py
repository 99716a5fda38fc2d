"""Quadrics: the book's kinds, and surfaces that are where they are said to be."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discriminant.quadrics import classify_quadric

SCALES = [1e-150, 1e-10, 1.0, 1e150]
small_integers = st.integers(-8, 8)
reals = st.floats(-100, 100).map(lambda value: round(value, 3))


def vectors(d, elements=reals):
    return arrays(np.float64, d, elements=elements)


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

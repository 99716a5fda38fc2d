"""In the space of y the plane lies where g = 0, and the patterns where φ puts them."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from pictures import axes, legend
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from discriminant import KernelPerceptron, Perceptron, PolynomialMap, SupportVectorMachine, datasets, plot
from discriminant.plot.feature_spaces import plane_in_box


def solid() -> object:
    return Figure().add_subplot(projection="3d")


def test_a_plane_cuts_a_box_in_a_polygon() -> None:
    box = np.array([[-1.0, 1.0]] * 3)
    flat = plane_in_box(np.array([0.0, 0.0, 0.0, 1.0]), box)
    assert sorted(flat.tolist()) == [[-1, -1, 0], [-1, 1, 0], [1, -1, 0], [1, 1, 0]]
    hexagon = plane_in_box(np.array([0.0, 1.0, 1.0, 1.0]), box)
    assert len(hexagon) == 6
    np.testing.assert_allclose(np.linalg.norm(hexagon - np.roll(hexagon, 1, axis=0), axis=1), np.sqrt(2))
    assert len(plane_in_box(np.array([9.0, 1.0, 1.0, 1.0]), box)) == 0


def test_the_exclusive_or_in_the_space_of_its_product() -> None:
    """Example 2 and Fig. 5.6: y₃ = x₁x₂ alone tells the classes apart."""
    X, y = datasets.xor_signed()
    model = make_pipeline(PolynomialMap(interaction_only=True), SupportVectorMachine(C=np.inf)).fit(X, y)
    ax = plot.feature_space(model, X, y, solid())
    ax.figure.draw_without_rendering()
    assert (ax.get_xlabel(), ax.get_zlabel()) == ("x0", "x0 x1")
    assert legend(ax) == ["class 0", "class 1", "g = aᵗy = 0"]
    corners = plane_in_box(np.r_[model[-1].intercept_, model[-1].coef_[0]], np.array([[-1.3, 1.3]] * 3))
    np.testing.assert_allclose(corners[:, 2], 0, atol=1e-9)  # g = y₃
    assert sum(isinstance(c, Poly3DCollection) for c in ax.collections) == 2  # the plane, and the image of x
    drawn = np.concatenate([np.transpose(c._offsets3d) for c in ax.collections if hasattr(c, "_offsets3d")])
    assert sorted(map(tuple, drawn.tolist())) == sorted((a, b, a * b) for a in (-1.0, 1.0) for b in (-1.0, 1.0))


def test_two_features_are_augmented_and_the_plane_passes_the_origin() -> None:
    """Fig. 5.5: y = (1, x, x²); a line of x becomes a parabola in two colors."""
    x = np.linspace(-2, 1.5, 15)[:, None]
    y = (2 * x**2 + x - 1 > 0).ravel().astype(int)
    model = make_pipeline(PolynomialMap(2), Perceptron()).fit(x, y)
    ax = plot.feature_space(model, x, y, solid())
    ax.figure.draw_without_rendering()
    assert ax.get_xlabel() == "y₁ = 1"
    curves = [np.array(line.get_data_3d()) for line in ax.lines if len(line.get_data_3d()[0]) > 2]
    assert len(curves) == 2
    for side, curve in enumerate(curves):
        kept = curve[:, np.isfinite(curve[2])]
        np.testing.assert_allclose(kept[2], kept[1] ** 2)
        assert (model.predict(kept[1][:, None]) == side).all()
    assert "a" in legend(ax)
    plain = plot.feature_space(Perceptron().fit(*datasets.table(1, 2)), *datasets.table(1, 2), solid())
    assert plain.get_ylabel() == "y1"


def test_three_of_many_features() -> None:
    X, y = datasets.xor_signed()
    phi = FunctionTransformer(lambda X: np.c_[X, X.prod(axis=1), X**2] * np.sqrt([2, 2, 2, 1, 1]))
    model = make_pipeline(phi, SupportVectorMachine(C=np.inf)).fit(X, y)
    ax = plot.feature_space(model, X, y, solid(), components=(0, 1, 2))
    assert (ax.get_xlabel(), ax.get_zlabel()) == ("y1", "y3")


def test_bad_input_gives_a_sentence() -> None:
    X, y = datasets.xor_signed()
    kernel = KernelPerceptron("gaussian").fit(X, y)
    linear = make_pipeline(PolynomialMap(2), Perceptron()).fit(X, y)
    for call, message in (
        (lambda: plot.feature_space(kernel, X, y), "linear in y, of two classes"),
        (lambda: plot.feature_space(linear, X, y, components=(0, 1)), "three of 5 features"),
        (lambda: plot.feature_space(linear, X, y, axes()), "ax must be axes of three dimensions"),
    ):
        with pytest.raises(ValueError, match=message):
            call()

"""The surface has the height of the criterion, the path lies on it."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from pictures import axes, legend
from portions import rest_in_ci

from discriminant import Perceptron, augment, criteria, normalize, plot

X, y = np.array([[1.0], [-1.5], [-3.0]]), [1, 1, 0]
Y = normalize(augment(X), y)
model = Perceptron(record="weights").fit(X, y)


@pytest.mark.parametrize("name", rest_in_ci(criteria.names(), 3))
def test_the_path_lies_on_the_surface_of_every_criterion(name: str) -> None:
    ax = plot.criterion_surface(name, X, y, Figure().add_subplot(projection="3d"), model=model)
    ax.figure.draw_without_rendering()
    line = next(line for line in ax.lines if line.get_label().startswith("Perceptron"))
    steps, J = model.history_["weights"], criteria.get(name)(Y)
    np.testing.assert_allclose(np.transpose(line.get_data_3d()), np.c_[steps, [J.value(a) for a in steps]])
    assert legend(ax) == ["solution region", "Perceptron: 4 corrections"]


def test_level_lines_have_one_height() -> None:
    ax = plot.criterion_surface("mse", X, y, axes(), margin=1.0, model=model)
    J = criteria.get("mse")(Y, 1.0)
    contour = next(c for c in ax.collections if hasattr(c, "levels"))
    for level, path in zip(contour.levels, contour.get_paths(), strict=True):
        heights = [J.value(a) for a in path.vertices]
        assert len(heights) > 4
        np.testing.assert_allclose(heights, level, rtol=0.05)
    region = next(p for p in ax.patches if isinstance(p, Polygon))
    assert (Y @ region.get_xy().T > -1e-12).all()


def test_limits_and_bad_input() -> None:
    ax = plot.criterion_surface("errors", X, y, axes(), limits=(-1, 2, -3, 4))
    assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 2), (-3, 4))
    assert ax.get_xlabel() == "a₀ = w₀"
    with pytest.raises(ValueError, match="give low < high"):
        plot.criterion_surface("errors", X, y, limits=(2, 1, 0, 1))
    with pytest.raises(ValueError, match="criterion='none' must be"):
        plot.criterion_surface("none", X, y)

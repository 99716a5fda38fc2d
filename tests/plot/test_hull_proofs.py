"""Hulls hold their patterns; what is drawn proves the verdict."""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest
from matplotlib.patches import Polygon
from pictures import axes, legend
from scipy.spatial import ConvexHull

from discriminant import datasets, plot, separability
from discriminant.plot.hull_proofs import hull

TOUCHING = np.array([[1, 4], [3, 2], [3, 5], [5, 4.5], [6, 2], [2, 3], [4, 1], [0.5, 2], [1.5, 0.5], [3, 0]])


def test_the_hull_is_that_of_qhull_also_of_a_grid_and_of_a_line(rng: np.random.Generator) -> None:
    for points in (rng.normal(size=(200, 2)), rng.integers(0, 5, (60, 2)).astype(float)):
        corners = points[ConvexHull(points).vertices]
        assert sorted(map(tuple, hull(points).tolist())) == sorted(map(tuple, corners.tolist()))
    line = np.array([[0.0, 0], [1, 1], [2, 2], [1, 1]])
    assert hull(line).tolist() == [[0, 0], [2, 2]]
    assert hull(line[:1]).tolist() == [[0, 0]]


def test_apart_the_widest_band_with_the_nearest_patterns() -> None:
    X, y = datasets.table(1, 2)
    ax = plot.hulls(X, y, axes(), feature_names=["$a$", "b"])
    s = separability(X, y)
    assert legend(ax) == ["class 0", "class 1", "nearest", f"largest margin {float(s.margin):.3g}"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"\$a\$", "b")
    nearest = next(c for c in ax.collections if c.get_label() == "nearest").get_offsets()
    plane = s.margin.hyperplane
    np.testing.assert_allclose(np.abs(plane.distance(nearest)), float(s.margin), rtol=1e-6)
    np.testing.assert_allclose(plane.distance(ax.lines[0].get_xydata()), 0, atol=1e-9)
    shapes = [p.get_xy() for p in ax.patches if isinstance(p, Polygon)]
    assert all(np.unique(side).size == 1 for side in (plane.side(shape) for shape in shapes))


def test_touching_the_line_with_what_lies_on_it_and_a_shared_point() -> None:
    y = np.repeat([1, 0], 5)
    ax = plot.hulls(TOUCHING, y, axes())
    assert legend(ax)[2:] == ["on the line", "point of both hulls", "no pattern on the wrong side"]
    for name in ("on the line", "point of both hulls"):
        points = next(c for c in ax.collections if c.get_label() == name).get_offsets()
        np.testing.assert_allclose(points.sum(axis=1), 5)


def test_many_classes_have_the_proof_of_each_pair_that_no_line_separates() -> None:
    iris = datasets.iris()
    X, y = iris.X[:, 2:], np.array(iris.target_names)[iris.y]
    ax = plot.hulls(X, y, axes())
    assert len([p for p in ax.patches if isinstance(p, Polygon)]) == 3
    assert legend(ax) == ["setosa", "versicolor", "virginica", "rows of the proof", "point of both hulls"]
    stars = [c.get_offsets()[0] for c in ax.collections if c.get_label() == "point of both hulls"]
    point = separability(X[50:], y[50:]).certificate.point
    np.testing.assert_allclose(stars, [[float(value) for value in point]])


def test_overlapping_the_star_is_a_mean_of_the_rows_of_either_class() -> None:
    X, y = datasets.table(1, 3)
    ax = plot.hulls(X, y, axes())
    star = next(c for c in ax.collections if c.get_label() == "point of both hulls").get_offsets()[0]
    support = separability(X, y).certificate.support
    for label in (0, 1):
        terms = [term for term in support if term.label == label]
        weights = np.array([float(term.weight) for term in terms])
        np.testing.assert_allclose(star, weights @ X[[term.row for term in terms]] / weights.sum())
    rows = next(c for c in ax.collections if c.get_label() == "rows of the proof").get_offsets()
    np.testing.assert_array_equal(rows, X[[term.row for term in support]])


def test_ten_thousand_patterns_in_two_seconds(rng: np.random.Generator) -> None:
    X = rng.normal(size=(10_000, 2))
    for y in (X @ [1, 2] > 0.3, X[:, 0] > rng.normal(size=10_000)):
        start = process_time()
        plot.hulls(X, y, axes()).figure.draw_without_rendering()
        assert process_time() - start < 2


def test_bad_input_gives_a_sentence() -> None:
    X, y = datasets.iris()
    with pytest.raises(ValueError, match="choose two features; separability answers for any number"):
        plot.hulls(X, y)
    with pytest.raises(ValueError, match="must be labels of at least two classes"):
        plot.hulls(X[:50, :2], y[:50])

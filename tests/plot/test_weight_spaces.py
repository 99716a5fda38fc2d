"""The polygon is the solution region to the last digit; lines lie at the distance b/‖y‖."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.patches import Polygon
from pictures import axes, legend

from discriminant import Perceptron, datasets, normalize, plot
from discriminant.plot.weight_spaces import solution_polygon

X = np.array([[1.2, 1.6], [2.4, 0.8], [-1.6, 0.9], [-1.5, -1.6]])
y = np.array([1, 1, 0, 0])
Y = normalize(X, y)


def area(corners: Any) -> float:
    x1, x2 = np.asarray(corners).T
    return float(abs(x1 @ np.roll(x2, -1) - x2 @ np.roll(x1, -1)) / 2)


def test_polygon_by_hand() -> None:
    """a₁ > 0 and a₂ > 0 leave a quarter of a square; a margin takes a strip off; the opposite leaves nothing."""
    quarter = np.eye(2)
    square = (-2.0, 2.0, -2.0, 2.0)
    assert area(solution_polygon(quarter, 0.0, square)) == 4
    assert area(solution_polygon(quarter, 1.0, square)) == 1
    assert len(solution_polygon(np.vstack([quarter, -quarter]), 0.1, square)) == 0
    assert area(solution_polygon(np.array([[1.0, 1.0]]), 0.0, square)) == 8


def test_polygon_holds_what_solves_and_nothing_else(rng: np.random.Generator) -> None:
    from matplotlib.path import Path

    corners = solution_polygon(Y, 0.5, (-3, 3, -3, 3))
    np.testing.assert_array_less(0.5 - 1e-12, Y @ corners.T)
    points = rng.uniform(-3, 3, (5_000, 2))
    np.testing.assert_array_equal(Path(corners).contains_points(points), (points @ Y.T > 0.5).all(axis=1))


def test_lines_at_the_margin_have_the_distance_of_the_book() -> None:
    ax = plot.weight_space(X, y, axes(), margin=1.0)
    parts = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert [len(c.get_segments()) for c in parts] == [2, 2, 2, 2]
    for own, (at_zero, at_margin) in zip((Y[2:], Y[:2]), (parts[:2], parts[2:]), strict=True):
        for row, through, beside in zip(own, at_zero.get_segments(), at_margin.get_segments(), strict=True):
            np.testing.assert_allclose(through @ row, 0, atol=1e-12)
            np.testing.assert_allclose(beside @ row, 1.0)
    regions = [p for p in ax.patches if isinstance(p, Polygon)]
    np.testing.assert_allclose((Y @ regions[1].get_xy().T).min(), 1.0)
    assert legend(ax)[-2:] == ["solution region", "with margin b = 1"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a₁", "a₂")


@pytest.mark.parametrize(("kind", "rows"), [("raw", X), ("normalized", Y)])
def test_patterns_as_they_are_or_negated(kind: str, rows: Any) -> None:
    ax = plot.weight_space(X, y, axes(), patterns=kind)
    drawn = np.concatenate([c.get_offsets() for c in ax.collections if not isinstance(c, LineCollection)])
    assert sorted(map(tuple, drawn.tolist())) == sorted(map(tuple, rows.tolist()))


def test_one_feature_has_a_bias_and_a_path() -> None:
    x, labels = [[1.0], [-1.5], [-3.0]], [1, 1, 0]
    model = Perceptron(record="weights").fit(x, labels)
    ax = plot.weight_space(x, labels, axes(), model=model)
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    assert (model.history_["weights"] > low).all()
    assert (model.history_["weights"] < high).all()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a₀ = w₀", "a₁ = w₁")
    assert legend(ax)[-1] == "Perceptron: 4 corrections"


def test_where_nothing_solves_the_legend_says_so() -> None:
    ax = plot.weight_space(*datasets.xor_signed(), axes())
    assert legend(ax)[-1] == "no solution region"


def test_ten_thousand_patterns_in_two_seconds(rng: np.random.Generator) -> None:
    points = rng.normal(size=(10_000, 2))
    start = process_time()
    plot.weight_space(points, points[:, 0] > 0, axes(), margin=0.1).figure.draw_without_rendering()
    assert process_time() - start < 2


def test_bad_input_gives_a_sentence() -> None:
    for call, message in (
        (lambda: plot.weight_space(np.ones((4, 3)), y), "must be .n, 1., or .n, 2. for no bias"),
        (lambda: plot.weight_space(X, [0, 1, 2, 0]), "exactly two distinct values"),
        (lambda: plot.weight_space(X, y, margin=-1), "margin=-1 must be a number >= 0"),
        (lambda: plot.weight_space(X, y, patterns="both"), "patterns='both' must be one of None, 'raw'"),
        (lambda: plot.weight_space(X, y, model=Perceptron().fit(X, y)), "must be fitted with its path"),
        (lambda: plot.weight_space(X, y, model=Perceptron(record="weights").fit(X, y)), "one with 2 weights"),
    ):
        with pytest.raises(ValueError, match=message):
            call()

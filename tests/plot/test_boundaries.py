"""The line lies on the plane, the dashed ones at the margin; slacks end on their own side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pictures import axes, data, legend
from scipy import sparse

from discriminant import (
    Hyperplane,
    LeastSquares,
    LinearMachine,
    MultilayerPerceptron,
    Perceptron,
    SupportVectorMachine,
    datasets,
    margins,
    mercer,
    plot,
)

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def lines(ax: Any) -> dict[str, Any]:
    """By label; both dashed lines of a margin are found by the first one's."""
    return {line.get_label(): line for line in ax.lines}


def test_lines_of_a_separating_plane_pass_through_the_nearest_patterns() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    ax = plot.boundary(model, X, y, ax=axes())
    found = margins(model, X, y)
    on_line = np.abs(model.decision_function(lines(ax)["g(x) = 0"].get_xydata()))
    assert on_line.max() < 1e-9 * np.abs(model.weights_).max()
    dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
    levels = [model.decision_function(line.get_xydata()) for line in dashed]
    np.testing.assert_allclose(levels, np.array([[-1, -1], [1, 1]]) * found.functional.min(), rtol=1e-9)
    assert legend(ax) == ["class 0", "class 1", "g(x) = 0", f"margin {found.margin:.3g}"]


def test_a_soft_margin_and_its_support_vectors() -> None:
    X, y = data(3)
    X, y = X[50:], y[50:]
    for kernel, name in ((None, "margin"), (mercer.Gaussian(1.0), "g(x) = ±1")):
        model = SupportVectorMachine(1.0, **({"kernel": kernel} if kernel else {})).fit(X, y)
        ax = plot.boundary(model, X, y, ax=axes())
        ring = next(c for c in ax.collections if c.get_label() == "support vectors")
        np.testing.assert_array_equal(ring.get_offsets(), model.support_vectors_)
        assert legend(ax)[-1].startswith(name)
    surface = [c for c in ax.collections if hasattr(c, "levels")]
    for level, contour in zip((0, -1, 1), surface, strict=True):
        points = np.concatenate([path.vertices for path in contour.get_paths()])
        np.testing.assert_allclose(model.decision_function(points), level, atol=0.02)


def test_slack_leads_to_the_own_side_of_the_band() -> None:
    X, y = datasets.table(1, 3)
    plane = Hyperplane([1.0, 0.5], -1.0)
    ax = plot.boundary(plane, sparse.csr_array(X), y, ax=axes(), margin=2.0)
    found = margins(plane, X, y, 2.0, normalized=True)
    ways = next(line for name, line in lines(ax).items() if name.startswith("slack")).get_xydata().reshape(-1, 3, 2)
    np.testing.assert_array_equal(ways[:, 0], X[found.slack > 0])
    np.testing.assert_allclose(plane.distance(ways[:, 1]), np.where(y[found.slack > 0] == 1, 2.0, -2.0))
    assert f"slack ξ, D = {found.D:.3g}" in legend(ax)


def test_a_model_is_drawn_over_another_picture() -> None:
    X, y = data(2)
    ax = plot.regions(LeastSquares().fit(X, y), X, y, ax=axes())
    limits = ax.get_xlim(), ax.get_ylim()
    plot.boundary(Perceptron().fit(X, y), ax=ax, label="perceptron", color="red", linestyle=":")
    assert (ax.get_xlim(), ax.get_ylim()) == limits
    assert legend(ax) == ["a", "b", "perceptron"]
    assert lines(ax)["perceptron"].get_color() == "red"


def test_many_classes_show_each_rule_or_the_borders() -> None:
    X, y = data(3)
    for strategy, count in (("one-vs-rest", 3), ("one-vs-one", 3), ("kesler", 1)):
        model = Perceptron(multiclass=strategy, max_iter=20).fit(X, y)
        ax = plot.boundary(model, X, y, ax=axes())
        assert len(ax.lines) == count
        assert legend(ax)[-1] == ("boundary" if strategy == "kesler" else "g(x) = 0")
    machine = LinearMachine([[0, 1, 0], [0, 0, 1], [1, -1, -1]], ["a", "b", "c"])
    assert legend(plot.boundary(machine, X, y, ax=axes()))[-1] == "boundary"
    pair = LinearMachine([[0, 1, 0], [0, 0, 1]])
    ax = plot.boundary(pair, X[:4], [0, 1, 0, 1], ax=axes())
    np.testing.assert_allclose(*lines(ax)["g(x) = 0"].get_data())


def test_more_features_are_cut_and_a_cut_is_exact() -> None:
    X, y = datasets.iris()
    X, y = X[y < 2], y[y < 2]
    model = Perceptron().fit(X, y)
    ax = plot.boundary(model, X, y, (2, 3), axes())
    rows = np.tile(np.median(X, axis=0), (2, 1))
    rows[:, 2:] = lines(ax)["g(x) = 0"].get_xydata()
    np.testing.assert_allclose(model.decision_function(rows), 0, atol=1e-9)
    assert "medians" in ax.get_xlabel()


def test_bad_input_gives_a_sentence() -> None:
    X, y = data(2)
    net = MultilayerPerceptron((3,), max_iter=5, random_state=0).fit(X, y)
    for call, message in (
        (lambda: plot.boundary(net, X, y, margin=1.0), "a margin belongs to a plane"),
        (lambda: plot.boundary(net, X, y, margin=-1.0), "margin=-1.0 must be None or a number >= 0"),
        (lambda: plot.boundary(Perceptron(), X, y), "must be a fitted classifier"),
        (lambda: plot.boundary(Hyperplane([1, 2, 3])), "model has 3 features where the plane has 2; give X"),
        (lambda: plot.boundary(LeastSquares().fit(X[:, :1], y), X[:, :1], y), "plot.regions draws a single"),
        (lambda: plot.boundary(Hyperplane([1, 2]), X, np.arange(len(X))), "exactly two distinct values"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_a_margin_of_zero_draws_none() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    assert legend(plot.boundary(model, X, y, ax=axes()))[-1].startswith("margin")
    assert legend(plot.boundary(model, X, y, ax=axes(), margin=0)) == ["class 0", "class 1", "g(x) = 0"]

"""Arrows lead from each weight vector to the next."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.quiver import Quiver
from pictures import axes, legend

from discriminant import Perceptron, datasets, plot

X, y = datasets.table(1, 2)


def test_an_arrow_for_each_correction() -> None:
    model = Perceptron(record="weights").fit(X, y)
    ax = plot.path(model, axes(), weights=(1, 2), color="red")
    arrows = next(c for c in ax.collections if isinstance(c, Quiver))
    steps = model.history_["weights"][:, 1:]
    np.testing.assert_array_equal(arrows.XY, steps[:-1])
    np.testing.assert_allclose(np.column_stack([arrows.U, arrows.V]), np.diff(steps, axis=0))
    np.testing.assert_array_equal(ax.lines[-1].get_xydata(), steps[-1:])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a₁ = w₁", "a₂ = w₂")
    assert legend(ax) == ["Perceptron: 33 corrections"]


def test_a_long_path_is_a_line_and_an_array_will_do(rng: np.random.Generator) -> None:
    steps = rng.normal(size=(10_001, 2)).cumsum(axis=0)
    ax = plot.path(steps, axes(), label="mine")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), steps)
    assert legend(ax) == ["mine"]
    assert legend(plot.path(steps[:2], axes())) == ["1 correction"]


def test_bad_input_gives_a_sentence() -> None:
    for call, message in (
        (lambda: plot.path(Perceptron().fit(X, y)), 'must be fitted with its path; fit it with record="weights"'),
        (lambda: plot.path(Perceptron()), "must be a fitted model"),
        (lambda: plot.path(np.zeros((3, 2, 2))), "d . 1. and finite; fit one problem"),
        (lambda: plot.path(np.zeros((3, 2)), weights=(0, 5)), "two indices below 2; 0 is the bias"),
    ):
        with pytest.raises(ValueError, match=message):
            call()

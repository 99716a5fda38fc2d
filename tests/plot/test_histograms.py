"""Margins are those of the model."""

from __future__ import annotations

import numpy as np
import pytest
from pictures import MODELS, axes, data, legend

from discriminant import (
    FisherDiscriminant,
    LeastSquares,
    datasets,
    margins,
    plot,
)
from discriminant.plot.histograms import leads

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def test_margins_are_those_of_the_model() -> None:
    X, y = data(3)
    model = FisherDiscriminant().fit(X, y)
    values, name = leads(model, X, y)
    np.testing.assert_array_equal(values, margins(model, X, y).geometric)
    assert name == "distance from the boundary"
    ax = plot.margin_distribution(model, X, y, axes())
    counts = sum(patch.get_height() for patch in ax.patches)
    assert counts == len(y)
    assert ax.lines[-1].get_xdata()[0] == values.min()
    with pytest.raises(ValueError, match="'d' and must be among the model's classes"):
        plot.margin_distribution(model, X, np.where(y == "a", "d", y))
    with pytest.raises(ValueError, match=r"y\.shape=.* must be"):
        plot.margin_distribution(model, X, y[:5])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["kernel", "network", "tree"])
def test_leads_are_positive_exactly_where_the_answer_is_right(kind: str, classes: int) -> None:
    X, y = datasets.table(*range(1, classes + 1)) if classes == 3 else datasets.table(1, 3)
    model = MODELS[kind]().fit(X, y)
    values, _ = leads(model, X, y)
    right = model.predict(X) == y
    assert np.all(values[right] >= 0)
    assert np.all(values[~right] <= 0)


def test_slack_from_a_target_margin() -> None:
    X, y = datasets.table(1, 3)
    model = LeastSquares().fit(X, y)
    found = margins(model, X, y, 1.5, normalized=True)
    ax = plot.margin_distribution(model, X, y, axes(), gamma=1.5)
    assert legend(ax) == [
        "class 0",
        "class 1",
        f"slack ξ > 0: {np.count_nonzero(found.slack)} patterns, D = {found.D:.3g}",
        f"smallest margin −{-found.margin:.3g}",
    ]
    assert ax.lines[1].get_xdata()[0] == 1.5
    with pytest.raises(ValueError, match="gamma=0 must be None or a number > 0"):
        plot.margin_distribution(model, X, y, gamma=0)

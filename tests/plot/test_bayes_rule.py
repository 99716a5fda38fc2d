"""Bayes' discriminant is the difference of the posteriors; ε² is the book's integral."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pictures import axes, legend
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from discriminant import LeastSquares, PolynomialMap, plot


def gaussian(mean: float) -> Any:
    return lambda x: np.exp(-((x - mean) ** 2) / 2) / np.sqrt(2 * np.pi)


DENSITIES = {"one": gaussian(-1), "two": gaussian(1)}


@pytest.fixture
def data(rng: np.random.Generator) -> tuple[Any, Any]:
    y = rng.integers(0, 2, 4_000)
    return rng.normal(2 * y - 1)[:, None], np.where(y, "two", "one")


def test_equal_gaussians_have_the_hyperbolic_tangent() -> None:
    """P(two|x) − P(one|x) = tanh x for unit Gaussians at ±1, and with priors tanh(x + ½ log P₂/P₁)."""
    for priors, shift in ((None, 0.0), ({"one": 0.2, "two": 0.8}, np.log(4) / 2)):
        ax = plot.bayes(DENSITIES, ax=axes(), priors=priors)
        x, g = next(line for line in ax.lines if line.get_label() == "g₀(x), Bayes").get_data()
        np.testing.assert_allclose(g, np.tanh(x + shift))


def test_more_terms_come_nearer(data: tuple[Any, Any]) -> None:
    models = {f"degree {k}": make_pipeline(PolynomialMap(k), LeastSquares()).fit(*data) for k in (1, 3)}
    ax = plot.bayes(DENSITIES, models, axes(), limits=(-5, 5))
    errors = [float(name.split("= ")[1]) for name in legend(ax) if "ε²" in name]
    assert errors[0] > 2 * errors[1] > 0
    x = np.linspace(-5, 5, 20_001)
    g = models["degree 1"].decision_function(x[:, None])
    p = (DENSITIES["one"](x) + DENSITIES["two"](x)) / 2
    assert errors[0] == pytest.approx(np.sum((g - np.tanh(x)) ** 2 * p) * (x[1] - x[0]), rel=0.01)


def test_posteriors_add_up_and_densities_are_those_given() -> None:
    ax = plot.bayes(DENSITIES, ax=axes(), what="posteriors")
    np.testing.assert_allclose(ax.lines[0].get_ydata() + ax.lines[1].get_ydata(), 1)
    assert legend(ax) == ["P(one | x)", "P(two | x)"]
    ax = plot.bayes(DENSITIES, ax=axes(), what="densities")
    np.testing.assert_allclose(ax.lines[1].get_ydata(), gaussian(1)(ax.lines[1].get_xdata()))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "density")


def test_bad_input_gives_a_sentence(data: tuple[Any, Any]) -> None:
    for call, message in (
        (lambda: plot.bayes({"one": gaussian(0)}), "two labels with a function each"),
        (lambda: plot.bayes(DENSITIES, what="all"), "what='all' must be one of"),
        (lambda: plot.bayes(DENSITIES, limits=(1, 1)), "give low < high"),
        (lambda: plot.bayes(DENSITIES, priors={"one": 0.5, "two": 0.6}), "add up to 1"),
        (lambda: plot.bayes(DENSITIES, DecisionTreeClassifier().fit(*data)), "with a decision_function"),
    ):
        with pytest.raises(ValueError, match=message):
            call()

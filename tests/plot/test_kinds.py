"""What every kind of picture promises: the axes it was given, labels, a legend that names the classes, no title."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from io import BytesIO
from time import process_time
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from pictures import legend
from sklearn.pipeline import make_pipeline

from discriminant import (
    GradientDescent,
    Hyperplane,
    LeastSquares,
    LogisticDiscriminant,
    MultilayerPerceptron,
    Perceptron,
    PolynomialMap,
    SupportVectorMachine,
    plot,
)
from discriminant.plot._style import COLORS

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")

SOLID = ("criterion_surface", "feature_space")  # kinds that are drawn in three dimensions
WITHOUT_CLASSES = ("bayes", "criterion_surface", "history", "network", "path", "steps")
Draw = Callable[[Any], Any]


def kinds(n: int) -> dict[str, Draw]:
    """Each kind as a function of axes, on n patterns of the classes "left" and "right"."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.where(X @ [1, 2] + 0.3 * rng.normal(size=n) > 0, "right", "left")
    model = LogisticDiscriminant().fit(X, y)
    curved = SupportVectorMachine(kernel="gaussian").fit(X, y)
    path = Perceptron(record="weights", max_iter=20).fit(X[:, :1], y)
    mapped = make_pipeline(PolynomialMap(interaction_only=True), LeastSquares()).fit(X, y)
    net = MultilayerPerceptron((3,), max_iter=2, random_state=0).fit(X, y)
    density = {0: lambda x: np.exp(-(x**2)), 1: lambda x: np.exp(-((x - 1) ** 2))}
    return {
        "regions": lambda ax: plot.regions(curved, X, y, ax=ax),
        "boundary": lambda ax: plot.boundary(model, X, y, ax=ax, margin=0.5),
        "weight_space": lambda ax: plot.weight_space(X, y, ax, margin=0.1, patterns="normalized"),
        "criterion_surface": lambda ax: plot.criterion_surface("perceptron", X[:, :1], y, ax, model=path),
        "path": lambda ax: plot.path(path, ax),
        "history": lambda ax: plot.history(path, ax, what="corrections"),
        "margin_distribution": lambda ax: plot.margin_distribution(curved, X, y, ax, gamma=1.0),
        "bayes": lambda ax: plot.bayes(density, LeastSquares().fit(X[:, :1], y), ax),
        "feature_space": lambda ax: plot.feature_space(mapped, X, y, ax),
        "hulls": lambda ax: plot.hulls(X, y, ax),
        "steps": lambda ax: plot.steps(GradientDescent(max_iter=20), X, y, [1e-6, 1e-5], ax),
        "network": lambda ax: plot.network(net, ax),
        "RegionsDisplay": lambda ax: plot.RegionsDisplay.from_estimator(model, X, y, ax=ax).ax_,
    }


KINDS = (
    "RegionsDisplay", "bayes", "boundary", "criterion_surface", "feature_space", "history", "hulls",
    "margin_distribution", "network", "path", "regions", "steps", "weight_space",
)  # fmt: skip


@pytest.fixture(scope="module")
def few() -> dict[str, Draw]:
    with warnings.catch_warnings(action="ignore"):
        return kinds(60)


def axes(kind: str) -> Any:
    return Figure(layout="compressed").add_subplot(projection="3d" if kind in SOLID else None)


def test_no_kind_is_forgotten(few: dict[str, Draw]) -> None:
    others = {"animate", "replay", "report"}  # a moving picture, and pages
    assert {*KINDS} == {*few} == {*plot.__all__} - others


@pytest.mark.parametrize("kind", KINDS)
def test_axes_labels_legend_and_no_title(kind: str, few: dict[str, Draw]) -> None:
    ax = axes(kind)
    assert few[kind](ax) is ax
    ax.get_figure().draw_without_rendering()
    assert not plt.get_fignums()  # it makes no figure of its own
    labels = [ax.get_xlabel(), ax.get_ylabel() or "units", ax.get_zlabel() if kind in SOLID else "plane"]
    assert all(labels)
    assert bool(ax.get_ylabel()) or kind == "network"  # whose layers have no height
    assert ax.get_title() == ""
    told = " ".join(legend(ax))
    assert told
    assert ("left" in told and "right" in told) or kind in WITHOUT_CLASSES


@pytest.mark.parametrize("kind", ["regions", "boundary", "weight_space", "feature_space", "hulls"])
def test_classes_differ_by_color_and_marker(kind: str, few: dict[str, Draw]) -> None:
    """Which the color-blind can tell apart: Okabe and Ito's colors, and a circle and a square."""
    ax = few[kind](axes(kind))
    marks = {
        mark.get_label(): (tuple(np.round(mark.get_facecolor()[0, :3], 3)), len(mark.get_paths()[0].vertices))
        for mark in ax.collections
        if isinstance(mark, PathCollection) and mark.get_label() in ("left", "right")
    }
    colors = [tuple(np.round([int(name[i : i + 2], 16) / 255 for i in (1, 3, 5)], 3)) for name in COLORS[:2]]
    assert [marks[label][0] for label in ("left", "right")] == colors
    assert marks["left"][1] != marks["right"][1]


def test_a_title_stays_where_it_was_asked_for(few: dict[str, Draw]) -> None:
    for kind in ("regions", "hulls", "history"):
        ax = axes(kind)
        ax.set_title("mine")
        assert few[kind](ax).get_title() == "mine"


@pytest.mark.ci
def test_ten_thousand_patterns_take_less_than_two_seconds() -> None:
    for kind, draw in kinds(10_000).items():
        ax = axes(kind)
        start = process_time()
        draw(ax)
        ax.get_figure().savefig(BytesIO())  # a bare figure's own canvas would draw nothing
        assert process_time() - start < 2, kind


def test_all_of_ten_thousand_patterns_are_drawn_and_smaller_than_few() -> None:
    """Every one of them, so that no corner of a hull and no row of a proof is missing."""
    X, y = np.random.default_rng(0).normal(size=(10_000, 2)), np.arange(10_000) % 2
    marks = {}
    for n in (300, 10_000):
        drawn = plot.boundary(Hyperplane([1.0, 0.0], 0.0), X[:n], y[:n], ax=axes("boundary"), margin=0).collections
        marks[n] = [mark for mark in drawn if isinstance(mark, PathCollection) and len(mark.get_offsets())]
        assert sum(len(mark.get_offsets()) for mark in marks[n]) == n
    assert marks[10_000][0].get_sizes()[0] < marks[300][0].get_sizes()[0]

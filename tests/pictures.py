"""What the tests of pictures draw on: axes of their own, and small data."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from discriminant import (
    KernelPerceptron,
    LeastSquares,
    MultilayerPerceptron,
    Perceptron,
    PiecewiseLinearMachine,
    SupportVectorMachine,
    datasets,
)

MODELS = {
    "plane": lambda: Perceptron(max_iter=50),
    "one-vs-rest": lambda: Perceptron(max_iter=50, multiclass="one-vs-rest"),
    "one-vs-one": SupportVectorMachine,
    "kernel": lambda: KernelPerceptron("gaussian", max_iter=50),
    "at once": LeastSquares,
    "several planes": lambda: PiecewiseLinearMachine(random_state=0, max_iter=50),
    "network": lambda: MultilayerPerceptron((4,), max_iter=20, random_state=0),
    "scikit-learn": LogisticRegression,
    "tree": DecisionTreeClassifier,
}


def axes() -> Any:
    return Figure().add_subplot()


def data(classes: int) -> tuple[Any, Any]:
    X, y = datasets.iris()
    return X[y < classes][:, 2:], np.array(["a", "b", "c"])[y[y < classes]]


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def cut_off(figure: Any) -> list[str]:
    """The texts and legends that stick out of the figure, each by what it says."""
    figure.canvas.draw()
    whole = figure.bbox
    found = []
    for ax in figure.axes:
        texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        parts = [(text, text.get_text()) for text in texts if text.get_text() and text.get_visible()]
        if (drawn := ax.get_legend()) is not None:
            parts.append((drawn, f"legend: {legend(ax)}"))
        for part, name in parts:
            box = part.get_window_extent()
            across = whole.x0 - 1 <= box.x0 and box.x1 <= whole.x1 + 1
            if not (across and whole.y0 - 1 <= box.y0 and box.y1 <= whole.y1 + 1):
                found.append(name)
    return found


def covered(figure: Any) -> list[str]:
    """The legends, of plane axes, under which there are patterns or points of a curve or of a level line."""
    figure.canvas.draw()
    found = []
    for ax in figure.axes:
        if ax.get_legend() is None or hasattr(ax, "get_zlim"):
            continue
        box = ax.get_legend().get_window_extent()
        points = [line.get_transform().transform(line.get_xydata()) for line in ax.lines if len(line.get_xydata())]
        points += [
            marks.get_offset_transform().transform(marks.get_offsets())
            for marks in ax.collections
            if isinstance(marks, PathCollection) and len(marks.get_offsets())
        ]
        points += [
            lines.get_transform().transform(path.vertices)
            for lines in ax.collections
            if isinstance(lines, ContourSet)
            for path in lines.get_paths()
            if len(path.vertices)
        ]
        if any(bool(np.any([box.contains(*point) for point in part])) for part in points):
            found.append(str(legend(ax)))
    return found

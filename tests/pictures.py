"""What the tests of pictures draw on: axes of their own, and small data."""

from __future__ import annotations

from typing import Any

import numpy as np
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

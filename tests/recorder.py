"""A callback that records what it hears, and data that keep every procedure busy, for the tests of fits at work."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

import discriminant
from discriminant import datasets
from discriminant.base import classifier as base

ITERATIVE = [
    value
    for name in discriminant.__all__
    if inspect.isclass(value := getattr(discriminant, name)) and issubclass(value, base.IterativeClassifier)
]


ESTIMATORS = [
    value
    for name in discriminant.__all__
    if inspect.isclass(value := getattr(discriminant, name)) and issubclass(value, BaseEstimator)
]


def overlapping() -> tuple[Any, Any]:
    """Standardized data that no procedure finishes in three passes."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
    return X, (X[:, 0] + 2 * generator.normal(size=60) > 0).astype(int)


def three_classes() -> tuple[Any, Any]:
    X, y = datasets.iris()
    return X - X.mean(axis=0), y


class Recorder:
    """A callback that keeps what it is told, and asks to stop after so many epochs."""

    def __init__(self, stop_after: int | None = None, action: Any = None) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.seen: list[Any] = []
        self.stop_after, self.action = stop_after, action

    def setup(self, estimator: Any, context: Any) -> None:
        self.events.append(("setup",))

    def teardown(self, estimator: Any, context: Any) -> None:
        self.events.append(("teardown",))

    def on_fit_task_begin(self, estimator: Any, context: Any, *, X: Any = None, y: Any = None) -> None:
        self.events.append(("begin", context.task_name, context.max_subtasks))
        self.data = X, y

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, X: Any = None, y: Any = None, metadata: Any = None,
        fitted_estimator: Any = None,
    ) -> bool:  # fmt: skip
        self.events.append(("end", context.task_name, context.task_id))
        self.data, self.metadata = (X, y), metadata
        self.seen.append(fitted_estimator)
        if context.task_name == "epoch" and self.action is not None:
            self.action(context.task_id)
        return self.stop_after is not None and self.epochs >= self.stop_after

    @property
    def epochs(self) -> int:
        return sum(event[:2] == ("end", "epoch") for event in self.events)


def limited(kind: Any, **options: Any) -> Any:
    """An estimator that makes at most three iterations."""
    return kind(max_iter=3, **options)


class Propagated(Recorder):
    """Set on a meta-estimator, it is handed down."""

    max_propagation_depth = None

    @property
    def count(self) -> dict[str, int]:
        return {"epoch": self.epochs}

"""Where a classifier decides what, at some steps of its fit: a class for each cell of a grid.

Tests: ``tests/plot/test_recording.py``.
"""

from __future__ import annotations

import base64
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import refused
from ..base.course import Course

CELLS = 96  # along each side
ROOM = 0.25  # of the range of a feature, shown on each side of the patterns
ASPECT, ALIKE = 5 / 4, 5.0  # the page's plane, width to height; up to this ratio of ranges its axes have the same unit
MOST = 60  # maps of a run
WORK = 200_000_000  # kernel values that all maps of a run may take, about 2 s
WIDEST = 1e306  # of an entry that is drawn: the ends of the plane must be numbers too
OPEN = 255  # of a cell that the discriminants leave undecided

Array = NDArray[Any]


class Snapshots:
    """A callback of scikit-learn's that keeps the model after some of its epochs, evenly spread: at most ``MOST``."""

    def __init__(self) -> None:
        self.models: dict[int, Any] = {}  # by the number of epochs
        self._stride = 1

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing has to be set up."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nor taken down."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """A beginning has no weights yet."""

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any = None) -> bool:
        """Keep the model of this epoch if it is its turn; never ask to stop."""
        if context.task_name == "epoch" and self._is_due(context.task_id + 1):
            self.models[context.task_id + 1] = fitted_estimator
            if len(self.models) >= MOST:
                self._stride *= 2
                self.models = {epoch: model for epoch, model in self.models.items() if self._is_due(epoch)}
        return False

    def _is_due(self, epoch: int) -> bool:
        return epoch == 1 or epoch % self._stride == 0


def maps_of(model: Any, course: Course | None, snapshots: Snapshots, X: Array, numbers: list[int]) -> dict[str, Any]:
    """The maps at some steps: the start, where nothing is decided yet, and the answer at the last one among them.

    ``numbers`` are those of the epochs, or corrections, at each step.
    """
    last = len(numbers) - 1
    box = _box(X)
    height = 1 if X.shape[1] == 1 else CELLS
    grid = _grid(box, CELLS, height)[:, : X.shape[1]]
    states = {numbers.index(epoch): seen for epoch, seen in snapshots.models.items() if epoch in numbers}
    if course is not None:
        states = {k: model_at(model, course.weights[course.kept[k]]) for k in _chosen(last, len(grid) * len(X))}
    states[last] = model
    maps = {k: _map(states[k], grid) for k in sorted(states)}
    maps.setdefault(0, np.full(len(grid), OPEN, np.uint8))
    steps = sorted(maps)
    return {
        "box": box,
        "width": CELLS,
        "height": height,
        "steps": steps,
        "values": [base64.b64encode(maps[k].tobytes()).decode() for k in steps],
    }


def _chosen(last: int, work: int) -> list[int]:
    """Steps to draw: all of a few, else some of them, more of them at the beginning, where regions change most."""
    count = min(last + 1, MOST - 1, max(2, WORK // work))
    return np.unique(np.round(last * np.linspace(0, 1, count) ** 1.5).astype(np.int64)).tolist() if last else [0]


def model_at(model: Any, weights: Array) -> Any:
    """The model as it was with these weights."""
    seen = copy(model)
    seen._set_weights(weights)
    return seen


def _map(model: Any, grid: Array) -> NDArray[np.uint8]:
    """Indices of classes, which are the labels themselves."""
    cells = model.predict(grid).astype(np.uint8)
    if hasattr(model, "undecided"):
        cells[model.undecided(grid)] = OPEN
    return np.asarray(cells)


def _box(X: Array) -> list[float]:
    """What the page shows of the plane, and some more."""
    low, high = X.min(axis=0), X.max(axis=0)
    if max(high.max(), -low.min()) > WIDEST:
        reach = float(np.abs(X).max())
        raise refused("X", f"<entries up to {reach:g}>", f"at most {WIDEST:g} to be drawn", "divide the features by it")
    room = np.where(high > low, ROOM * (high - low), np.maximum(1.0, ROOM * np.abs(high)))
    if X.shape[1] == 2:
        sides = (high - low + 2 * room) * [1.0, ASPECT]
        if sides.max() < ALIKE * sides.min():
            room = room + (sides.max() - sides) / [2.0, 2.0 * ASPECT]
    ends = [[float(a), float(b)] for a, b in zip(low - room, high + room, strict=True)]
    return [*ends[0], *(ends[1] if len(ends) == 2 else [-1.0, 1.0])]


def _grid(box: list[float], width: int, height: int) -> Array:
    """The centers of the cells, row by row from the lowest."""
    x0, x1, y0, y1 = box
    across = x0 + (x1 - x0) * (np.arange(width) + 0.5) / width
    up = y0 + (y1 - y0) * (np.arange(height) + 0.5) / height
    return np.column_stack([np.tile(across, height), np.repeat(up, width)])

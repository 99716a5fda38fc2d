"""Weights of classes, as scikit-learn's classifiers take them, made into weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import Choice, Number, refused

Vector = NDArray[np.float64]


def check_class_weight(class_weight: Any) -> None:
    """Refuse what is neither a known word nor a dict; what a dict holds is looked at when the classes are known."""
    if class_weight is None or isinstance(class_weight, str):
        Choice(("balanced", None))("class_weight", class_weight)
    elif not hasattr(class_weight, "get"):
        raise refused("class_weight", class_weight, "a dict, 'balanced' or None", "give weights by label")


def row_weights(class_weight: Any, classes: NDArray[Any], labels: NDArray[np.int32], given: NDArray[Any]) -> Vector:
    """Weights of the rows, if any are given, times those of their classes; none for a bystander, of label -1."""
    part = labels >= 0
    v = given.astype(np.float64) if given.size else np.ones(labels.size)
    if isinstance(class_weight, str):
        totals = np.bincount(labels[part], v[part], classes.size)
        weights = totals.sum() / (classes.size * np.where(totals > 0, totals, 1.0))
    else:
        weights = _by_class(class_weight, classes)
    return np.where(part, weights[labels], 0.0) * v


def _by_class(class_weight: Any, classes: NDArray[Any]) -> Vector:
    """The weights of a dict by class, 1 for a class that it does not name."""
    known = set(classes.tolist())
    if strange := [label for label in class_weight if label not in known]:
        raise ValueError(
            f"class_weight names {strange[0]!r}, which is not among the classes {sorted(known)}; leave it out."
        )
    weights = [class_weight.get(label, 1.0) for label in classes.tolist()]
    positive = Number("give weights > 0", 0)
    return np.array([positive("class_weight", weight) for weight in weights])

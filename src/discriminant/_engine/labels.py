"""Labels of classes as whole numbers, and labels that are no classes refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PORTION = 1 << 20  # labels that are counted at a time


def encode(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Sorted classes and the index of each label; small integers are counted instead of sorted."""
    check_labels(y)
    if y.dtype.kind in "biu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < 1000 and high < 2**63:
            parts = [slice(start, start + PORTION) for start in range(0, y.size, PORTION)]  # no long arrays of int64
            present = sum(np.bincount(_above(y[part], low), minlength=high - low + 1) for part in parts) > 0
            rank = (np.cumsum(present) - 1).astype(np.int32)
            labels = np.empty(y.size, np.int32)
            for part in parts:
                labels[part] = rank[_above(y[part], low)]
            return (np.flatnonzero(present) + low).astype(y.dtype), labels
    classes, places = np.unique(y, return_inverse=True)
    return classes, places.astype(np.int32)


def _above(y: NDArray[Any], low: int) -> NDArray[np.int64]:
    """Labels counted from the lowest, in 64 bits."""
    return y.astype(np.int64) - low


def check_labels(y: NDArray[Any]) -> None:
    """Refuse measurements and objects without an order; whole numbers and strings need no look."""
    if y.dtype.kind in "biuSU":
        return
    from sklearn.utils.multiclass import check_classification_targets  # a second of imports that few labels need

    try:
        with np.errstate(invalid="ignore"):  # it asks whether a float is a whole number by a cast
            check_classification_targets(y)
    except (TypeError, ValueError) as error:
        if y.dtype.kind != "O":
            raise
        raise ValueError(f"y must hold one kind of label ({error}); give numbers only, or strings only.") from error


def encode_known(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int32]:
    """The index of each label among classes that are known already."""
    check_labels(y)
    place = np.searchsorted(classes, y)
    known = classes[np.minimum(place, classes.size - 1)] == y
    if not np.all(known):
        odd = np.asarray(y)[~known].tolist()[0]
        raise ValueError(f"y holds {odd!r} and must be among classes={classes.tolist()}; name all that may come.")
    return place.astype(np.int32)

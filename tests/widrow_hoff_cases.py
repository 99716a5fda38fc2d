"""Fits of Widrow-Hoff that are cut short on purpose, and the patterns of their data."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from discriminant import (
    NotConvergedWarning,
    augment,
    normalize,
)


@contextmanager
def unfinished() -> Iterator[None]:
    """A fit that is cut short on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        yield


def fitted(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    with unfinished():
        return model.fit(X, y, sample_weight)


def normalized(X: Any, y: Any) -> Any:
    return normalize(augment(np.asarray(X, float)), y)

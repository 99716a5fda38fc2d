"""Data for the error-correcting procedures, and a fit that may warn."""

import warnings
from typing import Any

import numpy as np

from discriminant import NotConvergedWarning, datasets


def table(*categories: int) -> tuple[Any, Any]:
    X, y = datasets.table(*categories)
    return np.asarray(X, float), np.asarray(y)


def overlapping(n: int = 30, seed: int = 1) -> tuple[Any, Any]:
    """Two classes that overlap, on which all arithmetic is exact."""
    generator = np.random.default_rng(seed)
    return generator.integers(-4, 5, (n, 2)).astype(float), np.r_[0, 1, generator.integers(0, 2, n - 2)]


def normalized(X: Any, y: Any) -> Any:
    """The patterns (1, x), those of the first class negated."""
    return np.where(np.asarray(y) == np.max(y), 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(X)), X])


def quietly(model: Any, *data: Any, **options: Any) -> Any:
    """Fit, and let it warn that it did not end."""
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        return model.fit(*data, **options)

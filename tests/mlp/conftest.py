"""Data for networks."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.datasets import load_iris


@pytest.fixture
def iris() -> tuple[Any, Any]:
    X, y = load_iris(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y

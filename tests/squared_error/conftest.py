"""Data for all procedures of the room."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


@pytest.fixture
def data(rng: np.random.Generator) -> tuple[Any, Any]:
    X = rng.normal(size=(30, 3))
    return X, (X @ [1.0, -2.0, 0.5] + 0.5 * rng.normal(size=30) > 0.3).astype(int)

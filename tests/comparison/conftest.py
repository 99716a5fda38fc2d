"""What the tests of ``compare`` share."""

from __future__ import annotations

from typing import Any

import pytest
from comparison_cases import QUICK

from discriminant import compare, datasets


@pytest.fixture(scope="session")
def overlapping() -> Any:
    X, y = datasets.iris()
    return compare(X, y, QUICK, n_jobs=1)

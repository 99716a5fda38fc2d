"""No test of a picture leaves a figure behind."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _no_figures_left() -> Any:
    yield
    plt.close("all")

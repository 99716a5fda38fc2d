"""No test of a picture leaves a figure behind."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _no_figures_left(request: pytest.FixtureRequest) -> Any:
    yield
    left = plt.get_fignums()
    plt.close("all")
    assert not (left and "bad_input" in request.node.name), "what is refused makes no figure"

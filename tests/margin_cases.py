"""The rules that find the largest margin, and data for them."""

import numpy as np
import pytest

from discriminant import Adatron, MinOver, mercer

RULES = [
    pytest.param(MinOver, {}, id="MinOver"),
    pytest.param(MinOver, {"step": "fixed", "max_iter": 100_000}, id="fixed"),
    pytest.param(Adatron, {}, id="Adatron"),
    pytest.param(Adatron, {"eta": 1.7}, id="Adatron-1.7"),
]
EXACT = [pytest.param(MinOver, id="MinOver"), pytest.param(Adatron, id="Adatron")]
XOR = mercer.Polynomial(degree=2)


def two_clouds(rng, n=40, d=5, apart=3.0):
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + apart * y[:, None], y

"""Exponentials."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from discriminant.logistic import softmax

Rng = np.random.Generator


def test_exponentials_are_right_to_the_last_digit(rng: Rng) -> None:
    x = np.r_[0.0, -1e-300, -1e-9, -rng.uniform(0, 1, 1000), -rng.uniform(0, 700, 1000)]
    found = x.copy()
    bits = np.empty(x.size, np.int64)
    softmax.exponentials(found, x.size, bits, bits.view(np.float64))
    assert_allclose(found, np.exp(x), rtol=5e-16)
    low = np.array([-708.5, -1e5, -np.inf])
    softmax.exponentials(low, 3, bits, bits.view(np.float64))
    assert np.all((low >= 0) & (low < 1e-300))

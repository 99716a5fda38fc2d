"""BFGS beside its recursion, and what is left of a step that leads too far."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from discriminant._engine.bfgs import Pairs, shortened
from discriminant.logistic.hessian import FullHessian

Rng = np.random.Generator


def test_pairs_give_what_the_recursion_over_them_gives(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nocedal and Wright, Algorithm 7.4, beside the closed form; the oldest pairs are forgotten."""
    monkeypatch.setattr("discriminant._engine.bfgs.MEMORY", 3)
    H = np.diag(rng.uniform(1, 9, size=6))
    hessian, pairs = FullHessian(np.diag(rng.uniform(1, 9, size=6))), Pairs(6)
    held: list[tuple[Any, Any]] = []
    for _ in range(12):
        s = rng.normal(size=6)
        pairs.append(s, H @ s)
        held = [*held, (s, H @ s)][-3:]
        g = rng.normal(size=(2, 3))
        q, strengths = g.ravel().copy(), []
        for s, y in reversed(held):
            strengths.append((s @ q) / (s @ y))
            q -= strengths[-1] * y
        r = hessian.solve(q[None])[0]
        for (s, y), alpha in zip(held, reversed(strengths), strict=True):
            r += (alpha - (y @ r) / (s @ y)) * s
        assert_allclose(pairs.solve(g, hessian, False).ravel(), r, rtol=1e-9)
        y = held[-1][1].reshape(2, 3)
        assert_allclose(pairs.solve(y, hessian, True).ravel(), held[-1][0])  # the latest change comes from its step
    pairs.clear()
    assert_allclose(pairs.solve(g, hessian, True), hessian.solve(g))


@pytest.mark.parametrize(("bend", "tried"), [(8.0, 1 / 8), (100.0, 0.05), (2.1, 0.25), (np.inf, 0.05)])
def test_a_step_is_shortened_to_the_least_point_of_a_parabola(bend: float, tried: float) -> None:
    """Of f(s) = −s + bend s²/2, looked at where s = 1/2, it is 1/bend, between a tenth and a half of this s."""
    assert shortened(0.5, -1.0, -0.5 + bend / 8) == pytest.approx(tried)

"""What stands for the Hessian: BFGS beside its recursion, singular matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from logistic_cases import noisy
from numpy.testing import assert_allclose

from discriminant import LogisticDiscriminant
from discriminant.logistic.hessian import FullHessian, Pairs, gauged

Rng = np.random.Generator


def test_collinear_columns_share_their_weight(rng: Rng) -> None:
    X, y = noisy(rng, 100, 2)
    plain = LogisticDiscriminant(penalty=None).fit(X, y)
    model = LogisticDiscriminant(penalty=None).fit(np.column_stack([X, X[:, 0], np.full(100, 0.1)]), y)
    assert_allclose(model.coef_[0], np.r_[plain.coef_[0] * [0.5, 1], plain.coef_[0, 0] / 2, 0], rtol=1e-8, atol=1e-12)
    assert "shortest" in model.report_.to_dict()["notes"][0]
    with pytest.raises(ValueError, match="linearly independent"):
        LogisticDiscriminant(penalty="firth").fit(np.hstack([X, X]), y)
    H = gauged(np.zeros((2, 2)), 1, 0.0)
    assert FullHessian(H + np.diag([1.0, 0])).rank == 1


def test_pairs_give_what_the_recursion_over_them_gives(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nocedal and Wright, Algorithm 7.4, beside the closed form; the oldest pairs are forgotten."""
    monkeypatch.setattr("discriminant.logistic.hessian.MEMORY", 3)
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

"""Newton's step by the scatter and by products with Y, against the normal equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from discriminant._engine.driver import Watch
from discriminant.base import expansion
from discriminant.base.expansion import newton_step
from discriminant.criteria import SquaredError
from discriminant.samples import Samples


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("direct", [1000, 0])
def test_the_step_leads_to_the_minimum(
    make: Any, direct: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expansion, "DIRECT", direct)
    X, b, a = rng.normal(size=(30, 3)), rng.normal(size=30), rng.normal(size=4)
    Y = np.column_stack([np.ones(30), X])
    J = SquaredError(Samples(make(X), np.ones(30)), b)
    margins = Y @ a
    found = newton_step(J, margins, 2 * Y.T @ (margins - b), Watch())
    least = np.linalg.lstsq(Y, b, rcond=None)[0]
    np.testing.assert_allclose(a - found.step, least, atol=1e-8)
    assert found.fall == pytest.approx(np.sum((margins - b) ** 2) - np.sum((Y @ least - b) ** 2))


def test_the_shortest_step_where_columns_repeat(rng: np.random.Generator) -> None:
    x = rng.normal(size=(20, 1))
    X, b = np.hstack([x, x]), rng.normal(size=20)
    Y = np.column_stack([np.ones(20), X])
    J = SquaredError(Samples(X, np.ones(20)), b)
    found = newton_step(J, np.zeros(20), -2 * Y.T @ b, Watch())
    assert found.rank == 2
    np.testing.assert_allclose(-found.step, np.linalg.pinv(Y) @ b, atol=1e-10)

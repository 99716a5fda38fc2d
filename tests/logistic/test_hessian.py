"""What stands for the Hessian: singular matrices."""

from __future__ import annotations

import numpy as np
import pytest
from logistic_cases import noisy
from numpy.testing import assert_allclose

from discriminant import LogisticDiscriminant
from discriminant.logistic.hessian import FullHessian, gauged

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

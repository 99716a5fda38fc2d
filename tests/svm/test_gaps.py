"""The duality gap of a support vector machine round by round, held against sums over its rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from svm_cases import Rng, overlapping

from discriminant import SupportVectorMachine, datasets, io, mercer
from discriminant._kernel_matrix.rows import KernelRows, StoredRows
from discriminant.svm.blocks import smo


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("rounds", [1, 2])
def test_a_gap_is_the_primal_value_less_the_dual_one(squared: bool, rounds: int, rng: Rng) -> None:
    X, y = overlapping(rng, 60)
    z, C = np.where(y == y.max(), 1.0, -1.0), rng.uniform(0.5, 3, 60)
    extra = 0.5 / C if squared else np.zeros(60)
    K = mercer.Gaussian()(X, X)
    Q = K + np.diag(extra)
    bounds = np.full(60, np.inf) if squared else C
    source = StoredRows(KernelRows.of_matrix(Q))
    found = smo(source, np.diag(Q).copy(), z, bounds, tol=1e-14, most=rounds, extra=extra if squared else None)
    beta = found.alpha * z
    slack = np.maximum(0, 1 - z * (K @ beta + found.bias))
    primal = beta @ K @ beta / 2 + C @ (slack**2 if squared else slack)
    dual = found.alpha.sum() - beta @ Q @ beta / 2
    assert len(found.gaps) == found.iterations
    assert found.gaps[-1] == pytest.approx((primal - dual) / primal, rel=1e-6, abs=1e-13)
    assert found.primal == pytest.approx(primal)


@pytest.mark.parametrize(
    ("n", "options"),
    [(60, {}), (60, {"kernel": "gaussian"}), (60, {"loss": "squared_hinge"}),
     (60, {"kernel": "gaussian", "loss": "squared_hinge"}), (60, {"intercept": "augmented"}), (1500, {}),
     (1500, {"kernel": "gaussian"}), (1500, {"loss": "squared_hinge"})],
    ids=str,
)  # fmt: skip
def test_it_falls_to_that_of_the_answer(n: int, options: Any, rng: Rng) -> None:
    X, y = overlapping(rng, n)
    model = SupportVectorMachine(C=2.0, **options).fit(X, y)
    gaps = model.history_["gap"]
    assert gaps[-1] == model.gap_
    assert gaps.min() == pytest.approx(model.gap_, abs=1e-9)
    assert np.all(gaps >= 0)
    assert gaps.max() <= 1 + 1e-9
    if n > 1000 and "loss" not in options:
        assert len(gaps) > 2
        assert gaps[0] > 10 * gaps[-1]
    assert "gap_problem" not in model.history_
    np.testing.assert_array_equal(io.loads(io.dumps(model)).history_["gap"], gaps)


def test_a_hard_margin_has_one() -> None:
    for kernel in ("linear", "gaussian"):
        model = SupportVectorMachine(C=np.inf, kernel=kernel).fit(*datasets.svm_three())
        assert model.history_["gap"].tolist() == [model.gap_]


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
def test_several_problems(multiclass: str) -> None:
    X, y = datasets.iris()
    with warnings.catch_warnings(action="ignore"):
        model = SupportVectorMachine(kernel="gaussian", multiclass=multiclass).fit(X, y)
    owner, gaps = model.history_["gap_problem"], model.history_["gap"]
    assert np.unique(owner).tolist() == [0, 1, 2]
    assert max(gaps[owner == p][-1] for p in range(3)) == model.gap_
    np.testing.assert_array_equal(io.loads(io.dumps(model)).history_["gap_problem"], owner)

"""All ends and tests together: the same as one after the other, and as other programs'."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from firthmodels import FirthLogisticRegression
from logistic_cases import noisy, quiet
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import sparse

from discriminant import LogisticDiscriminant
from discriminant._engine import threads
from discriminant.logistic import ends, inference
from discriminant.logistic.inference import Inference, UsedRows

Rng = np.random.Generator
Table = tuple[NDArray[Any], list[inference.LikelihoodRatio]]


def skewed(rng: Rng, n: int = 1500, d: int = 4) -> tuple[NDArray[Any], NDArray[Any]]:
    """A rare class, features of different size and far from zero."""
    X = rng.gamma(2, size=(n, d)) * np.logspace(-2, 2, d) + 10
    g = (X - X.mean(axis=0)) / X.std(axis=0) @ np.linspace(-1, 1, d) - 2.5
    return X, (rng.random(n) < 1 / (1 + np.exp(-g))).astype(int)


def reports(X: Any, y: Any, penalty: str | None, v: Any = None) -> tuple[Table, Table, list[int]]:
    """All together, one after the other, and the coefficients that the first left to the second."""
    model = quiet(LogisticDiscriminant(penalty=penalty), X, y, sample_weight=v)
    weights = None if v is None else np.asarray(v, np.float64)
    found = Inference(UsedRows(X, y.astype(np.int32), weights), model.weights_.astype(float), penalty == "firth", False)
    together = found._together(0.9, True)
    left = np.flatnonzero(~np.isfinite(np.column_stack([together.ends, together.statistics])).all(axis=1)).tolist()
    each = range(found.size)
    alone = np.array([found.interval(k, 0.9) for k in each]), [found.test(k) for k in each]
    return found.report(0.9, True), alone, left


@pytest.mark.parametrize("penalty", [None, "firth"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "weighted"])
def test_together_finds_what_is_found_one_after_the_other(rng: Rng, penalty: str | None, kind: str) -> None:
    X, y = skewed(rng)
    rows = sparse.csr_matrix(X) if kind == "sparse" else X
    v = rng.integers(1, 4, size=len(y)) if kind == "weighted" else None
    (together, ratios), (alone, wanted), left = reports(rows, y, penalty, v)
    assert left == []
    assert_allclose(together, alone, rtol=1e-8)
    assert_allclose([r.statistic for r in ratios], [r.statistic for r in wanted], atol=1e-8)


def test_the_equation_holds_to_1e_8(rng: Rng) -> None:
    """By a criterion and steps in numpy that share nothing with those of the package."""
    X, y = skewed(rng)
    table = LogisticDiscriminant(penalty="firth").fit(X, y).summary(intervals="profile", data=(X, y))
    Y = np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / X.std(axis=0)])
    spread = X.std(axis=0)

    def least(k: int | None, b: float) -> float:
        a = np.zeros(Y.shape[1])
        free = np.arange(Y.shape[1]) != k
        if k is not None:
            a[k] = b
        for _ in range(100):
            p = 1 / (1 + np.exp(-Y @ a))
            H = (Y.T * (p * (1 - p))) @ Y
            h = p * (1 - p) * np.einsum("ij,ij->i", Y @ np.linalg.inv(H), Y)
            step = np.zeros_like(a)
            step[free] = np.linalg.solve(H[np.ix_(free, free)], (Y.T @ (y - p + h * (0.5 - p)))[free])
            a += step
        g = Y @ a
        return float(np.logaddexp(0, np.where(y == 1, -g, g)).sum() - 0.5 * np.linalg.slogdet(H)[1])

    best = least(None, 0.0)
    for k in range(1, Y.shape[1]):
        for end in table.interval[k] * spread[k - 1]:
            assert abs(2 * (least(k, end) - best) - 3.841458820694124) <= 1e-8


def test_together_agrees_with_firthmodels(rng: Rng) -> None:
    X, y = noisy(rng, 2500, 6)
    table = LogisticDiscriminant(penalty="firth").fit(X, y).summary(intervals="profile", tests="lr", data=(X, y))
    theirs = FirthLogisticRegression(gtol=1e-6, xtol=1e-6).fit(X, y).lrt()
    order = np.r_[6, :6]  # its intercept comes last
    assert_allclose(table.p, theirs.lrt_pvalues_[order], rtol=1e-6)
    assert_allclose(table.interval, theirs.conf_int(method="pl", tol=1e-7, max_iter=200)[order], rtol=1e-6)


def test_what_does_not_converge_together_is_found_alone(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = skewed(rng)
    (wanted, ratios), _, _ = reports(X, y, "firth")
    monkeypatch.setattr(ends, "ROUNDS", 1)
    (found, others), _, left = reports(X, y, "firth")
    assert left
    assert_allclose(found, wanted, rtol=1e-8)
    assert_allclose([r.statistic for r in others], [r.statistic for r in ratios], atol=1e-8)


def test_a_singular_point_leaves_the_search_to_the_profiles(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = skewed(rng)

    def singular(*args: Any) -> Any:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(ends.NewtonSteps, "of", singular)
    (found, _), (wanted, _), left = reports(X, y, None)
    assert left == list(range(5))
    assert_allclose(found, wanted, rtol=1e-8)


def test_the_number_of_threads_does_not_matter(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy(rng, 20_000, 3)
    model = LogisticDiscriminant(penalty="firth").fit(X, y)
    ask = partial(model.summary, intervals="profile", tests="lr", data=(X, y))
    several = ask()
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 1)
    alone = ask()
    assert_array_equal(several.interval, alone.interval)
    assert_array_equal(several.statistic, alone.statistic)

"""The limiting model: the rest of an infinite estimate, and one-sided intervals by other solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from logistic_cases import noisy, quiet
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq, minimize
from scipy.special import expit

from discriminant import LogisticDiscriminant, datasets
from discriminant.geometry import augment

COST = -np.log(0.05)


def fitted(X: Any, y: Any, **data: Any) -> LogisticDiscriminant:
    return quiet(LogisticDiscriminant(penalty=None), X, y, **data)


@pytest.mark.parametrize(("load", "column"), [(datasets.endometrial, 0), (datasets.sex2, 5)])
def test_one_infinite_coefficient_has_one_equation(load: Any, column: int) -> None:
    """All separated rows share one unknown: how large the coefficient is."""
    X, y = load()
    found = fitted(X, y).limiting_model()
    assert_array_equal(found.separated_rows, np.flatnonzero(X[:, column] == 1))
    assert_array_equal(found.boundary_rows, np.flatnonzero(X[:, column] == 0))
    on, rest = found.boundary_rows, np.delete(X, column, axis=1)
    part = LogisticDiscriminant(penalty=None).fit(rest[on], y[on])
    assert_allclose(np.delete(found.coef, column + 1), part.weights_, rtol=1e-7)
    assert found.coef[column + 1] == np.inf
    g = part.decision_function(rest[found.separated_rows])
    b = brentq(lambda b: np.logaddexp(0, -g - b).sum() - COST, -20, 20, xtol=1e-13)
    assert_allclose(found.probabilities, np.column_stack([expit(g + b), np.ones(len(g))]), rtol=1e-8)


def least_scores(Y: Any, z: Any) -> Any:
    """The least score of each row where the loss of all is at most the cost, by sequential quadratic programming."""
    scores = []
    for row in z[:, None] * Y:
        bound = {"type": "ineq", "fun": lambda a: COST - np.logaddexp(0, -z * (Y @ a)).sum()}
        best = min(
            (minimize(lambda a, row=row: row @ a, start, constraints=bound, options={"ftol": 1e-13, "maxiter": 1000})
             for start in np.random.default_rng(0).normal(size=(4, Y.shape[1]))),
            key=lambda found: found.fun if bound["fun"](found.x) > -1e-8 else np.inf,
        )  # fmt: skip
        scores.append(best.fun)
    return np.array(scores)


def test_complete_separation_leaves_nothing_but_intervals() -> None:
    """The first example of glmdr: x is 10, …, 40 and 60, …, 90."""
    x = np.array([10, 20, 30, 40, 60, 70, 80, 90.0])[:, None]
    found = fitted(x, x[:, 0] > 50).limiting_model()
    assert_array_equal(found.coef, [-np.inf, np.inf])
    assert found.boundary_rows.size == 0
    z = np.where(x[:, 0] > 50, 1, -1)
    ends = expit(least_scores(augment((x - 50) / 20), z))
    assert_allclose(np.where(z > 0, found.probabilities[:, 0], 1 - found.probabilities[:, 1]), ends, atol=2e-6)
    assert_array_equal(np.where(z > 0, found.probabilities[:, 1], found.probabilities[:, 0]), z > 0)
    assert_allclose(found.probabilities[[3, 4]], [[0, 0.95], [0.05, 1]], atol=1e-9)  # one row alone bears all the cost
    assert "8 rows are fitted perfectly; 0 are left." in str(found)
    assert "at infinity    intercept -inf, x0 +inf" in str(found)


def test_two_free_directions(rng: np.random.Generator) -> None:
    """Two cells that are pure, in a table that is mixed elsewhere: each has an interval of its own, of both costs."""
    X = np.zeros((40, 3))
    X[:, 2] = rng.normal(size=40)
    X[:5, 0], X[5:9, 1] = 1, 1
    y = rng.integers(2, size=40)
    y[:5], y[5:9] = 1, 0
    found = fitted(X, y).limiting_model(0.9)
    assert_array_equal(found.coef[1:3], [np.inf, -np.inf])
    part = LogisticDiscriminant(penalty=None).fit(X[9:, 2:], y[9:])
    g, z = part.decision_function(X[:9, 2:]), np.where(y[:9] == 1, 1, -1)
    for cell in (slice(0, 5), slice(5, 9)):  # the other cell costs nothing far out
        b = brentq(lambda b, s=cell: np.logaddexp(0, -z[s] * (g[s] + b)).sum() + np.log(0.1), -30, 30, xtol=1e-13)
        ends = expit(z[cell] * (g[cell] + b))
        own = found.probabilities[cell, 0] if z[cell][0] > 0 else 1 - found.probabilities[cell, 1]
        assert_allclose(own, ends, rtol=1e-7)


def test_weights_count_as_rows() -> None:
    X, y = datasets.sex2()
    both, own = np.unique(np.column_stack([X, y]), axis=0, return_inverse=True)
    found = fitted(both[:, :-1], both[:, -1].astype(int), sample_weight=np.bincount(own.ravel()).astype(float))
    wanted = fitted(X, y).limiting_model().probabilities
    assert_allclose(
        np.unique(found.limiting_model().probabilities[:, 0].round(9)), np.unique(wanted[:, 0].round(9)), rtol=1e-7
    )


def test_a_finite_estimate_has_no_limit(rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="the estimate is finite, and no row is fitted perfectly"):
        fitted(*noisy(rng, 60, 2)).limiting_model()
    X, y = datasets.endometrial()
    with pytest.raises(ValueError, match="level=2 must be"):
        fitted(X, y).limiting_model(2)
    with pytest.raises(ValueError, match="two classes, and y had 3"):
        quiet(LogisticDiscriminant(penalty=None), *datasets.iris()).limiting_model()

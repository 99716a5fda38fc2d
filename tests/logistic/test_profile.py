"""Ends of profile intervals: the equation that defines them, on random tables with small cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from logistic_cases import quiet
from numpy.typing import NDArray
from portions import rest_in_ci
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import chi2

from discriminant import LogisticDiscriminant
from discriminant.geometry import augment
from discriminant.logistic.profile import Point, Profile, interval_end, minimum

Vector = NDArray[np.float64]
HEIGHT = float(chi2.ppf(0.95, 1))


def small_table(seed: int) -> tuple[Vector, NDArray[np.int64]]:
    """Few rows, binary columns and one of small numbers: some of these tables are separated, others overlap."""
    rng = np.random.default_rng(seed)
    while True:
        n = int(rng.integers(10, 40))
        X = np.column_stack([rng.integers(2, size=(n, 2)), rng.integers(4, size=n)]).astype(float)
        X = X[:, : rng.integers(1, 4)]
        y = (rng.random(n) < expit(1.5 * X[:, 0] - 0.5)).astype(int)
        if 0 < y.sum() < n and np.linalg.matrix_rank(augment(X)) == X.shape[1] + 1:
            return X, y


def least(Y: Vector, y: NDArray[np.int64], start: Vector | None, k: int | None = None, b: float = 0.0) -> float:
    """The least criterion with coefficient k held at b, by steps in numpy that know nothing of separation.

    Each step into infinity gains one unit, and after 60 of them the separated rows cost less than 1e-20. With a start
    the criterion is Firth's.
    """
    firth = start is not None

    def value(a: Vector) -> float:
        g, penalty = Y @ a, 0.0
        if firth:
            p = expit(g)
            sign, logdet = np.linalg.slogdet((Y.T * (p * expit(-g))) @ Y)
            penalty = 0.5 * logdet if sign > 0 else -np.inf
        return float(np.logaddexp(0, np.where(y == 1, -g, g)).sum() - penalty)

    a, free = np.zeros(Y.shape[1]) if start is None else start.copy(), np.arange(Y.shape[1]) != k
    if k is not None:
        a[k] = b
    for _ in range(600 if firth else 60):
        g = Y @ a
        p = expit(g)
        w = p * expit(-g)
        score = np.where(y == 1, expit(-g), -p)
        H = (Y.T * w) @ Y
        if firth:
            score = score + w * np.sum(Y @ np.linalg.inv(H) * Y, axis=1) * (0.5 - p)
        step = np.zeros_like(a)
        step[free] = np.linalg.lstsq(H[np.ix_(free, free)], (Y.T @ score)[free], rcond=1e-25)[0]
        if np.abs(step).max() < 1e-11 and (not firth or abs(b) < 6):
            return value(a)
        here = value(a)
        while np.any(step) and not value(a + step) <= here + 1e-13 * abs(here):
            step /= 2
        a = a + step
        if np.abs(step).max() < 1e-11:
            break

    def along(u: Vector) -> float:
        there = a.copy()
        there[free] = u
        return value(there)

    # far out, where the Hessian says nothing, steps may stand still; and Firth's criterion may have two minima there
    options = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000, "maxfev": 4000}
    starts = (a[free], *(abs(b) / 2 * np.random.default_rng(0).normal(size=(12, free.sum()))))
    return min(value(a), *(minimize(along, u, method="Nelder-Mead", options=options).fun for u in starts))


def check_ends(seed: int, penalty: str | None) -> int:
    """The ends satisfy D = χ², and where one is missing D stays below; how many are missing."""
    X, y = small_table(seed)
    table = quiet(LogisticDiscriminant(penalty=penalty), X, y).summary(intervals="profile", tests="lr")
    Y, start = augment(X), table.coef if penalty == "firth" else None
    best, missing = least(Y, y, start), 0
    for k, ends in enumerate(table.interval):
        assert abs(2 * (least(Y, y, start, k) - best) - table.statistic[k]) <= 1e-8
        for side, end in zip((-1, 1), ends, strict=True):
            if np.isinf(end):
                missing += 1
                assert end == side * np.inf
                assert penalty is None
                assert 2 * (least(Y, y, start, k, 12.0 * side) - best) < HEIGHT
            else:
                assert abs(2 * (least(Y, y, start, k, end) - best) - HEIGHT) <= 1e-8
    return missing


@pytest.mark.parametrize("penalty", rest_in_ci([None, "firth"]))
def test_ends_satisfy_their_equation(penalty: str | None) -> None:
    missing = [check_ends(seed, penalty) for seed in range(15)]
    assert any(missing) == (penalty is None)


@pytest.mark.ci
@pytest.mark.parametrize("seed", rest_in_ci([800, 552]))
def test_a_lower_minimum_off_the_way_is_found(seed: int) -> None:
    """With a coefficient far out Firth's criterion has two minima on these tables, the farther one lower."""
    check_ends(seed, "firth")


@pytest.mark.ci
@pytest.mark.parametrize("penalty", [None, "firth"])
def test_ends_of_a_thousand_tables_satisfy_their_equation(penalty: str | None) -> None:
    for seed in range(15, 1015):
        check_ends(seed, penalty)


def curve(D: Callable[[float], float], slope: Callable[[float], float]) -> Profile:
    """A profile of one coefficient and a second one that plays no part."""

    def criterion(a: Vector) -> Point:
        return Point(D(a[0]) / 2 + a[1] ** 2, np.array([slope(a[0]) / 2, 2 * a[1]]), np.diag([1.0, 2.0]))

    return Profile(criterion, 0.0, np.array([1.0, 0.0]), np.array([[0.0], [1.0]]), np.zeros(2), 0.0)


def test_an_end_is_found_from_a_flat_and_from_a_steep_start() -> None:
    falling = curve(lambda b: np.exp(-b), lambda b: -np.exp(-b))
    for start in (50.0, 0.0, -20.0):
        assert interval_end(falling, np.inf, start, -1, 4.0, 1.0) == pytest.approx(-np.log(4), abs=1e-9)
    flat = curve(lambda b: max(0.0, b - 3) ** 2, lambda b: 2 * max(0.0, b - 3))
    assert interval_end(flat, 0.0, 0.0, 1, 4.0, 0.5) == pytest.approx(5, abs=1e-9)
    jump = curve(lambda b: 0.0 if b < 1 else 9.0, lambda b: 1.0)
    assert interval_end(jump, 0.0, 0.1, 1, 4.0, 0.5) == pytest.approx(1)


def test_a_minimum_is_found_among_the_free_directions() -> None:
    H = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
    center = np.array([1.0, -2, 3])

    def bowl(a: Vector) -> Point:
        return Point(float((a - center) @ H @ (a - center)) / 2, H @ (a - center), H)

    found = minimum(bowl, np.zeros(3), np.eye(3)[:, 1:])
    assert found is not None
    np.testing.assert_allclose(found.place.gradient[1:], 0, atol=1e-6)
    assert found.a[0] == 0
    assert minimum(lambda a: None, np.zeros(3), np.eye(3)) is None

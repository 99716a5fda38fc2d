"""The linear support vector machine in the primal: finite differences, exact answers, every storage."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy import sparse

from discriminant._engine.driver import Watch
from discriminant.svm import primal
from discriminant.svm.primal import HingeNewton, Primal, SignedPatterns, minimize

Rng = np.random.Generator
Matrix = NDArray[Any]

every_loss = pytest.mark.parametrize("squared", [False, True], ids=["hinge", "squared"])
every_intercept = pytest.mark.parametrize("free", [False, True], ids=["augmented", "free"])


def problem(rng: Rng, n: int = 40, d: int = 3) -> tuple[Matrix, Matrix, Matrix]:
    """Overlapping rows, signs, and costs."""
    z = np.where(np.arange(n) % 2, 1.0, -1.0)
    return rng.normal(size=(n, d)) + 0.7 * z[:, None], z, rng.uniform(0.1, 2, size=n)


def criterion(X: Any, z: Matrix, C: Matrix, a: Matrix, squared: bool, free: bool) -> float:
    t = np.maximum(0, 1 - z * (X @ a[1:] + a[0]))
    return float(a[free:] @ a[free:] / 2 + C @ (t * t if squared else t))


def dual_value(X: Any, z: Matrix, C: Matrix, alpha: Matrix, squared: bool, free: bool) -> float:
    v = np.r_[alpha @ z, X.T @ (alpha * z)][free:]
    return float(alpha.sum() - v @ v / 2 - ((alpha**2 / (4 * C)).sum() if squared else 0))


def judge(X: Any, z: Matrix, C: Matrix, found: Primal, squared: bool, free: bool, tol: float) -> None:
    """The published numbers are those of a and alpha, and the gap is small enough."""
    assert np.all(found.alpha >= 0)
    assert squared or np.all(found.alpha <= C * (1 + 1e-12))
    if free:
        assert abs(found.alpha @ z) <= 1e-9 * found.alpha.sum()
    value, dual = criterion(X, z, C, found.a, squared, free), dual_value(X, z, C, found.alpha, squared, free)
    assert_allclose((found.criterion, found.dual), (value, dual), rtol=1e-8)
    assert -1e-9 <= (value - dual) / value <= tol * (1 + 1e-6)
    assert not found.interrupted


# The criterion ------------------------------------------------------------------------------------------------------


def smooth(newton: HingeNewton, a: Matrix, mu: float) -> tuple[float, Matrix]:
    """The rounded criterion, and its gradient as the steps use it."""
    loss = primal._pulls(newton.rows.times(a), newton.C, mu, newton.alpha, newton.bends)
    return 0.5 * float(newton.ridge @ (a * a)) + loss, newton.ridge * a - newton.rows.back(newton.alpha)


@every_intercept
@pytest.mark.parametrize("mu", [0.0, 0.01, 0.3, 1.0])
def test_gradient_by_finite_differences(mu: float, free: bool, rng: Rng):
    X, z, C = problem(rng)
    newton = HingeNewton(SignedPatterns(X, z), C, mu == 0, free)
    for _ in range(5):
        a, h = rng.normal(size=4), 1e-6
        gradient = smooth(newton, a, mu)[1].copy()
        differences = [
            (smooth(newton, a + h * e, mu)[0] - smooth(newton, a - h * e, mu)[0]) / (2 * h) for e in np.eye(4)
        ]
        assert_allclose(gradient, differences, rtol=1e-5, atol=1e-5)


@every_intercept
@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("wide", [primal.WIDE, 2], ids=["columns", "rows"])
def test_newton_direction_is_that_of_the_hessian_by_finite_differences(
    wide: int, mu: float, free: bool, monkeypatch: pytest.MonkeyPatch, rng: Rng
):
    monkeypatch.setattr(primal, "WIDE", wide)
    X, z, C = problem(rng)
    newton = HingeNewton(SignedPatterns(X, z), C, mu == 0, free)
    for _ in range(5):
        a, h = 0.3 * rng.normal(size=4), 1e-8
        H = np.array(
            [(smooth(newton, a + h * e, mu)[1] - smooth(newton, a - h * e, mu)[1]) / (2 * h) for e in np.eye(4)]
        )
        gradient = smooth(newton, a, mu)[1].copy()
        found, step = newton._step(a, mu)
        assert_allclose(found, gradient, rtol=1e-9, atol=1e-9)
        assert_allclose(step, -np.linalg.solve(H, gradient), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("mu", [0.0, 0.2])
def test_pull_on_the_kinks(mu: float):
    pull = getattr(primal.pull, "py_func", primal.pull)
    assert pull(0.0, mu) == 0
    assert pull(-1.0, mu) == 0
    if mu:
        assert pull(mu, mu) == 1
        assert pull(np.nextafter(mu, 0), mu) <= 1
        assert pull(5.0, mu) == 1
    else:
        assert pull(0.25, mu) == 0.5


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_slope_along_a_line(mu: float, rng: Rng):
    X, z, C = problem(rng)
    rows = SignedPatterns(X, z)
    m, delta = rows.times(rng.normal(size=4)), rows.times(rng.normal(size=4))
    alpha, bends = np.empty(40), np.empty(40, bool)

    def loss(s: float) -> float:
        return float(primal._pulls(m + s * delta, C, mu, alpha, bends))

    for s in (0.0, 0.4, 2.0):
        assert_allclose(
            primal._slope(m, delta, C, mu, s), (loss(s + 1e-6) - loss(s - 1e-6)) / 2e-6, rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_products(dtype: Any, make: Any, rng: Rng):
    n = 10_000
    X = rng.normal(size=(n, 3)).astype(dtype)
    z, a, v = np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.normal(size=4), rng.normal(size=n)
    Y = z[:, None] * np.column_stack([np.ones(n), X.astype(np.float64)])
    rows = SignedPatterns(make(X), z)
    assert_allclose(rows.times(a), Y @ a, rtol=1e-10, atol=1e-12)
    assert_allclose(rows.back(v), Y.T @ v, rtol=1e-8, atol=1e-9)
    some, weight = np.flatnonzero(rng.random(n) < 0.7), np.abs(v)
    G, c = rows.moments(some, weight[some])
    assert_allclose(G, Y[some].T @ (weight[some, None] * Y[some]), rtol=1e-8, atol=1e-8)
    assert_allclose(c, weight[some] @ Y[some], rtol=1e-8, atol=1e-8)


# Oracles ------------------------------------------------------------------------------------------------------------


def best_face(X: Matrix, z: Matrix, C: Matrix, squared: bool, free: bool) -> float:
    """The dual optimum of a few rows: every choice of multipliers at 0, at C and between is solved and compared."""
    Y = z[:, None] * (X if free else np.column_stack([np.ones(len(z)), X]))
    Q = Y @ Y.T + (np.diag(1 / (2 * C)) if squared else 0)
    best = 0.0
    for kinds in product((0, 1) if squared else (0, 1, 2), repeat=len(z)):
        kind = np.array(kinds)
        inside, alpha = kind == 1, np.where(kind == 2, C, 0.0)
        k = int(inside.sum())
        A, right = Q[np.ix_(inside, inside)], 1 - Q[inside] @ alpha
        if free:
            A = np.block([[A, z[inside, None]], [z[None, inside], np.zeros((1, 1))]])
            right = np.append(right, -z @ alpha)
        if right.size:
            alpha[inside] = np.linalg.lstsq(A, right, rcond=1e-12)[0][:k]
        feasible = np.all(alpha >= -1e-10) and (squared or np.all(alpha <= C + 1e-10))
        if feasible and (not free or abs(alpha @ z) < 1e-9 * max(1, alpha.sum())):
            best = max(best, float(alpha.sum() - alpha @ Q @ alpha / 2))
    return best


@every_loss
@every_intercept
@pytest.mark.parametrize("seed", range(6))
def test_tiny_problems_by_trying_every_face(squared: bool, free: bool, seed: int):
    rng = np.random.default_rng(seed)
    X, z, C = problem(rng, 5, 2)
    C = C * 10 ** rng.uniform(-1, 1)
    found = minimize(X, z, C, squared=squared, free=free, tol=1e-8)
    judge(X, z, C, found, squared, free, 1e-7)
    best = best_face(X, z, C, squared, free)
    assert_allclose(found.criterion, best, rtol=1e-6)
    assert found.dual <= best * (1 + 1e-9)
    assert found.criterion >= best * (1 - 1e-9)


@every_loss
@every_intercept
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
@pytest.mark.parametrize("cost", [1e-3, 1.0, 1e3])
def test_gap_is_what_was_asked_for(squared: bool, free: bool, tol: float, cost: float, rng: Rng):
    X, z, C = problem(rng, 1200, 6)
    found = minimize(X, z, cost * C, squared=squared, free=free, tol=tol)
    judge(X, z, cost * C, found, squared, free, tol)


def test_the_rounding_of_the_hinge_falls_until_the_gap_is_small(monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, z, C = problem(rng, 600)
    widths: list[float] = []
    step = HingeNewton._minimize

    def noted(self: Any, a: Any, m: Any, mu: float, *rest: Any) -> Any:
        widths.append(mu)
        return step(self, a, m, mu, *rest)

    monkeypatch.setattr(HingeNewton, "_minimize", noted)
    gaps = [minimize(X, z, C, squared=False, tol=tol).gap for tol in (1e-1, 1e-3, 1e-6)]
    assert np.all(np.array(gaps) <= [1e-1, 1e-3, 1e-6])
    assert min(widths) < 1e-3 < max(widths)
    widths.clear()
    minimize(X, z, C, squared=True)
    assert widths == [0.0]


# The same answer however it is computed -----------------------------------------------------------------------------


@every_loss
@every_intercept
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_storage(squared: bool, free: bool, dtype: Any, make: Any, rng: Rng):
    X, z, C = problem(rng, 1500, 5)
    X[np.abs(X) < 0.4] = 0
    X = X.astype(dtype)
    found = minimize(make(X), z, C, squared=squared, free=free, tol=1e-5)
    judge(X.astype(np.float64), z, C, found, squared, free, 1e-5)


@every_loss
@every_intercept
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("few", [0, primal.FEW], ids=["conjugate", "rows"])
def test_without_the_hessian(
    few: int, squared: bool, free: bool, make: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch
):
    X, z, C = problem(np.random.default_rng(0), 300, 20)
    X = X.astype(dtype)
    built = minimize(make(X), z, C, squared=squared, free=free, tol=1e-3)
    monkeypatch.setattr(primal, "WIDE", 5)
    monkeypatch.setattr(primal, "FEW", few)
    found = minimize(make(X), z, C, squared=squared, free=free, tol=1e-3)
    judge(X.astype(np.float64), z, C, found, squared, free, 1e-3)
    assert_allclose(found.criterion, built.criterion, rtol=2e-3)


@every_loss
@every_intercept
@pytest.mark.parametrize("few", [0, primal.FEW], ids=["conjugate", "rows"])
def test_rows_that_are_all_the_same(few: int, squared: bool, free: bool, monkeypatch: pytest.MonkeyPatch, rng: Rng):
    """No plane is better than none: the gradient is zero from the start."""
    monkeypatch.setattr(primal, "WIDE", 5)
    monkeypatch.setattr(primal, "FEW", few)
    X, z = np.tile(rng.normal(size=20), (10, 1)), np.where(np.arange(10) % 2, 1.0, -1.0)
    found = minimize(X, z, np.ones(10), squared=squared, free=free, tol=1e-3)
    assert_allclose(found.a, 0, atol=1e-12)
    assert_allclose((found.criterion, found.dual), 10)


def test_more_columns_than_the_hessian_is_built_for(rng: Rng):
    n, d = 1100, primal.WIDE + 500
    X = sparse.random_array((n, d), density=0.01, format="csr", rng=rng)
    z = np.where(X[:, [0]].toarray().ravel() + X[:, :200].sum(axis=1) > 1, 1.0, -1.0)
    for squared in (False, True):
        found = minimize(X, z, np.ones(n), squared=squared, tol=1e-3)
        judge(X, z, np.ones(n), found, squared, True, 1e-3)


@every_loss
def test_a_first_fit_on_some_rows_changes_nothing_but_the_way(squared: bool, monkeypatch: pytest.MonkeyPatch, rng: Rng):
    X, z, C = problem(rng, 1501)
    plain = minimize(X, z, C, squared=squared, tol=1e-6)
    monkeypatch.setattr(primal, "FIRST", 300)
    found = minimize(X, z, C, squared=squared, tol=1e-6)
    judge(X, z, C, found, squared, True, 1e-6)
    assert_allclose(found.criterion, plain.criterion, rtol=2e-6)


@every_loss
def test_warm_start(squared: bool, rng: Rng):
    X, z, C = problem(rng, 800)
    cold = minimize(X, z, C, squared=squared, tol=1e-6)
    warm = minimize(X, z, C, squared=squared, tol=1e-6, start=cold.a)
    far = minimize(X, z, C, squared=squared, tol=1e-6, start=100 * np.ones(4))
    for found in (warm, far):
        judge(X, z, C, found, squared, True, 1e-6)
        assert_allclose(found.criterion, cold.criterion, rtol=2e-6)
    if squared:
        assert warm.steps <= cold.steps


@every_loss
@every_intercept
def test_cost_two_is_two_rows_and_cost_zero_none(squared: bool, free: bool, rng: Rng):
    X, z, _ = problem(rng, 500)
    times = rng.integers(0, 3, size=500)
    one = minimize(X, z, times.astype(float), squared=squared, free=free, tol=1e-7)
    other = minimize(
        np.repeat(X, times, axis=0), np.repeat(z, times), np.ones(times.sum()), squared=squared, free=free, tol=1e-7
    )
    assert_allclose(one.criterion, other.criterion, rtol=1e-6)
    assert_array_equal(one.alpha[times == 0], 0)


def test_all_rows_at_the_bound():
    """A cost so low that no row reaches the margin: the slope in w0 is flat over an interval."""
    X, z = np.array([[-1.0], [-1.0], [1.0], [1.0]]), np.array([-1.0, -1, 1, 1])
    for squared, free in product((False, True), (False, True)):
        found = minimize(X, z, np.full(4, 1e-4), squared=squared, free=free, tol=1e-6)
        judge(X, z, np.full(4, 1e-4), found, squared, free, 1e-6)


def test_separable_rows(rng: Rng):
    X, z, _ = problem(rng, 1200)
    X += 10 * z[:, None]
    for squared, free in product((False, True), (False, True)):
        found = minimize(X, z, np.full(1200, 10.0), squared=squared, free=free, tol=1e-5)
        judge(X, z, np.full(1200, 10.0), found, squared, free, 1e-5)


@every_loss
def test_interrupt(squared: bool, rng: Rng):
    X, z, C = problem(rng, 1200)
    watch = Watch()
    watch.interrupted = True
    found = minimize(X, z, C, squared=squared, watch=watch)
    assert found.interrupted
    assert np.all(np.isfinite(found.a))
    assert np.isfinite(found.gap)

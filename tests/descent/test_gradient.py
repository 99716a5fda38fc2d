"""Algorithm 1: by hand, Eq. 14, where it diverges, on kinks, and when it stops."""

import numpy as np
import pytest
from descent_cases import DESCENDABLE, SMOOTH, clouds, lstsq, normalized, quietly, table
from hypothesis import given
from hypothesis import strategies as st

from discriminant import (
    GradientDescent,
    LinearProgram,
    NotConvergedWarning,
    Perceptron,
    Status,
    criteria,
    datasets,
)
from discriminant.schedules import Adaptive, Constant, Harmonic


@pytest.mark.parametrize(
    ("schedule", "eta"),
    [(0.002, lambda k: 0.002), (Harmonic(0.003), lambda k: 0.003 / k), (lambda k: 1e-3 / k**0.5,) * 2],
    ids=["number", "1/k", "function"],
)
def test_algorithm_1_by_hand(schedule, eta):
    X, y = datasets.hessian_example()
    Y, b = normalized(X, y), np.arange(1.0, 7.0)
    path, J = [np.array([0.5, -0.25, 0.125])], []
    for k in range(1, 31):
        e = Y @ path[-1] - b
        J.append(e @ e)
        path.append(path[-1] - eta(k) * 2 * Y.T @ e)
    model = GradientDescent(schedule=schedule, margin=b, start=path[0], max_iter=30, record="weights")
    quietly(model, X, y)
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(model.history_["criterion"], J, rtol=1e-11)
    np.testing.assert_allclose(model.history_["step"], [eta(k) for k in range(1, 31)], rtol=1e-15)
    np.testing.assert_array_equal(model.history_["errors"], [np.sum(Y @ a <= 0) for a in path[:-1]])
    assert (model.n_iter_, model.n_corrections_) == (30, 30)


@pytest.mark.parametrize(("categories", "corrections"), [((1, 2), 23), ((3, 2), 16)])
def test_on_the_perceptron_criterion_it_is_the_batch_perceptron(categories, corrections):
    X, y = table(*categories)
    descent = GradientDescent(criterion="perceptron", schedule=1.0, record="weights").fit(X, y)
    batch = Perceptron(batch=True, record="weights").fit(X, y)
    assert descent.n_corrections_ == batch.n_corrections_ == corrections
    np.testing.assert_allclose(descent.history_["weights"], batch.history_["weights"], atol=1e-10)
    assert descent.status_ is Status.SEPARATED


def test_the_optimal_step():
    """Eq. 14 and Problem 13: the first step from 0 is 0.00392907, and the later ones differ though H is constant."""
    X, y = datasets.hessian_example()
    Y = normalized(X, y)
    model = GradientDescent(record="weights").fit(X, y)
    assert round(model.history_["step"][0], 8) == 0.00392907
    for a, eta in zip(model.history_["weights"][:20], model.history_["step"], strict=False):
        g = 2 * Y.T @ (Y @ a - 1)
        np.testing.assert_allclose(eta, g @ g / (2 * (Y @ g) @ (Y @ g)), rtol=1e-9)
    assert np.ptp(model.history_["step"][:10]) > 1e-3
    np.testing.assert_allclose(model.weights_, lstsq(X, y), atol=1e-7)


def test_the_optimal_step_is_the_best_along_the_gradient():
    """Problem 12, on a criterion that is not quadratic: of the second-order expansion no other step is lower."""
    X, y = table(1, 3)
    model = quietly(GradientDescent(criterion="logistic", max_iter=10, record="weights"), X, y)
    J = criteria.Logistic(normalized(X, y))
    for a, eta in zip(model.history_["weights"], model.history_["step"], strict=False):
        g, H = J.gradient(a), J.hessian(a)
        expansion = [-t * g @ g + 0.5 * t**2 * g @ H @ g for t in (eta, 0.9 * eta, 1.1 * eta)]
        assert np.argmin(expansion) == 0


def test_the_largest_step_that_converges():
    """Computer exercise 1: on J_s of omega_1 and omega_3 the limit is 2 / lambda_max(H) = 0.00222033."""
    X, y = table(1, 3)
    limit = 2 / np.linalg.eigvalsh(2 * normalized(X, y).T @ normalized(X, y))[-1]
    assert round(limit, 8) == 0.00222033
    below = GradientDescent(schedule=0.999 * limit, max_iter=20_000).fit(X, y)
    assert below.status_ is Status.CONVERGED
    np.testing.assert_allclose(below.weights_, lstsq(X, y), atol=1e-7)
    with pytest.raises(ValueError, match=r"schedule=0\.0023 diverges: after \d+ steps .*; take a smaller step"):
        GradientDescent(schedule=0.0023, max_iter=20_000).fit(X, y)
    with pytest.raises(ValueError, match=r"schedule=0\.1 diverges"):  # as the book has it
        GradientDescent(schedule=0.1).fit(X, y)
    with pytest.warns(NotConvergedWarning, match="a smaller step: the criterion has grown"):
        GradientDescent(schedule=1.01 * limit).fit(X, y)


@pytest.mark.parametrize("criterion", ["perceptron", "hinge", "logistic"])
def test_a_schedule_that_falls_with_the_errors(criterion):
    model = quietly(GradientDescent(criterion=criterion, schedule=Adaptive(0.1), max_iter=60), *table(1, 2))
    eta = Adaptive(0.1)
    expected = []
    for errors in model.history_["errors"]:
        expected.append(eta(1))
        eta.observe(errors=errors)
    np.testing.assert_array_equal(model.history_["step"], expected)
    assert expected[-1] < 0.1


@given(st.sampled_from(SMOOTH), st.integers(0, 10**6), st.floats(0.05, 0.95))
def test_a_short_enough_step_never_climbs(criterion, seed, fraction):
    """A constant step below 1/L, with L a bound of the curvature, goes down every time."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(10, 3)), np.arange(10) % 2
    Y = normalized(X, y)
    most = {"mse": 2, "mean_squared": 0.2, "squared": 2, "squared_hinge": 2, "relaxation": 1, "logistic": 0.25}
    eta = fraction / (most.get(criterion, 0.25) * np.linalg.norm(Y, 2) ** 2)
    start = rng.normal(size=4)
    model = quietly(GradientDescent(criterion=criterion, schedule=eta, start=start, max_iter=25), X, y)
    J = model.history_["criterion"]
    assert np.all(np.diff(J) <= 1e-12 * J[0])
    np.testing.assert_allclose(J[0], criteria.get(criterion)(Y).value(start), rtol=1e-12)


@pytest.mark.parametrize("criterion", DESCENDABLE)
@pytest.mark.parametrize("schedule", [Constant, Harmonic, Adaptive, lambda eta: lambda k: eta / k**0.5])
@pytest.mark.parametrize("categories", [(1, 2), (1, 3)])
def test_every_criterion_with_every_schedule_gets_lower(criterion, schedule, categories):
    X, y = table(*categories)
    Y, start = normalized(X, y), np.array([0.1, 0.2, 0.1])
    J = criteria.get(criterion)(Y)
    steep = np.linalg.norm(J.hessian(start) if J.has_hessian else Y, 2)
    model = GradientDescent(criterion=criterion, schedule=schedule(0.5 / steep), start=start, max_iter=100)
    quietly(model, X, y)
    assert np.all(np.isfinite(model.weights_))
    assert J.value(model.weights_) < 0.95 * J.value(start)


@pytest.mark.parametrize("criterion", SMOOTH)
def test_the_optimal_schedule_gets_lower(criterion):
    X, y = table(1, 3)
    start = np.array([0.01, -0.02, 0.01])
    model = quietly(GradientDescent(criterion=criterion, start=start, max_iter=200), X, y)
    J = criteria.get(criterion)(normalized(X, y))
    assert J.value(model.weights_) < 0.7 * J.value(start)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("criterion", ["mse", "logistic", "squared_hinge"])
def test_the_last_step_is_the_first_short_one_on_flat_ground(tol, criterion):
    X, y = table(1, 3)
    J = criteria.get(criterion)(normalized(X, y))
    model = GradientDescent(criterion=criterion, tol=tol, max_iter=10_000, record="weights").fit(X, y)
    a = model.history_["weights"]
    short = np.linalg.norm(np.diff(a, axis=0), axis=1) <= tol * np.maximum(1, np.linalg.norm(a[:-1], axis=1))
    flat = np.array([np.linalg.norm(J.gradient(v)) for v in a[:-1]]) <= tol * np.linalg.norm(J.gradient(np.zeros(3)))
    assert model.status_ is Status.CONVERGED
    np.testing.assert_array_equal(np.flatnonzero(short & flat), [len(a) - 2])


def test_a_small_increment_is_no_convergence():
    X, y = table(1, 3)
    with pytest.warns(NotConvergedWarning, match=r"J_s\(a\)"):
        model = GradientDescent(schedule=1e-12, max_iter=50).fit(X, y)
    assert model.status_ is Status.BUDGET
    assert model.n_iter_ == 50


def test_the_minimum_of_a_criterion_with_kinks():
    """The level method: on overlapping classes near the minimum that linear programming finds, and no claim to it."""
    X, y, _ = clouds(1.0, 0.0)
    model = quietly(GradientDescent(criterion="hinge", max_iter=2000), X, y)
    assert model.status_ is Status.BUDGET
    assert model.history_["criterion"].min() <= 1.01 * LinearProgram().fit(X, y).objective_
    assert "LinearProgram" in str(model.report_)


@pytest.mark.parametrize("schedule", ["auto", "optimal", "best constant"])
def test_converged_far_from_the_origin_is_the_minimum(schedule):
    """The gradient at a = 0 is long by the offset alone: that it has fallen far below says nothing."""
    converged, tol = 0, 1e-3
    for offset in (0.0, 3.0, 30.0, 300.0):
        X, y, near = clouds(1.0, offset)
        eta = 0.5 / np.linalg.norm(normalized(X, y), 2) ** 2 if schedule == "best constant" else schedule
        model = quietly(GradientDescent(schedule=eta, tol=tol, max_iter=300), X, y)
        if model.status_ is Status.CONVERGED:
            converged += 1
            J = criteria.SquaredError(normalized(near, y))
            assert np.sum((normalized(X, y) @ model.weights_ - 1) ** 2) <= (1 + tol) * J.value(lstsq(near, y))
    assert converged


def test_a_curvature_that_is_not_positive():
    """Far out the squared sigmoid is concave along its gradient: Eq. 14 has no answer, the default goes down."""
    model = GradientDescent(criterion="sigmoid", start=[-5.0, 0.0], schedule="optimal")
    data = [[1.0], [1.1], [-1.0]], [1, 1, 0]
    with pytest.raises(ValueError, match=r"schedule='optimal' needs a positive, finite curvature.*'sigmoid'.*a number"):
        model.fit(*data)
    J = quietly(model.set_params(schedule="auto"), *data).history_["criterion"]
    assert np.all(np.diff(J) <= 1e-12)
    assert J[-1] < J[0] / 100

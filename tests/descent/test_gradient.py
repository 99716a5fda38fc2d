"""Algorithms 1 and 2: by hand, Eq. 14, where they diverge, where the Hessian is singular, and when they stop."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit

from discriminant import (
    GradientDescent,
    LinearProgram,
    NewtonDescent,
    NotConvergedWarning,
    Perceptron,
    Status,
    criteria,
    datasets,
)
from discriminant.criteria import Criterion
from discriminant.schedules import Adaptive, Constant, Harmonic

SMOOTH = [name for name in criteria.names() if criteria.get(name).has_hessian]
DESCENDABLE = [name for name in criteria.names() if criteria.get(name).has_gradient]


def table(*categories):
    X, y = datasets.table(*categories)
    return np.asarray(X, float), np.asarray(y)


def normalized(X, y):
    return np.where(np.asarray(y) == np.max(y), 1.0, -1.0)[:, None] * np.column_stack([np.ones(len(X)), X])


def quietly(model, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(*data)


def lstsq(X, y, b=1.0):
    Y = normalized(X, y)
    return np.linalg.lstsq(Y, np.broadcast_to(b, len(Y)), rcond=None)[0]


# Algorithm 1


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
    with pytest.raises(ValueError, match=r"schedule=0\.0023 diverges: after \d+ steps .* Take a smaller step"):
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


# Algorithm 2


def test_algorithm_2_by_hand():
    X, y = table(1, 3)
    Y, path = normalized(X, y), [np.zeros(3)]
    for _ in range(6):
        m = Y @ path[-1]
        g, H = -Y.T @ expit(-m), (Y * (expit(m) * expit(-m))[:, None]).T @ Y
        path.append(path[-1] - np.linalg.solve(H, g))
    model = quietly(NewtonDescent(criterion="logistic", max_iter=6, record="weights"), X, y)
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.history_["step"], 1.0)
    converged = NewtonDescent(criterion="logistic").fit(X, y)
    assert converged.status_ is Status.CONVERGED
    assert np.linalg.norm(criteria.Logistic(Y).gradient(converged.weights_)) < 1e-10


@pytest.mark.parametrize("criterion", ["mse", "mean_squared"])
@pytest.mark.parametrize("start", [None, [3.0, -2.0, 5.0]])
@pytest.mark.parametrize("scale", [1e-150, 1e-5, 1.0, 1e150])
def test_a_quadratic_criterion_takes_one_step(criterion, start, scale):
    X, y = table(1, 3)
    start = None if start is None else np.divide(start, [1, scale, scale])
    model = NewtonDescent(criterion=criterion, start=start).fit(scale * X, y)
    np.testing.assert_allclose(model.weights_ * [1, scale, scale], lstsq(X, y), rtol=1e-9)
    assert model.n_iter_ <= 2
    assert model.status_ is Status.CONVERGED


def test_pseudoinverse_example():
    X, y = datasets.pseudoinverse_example()
    np.testing.assert_allclose(NewtonDescent().fit(X, y).weights_, [11 / 3, -4 / 3, -2 / 3], rtol=1e-12)
    b = np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(NewtonDescent(margin=b).fit(X, y).weights_, lstsq(X, y, b), rtol=1e-12)


@pytest.mark.parametrize("criterion", ["squared_hinge", "relaxation", "squared", "sigmoid"])
def test_newton_ends_where_the_gradient_does(criterion):
    X, y = table(1, 3)
    model = quietly(NewtonDescent(criterion=criterion, start=[0.1, 0.1, -0.1], max_iter=200), X, y)
    J = criteria.get(criterion)(normalized(X, y))
    assert np.linalg.norm(J.gradient(model.weights_)) < 1e-8
    assert J.value(model.weights_) < J.value([0.1, 0.1, -0.1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("copies", [1.0, 10.0, 1e-3])
@pytest.mark.parametrize("start", [None, [1.0, -1.0, 2.0, 0.5]])
def test_a_singular_hessian_gives_the_shortest_step(dtype, copies, start):
    """A column is a multiple of another: of all Newton steps the shortest is taken, and the report says so."""
    X, y = table(1, 3)
    X = np.column_stack([X, copies * X[:, 0]])
    model = NewtonDescent(start=start).fit(X.astype(dtype), y)
    a = np.zeros(4) if start is None else np.array(start)
    Y = normalized(X, y)
    shortest = np.linalg.lstsq(Y, 1 - Y @ a, rcond=None)[0]
    np.testing.assert_allclose(model.weights_ - a, shortest, rtol=0, atol=1e-4 if dtype == np.float32 else 1e-9)
    assert "The Hessian is singular (rank 3 of 4): the shortest of the Newton steps was taken." in str(model.report_)
    assert model.status_ is Status.CONVERGED
    assert model.n_iter_ <= 3


@pytest.mark.parametrize("offset", [0, 5, 50])
def test_fewer_patterns_than_dimensions(rng, offset):
    X, y = rng.normal(size=(5, 9)) + offset, [0, 1, 0, 1, 1]
    model = NewtonDescent().fit(X, y)
    np.testing.assert_allclose(model.weights_, np.linalg.pinv(normalized(X, y)) @ np.ones(5), rtol=1e-8)
    assert "rank 5 of 10" in str(model.report_)


def test_no_note_without_need():
    assert "singular" not in str(NewtonDescent().fit(*table(1, 3)).report_)


# Every criterion with every schedule


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


@pytest.mark.parametrize(
    ("kind", "criterion"),
    [*((GradientDescent, name) for name in DESCENDABLE), *((NewtonDescent, name) for name in SMOOTH)],
)
def test_a_weight_of_two_is_two_rows(kind, criterion):
    X, y = table(1, 3)
    weight = np.arange(len(X)) % 3  # 0, 1 and 2
    common = {"criterion": criterion, "start": [0.1, 0.1, 0.1], "max_iter": 3}  # later rounding decides on the kinks
    if kind is GradientDescent:
        common["schedule"] = Harmonic(0.01)
    weighted = quietly(kind(**common), X, y, weight)
    repeated = quietly(kind(**common), np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(weighted.history_["criterion"], repeated.history_["criterion"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_weights_in_which_the_criterion_vanishes_are_refused(kind):
    X, y = table(1, 3)
    with pytest.raises(ValueError, match=r"sample_weight reaches no more than 1e-310.*: multiply"):
        kind(criterion="logistic").fit(X, y, np.full(len(X), 1e-310))


def test_a_criterion_of_ones_own():
    class Cubic(Criterion):
        name, symbol, equation, source = "cubic", "J_3", "sum of |b - a'y|^3 over the violators", "this test"
        has_hessian = False

        def _loss(self, m):
            return np.maximum(self.b - m, 0) ** 3

        def _slope(self, m):
            return -3 * np.maximum(self.b - m, 0) ** 2

    model = quietly(GradientDescent(criterion=Cubic, schedule=1e-4, max_iter=200), *table(1, 2))
    assert model.history_["criterion"][-1] < model.history_["criterion"][0] / 2
    assert "|b - a'y|^3" in str(model.report_)
    with pytest.raises(ValueError, match="criterion='cubic' has no Hessian"):
        NewtonDescent(criterion=Cubic).fit(*table(1, 2))


# The stop


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


def test_at_the_minimum_it_stops_at_once():
    X, y = table(1, 3)
    best = lstsq(X, y)
    for kind in (GradientDescent, NewtonDescent):
        model = kind(start=best).fit(X, y)
        assert (model.status_, model.n_iter_) == (Status.CONVERGED, 1)
        np.testing.assert_allclose(model.weights_, best, rtol=1e-9)


def test_float32_converges_as_far_as_it_can():
    X, y = table(1, 3)
    for model in (GradientDescent(max_iter=5000), NewtonDescent()):
        model.fit(X.astype(np.float32), y)
        assert model.status_ is Status.CONVERGED
        assert model.weights_.dtype == np.float32
        np.testing.assert_allclose(model.weights_, lstsq(X, y), rtol=1e-3)


@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_a_zero_gradient_at_the_start_is_told(kind):
    """Exclusive or: a = 0 is the minimum of J_s, with every pattern on the plane."""
    model = kind().fit([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1])
    assert (model.status_, model.n_corrections_) == (Status.CONVERGED, 0)
    assert "The gradient is zero at the start, which is the minimum." in str(model.report_)


def test_without_margins_descent_may_end_at_zero():
    """J_q without margins is least at a = 0: "particularly embarrassing", says the book."""
    model = NewtonDescent(criterion="squared", margin=0, start=[0.1, 0.1, -0.1]).fit(*table(1, 3))
    assert np.linalg.norm(model.weights_) < 1e-9
    assert "With margin=0 a = 0 is a minimum whatever the classes" in str(model.report_)


def test_separable_patterns_have_no_least_log_loss():
    with pytest.warns(NotConvergedWarning, match="falls for ever as the weights grow"):
        model = NewtonDescent(criterion="logistic", max_iter=30).fit(*table(1, 2))
    assert np.all(np.isfinite(model.weights_))
    assert model.score(*table(1, 2)) == 1


# Every criterion with nothing else given


def clouds(apart, offset, n=40, d=3):
    """Two clouds of points, far from the origin or not, and the same points about their mean."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 2
    X[:, 0] += apart * (2 * y - 1)
    X -= X.mean(axis=0)
    return X + offset * np.array([1.0, -1.0, 0.0]), y, X


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("apart", [1.0, 6.0], ids=["overlapping", "separable"])
@pytest.mark.parametrize(
    ("kind", "criterion"),
    [*((GradientDescent, name) for name in DESCENDABLE), *((NewtonDescent, name) for name in SMOOTH)],
)
def test_a_criterion_is_all_that_is_needed(kind, criterion, apart, offset):
    """No refusal, no wrong claim, and CONVERGED means the minimum: checked about the mean, where it is easy to find."""
    X, y, near = clouds(apart, offset)
    model = quietly(kind(criterion=criterion) if offset == 0 else kind(criterion=criterion, max_iter=100), X, y)
    assert np.all(np.isfinite(model.weights_))
    useless = apart == 1 and criterion in ("perceptron", "minimax")  # where classes overlap they are least at a = 0
    if not useless and (offset == 0 or kind is NewtonDescent):
        assert model.score(X, y) >= (1 if apart == 6 else 0.8)
    margin = 1.0 if criterion == "squared" else None
    J = criteria.get(criterion)(normalized(X, y), margin)
    if model.status_ is Status.SEPARATED:
        assert np.all(normalized(X, y) @ model.weights_ > 0)
    if model.status_ is Status.CONVERGED:
        a = quietly(NewtonDescent(criterion=criterion, tol=1e-12), near, y).weights_
        a = np.append(a[0] + (near - X)[0] @ a[1:], a[1:])
        assert J.value(model.weights_) <= (1 + 1e-6) * J.value(a) + 1e-12
    if kind is NewtonDescent and J.uses_margin:
        assert model.status_.finished


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


def test_wide_data_need_no_square_matrix(rng):
    """Beyond a thousand features Newton's step comes from products with Y alone, the same step."""
    X, y = sparse.random_array((30, 3000), density=0.01, rng=rng, format="csr"), np.arange(30) % 2
    for criterion in ("mse", "logistic", "squared_hinge"):
        model = quietly(NewtonDescent(criterion=criterion, max_iter=3), X, y)
        Y = normalized(X.toarray(), y)
        J, a = criteria.get(criterion)(Y), np.zeros(3001)
        for _ in range(model.n_corrections_):
            c, m = J.curvatures(Y @ a) * np.ones(30), Y @ a
            a = a - np.linalg.pinv(np.sqrt(c)[:, None] * Y) @ np.divide(
                J.slopes(m), np.sqrt(c), out=np.zeros(30), where=c > 0
            )
        np.testing.assert_allclose(model.weights_, a, rtol=0, atol=1e-8 * np.abs(a).max())


# Many classes, storage, scales


@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_many_classes_are_problems_of_their_own(kind):
    X, y = table(1, 2, 3)
    rest = quietly(kind(), X, y)
    for category, row in zip(rest.classes_, rest.weights_, strict=True):
        np.testing.assert_allclose(row, quietly(kind(), X, y == category).weights_, rtol=1e-12)
    pairs = quietly(kind(multiclass="one-vs-one"), X, y)
    for (i, j), row in zip([(0, 1), (0, 2), (1, 2)], pairs.weights_, strict=True):
        rows = np.isin(y, pairs.classes_[[i, j]])
        np.testing.assert_allclose(row, quietly(kind(), X[rows], y[rows]).weights_, rtol=1e-8)
    assert set(rest.history_["problem"]) == {0, 1, 2}


@pytest.mark.parametrize("criterion", SMOOTH)
def test_storage_does_not_matter(criterion):
    X, y = table(1, 3)
    for model in (
        GradientDescent(criterion=criterion, schedule=0.001, max_iter=20),
        NewtonDescent(criterion=criterion),
    ):
        dense, csr = quietly(model, X, y).weights_, quietly(model, sparse.csr_array(X), y).weights_
        np.testing.assert_allclose(csr, dense, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.parametrize("criterion", [name for name in SMOOTH if name != "sigmoid"])  # whose curvature may vanish
def test_scales(criterion, scale):
    X, y = table(1, 3)
    for model in (GradientDescent(criterion=criterion, max_iter=10), NewtonDescent(criterion=criterion, max_iter=10)):
        quietly(model, scale * X, y)
        assert np.all(np.isfinite(model.weights_))


@pytest.mark.parametrize("kind", [GradientDescent, NewtonDescent])
def test_too_large_to_square(kind):
    X, y = table(1, 3)
    with pytest.raises(ValueError, match="divide the features by their size"):
        kind().fit(1e200 * X, y)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_data(bad):
    for model in (GradientDescent(), NewtonDescent()):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            model.fit([[1.0], [bad], [2.0]], [0, 1, 0])


# Bad input


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (NewtonDescent(criterion="perceptron"), "criterion='perceptron' has no Hessian: use GradientDescent"),
        (NewtonDescent(criterion="hinge"), "criterion='hinge' has no Hessian"),
        (NewtonDescent(criterion="minimax"), "criterion='minimax' has no Hessian"),
        (NewtonDescent(criterion="errors"), "criterion='errors' has no gradient"),
        (GradientDescent(criterion="errors"), "criterion='errors' has no gradient: choose another"),
        (
            GradientDescent(criterion="perceptron", schedule="optimal"),
            "schedule='optimal' needs the Hessian that criterion='perceptron'",
        ),
        (GradientDescent(criterion="squared", margin=0), "margin=0 leaves descent on criterion='squared' at a = 0"),
        (NewtonDescent(criterion="squared", margin=0.0), "give a margin > 0, or a start"),
        (GradientDescent(criterion="msee"), "got 'msee'; did you mean 'mse'"),
        (GradientDescent(schedule="rls"), "schedule='rls' belongs to single-sample rules"),
        (GradientDescent(schedule=-1.0), r"got -1\.0"),
        (GradientDescent(tol=-1.0), r"tol=-1\.0 must be .*; give a threshold"),
        (GradientDescent(margin=[1.0, 2.0]), "b must hold 20 real numbers"),
        (GradientDescent(margin=np.nan), "b must be finite"),
        (GradientDescent(record="all"), "record='all' is unknown"),
        (GradientDescent(multiclass="kesler"), "multiclass='kesler' is unknown"),
        (GradientDescent(start=[1.0]), r"start has shape \(1,\)"),
        (NewtonDescent(max_iter=1.5), r"max_iter=1\.5 must be "),
    ],
)
def test_bad_parameters_are_named(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(*table(1, 3))


def test_a_curvature_that_is_not_positive():
    """Far out the squared sigmoid is concave along its gradient: Eq. 14 has no answer, the default goes down."""
    model = GradientDescent(criterion="sigmoid", start=[-5.0, 0.0], schedule="optimal")
    data = [[1.0], [1.1], [-1.0]], [1, 1, 0]
    with pytest.raises(ValueError, match=r"schedule='optimal' needs a positive, finite curvature.*'sigmoid'.*a number"):
        model.fit(*data)
    J = quietly(model.set_params(schedule="auto"), *data).history_["criterion"]
    assert np.all(np.diff(J) <= 1e-12)
    assert J[-1] < J[0] / 100

"""Algorithm 2: by hand, in one step, where the Hessian is singular, and far from the origin."""

import numpy as np
import pytest
from descent_cases import lstsq, normalized, quietly, table
from scipy import sparse
from scipy.special import expit

from discriminant import NewtonDescent, NotConvergedWarning, Status, criteria, datasets


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

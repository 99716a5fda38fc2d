"""Criteria: finite differences, convexity, kinks, one answer for every storage of Y, and the books' numbers."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.optimize import linprog

from discriminant import criteria
from discriminant.samples import Samples
from discriminant.schedules import Optimal

NAMES = criteria.names()
DESCENDABLE = [name for name in NAMES if criteria.get(name).has_gradient]
CURVED = [name for name in NAMES if criteria.get(name).has_hessian]
CONVEX = [name for name in DESCENDABLE if name != "sigmoid"]


# Pattern Classification, data of the computer exercises (x1, x2 of ω₁, ω₂, ω₃ in each row), Problems 13 and 25
TABLE = """
 0.1  1.1   7.1  4.2  -3.0 -2.9
 6.8  7.1  -1.4 -4.3   0.5  8.7
-3.5 -4.1   4.5  0.0   2.9  2.1
 2.0  2.7   6.3  1.6  -0.1  5.2
 4.1  2.8   4.2  1.9  -4.0  2.2
 3.1  5.0   1.4 -3.2  -1.3  3.7
-0.8 -1.3   2.4 -4.0  -3.4  6.2
 0.9  1.2   2.5 -6.1  -4.1  3.4
 5.0  6.4   8.4  3.7  -5.1  1.6
 3.9  4.0   4.1 -2.2   1.9  5.1
"""
W1, W2, W3 = np.array(TABLE.split(), dtype=float).reshape(10, 3, 2).swapaxes(0, 1)
P13 = [(1, 5), (2, 9), (-5, -3)], [(2, -3), (-1, -4), (0, 2)]
P25 = [(1, 2), (2, -4), (-3, -1)], [(2, 4), (-1, -5), (5, 0)]


def normalized(first, second):
    X = np.array([*first, *second], dtype=float)
    z = np.repeat([1.0, -1.0], [len(first), len(second)])
    return z[:, None] * np.column_stack([np.ones(len(X)), X])


def random_problem(rng, n=12, d=3):
    X, z = rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], size=n)
    Y = z[:, None] * np.column_stack([np.ones(n), X])
    return X, z, Y, rng.uniform(0.2, 1.5, size=n), rng.uniform(0.5, 2.0, size=n), rng.normal(size=d + 1)


def difference(function, a, h=1e-6):
    """Central differences of a function of a, one row for each component."""
    steps = h * np.eye(len(a))
    return np.array([(function(a + e) - function(a - e)) / (2 * h) for e in steps])


def answers(J, a):
    """All that a criterion can say at a."""
    kinds = [J.value(a)]
    kinds += [J.gradient(a)] if J.has_gradient else []
    return kinds + ([J.hessian(a)] if J.has_hessian else [])


# Derivatives


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", DESCENDABLE)
def test_gradient_is_the_difference_quotient(name, seed):
    _, _, Y, b, weight, a = random_problem(np.random.default_rng(seed))
    J = criteria.get(name)(Y, b, weight)
    assert np.min(np.abs(Y @ a - b)) > 1e-4, "not on a kink"
    assert np.any(J.gradient(a) != 0)
    np.testing.assert_allclose(J.gradient(a), difference(J.value, a), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CURVED)
def test_hessian_is_the_difference_quotient(name, seed):
    _, _, Y, b, weight, a = random_problem(np.random.default_rng(seed))
    J = criteria.get(name)(Y, b, weight)
    H = J.hessian(a)
    assert np.any(H != 0)
    np.testing.assert_array_equal(H, H.T)
    np.testing.assert_allclose(H, difference(J.gradient, a), rtol=1e-6, atol=1e-7)


SMALL = st.integers(-3, 3).map(float)  # integers fall on the kinks time and again


@pytest.mark.parametrize("name", CONVEX)
@given(
    Y=arrays(float, (5, 3), elements=SMALL), ends=arrays(float, (2, 3), elements=SMALL), b=st.sampled_from([0.0, 1.0])
)
def test_subgradient_inequality(name, Y, ends, b):
    """J(c) ≥ J(a) + ∇J(a)ᵗ(c − a) for every convex criterion, on the kinks too."""
    Y[:, 0] = 1.0
    J, (a, c) = criteria.get(name)(Y, b), ends
    assert J.value(c) >= J.value(a) + J.gradient(a) @ (c - a) - 1e-9


def test_sigmoid_is_not_convex():
    J = criteria.Sigmoid([[1.0]])
    assert J.hessian([-3.0])[0, 0] < 0 < J.hessian([3.0])[0, 0]


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(CURVED)))
def test_missing_hessian_is_said(name):
    with pytest.raises(ValueError, match=f"'{name}'.*no hessian.*mse"):
        criteria.get(name)(np.eye(2)).hessian([0, 0])


def test_errors_have_no_gradient():
    with pytest.raises(ValueError, match=r"'errors'.*no gradient.*perceptron"):
        criteria.Errors(np.eye(2)).gradient([0, 0])


# Kinks: aᵗy = b counts as a violation


def test_on_the_margin_is_an_error():
    J = criteria.Errors([[1.0, 0.0], [0.0, 1.0]], b=[1.0, 2.0])
    assert J.value([1.0, 2.0]) == 2.0
    assert J.value([1.0 + 1e-15, 2.0]) == 1.0


@pytest.mark.parametrize("name", ["perceptron", "hinge"])
def test_piecewise_linear_on_a_kink(name):
    Y = np.array([[1.0, 2.0], [3.0, -1.0]])
    J = criteria.get(name)(Y, b=0.0)
    assert J.value([0.0, 0.0]) == 0.0
    np.testing.assert_array_equal(J.gradient([0.0, 0.0]), -Y.sum(axis=0))


@pytest.mark.parametrize("name", ["squared", "squared_hinge", "relaxation"])
def test_piecewise_quadratic_on_a_kink(name):
    Y = np.array([[1.0, 2.0], [2.0, -1.0]])  # ‖y‖² = 5
    J = criteria.get(name)(Y, b=[4.0, 9.0])
    a = [2.0, 1.0]  # aᵗy = 4 on the margin, 3 below it
    scale = 1 / 10 if name == "relaxation" else 1
    assert J.value(a) == pytest.approx(36 * scale)
    np.testing.assert_allclose(J.gradient(a), scale * -12 * Y[1])
    np.testing.assert_allclose(J.hessian(a), scale * 2 * Y.T @ Y)
    a = [3.0, 1.0]  # the first is now beyond its margin
    np.testing.assert_allclose(J.hessian(a), scale * 2 * np.outer(Y[1], Y[1]))


def test_minimax_takes_the_first_of_the_worst():
    J = criteria.Minimax([[3.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 2.0]])
    assert J.value([1.0, 0.0]) == 1.0
    np.testing.assert_array_equal(J.gradient([1.0, 0.0]), [0.0, -1.0])
    assert J.value([1.0, 1.0]) == 0.0
    np.testing.assert_array_equal(J.gradient([1.0, 1.0]), [0.0, -1.0])  # violators on the margin still count
    np.testing.assert_array_equal(J.gradient([2.0, 2.0]), [0.0, 0.0])


@pytest.mark.parametrize("name", ["errors", "perceptron", "squared", "relaxation", "minimax", "hinge", "squared_hinge"])
def test_no_violators_no_criterion(name):
    J = criteria.get(name)(np.eye(2), b=1.0)
    assert all(np.all(answer == 0) for answer in answers(J, [2.0, 3.0]))


# One answer for every storage, and for weights


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_dense_sparse_and_implied_agree(name, weighted, rng):
    X, z, Y, b, weight, a = random_problem(rng, n=30)
    weight = weight if weighted else None
    expected = answers(criteria.get(name)(Y, b, weight), a)
    stored = [
        np.asfortranarray(Y),
        sparse.csr_array(Y),
        sparse.csc_matrix(Y),
        Samples(X, z),
        Samples(sparse.csr_matrix(X), z),
    ]
    for kind in stored:
        for answer, right in zip(answers(criteria.get(name)(kind, b, weight), a), expected, strict=True):
            assert isinstance(answer, float) or type(answer) is np.ndarray
            np.testing.assert_allclose(answer, right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_float32_stays_float32(name, rng):
    X, z, Y, b, weight, a = random_problem(rng)
    expected = answers(criteria.get(name)(Y, b, weight), a)
    X32, Y32 = X.astype(np.float32), Y.astype(np.float32)
    for kind in [Y32, sparse.csr_array(Y32), Samples(X32, z), Samples(sparse.csr_array(X32), z)]:
        value, *derivatives = answers(criteria.get(name)(kind, b, weight), a)
        assert type(value) is float
        assert all(d.dtype == np.float32 for d in derivatives)
        for answer, right in zip([value, *derivatives], expected, strict=True):
            np.testing.assert_allclose(answer, right, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_weight_two_is_two_rows_and_zero_is_none(name, rng):
    _, _, Y, b, _, a = random_problem(rng)
    weight = rng.integers(0, 3, size=len(Y))
    weight[np.argmin(Y @ a - b)] = 0  # the worst sample is left out
    rows = np.repeat(np.arange(len(Y)), weight)
    weighted, repeated = criteria.get(name)(Y, b, weight), criteria.get(name)(Y[rows], b[rows])
    for answer, right in zip(answers(weighted, a), answers(repeated, a), strict=True):
        np.testing.assert_allclose(answer, right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_default_margin(name, rng):
    _, _, Y, _, _, a = random_problem(rng)
    b = 0.0 if name in {"errors", "perceptron", "squared"} else 1.0
    assert (
        criteria.get(name)(Y).value(a) == criteria.get(name)(Y, b).value(a) == criteria.get(name)(Y, [b] * 12).value(a)
    )
    other = criteria.get(name)(Y, 7.0).value(a)
    assert (other != criteria.get(name)(Y).value(a)) == criteria.get(name).uses_margin


def test_input_is_left_alone(rng):
    X, z, Y, b, weight, a = random_problem(rng)
    for array in (X, z, Y, b, weight, a):
        array.flags.writeable = False
    for name in NAMES:
        answers(criteria.get(name)(Y, b, weight), a)
        answers(criteria.get(name)(Samples(X, z), b, weight), a)
        answers(criteria.get(name)(sparse.csr_array(Y), b, weight), a)


# Samples


def test_no_copy_of_the_data(rng):
    X = rng.normal(size=(40_000, 60))
    J = criteria.Logistic(Samples(X, np.where(X[:, 0] > 0, 1, -1)))
    a = np.zeros(61)
    tracemalloc.start()
    answers(J, a)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.3 * X.nbytes


# The books' numbers


def test_problem_13():
    Y = normalized(*P13)
    J = criteria.SquaredError(Y, 1.0)
    H = [[12, -2, 12], [-2, 70, 72], [12, 72, 288]]
    np.testing.assert_array_equal(J.hessian(np.zeros(3)), H)
    np.testing.assert_array_equal(J.hessian([5.0, -1.0, 2.0]), H)
    assert Optimal().length(J.gradient(np.zeros(3)), H) == pytest.approx(0.00392907, abs=5e-9)


@given(
    Y=arrays(float, (4, 3), elements=st.floats(-5, 5)),
    a=arrays(float, 3, elements=st.floats(-5, 5)),
    gap=st.floats(0.1, 4),
    row=st.integers(0, 3),
)
def test_problem_17(Y, a, gap, row):
    """One violator and the optimal η of Eq. 14 give the relaxation step of Eq. 35 with η = 1."""
    Y[:, 0] = 1.0
    b = Y @ a - 1.0
    b[row] += 1.0 + gap
    J, y = criteria.Squared(Y, b), Y[row]
    g, H = J.gradient(a), J.hessian(a)
    np.testing.assert_allclose(g, 2 * (a @ y - b[row]) * y)
    np.testing.assert_allclose(H, 2 * np.outer(y, y))
    step = -Optimal().length(g, H) * g
    np.testing.assert_allclose(step, (b[row] - a @ y) / (y @ y) * y, rtol=1e-9)
    np.testing.assert_allclose(step, -criteria.Relaxation(Y, b).gradient(a), rtol=1e-9)


@pytest.mark.parametrize(
    ("first", "second", "corrections", "a"), [(W1, W2, 23, (34, -30.4, 34.1)), (W3, W2, 16, (19, -41.4, 48.6))]
)
def test_batch_perceptron(first, second, corrections, a):
    """Algorithm 3 is descent on J_p: the gradient sums the errors, and those alone."""
    J, errors = (criteria.get(name)(normalized(first, second)) for name in ("perceptron", "errors"))
    weights, count = np.zeros(3), 0
    while errors.value(weights):
        weights, count = weights - J.gradient(weights), count + 1
    assert count == corrections
    np.testing.assert_allclose(weights, a)


@pytest.mark.parametrize(("first", "second", "least"), [(*P25, 30 / 7), (W1, W3, 6.11668)])
def test_least_perceptron_criterion_with_margin(first, second, least):
    """The linear program of §5.10.3 minimizes J_p′ = Σ τ_i, so its value is J_p′ at its a."""
    Y = normalized(first, second)
    n, d = Y.shape
    cost = np.repeat([0.0, 1.0], [d, n])
    program = linprog(
        cost, A_ub=-np.hstack([Y, np.eye(n)]), b_ub=-np.ones(n), bounds=[(None, None)] * d + [(0, None)] * n
    )
    assert criteria.Perceptron(Y, 1.0).value(program.x[:d]) == pytest.approx(least, rel=1e-6)
    assert criteria.Hinge(Y).value(program.x[:d]) == pytest.approx(program.fun)


def test_minimax_of_nonseparable_data_is_least_at_zero(rng):
    """§5.10.2 on Problem 25: no a has J_τ below that of a = 0, which is b."""
    J = criteria.Minimax(normalized(*P25), 2.0)
    assert J.value(np.zeros(3)) == 2.0
    assert min(J.value(a) for a in rng.normal(size=(200, 3))) > 2.0


def test_step_limits_of_the_table():
    """2/λ_max(H): for J_s on ω₁/ω₃, and for J_r on ω₁/ω₂ where a = 0 violates every margin."""
    for name, first, second, limit, digits in (("mse", W1, W3, 0.00222033, 5e-9), ("relaxation", W1, W2, 0.148, 5e-4)):
        H = criteria.get(name)(normalized(first, second)).hessian(np.zeros(3))
        assert 2 / np.linalg.eigvalsh(H)[-1] == pytest.approx(limit, abs=digits)


def test_pseudoinverse_example_is_stationary():
    J = criteria.SquaredError(normalized([(1, 2), (2, 0)], [(3, 1), (2, 3)]))
    np.testing.assert_allclose(J.gradient([11 / 3, -4 / 3, -2 / 3]), 0, atol=1e-13)


def test_machine_learning_examples_14_and_16():
    J = criteria.Sigmoid(normalized([(6, 7), (7, 6)], [(1, 2), (2, 1)]))
    np.testing.assert_allclose(-0.01 * J.gradient(np.zeros(3)), [0, 0.0125, 0.0125], atol=1e-15)
    np.testing.assert_array_equal(criteria.SquaredError([[1, 2]], 1).gradient([0.5, 0]), [-1, -2])


def test_mean_squared_is_the_mean():
    Y = normalized(*P13)
    total, mean = criteria.SquaredError(Y), criteria.MeanSquaredError(Y)
    for whole, part in zip(answers(total, [1, 2, 3]), answers(mean, [1, 2, 3]), strict=True):
        np.testing.assert_allclose(part, whole / 6)


def test_logistic_and_sigmoid_far_out():
    """No overflow, no warning, and full relative precision in the tails."""
    far = np.array([[1e4], [-1e4]])
    assert criteria.Logistic(far).value([1.0]) == 1e4
    np.testing.assert_array_equal(criteria.Logistic(far).gradient([1.0]), [1e4])
    np.testing.assert_allclose(criteria.Logistic([[1.0]]).gradient([40.0]), -np.exp(-40.0), rtol=1e-12)
    assert criteria.Logistic([[1.0]]).value([40.0]) == pytest.approx(np.exp(-40.0), rel=1e-12, abs=0)
    assert criteria.Sigmoid(far).value([1.0]) == 0.5
    assert criteria.Sigmoid([[1.0]]).value([40.0]) == pytest.approx(0.5 * np.exp(-80.0), rel=1e-12, abs=0)
    assert np.all(criteria.Sigmoid(far).gradient([1.0]) == 0)


# By name


def test_names():
    assert {"errors", "perceptron", "squared", "relaxation", "mse", "minimax"} < set(NAMES)
    assert {"logistic", "sigmoid", "hinge", "squared_hinge", "mean_squared"} < set(NAMES)
    for name in NAMES:
        J = criteria.get(name)
        assert (J.name, criteria.get(J)) == (name, J)
        assert J.symbol in J.equation or name == "sigmoid"
        assert "Pattern Classification" in J.source or "Machine Learning" in J.source


@pytest.mark.parametrize(
    ("wrong", "hint"), [("percepton", "'perceptron'"), ("hinje", "'hinge'"), (3, "one of"), (float, "one of")]
)
def test_unknown_name(wrong, hint):
    with pytest.raises(ValueError, match=f"criterion=.*{wrong}.* must be .*squared_hinge.*{hint}"):
        criteria.get(wrong)


# Bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones(3),), r"Y must be a matrix.*\(3,\)"),
        ((np.ones((0, 3)),), r"Y must be a matrix.*\(0, 3\)"),
        ((np.ones((2, 2), dtype=complex),), "Y must hold real numbers.*complex"),
        ((np.array([["a", "b"]]),), "Y must hold real numbers"),
        ((np.eye(2), [1.0, 2.0, 3.0]), r"b must hold 2 .*\(3,\)"),
        ((np.eye(2), [[1.0], [2.0]]), r"b must hold 2 .*\(2, 1\)"),
        ((np.eye(2), np.nan), "b must be finite, got nan"),
        ((np.eye(2), [0.0, np.inf]), "b must be finite, got inf in row 1"),
        ((np.eye(2), "one"), "b must hold 2 real numbers"),
        ((np.eye(2), 1.0, [1.0]), "sample_weight must hold 2"),
        ((np.eye(2), 1.0, [1.0, -1.0]), "sample_weight must be finite and ≥ 0, got -1.0 in row 1"),
        ((np.eye(2), 1.0, [np.nan, 1.0]), "sample_weight must be finite and ≥ 0, got nan"),
    ],
)
def test_bad_construction(arguments, message):
    with pytest.raises(ValueError, match=message):
        criteria.Perceptron(*arguments)


@pytest.mark.parametrize("Y", [np.eye(2), sparse.eye_array(2), Samples([[1.0], [2.0]], [1, 1])])
def test_bad_weight_vector(Y):
    J = criteria.Perceptron(Y)
    for a in ([1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], ["a", "b"]):
        with pytest.raises(ValueError, match="a must hold 2 real numbers"):
            J.value(a)
    for a in ([np.nan, 0.0], [np.inf, 0.0]):
        with pytest.raises(ValueError, match="Y @ a must be finite"):
            J.gradient(a)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_samples_that_are_not_finite_never_pass_unseen(name, bad):
    Y = np.array([[1.0, 2.0], [1.0, bad]])
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=r"got .* in row 1"):
        criteria.get(name)(Y).value([1.0, 1.0])


@pytest.mark.parametrize("scale", [0.0, 1e-170, 1e170])
def test_relaxation_refuses_rows_it_cannot_divide_by(scale):
    with pytest.raises(ValueError, match=r"‖y‖² .* in row 1; drop the row or rescale"):
        criteria.Relaxation([[1.0, 2.0], [scale, scale]])


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_relaxation_measures_distances_in_weight_space(scale):
    Y = normalized(*P13)
    a = np.array([1.0, -2.0, 0.5])
    expected = criteria.Relaxation(Y).value(a) / scale**2
    assert criteria.Relaxation(scale * Y).value(a / scale) == pytest.approx(expected, rel=1e-12, abs=0)


def test_mean_needs_weight():
    with pytest.raises(ValueError, match="sample_weight sums to 0"):
        criteria.MeanSquaredError(np.eye(2), sample_weight=[0, 0])

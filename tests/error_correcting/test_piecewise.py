"""Piecewise linear machines: parity with d + 1 vectors, given discriminants, the rule to the step, bad input."""

import itertools

import numpy as np
import pytest
from correction_cases import quietly
from scipy import sparse

from discriminant import LinearMachine, NotConvergedWarning, PiecewiseLinearMachine, Status, datasets
from discriminant._engine.problem import narrow
from discriminant.error_correcting.piecewise import _epoch
from discriminant.error_correcting.visits import Visits


def subclass_rule(X, labels, owner, A, eta, passes):
    """Kesler's rule on the best subclass of the own class and the best of the others; the first on ties.

    Gives the path, the corrections of each pass and the errors that each leaves; it ends where these are none.
    """
    Y, A, corrections, left, path = np.column_stack([np.ones(len(X)), X]), A.copy(), [], [], [A.copy()]
    for _ in range(passes):
        corrections.append(0)
        for y, label in zip(Y, labels, strict=True):
            g = A @ y
            own = max(np.flatnonzero(owner == label), key=lambda u: (g[u], -u))
            rival = max(np.flatnonzero(owner != label), key=lambda u: (g[u], -u))
            if g[own] <= g[rival]:
                A[own] += eta * y
                A[rival] -= eta * y
                corrections[-1] += 1
                path.append(A.copy())
        g = Y @ A.T
        own, rival = (
            np.where(same, g, -np.inf).max(axis=1) for same in (owner == labels[:, None], owner != labels[:, None])
        )
        left.append(np.count_nonzero(own <= rival))
        if not left[-1]:
            break
    return np.array(path), corrections, left


# Problems 9 and 10


@pytest.mark.parametrize("d", range(1, 9))
def test_parity_of_d_bits_takes_d_plus_1_vectors(d):
    """w_s = 2s (1, ..., 1), w_s0 = -s^2: the s-th is largest exactly where s bits are set."""
    vectors = np.array([[-s * s, *[2 * s] * d] for s in range(d + 1)], float)
    machine = PiecewiseLinearMachine().with_weights([vectors[::2], vectors[1::2]])
    X, y = datasets.parity(d)
    assert len(X) == 2**d
    np.testing.assert_array_equal(machine.predict(X), y)
    assert not machine.undecided(X).any()
    assert machine.weights_.shape == (d + 1, d + 1)
    winner = (np.asarray(X) @ vectors[:, 1:].T + vectors[:, 0]).argmax(axis=1)
    np.testing.assert_array_equal(winner, np.asarray(X).sum(axis=1))


def test_a_region_that_is_neither_convex_nor_connected():
    """Problem 9(c), one dimension with n_1 = 2 and n_2 = 1: omega_1 is chosen on both sides of omega_2."""
    machine = PiecewiseLinearMachine().with_weights([[[0.0, 0.0]], [[-1.0, 1.0], [-1.0, -1.0]]])
    x = np.array([[-2.0], [-0.5], [0.0], [0.5], [2.0]])
    assert machine.predict(x).tolist() == [1, 0, 0, 0, 1]
    np.testing.assert_array_equal(machine.decision_function(x), [1.0, -0.5, -1.0, -0.5, 1.0])  # |x| - 1
    assert machine.undecided([[-1.0], [1.0], [0.0]]).tolist() == [True, True, False]


def test_it_is_a_linear_machine_for_subclasses(rng):
    """Problem 9(a)."""
    parts = [rng.normal(size=(k, 4)) for k in (2, 3, 1)]
    machine = PiecewiseLinearMachine().with_weights(parts, classes=["a", "b", "c"])
    X = rng.normal(size=(50, 3))
    A = np.vstack(parts)
    subclass = LinearMachine(A).predict(X)
    np.testing.assert_array_equal(machine.predict(X), np.array(["a", "a", "b", "b", "b", "c"])[subclass])
    g = X @ A[:, 1:].T + A[:, 0]
    expected = np.column_stack([g[:, :2].max(axis=1), g[:, 2:5].max(axis=1), g[:, 5]])
    np.testing.assert_allclose(machine.decision_function(X), expected)
    assert machine.subclasses_.tolist() == [0, 0, 1, 1, 1, 2]
    np.testing.assert_allclose(machine.decision_function(sparse.csr_array(X)), expected)


def test_a_tie_between_subclasses_of_one_class_is_decided():
    machine = PiecewiseLinearMachine().with_weights([[[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.0]]])
    assert machine.undecided([[1.0], [0.0]]).tolist() == [False, True]
    assert machine.predict([[1.0], [-1.0], [0.0]]).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([[[1.0, 2.0]]], r"parts of shape \[\(1, 2\)\]; give two or more"),
        ([[[1.0, 2.0]], [[1.0, 2.0, 3.0]]], "equal d"),
        ([[[1.0]], [[2.0]]], "give two or more of shape"),
        ([np.empty((0, 2)), [[1.0, 2.0]]], r"\(0, 2\)"),
        ([np.ones((1, 1, 2)), [[1.0, 2.0]]], r"\(1, 1, 2\)"),
        ([[[1.0, np.nan]], [[1.0, 2.0]]], "weights holds NaN or infinity"),
        ([[[1.0, np.inf]], [[1.0, 2.0]]], "weights holds NaN or infinity"),
    ],
)
def test_given_weights_are_checked(weights, words):
    with pytest.raises(ValueError, match=words):
        PiecewiseLinearMachine().with_weights(weights)


@pytest.mark.parametrize("classes", [[0, 1, 2], [1, 0], [1, 1], ["b", "a"], 3])
def test_given_classes_are_sorted_and_as_many_as_parts(classes):
    with pytest.raises(ValueError, match="must be 2 different labels; give them in ascending order"):
        PiecewiseLinearMachine().with_weights([[[1.0, 2.0]], [[3.0, 4.0]]], classes=classes)


def test_given_weights_want_their_own_number_of_features():
    machine = PiecewiseLinearMachine().with_weights([[[1.0, 2.0]], [[3.0, 4.0]]])
    with pytest.raises(ValueError, match="2 features"):
        machine.predict([[1.0, 2.0]])
    with pytest.raises(ValueError, match="'kesler' must be 'one-vs-rest' or 'one-vs-one' for votes"):
        machine.votes([[1.0]])


# The rule


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("eta", [1.0, 0.25])
def test_the_rule_to_the_step(classes, eta, rng):
    X, y = rng.integers(-3, 4, (20, 2)).astype(float), np.arange(20) % classes
    counts = [2, 3, 1][:classes]
    owner = np.repeat(np.arange(classes), counts)
    start = rng.integers(-2, 3, (owner.size, 3)).astype(float)
    path, corrections, left = subclass_rule(X, y, owner, start, eta, 10)
    model = PiecewiseLinearMachine(
        n_subclasses=counts, eta=eta, start=start, order="cyclic", max_iter=10, record="weights"
    )
    quietly(model, X, y)
    np.testing.assert_array_equal(model.history_["weights"], path)
    np.testing.assert_array_equal(model.history_["corrections"], corrections)
    np.testing.assert_array_equal(model.history_["errors"], np.minimum.accumulate(left))
    assert model.n_corrections_ == sum(corrections)
    best = int(np.argmin(left))  # the answer is the machine that left the fewest errors
    np.testing.assert_array_equal(model.weights_, path[np.cumsum(corrections)[best]])
    assert np.sum(model.predict(X) != y) <= left[best]  # a tie is an error in training, and may be right in predict


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_compiled_pass_is_plain_python(form, dtype, rng):
    X, labels = form(rng.integers(-3, 4, (20, 3)).astype(dtype)), (np.arange(20) % 2).astype(np.int32)
    owner, order = np.array([0, 0, 1, 1, 1], np.int32), rng.permutation(20).astype(np.uint32)
    start = rng.integers(-2, 3, (5, 4)).astype(dtype)
    outcomes = []
    for one in (_epoch, _epoch.py_func):
        A = start.copy()
        met = one(Visits(narrow(X), labels, np.empty(0, dtype), order, np.full(20, 0.5, dtype)), owner, A)
        outcomes.append((A, met))
    np.testing.assert_array_equal(outcomes[0][0], outcomes[1][0])
    assert outcomes[0][1] == outcomes[1][1]
    assert outcomes[0][1][1] > 0  # corrections


@pytest.mark.parametrize("seed", range(5))
def test_it_learns_xor(seed):
    X, y = datasets.xor()
    model = PiecewiseLinearMachine(random_state=seed).fit(X, y)
    assert model.status_ is Status.SEPARATED
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.history_["errors"][-1] == 0
    assert not model.undecided(X).any()


def test_it_learns_parity_with_the_books_number_of_vectors():
    X, y = datasets.parity(3)
    model = PiecewiseLinearMachine(n_subclasses=[2, 2], max_iter=2000, random_state=1).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert len(model.weights_) == 4


def test_with_one_vector_a_class_it_is_a_linear_machine(rng):
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 2)) + 8 * np.array([[0, 1], [1, -1], [-1, -1]])[y]
    model = PiecewiseLinearMachine(n_subclasses=1, order="cyclic", random_state=0).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert model.weights_.shape == (3, 3)
    assert model.score(X, y) == 1


def test_one_subclass_each_cannot_learn_xor():
    X, y = datasets.xor()
    with pytest.warns(
        NotConvergedWarning, match="more subclasses, another random_state or a larger max_iter"
    ) as caught:
        model = PiecewiseLinearMachine(n_subclasses=1, max_iter=20, random_state=0).fit(X, y)
    assert caught[0].filename == __file__
    assert model.status_ is Status.BUDGET
    assert np.all(np.isfinite(model.weights_))


def test_the_same_seed_gives_the_same_machine(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    first, again, other = (
        quietly(PiecewiseLinearMachine(random_state=seed, max_iter=5), X, y).weights_ for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_storage_does_not_matter(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    dense, csr = (
        quietly(PiecewiseLinearMachine(random_state=0, max_iter=5), form, y) for form in (X, sparse.csr_array(X))
    )
    np.testing.assert_allclose(dense.weights_, csr.weights_, rtol=1e-9)
    single = quietly(PiecewiseLinearMachine(random_state=0, max_iter=5), X.astype(np.float32), y)
    assert single.weights_.dtype == single.coef_.dtype == np.float32


def test_the_decision_of_two_classes_is_their_difference(rng):
    X, y = rng.normal(size=(30, 2)), np.array(["no", "yes"])[np.arange(30) % 2]
    model = quietly(PiecewiseLinearMachine(n_subclasses=[1, 3], random_state=0, max_iter=5), X, y)
    g = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), g[:, 1:].max(axis=1) - g[:, 0])
    np.testing.assert_array_equal(model.predict(X), np.where(model.decision_function(X) >= 0, "yes", "no"))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"n_subclasses": 0},
            "n_subclasses=0 must be whole and >= 1; give one number, or one for each of the 2 classes",
        ),
        ({"n_subclasses": 1.5}, r"n_subclasses=1\.5"),
        ({"n_subclasses": [1, 2, 3]}, r"n_subclasses=\[1, 2, 3\]"),
        ({"n_subclasses": [1, 0]}, r"n_subclasses=\[1, 0\]"),
        ({"n_subclasses": True}, "n_subclasses=True"),
        ({"eta": 0}, "eta=0 must be .*; give an increment > 0"),
        ({"order": "sorted"}, "order='sorted' must be one of "),
        ({"start": np.zeros((3, 3))}, r"start has shape \(3, 3\); give finite vectors of shape \(4, 3\)"),
        ({"start": np.full((4, 3), np.nan)}, "start holds NaN or infinity; give finite vectors"),
        ({"max_iter": -1}, "max_iter=-1 must be "),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        PiecewiseLinearMachine(**parameters).fit(*datasets.xor())


def test_bad_data():
    with pytest.raises(ValueError, match="NaN"):
        PiecewiseLinearMachine(random_state=0).fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="one class"):
        PiecewiseLinearMachine().fit([[0.0], [1.0]], [1, 1])


def test_every_vertex_of_the_cube():
    """A machine made by hand for any Boolean function: a vector a vertex, largest at its own."""
    X = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    y = np.array([0, 1, 1, 0, 1, 0, 1, 1])
    vectors = np.column_stack([-(X**2).sum(axis=1), 2 * X])  # -|x - v|^2 but for |x|^2
    machine = PiecewiseLinearMachine().with_weights([vectors[y == 0], vectors[y == 1]])
    np.testing.assert_array_equal(machine.predict(X), y)

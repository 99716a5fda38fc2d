"""Relaxation: Algorithms 8 and 9 to the step, Eqs. 37 and 40, the stop, Kesler's form, storage, bad factors."""

import gc
import weakref

import numpy as np
import pytest
from correction_cases import normalized, quietly, table
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant import GradientDescent, NotConvergedWarning, Relaxation, Status, kesler, schedules
from discriminant._engine.driver import Watch
from discriminant._engine.problem import make_problem
from discriminant._engine.rows import CSR
from discriminant.error_correcting.relaxation import _epoch, normalized_eigenvalue
from discriminant.error_correcting.visits import Visits, count_errors

FORMS = {
    "dense": lambda X: np.ascontiguousarray(X, float),
    "csr": lambda X: sparse.csr_array(np.asarray(X, float)),
    "repeated entries": lambda X: halves(np.asarray(X, float)),
    "float32": lambda X: np.ascontiguousarray(X, np.float32),
}


def halves(X):
    """CSR in which every entry is stored as two halves, and in no order."""
    n, d = X.shape
    indices = np.tile(np.r_[np.arange(d)[::-1], np.arange(d)], n)
    data = np.hstack([X[:, ::-1], X]).ravel() / 2
    return sparse.csr_array((data, indices, np.arange(0, 2 * n * d + 1, 2 * d)), shape=(n, d))


def algorithm_9(Y, b, eta, a, passes):
    """Single-sample relaxation as the book prints it, with a^t y <= b for "misclassified"."""
    path, ends = [np.array(a, float)], []
    for _ in range(passes):
        for y in Y:
            if path[-1] @ y <= b:
                path.append(path[-1] + eta(len(path)) * (b - path[-1] @ y) / (y @ y) * y)
        ends.append(len(path) - 1)
        if np.all(Y @ path[-1] > 0):
            break
    return np.array(path), np.diff([0, *ends])


def algorithm_8(Y, b, eta, a, steps):
    """Batch relaxation: the sum over all with a^t y <= b, until Ya > 0."""
    path = [np.array(a, float)]
    while len(path) <= steps and not np.all(Y @ path[-1] > 0):
        a = path[-1]
        total = sum((b - a @ y) / (y @ y) * y for y in Y if a @ y <= b)
        path.append(a + eta(len(path)) * total)
    return np.array(path)


def compiled_arguments(X, y, A, **parameters):
    """What the compiled passes are called with."""
    classes, labels = np.unique(y, return_inverse=True)
    problem = make_problem(X, labels.astype(np.int32), parameters.get("weight"), classes.size)
    norms = np.asarray([1 + row @ row for row in np.asarray(X.toarray() if sparse.issparse(X) else X)], X.dtype)
    return problem.rows, problem.labels, problem.weight, norms * (1 if A.ndim == 1 else 2)


# The algorithms, to the step


@pytest.mark.parametrize("categories", [(1, 2), (3, 2), (4, 2)])
@pytest.mark.parametrize("eta", [0.7, 1.0, 1.6])
def test_algorithm_9_to_the_step(categories, eta):
    X, y = table(*categories)
    start = [0.5, -1.0, 0.25]
    path, corrections = algorithm_9(normalized(X, y), 0.5, lambda k: eta, start, 1000)
    model = Relaxation(margin=0.5, eta=eta, start=start, record="weights").fit(X, y)
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.history_["corrections"], corrections)
    assert (model.n_iter_, model.n_corrections_) == (len(corrections), len(path) - 1)
    assert model.status_ is Status.SEPARATED
    np.testing.assert_array_equal(model.history_["weights"][-1], model.weights_)


@pytest.mark.parametrize(
    ("eta", "factors"),
    [("1/k", lambda k: 1 / k), (lambda k: 1.5 if k % 2 else 0.5, lambda k: 1.5 if k % 2 else 0.5)],
    ids=["1/k", "function"],
)
def test_a_factor_of_k(eta, factors):
    X, y = table(3, 2)
    path, _ = algorithm_9(normalized(X, y), 1.0, factors, np.zeros(3), 40)
    model = quietly(Relaxation(eta=eta, max_iter=40, record="weights"), X, y)
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("eta", [0.05, 0.1, lambda k: 0.05 + 0.05 / k], ids=["0.05", "0.1", "function"])
def test_algorithm_8_to_the_step(eta):
    X, y = table(4, 2)
    path = algorithm_8(normalized(X, y), 0.5, eta if callable(eta) else lambda k: eta, np.zeros(3), 1000)
    model = Relaxation(batch=True, margin=0.5, eta=eta, record="weights").fit(X, y)
    np.testing.assert_allclose(model.history_["weights"], path, rtol=1e-9, atol=1e-9)
    assert (model.n_corrections_, model.n_iter_) == (len(path) - 1, len(path))  # the last one only looks
    assert set(model.history_["corrections"][:-1]) == {1}
    assert model.history_["corrections"][-1] == model.history_["errors"][-1] == 0


@pytest.mark.parametrize(("form", "classes"), [("dense", 2), ("dense", 3), ("csr", 2), ("csr", 3), ("float32", 2)])
def test_the_compiled_passes_are_plain_python(form, classes, rng):
    X, y = FORMS[form](rng.normal(size=(15, 4)).round(2)), rng.integers(0, classes, 15)
    A = rng.normal(size=5 if classes == 2 else (classes, 5)).astype(X.dtype)
    X, y, weight, norms = compiled_arguments(X, y, A, weight=rng.uniform(0.1, 1, 15))
    b, etas, close = A.dtype.type(1), np.full(15, 1.2, A.dtype), {"rtol": 1e-5 if A.dtype == "f4" else 1e-12}
    outcomes = []
    for run, count in [(_epoch, count_errors), (_epoch.py_func, count_errors.py_func)]:
        a, total = A.copy(), np.zeros_like(A)
        order = np.arange(15, dtype=np.uint32)
        visits = run(Visits(X, y, weight, order[::-1].copy(), etas), norms, a, a, b)
        found = run(Visits(X, y, weight, order[2:13], np.ones_like(etas)), norms, A, total, b)
        outcomes.append((visits, found, count(X, y, 0, 15, a, 1), a, total))
    for fast, plain in zip(*outcomes, strict=True):
        np.testing.assert_allclose(fast, plain, **close)


# Eqs. 35 to 40


@pytest.mark.parametrize("eta", [0.25, 0.5, 1.0, 1.5, 1.75])
def test_one_correction_moves_by_the_fraction_eta(eta):
    """Eq. 37: a'y - b is multiplied by 1 - eta."""
    X, y = np.array([[3.0, -2.0], [1.0, 1.0]]), [1, 0]
    Y, start = normalized(X, y), np.array([1.0, -1.0, 2.0])
    before = Y @ start - 0.5
    assert before[0] < 0
    model = quietly(Relaxation(margin=0.5, eta=eta, start=start, max_iter=1, record="weights"), X, y)
    after = Y[0] @ model.history_["weights"][1] - 0.5
    np.testing.assert_allclose(after, (1 - eta) * before[0], atol=1e-14)


@given(st.integers(0, 10**6), st.floats(0.1, 5))
def test_one_violator_is_moved_onto_its_plane(seed, b):
    """Problem 17: with one violator descent on J_q by the eta of Eq. 14 is relaxation with eta = 1."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(2, 3)), np.array([1, 0])
    a = np.linalg.lstsq(normalized(X, y), [-1.0, 2 * b], rcond=None)[0]  # the first violates b, the second does not
    relaxed = quietly(Relaxation(margin=b, start=a, max_iter=1, record="weights"), X, y).history_["weights"]
    np.testing.assert_allclose(normalized(X, y)[0] @ relaxed[1], b, rtol=1e-9)
    options = {"criterion": "squared", "schedule": "optimal"}  # Eq. 14, not halved where the step makes a violator
    descended = quietly(GradientDescent(**options, margin=b, start=a, max_iter=1), X, y)
    np.testing.assert_allclose(descended.weights_, relaxed[1], rtol=1e-7, atol=1e-9)


@given(st.integers(0, 10**6), st.floats(0.05, 1.95), st.floats(0.1, 10), st.integers(1, 6))
def test_every_correction_comes_nearer_to_every_solution(seed, eta, b, d):
    """Eq. 40 for a solution vector that the procedure does not know; the length of the step tells (b - a'y)/|y|."""
    rng = np.random.default_rng(seed)
    solution, X = rng.normal(size=d + 1), rng.normal(size=(12, d))
    g = solution[0] + X @ solution[1:]
    y = (g > 0).astype(int)
    if 0 < y.sum() < len(y):
        solution *= 1.0001 * b / np.abs(g).min()
        model = quietly(Relaxation(margin=b, eta=eta, max_iter=20, record="weights"), X, y)
        a = model.history_["weights"]
        distances, steps = ((a - solution) ** 2).sum(axis=1), (np.diff(a, axis=0) ** 2).sum(axis=1)
        assert np.all(np.diff(distances) <= -(2 - eta) / eta * steps + 1e-9 * distances[0])


@pytest.mark.parametrize("batch", [False, True])
def test_the_margin_only_scales_the_path_from_zero(batch):
    """Computer exercise 7: b = 1/8 and b = 1/2 take the same path, four times as long."""
    X, y = table(1, 3)
    small, large = (
        quietly(Relaxation(batch=batch, margin=b, max_iter=50, record="weights"), X, y) for b in (0.125, 0.5)
    )
    np.testing.assert_array_equal(4 * small.history_["weights"], large.history_["weights"])
    np.testing.assert_allclose(16 * small.history_["criterion"], large.history_["criterion"], rtol=1e-12)
    np.testing.assert_array_equal(small.history_["errors"], large.history_["errors"])


# The stop


@pytest.mark.parametrize("eta", [0.3, 1.0, 1.7])
def test_it_stops_at_the_first_pass_that_ends_with_all_on_their_side(eta):
    X, y = table(1, 2)
    Y = normalized(X, y)
    model = Relaxation(margin=2.0, eta=eta, record="weights").fit(X, y)
    ends = model.history_["weights"][np.cumsum(model.history_["corrections"])]
    assert np.all(Y @ ends[-1] > 0)
    assert all(np.any(Y @ a <= 0) for a in ends[:-1])
    assert np.any(Y @ model.weights_ < 2.0)  # the margin itself is not waited for


def test_a_pattern_on_the_plane_is_not_separated():
    with pytest.warns(NotConvergedWarning):
        model = Relaxation(margin=0, start=[0.0, 1.0], max_iter=3).fit([[0.0], [-1.0]], [1, 0])
    assert model.status_ is Status.BUDGET
    np.testing.assert_array_equal(model.weights_, [0.0, 1.0])


def test_a_start_that_separates_gets_one_pass():
    X, y = table(1, 2)
    start = Relaxation().fit(X, y).weights_
    assert Relaxation(start=start).fit(X, y).n_iter_ == 1
    batch = Relaxation(batch=True, start=start).fit(X, y)
    assert (batch.n_iter_, batch.n_corrections_) == (1, 0)
    np.testing.assert_array_equal(batch.weights_, start)


@pytest.mark.parametrize("batch", [False, True])
def test_overlapping_classes_are_reported(batch):
    with pytest.warns(NotConvergedWarning, match=r"J_r\(a\).*may not be linearly separable.*To try") as caught:
        model = Relaxation(batch=batch, max_iter=30).fit(*table(1, 3))
    assert caught[0].filename == __file__
    assert model.status_ is Status.BUDGET
    assert np.all(np.isfinite(model.weights_))
    assert len(model.history_["errors"]) == model.n_iter_ == 30


# The factor of the batch rule


def test_the_bound_of_the_batch_factor():
    X, y = table(1, 2)
    Y = normalized(X, y)
    bound = 2 / np.linalg.eigvalsh(sum(np.outer(y, y) / (y @ y) for y in Y))[-1]
    assert round(bound, 3) == 0.148
    model = Relaxation(batch=True).fit(X, y)
    np.testing.assert_allclose(model.history_["step"], bound / 2, rtol=1e-12)
    with pytest.warns(UserWarning, match=r"eta=0\.15 is not below 2 / lambda_max = 0\.148208.*smaller eta") as caught:
        Relaxation(batch=True, eta=0.15).fit(X, y)
    assert caught[0].filename == __file__
    Relaxation(batch=True, eta=0.148).fit(X, y)


@given(st.integers(0, 10**6), st.floats(0.01, 0.99))
def test_below_the_bound_the_criterion_falls(seed, fraction):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 3)), np.arange(12) % 2
    Y = normalized(X, y)
    U = Y / np.linalg.norm(Y, axis=1)[:, None]
    eta = fraction * 2 / np.linalg.eigvalsh(U.T @ U)[-1]
    J = quietly(Relaxation(batch=True, eta=eta, max_iter=30), X, y).history_["criterion"]
    assert np.all(np.diff(J) <= 1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 40])
def test_the_largest_eigenvalue_by_either_route(d, rng):
    X = rng.normal(size=(60, d)) * (rng.uniform(size=(60, d)) < 0.7)
    labels = rng.integers(-1, 2, 60).astype(np.int32)  # -1: rows of another problem
    Y = np.column_stack([np.ones(60), X])[labels >= 0]
    U = Y / np.linalg.norm(Y, axis=1)[:, None]
    expected = np.linalg.eigvalsh(U.T @ U)[-1]
    for form, rtol in [("dense", 1e-12), ("csr", 1e-6), ("repeated entries", 1e-6), ("float32", 1e-5)]:
        problem = make_problem(FORMS[form](X), labels, None, 2)
        assert isinstance(problem.rows, CSR) == (form in ("csr", "repeated entries"))
        np.testing.assert_allclose(normalized_eigenvalue(problem, Watch()), expected, rtol=rtol)


def test_a_top_eigenvector_that_is_orthogonal_to_ones():
    X = sparse.csr_array(np.array([[10.0, -10.0, 0.0], [10.0, -10.0, 0.1], [10.0, -10.0, 0.0], [0.0, 0.0, 1.0]]))
    Y = np.column_stack([np.ones(4), X.toarray()])
    U = Y / np.linalg.norm(Y, axis=1)[:, None]
    problem = make_problem(X, np.array([0, 1, 0, 1], np.int32), None, 2)
    np.testing.assert_allclose(normalized_eigenvalue(problem, Watch()), np.linalg.eigvalsh(U.T @ U)[-1], rtol=1e-6)


# Storage


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("categories", [(1, 2), (1, 2, 4)])
def test_storage_does_not_matter(batch, categories):
    X, y = table(*categories)
    reference = quietly(Relaxation(batch=batch, max_iter=30, eta=0.05), X, y)
    for form in ("csr", "repeated entries"):
        given = FORMS[form](X)
        model = quietly(Relaxation(batch=batch, max_iter=30, eta=0.05), given, y)
        np.testing.assert_allclose(model.weights_, reference.weights_, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(model.history_["corrections"], reference.history_["corrections"])
    assert given.nnz == 4 * len(X)  # the caller's matrix is left alone
    single = quietly(Relaxation(batch=batch, max_iter=30, eta=0.05), FORMS["float32"](X), y)
    assert single.weights_.dtype == single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.weights_, reference.weights_, rtol=1e-3, atol=1e-4)


def test_scales():
    X, y = np.array([[2.0], [1.0], [-1.0], [-3.0]]), [1, 1, 0, 0]
    for scale in (1e-150, 1.0, 1e150):
        model = quietly(Relaxation(max_iter=10), scale * X, y)
        assert np.all(np.isfinite(model.weights_))
        assert (model.status_ is Status.SEPARATED) == (scale >= 1)  # by 1e-150 the features hardly weigh beside the 1
    for batch in (False, True):
        with pytest.raises(ValueError, match=r"X overflows: its entries reach 3e\+200.*; divide the features"):
            Relaxation(batch=batch).fit(1e200 * X, y)
        with pytest.raises(ValueError, match="NaN"):
            Relaxation(batch=batch).fit([[np.nan], [1.0]], [0, 1])


# Many classes


def strongest_rival(rows, a):
    """Of the Kesler rows of one pattern the one with the smallest inner product, the first on ties."""
    return rows[np.argmin(rows @ a)]


@pytest.mark.parametrize("eta", [0.8, 1.5])
def test_keslers_rule_is_relaxation_on_keslers_rows(eta):
    X, y = table(1, 2, 4)
    K = kesler(X, y).reshape(len(X), 2, -1)
    path = [np.zeros(9)]
    for _ in range(20):
        for rows in K:
            row = strongest_rival(rows, path[-1])
            if path[-1] @ row <= 1.0:
                path.append(path[-1] + eta * (1.0 - path[-1] @ row) / (row @ row) * row)
        if np.all(K @ path[-1] > 0):
            break
    model = quietly(Relaxation(eta=eta, max_iter=20, record="weights"), X, y)
    np.testing.assert_allclose(model.history_["weights"], np.reshape(path, (-1, 3, 3)), rtol=1e-9, atol=1e-9)
    assert model.multiclass_ == "kesler"
    for y_i, rows in zip(np.column_stack([np.ones(len(X)), X]), K, strict=True):
        np.testing.assert_allclose((rows**2).sum(axis=1), 2 * y_i @ y_i)  # what a correction divides by


def test_the_batch_form_of_keslers_rule():
    X, y = table(1, 2, 4)
    K, a = kesler(X, y).reshape(len(X), 2, -1), np.zeros(9)
    for _ in range(25):
        violators = [row for row in (strongest_rival(rows, a) for rows in K) if a @ row <= 1.0]
        a = a + 0.05 * sum((1.0 - a @ row) / (row @ row) * row for row in violators)
    model = quietly(Relaxation(batch=True, eta=0.05, max_iter=25), X, y)
    np.testing.assert_allclose(model.weights_, a.reshape(3, 3), rtol=1e-9, atol=1e-12)


# Weights, portions, memory


def test_weights_multiply_the_factor_relative_to_the_largest():
    X, y = table(3, 2)
    weight = np.linspace(0.25, 2.0, len(X))
    Y, a = normalized(X, y), np.zeros(3)
    for _ in range(3):
        for row, w in zip(Y, weight / 2.0, strict=True):
            if a @ row <= 1.0:
                a = a + 1.5 * w * (1.0 - a @ row) / (row @ row) * row
    model = quietly(Relaxation(eta=1.5, max_iter=3), X, y, weight)
    np.testing.assert_allclose(model.weights_, a, rtol=1e-9)


@pytest.mark.parametrize("batch", [False, True])
def test_equal_weights_are_none_and_zero_is_absent(batch):
    X, y = table(3, 2)
    plain = quietly(Relaxation(batch=batch, max_iter=5, eta=0.1), X[3:], y[3:])
    weight = np.r_[np.zeros(3), np.full(17, 3.0)]
    weighted = quietly(Relaxation(batch=batch, max_iter=5, eta=0.1), X, y, weight)
    np.testing.assert_allclose(weighted.weights_, plain.weights_, rtol=1e-12)


@pytest.mark.parametrize("eta", [1.5, "1/k"])
@pytest.mark.parametrize("categories", [(1, 2), (1, 2, 4)])
def test_portions_are_the_first_pass(eta, categories):
    X, y = table(*categories)
    whole = quietly(Relaxation(eta=eta, max_iter=1, record="weights"), X, y)
    model = Relaxation(eta=eta, record="weights")
    for part in np.array_split(np.arange(len(X)), 4):
        model.partial_fit(X[part], y[part], classes=np.unique(y))
    np.testing.assert_allclose(model.history_["weights"], whole.history_["weights"], rtol=1e-12, atol=1e-14)
    assert model.n_corrections_ == whole.n_corrections_
    assert len(model.history_["errors"]) == 4


def test_it_goes_on_after_a_fit():
    X, y = table(1, 3)
    whole = quietly(Relaxation(max_iter=3), X, y)
    model = quietly(Relaxation(max_iter=2), X, y).partial_fit(X, y)
    np.testing.assert_array_equal(model.weights_, whole.weights_)
    assert not hasattr(Relaxation(batch=True), "partial_fit")


def test_a_portion_is_not_kept(rng):
    X = rng.normal(size=(150_000, 1))
    model = Relaxation().partial_fit(X, X[:, 0] > 0, classes=[False, True])
    portion = weakref.ref(X)
    del X
    gc.collect()
    assert portion() is None
    assert model.n_corrections_ > 0


def test_the_random_order_is_repeatable():
    X, y = table(1, 3)
    first, again, other = (
        quietly(Relaxation(order="random", random_state=seed, max_iter=3), X, y).weights_ for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


# Bad input


@pytest.mark.parametrize("eta", [0, 2, -1.0, 2.5, np.nan, np.inf, True])
def test_the_factor_of_single_samples_lies_between_0_and_2(eta):
    with pytest.raises(ValueError, match=f"eta={eta!r} must be .*; relaxation needs 0 < eta < 2"):
        Relaxation(eta=eta).fit(*table(1, 2))


@pytest.mark.parametrize("eta", [schedules.Constant(3.0), "k", lambda k: 3.0])
def test_so_do_the_factors_of_a_schedule(eta):
    with pytest.raises(ValueError, match=r"eta=[23] must be .*; single-sample relaxation needs 0 < eta < 2"):
        Relaxation(eta=eta).fit(*table(1, 2))


@pytest.mark.parametrize("eta", [0, -0.1, np.nan])
def test_the_factor_of_a_batch_is_positive(eta):
    with pytest.raises(ValueError, match=r"eta=.* must be "):
        Relaxation(batch=True, eta=eta).fit(*table(1, 2))


def test_no_margin_from_nothing_never_moves():
    for batch in (False, True):
        with pytest.raises(ValueError, match=r"margin=0 must be positive where start is zero.*; give a margin > 0"):
            Relaxation(batch=batch, margin=0).fit(*table(1, 2))
    with pytest.raises(ValueError, match="margin=0 must be positive where start is zero or of equal vectors"):
        Relaxation(margin=0, start=[1.0, 2.0, 3.0]).fit(*table(1, 2, 4))
    quietly(Relaxation(margin=0, start=[1.0, 2.0, 3.0]), *table(1, 2))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"margin": -1.0}, r"margin=-1\.0 must be .*; give a margin b >= 0"),
        ({"order": "sorted"}, "order='sorted' must be one of 'cyclic', 'random'"),
        ({"record": "all"}, "record='all' must be one of "),
        ({"batch": True, "order": "random"}, "order='random' must be 'cyclic' where batch=True"),
        (
            {"eta": "optimal"},
            "eta='optimal' must be a schedule without curvature, which an error-correcting rule has not; use a number",
        ),
        ({"eta": "fast"}, "schedule='fast' must be one of"),
        ({"start": [1.0, 2.0]}, r"start has shape \(2,\); give finite weights, an augmented vector"),
        ({"multiclass": "all"}, "multiclass='all' must be one of "),
        ({"max_iter": 0}, "max_iter=0 must be "),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        Relaxation(**parameters).fit(*table(1, 2))

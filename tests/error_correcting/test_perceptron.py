"""The perceptron: worked numbers to the step, re-implementations in plain Python, theorems as properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from correction_cases import normalized, overlapping, quietly
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from discriminant import (
    KernelPerceptron,
    NotConvergedWarning,
    Perceptron,
    Status,
    augment,
    bounds,
    datasets,
    schedules,
)

# --- worked numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("categories", "corrections", "a"), [((1, 2), 23, (34, -30.4, 34.1)), ((3, 2), 16, (19, -41.4, 48.6))]
)
def test_batch_perceptron_on_the_table(categories: Any, corrections: int, a: Any) -> None:
    X, y = datasets.table(*categories)
    model = Perceptron(batch=True).fit(X, y)
    assert model.n_corrections_ == corrections
    assert model.n_iter_ == corrections + 1  # the last pass only confirms
    assert model.status_ is Status.SEPARATED
    np.testing.assert_allclose(model.weights_, a, rtol=0, atol=1e-10)
    assert np.all(normalized(X, y) @ model.weights_ > 0)
    assert model.history_["corrections"].tolist() == [1] * corrections + [0]


def test_eight_points_of_the_slides() -> None:
    X, y = datasets.slides_eight()
    model = Perceptron(start=[1, 1, 1], record="weights").fit(X, y)
    assert model.weights_.tolist() == [-37, 4, 6]
    assert (model.n_corrections_, model.n_iter_) == (180, 56)
    assert model.history_["corrections"].sum() == 180
    assert model.history_["corrections"][-1] == model.history_["errors"][-1] == 0
    assert len(model.history_["weights"]) == 181


def test_five_points_of_the_slides_never_end() -> None:
    X, y = datasets.slides_five()
    with pytest.warns(NotConvergedWarning, match="are not linearly separable"):
        model = Perceptron(start=[1, 1, 1], record="weights").fit(X, y)
    path = model.history_["weights"]
    assert path[:4].tolist() == [[1, 1, 1], [0, 0, -2], [1, 2, -1], [0, 1, -4]]
    assert model.status_ is Status.CYCLES
    assert model.weights_.tolist() == [26, 15, -17]
    starts = path[np.r_[0, np.cumsum(model.history_["corrections"])]].tolist()
    assert starts.count([26, 15, -17]) == 2
    assert len({tuple(a) for a in starts}) == len(starts) - 1  # the first state that came back
    assert model.n_iter_ == len(starts) - 1
    earlier = starts.index([26, 15, -17]) + 1
    assert f"began pass {earlier}, in exact arithmetic: the classes are not" in model.report_.to_dict()["notes"][0]


def test_or_takes_nine_corrections() -> None:
    X, y = datasets.or_function()
    model = Perceptron(record="weights").fit(X, y)
    assert model.weights_.tolist() == [-1, 2, 2]
    assert model.n_corrections_ == 9
    radius = Perceptron(bias="radius").fit(X, y)
    assert radius.intercept_.tolist() == [-2]
    assert radius.coef_.tolist() == [[3, 3]]
    assert radius.n_corrections_ == 7 + 3 + 3  # the embedding strengths of the dual form


def test_example_5_takes_two_corrections() -> None:
    data = datasets.perceptron_example()
    model = Perceptron().fit(*data)
    assert model.weights_.tolist() == [0, 5, 3]
    assert model.n_corrections_ == 2


def test_xor_in_batch_cannot_move() -> None:
    X, y = datasets.xor()
    with pytest.warns(NotConvergedWarning):
        model = Perceptron(batch=True).fit(X, y)
    assert model.status_ is Status.CYCLES
    assert (model.n_iter_, model.n_corrections_) == (1, 0)
    assert model.weights_.tolist() == [0, 0, 0]
    assert model.report_.to_dict()["inseparable"] is True
    assert "add up to zero" in str(model.report_)


@pytest.mark.parametrize("batch", [False, True])
def test_a_cycle_in_rounded_arithmetic_is_no_proof(batch: bool) -> None:
    X, y = datasets.xor()
    model = quietly(Perceptron(schedule=0.5, batch=batch), X, y)
    assert model.status_ is Status.CYCLES
    facts = model.report_.to_dict()
    assert facts["inseparable"] is False
    assert "floating-point arithmetic" in facts["notes"][0]


def test_numbers_too_large_for_exact_sums_are_no_proof() -> None:
    X, y = datasets.xor()
    model = quietly(Perceptron(schedule=2.0**52), X, y)
    assert model.status_ is Status.CYCLES
    assert model.report_.to_dict()["inseparable"] is False


# --- variable increments and margin ---------------------------------------------------------------------------------


def plain_perceptron(Y: Any, eta: Any, b: float, passes: int, start: Any = None) -> tuple[Any, int, int]:
    """Algorithm 5 in plain Python: weights, corrections, passes."""
    a, k = np.zeros(Y.shape[1]) if start is None else np.array(start, float), 0
    n = 0
    while n < passes:
        n, before = n + 1, k
        for y in Y:
            if a @ y <= b:
                k += 1
                a = a + eta(k) * y
        if k == before:
            break
    return a, k, n


@pytest.mark.parametrize("margin", [0.0, 2.0])
@pytest.mark.parametrize(
    ("schedule", "eta"),
    [
        (0.5, lambda k: 0.5),
        ("1/k", lambda k: 1 / k),
        ("k", lambda k: float(k)),
        (lambda k: 1 / np.sqrt(k), lambda k: 1 / np.sqrt(k)),
        (schedules.Harmonic(2.0), lambda k: 2 / k),
    ],
)
def test_variable_increments_with_margin(schedule: Any, eta: Any, margin: float) -> None:
    X, y = datasets.slides_eight()
    Y = normalized(X, y)
    # With 1/k and no margin the steps of the table's problem would shrink faster than it can be solved: a good start.
    start = [-30.0, 4.0, 5.0]
    model = quietly(Perceptron(schedule=schedule, margin=margin, start=start), X, y)
    a, k, passes = plain_perceptron(Y, eta, margin, 1000, start)
    assert (model.n_corrections_, model.n_iter_) == (k, passes)
    np.testing.assert_allclose(model.weights_, a, rtol=1e-9)
    if model.status_ is Status.SEPARATED:
        assert np.all(Y @ model.weights_ > margin)
    else:
        assert model.n_iter_ == 1000
    steps = model.history_["step"]
    assert steps[-1] == pytest.approx(eta(max(k, 1)))


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("schedule", [1.0, "k", "adaptive"])
def test_the_margin_is_exceeded_at_the_end(batch: bool, schedule: Any) -> None:
    X, y = datasets.table(3, 2)
    for b in (0.0, 1.0, 25.0):
        model = Perceptron(batch=batch, margin=b, schedule=schedule, max_iter=5000).fit(X, y)
        assert model.status_ is Status.SEPARATED
        assert np.all(normalized(X, y) @ model.weights_ > b)


def test_batch_variable_increment_is_algorithm_6() -> None:
    X, y = datasets.table(3, 2)
    Y, a = normalized(X, y), np.zeros(3)
    model = Perceptron(batch=True, schedule="k", margin=1.0, record="weights").fit(X, y)
    for k, row in enumerate(model.history_["weights"]):
        np.testing.assert_allclose(row, a, rtol=1e-9, atol=1e-9)
        assert model.history_["criterion"][k] == pytest.approx((1 - Y @ a)[Y @ a <= 1].sum())
        assert model.history_["errors"][k] == (Y @ a <= 0).sum()
        a = a + (k + 1) * Y[Y @ a <= 1].sum(axis=0)


# --- average, pocket, slack -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_the_average_is_the_mean_over_visits(order: str) -> None:
    X, y = overlapping()
    start = np.array([3.0, -1.0, 2.0])
    model = quietly(Perceptron(average=True, max_iter=7, start=start, order=order, random_state=5), X, y)
    Y, a, seen = normalized(X, y), start, []
    random = np.random.RandomState(5)
    for _ in range(7):
        for i in random.permutation(30) if order == "random" else range(30):
            if a @ Y[i] <= 0:
                a = a + Y[i]
            seen.append(a)
    np.testing.assert_allclose(model.weights_, np.mean(seen, axis=0), rtol=1e-12)
    assert model.last_weights_.tolist() == a.tolist()
    np.testing.assert_array_equal(model.coef_[0], model.weights_[1:])


def test_the_averages_stop_looks_at_the_last_weights() -> None:
    X, y = datasets.slides_eight()
    model = Perceptron(average=True, start=[1, 1, 1]).fit(X, y)
    assert model.last_weights_.tolist() == [-37, 4, 6]
    assert (model.n_corrections_, model.n_iter_) == (180, 56)
    assert model.weights_.tolist() != [-37, 4, 6]


def test_the_average_of_a_linear_machine() -> None:
    X, y = datasets.table(1, 2, 4)
    model = quietly(Perceptron(average=True, max_iter=3), X, y)
    A, seen = np.zeros((3, 3)), []
    for _ in range(3):
        for x, label in zip(augment(X), np.unique(y, return_inverse=True)[1], strict=True):
            g = A @ x
            rival = max((j for j in range(3) if j != label), key=lambda j: (g[j], -j))
            if g[label] <= g[rival]:
                A = A.copy()
                A[label] += x
                A[rival] -= x
            seen.append(A)
    np.testing.assert_allclose(model.weights_, np.mean(seen, axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(model.last_weights_, A, rtol=1e-12, atol=1e-12)


def with_slack(X: Any, delta: float) -> Any:
    return np.hstack([X, delta * np.eye(len(X))])


@pytest.mark.parametrize("bias", ["augmented", "radius"])
@pytest.mark.parametrize("average", [False, True])
def test_slack_is_a_coordinate_for_each_pattern(bias: str, average: bool) -> None:
    X, y = overlapping(20)
    options: dict[str, Any] = {"bias": bias, "average": average, "max_iter": 30}
    model = quietly(Perceptron(slack=2.0, **options), X, y)
    explicit = quietly(Perceptron(**options), with_slack(X, 2.0), y)
    np.testing.assert_allclose(model.weights_, explicit.weights_[:3], rtol=1e-12)
    assert model.n_corrections_ == explicit.n_corrections_
    assert model.weights_.shape == (3,)
    np.testing.assert_allclose(model.decision_function(X), augment(X) @ model.weights_, rtol=1e-12)  # without it


def test_slack_is_the_kernel_plus_delta_squared() -> None:
    X, y = overlapping(20)
    model = Perceptron(slack=3.0, bias="radius").fit(X, y)
    dual = KernelPerceptron(kernel="precomputed").fit(X @ X.T + 9 * np.eye(20), y)
    assert model.n_corrections_ == dual.n_corrections_ == dual.alpha_.sum()
    np.testing.assert_allclose(model.coef_[0], (dual.alpha_ * (2 * y - 1)) @ X)
    np.testing.assert_allclose(model.intercept_, dual.intercept_)


def test_slack_ends_on_any_patterns_and_says_what_is_left() -> None:
    X, y = datasets.xor()
    model = Perceptron(slack=1.0).fit(X, y)
    assert model.status_ is Status.CONVERGED  # clean with slack, errors without
    assert model.history_["errors"][-1] == (normalized(X, y) @ model.weights_ <= 0).sum() > 0


# --- weights, portions, symmetries ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"batch": True}, {"average": True}, {"bias": "radius"}, {"margin": 1.5}])
def test_swapped_labels_negate(options: Any) -> None:
    X, y = overlapping()
    model = quietly(Perceptron(max_iter=9, **options), X, y)
    swapped = quietly(Perceptron(max_iter=9, **options), X, 1 - y)
    np.testing.assert_array_equal(swapped.weights_, -model.weights_)


def test_permuted_features_permute() -> None:
    generator = np.random.default_rng(4)
    X, y = generator.integers(-4, 5, (30, 5)).astype(float), generator.integers(0, 3, 30)
    turn = generator.permutation(5)
    for labels in (y, y > 0):
        model, turned = quietly(Perceptron(max_iter=9), X, labels), quietly(Perceptron(max_iter=9), X[:, turn], labels)
        np.testing.assert_array_equal(turned.coef_, model.coef_[:, turn])
        np.testing.assert_array_equal(turned.intercept_, model.intercept_)


@pytest.mark.parametrize(
    ("options", "many"), [({}, False), ({}, True), ({"average": True}, False), ({"multiclass": "one-vs-one"}, True)]
)
def test_float32_stays_float32(options: Any, many: bool) -> None:
    X, y = datasets.table()
    X, y = X.astype(np.float32), y if many else y > 2
    model = quietly(Perceptron(max_iter=3, record="weights", **options), X, y)
    kinds = {model.weights_.dtype, model.coef_.dtype, model.intercept_.dtype, model.history_["weights"].dtype}
    assert kinds == {np.dtype(np.float32)}
    assert model.decision_function(X).dtype == model.decision_function(sparse.csr_array(X)).dtype == np.float32
    if "average" in options:
        assert model.last_weights_.dtype == np.float32


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": True, "average": True}, "batch=True and average=True must not be given together; choose one"),
        ({"pocket": True, "slack": 1.0}, "pocket=True and slack=1.0 must not be given together; choose one"),
        ({"batch": True, "order": "random"}, "order='random' must be 'cyclic' where batch=True"),
        ({"schedule": "optimal"}, "schedule='optimal' must be .* without curvature, which .* use a number"),
        ({"batch": "no"}, "batch='no' must be one of True, False"),
    ],
)
def test_choices_that_do_not_go_together(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Perceptron(**options).fit(*datasets.or_function())


def test_slack_with_a_linear_machine_is_refused() -> None:
    with pytest.raises(ValueError, match=r"slack=1\.0 must be 0 for one machine of many classes; set multiclass"):
        Perceptron(slack=1.0).fit(*datasets.iris())


# --- theorems -------------------------------------------------------------------------------------------------------


small = st.integers(-6, 6)


@st.composite
def separable(draw: Any) -> tuple[Any, Any, Any]:
    """Integer patterns on both sides of an integer plane, none on it."""
    d = draw(st.integers(1, 3))
    a = np.array(draw(st.lists(small, min_size=d + 1, max_size=d + 1)), float)
    X = np.array(draw(st.lists(st.tuples(*[small] * d), min_size=2, max_size=12, unique=True)), float)
    g = augment(X) @ a
    X, g = X[g != 0], g[g != 0]
    assume(np.unique(g > 0).size == 2)
    return X, (g > 0).astype(int), a


@given(separable(), st.integers(0, 3), st.sampled_from([1.0, 2.0, 0.5]), st.lists(small, min_size=4, max_size=4))
def test_corrections_never_exceed_theorem_5_1(data: Any, margin: int, eta: float, start: list[int]) -> None:
    X, y, a = data
    begin = np.array(start[: X.shape[1] + 1], float)
    model = Perceptron(margin=float(margin), schedule=eta, start=begin, max_iter=10**6).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert np.all(normalized(X, y) @ model.weights_ > margin)
    for solution in (a, model.weights_):
        bound = bounds.perceptron(X, y, solution, start=begin, eta=eta, margin=float(margin))
        assert model.n_corrections_ <= bound.corrections
    assert model.report_.to_dict()["bound"] == pytest.approx(float(bound))


@given(separable())
def test_corrections_never_exceed_novikoffs_bound(data: Any) -> None:
    X, y, a = data
    R = bounds.radius(X)
    assume(np.any(a[1:]) and abs(a[0]) <= R * np.linalg.norm(a[1:]))  # the theorem wants |b| <= R, ‖w‖ = 1
    gamma = (normalized(X, y) @ a).min() / np.linalg.norm(a[1:])
    model = Perceptron(bias="radius", max_iter=10**6).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert model.n_corrections_ <= bounds.novikoff(R, gamma) * (1 + 1e-9)


@given(st.data())
def test_the_first_pass_obeys_freund_and_schapire(data: Any) -> None:
    d = data.draw(st.integers(1, 3))
    X = np.array(data.draw(st.lists(st.tuples(*[small] * d), min_size=3, max_size=15, unique=True)), float)
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X))))
    w = np.array(data.draw(st.lists(small, min_size=d, max_size=d)), float)
    assume(np.any(w) and np.unique(y).size == 2)
    R = bounds.radius(X)
    w, b = w / np.linalg.norm(w), R * data.draw(st.floats(-1, 1))
    gamma = data.draw(st.floats(0.1, 10))
    D = np.linalg.norm(np.maximum(0, gamma - (2 * y - 1) * (X @ w + b)))
    model = quietly(Perceptron(bias="radius", max_iter=1), X, y)
    assert model.n_corrections_ <= bounds.freund_schapire(R, D, gamma) * (1 + 1e-9)


@given(st.data())
def test_on_inseparable_patterns_the_weights_stay_small_and_the_report_says_so(data: Any) -> None:
    d = data.draw(st.integers(1, 2))
    points = data.draw(st.lists(st.tuples(*[small] * d), min_size=2, max_size=8, unique=True))
    X = np.array([*points, *points], float)  # every point in both classes
    y = np.repeat([0, 1], len(points))
    with pytest.warns(NotConvergedWarning) as caught:
        model = Perceptron(max_iter=3000).fit(X, y)
    assert np.all(np.isfinite(model.weights_))
    assert np.abs(model.weights_).max() < 1000
    facts = model.report_.to_dict()
    assert model.status_ in (Status.CYCLES, Status.BUDGET)
    assert facts["inseparable"] is (model.status_ is Status.CYCLES)
    assert facts["errors"] > 0
    words = "are not linearly separable" if facts["inseparable"] else "may not be linearly separable"
    assert words in str(caught[0].message)
    assert facts["remedy"] in str(caught[0].message)


@given(separable(), st.data())
def test_the_linear_machines_corrections_obey_the_theorem(data: Any, more: Any) -> None:
    d, c = more.draw(st.integers(1, 2)), 3
    A = np.array(more.draw(st.lists(small, min_size=c * (d + 1), max_size=c * (d + 1))), float).reshape(c, d + 1)
    X = np.array(more.draw(st.lists(st.tuples(*[small] * d), min_size=3, max_size=10, unique=True)), float)
    g = np.sort(augment(X) @ A.T, axis=1)
    X = X[g[:, -1] > g[:, -2]]
    y = (augment(X) @ A.T).argmax(axis=1)
    assume(np.unique(y).size == 3)
    model = Perceptron(max_iter=10**6).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert model.n_corrections_ <= bounds.perceptron(X, y, A).corrections
    assert model.n_corrections_ <= bounds.perceptron(X, y, model).corrections
    assert model.report_.to_dict()["bound"] == pytest.approx(float(bounds.perceptron(X, y, model)))

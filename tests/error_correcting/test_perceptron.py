"""The perceptron: worked numbers to the step, re-implementations in plain Python, theorems as properties."""

from __future__ import annotations

import itertools
import warnings
from copy import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from discriminant import (
    KernelPerceptron,
    NotConvergedWarning,
    Perceptron,
    Relaxation,
    Status,
    augment,
    bounds,
    datasets,
    kesler,
    normalize,
    schedules,
)
from discriminant._engine.driver import Watch, drive
from discriminant._engine.problem import make_problem
from discriminant.error_correcting.corrections import all_errors
from discriminant.error_correcting.perceptron import BatchPerceptron, PerceptronPlan, SingleSamplePerceptron
from discriminant.error_correcting.visits import PassTotals, count_errors


def quiet(model: Any, *data: Any, **options: Any) -> Any:
    """Fit, and let it warn that it did not end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(*data, **options)


def normalized(X: Any, y: Any) -> Any:
    return normalize(augment(np.asarray(X, float)), np.asarray(y))


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
    model = quiet(Perceptron(schedule=0.5, batch=batch), X, y)
    assert model.status_ is Status.CYCLES
    facts = model.report_.to_dict()
    assert facts["inseparable"] is False
    assert "floating-point arithmetic" in facts["notes"][0]


def test_numbers_too_large_for_exact_sums_are_no_proof() -> None:
    X, y = datasets.xor()
    model = quiet(Perceptron(schedule=2.0**52), X, y)
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
    model = quiet(Perceptron(schedule=schedule, margin=margin, start=start), X, y)
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


def test_a_function_is_asked_hardly_further_than_needed() -> None:
    X, y = datasets.planted_margin(n=3000, d=5, random_state=0)
    asked: list[int] = []

    def eta(k: int) -> float:
        asked.append(k)
        return 1.0

    model = Perceptron(schedule=eta).fit(X, y)
    constant = Perceptron().fit(X, y)
    np.testing.assert_array_equal(model.weights_, constant.weights_)
    assert model.n_corrections_ == constant.n_corrections_ > 10
    assert max(asked) <= 2 * model.n_corrections_ + 1
    assert len(asked) <= 2 * model.n_corrections_ + 1 + model.n_iter_  # each k once, and once a pass for the history


def test_a_function_with_a_bad_value_is_named() -> None:
    X, y = datasets.slides_eight()
    with pytest.raises(ValueError, match=r"η\(3\)=-1 must be"):
        Perceptron(schedule=lambda k: 1.0 if k < 3 else -1).fit(X, y)


def test_the_adaptive_increment_falls_as_errors_do() -> None:
    X, y = datasets.table(3, 2)
    model = Perceptron(schedule=schedules.Adaptive(eta=1.0, patience=1)).fit(X, y)
    steps, errors = model.history_["step"], model.history_["errors"]
    assert np.all(np.diff(steps) <= 0)
    assert steps[0] == 1
    assert steps[-1] < 1
    told = schedules.Adaptive(eta=1.0, patience=1)
    for step, wrong in zip(steps, errors, strict=True):
        told.observe(errors=wrong)  # the history keeps the rate as it is at the end of the pass
        assert step == told(1)


def test_a_schedule_is_not_changed_by_a_fit() -> None:
    X, y = datasets.table(3, 2)
    schedule = schedules.Adaptive()
    first = Perceptron(schedule=schedule).fit(X, y)
    second = Perceptron(schedule=schedule).fit(X, y)
    np.testing.assert_array_equal(first.weights_, second.weights_)
    assert schedule == schedules.Adaptive()
    assert schedule(1) == 1.0


# --- average, pocket, slack -----------------------------------------------------------------------------------------


def overlapping(n: int = 30, seed: int = 1) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    return generator.integers(-4, 5, (n, 2)).astype(float), np.r_[0, 1, generator.integers(0, 2, n - 2)]


@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_the_average_is_the_mean_over_visits(order: str) -> None:
    X, y = overlapping()
    start = np.array([3.0, -1.0, 2.0])
    model = quiet(Perceptron(average=True, max_iter=7, start=start, order=order, random_state=5), X, y)
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
    model = quiet(Perceptron(average=True, max_iter=3), X, y)
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


def plain_pocket(Y: Any, passes: int, seed: int) -> tuple[Any, Any, int, list[int], int]:
    """Gallant's algorithm with the ratchet in plain Python: pocket, weights, copies, errors after each pass."""
    random, n = np.random.RandomState(seed), len(Y)
    a, run, copies, corrections = np.zeros(Y.shape[1]), 0, 0, 0
    pocket, longest, fewest = a, 0, int((Y @ a <= 0).sum())
    told = []
    for _ in range(passes):
        for i in random.randint(n, size=n):
            if a @ Y[i] <= 0:
                a, run, corrections = a + Y[i], 0, corrections + 1
                continue
            run += 1
            if run > longest and (errors := int((Y @ a <= 0).sum())) < fewest:
                pocket, longest, fewest, copies = a, run, errors, copies + 1
                if not errors:
                    break
        told.append(fewest)
        if not fewest:
            break
    return pocket, a, copies, told, corrections


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("data", [datasets.slides_eight, datasets.slides_five, overlapping])
def test_the_pocket_is_gallants(data: Any, seed: int) -> None:
    X, y = data()
    model = quiet(Perceptron(pocket=True, random_state=seed, max_iter=40), X, y)
    pocket, last, copies, errors, corrections = plain_pocket(normalized(X, y), 40, seed)
    assert model.weights_.tolist() == pocket.tolist()
    assert model.last_weights_.tolist() == last.tolist()
    assert model.n_copies_ == copies > 0
    assert model.history_["errors"].tolist() == errors
    assert model.n_corrections_ == corrections
    assert (model.status_ is Status.SEPARATED) == (errors[-1] == 0)


def test_the_pocket_reaches_the_fewest_errors() -> None:
    data = datasets.table(1, 3)
    with pytest.warns(NotConvergedWarning):
        model = Perceptron(pocket=True, random_state=0).fit(*data)
    assert (normalized(*data) @ model.weights_ <= 0).sum() == data.fewest_errors == 1
    assert model.history_["errors"][-1] == 1
    assert np.all(np.diff(model.history_["errors"]) <= 0)  # the ratchet


def test_a_start_that_separates_stays_in_the_pocket() -> None:
    X, y = datasets.slides_eight()
    model = Perceptron(pocket=True, start=[-37, 4, 6], random_state=0).fit(X, y)
    assert model.weights_.tolist() == [-37, 4, 6]
    assert (model.n_corrections_, model.n_copies_, model.n_iter_) == (0, 0, 1)


def test_the_pocket_refuses_weights_that_overflow() -> None:
    X, y = overlapping()
    with pytest.raises(ValueError, match="the weights overflow float64"):
        Perceptron(pocket=True, schedule=1e307, random_state=0).fit(X, y)


def with_slack(X: Any, delta: float) -> Any:
    return np.hstack([X, delta * np.eye(len(X))])


@pytest.mark.parametrize("bias", ["augmented", "radius"])
@pytest.mark.parametrize("average", [False, True])
def test_slack_is_a_coordinate_for_each_pattern(bias: str, average: bool) -> None:
    X, y = overlapping(20)
    options: dict[str, Any] = {"bias": bias, "average": average, "max_iter": 30}
    model = quiet(Perceptron(slack=2.0, **options), X, y)
    explicit = quiet(Perceptron(**options), with_slack(X, 2.0), y)
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


# --- order, start, record -------------------------------------------------------------------------------------------


def test_random_order_has_a_seed() -> None:
    X, y = datasets.table(3, 2)
    fits = [Perceptron(order="random", random_state=seed).fit(X, y) for seed in (1, 1, 2)]
    assert fits[0].weights_.tolist() == fits[1].weights_.tolist() != fits[2].weights_.tolist()
    assert all(np.all(normalized(X, y) @ fit.weights_ > 0) for fit in fits)
    state = np.random.RandomState(3)
    again = [Perceptron(order="random", random_state=state).fit(X, y).weights_.tolist() for _ in range(2)]
    assert again[0] != again[1]  # an instance goes on


def test_random_order_is_a_permutation_each_pass() -> None:
    X, y = overlapping()
    model = quiet(Perceptron(order="random", random_state=4, max_iter=6), X, y)
    Y, a, random = normalized(X, y), np.zeros(3), np.random.RandomState(4)
    for _ in range(6):
        for i in random.permutation(30):
            a = a + Y[i] * (a @ Y[i] <= 0)
    assert model.weights_.tolist() == a.tolist()


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_shapes_of_start() -> None:
    X, y = datasets.table()
    row, full = np.arange(3.0), np.arange(12.0).reshape(4, 3)
    for strategy, rows in (("kesler", 4), ("one-vs-rest", 4), ("one-vs-one", 6)):
        one = Perceptron(start=row, multiclass=strategy, max_iter=1, record="weights").fit(X, y)
        assert one.weights_.shape == (rows, 3)
        begins = one.history_["weights"]
        if strategy != "kesler":
            begins = begins[[np.argmax(one.history_["weights_problem"] == p) for p in range(rows)]]
        np.testing.assert_array_equal(begins.reshape(-1, 3)[:rows], np.tile(row, (rows, 1)))
    kept = full.copy()
    model = Perceptron(start=full, max_iter=1, record="weights").fit(X, y)
    np.testing.assert_array_equal(model.history_["weights"][0], kept)
    np.testing.assert_array_equal(full, kept)  # the user's array is left alone
    with pytest.raises(ValueError, match=r"start has shape \(4, 2\); give .* of shape \(3,\) or \(4, 3\)"):
        Perceptron(start=full[:, :2]).fit(X, y)


def test_a_recorded_path_can_be_replayed() -> None:
    X, y = datasets.slides_eight()
    model = Perceptron(start=[1, 1, 1], record="weights").fit(X, y)
    Y, path, k = normalized(X, y), model.history_["weights"], 0
    assert path.shape == (181, 3)
    for corrections, errors, criterion in zip(
        model.history_["corrections"], model.history_["errors"], model.history_["criterion"], strict=True
    ):
        before, met = k, 0.0
        for pattern in Y:
            if path[k] @ pattern <= 0:
                met -= path[k] @ pattern
                np.testing.assert_array_equal(path[k + 1], path[k] + pattern)
                k += 1
        assert (k - before, k - before) == (corrections, errors)
        assert met == criterion
    np.testing.assert_array_equal(path[-1], model.weights_)


def test_a_long_path_is_thinned() -> None:
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]  # never ends, and every second pattern or so is corrected
    model = quiet(Perceptron(record="weights", max_iter=12_000, order="random", random_state=0), X, y)
    k = model.n_corrections_
    assert k > 10_000
    path = model.history_["weights"]
    assert 5_000 <= len(path) <= 10_002
    stride = 2 ** int(np.ceil(np.log2(k / 10_000)))
    assert len(path) == k // stride + 1 + (k % stride > 0)
    assert path[0].tolist() == [0, 0]
    np.testing.assert_array_equal(path[-1], model.weights_)
    whole = quiet(Perceptron(record="weights", max_iter=3_000, order="random", random_state=0), X, y)
    begun = whole.history_["weights"]
    np.testing.assert_array_equal(path[: len(begun) // stride], begun[: len(begun) // stride * stride : stride])


def test_the_memory_of_a_path_is_bounded_whatever_the_number_of_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discriminant._engine.path.MAX_BYTES", 2**15)
    X, y = datasets.table()
    for strategy in ("kesler", "one-vs-rest", "one-vs-one"):
        model = quiet(Perceptron(record="weights", multiclass=strategy, max_iter=1000), X, y)
        assert model.n_corrections_ * 3 * 8 > 2**15
        assert model.history_["weights"].nbytes <= 2**15 + 6 * 4 * 3 * 8  # and the present weights of each


# --- many classes ---------------------------------------------------------------------------------------------------


def strongest_rival(X: Any, y: Any, A: Any, b: float, passes: int, eta: float = 1.0) -> tuple[Any, int]:
    """Kesler's rule on its explicit rows: of a pattern's c-1 rows the one with the least margin, first on ties."""
    rows, c, a, k = kesler(X, y), len(np.unique(y)), A.ravel().copy(), 0
    for _ in range(passes):
        before = k
        for block in rows.reshape(-1, c - 1, rows.shape[1]):
            margins = block @ a
            if margins.min() <= b:
                a, k = a + eta * block[margins.argmin()], k + 1
        if k == before:
            break
    return a.reshape(A.shape), k


@pytest.mark.parametrize("margin", [0.0, 3.0])
def test_the_linear_machine_is_keslers_construction(margin: float) -> None:
    generator = np.random.default_rng(2)
    X, y = generator.integers(-3, 4, (40, 3)).astype(float), generator.integers(0, 4, 40)
    start = generator.integers(-2, 3, (4, 4)).astype(float)
    model = quiet(Perceptron(margin=margin, start=start, max_iter=25, schedule=2.0), X, y)
    A, k = strongest_rival(X, y, start, margin, 25, eta=2.0)
    np.testing.assert_array_equal(model.weights_, A)
    assert model.n_corrections_ == k


def test_the_table_is_separated_by_a_machine_but_not_totally() -> None:
    X, y = datasets.table(1, 2, 4)
    model = Perceptron(max_iter=20_000).fit(X, y)
    assert model.status_ is Status.SEPARATED
    assert np.all(kesler(X, y) @ model.weights_.ravel() > 0)
    assert not model.undecided(X).any()
    with pytest.warns(NotConvergedWarning):
        rest = Perceptron(multiclass="one-vs-rest").fit(X, y)
    assert rest.status_ is not Status.SEPARATED
    pairs = Perceptron(multiclass="one-vs-one").fit(X, y)
    assert pairs.status_ is Status.SEPARATED
    assert pairs.score(X, y) == 1


def test_a_batch_machine_adds_all_violators() -> None:
    X, y = datasets.iris()
    model = quiet(Perceptron(batch=True, max_iter=4, record="weights"), X, y)
    rows, a = kesler(X, y), np.zeros(15)
    for k in range(4):
        np.testing.assert_allclose(model.history_["weights"][k].ravel(), a, atol=1e-9)
        margins = (rows @ a).reshape(-1, 2)
        strongest = rows.reshape(-1, 2, 15)[np.arange(len(X)), margins.argmin(axis=1)]
        a = a + strongest[margins.min(axis=1) <= 0].sum(axis=0)


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_one_against_the_rest_is_c_fits() -> None:
    X, y = datasets.iris()
    model = Perceptron(multiclass="one-vs-rest", max_iter=20).fit(X, y)
    alone = [Perceptron(max_iter=20).fit(X, y == label) for label in model.classes_]
    np.testing.assert_array_equal(model.weights_, [fit.weights_ for fit in alone])
    assert model.n_corrections_ == sum(fit.n_corrections_ for fit in alone)
    assert model.n_iter_ == max(fit.n_iter_ for fit in alone)
    np.testing.assert_array_equal(model.history_["errors"], np.concatenate([fit.history_["errors"] for fit in alone]))
    np.testing.assert_array_equal(model.history_["problem"], np.repeat(range(3), [fit.n_iter_ for fit in alone]))
    claims = np.column_stack([fit.decision_function(X) for fit in alone]) > 0
    np.testing.assert_array_equal(model.votes(X), claims)
    np.testing.assert_array_equal(model.undecided(X), claims.sum(axis=1) != 1)


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_one_against_one_is_a_fit_for_each_pair() -> None:
    X, y = datasets.wine()
    model = Perceptron(multiclass="one-vs-one", max_iter=20).fit(X, y)
    counted = np.zeros((len(X), 3), int)
    for p, (i, j) in enumerate(itertools.combinations(range(3), 2)):
        part = (y == i) | (y == j)
        alone = Perceptron(max_iter=20).fit(X[part], y[part])
        np.testing.assert_array_equal(model.weights_[p], alone.weights_)
        g = alone.decision_function(X)
        counted[:, i] += g < 0
        counted[:, j] += g > 0
    np.testing.assert_array_equal(model.votes(X), counted)
    np.testing.assert_array_equal(model.undecided(X), (counted == counted.max(axis=1)[:, None]).sum(axis=1) > 1)
    assert model.decision_function(X).shape == (len(X), 3)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_a_machine_takes_no_votes() -> None:
    model = Perceptron().fit(*datasets.or_function())
    with pytest.raises(ValueError, match="for votes; its largest discriminant decides"):
        model.votes([[0, 0]])


def test_undecided_on_the_plane() -> None:
    model = Perceptron().fit(*datasets.or_function())  # a = (-1, 2, 2)
    assert model.undecided([[0.5, 0], [0, 0.5], [0.5, 0.5], [0, 0]]).tolist() == [True, True, False, False]
    assert model.predict([[0.5, 0]]).tolist() == [1]  # sgn 0 = +1


# --- weights, portions, symmetries ----------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [False, True])
def test_a_sample_weight_multiplies_the_correction(batch: bool) -> None:
    X, y = overlapping()
    weight = np.random.default_rng(0).integers(1, 4, 30).astype(float)
    model = quiet(Perceptron(batch=batch, max_iter=5), X, y, sample_weight=weight)
    Y, a = normalized(X, y), np.zeros(3)
    for _ in range(5):
        if batch:
            a = a + (weight[:, None] * Y)[Y @ a <= 0].sum(axis=0)
            continue
        for w, pattern in zip(weight, Y, strict=True):
            a = a + w * pattern * (a @ pattern <= 0)
    assert model.weights_.tolist() == a.tolist()


@pytest.mark.parametrize(
    "options",
    [{}, {"batch": True}, {"average": True}, {"pocket": True}, {"slack": 1.0}, {"bias": "radius"}, {"margin": 2.0}],
)
@pytest.mark.parametrize(
    ("n_classes", "strategy"), [(2, "kesler"), (3, "kesler"), (3, "one-vs-rest"), (3, "one-vs-one")]
)
def test_weight_zero_is_a_row_that_is_not_there(options: Any, n_classes: int, strategy: str) -> None:
    if n_classes == 3 and strategy == "kesler" and "slack" in options:
        strategy = "one-vs-rest"  # slack is a rule for two categories
    generator = np.random.default_rng(6)
    X = generator.integers(-4, 5, (40, 2)).astype(float)
    y = generator.integers(0, n_classes, 40)
    keep = generator.random(40) > 0.3
    X[np.flatnonzero(~keep)[0]] = 50  # the longest pattern is not there either
    model = Perceptron(max_iter=6, random_state=0, multiclass=strategy, **options)
    weighted = copy(quiet(model, X, y, sample_weight=keep.astype(float)))
    absent = quiet(model, X[keep], y[keep])
    np.testing.assert_array_equal(weighted.weights_, absent.weights_)
    for name in ("errors", "criterion", "corrections"):
        np.testing.assert_array_equal(weighted.history_[name], absent.history_[name])


@pytest.mark.parametrize("options", [{}, {"average": True}, {"margin": 3.0, "schedule": "1/k"}, {"bias": "radius"}])
def test_partial_fit_is_one_pass(options: Any) -> None:
    X, y = overlapping()
    model, passes = Perceptron(**options), quiet(Perceptron(max_iter=4, **options), X, y)
    for _ in range(4):
        model.partial_fit(X, y, classes=[0, 1])
    np.testing.assert_allclose(model.weights_, passes.weights_, rtol=1e-12)
    assert (model.n_corrections_, model.n_iter_) == (passes.n_corrections_, 4)
    for name in ("errors", "criterion", "step", "corrections"):
        np.testing.assert_allclose(model.history_[name], passes.history_[name], rtol=1e-12)


@pytest.mark.parametrize("options", [{}, {"average": True}, {"schedule": "1/k"}, {"multiclass": "one-vs-one"}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_portions_make_one_pass(options: Any, n_classes: int) -> None:
    generator = np.random.default_rng(3)
    X, y = generator.integers(-4, 5, (30, 2)).astype(float), generator.integers(0, n_classes, 30)
    whole = quiet(Perceptron(max_iter=1, **options), X, y)
    model = Perceptron(record="weights", **options)
    for part in np.array_split(np.arange(30), [1, 2, 11, 17]):
        model.partial_fit(X[part], y[part], classes=range(n_classes))
    np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-12)
    assert model.n_corrections_ == whole.n_corrections_
    assert model.n_iter_ == 5
    recorded = quiet(Perceptron(max_iter=1, record="weights", **options), X, y).history_["weights"]
    np.testing.assert_allclose(model.history_["weights"], recorded, rtol=1e-12)


def test_partial_fit_goes_on_after_fit() -> None:
    X, y = overlapping()
    for options in ({}, {"average": True}):
        model = quiet(Perceptron(max_iter=3, **options), X, y)
        last = (model.last_weights_ if options else model.weights_).copy()
        model.partial_fit(X, y)
        start = quiet(Perceptron(max_iter=1, start=last, **options), X, y)
        np.testing.assert_allclose(model.weights_, start.weights_)
        assert model.n_iter_ == 4
        assert len(model.history_["errors"]) == 4


def test_partial_fit_obeys_new_parameters() -> None:
    X, y = overlapping()
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    begun = model.weights_.copy()
    model.set_params(schedule=8.0, margin=5.0).partial_fit(X, y)
    again = quiet(Perceptron(schedule=8.0, margin=5.0, start=begun, max_iter=1), X, y)
    np.testing.assert_array_equal(model.weights_, again.weights_)


def test_partial_fit_asks_for_classes_and_keeps_them() -> None:
    X, y = datasets.or_function()
    with pytest.raises(
        ValueError, match="classes=None must be all classes that will ever come; give them at the first call"
    ):
        Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"classes=\[1\] must be at least two; give all"):
        Perceptron().partial_fit(X, y, classes=[1])
    model = Perceptron().partial_fit(X[:1], y[:1], classes=[0, 1])  # a portion may hold one class only
    assert model.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"classes=\[0, 2\] must be those of the first call, \[0, 1\]; leave them out"):
        model.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(ValueError, match=r"y holds .*7.* and must be among classes=\[0, 1\]; name all"):
        model.partial_fit(X, [0, 1, 7, 1])
    with pytest.raises(ValueError, match="give numbers only, or strings only"):
        Perceptron().partial_fit(X, y, classes=np.array([1, "a"], dtype=object))


def test_partial_fit_belongs_to_single_sample_rules() -> None:
    assert hasattr(Perceptron(), "partial_fit")
    assert not hasattr(Perceptron(batch=True), "partial_fit")
    assert not hasattr(Perceptron(slack=1.0), "partial_fit")


def test_a_refused_first_portion_leaves_nothing_behind() -> None:
    model = Perceptron()
    with pytest.raises(ValueError, match="X contains NaN, first in row 1, column 0"):
        model.partial_fit([[1.0], [np.nan]], [0, 1], classes=[0, 1])
    X, y = datasets.or_function()
    model.partial_fit(X, y, classes=[0, 1])  # another width, and a fresh start
    np.testing.assert_array_equal(model.weights_, quiet(Perceptron(max_iter=1), X, y).weights_)


def test_a_refused_portion_does_not_spoil_the_model() -> None:
    X, y = datasets.slides_eight()
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    before = model.weights_.copy()
    with pytest.raises(ValueError, match="X contains infinity"):
        model.partial_fit([[np.inf, 0]], [0])
    np.testing.assert_array_equal(model.weights_, before)
    model.partial_fit(X, y)
    np.testing.assert_array_equal(model.weights_, quiet(Perceptron(max_iter=2), X, y).weights_)


def test_the_pocket_in_portions_judges_each_anew() -> None:
    model = Perceptron(pocket=True, random_state=0)
    easy, hard = datasets.or_function(), datasets.slides_eight()
    for _ in range(30):
        model.partial_fit(*easy, classes=[0, 1])
    assert model.status_ is Status.SEPARATED
    for _ in range(100):
        model.partial_fit(*hard)  # the pocket of the easy portions is no excuse to learn nothing more
    assert model.score(*hard) == 1


def test_a_long_stream_of_portions_stays_cheap() -> None:
    X, y = datasets.or_function()
    model = Perceptron()
    for _ in range(300):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.n_iter_ == len(model.history_["errors"]) == 300
    assert model.n_corrections_ == 9
    assert model.history_["corrections"][:6].sum() == 9
    assert "theorem" not in str(model.report_)  # a portion does not know the radius of all


@pytest.mark.parametrize("options", [{}, {"batch": True}, {"average": True}, {"bias": "radius"}, {"margin": 1.5}])
def test_swapped_labels_negate(options: Any) -> None:
    X, y = overlapping()
    model = quiet(Perceptron(max_iter=9, **options), X, y)
    swapped = quiet(Perceptron(max_iter=9, **options), X, 1 - y)
    np.testing.assert_array_equal(swapped.weights_, -model.weights_)


def test_permuted_features_permute() -> None:
    generator = np.random.default_rng(4)
    X, y = generator.integers(-4, 5, (30, 5)).astype(float), generator.integers(0, 3, 30)
    turn = generator.permutation(5)
    for labels in (y, y > 0):
        model, turned = quiet(Perceptron(max_iter=9), X, labels), quiet(Perceptron(max_iter=9), X[:, turn], labels)
        np.testing.assert_array_equal(turned.coef_, model.coef_[:, turn])
        np.testing.assert_array_equal(turned.intercept_, model.intercept_)


@pytest.mark.parametrize(
    ("options", "many"), [({}, False), ({}, True), ({"average": True}, False), ({"multiclass": "one-vs-one"}, True)]
)
def test_float32_stays_float32(options: Any, many: bool) -> None:
    X, y = datasets.table()
    X, y = X.astype(np.float32), y if many else y > 2
    model = quiet(Perceptron(max_iter=3, record="weights", **options), X, y)
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
    model = quiet(Perceptron(bias="radius", max_iter=1), X, y)
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


@pytest.mark.parametrize("kind", [Perceptron, Relaxation])
def test_long_batches_have_the_same_bits_whatever_the_number_of_threads(
    kind: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(21_000, 100))
    y = (X[:, 0] + 0.1 * rng.normal(size=len(X)) > 0).astype(int)
    found = []
    for count in (1, 2, 5):
        monkeypatch.setattr("os.cpu_count", lambda count=count: count)
        found.append(quiet(kind(batch=True, max_iter=3), X, y))
    for other in found[1:]:
        np.testing.assert_array_equal(other.weights_, found[0].weights_)
        assert other.history_["criterion"].tolist() == found[0].history_["criterion"].tolist()


def test_a_long_batch_is_the_sum_of_all_violators(rng: np.random.Generator) -> None:
    X = rng.normal(size=(21_000, 100))
    y = (X[:, 0] > 0).astype(int)
    model = quiet(Perceptron(batch=True, max_iter=1), X, y)
    Y = np.where(y == 1, 1, -1)[:, None] * np.column_stack([np.ones(len(X)), X])
    np.testing.assert_allclose(model.weights_, Y.sum(axis=0), rtol=1e-10)


# --- rules without an estimator --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SingleSamplePerceptron, BatchPerceptron])
def test_a_rule_runs_alone(kind: Any) -> None:
    X, y = datasets.or_function()
    problem = make_problem(np.asarray(X, float), np.asarray(y, np.int32), None, 2)
    batch = kind is BatchPerceptron
    solution = drive(kind(problem.zeros(), problem, PerceptronPlan(batch=batch, record=True)), problem, 100, Watch())
    model = Perceptron(batch=batch, record="weights").fit(X, y)
    assert solution.status is Status.SEPARATED
    np.testing.assert_array_equal(solution.weights[0], model.weights_)
    np.testing.assert_array_equal(solution.path, model.history_["weights"])


def test_totals_of_two_passes() -> None:
    both = PassTotals(3, 2, 1, 0.5, 0.25, True).plus(PassTotals(4, 1, 1, 2.0, -1.0, False))
    assert both == (7, 3, 2, 2.5, -1.0, False)
    assert PassTotals().plus(both) == both


def test_errors_are_counted_up_to_what_is_not_finite() -> None:
    X = np.array([[1.0], [2.0], [np.inf], [3.0]])
    problem = make_problem(X, np.array([0, 1, 1, 0], np.int32), None, 2)
    for count in (count_errors, count_errors.py_func):
        assert count(problem.rows, problem.labels, 0, 4, np.array([0.0, 1.0]), 9) == (1, False)
    with pytest.raises(ValueError, match="infinity"):
        all_errors(problem, np.array([0.0, 1.0]), Watch())

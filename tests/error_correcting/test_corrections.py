"""A rule at work: its increments, order, start and path, weights of rows, portions of data, long batches."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest
from correction_cases import normalized, overlapping, quietly

from discriminant import (
    Perceptron,
    Relaxation,
    Status,
    datasets,
    schedules,
)
from discriminant._engine.driver import Watch, drive
from discriminant._engine.problem import make_problem
from discriminant.error_correcting.perceptron import BatchPerceptron, PerceptronPlan, SingleSamplePerceptron


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
    model = quietly(Perceptron(order="random", random_state=4, max_iter=6), X, y)
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
    model = quietly(Perceptron(record="weights", max_iter=12_000, order="random", random_state=0), X, y)
    k = model.n_corrections_
    assert k > 10_000
    path = model.history_["weights"]
    assert 5_000 <= len(path) <= 10_002
    stride = 2 ** int(np.ceil(np.log2(k / 10_000)))
    assert len(path) == k // stride + 1 + (k % stride > 0)
    assert path[0].tolist() == [0, 0]
    np.testing.assert_array_equal(path[-1], model.weights_)
    whole = quietly(Perceptron(record="weights", max_iter=3_000, order="random", random_state=0), X, y)
    begun = whole.history_["weights"]
    np.testing.assert_array_equal(path[: len(begun) // stride], begun[: len(begun) // stride * stride : stride])


def test_the_memory_of_a_path_is_bounded_whatever_the_number_of_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discriminant._engine.path.MAX_BYTES", 2**15)
    X, y = datasets.table()
    for strategy in ("kesler", "one-vs-rest", "one-vs-one"):
        model = quietly(Perceptron(record="weights", multiclass=strategy, max_iter=1000), X, y)
        assert model.n_corrections_ * 3 * 8 > 2**15
        assert model.history_["weights"].nbytes <= 2**15 + 6 * 4 * 3 * 8  # and the present weights of each


@pytest.mark.parametrize("batch", [False, True])
def test_a_sample_weight_multiplies_the_correction(batch: bool) -> None:
    X, y = overlapping()
    weight = np.random.default_rng(0).integers(1, 4, 30).astype(float)
    model = quietly(Perceptron(batch=batch, max_iter=5), X, y, sample_weight=weight)
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
    weighted = copy(quietly(model, X, y, sample_weight=keep.astype(float)))
    absent = quietly(model, X[keep], y[keep])
    np.testing.assert_array_equal(weighted.weights_, absent.weights_)
    for name in ("errors", "criterion", "corrections"):
        np.testing.assert_array_equal(weighted.history_[name], absent.history_[name])


@pytest.mark.parametrize("options", [{}, {"average": True}, {"margin": 3.0, "schedule": "1/k"}, {"bias": "radius"}])
def test_partial_fit_is_one_pass(options: Any) -> None:
    X, y = overlapping()
    model, passes = Perceptron(**options), quietly(Perceptron(max_iter=4, **options), X, y)
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
    whole = quietly(Perceptron(max_iter=1, **options), X, y)
    model = Perceptron(record="weights", **options)
    for part in np.array_split(np.arange(30), [1, 2, 11, 17]):
        model.partial_fit(X[part], y[part], classes=range(n_classes))
    np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-12)
    assert model.n_corrections_ == whole.n_corrections_
    assert model.n_iter_ == 5
    recorded = quietly(Perceptron(max_iter=1, record="weights", **options), X, y).history_["weights"]
    np.testing.assert_allclose(model.history_["weights"], recorded, rtol=1e-12)


def test_partial_fit_goes_on_after_fit() -> None:
    X, y = overlapping()
    for options in ({}, {"average": True}):
        model = quietly(Perceptron(max_iter=3, **options), X, y)
        last = (model.last_weights_ if options else model.weights_).copy()
        model.partial_fit(X, y)
        start = quietly(Perceptron(max_iter=1, start=last, **options), X, y)
        np.testing.assert_allclose(model.weights_, start.weights_)
        assert model.n_iter_ == 4
        assert len(model.history_["errors"]) == 4


def test_partial_fit_obeys_new_parameters() -> None:
    X, y = overlapping()
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    begun = model.weights_.copy()
    model.set_params(schedule=8.0, margin=5.0).partial_fit(X, y)
    again = quietly(Perceptron(schedule=8.0, margin=5.0, start=begun, max_iter=1), X, y)
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
    np.testing.assert_array_equal(model.weights_, quietly(Perceptron(max_iter=1), X, y).weights_)


def test_a_refused_portion_does_not_spoil_the_model() -> None:
    X, y = datasets.slides_eight()
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    before = model.weights_.copy()
    with pytest.raises(ValueError, match="X contains infinity"):
        model.partial_fit([[np.inf, 0]], [0])
    np.testing.assert_array_equal(model.weights_, before)
    model.partial_fit(X, y)
    np.testing.assert_array_equal(model.weights_, quietly(Perceptron(max_iter=2), X, y).weights_)


def test_a_long_stream_of_portions_stays_cheap() -> None:
    X, y = datasets.or_function()
    model = Perceptron()
    for _ in range(300):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.n_iter_ == len(model.history_["errors"]) == 300
    assert model.n_corrections_ == 9
    assert model.history_["corrections"][:6].sum() == 9
    assert "theorem" not in str(model.report_)  # a portion does not know the radius of all


@pytest.mark.parametrize("kind", [Perceptron, Relaxation])
def test_long_batches_have_the_same_bits_whatever_the_number_of_threads(
    kind: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(21_000, 100))
    y = (X[:, 0] + 0.1 * rng.normal(size=len(X)) > 0).astype(int)
    found = []
    for count in (1, 2, 5):
        monkeypatch.setattr("os.cpu_count", lambda count=count: count)
        found.append(quietly(kind(batch=True, max_iter=3), X, y))
    for other in found[1:]:
        np.testing.assert_array_equal(other.weights_, found[0].weights_)
        assert other.history_["criterion"].tolist() == found[0].history_["criterion"].tolist()


def test_a_long_batch_is_the_sum_of_all_violators(rng: np.random.Generator) -> None:
    X = rng.normal(size=(21_000, 100))
    y = (X[:, 0] > 0).astype(int)
    model = quietly(Perceptron(batch=True, max_iter=1), X, y)
    Y = np.where(y == 1, 1, -1)[:, None] * np.column_stack([np.ones(len(X)), X])
    np.testing.assert_allclose(model.weights_, Y.sum(axis=0), rtol=1e-10)


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

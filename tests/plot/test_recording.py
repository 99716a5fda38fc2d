"""A run as data: every step as the procedure made it, the pattern corrected, and Python that makes it again."""

from __future__ import annotations

import base64
import contextlib
import io
import itertools
import json
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import discriminant
from discriminant import (
    Adatron,
    BalancedWinnow,
    KernelPerceptron,
    LeastSquaresRegressor,
    LogisticDiscriminant,
    MinOver,
    MultilayerPerceptron,
    Perceptron,
    PiecewiseLinearMachine,
    RecursiveLeastSquares,
    Relaxation,
    SupportVectorMachine,
    WidrowHoff,
    datasets,
    mercer,
)
from discriminant.base import course
from discriminant.comparison.methods import METHODS
from discriminant.plot.recording import equation, record

TWO, THREE = datasets.table(1, 2), datasets.table(1, 2, 3)


def quick(name: str) -> Any:
    """A procedure of the registry that makes at most 40 passes."""
    model = METHODS[name]()
    return model.set_params(max_iter=min(40, model.max_iter)) if "max_iter" in model.get_params() else model


def executed(source: str) -> Any:
    """The model that a recording's Python makes, and what the program prints."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore", discriminant.NotConvergedWarning)
        warnings.simplefilter("ignore", discriminant.InfiniteEstimateWarning)
        exec(source, names)
    return names["model"], printed.getvalue()


@pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", METHODS)
def test_every_procedure_is_recorded_and_its_python_makes_the_same(name: str, data: datasets.Dataset) -> None:
    found = record(quick(name), *data)
    head, steps = found["head"], found["steps"]
    json.dumps(found, allow_nan=False)
    assert len(steps) == head["n_steps"] + 1
    model, printed = executed(head["python"])
    assert "discriminant._" not in head["python"]
    if head["kind"] == "linear":
        assert np.ravel(model.weights_).tolist() == steps[-1][0]
        assert printed.splitlines()[-1] == str(model.weights_.tolist())
        assert len(head["row_class"]) == head["rows"] == len(steps[0][0]) // 3
        assert head["maps"] is None
    else:
        assert {step[0] for step in steps} == {None}
        assert head["maps"]["steps"][0] == 0
        assert head["maps"]["steps"][-1] == head["n_steps"]
    assert head["final"]["errors"] == int(np.sum(model.predict(np.array(head["points"]["x"])) != head["points"]["y"]))
    assert head["curve"]["steps"] == sorted(head["curve"]["steps"])
    assert max(head["curve"]["steps"], default=0) <= head["n_steps"]


def test_the_perceptron_on_or_is_that_of_the_book() -> None:
    found = record(Perceptron(), *datasets.or_function())
    assert len(found["steps"]) == 10
    assert found["steps"][0] == [[0.0, 0.0, 0.0], -1, None, None, None]
    assert found["steps"][-1] == [[-1.0, 2.0, 2.0], found["steps"][-1][1], 1.0, None, 1.0]
    assert found["head"]["numbers"] == list(range(10))
    assert found["head"]["answer"] is None
    assert found["head"]["bound"] == pytest.approx(27)
    assert found["head"]["final"]["status"] == "SEPARATED"
    assert found["head"]["points"]["classes"] == ["0", "1"]


def margins(head: dict[str, Any], before: Any, row: int) -> tuple[Any, Any]:
    """yᵏ, negated if of the first of two classes, and aᵗy of each row of weights, as the page writes them."""
    x, own = head["points"]["x"][row], head["points"]["y"][row]
    y = np.array([head["bias_unit"], *x]) * (-1 if head["rows"] == 1 and own not in head["row_class"] else 1)
    return y, np.reshape(before, (-1, 3)) @ y


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(), Perceptron(bias="radius"), Perceptron(margin=2.0, schedule="1/k"), Relaxation(eta=1.5),
        Perceptron(order="random"), WidrowHoff(max_iter=5), PiecewiseLinearMachine(max_iter=20), KernelPerceptron(),
        Perceptron(multiclass="one-vs-rest", max_iter=20), Perceptron(slack=2.0, multiclass="one-vs-rest"),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
def test_each_correction_adds_the_pattern_that_is_named(model: Any, data: datasets.Dataset) -> None:
    """a(k+1) − a(k) is c yᵏ in the row that it rises in, −c yᵏ in a rival's."""
    found = record(model.set_params(max_iter=20), *data)
    head, steps = found["head"], found["steps"]
    X = np.array(head["points"]["x"])
    radius = (X * X).sum(axis=1).max() if getattr(model, "bias", "") == "radius" else 1.0
    assert head["bias_unit"] == pytest.approx(radius + getattr(model, "slack", 0.0) ** 2 * (radius > 1))
    named = 0
    for last, (weights, row, _, before, factor) in itertools.pairwise(steps):
        if row < 0:
            continue
        named += 1
        before = last[0] if before is None else before
        y, _ = margins(head, before, row)
        change = np.subtract(weights, before).reshape(-1, 3)
        own = np.flatnonzero(np.array(head["row_class"]) == head["points"]["y"][row])
        for r in np.flatnonzero(np.abs(change).max(axis=1) > 0):
            sign = 1 if head["rows"] == 1 or r in own else -1
            np.testing.assert_allclose(change[r], sign * factor * y, rtol=1e-6, atol=1e-9)
    assert named >= head["n_steps"] - 1
    assert not head["batch"]


@pytest.mark.parametrize(("schedule", "beyond"), [(None, False), (0.001, False), ("1/k", True)])
def test_the_rate_of_widrow_and_hoff_is_that_of_the_book(schedule: Any, beyond: bool) -> None:
    """a(k+1) = a(k) + η(k) (b − a(k)ᵗyᵏ) yᵏ: the factor may be negative, η(k) is not."""
    found = record(WidrowHoff(schedule=schedule, max_iter=5), *TWO)
    for last, (_, row, eta, _, factor) in itertools.pairwise(found["steps"]):
        if row >= 0:
            assert factor == pytest.approx(eta * (1 - margins(found["head"], last[0], row)[1][0]), rel=1e-6, abs=1e-9)
    assert any(step[4] is not None and step[4] < 0 < step[2] for step in found["steps"]) == beyond


@pytest.mark.parametrize("eta", [1.0, 1.5, "1/k"])
def test_the_rate_of_relaxation_is_that_of_the_book(eta: Any) -> None:
    """a(k+1) = a(k) + η(k) (b − a(k)ᵗyᵏ) / ‖yᵏ‖² yᵏ."""
    model = Relaxation(eta=eta, max_iter=20)
    found = record(model, *TWO)
    for k, (last, (_, row, rate, _, factor)) in enumerate(itertools.pairwise(found["steps"]), 1):
        y, product = margins(found["head"], last[0], row)
        assert rate == (1 / k if eta == "1/k" else eta)
        assert factor == pytest.approx(rate * (model.margin - product[0]) / (y @ y), rel=1e-6)


def test_one_against_the_rest_counts_each_problem_from_one() -> None:
    found = record(Perceptron(schedule="1/k", multiclass="one-vs-rest", max_iter=5), *THREE)
    for last, (weights, _, eta, _, factor) in itertools.pairwise(found["steps"]):
        assert eta == pytest.approx(factor)
        assert np.sum(np.abs(np.subtract(weights, last[0]).reshape(-1, 3)).max(axis=1) > 0) == 1
    assert sum(step[2] == 1.0 for step in found["steps"]) == 3


def test_a_thinned_run_has_the_weights_that_each_correction_changed() -> None:
    found = record(Perceptron(max_iter=1000, multiclass="kesler"), *datasets.table(1, 3))
    head, steps = found["head"], found["steps"]
    assert head["thinned"]
    held = 0
    for k, (last, (weights, row, _, before, factor)) in enumerate(itertools.pairwise(steps), 1):
        assert (before is None) == (head["numbers"][k] == head["numbers"][k - 1] + 1)
        start = last[0] if before is None else before
        y, _ = margins(head, start, row)
        np.testing.assert_allclose(np.subtract(weights, start), factor * y, rtol=1e-6, atol=1e-9)
        held += before is not None
    assert held > 1000


def test_of_equal_points_the_one_of_the_corrected_class_is_named() -> None:
    X, y = [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]], [0, 1, 1]
    steps = record(Perceptron(max_iter=1), X, y)["steps"]
    assert [step[1] for step in steps] == [-1, 0, 1, 2]


@pytest.mark.parametrize("alpha", [1.01, 1.1, 2.0])
@pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
def test_balanced_winnow_names_the_pattern_that_its_exponents_grew_by(alpha: float, data: datasets.Dataset) -> None:
    """A correction by yᵏ of class ±1 adds ±yᵏ to s, a = 2 sinh(s ln α); the weights do not grow by a multiple of it."""
    found = record(BalancedWinnow(alpha=alpha, max_iter=20), *data)
    x, y = np.array(found["head"]["points"]["x"]), np.array(found["head"]["points"]["y"])
    owner = np.array(found["head"]["row_class"])
    for last, (weights, row, eta, _, factor) in itertools.pairwise(found["steps"]):
        grown = np.arcsinh(np.array([last[0], weights]) / 2) / np.log(alpha)
        (change,) = [each for each in np.diff(grown, axis=0).reshape(len(owner), 3) if np.abs(each).max() > 1e-6]
        np.testing.assert_allclose(np.abs(change), [1.0, *np.abs(x[row])], rtol=1e-6)
        assert (change[0] > 0) <= (y[row] in owner)
        assert (eta, factor) == (None, None)


@pytest.mark.parametrize("model", [MinOver(), MinOver(step="fixed"), Adatron(), MinOver("gaussian")], ids=str)
def test_rules_that_move_pairs_name_both_patterns(model: Any) -> None:
    """W = Σ δ (xᵢ − xⱼ) over the updates, but for the scale."""
    found = record(model.set_params(max_iter=30), *TWO)
    X, total = np.array(found["head"]["points"]["x"]), np.zeros(2)
    assert found["steps"][0][1] == -1
    for weights, (i, j), delta, _, _ in found["steps"][1 : -1 if found["head"]["answer"] else None]:
        assert i != j
        total += delta * (X[i] - X[j])
        if weights is not None:
            np.testing.assert_allclose(weights[1:] / np.hypot(*weights[1:]), total / np.hypot(*total), atol=1e-9)
    assert len(found["steps"]) > 20


def test_where_no_pair_moves_none_is_named() -> None:
    steps = record(Adatron(), [[1.0, 1.0], [1.0, 1.0]], [0, 1])["steps"]
    assert {step[1] for step in steps} == {-1}


def test_pairs_of_several_problems_follow_one_another() -> None:
    found = record(Adatron(max_iter=5), *THREE)
    own = np.array(found["head"]["points"]["y"])
    first, second, third = (found["steps"][k][1] for k in (1, 6, 11))
    for owner, (i, j) in enumerate((first, second, third)):
        assert own[i] == owner
        assert own[j] != owner


def test_where_every_visit_corrects_the_order_tells() -> None:
    steps = record(RecursiveLeastSquares(), *TWO)["steps"]
    assert [step[1] for step in steps[1:21]] == list(range(20))


def test_batch_steps_name_no_pattern() -> None:
    found = record(Perceptron(batch=True), *TWO)
    assert found["head"]["batch"]
    assert {step[1] for step in found["steps"]} == {-1}
    assert {step[2] for step in found["steps"][1:]} == {1.0}


def test_an_answer_that_is_not_the_last_vector_is_a_step_of_its_own() -> None:
    model = Perceptron(average=True).fit(*TWO)
    found = record(Perceptron(average=True), *TWO)
    steps = found["steps"]
    assert len(steps) == model.n_corrections_ + 2
    assert steps[-1] == [model.weights_.tolist(), -1, None, None, None]
    assert found["head"]["answer"] == "average"
    assert found["head"]["numbers"][-2:] == [model.n_corrections_] * 2
    assert record(Perceptron(pocket=True, max_iter=20), *datasets.table(1, 3))["head"]["answer"] == "pocket"
    assert steps[-2][0] == model.last_weights_.tolist()


def test_a_direct_procedure_has_nothing_and_then_its_answer() -> None:
    found = record(discriminant.LeastSquares(), *TWO)
    assert found["steps"][0] == [[0.0] * 3, -1, None, None, None]
    assert len(found["steps"]) == 2
    assert found["head"]["answer"] == "direct"
    assert record(SupportVectorMachine(kernel="gaussian"), *TWO)["head"]["answer"] == "direct"


def test_long_runs_are_thinned_but_begin_whole() -> None:
    found = record(WidrowHoff(max_iter=1000), *TWO)
    head, steps = found["head"], found["steps"]
    assert head["thinned"]
    assert len(steps) <= course.MOST_STEPS + 1
    assert head["numbers"][:50] == [2 * k for k in range(50)]  # the fit itself keeps every second of 20,000
    assert head["numbers"][-1] == 20_000
    assert {(step[1], step[2], step[3]) for step in steps} == {(-1, None, None)}  # so that no correction is known
    assert len(head["curve"]["steps"]) == 1000
    short = record(WidrowHoff(max_iter=150), *TWO)["head"]
    assert short["numbers"][: course.WHOLE + 1] == list(range(course.WHOLE + 1))


def test_maps_are_those_of_the_model() -> None:
    model = SupportVectorMachine(kernel=mercer.Gaussian(sigma=2.0))
    head = record(model, *TWO)["head"]
    maps = head["maps"]
    cells = np.frombuffer(base64.b64decode(maps["values"][-1]), np.uint8).reshape(maps["height"], maps["width"])
    x0, x1, y0, y1 = maps["box"]
    at = [x0 + (x1 - x0) * 30.5 / maps["width"], y0 + (y1 - y0) * 70.5 / maps["height"]]
    fitted = model.fit(TWO.X, np.searchsorted(np.unique(TWO.y), TWO.y))
    assert cells[70, 30] == fitted.predict([at])[0]
    assert set(np.frombuffer(base64.b64decode(maps["values"][0]), np.uint8)) == {255}
    assert head["support"] == fitted.support_.tolist()
    assert head["level"] == 1.0


def test_a_map_in_the_middle_is_that_of_a_shorter_run() -> None:
    """The regions at a step are those of the weights that the run had there."""
    whole = record(KernelPerceptron("gaussian"), *THREE)["head"]
    for k in whole["maps"]["steps"][1:4]:
        passes = next(j for j, step in enumerate(whole["curve"]["steps"]) if step >= k)
        if whole["curve"]["steps"][passes] == k:
            part = record(KernelPerceptron("gaussian", max_iter=passes + 1), *THREE)["head"]["maps"]
            assert part["values"][-1] == whole["maps"]["values"][whole["maps"]["steps"].index(k)]


def test_maps_of_a_network_are_those_of_shorter_fits() -> None:
    X, y = datasets.xor()
    options: dict[str, Any] = {"learning_rate": 0.05, "random_state": 3}
    maps = record(MultilayerPerceptron((4,), "tanh", max_iter=100, **options), X, y)["head"]["maps"]
    assert 25 <= len(maps["steps"]) <= 61
    at = maps["steps"][len(maps["steps"]) // 2]
    part = record(MultilayerPerceptron((4,), "tanh", max_iter=at, **options), X, y)["head"]["maps"]
    assert part["values"][-1] == maps["values"][maps["steps"].index(at)]
    assert maps["steps"][1] == 1


def test_a_long_run_of_a_network_is_thinned() -> None:
    options: dict[str, Any] = {"max_iter": 3000, "tol": 0.0, "random_state": 0}
    head = record(MultilayerPerceptron((2,), "tanh", **options), *datasets.xor())["head"]
    assert head["thinned"]
    assert head["n_steps"] <= course.MOST_STEPS + 60
    assert head["numbers"][-1] == head["final"]["iterations"] == 3000
    at = head["maps"]["steps"][30]
    options["max_iter"] = head["numbers"][at]
    part = record(MultilayerPerceptron((2,), "tanh", **options), *datasets.xor())["head"]["maps"]
    assert part["values"][-1] == head["maps"]["values"][30]
    assert head["curve"]["steps"][-1] == head["n_steps"]


def test_one_against_one_names_its_patterns() -> None:
    """Four classes make six pairs, of which the second class is the positive one."""
    found = record(Perceptron(multiclass="one-vs-one", max_iter=5), *datasets.table(1, 2, 3, 4))
    assert all(step[1] >= 0 for step in found["steps"][1:])
    assert found["head"]["kind"] == "maps"


def test_one_against_one_has_maps() -> None:
    assert record(LogisticDiscriminant(), *THREE)["head"]["kind"] == "linear"
    assert record(Perceptron(multiclass="one-vs-one", max_iter=20), *THREE)["head"]["kind"] == "maps"
    assert record(MinOver("gaussian", max_iter=50), *THREE)["head"]["kind"] == "maps"


def test_one_feature() -> None:
    found = record(Perceptron(), [[0.0], [1.0], [3.0]], ["no", "no", "yes"])
    assert found["head"]["one_feature"]
    assert found["head"]["points"]["classes"] == ["no", "yes"]
    assert all(len(step[0]) == 2 for step in found["steps"])
    assert record(KernelPerceptron("gaussian"), [[0.0], [1.0], [3.0]], [0, 1, 0])["head"]["maps"]["height"] == 1


def test_classes_that_are_absent_keep_their_indices() -> None:
    found = record(Perceptron(), [[0.0, 0], [1, 1], [5, 5]], [5, 2, 5], classes=list("abcdef"))
    assert found["head"]["row_class"] == [5]
    assert record(Perceptron(max_iter=9), [[0.0, 0], [1, 1], [5, 5]], [5, 2, 0], classes=list("abcdef"))["head"][
        "row_class"
    ] == [0, 2, 5]


def test_the_model_itself_stays_as_it_is() -> None:
    model = Perceptron(order="random")
    record(model, *TWO)
    assert not hasattr(model, "weights_")
    assert (model.record, model.random_state) == (None, None)


def test_a_procedure_without_a_seed_is_recorded_the_same_again() -> None:
    model = Perceptron(order="random")
    assert record(model, *TWO)["steps"] == record(model, *TWO)["steps"]


def test_parameters_of_ones_own_are_named_in_the_python() -> None:
    source = record(Perceptron(schedule=lambda k: 1.0, start=[1, 1, 1.0]), *TWO)["head"]["python"]
    assert "# schedule was an object of your own: add it." in source
    assert "start=[1, 1, 1.0]" in source


@pytest.mark.parametrize(
    ("X", "y", "says"), [([[1, 2, 3]] * 2, [0, 1], "one or two features"), ([[1, 2]], [0, 1], "y.shape")]
)
def test_data_that_cannot_be_shown_are_refused(X: Any, y: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        record(Perceptron(), X, y)


@pytest.mark.parametrize("model", [LeastSquaresRegressor(), LogisticRegression(), "perceptron"], ids=str)
def test_what_is_no_classifier_of_this_package_is_refused(model: Any) -> None:
    with pytest.raises(ValueError, match=r"^model=.* must be a classifier of this package; give one"):
        record(model, *TWO)


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 6 classes"):
        record(Perceptron(), np.eye(7)[:, :2], range(7))


def test_equations_are_those_of_the_file() -> None:
    assert equation(Perceptron)[0].startswith("a(k+1) = a(k) + η(k) yᵏ   where a(k)ᵗyᵏ ≤ b")
    assert all(equation(getattr(discriminant, found.kind)) for found in METHODS.values())

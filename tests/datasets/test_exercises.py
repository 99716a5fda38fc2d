"""What an exercise says of its solution, the procedures find again."""

import re

import numpy as np
import pytest

from discriminant import (
    GradientDescent,
    LeastSquares,
    Perceptron,
    SupportVectorMachine,
    augment,
    criteria,
    datasets,
    normalize,
    separability,
)

KINDS = ["perceptron", "separability", "margin", "least_squares", "descent"]
SEEDS = range(20)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_is_an_exercise(kind):
    tasks = [datasets.exercise(kind, seed) for seed in SEEDS]
    assert datasets.exercise(kind, 3).question == tasks[3].question
    assert len({task.question for task in tasks}) == len(tasks)
    assert all(max(map(len, f"{task.question}\n{task.worked}".splitlines())) <= 100 for task in tasks)


@pytest.mark.parametrize("kind", KINDS)
def test_the_question_names_the_points_in_order(kind):
    for seed in SEEDS:
        task = datasets.exercise(kind, seed)
        lines = task.question.splitlines()[:2]
        points = [[float(x) for x in point] for line in lines for point in re.findall(r"\((-?\d+), (-?\d+)\)", line)]
        np.testing.assert_array_equal(points, task.X)
        assert len(np.unique(task.X, axis=0)) == len(task.X)
        assert task.y.tolist() == sorted(task.y, reverse=True)


def test_perceptron():
    for seed in SEEDS:
        task = datasets.exercise("perceptron", seed)
        model = Perceptron(record="weights").fit(*task)
        np.testing.assert_array_equal(model.history_["weights"], task.path)
        np.testing.assert_array_equal(model.weights_, task.solution)
        assert 4 <= model.n_corrections_ == task.corrections <= 9
        assert f"{task.corrections} corrections; ({', '.join(f'{x:.0f}' for x in task.solution)})" in task.worked


def test_separability():
    verdicts = set()
    for seed in SEEDS:
        task = datasets.exercise("separability", seed)
        assert separability(*task).verdict == task.verdict
        verdicts.add(task.verdict)
        if task.separable:
            assert (normalize(augment(task.X), task.y) @ task.solution).min() > 0
            assert task.worked.startswith("Yes")
            continue
        for label in (0, 1):
            own = task.y[task.support] == label
            np.testing.assert_allclose(task.multipliers[own] @ task.X[task.support][own], task.point)
        assert task.worked.startswith(f"No: ({task.point[0]:.0f}, {task.point[1]:.0f})")
    assert verdicts == {"complete", "overlap"}


def test_margin():
    for seed in SEEDS:
        task = datasets.exercise("margin", seed)
        model = SupportVectorMachine(C=np.inf).fit(*task)
        np.testing.assert_allclose(model.weights_, task.solution)
        assert model.margin_ == pytest.approx(task.margin)
        assert np.linalg.norm(np.diff(task.X[task.facing], axis=0)) / 2 == pytest.approx(task.margin)
        on_the_lines = task.X[np.isclose(np.abs(model.decision_function(task.X)), 1)]
        assert ", ".join(f"({x:.0f}, {y:.0f})" for x, y in on_the_lines) + "." in task.worked.replace("\n", " ")


def test_least_squares():
    for seed in SEEDS:
        task = datasets.exercise("least_squares", seed)
        model = LeastSquares().fit(*task)
        np.testing.assert_allclose(model.weights_, task.mse, atol=1e-9)
        smallest = (normalize(augment(task.X), task.y) @ model.weights_).min()
        assert task.mse_separates == (smallest > 1e-9) == ("It separates" in task.worked)


def test_descent():
    for seed in SEEDS:
        task = datasets.exercise("descent", seed)
        J = criteria.get("mse")(normalize(augment(task.X), task.y), 1.0)
        np.testing.assert_array_equal(J.hessian(np.zeros(3)), task.hessian)
        model = GradientDescent(schedule="optimal", max_iter=10_000).fit(*task)
        assert model.history_["step"][0] == pytest.approx(task.optimal_rate)


@pytest.mark.parametrize(
    ("kind", "seed", "message"),
    [
        ("margins", 0, "kind='margins' must be one of perceptron, .*; did you mean 'margin'"),
        (7, 0, "kind=7 must be one of perceptron"),
        (["margin"], 0, "must be one of perceptron"),
        ("margin", -1, "seed=-1 must be"),
        ("margin", 1.5, "seed=1.5 must be"),
    ],
)
def test_bad_input(kind, seed, message):
    with pytest.raises(ValueError, match=message):
        datasets.exercise(kind, seed)

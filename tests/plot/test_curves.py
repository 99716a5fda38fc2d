"""The curves are the history of the fit."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from pictures import axes, data, legend

from discriminant import (
    GradientDescent,
    LeastSquares,
    Perceptron,
    SupportVectorMachine,
    datasets,
    plot,
)
from discriminant.plot.curves import course

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def test_a_curve_for_each_fit() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    ax = plot.history({"a": model, "b": LeastSquares().fit(X, y)}, axes())
    assert [line.get_label() for line in ax.lines] == ["a"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.history_["errors"])
    ax = plot.history([model, Perceptron(batch=True).fit(X, y)], axes(), what="criterion")
    assert [line.get_label() for line in ax.lines] == ["Perceptron 1", "Perceptron 2"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.history_["criterion"])
    at_once = plot.history(LeastSquares().fit(X, y), axes())
    assert "no iterations" in at_once.texts[0].get_text()
    with pytest.raises(ValueError, match="what='step' must be one of"):
        plot.history(model, what="step")


def test_convergence_of_several_problems_and_of_a_long_history() -> None:
    X, y = data(3)
    model = Perceptron(multiclass="one-vs-rest", max_iter=1000).fit(X, y)
    problem, errors = model.history_["problem"], model.history_["errors"]
    parts = [errors[problem == p] for p in range(3)]
    assert len({*map(len, parts)}) > 1
    mean = course(model, "errors")
    k = min(map(len, parts)) - 1
    assert mean[k] == pytest.approx(np.mean([part[k] for part in parts]))
    assert mean[-1] == pytest.approx(np.mean([part[-1] for part in parts]))
    ax = plot.history(model, axes())
    drawn = ax.lines[0]
    assert len(drawn.get_xdata()) <= 200 < len(mean)
    assert ax.get_xscale() == "log"
    assert mean.min() <= drawn.get_ydata().min() <= drawn.get_ydata().max() <= mean.max()


def test_without_matplotlib_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"^matplotlib is missing, .*pip install 'discriminant\[plot\]'\.$"):
        plot.history(model)


def test_corrections_so_far_stand_below_the_bound_of_the_theorem() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    ax = plot.history({"p": model, "at once": LeastSquares().fit(X, y)}, axes(), what="corrections")
    made, allowed = ax.lines[0].get_ydata(), ax.lines[1].get_ydata()[0]
    assert made[-1] == model.n_corrections_ == 33
    assert allowed == model.report_.to_dict()["bound"] > 33
    assert legend(ax) == ["p", f"p: at most {int(allowed):,}"]


def test_several_steps_on_one_criterion() -> None:
    X, y = datasets.table(1, 3)
    ax = plot.steps(GradientDescent(tol=1e-6), X, y, [0.0002, 0.002, 0.1], axes())
    same = GradientDescent(tol=1e-6, schedule=0.002).fit(X, y)
    assert legend(ax) == ["η = 0.0002: 1,000 iterations, no end", "η = 0.002: 309 iterations", "η = 0.1: diverges"]
    assert ax.lines[1].get_ydata()[0] == same.history_["criterion"][0]
    assert ax.get_ylabel() == "criterion"
    with pytest.raises(ValueError, match="a procedure with a step, eta, schedule, learning_rate"):
        plot.steps(LeastSquares(), X, y, [1.0])
    with pytest.raises(ValueError, match="schedule"):
        plot.steps(GradientDescent(), X, y, [0.1, 1.0])
    with pytest.raises(ValueError, match="schedule=-1"):
        plot.steps(Perceptron(), X, y, [1.0, -1.0])


def test_the_duality_gap_round_by_round() -> None:
    X, y = datasets.iris()
    pair = SupportVectorMachine(kernel="gaussian").fit(X[:100], y[:100])
    ax = plot.history({"two": pair, "none": Perceptron().fit(X[:100], y[:100])}, axes(), what="gap")
    np.testing.assert_allclose(ax.lines[0].get_ydata(), np.maximum(pair.history_["gap"], 2.3e-16), rtol=0.1)
    assert (ax.get_xlabel(), ax.get_ylabel(), legend(ax)) == ("round", "relative duality gap", ["two"])
    ax = plot.history(Perceptron().fit(X[:100], y[:100]), axes(), what="gap")
    assert ax.texts[0].get_text() == "no duality gap: no support vector machine"
    three = SupportVectorMachine(kernel="gaussian").fit(X, y)
    assert course(three, "gap")[-1] == pytest.approx(max(three.gap_, 2.3e-16), rel=0.1)
    assert course(three, "errors").size == 0

"""Pictures take and return axes, for two classes and for three, for planes, kernels and networks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from discriminant import (
    FisherDiscriminant,
    KernelPerceptron,
    LeastSquares,
    LogisticDiscriminant,
    MultilayerPerceptron,
    Perceptron,
    PiecewiseLinearMachine,
    SupportVectorMachine,
    compare,
    datasets,
    margins,
    plot,
)
from discriminant.plot._style import add_legend, literal
from discriminant.plot.curves import course
from discriminant.plot.histograms import leads
from discriminant.plot.page import telling_features
from discriminant.plot.regions import hides

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")

MODELS = {
    "plane": lambda: Perceptron(max_iter=50),
    "one-vs-rest": lambda: Perceptron(max_iter=50, multiclass="one-vs-rest"),
    "one-vs-one": SupportVectorMachine,
    "kernel": lambda: KernelPerceptron("gaussian", max_iter=50),
    "at once": LeastSquares,
    "several planes": lambda: PiecewiseLinearMachine(random_state=0, max_iter=50),
    "network": lambda: MultilayerPerceptron((4,), max_iter=20, random_state=0),
    "scikit-learn": LogisticRegression,
    "tree": DecisionTreeClassifier,
}


@pytest.fixture(autouse=True)
def _no_figures_left() -> Any:
    yield
    plt.close("all")


def axes() -> Any:
    return Figure().add_subplot()


def data(classes: int) -> tuple[Any, Any]:
    X, y = datasets.iris()
    return X[y < classes][:, 2:], np.array(["a", "b", "c"])[y[y < classes]]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_every_picture_of_every_kind_of_model(make: Any, classes: int) -> None:
    X, y = data(classes)
    model = make().fit(X, y)
    for draw in (
        lambda ax: plot.boundary(model, X, y, ax=ax),
        lambda ax: plot.margins(model, X, y, ax=ax),
        lambda ax: plot.convergence(model, ax=ax),
    ):
        ax = axes()
        assert draw(ax) is ax
        ax.figure.draw_without_rendering()
    assert not plt.get_fignums()
    assert plot.boundary(model, X, y) is plt.gca()


def test_boundary_of_a_plane_lies_on_it() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    ax = plot.boundary(model, X, y, ax=axes())
    line = next(c for c in ax.collections if hasattr(c, "levels") and not c.get_hatch())
    points = np.concatenate([path.vertices for path in line.get_paths()])
    assert len(points) > 20
    step = np.ptp(ax.get_xlim()) / 100
    assert np.all(np.abs(model.decision_function(points)) / np.linalg.norm(model.coef_) < step / 100)


def test_boundary_rings_exactly_the_errors() -> None:
    X, y = data(3)
    model = LeastSquares().fit(X, y)
    ax = plot.boundary(model, X, y, ax=axes())
    rings = next(c for c in ax.collections if c.get_label() == "wrong side")
    np.testing.assert_array_equal(rings.get_offsets(), X[model.predict(X) != y])
    assert [text for text in ax.get_legend_handles_labels()[1] if text != "wrong side"] == ["a", "b", "c"]


def test_boundary_of_more_features_is_a_cut_at_the_medians() -> None:
    X, y = datasets.iris()
    model = FisherDiscriminant().fit(X, y)
    ax = plot.boundary(model, X, y, (3, 2), axes(), feature_names=["p", "q", "r", "s"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("s", "r")
    mesh = ax.collections[0]
    x1, x2 = np.linspace(*ax.get_xlim(), 220), np.linspace(*ax.get_ylim(), 220)
    for i, j in ((3, 200), (110, 110), (200, 10)):
        pattern = np.median(X, axis=0)
        pattern[[3, 2]] = x1[j], x2[i]
        assert mesh.get_array().reshape(220, 220)[i, j] == model.predict([pattern])[0]
    thin = sparse.csr_array(np.where(X > 3, X, 0))
    same = plot.boundary(FisherDiscriminant().fit(thin.toarray(), y), thin, y, ax=axes())
    assert same.get_xlabel() == "x0"


def test_boundary_knows_columns_by_name_and_one_column_alone() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = datasets.iris()
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "$d$"])
    model = LogisticDiscriminant().fit(frame, y)
    ax = plot.boundary(model, frame, y, ("$d$", "a"), axes())
    ax.figure.draw_without_rendering()
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"\$d\$", "a")
    alone = plot.boundary(LeastSquares().fit(X[:, [2]], y), X[:, [2]], y, ax=axes())
    assert [text.get_text() for text in alone.get_yticklabels()] == ["0", "1", "2"]
    for features, message in (
        ((0, 9), "no column 9"),
        (("a", "z"), "no column 'z'"),
        ((1, 1), "twice"),
        ("ab", "two of"),
    ):
        with pytest.raises(ValueError, match=message):
            plot.boundary(model, frame, y, features, axes())


def test_convergence_draws_the_history() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    ax = plot.convergence({"a": model, "b": LeastSquares().fit(X, y)}, axes())
    assert [line.get_label() for line in ax.lines] == ["a"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.history_["errors"])
    ax = plot.convergence([model, Perceptron(batch=True).fit(X, y)], axes(), what="criterion")
    assert [line.get_label() for line in ax.lines] == ["Perceptron 1", "Perceptron 2"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.history_["criterion"])
    at_once = plot.convergence(LeastSquares().fit(X, y), axes())
    assert "no iterations" in at_once.texts[0].get_text()
    with pytest.raises(ValueError, match="what='step' is unknown"):
        plot.convergence(model, what="step")


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
    ax = plot.convergence(model, axes())
    drawn = ax.lines[0]
    assert len(drawn.get_xdata()) <= 200 < len(mean)
    assert ax.get_xscale() == "log"
    assert mean.min() <= drawn.get_ydata().min() <= drawn.get_ydata().max() <= mean.max()


def test_margins_are_those_of_the_model() -> None:
    X, y = data(3)
    model = FisherDiscriminant().fit(X, y)
    values, name = leads(model, X, y)
    np.testing.assert_array_equal(values, margins(model, X, y).geometric)
    assert name == "distance from the boundary"
    ax = plot.margins(model, X, y, axes())
    counts = sum(patch.get_height() for patch in ax.patches)
    assert counts == len(y)
    assert ax.lines[-1].get_xdata()[0] == values.min()
    with pytest.raises(ValueError, match="'d', which is not one of the model's classes"):
        plot.margins(model, X, np.where(y == "a", "d", y))
    with pytest.raises(ValueError, match="y has shape"):
        plot.margins(model, X, y[:5])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["kernel", "network", "tree"])
def test_leads_are_positive_exactly_where_the_answer_is_right(kind: str, classes: int) -> None:
    X, y = datasets.table(*range(1, classes + 1)) if classes == 3 else datasets.table(1, 3)
    model = MODELS[kind]().fit(X, y)
    values, _ = leads(model, X, y)
    right = model.predict(X) == y
    assert np.all(values[right] >= 0)
    assert np.all(values[~right] <= 0)


def test_telling_features_are_those_that_differ(rng: np.random.Generator) -> None:
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 5)) * [1, 1e150, 1, 1e-150, 1]
    X[:, 3] += 5e-150 * y
    X[:, 1] += 3e150 * (y == 1)
    X[:, 2] = 7.0
    assert telling_features(X, y) == [1, 3]
    tame = np.where(np.abs(X) > 1e100, X * 1e-150, X)
    tame[:, 3] *= 1e150
    assert telling_features(sparse.csr_array(tame), y) == [1, 3]


def test_without_matplotlib_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"^matplotlib is missing, .*pip install 'discriminant\[plot\]'\.$"):
        plot.convergence(model)


def test_the_page_names_a_procedure_that_refuses_two_columns(tmp_path: Path) -> None:
    class Choosy(Perceptron):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            if np.shape(X)[1] < 4:
                raise ValueError("four columns, please")
            return super().fit(X, y, sample_weight)

    X, y = load_iris(return_X_y=True)
    found = compare(X[:100], y[:100], {"choosy": Choosy(), "plain": Perceptron()}, cv=2, n_jobs=1)
    page = (found.report(tmp_path / "page.html") or tmp_path / "page.html").read_text(encoding="utf-8")
    assert "these columns alone will not do for it: choosy." in page


def test_the_title_says_where_a_model_is_cut() -> None:
    X, y = datasets.iris()
    model = FisherDiscriminant().fit(X, y)
    names = ["p", "q", "$r$", "s"]
    ax = axes()
    ax.set_title("mine")
    assert plot.boundary(model, X, y, (0, 1), ax, feature_names=names).get_title() == (
        "mine\ncut where \\$r\\$ = 4.35 and s = 1.3 (medians)"
    )
    ax = plot.boundary(model, X, y, (0, 1), axes(), feature_names=["p", "q", "r" * 60, "s" * 60])
    assert ax.get_title() == "cut where the other 2 features have their medians"
    pair = X[:, :2]
    assert plot.boundary(FisherDiscriminant().fit(pair, y), pair, y, ax=axes()).get_title() == ""


def test_a_cut_hides_what_only_the_other_features_tell() -> None:
    """Of two flowers, sepals at the median petals are all of one class; a model that is blind shows what it does."""
    X, y = datasets.iris()
    model = FisherDiscriminant().fit(X, y)
    assert hides(model, X, [0, 1])
    assert hides(model, sparse.csr_array(X), [0, 1])
    assert not hides(model, X, [2, 3])
    model.coef_, model.intercept_ = np.zeros((3, 4)), np.array([1.0, 0.0, 0.0])
    assert not hides(model, X, [0, 1])


def test_a_legend_names_the_classes_as_far_as_there_is_room() -> None:
    ax = Figure(layout="constrained").add_subplot()
    for k in range(40):
        ax.plot([0], [k], label=f"class {k}")
    add_legend(ax)
    names = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert (names[0], names[-1], len(names)) == ("class 0", "… and 17 more", 24)


def test_names_are_drawn_in_one_line_of_letters() -> None:
    assert literal("a\x1b[31m\n\tb\u202e$") == r"a�[31m b�\$"
    assert literal("x" * 99) == "x" * 39 + "…"

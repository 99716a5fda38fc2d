"""Pictures take and return axes, for two classes and for three; the regions lie where the model says."""

from __future__ import annotations

from itertools import cycle
from time import process_time
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from pictures import MODELS, axes, data
from portions import rest_in_ci
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from discriminant import (
    FisherDiscriminant,
    LeastSquares,
    LogisticDiscriminant,
    Perceptron,
    datasets,
    plot,
)
from discriminant.plot._planes import plane_of
from discriminant.plot._style import COLORS
from discriminant.plot.decision_regions import hides

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


# Each kind with two classes or with three, and in make ci with the other number.
PAIRS = [*zip(MODELS, cycle([2, 3]), strict=False), *zip(MODELS, cycle([3, 2]), strict=False)]


@pytest.mark.parametrize("pair", rest_in_ci(PAIRS, len(MODELS)), ids=str)
def test_every_picture_of_every_kind_of_model(pair: tuple[str, int]) -> None:
    kind, classes = pair
    X, y = data(classes)
    model = MODELS[kind]().fit(X, y)
    for draw in (
        lambda ax: plot.regions(model, X, y, ax=ax),
        lambda ax: plot.margin_distribution(model, X, y, ax=ax),
        lambda ax: plot.history(model, ax=ax),
    ):
        ax = axes()
        assert draw(ax) is ax
        ax.figure.draw_without_rendering()
    assert not plt.get_fignums()


def test_a_picture_without_axes_is_drawn_on_the_current_ones() -> None:
    X, y = datasets.table(1, 2)
    assert plot.regions(Perceptron().fit(X, y), X, y) is plt.gca()


def test_the_surface_of_a_plane_lies_on_it() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    ax = plot.regions(model, X, y, ax=axes())
    line = next(c for c in ax.collections if hasattr(c, "levels") and not c.get_hatch())
    points = np.concatenate([path.vertices for path in line.get_paths()])
    assert len(points) > 20
    step = np.ptp(ax.get_xlim()) / 100
    assert np.all(np.abs(model.decision_function(points)) / np.linalg.norm(model.coef_) < step / 100)


def test_regions_fades_exactly_the_right_ones() -> None:
    """Even where many lie on each other: a faded pattern is opaque, of a lighter color."""
    X, y = data(3)
    model = LeastSquares().fit(X, y)
    ax = plot.regions(model, X, y, ax=axes())
    full = [to_rgb(color) for color in COLORS[:3]]
    drawn = [c for c in ax.collections if isinstance(c, PathCollection) and len(c.get_offsets())]
    bold = [c for c in drawn if any(np.allclose(c.get_facecolor()[0, :3], color) for color in full)]
    assert all(c.get_facecolor()[0, 3] == 1 for c in drawn)
    wrong = model.predict(X) != y
    assert wrong.any()
    for some, rows in ((bold, wrong), ([c for c in drawn if c not in bold], ~wrong)):
        points = np.concatenate([c.get_offsets() for c in some])
        assert sorted(map(tuple, points.tolist())) == sorted(map(tuple, X[rows].tolist()))
    assert ax.get_legend_handles_labels()[1] == ["a", "b", "c", "on its side"]


def test_regions_fade_nothing_where_all_is_right() -> None:
    X, y = data(2)
    ax = plot.regions(LeastSquares().fit(X, y), X, y, ax=axes())
    colors = [tuple(c.get_facecolor()[0, :3]) for c in ax.collections if isinstance(c, PathCollection)]
    assert set(colors) == {to_rgb(color) for color in COLORS[:2]}
    assert ax.get_legend_handles_labels()[1] == ["a", "b"]


def test_regions_of_more_features_is_a_cut_at_the_medians() -> None:
    X, y = datasets.iris()
    model = FisherDiscriminant().fit(X, y)
    ax = plot.regions(model, X, y, (3, 2), axes(), feature_names=["p", "q", "r", "s"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("s\ncut where p = 5.8 and q = 3 (medians)", "r")
    mesh = ax.collections[0]
    x1, x2 = np.linspace(*ax.get_xlim(), 220), np.linspace(*ax.get_ylim(), 220)
    for i, j in ((3, 200), (110, 110), (200, 10)):
        pattern = np.median(X, axis=0)
        pattern[[3, 2]] = x1[j], x2[i]
        assert mesh.get_array().reshape(220, 220)[i, j] == model.predict([pattern])[0]
    thin = sparse.csr_array(np.where(X > 3, X, 0))
    same = plot.regions(FisherDiscriminant().fit(thin.toarray(), y), thin, y, ax=axes())
    assert same.get_xlabel().startswith("x0\ncut where")


def test_regions_knows_columns_by_name_and_one_column_alone() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = datasets.iris()
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "$d$"])
    model = LogisticDiscriminant().fit(frame, y)
    ax = plot.regions(model, frame, y, ("$d$", "a"), axes())
    ax.figure.draw_without_rendering()
    assert (ax.get_xlabel().splitlines()[0], ax.get_ylabel()) == (r"\$d\$", "a")
    alone = plot.regions(LeastSquares().fit(X[:, [2]], y), X[:, [2]], y, ax=axes())
    assert [text.get_text() for text in alone.get_yticklabels()] == ["0", "1", "2"]
    for features, message in (
        ((0, 9), "9 is none of"),
        (("a", "z"), "'z' is none of"),
        ((1, 1), "two different columns"),
        ("ab", "one or two columns"),
    ):
        with pytest.raises(ValueError, match=message):
            plot.regions(model, frame, y, features, axes())


def test_the_label_says_where_a_model_is_cut_and_the_title_is_left_alone() -> None:
    X, y = datasets.iris()
    model = FisherDiscriminant().fit(X, y)
    ax = axes()
    ax.set_title("mine")
    plot.regions(model, X, y, (0, 1), ax, feature_names=["p", "q", "$r$", "s"])
    assert ax.get_title() == "mine"
    assert ax.get_xlabel() == "p\ncut where \\$r\\$ = 4.35 and s = 1.3 (medians)"
    ax = plot.regions(model, X, y, (0, 1), axes(), feature_names=["p", "q", "r" * 60, "s" * 60])
    assert ax.get_xlabel() == "p\ncut where the other 2 features have their medians"
    pair = X[:, :2]
    ax = plot.regions(FisherDiscriminant().fit(pair, y), pair, y, ax=axes())
    assert (ax.get_title(), ax.get_xlabel()) == ("", "x0")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_regions_in_the_plane_of_principal_components(kind: Any) -> None:
    """The grid's patterns lie in the plane, a constant column stays where it is, and the shares are those of a PCA."""
    X, y = datasets.iris()
    X = np.column_stack([X, np.full(len(X), 7.0)])
    model = FisherDiscriminant().fit(X, y)
    ax = plot.regions(model, kind(X), y, "components", axes())
    place = plane_of(kind(X), "components", list("pqrst"))
    points = np.array([[0.0, 0.0], [1.0, -2.0], [-1.5, 0.5]])
    rows = np.concatenate([place.at(lambda part, j=j: part[:, j : j + 1], points) for j in range(5)], axis=1)
    np.testing.assert_allclose(place.project(kind(rows)), points, atol=1e-9)
    np.testing.assert_allclose(rows[:, 4], 7.0)
    np.testing.assert_allclose(rows[0], X.mean(axis=0))
    pca = PCA(2).fit(StandardScaler().fit_transform(X))
    shares = [
        f"component {i + 1} ({share:.0%} of the variance)" for i, share in enumerate(pca.explained_variance_ratio_)
    ]
    assert [ax.get_xlabel().splitlines()[0], ax.get_ylabel()] == shares
    scores = pca.transform(StandardScaler().fit_transform(X))
    np.testing.assert_allclose(np.abs(place.project(kind(X))), np.abs(scores), atol=1e-8)
    with pytest.raises(ValueError, match="components need 2 to 2,000 features"):
        plot.regions(model, kind(X[:, :1]), y, "components")


def test_undecided_regions_are_hatched_and_named() -> None:
    X, y = data(3)
    model = Perceptron(multiclass="one-vs-rest", max_iter=50).fit(X, y)
    ax = plot.regions(model, X, y, ax=axes())
    hatched = [c for c in ax.collections if hasattr(c, "hatches") and c.hatches == ["///"]]
    assert len(hatched) == 1
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c", "on its side", "undecided"]
    grid = np.column_stack(
        [m.ravel() for m in np.meshgrid(*[np.linspace(*lim, 60) for lim in (ax.get_xlim(), ax.get_ylim())])]
    )
    inside = np.any([p.contains_points(grid) for p in hatched[0].get_paths()], axis=0)
    assert np.mean(inside == model.undecided(grid)) > 0.98


def test_limits_that_were_set_are_kept_and_patterns_are_optional() -> None:
    X, y = data(2)
    ax = axes()
    ax.set(xlim=(-9, 9), ylim=(-8, 8))
    plot.regions(LeastSquares().fit(X, y), X, ax=ax)
    assert (ax.get_xlim(), ax.get_ylim()) == ((-9, 9), (-8, 8))
    assert not [c for c in ax.collections if isinstance(c, PathCollection)]


def test_a_display_for_users_of_scikit_learn() -> None:
    X, y = datasets.iris()
    ax = axes()
    display = plot.RegionsDisplay.from_estimator(DecisionTreeClassifier().fit(X, y), X, y, ax=ax, features=(2, 3))
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.plot(axes()).ax_ is not ax


def test_what_is_no_fitted_classifier_is_refused_in_a_sentence() -> None:
    X, y = data(2)
    for model in (Perceptron(), LinearRegression().fit(X, y == "a"), Perceptron):
        with pytest.raises(ValueError, match="must be a fitted classifier; fit it first"):
            plot.regions(model, X, y)


def test_ten_thousand_patterns_are_drawn_in_two_seconds(rng: np.random.Generator) -> None:
    X = rng.normal(size=(10_000, 2))
    model = LeastSquares().fit(X, X[:, 0] > rng.normal(size=10_000))
    best = min(_seconds(lambda: plot.regions(model, X, X[:, 0] > 0, ax=axes())) for _ in range(2))
    assert best < 2


def _seconds(draw: Any) -> float:
    start = process_time()
    draw().figure.draw_without_rendering()
    return process_time() - start


def test_a_cut_hides_what_only_the_other_features_tell() -> None:
    """Of two flowers, sepals at the median petals are all of one class; a model that is blind shows what it does."""
    X, y = datasets.iris()
    model = FisherDiscriminant().fit(X, y)
    assert hides(model, X, [0, 1])
    assert hides(model, sparse.csr_array(X), [0, 1])
    assert not hides(model, X, [2, 3])
    model.coef_, model.intercept_ = np.zeros((3, 4)), np.array([1.0, 0.0, 0.0])
    assert not hides(model, X, [0, 1])

"""Pictures take and return axes, for two classes and for three; the regions lie where the model says."""

from __future__ import annotations

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from pictures import MODELS, axes, data
from portions import rest_in_ci
from scipy import sparse

from discriminant import (
    FisherDiscriminant,
    LeastSquares,
    LogisticDiscriminant,
    Perceptron,
    datasets,
    plot,
)
from discriminant.plot._style import COLORS
from discriminant.plot.regions import hides

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


# Each kind with two classes or with three, and in make ci with the other number.
PAIRS = [*zip(MODELS, cycle([2, 3]), strict=False), *zip(MODELS, cycle([3, 2]), strict=False)]


@pytest.mark.parametrize("pair", rest_in_ci(PAIRS, len(MODELS)), ids=str)
def test_every_picture_of_every_kind_of_model(pair: tuple[str, int]) -> None:
    kind, classes = pair
    X, y = data(classes)
    model = MODELS[kind]().fit(X, y)
    for draw in (
        lambda ax: plot.boundary(model, X, y, ax=ax),
        lambda ax: plot.margins(model, X, y, ax=ax),
        lambda ax: plot.convergence(model, ax=ax),
    ):
        ax = axes()
        assert draw(ax) is ax
        ax.figure.draw_without_rendering()
    assert not plt.get_fignums()


def test_a_picture_without_axes_is_drawn_on_the_current_ones() -> None:
    X, y = datasets.table(1, 2)
    assert plot.boundary(Perceptron().fit(X, y), X, y) is plt.gca()


def test_boundary_of_a_plane_lies_on_it() -> None:
    X, y = datasets.table(1, 2)
    model = Perceptron().fit(X, y)
    ax = plot.boundary(model, X, y, ax=axes())
    line = next(c for c in ax.collections if hasattr(c, "levels") and not c.get_hatch())
    points = np.concatenate([path.vertices for path in line.get_paths()])
    assert len(points) > 20
    step = np.ptp(ax.get_xlim()) / 100
    assert np.all(np.abs(model.decision_function(points)) / np.linalg.norm(model.coef_) < step / 100)


def test_boundary_fades_exactly_the_right_ones() -> None:
    """Even where many lie on each other: a faded pattern is opaque, of a lighter color."""
    X, y = data(3)
    model = LeastSquares().fit(X, y)
    ax = plot.boundary(model, X, y, ax=axes())
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
        ((0, 9), "9 is none of"),
        (("a", "z"), "'z' is none of"),
        ((1, 1), "two different columns"),
        ("ab", "one or two columns"),
    ):
        with pytest.raises(ValueError, match=message):
            plot.boundary(model, frame, y, features, axes())


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

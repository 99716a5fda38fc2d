"""The page names what it shows and what it leaves out."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from explorer_page import complaints_of_axe
from portions import rest_in_ci
from scipy import sparse
from sklearn.datasets import load_iris

from discriminant import (
    Perceptron,
    compare,
)
from discriminant.comparison.tasks import Row
from discriminant.plot._tables import confusion, features, settings
from discriminant.plot.page import apart, telling_features

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


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


def test_a_plane_of_zeros_and_ones_is_the_last_choice(rng: np.random.Generator) -> None:
    y = np.arange(60) % 2
    X = np.column_stack([y, rng.normal(size=60), 1 - y, rng.normal(size=60) + y])
    assert telling_features(X, y) == [1, 3]
    assert telling_features(X[:, [0, 2, 3]], y) == [0, 2]


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


@pytest.fixture(scope="module")
def flowers() -> Any:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    methods = ["least-squares", "perceptron", "fisher", "logistic"]
    return compare(X, names[y], methods, n_jobs=1, feature_names=["a", "b", "c", "d"])


@pytest.fixture(scope="module")
def file(flowers: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    return Path(flowers.report(path, command="discriminant compare iris"))


@pytest.fixture(scope="module")
def page(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def test_procedures_stand_by_their_errors_on_unseen_rows(flowers: Any, page: str) -> None:
    errors = [row.cv_error for row in flowers.ranked]
    assert errors == sorted(errors)
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    places = [table.index(f">{row.method}<") for row in flowers.ranked]
    assert places == sorted(places)
    assert f"{100 * flowers.best.cv_error:.1f} % ± {100 * flowers.best.cv_std / 2:.1f}" in page  # 5 folds


def test_ties_are_named(flowers: Any, page: str) -> None:
    ties = [row.method for row in flowers.ties]
    assert ties[0] == flowers.best.method
    assert "least-squares" not in ties
    assert len(ties) > 1
    assert "It is a tie: " in page
    assert page.count(" (tie)</td>") == len(ties)


def test_the_page_tells_who_is_taken_for_whom(flowers: Any, page: str) -> None:
    counts = flowers.best.confusion
    assert counts.sum(axis=1).tolist() == [50, 50, 50]
    assert 1 - np.trace(counts) / 150 == pytest.approx(flowers.best.cv_error)
    assert counts.sum() - np.trace(counts) == flowers.best.missed.sum()
    assert f"Who is taken for whom: {flowers.best.method}" in page
    assert "named versicolor" in page


def test_the_page_speaks_of_classes_and_not_python(page: str) -> None:
    assert "Setosa can be told apart from each of the others; versicolor and virginica cannot be told" in page
    words = re.sub(r"base64,[^\"]*|<style>.*?</style>", "", page, flags=re.DOTALL)
    for python in ("=True", "=None", "None", "True", "Hyperplane(", "import ", "array(", "report_", "(X, y)"):
        assert python not in words, python
    assert "<pre>discriminant compare iris</pre>" in page


@pytest.mark.parametrize("window", rest_in_ci([(375, "dark"), (375, "light"), (1280, "dark"), (1280, "light")]))
def test_the_page_fits_its_window(browser: Any, file: Path, flowers: Any, window: tuple[int, str]) -> None:
    """Only tables of many columns scroll sideways; on a phone names and errors of the procedures are in sight."""
    wide, scheme = window
    shown = browser.new_page(viewport={"width": wide, "height": 800}, color_scheme=scheme)
    shown.goto(file.as_uri())
    assert shown.evaluate("document.documentElement.scrollWidth") <= wide
    for row, line in zip(flowers.ranked, shown.locator(".stacked tbody tr").all(), strict=True):
        for part in ("th", '[data-name="cross-validated error"]', '[data-name="why it stopped"]'):
            place = line.locator(part).bounding_box()
            assert 0 <= place["x"] < place["x"] + place["width"] <= wide
        assert row.method in line.locator("th").inner_text()
        assert line.locator('[data-name="margin"]').is_visible() == (wide > 375)
    assert complaints_of_axe(shown) == []
    shown.close()


def test_of_many_classes_those_with_most_errors() -> None:
    counts = np.diag(np.arange(5, 30))
    counts[3, 7] = 20
    counts[4, 2] = 1
    names = [f"<{k}>" for k in range(25)]
    comparison: Any = SimpleNamespace(classes=dict.fromkeys(names))
    table = confusion(comparison, Row("any", confusion=counts))
    first = '<tr><th scope="row">&lt;3&gt;</th><td>28</td><td>20</td><td>71.4 %</td><td>&lt;7&gt;</td></tr>'
    assert table.index("<tbody>") + len("<tbody>") == table.index(first)
    assert "and 5 classes with fewer errors" in table


def test_the_worst_rows_stand_above_their_panels(page: str) -> None:
    assert page.count("smallest margin") == 1  # in the text beside the picture of the marks


def test_pictures_turn_dark(page: str) -> None:
    assert "@media (prefers-color-scheme: dark) { img { filter: invert(1) hue-rotate(180deg); } }" in page


def test_features_by_rank() -> None:
    X, y = load_iris(return_X_y=True)
    ratios = apart(X, y)
    assert np.argsort(-ratios).tolist() == [2, 3, 0, 1]
    table = features(["a", "b", "<c>", "d"], ratios)
    assert table.index("&lt;c&gt;") < table.index(">d<") < table.index(">a<") < table.index(">b<")
    assert "and 5 more" in features([f"x{j}" for j in range(25)], np.arange(25.0))


def test_settings_in_words(flowers: Any) -> None:
    told = dict(settings(flowers))
    assert "threshold bayes" in told["fisher-discriminant"]
    assert "batch no" in told["perceptron"]
    assert "class weight not set" in told["perceptron"]

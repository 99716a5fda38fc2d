"""``discriminant plot``: pictures of every kind, and what they say of features that are not drawn."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import matplotlib
import pytest

from .conftest import Outcome


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures(inside: Callable[..., Outcome], tmp_path: Path, ending: str, start: bytes) -> None:
    path = tmp_path / f"boundary.{ending}"
    found = inside("plot", "table-1-2", "-m", "svm", "-o", path, "--json")
    assert found.code == 0
    assert found.json["axes"] == ["x1", "x2"]
    assert path.read_bytes().startswith(start)
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_picture_says_what_became_of_the_other_features(
    inside: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The most telling features are drawn; where a cut would show one color only, the fit is to the two alone."""
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")  # letters, not their outlines
    path = tmp_path / "iris.svg"
    told = inside("plot", "iris", "-m", "fisher", "-o", path, "--json")
    assert told.json["axes"] == ["petal length (cm)", "petal width (cm)"]
    assert (told.json["others"], told.json["refitted"]) == ("medians", False)
    assert "cut where sepal length (cm) = 5.8 and sepal width (cm) = 3 (medians)" in path.read_text()
    axes = ["--axes", "sepal length (cm),sepal width (cm)"]
    told = inside("plot", "iris", "-m", "fisher", "-o", path, "--json", *axes)
    assert (told.json["others"], told.json["refitted"]) == ("left out", True)
    assert "fitting anew to sepal length (cm) and sepal width (cm)" in told.err
    page = path.read_text()
    assert "fitted anew to these two: a cut at the others' medians shows only one class" in unescape(page)
    assert "cut where" not in page
    colors = set(re.findall(r"fill: (#\w{6})", page))
    assert {"#0072b2", "#d55e00", "#009e73"} <= colors
    assert all(f">{name}</text>" in page for name in ("setosa", "versicolor", "virginica", "on its side"))
    plain = inside("plot", "table-1-2", "-o", path, "--json").json
    assert (plain["others"], plain["refitted"]) == (None, False)


@pytest.mark.parametrize("kind", ["boundary", "hulls", "history", "margins", "network"])
def test_other_pictures(inside: Callable[..., Outcome], tmp_path: Path, kind: str) -> None:
    found = inside("plot", "table-1-2", "--kind", kind, "-o", tmp_path / "picture.svg", "--quiet")
    assert (found.code, found.out, found.err) == (0, "", "")

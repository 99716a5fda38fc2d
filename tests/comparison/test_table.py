"""The table of ``compare``: columns, text, HTML, and the page that needs nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from comparison_cases import QUICK, Refuses
from portions import rest_in_ci

import discriminant
from discriminant import compare, datasets
from discriminant.comparison.methods import METHODS
from discriminant.comparison.table import as_text, ranking
from discriminant.comparison.tasks import Row


def test_other_forms_of_the_table(overlapping: Any) -> None:
    told = json.loads(json.dumps(overlapping.to_dict(), allow_nan=False))
    assert [row["method"] for row in told["rows"]] == QUICK
    assert told["verdict"] == overlapping.verdict.verdict
    frames = overlapping.to_polars(), overlapping.to_pandas()
    for frame in frames:
        assert list(frame["method"]) == QUICK
        np.testing.assert_allclose(np.asarray(frame["cv_error"], float), [row.cv_error for row in overlapping])
    text = str(overlapping)
    assert all(name in text for name in QUICK)
    assert text.startswith(f"{overlapping.verdict.verdict}: ")
    assert max(map(len, text.splitlines()[2:])) <= 100
    table = text.splitlines()[4 : 4 + len(QUICK)]
    for line, row in zip(table, overlapping.ranked, strict=True):
        assert f"{100 * row.cv_error:.1f} % ± {100 * row.cv_std / np.sqrt(overlapping.folds - 1):.1f}" in line
        assert row.method in line
        assert ("(tie)" in line) == (row in overlapping.ties and len(overlapping.ties) > 1)
    assert ("as good as the first" in text) == (len(overlapping.ties) > 1)


def test_a_narrow_terminal_goes_without_the_columns_of_less_interest(overlapping: Any) -> None:
    lines = as_text(overlapping, width=70).splitlines()[3 : 4 + len(QUICK)]
    assert max(map(len, lines)) <= 70
    assert lines[0].split() == ["rank", "procedure", "train", "cv", "error", "status"]
    narrow = as_text(overlapping, width=20).splitlines()[3]
    assert narrow.split() == ["rank", "procedure", "cv", "error"]


def test_ranks_rise_though_a_tie_may_stand_below_one_that_is_clearly_worse(overlapping: Any) -> None:
    """The second errs where the best does and on ten rows more, the third on eleven others."""
    missed = {"first": range(20), "second": range(30), "third": range(20, 51)}
    rows = [Row(name, train_error=0.0, cv_error=len(k) / 60) for name, k in missed.items()]
    rows = [replace(row, missed=np.isin(np.arange(60), list(missed[row.method])).astype(float)) for row in rows]
    found = replace(overlapping, rows=rows)
    assert [place.cells["rank"] for place in ranking(found)] == ["1 (tie)", "2", "3 (tie)"]


class Outline(HTMLParser):
    """The tags and texts of a page; fails where a tag is closed that was not the last to be opened."""

    VOID = {"meta", "img", "br"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_for_a_notebook_names_every_row(overlapping: Any) -> None:
    outline = Outline(overlapping._repr_html_())
    assert set(QUICK) <= set(outline.texts)
    assert [tag for tag, _ in outline.tags].count("tr") == len(QUICK) + 1


NASTY = '<script>alert("1")</script>'


@pytest.mark.ci
@pytest.mark.parametrize("kinds", rest_in_ci([3, 2]))
def test_report_is_one_page_that_needs_nothing_else(kinds: int, tmp_path: Path) -> None:
    X, y = datasets.iris()
    X, y = X[y < kinds], np.array([NASTY, "b&b", "$c$"])[y[y < kinds]]
    names = ["<b>width</b>", '" onload="x', "c", "$d$"]
    found = compare(X, y, {name: METHODS[name] for name in QUICK} | {NASTY: Refuses()}, feature_names=names, n_jobs=1)
    path = found.report(tmp_path / "page.html", features=("<b>width</b>", 3), title=NASTY)
    text = path.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path]
    outline = Outline(text)
    tags = {tag for tag, _ in outline.tags}
    assert "script" not in tags
    assert not tags & {"link", "iframe", "object", "embed", "a", "base"}
    assert not re.search(r"https?:|//[a-z]|url\(|@import", re.sub(r"base64,[^\"]*", "", text))
    for _, attributes in outline.tags:
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("src", "data:image/png;base64,").startswith("data:image/png;base64,")
    assert [tag for tag, _ in outline.tags].count("figure") == 3
    panels = [attributes for tag, attributes in outline.tags if tag == "img"]
    assert len(panels) > 3  # an image for each panel: a row of three is unreadable on a phone
    assert all(attributes["alt"] for attributes in panels)
    assert "prefers-color-scheme: dark" in text
    assert {*QUICK, NASTY} <= set(outline.texts)
    shown = "".join(outline.texts)
    assert "no, thank you" in shown
    assert "RuntimeError" not in shown
    assert found.verdict.evidence() in shown
    proof = next(text for text in outline.texts if text.startswith("{"))
    assert discriminant.Certificate.from_json(proof).verify(X, y)
    assert "script" not in {tag for tag, _ in Outline(found._repr_html_()).tags}


@pytest.mark.parametrize("verdict", rest_in_ci(["overlap", "complete"]))
def test_a_verdict_that_takes_long_is_not_waited_for(verdict: str, tmp_path: Path) -> None:
    X, y = datasets.table(1, 2) if verdict == "complete" else datasets.table(1, 3)
    found = compare(X, y, ["perceptron", "fisher"], n_jobs=1, max_seconds=1e-9)
    assert isinstance(found.undecided, discriminant.UndecidedError)
    assert found["perceptron"].train_error is not None  # the procedures have no limit
    for text in (str(found), found._repr_html_()):
        assert "undecided: within 1e-09 s no verdict was found" in text
    assert "max_seconds=1e-09 must be larger for the verdict; give more seconds" in str(found)
    told = json.loads(json.dumps(found.to_dict()))
    assert (told["verdict"], told["proof"]) == ("undecided", None)
    assert told["undecided"]["seconds"] == 1e-9
    shown = "".join(Outline(found.report(tmp_path / "a.html").read_text(encoding="utf-8")).texts)
    assert "the time for the answer was over" in shown
    assert "So far: nothing is known. To wait for it, run discriminant check DATA" in shown
    assert "max_seconds" not in shown
    assert "(X, y)" not in shown
    with pytest.raises(discriminant.UndecidedError):
        found.verdict.verdict  # noqa: B018  (asks again)
    waited = compare(X, y, ["perceptron"], n_jobs=1, max_seconds=None)
    assert (waited.verdict.verdict, waited.undecided, waited.to_dict()["undecided"]) == (verdict, None, None)
    with pytest.raises(ValueError, match=r"^max_seconds=-1 must be None or a number > 0"):
        compare(X, y, ["perceptron"], max_seconds=-1)


@pytest.mark.parametrize("columns", rest_in_ci([1, 2]))
def test_report_of_few_features_and_nothing_but_failures(columns: int, tmp_path: Path) -> None:
    X, y = datasets.table(1, 3)
    found = compare(X[:, :columns], y, ["perceptron", "least-squares", "mlp"], n_jobs=1)
    outline = Outline(found.report(tmp_path / "a.html").read_text(encoding="utf-8"))
    assert [tag for tag, _ in outline.tags].count("figure") == 3
    failed = compare(X[:, :columns], y, {"bad": Refuses()}, n_jobs=1)
    outline = Outline(failed.report(tmp_path / "a.html").read_text(encoding="utf-8"))
    assert "img" not in {tag for tag, _ in outline.tags}
    assert any("No procedure could be run" in text for text in outline.texts)


def test_report_replaces_as_a_whole_and_keeps_the_old_page_on_failure(tmp_path: Path) -> None:
    found = compare(*datasets.table(1, 2), ["perceptron"], cv=None, n_jobs=1)
    page = tmp_path / "page.html"
    page.write_text("old")
    with pytest.raises(ValueError, match="is none of x0, x1"):
        found.report(page, features=("no such", 0))
    assert page.read_text() == "old"
    with pytest.raises(FileNotFoundError):
        found.report(tmp_path / "no folder" / "page.html")
    found.report(page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [page]

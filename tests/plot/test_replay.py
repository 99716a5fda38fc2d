"""One file that replays a run: everything is inside, nothing is fetched."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from discriminant import Perceptron, datasets, plot
from discriminant.plot import replays
from discriminant.plot.recording import record


def recordings(page: str) -> Any:
    return data(page)["recordings"]


def verdict(page: str) -> Any:
    return data(page)["verdict"]


def data(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="recording">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def test_the_file_holds_the_run_and_all_modules(tmp_path: Path) -> None:
    path = plot.replay(Perceptron(), *datasets.or_function(), tmp_path / "run.html", feature_names=["one", "other"])
    page = path.read_text(encoding="utf-8")
    held = recordings(page)
    assert verdict(page)["verdict"] == "complete"
    assert held[0]["steps"][-1][0] == [-1.0, 2.0, 2.0]
    assert held[0]["head"]["points"]["features"] == ["one", "other"]
    modules = json.loads(re.search(r'<script type="importmap">(.*?)</script>', page, re.S)[1])["imports"]  # type: ignore[index]
    assert set(modules) == {file.name for file in replays.STATIC.glob("*.js")}
    assert sorted(tmp_path.iterdir()) == [path]


def test_nothing_is_fetched() -> None:
    page = replays.page([record(Perceptron(), *datasets.or_function())])
    assert "default-src &#x27;none&#x27;" in page
    assert not re.search(r'(?:src|href)="(?!#|data:)[^"]+"', page)
    assert not re.search(r'(?:from|import) "\./', page)


def test_a_label_cannot_end_the_data() -> None:
    label = "</script><script>alert(1)</script>"
    page = replays.page([record(Perceptron(), [[0.0, 0], [1, 1]], [label, "b"])])
    assert "<script>alert" not in page
    assert recordings(page)[0]["head"]["points"]["classes"] == [label, "b"]


def test_a_verdict_that_takes_too_long_is_left_out() -> None:
    runs = [record(Perceptron(), *datasets.or_function())]
    assert verdict(replays.page_with_verdict(runs, 20.0))["headline"]
    assert verdict(replays.page_with_verdict(runs, 1e-9)) is None


def test_several_runs_share_a_page() -> None:
    runs = [record(Perceptron(margin=b), *datasets.or_function()) for b in (0.0, 1.0)]
    assert len(recordings(replays.page(runs))) == 2


def test_a_page_without_its_marks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("index.html", "style.css"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(replays, "STATIC", tmp_path)
    with pytest.raises(ValueError, match="must hold <link"):
        replays.page([])

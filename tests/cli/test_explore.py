"""``discriminant explore``: what it starts with, how it is told, how it ends."""

from __future__ import annotations

import base64
import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from discriminant.cli import explore as room
from discriminant.explorer import server

from .conftest import Outcome, environment


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the server would be started with."""
    seen: list[Any] = []

    def serve(start: Any, host: str, port: int, opened: Callable[[str], None]) -> None:
        seen.extend([start, host, port])
        opened("http://127.0.0.1:1/?token=t")

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(room.webbrowser, "open", seen.append)
    monkeypatch.setenv("DISPLAY", ":0")
    return seen


def test_nothing_is_named(inside: Callable[..., Outcome], begun: list[Any]) -> None:
    found = inside("explore")
    assert (found.code, found.out) == (0, "The explorer is at http://127.0.0.1:1/?token=t\n")
    assert begun == [None, "127.0.0.1", 0, "http://127.0.0.1:1/?token=t"]
    assert "Press Ctrl-C" in found.err
    assert found.err.endswith("The explorer has ended.\n")


def test_the_browser_stays_closed(
    inside: Callable[..., Outcome], begun: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    inside("explore", "--no-browser")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    inside("explore")
    assert begun == [None, "127.0.0.1", 0] * 2


def test_a_data_set_and_a_procedure(inside: Callable[..., Outcome], begun: list[Any]) -> None:
    assert inside("explore", "iris", "-p", "svm", "--json").json["address"].startswith("http://127.0.0.1:1/")
    state = begun[0]
    assert state["procedure"] == "support-vector-machine"
    assert state["title"] == "iris"
    assert state["points"]["features"] == ["petal length (cm)", "petal width (cm)"]
    assert state["points"]["classes"] == ["setosa", "versicolor", "virginica"]


def test_a_procedure_alone_has_the_points_of_the_books(inside: Callable[..., Outcome], begun: list[Any]) -> None:
    inside("explore", "--procedure", "ho-kashyap")
    assert len(begun[0]["points"]["y"]) == 20


def test_a_file_with_axes(inside: Callable[..., Outcome], begun: list[Any], tables: Path) -> None:
    found = inside("explore", tables / "customers.csv", "-t", "churned", "--axes", "x1,x0")
    assert found.code == 0, found.err
    assert begun[0]["points"]["features"] == ["x1", "x0"]
    assert begun[0]["points"]["x"][0] == [0.2, 0.1]
    assert begun[0]["points"]["classes"] == ["no", "yes"]


def test_the_remedies_for_a_table_with_names_and_gaps_can_be_followed(
    inside: Callable[..., Outcome], begun: list[Any], tmp_path: Path
) -> None:
    rows = {"name": [f"Person {i}" for i in range(60)], "age": [None, *range(59)], "pay": range(60), "y": [0, 1] * 30}
    pl.DataFrame(rows).write_csv(tmp_path / "people.csv")
    line = ["explore", tmp_path / "people.csv", "-t", "y"]
    assert "--drop name" in inside(*line).err
    line += ["--drop", "name"]
    assert "--missing drop" in inside(*line).err
    assert inside(*line, "--missing", "drop").code == 0
    assert len(begun[0]["points"]["y"]) == 59
    assert "--drop name: the link says that already" in inside("explore", link(STATE), "--drop", "name").err


def test_the_remedies_for_a_file_written_elsewhere_can_be_followed(
    inside: Callable[..., Outcome], begun: list[Any], tmp_path: Path
) -> None:
    """Latin letters, decimal commas, -999 for what is missing, no line of names."""
    rows = [f"{i},5;{-999 if i == 3 else i % 7};{'grün' if i % 2 else 'weiß'}" for i in range(30)]
    (tmp_path / "old.csv").write_bytes("\n".join(rows).encode("latin-1"))
    line: list[Any] = ["explore", tmp_path / "old.csv", "-t", "3"]
    assert "--encoding latin-1" in inside(*line).err
    line += ["--encoding", "latin-1"]
    assert "--no-header" in inside(*line).err
    line += ["--no-header"]
    found = inside(*line)
    assert (found.code, "-999 in 1 row, far from all else" in found.err) == (0, True)
    line += ["--na", "-999", "--missing", "drop", "--features", "1,2"]
    assert inside(*line).code == 0
    assert [len(state["points"]["y"]) for state in begun[::4]] == [30, 29]
    assert begun[0]["points"]["classes"] == ["grün", "weiß"]
    assert "--encoding latin-1: the link says that already" in inside("explore", link(STATE), *line[4:6]).err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["digits"], "10 classes in target; at most 6 can be shown"),
        (["nofile.csv"], "there is no file 'nofile.csv'"),
        (["irs"], "Did you mean 'iris'"),
        (["iris", "--axes", "a,b"], "there is no feature 'a'"),
        (["iris", "-p", "perzeptron"], "--procedure 'perzeptron' is no procedure. Did you mean 'perceptron'"),
        (["iris", "-p", "ridge-regressor"], "a regression has no classes to show"),
        (["--port", "99999"], "--port"),
    ],
)
def test_bad_input_is_a_sentence(
    inside: Callable[..., Outcome], begun: list[Any], arguments: list[str], says: str
) -> None:
    found = inside("explore", *arguments)
    assert found.code == 2
    assert says in found.err
    assert not begun


def test_large_tables_are_sampled_and_one_column_is_refused(
    inside: Callable[..., Outcome], begun: list[Any], tmp_path: Path
) -> None:
    rows = {"a": np.arange(5001), "b": np.arange(5001) % 7, "y": np.arange(5001) % 2}
    pl.DataFrame(rows).write_csv(tmp_path / "large.csv")
    told = inside("explore", tmp_path / "large.csv", "--drop", "b", "--features", "a").err
    assert "has one feature, a; the plane needs two" in told
    told = inside("explore", tmp_path / "large.csv").err
    assert "5,001 rows: 5,000 of them are shown, drawn at random" in told
    shown = begun[0]["points"]
    assert len({first for first, _ in shown["x"]}) == len(shown["y"]) == 5000
    assert all(label == first % 2 for (first, _), label in zip(shown["x"], shown["y"], strict=True))
    begun.clear()
    pl.DataFrame(rows).head(20).drop("b").write_csv(tmp_path / "one.csv")
    assert "has one feature, a; the plane needs two" in inside("explore", tmp_path / "one.csv").err
    assert not begun


STATE: dict[str, Any] = {
    "v": 1, "title": "mine", "procedure": "svm", "parameters": {"C": 2}, "seed": 3, "one_feature": False, "step": 1,
    "points": {"x": [[0, 1.5], [2, 3]], "y": [0, 1], "classes": ["a", "b"], "features": ["u", "v"]},
    "race": [{"procedure": "perceptron", "parameters": {}}],
}  # fmt: skip


def link(state: Any) -> str:
    """As the page writes it."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(json.dumps(state).encode()) + packer.flush()
    return "http://127.0.0.1:1/?token=t#s=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def test_a_link_outlives_its_server(inside: Callable[..., Outcome], begun: list[Any]) -> None:
    assert inside("explore", link(STATE)).code == 0
    assert begun[0] == STATE | {"procedure": "support-vector-machine"}
    assert "leave it out" in inside("explore", link(STATE), "-p", "svm").err


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (link(STATE)[:-20], "The link is not whole"),
        ("#s=", "The link is not whole"),
        ("#s=ä", "The link is not whole"),
        (link([]), "holds no state"),
        (link(STATE | {"v": 2}), "holds no state"),
        (link({"v": 1, "points": STATE["points"]}), "lacks title, procedure"),
        (link(STATE | {"title": "x" * 3_000_000}), "more than 2 MB"),
        (link(STATE | {"points": STATE["points"] | {"y": [0, 7]}}), "indices of classes"),
        (link(STATE | {"points": STATE["points"] | {"x": [[0, 1e999], [1, 2]]}}), "pairs of finite numbers"),
        (link(STATE | {"race": [1]}), "race must hold"),
        (link(STATE | {"race": STATE["race"] * 4}), "one to 3 procedures"),
        (link(STATE | {"step": -1}), "step=-1"),
        (link(STATE | {"procedure": "perzeptron"}), "did you mean perceptron"),
    ],
)  # fmt: skip
def test_a_broken_link_is_a_sentence(inside: Callable[..., Outcome], begun: list[Any], wrong: str, says: str) -> None:
    found = inside("explore", wrong)
    assert (found.code, begun) == (2, [])
    assert says in found.err


def test_whoever_opens_it_to_others_is_warned(inside: Callable[..., Outcome], begun: list[Any]) -> None:
    assert "whoever can reach this machine" in inside("explore", "--host", "0.0.0.0").err
    assert begun[1] == "0.0.0.0"


def test_a_port_in_use_is_told(inside: Callable[..., Outcome]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = inside("explore", "--no-browser", "--port", taken.getsockname()[1])
    assert found.code == 2
    assert "is in use by another program; name another one" in found.err
    assert "--host 203.0.113.7" in inside("explore", "--no-browser", "--host", "203.0.113.7").err


def test_help_has_examples(inside: Callable[..., Outcome]) -> None:
    found = inside("explore", "--help")
    assert "discriminant explore flowers.csv -t species -p svm" in found.out


def test_ctrl_c_ends_it_at_once_with_one_line() -> None:
    line = [sys.executable, "-m", "discriminant", "explore", "--no-browser"]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        with urllib.request.urlopen(address[0], timeout=20) as page:
            assert page.status == 200
        workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        assert process.wait(20) == 0
        assert time.monotonic() - begin < 5  # half a second on a machine that has nothing else to do
        assert process.stderr is not None
        assert process.stderr.read() == "Press Ctrl-C to end it.\nThe explorer has ended.\n"
    assert workers
    assert not [pid for pid in workers if Path("/proc", pid).exists()]

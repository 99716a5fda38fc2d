"""The benchmarks at sizes that take no time: every case is there, every audit holds, and a wrong peer is found out."""

import itertools
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
IDS = [
    "P1",
    "P2",
    "P3",
    "P4",
    "P12",
    "P13",
    "P14",
    "P16",
    "P17",
    "P18",
    "P19",
    "P20",
    "P21",
    "R1",
    "R2",
    "R3",
    "S1",
    "S2",
    "U2",
]


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The measuring functions, which are no part of the installed package."""
    monkeypatch.syspath_prepend(str(ROOT))
    return pytest.importorskip("benchmarks._measure")


def bench(*arguments: str, data: Path | None = None) -> str:
    env = os.environ | ({"DISCRIMINANT_DATA": str(data)} if data else {})
    command = [sys.executable, "-m", "benchmarks", "--quick", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.ci
def test_every_case_is_audited_and_measured(tmp_path: Path) -> None:
    written = bench("--one-thread", data=tmp_path)
    _, *sections = re.split(r"^## ", written, flags=re.MULTILINE)
    assert set(IDS) <= {section.split()[0] for section in sections}
    for section in sections:
        lines = [line.strip("| ").split("|") for line in section.splitlines() if line.startswith("| ")][2:]
        if section.startswith("R"):
            assert re.search(r"Left out, \w+ is not here", section)
            continue
        assert lines or "Left out, dask-ml is not installed" in section, section
        for _, peer, threads, ours, theirs, ratio, _, goal, _, audit in (
            [cell.strip() for cell in line] for line in lines
        ):
            figures = [ours] if peer == "–" else [ours, theirs, ratio]
            assert all(math.isfinite(float(re.match(r"[-+\d.e]+", figure)[0])) for figure in figures)
            assert threads in {"1", "–"}
            assert goal[0] in "≤≥"
            assert audit
    assert "FAILED" not in written


@pytest.mark.ci
def test_real_data_are_measured_where_they_are(tmp_path: Path, rng: np.random.Generator) -> None:
    """Files in the form of those that are not ours to hand on."""
    dense, chosen = rng.standard_normal((300, 5)).astype(np.float32), rng.integers(20, size=(300, 1), dtype=np.int32)
    (tmp_path / "covtype").mkdir()
    np.savez(tmp_path / "covtype" / "data.npz", X=dense, y=np.arange(300) % 7)
    (tmp_path / "sms_spam_char").mkdir()
    np.savez(
        tmp_path / "sms_spam_char" / "data.npz",
        data=np.ones(300, np.float32), indices=chosen.ravel(), indptr=np.arange(301, dtype=np.int32), shape=(300, 20),
        y=np.arange(300) % 2,
    )  # fmt: skip
    written = bench("R1", "R2", "--one-thread", data=tmp_path)
    assert "300×5 f64" in written
    assert "300×20, 1 a row" in written
    assert "Left out" not in written


def test_a_peer_that_answers_otherwise_is_refused(measuring: ModuleType) -> None:
    from benchmarks._audit import weights
    from benchmarks._case import AuditError, Contest, Peer, faster

    answer = np.array([1.0, 2.0, -3.0])
    honest = Peer("honest", lambda: answer * (1 + 1e-12), faster(1), weights)
    wrong = Peer("wrong", lambda: answer + np.array([0, 1e-6, 0]), faster(1), weights)
    (result,) = measuring.measure(Contest("three numbers", lambda: answer, [honest]))
    assert math.isfinite(result.ratio)
    with pytest.raises(AuditError, match=r"three numbers against wrong: weights 3e-07 apart"):
        measuring.measure(Contest("three numbers", lambda: answer, [honest, wrong]))


def test_a_failed_audit_fails_the_run(measuring: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import __main__ as program
    from benchmarks._audit import require
    from benchmarks._case import Case, Contest, Peer, faster

    peer = Peer(
        "lazy", lambda: 4, faster(1), lambda ours, theirs: require(ours == theirs, f"{ours} and {theirs} passes")
    )
    case = Case("P0", "a lazy peer", lambda quick: iter([Contest("passes", lambda: 5, [peer])]))
    monkeypatch.setattr(program, "discover", lambda: ["P0"])
    monkeypatch.setattr(program, "CASES", [case])
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--quick"])
    assert program.main() == 1


def test_a_peer_needs_an_audit(measuring: ModuleType) -> None:
    from benchmarks._case import Peer, faster

    with pytest.raises(TypeError, match="has no audit"):
        Peer("unchecked", lambda: None, faster(1))


def test_turns_are_taken_and_medians_compared(measuring: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """One slow run of ours among three does not change the ratio."""
    from benchmarks._case import Contest, Peer, faster, within

    log: list[str] = []
    seconds = {"ours": itertools.cycle([1.0, 1.0, 9.0, 1.0]), "theirs": itertools.cycle([3.0])}

    def timed(run: object, count: int, clock: object) -> float:
        log.append(run())
        return next(seconds[log[-1]])

    monkeypatch.setattr(measuring, "_seconds", timed)
    for goal, ratio in ((faster(2), 3.0), (within(2), 1 / 3)):
        peer = Peer("theirs", lambda: "theirs", goal, lambda ours, theirs: "nothing")
        (result,) = measuring.measure(Contest("a", lambda: "ours", [peer]))
        assert result.ratio == pytest.approx(ratio)
        assert goal.met(result.ratio)
    assert log == ["ours", "theirs"] * 8


def test_a_child_that_takes_too_long_is_given_up_and_says_so(measuring: ModuleType) -> None:
    """What it printed before counts; what it did not reach is told as more than the time it had."""
    from benchmarks._case import Reading
    from benchmarks._child import run
    from benchmarks._table import row
    from benchmarks._tables import Table
    from benchmarks.separation import readings

    printed, failure = run("import time; print('begun', flush=True); time.sleep(60)", seconds=1)
    assert (printed, failure) == ("begun\n", "time")
    printed, failure = run("raise MemoryError('no room')")
    assert failure.endswith("MemoryError: no room")
    table = Table(lambda quick: (np.zeros((2, 1)), np.arange(2)), 2.0)
    found = {"what": "two rows", "size": 1.0, "ended": "not ended", "limit": 600.0}
    (given_up,) = readings("rows", table, found)
    assert (given_up.name, row(given_up)[3], given_up.met) == ("find, two rows", "> 600 s", False)
    known = {"find": 1.0, "cpu": 1.0, "memory": 5.0, "rows": "complete, 2 rows separated"}
    find, verify, memory = readings("rows", table, found | known)
    assert [reading.met for reading in (find, verify, memory)] == [True, False, True]
    assert isinstance(verify, Reading)
    assert row(verify)[3] == "> 600 s"


@pytest.mark.ci
def test_cases_are_chosen_by_module(tmp_path: Path) -> None:
    written = bench("real", "--one-thread", data=tmp_path)
    assert re.findall(r"^## (\w+)", written, flags=re.MULTILINE) == ["R1", "R2"]


@pytest.mark.ci
def test_a_peer_that_is_not_installed_is_left_out_with_a_sentence(
    measuring: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from benchmarks import _vowpal, scale

    monkeypatch.setitem(sys.modules, "dask_ml", None)
    monkeypatch.setattr(_vowpal, "Workspace", None)
    said = [*scale.with_margin(tmp_path, None, ""), *scale.cluster_peers(True)]
    assert [sentence.split(":")[0] for sentence in said] == [
        "Left out, vowpalwabbit is not installed",
        "Left out, dask-ml is not installed",
    ]


def test_vowpal_wabbit_gets_every_row_of_every_file_in_single_precision(measuring: ModuleType, tmp_path: Path) -> None:
    import polars as pl

    from benchmarks._vowpal import write

    for name, rows in {"b": [[1 / 3, 1.0, 1]], "a": [[0.5, -2.25, 0], [1e-9, 3.0, 1]]}.items():
        table = pl.DataFrame(rows, ["x0", "x1", "target"], orient="row")
        table.write_parquet(tmp_path / f"{name}.parquet")
    lines = write(tmp_path, features=2, group=1).read_text().splitlines()
    assert [line.split("|")[0] for line in lines] == ["-1 ", "1 ", "1 "]
    numbers = [[float(number.lstrip(":")) for number in line.split("|")[1].split()] for line in lines]
    assert numbers == [[0.5, -2.25], [pytest.approx(1e-9, rel=1e-7), 3.0], [pytest.approx(1 / 3, rel=1e-7), 1.0]]

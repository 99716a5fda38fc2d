"""What a worker answers: runs of every procedure, verdicts that are proved, data; and one server with real workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from explorer_cases import OR, XOR, message, points

from discriminant import separability
from discriminant.comparison.methods import METHODS
from discriminant.explorer import worker
from discriminant.explorer.pool import CODE

from .conftest import answers, ask, serving

EXTREME = {
    "one point": ([[0.0, 0.0]], [0]),
    "none": ([], []),
    "one class": ([[0.0, 0.0], [1.0, 1.0]], [1, 1]),
    "the same point twice": ([[1.0, 1.0], [1.0, 1.0]], [0, 1]),
    "1e150": ([[1e150, 0.0], [-1e150, 1e150], [0.0, 1.0]], [0, 1, 1]),
    "1e308": ([[1e308, 0.0], [-1e308, 1e308], [0.0, 1.0]], [0, 1, 1]),
    "1e-300": ([[1e-300, 0.0], [-1e-300, 0.0], [0.0, 1e-300]], [0, 1, 1]),
    "on a line": ([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]], [0, 0, 1, 1]),
}


def told(job: str, **facts: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in worker.answers(json.dumps({"job": job, "seconds": 5.0} | facts))]


def run(procedure: str, **facts: Any) -> list[dict[str, Any]]:
    return told("run", **message("run", procedure=procedure, **facts))


@pytest.mark.ci
def test_what_a_page_is_told_first_needs_no_compiler() -> None:
    """It is what everybody waits for, and numba takes half a second to start."""
    source = """
import sys
from discriminant.explorer.worker import welcome
(told,) = welcome({"start": None, "seconds": 1.0})
print(len(told["procedures"]) > 20, "numba" in sys.modules)"""
    found = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "False"]


def verdict(some: dict[str, Any], one_feature: bool = False) -> dict[str, Any]:
    found = told("verdict", **message("verdict", points=some, one_feature=one_feature))[-1]
    assert found["type"] == "verdict", found
    return dict(found["verdict"])


@pytest.mark.parametrize("name", METHODS)
def test_every_procedure_runs(name: str) -> None:
    head, *frames = run(name, parameters={"max_iter": 30} if "max_iter" in METHODS[name]().get_params() else {})
    assert head["type"] == "recording", head
    steps = [step for part in frames for step in part["steps"]]
    assert frames[-1]["last"]
    assert [part["from"] for part in frames] == [500 * k for k in range(len(frames))]
    assert len(steps) == head["head"]["n_steps"] + 1
    assert (head["head"]["kind"] == "linear") == (steps[-1][0] is not None)


@pytest.mark.parametrize("one_feature", [False, True])
@pytest.mark.parametrize("name", EXTREME)
def test_extreme_points_get_an_answer_or_a_sentence(name: str, one_feature: bool) -> None:
    x, y = EXTREME[name]
    some = points({"x": x, "y": y})
    assert verdict(some, one_feature)["headline"]
    for procedure in ("perceptron", "least-squares", "support-vector-machine", "kernel-perceptron-gaussian", "mlp"):
        found = run(procedure, points=some, one_feature=one_feature, parameters={})[-1]
        assert found["type"] == "frames" or (found["message"] and "Unexpected" not in found["message"])


def test_too_few_classes_are_told() -> None:
    assert verdict(points({"x": [], "y": []})) | {"seconds": 0} == {
        "verdict": "none",
        "headline": "A procedure needs points of two classes: there are no points yet. Place points of two classes.",
        "lines": [], "plane": None, "margin": None, "nearest": [], "support": [], "point": None, "pairs": None,
        "seconds": 0,
    }  # fmt: skip
    assert "all points are of class b" in run("perceptron", points=points({"x": [[0, 0]], "y": [1]}))[-1]["message"]


def test_a_separable_verdict_has_the_plane_of_the_largest_margin() -> None:
    found = verdict(points(OR))
    assert found["verdict"] == "complete"
    assert found["margin"] == pytest.approx(np.sqrt(2) / 4)
    assert found["nearest"] == [0, 1, 2]
    w0, *w = found["plane"]
    assert all((w0 + np.dot(w, x) > 0) == (label == 1) for x, label in zip(OR["x"], OR["y"], strict=True))
    assert any(line.startswith("margin") for line in found["lines"])


def test_an_overlap_has_the_rows_and_the_point_of_its_proof() -> None:
    found = verdict(points(XOR))
    assert (found["verdict"], found["point"], found["plane"]) == ("overlap", [0.5, 0.5], None)
    assert [(each["row"], each["class"], each["weight"], each["value"]) for each in found["support"]] == [
        (0, 0, "1/2", 0.5), (1, 1, "1/2", 0.5), (2, 1, "1/2", 0.5), (3, 0, "1/2", 0.5),
    ]  # fmt: skip
    certificate = separability(XOR["x"], XOR["y"]).certificate
    assert certificate.verify(XOR["x"], XOR["y"])


def test_a_quasi_verdict_has_the_rows_on_the_plane() -> None:
    found = verdict(points({"x": [[0, 0], [1, 0], [1, 1], [0, 1], [1, 0]], "y": [0, 0, 1, 1, 1]}))
    assert (found["verdict"], found["nearest"]) == ("quasi", [1, 4])


def test_the_plane_is_positive_for_the_second_class_whatever_the_names_say() -> None:
    for names in (["a", "b"], ["b", "a"]):
        w0, *w = verdict(points(OR) | {"classes": names})["plane"]
        assert w0 + np.dot(w, [1, 1]) > 0


def test_one_feature_alone() -> None:
    some = points({"x": [[0, 9], [1, 9], [2, 9]], "y": [0, 0, 1]})
    assert verdict(some, one_feature=True)["plane"][2] == 0.0
    head, frames = run("perceptron", points=some, one_feature=True)
    assert head["head"]["one_feature"]
    assert len(frames["steps"][-1][0]) == 2


def test_six_classes_of_equal_names() -> None:
    grid = {"x": [[k % 3, k // 3] for k in range(12)], "y": [k % 6 for k in range(12)]}
    for names in (list("abcdef"), ["a"] * 6):
        found = verdict(grid | {"classes": names, "features": ["x1", "x2"]})
        assert len(found["pairs"]) == 15
        mixed = {(pair["a"], pair["b"]) for pair in found["pairs"] if pair["verdict"] == "overlap"}
        assert mixed == {(0, 3), (1, 4), (2, 5)}
        first = next(pair for pair in found["pairs"] if pair["verdict"] == "overlap")
        assert (found["point"], found["support"]) == (first["point"], first["support"])
        assert {each["class"] for each in found["support"]} == {0, 3}
        x = {each["row"]: grid["x"][each["row"]] for each in found["support"]}
        for own in (0, 3):
            parts = [np.multiply(each["value"], x[each["row"]]) for each in found["support"] if each["class"] == own]
            np.testing.assert_allclose(np.sum(parts, axis=0), found["point"])
        for pair in found["pairs"]:
            if pair["verdict"] != "overlap":
                w0, *w = pair["plane"]
                own = {k: w0 + np.dot(grid["x"], w)[np.equal(grid["y"], k)] for k in (pair["a"], pair["b"])}
                assert own[pair["a"]].max() <= 0 <= own[pair["b"]].min()


@pytest.mark.parametrize(
    ("procedure", "parameters", "parameter", "says"),
    [
        ("perceptron", {"margin": -1}, "margin", "margin=-1 must be a number >= 0"),
        ("perceptron", {"margin": "x"}, "margin", "must be a number"),
        ("perceptron", {"batch": 1}, "batch", "must be true or false"),
        ("perceptron", {"schedule": "rls"}, "schedule", "must be one of 0.01"),
        ("perceptron", {"margn": 1}, "margn", "there are batch, margin, schedule"),
        ("perceptron", {"start": 1}, "start", "no control of Perceptron"),
        ("perceptron", {"batch": True, "pocket": True}, "batch", "must not be given together"),
        ("multilayer-perceptron", {"hidden": [10**6]}, "hidden", "must be one of"),
        ("support-vector-machine", {"kernel": "__import__('os')"}, "kernel", "must be one of 'linear'"),
        ("perzeptron", {}, "methods", "did you mean perceptron"),
    ],
)
def test_wrong_parameters_are_told_by_name(procedure: str, parameters: Any, parameter: str, says: str) -> None:
    found = run(procedure, parameters=parameters)
    assert [each["type"] for each in found] == ["error"]
    assert found[0]["parameter"] == parameter
    assert says in found[0]["message"]


def test_kernels_with_numbers() -> None:
    head = run("support-vector-machine", parameters={"kernel": "Gaussian(sigma=0.5)"}, points=points(XOR))[0]["head"]
    assert "kernel=mercer.Gaussian(sigma=0.5)" in head["python"]
    assert head["final"]["errors"] == 0


def test_faults_of_our_own_are_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(job: Any) -> Any:
        raise RuntimeError("oh")

    monkeypatch.setitem(worker.JOBS, "verdict", broken)
    assert "Unexpected RuntimeError: oh. This is a fault of discriminant" in told("verdict")[0]["message"]

    def full(job: Any) -> Any:
        raise MemoryError

    monkeypatch.setitem(worker.JOBS, "verdict", full)
    assert "more memory than it may take" in told("verdict")[0]["message"]


def test_a_worker_ignores_ctrl_c_bounds_its_memory_and_ends_with_its_server() -> None:
    line = [sys.executable, "-c", CODE.format(path=sys.path)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "\n"
        os.kill(process.pid, signal.SIGINT)
        print(json.dumps({"job": "dataset", "id": 1, "name": "xor"}), file=process.stdin, flush=True)
        assert json.loads(process.stdout.readline())["points"]["y"] == XOR["y"]
        limits = Path(f"/proc/{process.pid}/limits").read_text(encoding="ascii")
        assert "unlimited" not in next(line for line in limits.splitlines() if line.startswith("Max address space"))
        long = {"job": "run", **message("run", procedure="mlp", parameters={"max_iter": 10**9, "tol": 0})}
        print(json.dumps(long), file=process.stdin, flush=True)
        process.stdin.close()
        assert process.wait(20) == 0


@pytest.mark.ci
def test_the_real_thing() -> None:
    """Data, a verdict, runs, a refusal, a run that is ended, a table and a page."""
    threads = threading.active_count()
    with serving(seconds=30) as served:
        with served.page() as page:
            data = ask(page, message("dataset", 1, name="iris"))[-1]
            assert data["points"]["classes"] == ["setosa", "versicolor", "virginica"]
            verdict = ask(page, message("verdict", 2, points=data["points"]))[-1]["verdict"]
            assert len(verdict["pairs"]) == 3
            told = [each for each in ask(page, message("run", 3, points=data["points"])) if each["type"] != "progress"]
            assert [each["type"] for each in told[:2]] == ["started", "recording"]
            assert sum(len(each["steps"]) for each in told[2:]) == told[1]["head"]["n_steps"] + 1
            wrong = ask(page, message("run", 4, parameters={"margin": -1}))[-1]
            assert (wrong["parameter"], wrong["message"][:31]) == ("margin", "margin=-1 must be a number >= 0")
            page.send(json.dumps(message("run", 5, procedure="multilayer-perceptron", parameters={"max_iter": 10**9})))
            page.send(json.dumps(message("cancel", 6)))
            assert answers(page)[-1]["type"] == "cancelled"
            html = ask(page, message("page", 7))[-1]["html"]
            assert html.startswith("<!doctype html>")
            assert f'"headline":{json.dumps(verdict["headline"])}' in html
        table = served.http.post(served.url("/table"), content=b"a,b,c\n1,2,x\n3,4,y\n").json()
        assert [column["kind"] for column in table["columns"]] == ["number", "number", "text"]
        broken = served.http.post(served.url("/table"), content=b"", headers={"X-Filename": "my%20file.csv"})
        assert broken.status_code == 400
        assert "my file.csv" in broken.json()["error"]
    assert threading.active_count() == threads

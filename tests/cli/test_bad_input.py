"""Bad input of every kind: exit code 2, one message that says what to do, nothing on stdout, no traceback."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from .conftest import Outcome, command, installed

# The command line after `discriminant`, and words of the message; files are those of the folder `bad`. The first
# are run by the installed command; the second in this process, because they would import much or differ little.
PROCESSES = {
    "no file": ("check nofile.csv", "no file 'nofile.csv'"),
    "nearly a file": ("check goood.csv", "Did you mean 'good.csv'"),
    "nearly a data set": ("check irs", "Did you mean 'iris' or 'lizards'?"),
    "a folder": ("check folder.csv", "folder"),
    "no known ending": ("check notes.txt", "does not tell the format"),
    "no known format": ("check notes.txt --format xls", "format"),
    "an empty file": ("check empty.csv", "empty.csv' is empty; give a table with a header and data"),
    "a header without rows": ("check header.csv", "no rows"),
    "more fields than columns": ("check ragged.csv -t target", "row 2 has 4 fields"),
    "bytes that are no parquet": ("check garbage.parquet", "garbage.parquet"),
    "bytes that are no arrow": ("check garbage.arrow", "garbage.arrow"),
    "text that is no JSON": ("check broken.jsonl", "broken.jsonl"),
    "an array of three dimensions": ("check cube.npy", "shape (2, 2, 2)"),
    "an array of pickled objects": ("check objects.npy", "objects.npy"),
    "arrays of different lengths": ("check uneven.npz", "different lengths"),
    "no target": ("check good.csv", "name the column of the labels, such as --target label: there are"),
    "a target that is not there": ("check good.csv -t lable", "did you mean 'label'?"),
    "a feature that is not there": ("check good.csv -t label --features a,bb", "there is no column 'bb'"),
    "a missing value": ("check gaps.csv -t label", "column 'b' lacks a value in row 2"),
    "a missing label": ("check unlabeled.csv -t label --missing median", "column 'label' lacks a value in row 2"),
    "all rows with missing values": ("check hollow.csv -t label --missing drop", "nothing is left"),
    "a date": ("check dates.csv -t label", "'day'"),
    "an infinite number": ("check infinite.csv -t label", "column 'a' is infinite in row 2"),
    "negative weights": ("fit weights.csv -t label --weights w", "holds -1"),
    "an unknown procedure": ("fit good.csv -t label -m svn", "Did you mean 'svm'?"),
    "an unknown procedure to compare": ("compare good.csv -t label --methods perceptron,fishr", "fisher"),
    "an unknown option": ("check good.csv --targt label", "--targt"),
    "an unknown command": ("chek good.csv", "'chek'"),
    "no model": ("predict nomodel.json good.csv", "no file 'nomodel.json'"),
    "no proof": ("verify noproof.json good.csv", "no file 'noproof.json'"),
    "a table for a proof": ("verify good.csv good.csv -t label", "is not JSON"),
    "another JSON file for a proof": ("verify other.json good.csv -t label", "holds no proof"),
    "bytes for a proof": ("verify garbage.parquet good.csv -t label", "is not"),
    "a folder that is not there": ("check good.csv -t label -o nowhere/proof.json", "no folder 'nowhere'"),
    "a folder to write to": ("fit good.csv -t label -o folder.csv", "is a folder"),
    "a picture of no known kind": ("plot good.csv -t label -o picture.xyz", ".svg"),
    "an unknown data set": ("datasets irys", "iris"),
    "a name that stands twice": ("check twice.csv -t label", "two columns are called 'a'"),
    "a number longer than a float": ("check long.csv -t label", "9007199254740993 in row 2"),
    "a report to stdout": ("compare good.csv -t label --html -", "report.html"),
}  # fmt: skip

INSIDE = {
    "a data set with numbers it does not take": ("check xor-3", "takes no numbers"),
    "a data set without its names": ("check xor --no-header", "are for CSV files, and xor is a data set"),
    "categories that are not there": ("check table-1-9", "categories"),
    "a column to drop that is not there": ("check good.csv -t label --drop A1", "there is no column 'A1'"),
    "weights that are not there": ("fit good.csv -t label --weights w", "there is no column 'w'"),
    "the target among the features": ("check good.csv -t label --features a,label", "'label'"),
    "no features left": ("check good.csv -t label --drop a,b", "no columns are left"),
    "no procedure to compare": ("compare good.csv -t label --methods ,", "methods"),
    "an axis of a report": ("compare good.csv -t label --html report.html --axes a,c", "no feature 'c'"),
    "folds below zero": ("compare good.csv -t label --cv -1", "--cv"),
    "no argument": ("check", "DATA"),
    "an argument too many": ("check good.csv bad.csv", "bad.csv"),
    "an unknown choice": ("check good.csv -t label --missing maybe", "maybe"),
    "a folder for a model": ("explain folder.csv", "folder"),
    "both from one stream": ("predict - -", "only one"),
    "regions of a regression": ("plot good.csv -t label -m ridge-regressor -o picture.svg", "--kind history"),
    "a picture without a name": ("plot good.csv -t label", "--output"),
    "an export that is no ONNX": ("export nomodel.json model.pb", ".onnx"),
    "a model to stdout beside JSON": ("fit good.csv -t label -o - --json", "stdout"),
    "an unknown parameter": ("fit good.csv -t label -m svm --set K=3", "no parameter 'K'"),
    "a parameter without a value": ("fit good.csv -t label --set max_iter", "NAME=VALUE"),
    "a parameter out of range": ("fit good.csv -t label -m svm --set C=-1", "C"),
    "a parameter of the wrong kind": ("fit good.csv -t label --set max_iter=many", "max_iter"),
    "one class": ("check single.csv -t label", "one class"),
    "one class to fit": ("fit single.csv -t label", "class"),
    "weights in vain": ("fit weighted.csv -t label --weights w -m piecewise-linear-machine", "takes no weights"),
    "an axis that is not there": ("plot good.csv -t label -o picture.svg --axes a,c", "no feature 'c'"),
    "a regression on words": ("fit good.csv -t label -m ridge-regressor", "predicts numbers"),
    "one axis": ("plot good.csv -t label -o picture.svg --axes a", "two different features"),
    "text that is no LIBSVM": ("check broken.libsvm", "broken.libsvm"),
    "a table for a model": ("predict good.csv good.csv", "is not a model file"),
    "another JSON file for a model": ("explain other.json", "is not a model file"),
    "half a model": ("explain half.json", "is not a model file"),
    "a changed model": ("explain changed.json", "checksum"),
    "a table without the features": ("predict model.json header2.csv", "there is no column"),
    "a level that was not there": ("predict model.json levels.csv", "--unseen ignore"),
    "a missing value at predict": ("predict model.json holes.csv", "column 'a' lacks a value in row 1"),
    "medians that were never learned": ("predict model.json holes.csv --missing median", "learned no medians"),
    "a column that is there already": ("predict model.json taken.csv", "--column"),
    "predictions in no known format": ("predict model.json good2.csv -o scored.xls", "scored.xls"),
    "an unknown option beside JSON": ("check good.csv --targt label --json", "--targt"),
    "rows that all lack a value": ("predict model.json hollow2.csv --missing drop", "every row"),
    "scores of what has none": ("predict line.json good2.csv --scores", "no discriminants"),
}  # fmt: skip


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables that cannot be used, and of a few that can."""
    folder = tmp_path_factory.mktemp("bad")
    texts = {
        "good.csv": "a,b,label\n1,2,x\n3,1,y\n2,5,x\n4,0,y\n",
        "good2.csv": "a,color,label\n1,red,0\n3,blue,1\n",
        "notes.txt": "some words\n",
        "empty.csv": "",
        "header.csv": "a,b,target\n",
        "header2.csv": "a,b\n1,2\n",
        "ragged.csv": "a,target\n1,2\n1,2,3,4\n",
        "broken.jsonl": '{"a": 1, "target": 0}\n{"a": \n',
        "broken.libsvm": "1 1:0.5\n0 one:two\n",
        "gaps.csv": "a,b,label\n1,2,x\n3,,y\n",
        "unlabeled.csv": "a,label\n1,x\n2,\n3,y\n",
        "hollow.csv": "a,b,label\n,1,x\n2,,y\n",
        "dates.csv": "day,label\n2024-01-31,x\n2024-02-01,y\n",
        "infinite.csv": "a,label\n1,x\ninf,y\n",
        "weights.csv": "a,w,label\n1,1,x\n2,-1,y\n",
        "weighted.csv": "a,w,label\n1,1,x\n2,2,y\n",
        "single.csv": "a,label\n1,x\n2,x\n",
        "other.json": '{"format": "something else"}\n',
        "twice.csv": "a,a,label\n1,2,x\n3,1,y\n",
        "long.csv": "a,label\n9007199254740992,x\n9007199254740993,y\n",
        "levels.csv": "a,color\n1,green\n",
        "holes.csv": "a,color\n,red\n2,blue\n",
        "hollow2.csv": "a,color\n,red\n2,\n",
        "taken.csv": "a,color,prediction\n1,red,0\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "folder.csv").mkdir()
    (folder / "garbage.parquet").write_bytes(bytes(range(256)) * 8)
    (folder / "garbage.arrow").write_bytes(bytes(range(256)) * 8)
    np.save(folder / "cube.npy", np.zeros((2, 2, 2)))
    np.save(folder / "objects.npy", np.array([{"a": 1}, print], dtype=object), allow_pickle=True)
    np.savez(folder / "uneven.npz", X=np.zeros((3, 2)), target=np.zeros(4))
    return folder


@pytest.fixture(scope="module")
def models(bad: Path) -> Path:
    """The same folder with a model, and with what is left of one."""
    from discriminant.cli.app import run

    assert run(["fit", str(bad / "good2.csv"), "-t", "label", "-o", str(bad / "model.json"), "-q"]) == 0
    line = ["fit", str(bad / "good2.csv"), "-t", "label", "-m", "least-squares-regressor", "-q"]
    assert run([*line, "-o", str(bad / "line.json")]) == 0
    text = (bad / "model.json").read_text()
    (bad / "half.json").write_text(text[: len(text) // 2])
    (bad / "changed.json").write_text(text.replace("red", "rad"))
    return bad


def is_refused(found: Outcome, words: str, json: bool = False) -> None:
    assert found.code == 2
    if json:
        told = {"format": "discriminant error", "version": 1, "error": found.err.removeprefix("Error: ").rstrip()}
        assert found.json == told
    else:
        assert found.out == ""
    assert found.err.startswith("Error: ")
    assert words in found.err
    assert found.err.count("\n") == 1
    assert found.err.endswith("\n")
    assert len(found.err) < 900
    assert "Traceback" not in found.err


@pytest.mark.parametrize("name", PROCESSES)
def test_message(bad: Path, name: str) -> None:
    line, words = PROCESSES[name]
    is_refused(command(*line.split(), cwd=bad), words)


@pytest.mark.parametrize("name", INSIDE)
def test_message_inside(
    inside: Callable[..., Outcome], models: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(models)
    line, words = INSIDE[name]
    is_refused(inside(*line.split()), words, json="--json" in line)


@pytest.mark.parametrize(
    ("stdin", "words"),
    [
        ("", "standard input"),
        ("a,target\n", "no rows"),
        (b"\x00\xff\xfe" * 50, "standard input"),
        ("a,b\n1,2\n", "no target"),
    ],
    ids=["nothing", "header", "bytes", "no target"],
)
def test_standard_input(stdin: str | bytes, words: str) -> None:
    is_refused(command("check", "-", stdin=stdin), words)


def test_long_names_are_cut(tmp_path: Path) -> None:
    names = ",".join(f"a_rather_long_name_of_a_column_{j}" for j in range(500))
    (tmp_path / "wide.csv").write_text(f"{names}\n{','.join('1' * 500)}\n")
    is_refused(command("check", "wide.csv", "-t", "zzz" * 200, cwd=tmp_path), "zzz")


@pytest.mark.parametrize("flags", [["--quiet"], ["-qt", "label"]])
def test_quiet_leaves_stderr_empty(bad: Path, flags: list[str]) -> None:
    found = command("check", "nofile.csv", *flags, cwd=bad)
    assert (found.code, found.out, found.err) == (2, "", "")


@pytest.mark.parametrize("line", ["check nofile.csv --quiet --json", "check --nofile --quiet --json"])
def test_json_tells_what_quiet_does_not(bad: Path, line: str) -> None:
    found = command(*line.split(), cwd=bad)
    assert (found.code, found.err) == (2, "")
    assert found.json["format"] == "discriminant error"
    assert "nofile" in found.json["error"]


def test_traceback_on_request() -> None:
    found = installed("check", "nofile.csv", DISCRIMINANT_TRACEBACK="1")
    assert "Traceback" in found.err
    assert "CommandError" in found.err


def test_nothing_is_left_behind(bad: Path) -> None:
    """An error before the end writes no file, and no part of one."""
    before = sorted(bad.iterdir())
    assert command("check", "gaps.csv", "-t", "label", "-o", "proof.json", cwd=bad).code == 2
    assert sorted(bad.iterdir()) == before


def test_a_proof_without_end_is_not_read_to_its_end(
    inside: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discriminant.io._json.LARGEST", 1000)
    proof = tmp_path / "proof.json"
    proof.write_text("[" * 2000)
    is_refused(inside("verify", proof, "iris"), "more than 1,000 characters")


def test_very_many_features_without_names_are_not_listed(
    inside: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    from discriminant import Perceptron, io

    io.save(Perceptron().fit(np.eye(2, 50), [0, 1]), tmp_path / "wide.json")
    assert inside("explain", tmp_path / "wide.json").code == 0
    monkeypatch.setattr("discriminant.cli.explain.MOST", 49)
    is_refused(inside("explain", tmp_path / "wide.json"), "50 features without names")

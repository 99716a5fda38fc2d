"""The command as a whole: help, version, pipes, terminals, listings, comparisons, pictures."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import discriminant
from discriminant.cli._methods import kebab
from discriminant.comparison import METHODS

from .conftest import COMMAND, Outcome, command, environment, shell

COMMANDS = ["check", "verify", "fit", "predict", "explain", "compare", "plot", "export", "datasets", "methods"]


def test_version() -> None:
    found = command("--version")
    assert (found.code, found.out, found.err) == (0, f"discriminant {discriminant.__version__}\n", "")


def test_python_minus_m() -> None:
    done = subprocess.run([sys.executable, "-m", "discriminant", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"discriminant {discriminant.__version__}\n")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["fit", "--help"]], ids=" ".join)
def test_help_and_version_are_light(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom discriminant.cli.app import run\n"
        f"assert run({arguments!r}) == 0\n"
        "heavy = {'sklearn', 'numba', 'scipy', 'polars', 'matplotlib', 'pyarrow', 'onnx'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr


def test_help_lists_every_command() -> None:
    found = command("--help")
    assert found.code == 0
    assert all(f" {name} " in found.out for name in COMMANDS)
    assert "Exit codes" in found.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_json_and_quiet(inside: Callable[..., Outcome], name: str) -> None:
    found = inside(name, "--help")
    assert found.code == 0
    assert "--json" in found.out
    assert "--quiet" in found.out


def test_no_arguments_print_the_help() -> None:
    assert "Usage" in command().out


def test_completion(tmp_path: Path) -> None:
    """The command asks which shell called it."""
    found = shell("discriminant --show-completion && true", tmp_path)
    assert found.code == 0
    assert "complete" in found.out


def test_completion_of_methods() -> None:
    found = command(
        _DISCRIMINANT_COMPLETE="complete_bash", COMP_WORDS="discriminant fit iris --method sv", COMP_CWORD="4"
    )
    assert found.out.split() == ["svm"]


def test_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    """The reader goes away before the writer begins."""
    line = "for words in --help 'datasets xor' methods; do discriminant $words | true; done"
    found = shell(line, tmp_path)
    assert (found.code, found.out, found.err) == (0, "", "")


def test_head_takes_the_first_lines(tmp_path: Path) -> None:
    found = shell("discriminant datasets breast-cancer | head -2", tmp_path)
    assert (found.code, found.err, found.out.count("\n")) == (0, "", 2)


def test_datasets(inside: Callable[..., Outcome]) -> None:
    found = inside("datasets", "--json").json
    names = [entry["name"] for entry in found["datasets"]]
    assert [name.replace("-", "_") for name in names] == list(discriminant.datasets.names())
    iris = next(entry for entry in found["datasets"] if entry["name"] == "iris")
    assert (iris["rows"], iris["columns"], iris["classes"]) == (150, 4, 3)
    assert all(name in inside("datasets").out for name in names)
    table = inside("datasets", "svm-three")
    assert table.out == "x1,x2,target\n2.0,1.0,0\n1.0,3.0,0\n6.0,3.0,1\n"
    assert inside("datasets", "svm-three", "--json").json["data"] == [[2.0, 1.0, 0], [1.0, 3.0, 0], [6.0, 3.0, 1]]


def test_datasets_are_the_same_each_time(inside: Callable[..., Outcome]) -> None:
    assert inside("datasets", "overlap").out == inside("datasets", "overlap").out


def test_methods_are_the_classes_in_kebab_case(inside: Callable[..., Outcome]) -> None:
    found = inside("methods", "--json").json["methods"]
    names = {entry["name"] for entry in found}
    kinds = {
        name
        for name in discriminant.__all__
        if name[0].isupper() and all(hasattr(getattr(discriminant, name), part) for part in ("fit", "predict"))
    }
    assert {kebab(kind) for kind in kinds} <= names
    assert set(METHODS) <= names
    short = {entry["short"]: entry["class"] for entry in found if entry["short"]}
    assert {"svm", "logistic", "mlp", "fisher"} <= set(short)
    assert short["svm"] == "SupportVectorMachine"


def test_comparison(tables: Path) -> None:
    methods = "perceptron,svm,fisher"
    found = command("compare", "table.csv", "--methods", methods, "--cv", "2", "--jobs", "1", "--json", cwd=tables)
    assert (found.code, found.err) == (0, "")
    rows = found.json["rows"]
    assert [row["method"] for row in rows] == ["perceptron", "support-vector-machine", "fisher-discriminant"]
    assert found.json["verdict"] == "complete"


def test_report_is_one_page(inside: Callable[..., Outcome], tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    line = [
        "compare",
        tables / "table.csv",
        "--methods",
        "perceptron,svm",
        "--cv",
        "2",
        "--jobs",
        "1",
        "--axes",
        "x1,x0",
    ]
    found = inside(*line, "--html", path)
    assert found.code == 0
    assert str(path) in found.err
    assert "support-vector-machine" in found.out
    page = path.read_text()
    assert "<html" in page
    assert "x1" in page


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures(inside: Callable[..., Outcome], tmp_path: Path, ending: str, start: bytes) -> None:
    path = tmp_path / f"boundary.{ending}"
    found = inside("plot", "table-1-2", "-m", "svm", "-o", path, "--json")
    assert found.code == 0
    assert found.json["axes"] == ["x1", "x2"]
    assert path.read_bytes().startswith(start)
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", ["convergence", "margins"])
def test_other_pictures(inside: Callable[..., Outcome], tmp_path: Path, kind: str) -> None:
    found = inside("plot", "table-1-2", "--kind", kind, "-o", tmp_path / "picture.svg", "--quiet")
    assert (found.code, found.out, found.err) == (0, "", "")


def on_terminal(*arguments: str, **env: str) -> bytes:
    """Everything that the command writes to a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(COMMAND, [COMMAND, *arguments], environment(TERM="xterm", **env))
    written = b""
    try:
        while part := os.read(terminal, 4096):
            written += part
    except OSError:  # the other side has closed it
        pass
    os.close(terminal)
    os.waitpid(pid, 0)
    return written


def test_colors_only_on_a_terminal_that_wants_them() -> None:
    assert b"\x1b[31mError:\x1b[0m" in on_terminal("check", "nofile.csv")
    assert b"\x1b" not in on_terminal("check", "nofile.csv", NO_COLOR="1")
    assert "\x1b" not in command("check", "nofile.csv", TERM="xterm").err


def test_bar_on_a_terminal(tmp_path: Path) -> None:
    X, y = discriminant.datasets.overlap(50_000, 10, random_state=0)
    import polars as pl

    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(10)}).with_columns(target=pl.Series(y))
    frame.write_parquet(tmp_path / "overlap.parquet")
    shown = on_terminal("fit", str(tmp_path / "overlap.parquet"), "--set", "max_iter=6000")
    assert b"fitting Perceptron" in shown
    assert b"%" in shown
    assert b"0:00:0" in shown  # the time left


def test_closed_stdout_is_no_error(tmp_path: Path) -> None:
    assert shell("discriminant check or-function >&-", tmp_path).err == ""
    assert shell("discriminant check xor >&- 2>&-", tmp_path).code == 4


def test_names_with_commas(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"x, cm",y,label\n1,1,no\n2,1,yes\n')
    found = inside("fit", tmp_path / "a.csv", "-t", "label", "--features", '"x, cm",y', "--json")
    assert found.json["features"] == ["x, cm", "y"]


def test_a_data_set_to_stdout_and_to_a_file(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    found = inside("datasets", "xor", "--json", "-o", tmp_path / "xor.csv")
    assert found.json["rows"] == len((tmp_path / "xor.csv").read_text().splitlines()) - 1 == 4
    assert inside("datasets", "xor", "-o", tmp_path / "none" / "xor.csv").code == 2


def test_a_folder_that_cannot_be_written_to_is_told_before_the_work(
    inside: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    found = inside("fit", "no-such-data", "-o", tmp_path / "model.json")
    assert (found.code, "nothing can be written into the folder" in found.err) == (2, True)


def test_missing_extra_is_one_sentence() -> None:
    code = "import sys\nsys.modules['typer'] = None\nfrom discriminant.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: the command line needs typer and rich: pip install 'discriminant[cli]'.\n"


def test_json_is_strict(inside: Callable[..., Outcome]) -> None:
    """Infinity and NaN, which JSON does not know, never reach stdout."""

    def refuse(name: str) -> None:
        raise AssertionError(name)

    for line in (["fit", "xor", "-m", "svm", "--set", "C=1e3"], ["methods"], ["datasets"]):
        json.loads(inside(*line, "--json").out, parse_constant=refuse)


@pytest.mark.parametrize(
    ("module", "line", "extra"),
    [("polars", ["check", "or-function"], "io"), ("matplotlib", ["plot", "xor", "-o", "a.svg"], "plot")],
)
def test_missing_package_is_one_sentence(module: str, line: list[str], extra: str) -> None:
    code = f"import sys\nsys.modules[{module!r}] = None\nfrom discriminant.cli.app import run\nsys.exit(run({line!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: {module} is missing, which this needs: pip install 'discriminant[{extra}]'.\n"


def test_check_tells_the_time_left(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from discriminant import _progress

    clock = iter([0.0, 10.0, 10.0, 20.0, 30.0])
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(clock))
    with _progress.Progress("separability", shown=True) as meter:
        meter.say("reading")  # at 10 s
        meter.share(0.25)  # at 20 s: 10 s for a quarter
        assert capsys.readouterr().err.endswith("reading, 30 s left")
        meter.share(0.1)  # another pass begins at 30 s
        assert capsys.readouterr().err.rstrip().endswith("reading")

"""The command as a whole: help, version, pipes, terminals, listings, comparisons, pictures."""

import json
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

import discriminant

from .conftest import Outcome, command, environment, installed, on_terminal, shell

COMMANDS = [
    "check", "verify", "fit", "predict", "score", "explain", "compare", "plot", "explore", "export", "datasets",
    "methods", "warm-up",
]  # fmt: skip


def test_version() -> None:
    found = installed("--version")
    assert (found.code, found.out, found.err) == (0, f"discriminant {discriminant.__version__}\n", "")


def test_python_minus_m() -> None:
    done = subprocess.run([sys.executable, "-m", "discriminant", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"discriminant {discriminant.__version__}\n")


def test_help_and_version_are_light() -> None:
    code = (
        "import sys\nfrom discriminant.cli.app import run\n"
        "assert all(run(words.split()) == 0 for words in ('--version', '--help', 'fit --help'))\n"
        "heavy = {'sklearn', 'numba', 'scipy', 'polars', 'pandas', 'matplotlib', 'pyarrow', 'onnx'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
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


def test_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    """The reader goes away before the writer begins."""
    line = "for words in --help 'datasets xor' methods; do discriminant $words | true; done"
    found = shell(line, tmp_path)
    assert (found.code, found.out, found.err) == (0, "", "")


def test_head_takes_the_first_lines(tmp_path: Path) -> None:
    found = shell("discriminant datasets breast-cancer | head -2", tmp_path)
    assert (found.code, found.err, found.out.count("\n")) == (0, "", 2)


def test_colors_only_on_a_terminal_that_wants_them() -> None:
    assert b"\x1b[31mError:\x1b[0m" in on_terminal("datasets", "nothing")
    assert b"\x1b" not in on_terminal("datasets", "nothing", NO_COLOR="1")
    assert "\x1b" not in installed("datasets", "nothing", TERM="xterm").err


@pytest.mark.ci
def test_bar_on_a_terminal(tmp_path: Path) -> None:
    X, y = discriminant.datasets.overlap(50_000, 10, random_state=0)
    import polars as pl

    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(10)}).with_columns(target=pl.Series(y))
    frame.write_parquet(tmp_path / "overlap.parquet")
    shown = on_terminal("fit", str(tmp_path / "overlap.parquet"), "-m", "perceptron", "--set", "max_iter=6000")
    assert b"fitting Perceptron" in shown
    assert b"%" in shown
    assert b"0:00:0" in shown  # the time left


def test_closed_stdout_is_no_error(tmp_path: Path) -> None:
    assert shell("discriminant datasets or-function >&-", tmp_path).err == ""
    assert shell("discriminant check xor >&- 2>&-", tmp_path).code == 4


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
    [
        ("polars", ["check", "or-function", "--missing", "drop"], "io"),
        ("matplotlib", ["plot", "xor", "-o", "a.svg"], "plot"),
    ],
)
def test_missing_package_is_one_sentence(module: str, line: list[str], extra: str) -> None:
    code = f"import sys\nsys.modules[{module!r}] = None\nfrom discriminant.cli.app import run\nsys.exit(run({line!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: {module} is missing, which this needs: pip install 'discriminant[{extra}]'.\n"


def test_check_tells_the_time_left(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from discriminant._engine import progress as _progress

    clock = iter([0.0, 10.0, 20.0, 30.0])
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(clock))
    with _progress.TerminalBar("separability", shown=True) as meter:
        meter("reading", 0.0)  # at 10 s
        meter("", 0.25)  # at 20 s: 10 s for a quarter
        assert capsys.readouterr().err.endswith("reading, 30 s left")
        meter("", 0.1)  # another pass begins at 30 s
        assert capsys.readouterr().err.rstrip().endswith("reading")


@pytest.mark.parametrize(
    "line",
    [
        "fit {data} -o {other}",
        "fit - -o {other}",
        "check {data} -o {other}",
        "plot {data} --format csv -o {other}",
        "compare {data} --html {other}",
        "predict {model} {data} -o {other}",
        "predict {data} {model} -o {other}",
        "export {data} {other}",
    ],
)
@pytest.mark.parametrize("link", ["path", "symbolic", "hard"])
def test_no_command_overwrites_what_it_reads(
    inside: Callable[..., Outcome], tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, link: str
) -> None:
    data, other = tmp_path / "data.onnx", tmp_path / "other.onnx"
    data.write_bytes((tables / "table.csv").read_bytes())
    if link == "path":
        (tmp_path / "folder").mkdir()
        other = tmp_path / "folder" / ".." / "data.onnx"
    else:
        (other.symlink_to if link == "symbolic" else other.hardlink_to)(data)
    words = line.format(data=data, other=other, model=tables / "table.json").split()
    with data.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        found = inside(*words)
    assert (found.code, "would overwrite" in found.err) == (2, True)
    assert data.read_bytes() == (tables / "table.csv").read_bytes()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "datasets xor --json > /dev/full",
            "Error: standard output cannot be written: No space left on device; write elsewhere.\n",
        ),
        (
            "datasets xor > /dev/full",
            "Error: standard output cannot be written: No space left on device; write elsewhere.\n",
        ),
        ("check nofile.csv --json > /dev/full", "Error: there is no file 'nofile.csv'. Give the path of a table.\n"),
        ("--help > /dev/full", "Error: No space left on device; make room.\n"),
        ("--nothing > /dev/full 2> /dev/full", ""),
    ],
)
def test_a_full_disk_is_one_sentence(tmp_path: Path, line: str, said: str) -> None:
    found = shell(f"discriminant {line}", tmp_path)
    assert (found.code, found.err) == (2, said)


def test_a_table_that_cannot_be_written_is_told_so(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        found = {ending: inside("datasets", "iris", "-o", tmp_path / f"iris.{ending}") for ending in ("csv", "npz")}
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    for ending, outcome in found.items():
        assert (outcome.code, f"iris.{ending}' cannot be written: File too large" in outcome.err) == (2, True)
    assert not list(tmp_path.iterdir())


# A color, a title of the window, a control of one byte, an override of the direction, a carriage return, a line.
EVIL = "a\x1b[31mb\x1b]0;c\x07d\x9be\u202ef\rg\nh"
HARMLESS = r"a\u001b[31mb\u001b]0;c\u0007d\u009be\u202ef\u000dg\nh"


def test_nothing_of_a_file_steers_the_terminal(
    inside: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = polars.DataFrame({EVIL: [1.0, 2.0, 3.0], "level": ["u", EVIL, "u"], "target": [EVIL, "y", "y"]})
    frame.write_parquet("data.parquet")
    shown = [
        inside("fit", "data.parquet", "-m", "perceptron", "-o", "model.json"),
        inside("explain", "model.json"),
        inside("score", "model.json", "data.parquet"),
        inside("check", "data.parquet"),
        inside("compare", "data.parquet", "--methods", "fisher", "--cv", "0", "--jobs", "1"),
        inside("fit", "data.parquet", "--features", "no"),
        inside("fit", EVIL),
        inside("fit", "data.parquet", "-m", EVIL),
        inside("fit", "data.parquet", "--set", EVIL),
        inside("predict", "model.json", "data.parquet", "--column", EVIL, "--json"),
    ]
    for found in shown:
        assert not re.search(r"[^\n -~\u2026\u2013]", found.out + found.err)
    assert HARMLESS in shown[1].out
    assert shown[-1].json["predictions"][0] == EVIL  # what JSON means is what the file says
    assert EVIL in inside("predict", "model.json", "data.parquet").out  # data for a pipe or a file stay as they are
    written = on_terminal("predict", "model.json", "data.parquet")
    assert written.count(b"\\u001b[31m") == 4
    assert b"\x1b" not in written


def test_a_name_is_no_markup_of_the_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from discriminant.cli import _output

    monkeypatch.setattr(_output, "watched", lambda: True)
    monkeypatch.setattr(_output, "DELAY", 0.0)
    with _output.progress("reading [/red].csv") as update:
        time.sleep(0.1)
        update(1, 2)


def test_an_interrupt_that_a_callback_swallows_is_heard(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python can only print what a finalizer raises; so it is with the callbacks of the compiler."""
    from discriminant.cli import app

    class Deaf:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    def waits(*_: object, **__: object) -> None:
        Deaf()
        for _ in range(2000):
            time.sleep(0.01)

    def fails(*_: object, **__: object) -> None:
        Deaf()
        raise RuntimeError("no compiled object yet")

    for command_ in (waits, fails):
        monkeypatch.setattr(app, "app", command_)
        start = time.monotonic()
        try:
            assert app.run([]) == 130
            time.sleep(0.1)  # the one that is raised again comes here at the latest
        except KeyboardInterrupt:
            assert command_ is fails
        assert time.monotonic() - start < 2
        assert capsys.readouterr().err == "Interrupted.\n"


def test_an_interrupt_while_compiling_ends_the_fit_at_once() -> None:
    """Otherwise the fit goes on to its next pass, and keeps what it has learned."""
    from numba.core.compiler_lock import global_compiler_lock

    from discriminant._engine.driver import watching
    from discriminant.cli._learning import _ended_while_compiling

    with watching() as watch, _ended_while_compiling():
        with pytest.raises(KeyboardInterrupt), global_compiler_lock:
            signal.raise_signal(signal.SIGINT)
        assert not watch.interrupted
        signal.raise_signal(signal.SIGINT)
        assert watch.interrupted


@pytest.mark.parametrize(("package", "presses"), [("typer", 1), ("typer", 2), ("matplotlib.figure", 2)])
def test_interrupt_of_a_command_that_imports(tmp_path: Path, package: str, presses: int) -> None:
    """Before the command has begun, and in the middle of it; the second time while it ends."""
    press = "signal.raise_signal(signal.SIGINT)"
    code = f"""import signal, sys
class Impatient:
    def find_spec(self, name, *_):
        if name == {package!r}:
            try:
                {press}
            finally:
                {press if presses == 2 else "pass"}
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Impatient())
sys.argv = ["discriminant", "plot", "xor", "-o", "a.png"]
from discriminant.cli import main
main()"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")
    assert not list(tmp_path.iterdir())


def test_without_arguments_it_prints_its_help() -> None:
    done = command()
    assert (done.code, done.err) == (0, "")
    assert "warm-up" in done.out


def test_what_needs_no_fit_loads_no_compiler() -> None:
    code = (
        "import sys; from discriminant.cli.app import run; "
        "assert run(['datasets']) == run(['methods']) == 0; print('LOADED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = done.stdout.rpartition("LOADED")[2].split()
    assert "typer" in loaded
    assert not {"numba", "scipy", "sklearn", "polars", "pandas", "matplotlib"} & set(loaded)


def test_a_verdict_on_a_data_set_loads_neither_compiler_nor_scikit_learn() -> None:
    code = """import gc, sys
from discriminant.cli.app import run
run(["check", "iris"])
print("LOADED", *sys.modules)
import numpy
assert gc.isenabled() and gc.get_freeze_count() > 10_000
assert numpy.polynomial.Polynomial([1]).degree() == 0"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.rpartition("LOADED")[2].split()
    assert "scipy.linalg" in loaded
    assert not {"numba", "polars", "sklearn", "scipy.stats", "scipy.optimize", "matplotlib"} & set(loaded)
    assert not {"numpy.f2py", "numpy.polynomial", "numpy.testing"} & set(loaded)


@pytest.mark.ci
def test_a_fit_loads_neither_pandas_nor_scipy_stats_and_leaves_them_to_others() -> None:
    code = """import sys
from discriminant.cli.app import run
run(["compare", "xor", "--methods", "svm,perceptron", "--cv", "2", "--jobs", "1"])
print("LOADED", *sys.modules)
import scipy, pandas, sklearn.metrics
assert scipy.stats.rankdata([3, 1]).tolist() == sklearn.metrics._ranking.rankdata([3, 1]).tolist() == [2, 1]
assert scipy.stats is sys.modules["scipy.stats"] and pandas.DataFrame({"a": [1]}).shape == (1, 1)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = done.stdout.rpartition("LOADED")[2].split()
    assert "sklearn.model_selection" in loaded
    assert not {"pandas", "scipy.stats", "numpy.f2py"} & set(loaded)
    assert (done.returncode, done.stderr) == (0, "")

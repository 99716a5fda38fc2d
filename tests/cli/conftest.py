"""The command, inside of this process and as users start it, and one small table in every format."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TextIO
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import dump_svmlight_file

COMMAND = str(Path(sys.executable).with_name("discriminant"))
STREAMS = ("stdin", "stdout", "stderr")

# Two classes that x0 + x1 = 3.1 separates, in numbers that no binary fraction holds exactly.
X = np.array([[0.1, 0.2], [1.3, 0.4], [0.7, 1.9], [1.1, 1.1], [2.2, 1.7], [3.3, 0.3], [0.9, 3.7], [2.6, 2.6]])
LABELS = np.array(["no", "no", "no", "no", "yes", "yes", "yes", "yes"])
TARGET = np.array([0, 0, 0, 0, 1, 1, 1, 1])


@dataclass
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    """The user's environment, with this Python's commands first on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "COLUMNS": "100", **more}


def command(*arguments: str | Path, stdin: str | bytes = b"", cwd: Path | None = None) -> Outcome:
    """Run the command with streams of its own, in this process: a new one spends seconds on what it imports."""
    from discriminant.cli.app import run

    with ExitStack() as held:
        streams = {name: held.enter_context(TemporaryFile("w+", encoding="utf-8")) for name in STREAMS}
        streams["stdin"].buffer.write(stdin.encode() if isinstance(stdin, str) else stdin)
        streams["stdin"].seek(0)
        held.enter_context(patch.multiple(sys, **streams))
        held.enter_context(patch.dict(os.environ, COLUMNS="100"))
        held.enter_context(chdir(cwd or Path.cwd()))
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *(_written(streams[name]) for name in STREAMS[1:]))


def _written(stream: TextIO) -> str:
    stream.flush()
    stream.seek(0)
    return stream.buffer.read().decode()


def installed(*arguments: str | Path, **env: str) -> Outcome:
    """Run the command as users start it."""
    line, none = [COMMAND, *map(str, arguments)], subprocess.DEVNULL
    done = subprocess.run(line, stdin=none, capture_output=True, env=environment(**env), timeout=120)
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def shell(line: str, cwd: Path) -> Outcome:
    """Run a line of shell in which every part of a pipe counts."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], capture_output=True, cwd=cwd, env=environment(), text=True, timeout=120
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


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


@pytest.fixture
def inside(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """The same command in this process, where another one would show nothing more."""
    from discriminant.cli.app import run

    def call(*arguments: str | Path) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same table in every format, called table.*; its target is "target", coded 0 and 1."""
    folder = tmp_path_factory.mktemp("tables")
    frame = pl.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "target": TARGET})
    frame.write_csv(folder / "table.csv")
    frame.write_csv(folder / "table.tsv", separator="\t")
    frame.write_parquet(folder / "table.parquet")
    frame.write_ipc(folder / "table.arrow")
    frame.write_ipc(folder / "table.feather")
    frame.write_ndjson(folder / "table.jsonl")
    frame.write_ndjson(folder / "table.ndjson")
    dump_svmlight_file(X, TARGET, str(folder / "table.libsvm"), zero_based=False)
    dump_svmlight_file(X, TARGET, str(folder / "table.svm"), zero_based=False)
    np.savez(folder / "table.npz", X=X, target=TARGET)
    structured = np.array(list(zip(*X.T, TARGET, strict=True)), dtype=[("x0", "f8"), ("x1", "f8"), ("target", "i8")])
    np.save(folder / "table.npy", structured)
    colors = ["red", "blue", "red", "blue", "red", "green", "green", "red"]
    customers = frame.drop("target").with_columns(color=pl.Series(colors), churned=pl.Series(LABELS))
    customers.write_csv(folder / "customers.csv")
    return folder

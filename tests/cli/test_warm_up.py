"""``discriminant warm-up``, and what the command line says of a wait for the compiler."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discriminant._engine import machine_code
from discriminant._engine.progress import CompilingNotice
from discriminant.cli import _output
from discriminant.warming import run


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The tasks that a warm-up would do."""
    done: list[Any] = []
    monkeypatch.setattr(machine_code.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(run, "_do", lambda tasks, n_jobs, progress: done.append((tasks, n_jobs)))
    return done


def test_it_says_what_it_did(inside: Callable[..., Any], tasks: list[Any], tmp_path: Path) -> None:
    done = inside("warm-up", "--forms", "dense64,csr32", "--sizes", "small", "--jobs", "3")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"Nothing to compile: all passes are kept in {tmp_path / 'discriminant'}.\n"
    ((given, jobs),) = tasks
    assert jobs == 3
    assert {(form, size) for _, form, size in given} == {("dense64", "small"), ("csr32", "small")}
    assert inside("warm-up", "--json").json["compiled"] == 0


def test_an_unknown_form_is_refused(inside: Callable[..., Any], tasks: list[Any]) -> None:
    done = inside("warm-up", "--forms", "dense16")
    assert done.code == 2
    assert "forms='dense16' must be names of what can be compiled; give some of dense64" in done.err


@pytest.mark.parametrize(
    ("terminal", "quiet", "told"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_a_wait_for_the_compiler_is_told_in_a_terminal(
    terminal: bool, quiet: bool, told: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(CompilingNotice, "tell", None)
    _output.hush(quiet)
    _output.tell_of_compiling()
    machine_code._tell()
    machine_code._tell()  # once a command
    assert ("compiling for this machine, once" in capsys.readouterr().err) is told
    _output.hush(False)

"""``warm_up`` compiles all there is, in processes that end with it; what is there is not compiled again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from discriminant import warm_up
from discriminant._engine import machine_code
from discriminant.warming import fits, run

# Which passes the tiny fits call, whatever other tests left in the cache; those that other passes call come with them.
CALLED = """
import gc, importlib, pkgutil
import discriminant
from discriminant._engine.compiling import Pass
from discriminant.warming import fits
for module in pkgutil.walk_packages(discriminant.__path__, "discriminant."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
passes = [each for each in gc.get_objects() if isinstance(each, Pass)]
passes = [each for each in passes if each.py_func.__module__.startswith("discriminant.")]
for size in fits.SIZES:
    for name in fits.names(size):
        for form in {forms}:
            fits.run(name, form, size)
inner = {{name for each in passes for name in each.py_func.__code__.co_names}}
left = [each.py_func for each in passes if not each.signatures and each.py_func.__name__ not in inner]
print(len(passes), *(f"{{each.__module__}}.{{each.__name__}}" for each in left))
"""


@pytest.mark.ci
@pytest.mark.parametrize("bits", ["64", "32"])
def test_the_fits_reach_every_pass(bits: str) -> None:
    """By a dense table or a sparse one: some passes see only the one kind."""
    forms = [form for form in fits.FORMS if form.endswith(bits)]
    command = [sys.executable, "-W", "ignore", "-c", CALLED.format(forms=forms)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    count, *left = done.stdout.split()
    assert int(count) > 30
    assert not left, "name in fits.SETTINGS, TABLES, SMALL or LARGE what leads to these"


def test_what_is_compiled_belongs_to_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function with machine code stands in a file of which the key of its room is made."""
    files = {path.relative_to(machine_code.PACKAGE).as_posix(): path.read_bytes() for path in run_files()}
    watched = machine_code.holders(files)
    kept = machine_code.kept_in()
    assert kept is not None
    stems = {path.name.partition(".")[0] for path in kept.glob("*/*.nbi")}
    assert {stem for stem in stems if not stem.startswith("test_")} <= {Path(name).stem for name in watched}


def run_files() -> list[Path]:
    return list(machine_code.PACKAGE.rglob("*.py"))


def test_a_second_warm_up_has_nothing_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no process is started for it; when machine code has been removed, all is looked at again."""
    started = []
    monkeypatch.setattr(machine_code.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(run, "_do", lambda tasks, n_jobs, progress: started.append(len(tasks)))
    room = tmp_path / "discriminant" / "svm-key"
    room.mkdir(parents=True)
    (room / "pass.nbc").touch()
    assert str(warm_up()).startswith(f"Nothing to compile: all passes are kept in {tmp_path}")
    assert started == [4 * (len(fits.names("small")) + len(fits.names("large")))]
    warm_up()
    assert len(started) == 1
    (room / "pass.nbc").unlink()
    warm_up()
    assert len(started) == 2


def test_what_was_done_is_told_in_a_sentence() -> None:
    assert str(run.WarmUp(62, 31.2, Path("/cache"))) == "62 passes compiled in 31 s, kept in /cache"


def test_bad_names_and_missing_folders_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="methods='Percepton' must be names of what can be compiled"):
        warm_up(["Percepton"])
    with pytest.raises(ValueError, match="sizes='huge' must be names of what can be compiled; give some of large"):
        warm_up(sizes=["huge"])
    monkeypatch.setattr(run, "kept_in", lambda: None)
    with pytest.raises(OSError, match="set NUMBA_CACHE_DIR"):
        warm_up()


def test_a_worker_that_fails_is_told() -> None:
    with pytest.raises(RuntimeError, match=r"failed at Nobody \(dense64\): AttributeError"):
        run._do([("Nobody", "dense64", "small")], 1, False)


def test_tasks_are_handed_out_once_each_worker_with_a_form_of_its_own() -> None:
    tasks = [(name, form, "small") for form in fits.FORMS for name in ("A", "B")]
    queue = run._Queue(tasks)
    taken = [queue.take(worker) for worker in (0, 1, 0, 1, 1, 0, 0, 0)]
    assert taken[:2] == [("A", "dense64", "small"), ("A", "dense32", "small")]
    assert sorted(taken) == sorted(tasks)
    assert queue.take(0) is None


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    code = "import discriminant; discriminant.warm_up(n_jobs=2)"
    parent = subprocess.Popen([sys.executable, "-c", code], env=env, stderr=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + 60
    while len(members(parent.pid)) < 3 and time.monotonic() < end:
        time.sleep(0.1)
    assert len(members(parent.pid)) >= 3
    parent.send_signal(signal.SIGINT)  # to the parent alone
    parent.wait(20)
    time.sleep(0.2)
    assert not members(parent.pid)


def members(session: int) -> list[str]:
    """The processes of a session."""
    listed = subprocess.run(["ps", "-s", str(session), "-o", "pid="], capture_output=True, text=True).stdout
    return listed.split()

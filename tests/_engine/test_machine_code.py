"""Machine code is found again as long as it is true; where none can be kept, the package compiles, and says so."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any

import numba
import pytest
from numba.core.caching import IndexDataCacheFile

import discriminant
from discriminant._engine import machine_code
from discriminant._engine.compiling import cached
from discriminant._engine.machine_code import KEPT, PACKAGE, holders, place, private_folder, room_keys
from discriminant._engine.progress import CompilingNotice

COMPILE = """
import warnings
import numpy as np
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from discriminant.logistic.softmax import exponentials, scores
    print(len(caught))
    x, R = np.zeros((4, 2)), np.ones((4, 2))
    scores(x, np.zeros((2, 2)), 0, 4, R)
    exponentials(x[0], 2, x[1].view(np.int64), x[1])
print(R[0, 0], len(caught), *[warning.message for warning in caught])
"""


@pytest.fixture(scope="module")
def unwritable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package beside which numba can keep nothing, also for root: a file stands where the folder should be."""
    package = tmp_path_factory.mktemp("site-packages") / "discriminant"
    shutil.copytree(Path(discriminant.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (package, *(each for each in package.rglob("*") if each.is_dir())):
        (folder / "__pycache__").touch()
    return package.parent


def run(*code: str, package: Path, temporary: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in an empty folder without a place to write but the temporary one; /dev/null is no home to anybody."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "XDG_"))}
    env |= {"HOME": "/dev/null", "TMPDIR": str(temporary), "PYTHONPATH": str(package)} | environment
    (temporary / "here").mkdir(exist_ok=True)
    command = [sys.executable, *code]
    return subprocess.run(command, cwd=temporary / "here", env=env, capture_output=True, text=True, timeout=120)


@pytest.mark.ci
def test_compiled_functions_are_kept_in_a_private_folder(unwritable: Path, tmp_path: Path) -> None:
    first, second = (
        run("-c", COMPILE, package=unwritable, temporary=tmp_path, NUMBA_CACHE_DIR="/dev/null/cache") for _ in range(2)
    )
    folder = tmp_path / f"discriminant-{os.geteuid()}"
    assert folder.stat().st_mode & 0o777 == 0o700
    before, after = first.stdout.splitlines()
    assert before == "0", "nothing is compiled when a module is imported"
    assert after.startswith("0.0 1 No folder for compiled functions can be written"), first.stderr
    assert f"so they are kept in {folder}; set NUMBA_CACHE_DIR to a folder that you can write." in after
    assert second.stdout == "0\n0.0 0\n", "the second process finds what the first has compiled"


@pytest.mark.ci
def test_without_a_home_nothing_is_left_in_the_working_directory(unwritable: Path, tmp_path: Path) -> None:
    """numba takes "~" for a folder where the user has no home; HOME=~ makes expanduser say the same to everybody."""
    (tmp_path / f"discriminant-{os.geteuid()}").mkdir()  # open to others, so not trusted
    done = run("-c", COMPILE, package=unwritable, temporary=tmp_path, HOME="~")
    assert "so they are compiled anew by every process" in done.stdout, done.stderr
    assert not list((tmp_path / "here").iterdir())
    assert not list((tmp_path / f"discriminant-{os.geteuid()}").iterdir())


def test_a_full_or_foreign_folder_is_no_reason_not_to_compile(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    for name in ("load", "save"):
        monkeypatch.setattr(IndexDataCacheFile, name, full)
    for _ in range(2):
        assert cached(lambda x: x + 1, set())(1) == 2
    assert len(recwarn) == 1
    message = str(recwarn.pop(UserWarning).message)
    assert re.match(r"Compiled functions cannot be kept in .* \(No space left on device\), so they are comp", message)


def _one_more(x: Any) -> Any:
    return x + 1


def test_two_that_save_at_once_give_no_name_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """numba reads which names are taken, then writes: between the two, another process may do the same."""
    monkeypatch.setattr(machine_code.config, "CACHE_DIR", str(tmp_path))
    meeting, read = Barrier(2, timeout=0.3), IndexDataCacheFile._load_index

    def slow(self: Any) -> Any:
        found = read(self)
        with suppress(BrokenBarrierError):  # where only one is let in, nobody else comes
            meeting.wait()
        return found

    forms = numba.njit([(numba.int64,), (numba.float64,)])(_one_more).overloads
    monkeypatch.setattr(IndexDataCacheFile, "_load_index", slow)
    threads = [Thread(target=place(_one_more).save_overload, args=form) for form in forms.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = read(place(_one_more)._cache_file)
    assert len(names) == len(set(names.values())) == 2


def test_an_index_of_an_earlier_version_is_written_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may name a type that is no more, and numba reads all of it before it looks at the date of the source."""
    flushed = []

    def outdated(*_: Any) -> None:
        raise AttributeError("Can't get attribute 'Scale' on <module 'discriminant…'>")

    monkeypatch.setattr(IndexDataCacheFile, "load", outdated)
    monkeypatch.setattr(IndexDataCacheFile, "flush", lambda self: flushed.append(self))
    monkeypatch.setattr(IndexDataCacheFile, "save", lambda *_: None)
    assert cached(lambda x: x + 1, set())(1) == 2
    assert len(flushed) == 1


def test_a_command_that_uses_no_pass_compiles_none(unwritable: Path, tmp_path: Path) -> None:
    done = run("-m", "discriminant", "methods", package=unwritable, temporary=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert not list(tmp_path.glob("discriminant-*/*/*"))


@pytest.mark.parametrize("kind", ["open to others", "a link", "a file", "nowhere"])
def test_only_a_private_folder_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = private_folder()
    assert private_folder() == folder
    if kind == "open to others":
        folder.chmod(0o770)
    else:
        folder.rmdir()
    if kind == "a link":
        (tmp_path / "other").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "other")
    elif kind == "a file":
        folder.touch(mode=0o600)
    elif kind == "nowhere":
        monkeypatch.setattr(tempfile, "tempdir", "/dev/null")
    with pytest.raises(OSError, match=r"private|Not a directory"):
        private_folder()


# A package in which `rules` has what `passes` calls, and `minover` a rule that is handed to a pass.
SOURCES = {
    "_engine/rows.py": "@compiled\ndef row_dot(): ...\n",
    "_engine/refusals.py": "MESSAGE = 'no'\n",
    "chapter/numbers.py": "RIDGE = 1e-9\n",
    "chapter/rules.py": "from .._engine.rows import compiled\nfrom .numbers import RIDGE\n@compiled\ndef rule(): ...\n",
    "chapter/minover.py": "from .rules import rule\nclass Step(NamedTuple):\n    def delta(self): ...\n",
    "chapter/estimator.py": "from .rules import rule\nMESSAGE = 'not converged'\n",
    "other/passes.py": "from .._engine.rows import compiled\n@compiled\ndef other(): ...\n",
}


@pytest.mark.parametrize(
    ("edited", "stale"),
    [
        ("_engine/rows.py", {"_engine", "chapter", "other"}),
        ("chapter/rules.py", {"chapter"}),
        ("chapter/minover.py", {"chapter"}),
        ("chapter/numbers.py", {"chapter"}),
        ("other/passes.py", {"other"}),
        ("chapter/estimator.py", set()),
        ("_engine/refusals.py", set()),
    ],
)
def test_an_edit_makes_stale_what_was_made_of_it(tmp_path: Path, edited: str, stale: set[str]) -> None:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"\n{text}")
    before = room_keys(tmp_path)
    assert set(before) == {"_engine", "chapter", "other"}
    with (tmp_path / edited).open("a") as file:
        file.write("# edited\n")
    after = room_keys(tmp_path)
    assert {room for room in before if after[room] != before[room]} == stale


MARKS = {"compiled", "inlined", "spliced"}


def home(name: str, imported: ast.ImportFrom) -> str:
    """The file from which a file imports."""
    return "/".join([*name.split("/")[: -imported.level], *str(imported.module).split(".")]) + ".py"


def test_names_of_other_files_in_compiled_code_are_watched() -> None:
    """A constant that numba writes into machine code stands in a file of which the key is made."""
    files = {path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in PACKAGE.rglob("*.py")}
    holding, unwatched = holders(files), []
    for name in holding:
        tree = ast.parse(files[name])
        imported = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level]
        homes = {alias.asname or alias.name: home(name, node) for node in imported for alias in node.names}
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        for function in (node for node in functions if MARKS & {ast.unparse(mark) for mark in node.decorator_list}):
            names = {part.id for line in function.body for part in ast.walk(line) if isinstance(part, ast.Name)}
            unwatched += [(name, function.name, used) for used in names if homes.get(used, name) not in holding]
    assert len(holding) > 20
    assert not unwatched


@pytest.mark.ci
def test_a_changed_callee_in_another_file_is_compiled_anew(tmp_path: Path) -> None:
    """numba alone would go on with the old one; and an edit that changes no compiled code compiles nothing."""
    package = tmp_path / "discriminant"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import numpy as np; from discriminant.error_correcting.visits import count_errors\n"
        "print(count_errors(np.ones((1, 3)), np.ones(1, np.int32), 0, 1, np.array([-1.0, 1, 1, 1]), 9)[0])"
    )
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def printed() -> str:
        return run("-c", code, package=tmp_path, temporary=tmp_path, **cache).stdout

    def kept() -> list[Path]:
        return sorted((tmp_path / "cache").rglob("*.nbc"))

    assert printed() == "0\n"
    first = kept()
    refusals = package / "_engine" / "refusals.py"
    refusals.write_text(refusals.read_text() + "# edited\n")
    assert (printed(), kept()) == ("0\n", first)
    rows = package / "_engine" / "rows.py"
    rows.write_text(rows.read_text().replace("total += X[i, j] * a[j + 1]", "total -= X[i, j] * a[j + 1]"))
    assert printed() == "1\n"
    assert set(first) < set(kept())


def test_old_states_are_removed(tmp_path: Path) -> None:
    for age, key in enumerate("abcde"):
        (tmp_path / f"svm-{key}").mkdir()
        os.utime(tmp_path / f"svm-{key}", (1000 - age, 1000 - age))
    (tmp_path / "logistic-a").mkdir()
    machine_code._remove_old(tmp_path, "svm")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logistic-a", *(f"svm-{key}" for key in "abcde"[:KEPT])]


def test_compiling_is_told_of_once_when_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two short compilations that take long together, one inside of another; those after it are not told of."""
    told: list[str] = []
    monkeypatch.setattr(machine_code, "PATIENCE", 0.2)
    monkeypatch.setattr(CompilingNotice, "tell", lambda: told.append("wait"))
    waiting = machine_code._Waiting()
    waiting.on_start(None)
    waiting.on_end(None)
    assert not told
    for _ in range(2):
        waiting.on_start(None)
        waiting.on_start(None)
        time.sleep(0.15)
        waiting.on_end(None)
        waiting.on_end(None)
    waiting.on_start(None)
    time.sleep(0.1)
    waiting.on_end(None)
    assert told == ["wait"]


@pytest.mark.ci
def test_a_read_only_package_uses_the_cache_directory_of_the_user(unwritable: Path, tmp_path: Path) -> None:
    own = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first, second = (run("-c", COMPILE, package=unwritable, temporary=tmp_path, **own) for _ in range(2))
    assert first.stdout == second.stdout == "0\n0.0 0\n", first.stderr
    kept = list((tmp_path / "cache" / "discriminant").glob("logistic-*/*.nbc"))
    assert kept, "machine code stands in the room's folder"
    assert not list(tmp_path.glob("discriminant-*")), "and nowhere else"

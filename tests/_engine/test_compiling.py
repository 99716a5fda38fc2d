"""What a pass calls is a part of it; where nothing can be written, the package keeps what it can, and says so."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

import discriminant
from discriminant._engine.compiling import cached, private_folder
from discriminant._engine.rows import compiled, inlined

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


@inlined
def _one_more(x: Any) -> Any:
    return x + 1


@inlined
def _two_more(x: Any) -> Any:
    return _one_more(x) + 1


@compiled
def _both(x: Any) -> Any:
    return _one_more(x), _two_more(x)


def test_rules_of_one_signature_stay_apart() -> None:
    """A part is known to numba by an object of its own, also where it calls another part."""
    assert _both(1.0) == (_one_more(1.0), _two_more(1.0)) == (2, 3)


def test_a_foreign_function_may_call_a_rule() -> None:
    """A part brings along what it calls, and numba still knows all its own methods."""

    @numba.njit
    def foreign(x: Any) -> Any:
        return _two_more(np.sort(x)).cumsum()

    assert foreign(np.array([2.0, 1.0])).tolist() == [3, 7]


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

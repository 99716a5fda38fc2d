"""Where the machine code of a compiled function is kept, so that later processes find it, and when it is out of date.

The folder is that of NUMBA_CACHE_DIR, then the user's cache directory, then a private one under the system's temporary
folder; a container with a numeric user, or a job without a home, has none of the first two. Where none can be written,
every process compiles anew. Nor does a fit fail because a folder is full or holds what another user wrote.

numba looks at one file only, and does not notice that a function has changed which it calls from another, nor that an
upgrade has left a file as it was. So each room of the package has a folder of its own, named by what its machine code
is made of: all files with compiled code in this room and in those that it imports. Of each room the last few are kept.

Tests: ``tests/_engine/test_machine_code.py`` and ``tests/warming/test_run.py``.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from threading import Timer
from typing import Any

import numba
from llvmlite import binding
from numba.core import caching, event
from numba.misc import appdirs

from .._guards.lazy import uncollected
from ..exceptions import warn_user
from .files import lock
from .progress import CompilingNotice

PACKAGE = Path(__file__).parents[1]
PATIENCE = 0.5  # seconds of compiling after which somebody is told
KEPT = 3  # states of a room whose machine code is kept: that of two branches, or of two environments, and one more
DECORATORS, CALLS = (b"compiled", b"inlined"), (b"numba.njit", b" overload")  # what marks a file with compiled code,
COMPILED = (*(b"\n@%s\n" % name for name in DECORATORS), *(b"%s(" % name for name in CALLS))
RULE = b"(NamedTuple):"  # and one whose types may have methods that a pass of its room compiles
IMPORTED = re.compile(rb"^from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
CONSTANT = re.compile(rb"\b[A-Z][A-Z0-9_]+\b")
ANEW, REMEDY = "are compiled anew by every process", "set NUMBA_CACHE_DIR to a folder that you can write"

config: Any = numba.config  # its names come from the environment
FunctionCache: Any = caching.FunctionCache
Implementation: Any = caching.CompileResultCacheImpl
Locator: Any = caching._CacheLocator
register: Callable[..., None] = event.register
AppDirs: Any = appdirs.AppDirs


def place(function: Any) -> Any:
    """What keeps and finds the machine code of a function."""
    with suppress(RuntimeError):  # there is no folder, or the function is in no file
        return _Cache(function)
    return caching.NullCache()


def kept_in() -> Path | None:
    """The folder of all machine code; None where none can be written."""
    return _folder(config.CACHE_DIR)


def state() -> str:
    """What all machine code is made of, and for which processor and by which compiler."""
    made_for = (binding.get_host_cpu_name(), numba.__version__, sys.version)
    return _digest([part.encode() for part in (*sorted(_keys().values()), *made_for)])


class _Place(Locator):
    """The folder of a function, and the state of the sources that its machine code must have been made of."""

    def __init__(self, function: Any, file: str, folder: Path) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._room, self._key = _state(function.__module__, file)
        self._folder = folder / f"{self._room}-{self._key}"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Place | None:
        folder = _folder(config.CACHE_DIR) if os.path.exists(py_file) else None
        return None if folder is None else cls(py_func, py_file, folder)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._key

    def get_disambiguator(self) -> str:
        return str(self._lineno)

    def ensure_cache_path(self) -> None:
        """Make the folder, and room for it."""
        if not self._folder.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            _remove_old(self._folder.parent, self._room)


class _Found(Implementation):
    _locator_classes = [_Place]


class _Cache(FunctionCache):
    """numba's cache, for which a file that cannot be written or read is no reason not to compile."""

    _impl_class = _Found

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        _fill_tables(target_context)
        try:
            return super().load_overload(sig, target_context)
        except OSError:
            return None
        except (AttributeError, EOFError, ImportError, UnpicklingError):  # it names types of an earlier version
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._impl.locator.ensure_cache_path()
            with _alone(self.cache_path):
                super().save_overload(sig, data)
        except OSError as error:
            _say(
                f"Compiled functions cannot be kept in {self.cache_path} ({error.strerror}), so they {ANEW}; {REMEDY}."
            )


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """One process at a time: two that save at once would give one name to two forms, and run the code of the other."""
    with open(Path(folder, "lock"), "w") as file:
        lock(file)
        yield


@cache
def _fill_tables(context: Any) -> None:
    """Let numba enter what it knows into its tables.

    Each of its 250 methods asks for all of it anew, which takes a quarter of the time that numba needs to start. Here
    only the first asks; numba itself asks once more before it reads from the cache, and then finds what is left.
    """
    context.refresh = lambda: None  # what the methods call, instead of that of the class
    try:
        with uncollected():
            type(context).refresh(context)
    finally:
        del context.refresh


def _remove_old(folder: Path, room: str) -> None:
    """Remove all but the last states of a room; another process may do the same."""
    with suppress(OSError):
        states = sorted(folder.glob(f"{room}-*"), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in states[KEPT:]:
            shutil.rmtree(old, ignore_errors=True)


def _state(module: str, file: str) -> tuple[str, str]:
    """The room of a module, and the key of what its machine code is made of; of a foreign one, its file alone."""
    package, _, name = module.partition(".")
    room = name.partition(".")[0]
    keys = _keys() if package == PACKAGE.name else {}
    return (room, keys[room]) if room in keys else (Path(file).stem, _digest([Path(file).read_bytes()]))


@cache
def _keys() -> dict[str, str]:
    return room_keys(PACKAGE)


def room_keys(package: Path) -> dict[str, str]:
    """The key of each room that holds compiled code."""
    files = {
        Path(folder, name).relative_to(package).as_posix(): Path(folder, name).read_bytes()
        for folder, _, names in os.walk(package)
        for name in names
        if name.endswith(".py")
    }
    holding = holders(files)
    return {
        room: _digest([files[name] for name in sorted(holding) if _room(name) in rooms])
        for room, rooms in _reached(holding).items()
    }


def holders(files: dict[str, bytes]) -> dict[str, set[str]]:
    """The files that compiled code is made of, each with those that it imports.

    Beside those that hold some, files of the same room: those whose constants they import, and those that import
    them and define a NamedTuple, for a pass may be handed a rule whose methods numba compiles for it.
    """
    imports = {name: _imports(name, text) for name, text in files.items()}
    marked = {name for name, text in files.items() if any(mark in text for mark in COMPILED)}
    within = {name: {other for other in imports[name] if _room(other) == _room(name)} for name in files}
    constants = {other for name in marked for other in within[name] if CONSTANT.search(imports[name][other])}
    rules = {name for name in files if RULE in files[name] and within[name] & marked}
    return {name: set(imports[name]) for name in marked | rules | constants & set(files)}


def _imports(name: str, text: bytes) -> dict[str, bytes]:
    """The files from which a file imports, with the names that it takes."""
    return {
        "/".join([*name.split("/")[: -len(dots)], *module.decode().split(".")]) + ".py": names
        for dots, module, names in IMPORTED.findall(text)
    }


def _reached(holding: dict[str, set[str]]) -> dict[str, set[str]]:
    """For each room, those whose compiled code may become a part of its own."""
    calls: dict[str, set[str]] = {_room(name): {_room(name)} for name in holding}
    for name, imports in holding.items():
        calls[_room(name)] |= {_room(other) for other in imports if other in holding}
    for _ in calls:
        calls = {room: set().union(*(calls[other] for other in others)) for room, others in calls.items()}
    return calls


def _room(name: str) -> str:
    return name.partition("/")[0].removesuffix(".py")


def _digest(parts: list[bytes]) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


@cache
def _folder(given: str) -> Path | None:
    """The folder of all machine code, None where none can be written; ``given`` is NUMBA_CACHE_DIR."""
    own = Path(AppDirs("discriminant", appauthor=False).user_cache_dir)  # "~/…" for somebody without a home
    for folder in [Path(given, "discriminant")] * bool(given) + [own] * own.is_absolute():
        if _writable(folder):
            return folder
    private = None
    with suppress(OSError, AttributeError):  # AttributeError: a system without user ids
        private = private_folder()
    register("numba:compile", _Announcement(private))
    return private


def _writable(folder: Path) -> bool:
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return True
    return False


def private_folder() -> Path:
    """A folder that nobody else can write, for what is read from it is executed; OSError where there is none."""
    user = os.geteuid()
    folder = Path(tempfile.gettempdir(), f"discriminant-{user}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user or found.st_mode & 0o077 or not _writable(folder):
        raise PermissionError(f"{folder} is not private, or full")
    return folder


class _Announcement(event.Listener):
    """Tells, when a function of this package is compiled for the first time, why that is not done once for all."""

    def __init__(self, folder: Path | None) -> None:
        self.fate = ANEW if folder is None else f"are kept in {folder}"

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("discriminant."):
            _say(
                "No folder for compiled functions can be written (NUMBA_CACHE_DIR, the user's cache directory), so "
                f"they {self.fate}; {REMEDY}."
            )

    def on_end(self, event: Any) -> None:
        """Nothing more to tell."""


class _Waiting(event.Listener):
    """Tells whoever wants to know when the functions that are compiled have taken ``PATIENCE`` together."""

    def __init__(self) -> None:
        self.depth, self.spent, self.began = 0, 0.0, 0.0
        self.timer = Timer(PATIENCE, _tell)

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth == 1 and CompilingNotice.tell is not None:
            self.began = time.monotonic()
            self.timer = Timer(max(0.0, PATIENCE - self.spent), _tell)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and CompilingNotice.tell is not None:
            self.timer.cancel()
            self.spent += time.monotonic() - self.began


def _tell() -> None:
    tell, CompilingNotice.tell = CompilingNotice.tell, None
    if tell is not None:
        tell()


register("numba:compile", _Waiting())


class _Uncollected(event.Listener):
    """Keeps Python from looking for garbage among the objects of the compiler, a tenth of whose time that takes."""

    def __init__(self) -> None:
        self.depth, self.collects = 0, True

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth == 1:
            self.collects = gc.isenabled()
            gc.disable()

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()


register("numba:compile", _Uncollected())


@cache
def _say(message: str) -> None:
    """Warn, once a process."""
    warn_user(UserWarning(message))

"""How a function is compiled so that later processes find its machine code, and what happens where none can be kept.

When a function is decorated, numba looks for a folder that it can write: NUMBA_CACHE_DIR, then the package's own, then
the user's cache directory. A container with a numeric user, or a job without a home, has none of them, and numba would
raise. Machine code is then kept in a private folder under the system's temporary one, or not at all. Nor does a fit
fail because a folder is full or holds what another user wrote: the function is compiled, and not kept.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, cast

import numba
from numba.core import caching, event

from .._guards.state import F
from ..exceptions import warn_user

njit: Any = numba.njit
config: Any = numba.config  # its names come from the environment
FunctionCache: Any = caching.FunctionCache
ANEW, REMEDY = "are compiled anew by every process", "set NUMBA_CACHE_DIR to a folder that you can write"
register: Callable[..., None] = event.register


def cached(function: F, fastmath: set[str]) -> F:
    """Compile a function when it is first called, without the GIL, and keep its machine code on disk where possible."""
    made: Any = njit(nogil=True, fastmath=fastmath, no_cfunc_wrapper=True)(function)
    if hasattr(made, "enable_caching"):  # with NUMBA_DISABLE_JIT it is the function itself
        made._cache = _place(function)
    return cast(F, made)


def _place(function: Any) -> Any:
    """Where the machine code of a function is kept: where numba finds a place for it, in our own, or nowhere."""
    if not _would_litter(function):
        with suppress(RuntimeError):  # numba has found no folder
            return _Cache(function)
    folder = _substitute()
    if folder is None:
        return caching.NullCache()
    with _cache_dir(folder):
        return _Cache(function)


class _Cache(FunctionCache):
    """numba's cache, for which a file that cannot be written or read is no reason not to compile."""

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
            super().save_overload(sig, data)
        except OSError as error:
            _say(
                f"Compiled functions cannot be kept in {self.cache_path} ({error.strerror}), so they {ANEW}; {REMEDY}."
            )


@cache
def _fill_tables(context: Any) -> None:
    """Let numba enter what it knows into its tables.

    Each of its 250 methods asks for all of it anew, which takes a quarter of the time that numba needs to start.  Here
    only the first asks; numba itself asks once more before it reads from the cache, and then finds what is left.
    """
    context.refresh = lambda: None  # what the methods call, instead of that of the class
    try:
        type(context).refresh(context)
    finally:
        del context.refresh


def _would_litter(function: Any) -> bool:
    """Whether numba would make a folder named "~" in the working directory, for want of a home and of better places."""
    if os.path.isabs(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~"))):
        return False
    return not config.CACHE_DIR and not _writable(Path(function.__code__.co_filename).with_name("__pycache__"))


@cache
def _writable(folder: Path) -> bool:
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return True
    return False


@cache
def _substitute() -> Path | None:
    """The folder that takes the place of numba's own choices, or None; from now on a compilation says so."""
    folder = None
    with suppress(OSError, AttributeError):  # AttributeError: a system without user ids
        folder = private_folder()
    register("numba:compile", _Announcement(folder))
    return folder


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


@contextmanager
def _cache_dir(folder: Path) -> Iterator[None]:
    """Let numba take this folder for NUMBA_CACHE_DIR."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


class _Announcement(event.Listener):
    """Tells, when a function of this package is compiled for the first time, why that is not done once for all."""

    def __init__(self, folder: Path | None) -> None:
        self.fate = ANEW if folder is None else f"are kept in {folder}"

    def on_start(self, event: Any) -> None:
        if event.data["dispatcher"].py_func.__module__.startswith("discriminant."):
            _say(
                "No folder for compiled functions can be written (NUMBA_CACHE_DIR, the package's own, the user's cache "
                f"directory), so they {self.fate}; {REMEDY}."
            )

    def on_end(self, event: Any) -> None:
        """Nothing more to tell."""


@cache
def _say(message: str) -> None:
    """Warn, once a process."""
    warn_user(UserWarning(message))

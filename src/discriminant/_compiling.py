"""How a function is compiled so that later processes find its machine code, and what happens where none can be kept.

When a function is decorated, numba looks for a folder that it can write: NUMBA_CACHE_DIR, then the package's own, then
the user's cache directory. A container with a numeric user, or a job without a home, has none of them, and numba would
raise. Machine code is then kept in a private folder under the system's temporary one, or not at all.
"""

from __future__ import annotations

import os
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba.config  # its names come from the environment
register: Callable[..., None] = event.register


def cached(function: F, fastmath: set[str]) -> F:
    """Compile a function when it is first called, without the GIL, and keep its machine code on disk where possible."""
    options: dict[str, Any] = {"nogil": True, "fastmath": fastmath}
    if not _would_litter(function):
        with suppress(RuntimeError):  # numba has found no folder
            return cast(F, numba.njit(cache=True, **options)(function))
    folder = _substitute()
    if folder is None:
        return cast(F, numba.njit(**options)(function))
    with _cache_dir(folder):
        return cast(F, numba.njit(cache=True, **options)(function))


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
        self.fate = "are compiled anew by every process" if folder is None else f"are kept in {folder}"
        self.made = False

    def on_start(self, event: Any) -> None:
        if not self.made and event.data["dispatcher"].py_func.__module__.startswith(f"{__package__}."):
            self.made = True
            warnings.warn(
                "No folder for compiled functions can be written (NUMBA_CACHE_DIR, the package's own, the user's cache "
                f"directory), so they {self.fate}; set NUMBA_CACHE_DIR to a folder that you can write.",
                stacklevel=2,
            )

    def on_end(self, event: Any) -> None:
        """Nothing more to tell."""

"""SciPy and scikit-learn without what takes half the time of their import and which no command uses.

scikit-learn imports pandas for nothing, and of scipy.stats a few functions that only others call.  So while it is
imported, and in a process that is this command's alone, pandas is not to be found, and a stand-in gives functions that
load the real scipy.stats when they are called.  Afterwards both are as they were: whoever imports them gets them.  The
same holds for NumPy's translator of Fortran, its polynomials and its tests, which both import because they copy all
names of NumPy.  SciPy takes the docstrings of its functions apart to add a note to each: here they stay as they are.
And what has been imported stays as long as the command runs, so that nobody looks for garbage among it.

Tests: ``tests/cli/test_command.py``.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from .._guards.lazy import uncollected

STATISTICS, FRAMES, ARRAYS = "scipy.stats", "pandas", "scipy._lib._array_api"
COPIED = ("f2py", "polynomial", "testing")  # parts of NumPy that SciPy takes with all the others


class _StandIn(ModuleType):
    """A module of functions, each of which loads the real one when it is called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def real(*given: Any, **options: Any) -> Any:
            _remove(self.__name__, self)
            return getattr(import_module(self.__name__), name)(*given, **options)

        return real


def _remove(name: str, stand_in: ModuleType | None) -> None:
    """Make room for the real module, if that is not there already."""
    if sys.modules.get(name) is stand_in:
        sys.modules.pop(name, None)


class _PlainDoc(dict[str, list[str]]):
    """The docstring of a function, in place of SciPy's class that takes it apart."""

    def __init__(self, function: Any) -> None:
        self.text = function.__doc__

    def __missing__(self, section: str) -> list[str]:
        return []

    def __str__(self) -> str:
        return f"\n{self.text}"  # SciPy drops the first line


@contextmanager
def lasting() -> Iterator[None]:
    """Imports whose objects stay: no collection of garbage looks through them, now or later."""
    with uncollected():
        yield
    gc.freeze()


@contextmanager
def _without_copies() -> Iterator[None]:
    """NumPy finds these parts when they are first asked for; here they are asked for nothing."""
    numpy: Any = import_module("numpy")
    hidden = [name for name in COPIED if name not in vars(numpy)]
    vars(numpy).update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for name in hidden:
            if vars(numpy)[name] is None:
                del vars(numpy)[name]


def import_scipy() -> None:
    """Import what all of SciPy begins with; nothing where it has been done."""
    if ARRAYS in sys.modules:
        return
    with lasting(), _without_copies(), suppress(ImportError):  # another version may have no such module
        arrays: Any = import_module(ARRAYS)
        if hasattr(arrays, "FunctionDoc"):
            arrays.FunctionDoc = _PlainDoc


def import_sklearn(*more: str) -> None:
    """Import what every procedure needs of scikit-learn, and more of its modules; nothing where it has been done."""
    if {"sklearn", STATISTICS, FRAMES} & set(sys.modules):
        return
    import_scipy()
    hidden: dict[str, Any] = {STATISTICS: _StandIn(STATISTICS), FRAMES: None}  # None: there is no such module
    sys.modules.update(hidden)
    try:
        with lasting(), _without_copies():
            for name in ("sklearn.callback", *more):
                import_module(name)
    finally:
        for name, stand_in in hidden.items():
            _remove(name, stand_in)

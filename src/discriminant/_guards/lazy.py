"""Packages whose names are imported when they are first used, so that nobody loads what is not asked for.

Tests: ``tests/test_public_names.py`` and ``tests/_guards/test_lazy.py``.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def uncollected() -> Iterator[None]:
    """Within, Python looks for no garbage.

    An import makes objects by the hundred thousand, of which none is garbage: to look through them again and again
    takes up to a third of its time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def lazy(package: str, homes: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` (PEP 562) of a package with the names of each of its modules."""
    home = {name: module for module, names in homes.items() for name in names}

    def getattr_(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with uncollected():
            value = getattr(import_module(f".{home[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return getattr_, lambda: sorted(home)

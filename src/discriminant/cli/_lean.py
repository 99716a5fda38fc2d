"""scikit-learn without pandas and scipy.stats, which take half the time of its import and which no command uses.

It imports pandas for nothing, and of scipy.stats a few functions that only others call.  So while it is imported, and
in a process that is this command's alone, pandas is not to be found, and a stand-in gives functions that load the real
scipy.stats when they are called.  Afterwards both are as they were: whoever imports them gets them.

Tests: ``tests/cli/test_command.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

STATISTICS, FRAMES = "scipy.stats", "pandas"


class _StandIn(ModuleType):
    """A module of functions, each of which loads the real one when it is called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *given, **options: getattr(import_module(self.__name__), name)(*given, **options)


def import_sklearn(*more: str) -> None:
    """Import what every procedure needs of scikit-learn, and more of its modules; nothing where it has been done."""
    if {"sklearn", STATISTICS, FRAMES} & set(sys.modules):
        return
    hidden: dict[str, Any] = {STATISTICS: _StandIn(STATISTICS), FRAMES: None}
    sys.modules.update(hidden)
    try:
        for name in ("sklearn.callback", *more):
            import_module(name)
    finally:
        for name in hidden:
            sys.modules.pop(name, None)

"""Packages that only some rooms need: imported when asked for, with the command that installs them in the error."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(module: str, extra: str) -> Any:
    """The module; where it is missing, an error that says in one sentence how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"{package} is missing, which this needs: pip install 'discriminant[{extra}]'.", name=package
        ) from error


class Later:
    """A module that is imported when one of its names is first asked for."""

    def __init__(self, module: str, extra: str) -> None:
        self._module, self._extra = module, extra

    def __getattr__(self, name: str) -> Any:
        value = getattr(needed(self._module, self._extra), name)
        setattr(self, name, value)
        return value

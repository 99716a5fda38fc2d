"""Files: tables in, the recipe that makes a matrix of them, models as JSON and ONNX.

Names are imported when they are first used, so that a model file can be read without polars, and a table without
numba. Tables need the extra ``io`` (polars, pyarrow), ``export_onnx`` the extra ``onnx``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "_errors": ("ModelFileError", "TableError"),
    "tables": ("Table", "read", "scan", "write"),
    "recipe": ("Recipe",),
    "models": ("dumps", "load", "load_with_recipe", "loads", "save"),
    "onnx": ("export_onnx",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from ._errors import ModelFileError as ModelFileError
    from ._errors import TableError as TableError
    from .models import dumps as dumps
    from .models import load as load
    from .models import load_with_recipe as load_with_recipe
    from .models import loads as loads
    from .models import save as save
    from .onnx import export_onnx as export_onnx
    from .recipe import Recipe as Recipe
    from .tables import Table as Table
    from .tables import read as read
    from .tables import scan as scan
    from .tables import write as write


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

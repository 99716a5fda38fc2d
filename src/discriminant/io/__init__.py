"""Files: tables in, the recipe that makes a matrix of them, models as JSON and ONNX.

- ``tables``: files in and out, with ``_written``, ``_dialect``, ``_lines``, ``_texts`` (CSV), ``_chunks``,
  ``_formats``; ``recipe``: a matrix of a table, with ``_columns``, ``_filling``, ``_sparse``,
  ``_doubts``.
- ``streams``: rows in blocks, from ``_sources``; ``_batches``: a matrix of columns, levels as zeros and ones.
- ``models``: JSON files, with ``_json``, ``_codec``, ``_checks``, ``_restored``; ``onnx``; ``_errors``.

Names are imported when they are first used, so that a model file can be read without polars, and a table without
numba. Tables need the extra ``io`` (polars, pyarrow), ``export_onnx`` the extra ``onnx``. Imports no chapter: what a
model file holds is said on each class (``_guards/held.py``).  Tests: ``tests/io``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._guards.lazy import lazy

_HOMES = {
    "_errors": ("ModelFileError", "TableError"),
    "tables": ("Table", "read", "scan", "write"),
    "recipe": ("Recipe",),
    "models": ("dumps", "load", "load_with_recipe", "loads", "save"),
    "onnx": ("export_onnx",),
    "streams": ("Stream", "stream"),
}
__getattr__, __dir__ = lazy(__name__, _HOMES)
__all__ = ["ModelFileError", "Recipe", "Stream", "Table", "TableError"]
__all__ += ["dumps", "export_onnx", "load", "load_with_recipe", "loads", "read", "save", "scan", "stream", "write"]

if TYPE_CHECKING:
    from ._errors import ModelFileError, TableError
    from .models import dumps, load, load_with_recipe, loads, save
    from .onnx import export_onnx
    from .recipe import Recipe
    from .streams import Stream, stream
    from .tables import Table, read, scan, write

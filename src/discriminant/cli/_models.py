"""Model files, with the recipe that turns a table into what the model takes."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ._errors import CommandError
from ._tables import check_file

MODEL = "a model file that `discriminant fit -o` wrote"


def model_of(source: str) -> tuple[Any, Any]:
    """The model of a file or of standard input, and its recipe, or None where it was saved without one."""
    if source != "-":
        check_file(source, MODEL)
        return _loaded(source, source)
    from ..io._json import LARGEST

    with TemporaryDirectory() as folder:
        copy = Path(folder, "model.json")
        copy.write_bytes(sys.stdin.buffer.read(4 * LARGEST + 1))  # of four bytes a letter; the reader counts letters
        return _loaded(str(copy), "standard input")


def _loaded(path: str, name: str) -> tuple[Any, Any]:
    from ..io import ModelFileError, load_with_recipe

    try:
        return load_with_recipe(path)
    except ModelFileError as error:
        raise CommandError(f"{name}: {error}") from None

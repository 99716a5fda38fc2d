"""What a fitted model holds: each class says it in a table ``_held``, against which a model file is checked.

A line reads ``name: "kind dimensions | another kind …"``; a name that ends in "?" may be absent. The dimensions are
d features, c classes, k discriminants, n training rows, s support vectors and q, r, u of no name of their own; "*" is
any shape. All that bear one letter must agree. ``float`` and ``number`` are finite, ``any`` and ``anynumber`` need not
be. What one procedure alone holds is a function of the value and the known dimensions. Private names are what
prediction or a further ``partial_fit`` needs. The lines of a base hold too, unless a subclass has another one for the
name, or None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .validation import all_finite

Shape = str | Callable[[Any, dict[str, int]], bool]
Held = dict[str, Shape | None]
T = TypeVar("T", bound=type)

COMMON: Held = {"n_features_in_": "count", "feature_names_in_?": "texts d"}
OUTCOME: Held = {"status_": "status", "report_": "report"}
COURSE: Held = {"n_iter_": "count", "n_corrections_": "count", "history_": "history"}
WEIGHTS: Held = {"weights_": "float k 1+d | float 1+d", "coef_": "float k d"}
RECORDS: dict[str, type] = {}


def optional(table: Held) -> Held:
    """The same lines for a class that need not have these attributes."""
    return {f"{name}?": shape for name, shape in table.items()}


def held_by(kind: type) -> dict[str, Shape]:
    """The table of a class, its bases' included."""
    table: dict[str, Shape] = {}
    for base in reversed(kind.__mro__):
        for line, shape in vars(base).get("_held", {}).items():
            name = line.rstrip("?")
            for former in (name, f"{name}?"):
                table.pop(former, None)
            if shape is not None:
                table[line] = shape
    return table


def storable(kind: T) -> T:
    """A class of plain fields, dataclass or NamedTuple, that model files may hold under its name."""
    RECORDS[kind.__name__] = kind
    return kind


def is_floats(value: Any, *shapes: tuple[int, ...]) -> bool:
    """Whether it is an array of finite floats, of one of the shapes if any are given."""
    fits = isinstance(value, np.ndarray) and value.dtype.kind == "f" and (not shapes or value.shape in shapes)
    return fits and all_finite(value)


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)

"""Data frames with columns that are no numbers: their levels are held against the first one, as a formula would.

Tests: ``tests/formulas/test_frames.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._engine.extras import needed
from .._guards.parameters import refused


def factors_of(X: Any) -> list[Any]:
    """The columns of a data frame that hold levels: categoricals, and texts that are no numbers."""
    if hasattr(X, "collect_schema"):
        return [name for name in X.columns if _levels(X[name], str(X[name].dtype))]
    if not hasattr(X, "dtypes") or not hasattr(X, "columns"):
        return []
    return [name for name, dtype in zip(X.columns, X.dtypes, strict=True) if _levels(X[name], str(dtype))]


def _levels(column: Any, dtype: str) -> bool:
    if dtype.startswith(("category", "Categorical", "Enum")):
        return True
    if dtype not in ("object", "str", "string", "String"):
        return False
    values = [value for value in np.asarray(column, object) if isinstance(value, str)]
    try:
        np.array(values, np.str_).astype(np.float64)
    except ValueError:
        return True
    return False


def formula_of(X: Any, y: Any, intercept: bool) -> tuple[str, Any]:
    """The formula that has every column of a frame for a term, and the frame with its response."""
    if not (hasattr(X, "columns") and hasattr(X, "__getitem__")):
        wanted = "a text such as 'y ~ a + b', or a data frame"
        raise refused("formula", X, wanted, "give the response, ~ and the terms; or a frame and its labels")
    pandas = needed("pandas", "formula")
    frame = pandas.DataFrame(X.to_dict(as_series=False)) if hasattr(X, "collect_schema") else X
    names = list(map(str, frame.columns))
    if odd := [name for name in names if "`" in name]:
        raise ValueError(f"X has a column named {odd[0]!r}, which no formula can name; give it another name.")
    labels, response = np.asarray(y), "y"
    if labels.shape != (len(frame),):
        raise ValueError(f"y has the shape {labels.shape}, and X has {len(frame):,} rows; give each of them a label.")
    while response in names:
        response += "_"
    terms = " + ".join(f"`{name}`" for name in names)
    frame = frame.set_axis(names, axis=1).assign(**{response: labels})
    return f"{response} ~ {'' if intercept else '0 + '}{terms}", frame

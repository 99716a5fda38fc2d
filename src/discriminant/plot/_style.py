"""What the pictures share: colors, markers, axes, and data as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._extras import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK, GRAY = "#222222", "#8C8C8C"
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933", "#882255")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")  # as many as are no multiple of the colors: 72 looks

MOST_POINTS = 5_000  # patterns that are drawn; of more, every second, third, …


def axes(ax: Axes | None) -> Axes:
    """The axes that were given, or those of a new figure."""
    if ax is None:
        ax = needed("matplotlib.pyplot", "plot").subplots(layout="compressed")[1]
    return ax


def look(k: int) -> dict[str, Any]:
    """Color and marker of class k."""
    return {"color": COLORS[k % len(COLORS)], "marker": MARKERS[k % len(MARKERS)]}


def literal(text: Any, longest: int = 40) -> str:
    """Somebody's name for something, as matplotlib shows it letter by letter: a $ begins no formula."""
    shown = str(text) if len(str(text)) <= longest else f"{str(text)[: longest - 1]}…"
    return shown.replace("$", r"\$")


def table(X: Any) -> Any:
    """X as an array or a CSR matrix."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    values = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    if values.ndim != 2 or len(values) == 0:
        raise ValueError(f"X has shape {values.shape}: give one row for each of one or more patterns.")
    return values


def labels(y: Any, n: int) -> NDArray[Any]:
    """Y as a vector of n labels."""
    vector = np.asarray(y)
    if vector.shape != (n,):
        raise ValueError(f"y has shape {vector.shape}: give one label for each of the {n} rows of X.")
    return vector


def names_of(X: Any, model: Any, given: Sequence[str] | None = None) -> list[str]:
    """The names of the columns: those given, those of the frame, those the model was fitted with, or x0, x1, …"""
    width = int(np.shape(X)[1])
    for names in (given, getattr(X, "columns", None), getattr(model, "feature_names_in_", None)):
        if names is not None and len(names) == width:
            return [str(name) for name in names]
    return [f"x{j}" for j in range(width)]


def dense(column: Any) -> NDArray[np.float64]:
    """A column or some columns of a table, not sparse."""
    return np.asarray(column.toarray() if hasattr(column, "toarray") else column, np.float64)


def thinned(n: int, most: int = MOST_POINTS) -> slice:
    """At most so many of n rows, evenly spread."""
    return slice(None, None, max(1, math.ceil(n / most)))

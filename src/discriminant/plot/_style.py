"""What the pictures share: colors, markers, axes, and data as arrays.  Tests: ``tests/plot/test_style.py``."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import needed
from .._guards.parameters import refused

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK, GRAY = "#222222", "#8C8C8C"
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933", "#882255")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<")  # as many as are no multiple of the colors: 72 looks

LINE, SMALL_LINE = 80, 100  # letters in a line of a title, and in one of a legend
MARK = 6  # letters that take the room of a mark and the gap beside it
MOST_NAMES = 24  # marks in a legend
MOST_POINTS = 5_000  # patterns that are drawn; of more, every second, third, …


def axes(ax: Axes | None) -> Axes:
    if ax is None:
        ax = needed("matplotlib.pyplot", "plot").subplots(layout="compressed")[1]
    return ax


def look(k: int) -> dict[str, Any]:
    return {"color": COLORS[k % len(COLORS)], "marker": MARKERS[k % len(MARKERS)]}


def literal(text: Any, longest: int = 40) -> str:
    """Somebody's name for something in one line, as matplotlib shows it letter by letter: a $ begins no formula."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in " ".join(str(text).split()))
    return (shown if len(shown) <= longest else f"{shown[: longest - 1]}…").replace("$", r"\$")


def add_title(ax: Axes, text: str) -> None:
    """One more line of the title, or several where it is long."""
    lines = [ax.get_title(), textwrap.fill(text, LINE)]
    ax.set_title("\n".join(filter(None, lines)), fontsize="medium")


def add_legend(ax: Axes) -> None:
    """What the marks mean, below the axes: as many in a line as there is room for, the first ones of very many."""
    handles, names = ax.get_legend_handles_labels()
    if len(names) > MOST_NAMES:
        handles, names = handles[:MOST_NAMES], [*names[: MOST_NAMES - 1], f"… and {len(names) - MOST_NAMES + 1:,} more"]
    beside = max(1, SMALL_LINE // (max(map(len, names), default=0) + MARK))
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.legend(
        handles, names, loc="outside lower center", ncols=min(beside, len(names)), frameon=False, fontsize="small"
    )


def table(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        return X.tocsr()
    values = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    if values.ndim != 2 or len(values) == 0:
        raise refused("X.shape", values.shape, "(n, d) with n >= 1", "give one row for each pattern")
    return values


def labels(y: Any, n: int) -> NDArray[Any]:
    vector = np.asarray(y)
    if vector.shape != (n,):
        raise refused("y.shape", vector.shape, f"({n},)", "give one label for each row of X")
    return vector


def names_of(X: Any, model: Any, given: Sequence[str] | None = None) -> list[str]:
    """The names of the columns: those given, those of the frame, those the model was fitted with, or x0, x1, …"""
    width = int(np.shape(X)[1])
    for names in (given, getattr(X, "columns", None), getattr(model, "feature_names_in_", None)):
        if names is not None and len(names) == width:
            return [str(name) for name in names]
    return [f"x{j}" for j in range(width)]


def dense(column: Any) -> NDArray[np.float64]:
    return np.asarray(column.toarray() if hasattr(column, "toarray") else column, np.float64)


def thinned(n: int, most: int = MOST_POINTS) -> slice:
    """At most so many of n rows, evenly spread."""
    return slice(None, None, max(1, math.ceil(n / most)))

"""What the pictures share: colors, markers, axes, legends, lines, and data as arrays.

Tests: ``tests/plot/test_style.py``.
"""

from __future__ import annotations

import math
import textwrap
import warnings
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

LINE = 80  # letters in a line of a title
LETTERS = 15  # of a legend in an inch
MARK = 6  # letters that take the room of a mark and the gap beside it
MOST_NAMES = 24  # marks in a legend
FADED = 0.6  # how much of its color a faint pattern keeps
FEW_TICKS = 4  # of an axis in three dimensions, where more would lie on each other
ROOM = 0.07  # of the range of a feature, left free around the patterns
MOST_POINTS = 10_000  # patterns that are drawn; of more, every second, third, …
SIZE, SMALLEST = 28.0, 6.0  # of a mark, in square points: of a few hundred patterns, and of very many
CROWD = 300  # patterns from which the marks get smaller


def axes(ax: Axes | None, **options: Any) -> Axes:
    """The given axes, or those of a new figure; ``options`` say of which kind."""
    if ax is None:
        ax = needed("matplotlib.pyplot", "plot").subplots(layout="compressed", subplot_kw=options)[1]
    return ax


def solid_axes(ax: Axes | None) -> Any:
    """Axes of three dimensions."""
    if ax is not None and not hasattr(ax, "get_zlim"):
        raise ValueError("ax must be axes of three dimensions; make them with subplot_kw={'projection': '3d'}.")
    return with_room(axes(ax, projection="3d"))


def with_room(ax: Any) -> Any:
    """Axes of three dimensions, a little smaller, for a layout does not see their labels, and with few numbers."""
    ax.set_box_aspect(None, zoom=0.88)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_major_locator(needed("matplotlib.ticker", "plot").MaxNLocator(FEW_TICKS))
    return ax


def look(k: int) -> dict[str, Any]:
    return {"color": COLORS[k % len(COLORS)], "marker": MARKERS[k % len(MARKERS)]}


def literal(text: Any, longest: int = 40) -> str:
    """Somebody's name for something in one line, as matplotlib shows it letter by letter: a $ begins no formula."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in " ".join(str(text).split()))
    return (shown if len(shown) <= longest else f"{shown[: longest - 1]}…").replace("$", r"\$")


def digits(value: float) -> str:
    """Three digits of a number, with a minus as on the axes."""
    return f"{value:.3g}".replace("-", "−")


def add_title(ax: Axes, text: str) -> None:
    """One more line of the title, or several where it is long."""
    lines = [ax.get_title(), textwrap.fill(text, LINE)]
    ax.set_title("\n".join(filter(None, lines)), fontsize="medium")


def add_legend(ax: Axes) -> None:
    """What the marks mean, below the axes, where no pattern lies: the first ones of very many."""
    marks: dict[str, Any] = {}
    found = list(zip(*ax.get_legend_handles_labels(), strict=True))
    for handle, name in sorted(found, key=lambda mark: "Path" not in type(mark[0]).__name__):  # patterns first
        marks.setdefault(name, handle)
    names = list(marks)
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"… and {len(names) - MOST_NAMES + 1:,} more"]
    if not names:
        return
    figure = ax.get_figure(root=True)
    assert figure is not None
    wide = ax.get_position().width * figure.get_figwidth() * LETTERS
    beside = int(max(1, min(len(names), wide // (max(map(len, names)) + MARK))))
    below = 24.0 + 14.0 * (ax.get_xlabel().count("\n") + 1)  # points that the ticks and the label take
    shift = needed("matplotlib.transforms", "plot").ScaledTranslation(0, -below / 72, figure.dpi_scale_trans)
    ax.legend(
        list(marks.values())[: len(names)], names, loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=0.0,
        bbox_transform=ax.transAxes + shift, ncols=beside, frameon=False, fontsize="small", columnspacing=1.2,
    )  # fmt: skip


def named(label: Any) -> str:
    """The class in a legend; a number alone would not say what it is."""
    return literal(label) if isinstance(label, str) else f"class {literal(label)}"


def draw_points(
    ax: Any, points: NDArray[np.float64], y: NDArray[Any], classes: NDArray[Any], faint: NDArray[Any] | None = None
) -> None:
    """The patterns of each class, in two dimensions or three; some of them faint, so that the others stand out."""
    shown = thinned(len(y))
    points, y = points[shown], y[shown]
    faint = np.zeros(len(y), bool) if faint is None else faint[shown]
    nowhere: Any = [[]] * points.shape[1]
    size = max(SMALLEST, SIZE * min(1.0, math.sqrt(CROWD / len(y))))  # many patterns cover as much as few
    for k, label in enumerate(classes):
        style: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.5, "s": SIZE, **look(k)}
        crowded = {"s": size, "linewidth": 0.5 * size / SIZE}
        for some, more in ((faint, {"color": faded(style["color"]), "zorder": 3}), (~faint, {"zorder": 4})):
            own = points[(y == label) & some]
            if len(own):
                ax.scatter(*own.T, **style | crowded | more)
        ax.scatter(*nowhere, label=named(label), **style)


def faded(color: str) -> Any:
    """The color mixed with white: where faded patterns lie on each other, they must not look like full ones."""
    return 1 - FADED * (1 - np.array(needed("matplotlib.colors", "plot").to_rgb(color)))


def draw_ring(ax: Any, points: NDArray[np.float64], label: str) -> None:
    """A ring around some patterns."""
    some = points[thinned(len(points))]
    ax.scatter(*some.T, s=90, facecolor="none", edgecolor=BLACK, linewidth=0.9, zorder=5, label=label)


def draw_line(ax: Axes, a: Any, level: float = 0.0, **options: Any) -> None:
    """Draw where a₀ + a₁x₁ + a₂x₂ = level, inside the present limits; nothing where a₁ = a₂ = 0."""
    ends = clipped_line(np.asarray(a, np.float64), level, (*ax.get_xlim(), *ax.get_ylim()))
    style: dict[str, Any] = {"color": BLACK, "linewidth": 1.3, "scalex": False, "scaley": False} | options
    ax.plot(*(ends.T if len(ends) else ([], [])), **style)


def clipped_line(
    a: NDArray[np.float64], level: float, limits: tuple[float, float, float, float]
) -> NDArray[np.float64]:
    """The two ends of the line inside a rectangle; none where it passes outside, or is no line."""
    x0, x1, y0, y1 = limits
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    with np.errstate(all="ignore"):
        g = corners @ a[1:] + (a[0] - level)
        ends = [
            corners[i] + (corners[j] - corners[i]) * (g[i] / (g[i] - g[j]))
            for i, j in ((0, 1), (1, 2), (2, 3), (3, 0))
            if (g[i] < 0) != (g[j] < 0)
        ]
    return np.array(ends).reshape(-1, 2)


def set_limits(ax: Axes, points: NDArray[np.float64], room: float = ROOM) -> None:
    """Room for all the points, unless somebody has set the limits before."""
    low, high = points.min(axis=0), points.max(axis=0)
    around = np.where(high > low, room * (high - low), np.maximum(1.0, room * np.abs(high)))
    if ax.get_autoscalex_on():
        ax.set_xlim(low[0] - around[0], high[0] + around[0])
    if ax.get_autoscaley_on():
        ax.set_ylim(low[1] - around[1], high[1] + around[1])


def grid_of(ax: Axes, steps: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Both coordinates over the present limits, and the same as rows."""
    x1, x2 = np.meshgrid(np.linspace(*ax.get_xlim(), steps), np.linspace(*ax.get_ylim(), steps))
    return x1, x2, np.column_stack([x1.ravel(), x2.ravel()])


def quietly(function: Any, X: Any) -> Any:
    """An answer about an array from a model that was fitted to a frame; it need not say that names are missing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        return function(X)


def classes_of(model: Any) -> NDArray[Any]:
    classes = getattr(model, "classes_", None)
    if classes is None or isinstance(model, type):
        raise refused("model", model, "a fitted classifier", "fit it first; a regression has no classes to draw")
    return np.asarray(classes)


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

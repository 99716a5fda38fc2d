"""A criterion J(a) over the plane of two weights, as a surface or by its level lines, with the path of a fit on it.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Fig. 5.10–5.12 and 5.15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import criteria
from .._engine.extras import needed
from .._guards.parameters import refused
from ._style import BLACK, COLORS, GRAY, add_legend, axes, thinned, with_room
from .weight_paths import AROUND, draw_path, path_label, recorded, weight_name
from .weight_spaces import solution_polygon, weight_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

STEPS = 61  # points of the grid along each side
LEVELS = 12  # level lines
MOST_STEPS = 500  # of a path on the surface; of more, every second, third, …, and the last
REACH = 4.0  # weights from -4 to 4 are shown where no path says more


def criterion_surface(
    criterion: Any,
    X: Any,
    y: Any,
    ax: Axes | None = None,
    *,
    margin: float | None = None,
    model: Any = None,
    limits: tuple[float, float, float, float] | None = None,
) -> Axes:
    """Draw a criterion as a function of two weights: a surface on axes of three dimensions, else level lines.

    Green is the solution region, where all patterns are on the right side.

    Parameters
    ----------
    criterion : str or class
        One of ``criteria``, such as "perceptron".
    X : array, CSR matrix or data frame of shape (n, 1) or (n, 2)
        Patterns of one feature, whose weights are (w₀, w₁), or of two features and no bias, (a₁, a₂).
    y : array of shape (n,)
        Their labels, of two classes.
    ax : matplotlib axes, default=None
        Where to draw, of three dimensions or two; None makes a figure of three.
    margin : float, default=None
        The margin b of the criterion; by default its own.
    model : fitted model or array, default=None
        Whose path is drawn on the surface, as in `path`.
    limits : four floats, default=None
        Least and most of the first weight and of the second; by default around the path.

    Returns
    -------
    matplotlib axes
        With the picture.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4.2, §5.5.1 and §5.6.1, Fig. 5.10–5.12 and 5.15.

    Examples
    --------
    >>> from discriminant import Perceptron, plot
    >>> X, y = [[1.0], [-1.5], [-3.0]], [1, 1, 0]
    >>> model = Perceptron(record="weights").fit(X, y)
    >>> ax = plot.criterion_surface("perceptron", X, y, model=model)
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()
    ('a₀ = w₀', 'a₁ = w₁', '$J_{p}(a)$')
    """
    Y, _, _ = weight_rows(X, y)
    J = criteria.get(criterion)(Y, margin)
    letter, _, index = J.symbol.partition("_")
    name = f"${letter}_{{{index}}}(a)$" if index else f"${letter}(a)$"
    steps = None if model is None else recorded(model, 2)
    window = _window(steps) if limits is None else limits
    if len(window) != 4 or not (window[0] < window[1] and window[2] < window[3]):
        raise refused("limits", limits, "(a₁ low, a₁ high, a₂ low, a₂ high)", "give low < high")
    ax = axes(ax, projection="3d")
    a1, a2 = np.meshgrid(np.linspace(*window[:2], STEPS), np.linspace(*window[2:], STEPS))
    rows = np.column_stack([a1.ravel(), a2.ravel()])
    height = np.array([J.value(a) for a in rows]).reshape(a1.shape)
    first = int(np.shape(X)[1] == 2)
    ax.set(xlim=window[:2], ylim=window[2:], xlabel=weight_name(0, first), ylabel=weight_name(1, first))
    if hasattr(ax, "get_zlim"):
        solved = np.all(rows @ Y.T > 0, axis=1).reshape(a1.shape)
        _draw_surface(ax, a1, a2, height, solved, name)
        if steps is not None:
            some = np.vstack([steps[:-1][thinned(len(steps) - 1, MOST_STEPS)], steps[-1:]])  # and where it ends
            lifted = np.column_stack([some, [J.value(a) for a in some]])
            ax.plot(*lifted.T, color=BLACK, marker="o", markersize=3, zorder=5, label=path_label(model, steps))
    else:
        _draw_levels(ax, a1, a2, height, Y, name)
        if steps is not None:
            draw_path(ax, steps, label=path_label(model, steps))
    add_legend(ax)
    return ax


def _window(steps: Array | None) -> tuple[float, float, float, float]:
    """A square around the path and the origin."""
    if steps is None:
        return (-REACH, REACH, -REACH, REACH)
    low, high = np.minimum(steps.min(axis=0), 0.0), np.maximum(steps.max(axis=0), 0.0)
    half = (0.5 + AROUND) * float((high - low).max() or 1.0)
    center = (low + high) / 2
    return (center[0] - half, center[0] + half, center[1] - half, center[1] + half)


def _draw_surface(ax: Any, a1: Array, a2: Array, height: Array, solved: NDArray[Any], name: str) -> None:
    with_room(ax)
    ax.computed_zorder = False  # the path is on the surface, not behind it
    colors = needed("matplotlib", "plot").colormaps["cividis"](0.15 + 0.8 * height / max(float(height.max()), 1e-300))
    if solved.any():
        colors[solved] = needed("matplotlib.colors", "plot").to_rgba(COLORS[2])
        ax.plot([], [], [], color=COLORS[2], linewidth=6, label="solution region")
    ax.plot_surface(
        a1, a2, height, facecolors=colors, rstride=1, cstride=1, linewidth=0, antialiased=False, shade=False
    )
    ax.set_zlabel(name)
    ax.ticklabel_format(axis="z", scilimits=(-2, 4))  # long numbers would lie on the label


def _draw_levels(ax: Axes, a1: Array, a2: Array, height: Array, Y: Array, name: str) -> None:
    low, high = float(height.min()), float(height.max())
    levels = low + (high - low) * (np.arange(1, LEVELS + 1) / (LEVELS + 1)) ** 2  # closer where it is flat
    if high > low:
        ax.contour(a1, a2, height, levels, colors=GRAY, linewidths=0.8)
    ax.plot([], [], color=GRAY, linewidth=0.8, label=f"level lines of {name}")
    corners = solution_polygon(Y, 0.0, (*ax.get_xlim(), *ax.get_ylim()))
    if len(corners):
        ax.fill(*corners.T, facecolor=COLORS[2], alpha=0.25, linewidth=0, zorder=1, label="solution region")

"""Weight space: each pattern y allows the half-plane aᵗy > 0, and where all of them meet is the solution region.

A margin b moves the border of each half-plane inward by b/‖y‖.  In two dimensions the region is a polygon: the
rectangle of the picture, cut by one half-plane after the other (Sutherland and Hodgman).

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4.1, Fig. 5.8 and 5.9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import needed
from .._guards.parameters import Choice, Number, refused
from ..geometry import augment, normalize, two_classes
from ._style import (
    COLORS,
    add_legend,
    axes,
    clipped_line,
    dense,
    draw_points,
    labels,
    named,
    set_limits,
    table,
    thinned,
)
from .weight_paths import AROUND, draw_path, path_label, recorded, weight_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
Limits = tuple[float, float, float, float]

MARGIN = Number("give a margin b >= 0", 0, closed=True)
PATTERNS = Choice((None, "raw", "normalized"))
MOST_LINES = 200  # borders that are drawn; of more patterns, every second, third, …
REACH = 2.2  # how far the picture goes, in units of the farthest corner of the region
FLAT = 1e-14  # of the picture: an area that is rounding
DASHES = ("-", "-.")


def weight_space(
    X: Any,
    y: Any,
    ax: Axes | None = None,
    *,
    margin: float = 0.0,
    model: Any = None,
    patterns: str | None = None,
) -> Axes:
    """Draw the solution region: all weight vectors with aᵗy > 0 for every normalized pattern y.

    Each pattern has a line aᵗy = 0 in the color of its class, and with a margin b a dotted one, aᵗy = b, at the
    distance b/‖y‖.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, 1) or (n, 2)
        Patterns of one feature, whose weights are (w₀, w₁), or of two features and no bias, (a₁, a₂).
    y : array of shape (n,)
        Their labels, of two classes.
    ax : matplotlib axes, default=None
        Where to draw, inside their limits if these were set; None makes a figure.
    margin : float, default=0.0
        The margin b.
    model : fitted model or array, default=None
        Whose path is drawn too, as in `path`.
    patterns : {None, "raw", "normalized"}, default=None
        Whether to draw the patterns as points of the same plane, as they are or negated for the first class.

    Returns
    -------
    matplotlib axes
        With the region as an exact polygon, as far as the picture goes. At most 200 lines are drawn.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4.1, Fig. 5.8, 5.9 and 5.13.

    Examples
    --------
    >>> from discriminant import plot
    >>> ax = plot.weight_space([[1.0], [-1.5], [-3.0]], [1, 1, 0], margin=1)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['class 0: aᵗy = 0', 'class 1: aᵗy = 0', 'aᵗy = b', 'solution region', 'with margin b = 1']
    """
    b = MARGIN("margin", margin)
    PATTERNS("patterns", patterns)
    Y, own, classes = weight_rows(X, y)
    steps = None if model is None else recorded(model, 2)
    raw = Y * np.where(own == 0, -1.0, 1.0)[:, None]
    points = None if patterns is None else raw if patterns == "raw" else Y
    ax = axes(ax)
    set_limits(ax, _shown(Y, b, steps, points), 0.0 if steps is None else AROUND)
    limits = (*ax.get_xlim(), *ax.get_ylim())
    _draw_borders(ax, Y, own, classes, b)
    for level, alpha, name in ((0.0, 0.2, "solution region"), (b, 0.35, f"with margin b = {b:g}"))[: 1 + (b > 0)]:
        corners = solution_polygon(Y, level, limits)
        label = name if len(corners) else f"no {name}" if level == 0 else f"none {name}"
        ax.fill(*corners.T, facecolor=COLORS[2], edgecolor=COLORS[2], alpha=alpha, linewidth=1.0, zorder=1, label=label)
    if steps is not None:
        draw_path(ax, steps, label=path_label(model, steps))
    if points is not None:
        draw_points(ax, points, classes[own], classes)
    first = int(np.shape(X)[1] == 2)
    ax.set(xlabel=weight_name(0, first), ylabel=weight_name(1, first))
    add_legend(ax)
    return ax


def weight_rows(X: Any, y: Any) -> tuple[Array, NDArray[np.intp], NDArray[Any]]:
    """Normalized patterns of two weights, the index of each one's class, and the classes."""
    X = dense(table(X))
    if X.shape[1] not in (1, 2):
        raise refused("X.shape", X.shape, "(n, 1), or (n, 2) for no bias", "choose one feature: weights need a plane")
    y = labels(y, len(X))
    classes, own = two_classes(y, "y", n_rows=len(y))
    return normalize(augment(X) if X.shape[1] == 1 else X, y), own, classes


def solution_polygon(Y: Array, b: float, limits: Limits) -> Array:
    """The corners of the part of a rectangle where Ya ≥ b; none where that is empty or has no area."""
    x0, x1, y0, y1 = limits
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    for row in Y:
        g = corners @ row - b
        if (g >= 0).all():
            continue
        following, h = np.roll(corners, -1, axis=0), np.roll(g, -1)
        crossing = (g < 0) != (h < 0)
        share = np.where(crossing, g, 0.0) / np.where(crossing, g - h, 1.0)
        between = corners + share[:, None] * (following - corners)
        both = np.stack([corners, between], axis=1).reshape(-1, 2)
        corners = both[np.column_stack([g >= 0, crossing]).ravel()]
        if len(corners) < 3:
            break
    x, y = corners.T
    area = abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
    return corners if area > FLAT * (x1 - x0) * (y1 - y0) else np.zeros((0, 2))


def _shown(Y: Array, b: float, steps: Array | None, points: Array | None) -> Array:
    """Points that the picture has to hold: the origin, the corners of the region, the path, the patterns."""
    if steps is not None:
        return np.vstack([steps, np.zeros(2)])
    reach = 1.0 if points is None else 1.2 * float(np.abs(points).max())
    if b > 0:
        far = 1e6 * b / float(np.linalg.norm(Y, axis=1).max())
        corners = solution_polygon(Y, b, (-far, far, -far, far))
        near = np.abs(corners).max(axis=1) < 0.999 * far
        reach = max(reach * (points is not None), REACH * float(np.abs(corners[near]).max(initial=far * 1e-6)))
    return np.array([[-reach, -reach], [reach, reach]])


def _draw_borders(ax: Axes, Y: Array, own: NDArray[np.intp], classes: NDArray[Any], b: float) -> None:
    """The lines aᵗy = 0 of each class, and those at the margin."""
    lines = needed("matplotlib.collections", "plot").LineCollection
    limits = (*ax.get_xlim(), *ax.get_ylim())
    for k, label in enumerate(classes):
        some = Y[own == k]
        some = some[thinned(len(some), MOST_LINES // 2)]
        for level, style, alpha in ((0.0, DASHES[k], 0.9), (b, ":", 1.0))[: 1 + (b > 0)]:
            ends = [clipped_line(np.array([0.0, *row]), level, limits) for row in some]
            ax.add_collection(
                lines(
                    [pair for pair in ends if len(pair) == 2], colors=COLORS[k], linestyles=style, alpha=alpha, lw=1.0
                ),
                autolim=False,
            )
        ax.plot([], [], color=COLORS[k], linestyle=DASHES[k], linewidth=1.0, label=f"{named(label)}: aᵗy = 0")
    if b > 0:
        ax.plot([], [], color=COLORS[0], linestyle=":", linewidth=1.0, label="aᵗy = b")

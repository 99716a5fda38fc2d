"""The proof of separability, drawn: two classes can be told apart by a line just where their convex hulls lie apart.

Where the hulls do not meet, the widest band between them proves it.  Where they touch, or overlap, a point that lies in
both does: it is a weighted mean of some patterns of the one class, and of some of the other.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4 and Problem 8 (the hulls of separable classes do not meet).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import refused
from ..geometry import Hyperplane
from ..separation.verdict import Separability, separability
from ._style import (
    BLACK,
    COLORS,
    GRAY,
    add_legend,
    axes,
    dense,
    draw_line,
    draw_points,
    draw_ring,
    labels,
    literal,
    names_of,
    set_limits,
    table,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
STAR = COLORS[4]
NEAR = 1e-9  # how much farther than the margin a pattern may seem by rounding


def hulls(X: Any, y: Any, ax: Axes | None = None, *, feature_names: Sequence[str] | None = None) -> Axes:
    """Draw the convex hulls of the classes, and the proof that a line separates them or that none does.

    Where they lie apart it is the line of the largest margin, with the patterns nearest to it; where they touch, the
    line with no pattern on the wrong side, and the patterns on it; where they overlap, the patterns of the proof, whose
    weighted means are the star, a point of both hulls. Of more than two classes the pairs that do not lie apart have
    their proofs.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, 2)
        Patterns.
    y : array of shape (n,)
        Their labels.
    ax : matplotlib axes, default=None
        Where to draw, inside their limits if these were set; None makes a figure.
    feature_names : list of str, default=None
        Names of the columns; by default those of a frame.

    Returns
    -------
    matplotlib axes
        With the picture.

    See Also
    --------
    discriminant.separability : The verdict and its proof, for any number of features and classes.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4 and Problem 8.

    Examples
    --------
    >>> from discriminant import datasets, plot
    >>> ax = plot.hulls(*datasets.xor())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['class 0', 'class 1', 'rows of the proof', 'point of both hulls']
    """
    names = names_of(X, None, feature_names)
    X = dense(table(X))
    if X.shape[1] != 2:
        raise refused("X.shape", X.shape, "(n, 2)", "choose two features; separability answers for any number")
    y = labels(y, len(X))
    classes, own = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise refused("y", classes.tolist(), "labels of at least two classes", "give the patterns of another one")
    proofs = {
        pair: separability(X[np.isin(own, pair)], y[np.isin(own, pair)])
        for pair in combinations(range(len(classes)), 2)
    }
    ax = axes(ax)
    set_limits(ax, X)
    for k in range(len(classes)):
        corners, color = hull(X[own == k]), COLORS[k % len(COLORS)]
        ax.fill(*corners.T, facecolor=color, edgecolor=color, alpha=0.15, linewidth=2.0, zorder=1)
    draw_points(ax, X, y, classes)
    draw = {"complete": _draw_apart, "quasi": _draw_touching, "overlap": _draw_meeting}
    for (first, second), found in proofs.items():
        some = (own == first) | (own == second)
        if len(classes) == 2 or found.verdict != "complete":
            draw[found.verdict](ax, found, X[some], (own[some] == second).astype(np.intp))
    ax.set(xlabel=literal(names[0]), ylabel=literal(names[1]))
    add_legend(ax)
    return ax


def hull(points: Array) -> Array:
    """The corners of the convex hull, counterclockwise (Andrew's monotone chain); of points on a line its two ends."""
    rows = np.unique(points, axis=0)
    if len(rows) < 3:
        return rows
    halves: list[list[Array]] = []
    for way in (rows, rows[::-1]):
        chain: list[Array] = []
        for point in way:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        halves.append(chain[:-1])
    return np.array(halves[0] + halves[1])


def _turn(a: Array, b: Array, c: Array) -> float:
    """Positive where the way from a over b to c turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _draw_apart(ax: Axes, found: Separability, X: Array, own: NDArray[np.intp]) -> None:
    plane = found.margin.hyperplane
    assert plane is not None
    g = np.abs(plane.value(X))
    draw_line(ax, plane.a, label=f"largest margin {float(found.margin):.3g}")
    for side in (-1, 1):
        draw_line(ax, plane.a, side * float(g.min()), color=GRAY, linestyle="--", linewidth=1.0)
    draw_ring(ax, X[g <= g.min() * (1 + NEAR)], "nearest")


def _draw_touching(ax: Axes, found: Separability, X: Array, own: NDArray[np.intp]) -> None:
    assert isinstance(found.hyperplane, Hyperplane)
    draw_line(ax, found.hyperplane.a, label="no pattern on the wrong side")
    draw_ring(ax, X[found.boundary_rows], "on the line")
    _draw_star(ax, found)


def _draw_meeting(ax: Axes, found: Separability, X: Array, own: NDArray[np.intp]) -> None:
    rows = np.array([term.row for term in found.certificate.support])
    for k in range(2):
        some = X[rows[own[rows] == k]]
        ax.plot(*np.vstack([some, some[:1]]).T, color=BLACK, linewidth=1.1, zorder=2, scalex=False, scaley=False)
    draw_ring(ax, X[rows], "rows of the proof")
    _draw_star(ax, found)


def _draw_star(ax: Axes, found: Separability) -> None:
    point = [float(value) for value in found.certificate.point or ()]
    style: dict[str, Any] = {"color": STAR, "edgecolor": BLACK, "linewidth": 0.8, "s": 220}
    ax.scatter(*point, marker="*", zorder=4.5, label="point of both hulls", **style)

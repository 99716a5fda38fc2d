"""The space of y = φ(x), where a plane does what a curve has to do in the space of x.

One feature becomes a curve, two become a surface, and a plane cuts them.  Where φ gives two numbers, the third is the
y₁ = 1 of augmented vectors: the plane aᵗy = 0 passes through the origin then, perpendicular to a.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Fig. 5.5–5.7, Example 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import needed
from .._guards.parameters import refused
from ._planes import center_of
from ._style import BLACK, COLORS, GRAY, add_legend, classes_of, dense, draw_points, labels, literal, solid_axes, table
from .boundaries import plane_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

CURVE, SIDE = 201, 25  # points of a curve, and along each side of a surface
AROUND = 0.15  # of the extent of the patterns, left free around them


def feature_space(model: Any, X: Any, y: Any, ax: Axes | None = None, *, components: Sequence[int] = (0, 1, 2)) -> Axes:
    """Draw the patterns in the space of y = φ(x), the plane that separates them there, and the image of x.

    Parameters
    ----------
    model : fitted pipeline, or linear classifier, of two classes
        A pipeline maps by all its steps but the last, which is linear; alone, a classifier has y = x.
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Their labels.
    ax : matplotlib axes of three dimensions, default=None
        Where to draw; None makes a figure.
    components : three indices, default=(0, 1, 2)
        Which of the features φ are the axes, where there are more than three; the others have their medians. Two
        features are drawn with y₁ = 1 before them.

    Returns
    -------
    matplotlib axes
        With the picture. The image of one or two features x is drawn in the colors of the classes.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Fig. 5.5–5.7, Example 2.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from discriminant import Perceptron, PolynomialMap, datasets, plot
    >>> X, y = datasets.xor_signed()
    >>> model = make_pipeline(PolynomialMap(interaction_only=True), Perceptron()).fit(X, y)
    >>> ax = plot.feature_space(model, X, y)
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()
    ('x0', 'x1', 'x0 x1')
    """
    X = table(X)
    y = labels(y, X.shape[0])
    linear = model[-1] if hasattr(model, "steps") else model
    a = plane_weights(linear)
    if a is None:
        raise refused("model", linear, "linear in y, of two classes", "end the pipeline with a linear classifier")
    Z = _mapped(model, X)
    if Z.shape[1] == 2:
        chosen, augmented = [0, 1, 2], True
        Z, names = np.insert(Z, 0, 1.0, axis=1), ["y₁ = 1", *_names(model, Z.shape[1])]
        weights = np.concatenate([[0.0], a])
    else:
        chosen, augmented, names = _checked(components, Z.shape[1]), False, _names(model, Z.shape[1])
        others = np.setdiff1d(np.arange(Z.shape[1]), chosen)
        weights = np.concatenate([[a[0] + a[1:][others] @ center_of(Z)[others]], a[1:][chosen]])
    ax = solid_axes(ax)
    box = _box(Z[:, chosen], augmented)
    _draw_image(ax, model, X, chosen, weights, augmented)
    _draw_plane(ax, weights, box)
    if augmented:
        _draw_normal(ax, weights[1:], box)
    draw_points(ax, Z[:, chosen], y, classes_of(linear))
    ax.set(xlim=box[0], ylim=box[1], zlim=box[2])
    ax.set(xlabel=names[chosen[0]], ylabel=names[chosen[1]], zlabel=names[chosen[2]])
    add_legend(ax)
    return ax


def _mapped(model: Any, X: Any) -> Array:
    return dense(model[:-1].transform(X) if hasattr(model, "steps") and len(model) > 1 else X)


def _names(model: Any, d: int) -> list[str]:
    """What the map calls its features, or y₁, y₂, …"""
    maps = [step for _, step in model.steps[:-1]] if hasattr(model, "steps") else []
    if maps and all(hasattr(step, "get_feature_names_out") for step in maps):
        return [literal(name) for name in model[:-1].get_feature_names_out()]
    return [f"y{j + 1}" for j in range(d)]


def _checked(components: Sequence[int], d: int) -> list[int]:
    chosen = [int(j) for j in components]
    if d < 2 or len(chosen) != 3 or len(set(chosen)) < 3 or not all(0 <= j < d for j in chosen):
        raise refused("components", tuple(components), f"three of {d} features", "map x to more: three are needed")
    return chosen


def _box(Z: Array, augmented: bool) -> Array:
    """Least and most along each axis; with the origin, and y₁ = −1, for augmented vectors."""
    rows = np.vstack([Z, np.zeros((1, 3)), [[-1.0, 0.0, 0.0]]]) if augmented else Z
    low, high = rows.min(axis=0), rows.max(axis=0)
    room = np.where(high > low, AROUND * (high - low), 1.0)
    return np.column_stack([low - room, high + room])


def plane_in_box(weights: Array, box: Array) -> Array:
    """The corners of the polygon in which a plane w₀ + wᵗy = 0 cuts a box, in order; none where it passes by."""
    ends = np.array([[box[j, bit >> j & 1] for j in range(3)] for bit in range(8)])
    g = ends @ weights[1:] + weights[0]
    edges = [(i, j) for i, j in combinations(range(8), 2) if (i ^ j).bit_count() == 1 and (g[i] < 0) != (g[j] < 0)]
    if len(edges) < 3:
        return np.zeros((0, 3))
    corners = np.array([ends[i] + (ends[j] - ends[i]) * g[i] / (g[i] - g[j]) for i, j in edges])
    spread = (corners - corners.mean(axis=0)) / (box[:, 1] - box[:, 0])
    first, second = np.linalg.svd(spread)[2][:2]
    return corners[np.argsort(np.arctan2(spread @ second, spread @ first))]


def _draw_plane(ax: Any, weights: Array, box: Array) -> None:
    corners = plane_in_box(weights, box)
    if len(corners):
        polygons = needed("mpl_toolkits.mplot3d.art3d", "plot").Poly3DCollection
        ax.add_collection3d(polygons([corners], facecolor=COLORS[4], edgecolor=BLACK, alpha=0.25, linewidth=0.8))
        ax.plot([], [], [], color=COLORS[4], linewidth=6, alpha=0.4, label="g = aᵗy = 0")


def _draw_normal(ax: Any, a: Array, box: Array) -> None:
    """The vector a at the origin, as long as the box has room for."""
    with np.errstate(all="ignore"):
        reach = np.where(a > 0, box[:, 1], box[:, 0]) / a
    if a.any():
        tip = 0.9 * np.nanmin(reach) * a
        ax.quiver(0, 0, 0, *tip, color=BLACK, linewidth=1.5, arrow_length_ratio=0.15, label="a")


def _draw_image(ax: Any, model: Any, X: Any, chosen: list[int], weights: Array, augmented: bool) -> None:
    """What becomes of the whole line, or plane, of x: a curve or a surface, in the color of the side it lies on."""
    if X.shape[1] > 2 or not hasattr(model, "steps"):
        return
    rows = dense(X)
    low, high = rows.min(axis=0), rows.max(axis=0)
    room = np.where(high > low, AROUND * (high - low), 1.0)
    sides = [np.linspace(a, b, CURVE if len(low) == 1 else SIDE) for a, b in zip(low - room, high + room, strict=True)]
    grid = np.column_stack([part.ravel() for part in np.meshgrid(*sides)])
    Z = _mapped(model, grid)
    Z = np.insert(Z, 0, 1.0, axis=1) if augmented else Z
    side = (Z[:, chosen] @ weights[1:] + weights[0] > 0).astype(int)
    if len(low) == 1:
        for k in range(2):
            ax.plot(*np.where(side == k, Z[:, chosen].T, np.nan), color=COLORS[k], linewidth=2.0)
        return
    colors = np.array([needed("matplotlib.colors", "plot").to_rgba(COLORS[k], 0.3) for k in range(2)])[side]
    shape = (SIDE, SIDE)
    surface = [Z[:, j].reshape(shape) for j in chosen]
    ax.plot_surface(*surface, facecolors=colors.reshape(*shape, 4), edgecolor=GRAY, linewidth=0.15, shade=False)

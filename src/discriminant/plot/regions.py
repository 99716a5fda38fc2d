"""Decision regions in the plane of two features."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import needed
from .._guards.parameters import refused
from ._style import BLACK, COLORS, GRAY, LINE, add_title, axes, dense, labels, literal, look, names_of, table, thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = 220  # points of the grid along each side
BLOCK = 4_000_000  # entries of the grid's patterns that are predicted at a time
FEW = 3  # features whose medians are told one by one
FADED = 0.4  # how much of its color a pattern on the right side keeps
ROOM = 0.07  # of the range of a feature, left free around the patterns


def boundary(
    model: Any,
    X: Any,
    y: Any,
    features: Sequence[int | str] = (0, 1),
    ax: Axes | None = None,
    *,
    feature_names: Sequence[str] | None = None,
) -> Axes:
    """Draw what a classifier decides where, in the plane of two features, with the patterns.

    Patterns that it gets right are faded. Where its discriminants leave the class open the region is hatched. A model
    of more than two features is cut where the others have their medians, which the title says; patterns of one class in
    the region of another that are faded tell how much that hides.

    Parameters
    ----------
    model : fitted classifier
        Of this package or of scikit-learn.
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns, with the columns of the fit.
    y : array of shape (n,)
        Their labels.
    features : one or two indices or names, default=(0, 1)
        The features of the axes; with one, the classes are drawn one above the other.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.
    feature_names : list of str, default=None
        Names of the columns; by default those of a frame.

    Returns
    -------
    matplotlib axes
        With the picture. At most 5,000 of the patterns are drawn.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2, Fig. 5.3 and 5.4.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, plot
    >>> X, y = datasets.table(1, 2)
    >>> ax = plot.boundary(Perceptron().fit(X, y), X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'x1')
    """
    names = names_of(X, model, feature_names)
    X = table(X)
    y = labels(y, X.shape[0])
    chosen = _chosen(features if X.shape[1] > 1 else features[:1], names)
    ax = axes(ax)
    classes = np.asarray(model.classes_)
    points = dense(X[:, chosen])
    wrong = np.asarray(_quietly(model.predict, X)) != y
    if len(chosen) == 1:
        own = np.searchsorted(classes, y)
        spread = (np.arange(len(y)) * 0.618034 % 1 - 0.5) * 0.6  # the golden section fills a strip evenly
        points = np.column_stack([points, own + spread])
        ax.set_yticks(range(len(classes)), [literal(label) for label in classes])
    center = _center(X)
    _limits(ax, points)
    _draw_regions(ax, model, classes, center, chosen)
    _draw_points(ax, points, y, wrong, classes)
    ax.set_xlabel(literal(names[chosen[0]]))
    ax.set_ylabel(literal(names[chosen[1]]) if len(chosen) == 2 else "class")
    if len(names) > len(chosen):
        add_title(ax, _cut(names, center, chosen))
    return ax


def hides(model: Any, X: Any, chosen: list[int]) -> bool:
    """Whether all patterns would be of one class if the other features had their medians, though they are not."""
    on_cut = _on_grid(model.predict, dense(X[:, chosen]), _center(X), chosen)
    return len(np.unique(on_cut)) == 1 < len(np.unique(_quietly(model.predict, X)))


def _cut(names: list[str], center: NDArray[np.float64], chosen: list[int]) -> str:
    others = [j for j in range(len(names)) if j not in chosen]
    told = " and ".join(f"{literal(names[j])} = {center[j]:.4g}" for j in others[:FEW])
    if len(others) > FEW or len(told) > LINE:
        return f"cut where the other {len(others):,} features have their medians"
    return f"cut where {told} (median{'s' if len(others) > 1 else ''})"


def _chosen(features: Sequence[int | str], names: list[str]) -> list[int]:
    if isinstance(features, str) or len(features) not in (1, 2):
        raise refused("features", features, "one or two columns", "give them by index or by name")
    found = []
    for feature in features:
        if isinstance(feature, str) and feature in names:
            found.append(names.index(feature))
        elif isinstance(feature, int | np.integer) and -len(names) <= feature < len(names):
            found.append(int(feature) % len(names))
        else:
            few = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            raise refused("features", features, f"among the {len(names)} columns", f"{feature!r} is none of {few}")
    if len(set(found)) < len(found):
        raise refused("features", features, "two different columns", "name each once")
    return found


def _center(X: Any) -> NDArray[np.float64]:
    """The median of each feature; of a sparse column that is zero where most of it is."""
    if not hasattr(X, "indptr"):
        return np.asarray(np.median(X, axis=0), np.float64)
    center = np.zeros(X.shape[1])
    for j in np.flatnonzero(2 * np.bincount(X.indices, minlength=center.size) >= X.shape[0]):
        center[j] = np.median(X[:, [j]].toarray())
    return center


def _limits(ax: Axes, points: NDArray[np.float64]) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.where(high > low, ROOM * (high - low), np.maximum(1.0, ROOM * np.abs(high)))
    ax.set_xlim(low[0] - room[0], high[0] + room[0])
    ax.set_ylim(low[1] - room[1], high[1] + room[1])


def _quietly(function: Any, X: Any) -> Any:
    """An answer about an array from a model that was fitted to a frame; it need not say that names are missing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        return function(X)


def _on_grid(function: Any, grid: NDArray[np.float64], center: NDArray[np.float64], chosen: list[int]) -> Any:
    """The answers at the points of the grid, the other features at their center, some rows at a time."""
    size = max(1, BLOCK // center.size)
    answers = []
    for start in range(0, len(grid), size):
        rows = np.tile(center, (len(grid[start : start + size]), 1))
        rows[:, chosen] = grid[start : start + size, : len(chosen)]
        answers.append(np.asarray(_quietly(function, rows)))
    return np.concatenate(answers)


def _draw_regions(ax: Axes, model: Any, classes: NDArray[Any], center: NDArray[np.float64], chosen: list[int]) -> None:
    """Color each point of the plane by its class, draw the surfaces between, hatch what is open."""
    x1, x2 = np.meshgrid(np.linspace(*ax.get_xlim(), STEPS), np.linspace(*ax.get_ylim(), STEPS))
    grid = np.column_stack([x1.ravel(), x2.ravel()])
    predicted = _on_grid(model.predict, grid, center, chosen)
    kind = np.searchsorted(classes, predicted).reshape(x1.shape)
    colors = needed("matplotlib.colors", "plot").ListedColormap([COLORS[k % len(COLORS)] for k in range(len(classes))])
    ax.pcolormesh(
        x1, x2, kind, cmap=colors, vmin=-0.5, vmax=len(classes) - 0.5, alpha=0.2, shading="nearest", rasterized=True
    )
    style: dict[str, Any] = {"colors": BLACK, "linewidths": 1.2}
    if len(classes) == 2 and hasattr(model, "decision_function"):
        g = np.asarray(_on_grid(model.decision_function, grid, center, chosen), np.float64).reshape(x1.shape)
        if g.min() < 0 < g.max():
            ax.contour(x1, x2, g, [0.0], **style)
    else:
        for k in np.unique(kind)[1:]:
            ax.contour(x1, x2, (kind >= k).astype(float), [0.5], **style)
    if hasattr(model, "undecided"):
        open_ = _on_grid(model.undecided, grid, center, chosen).reshape(x1.shape).astype(float)
        if open_.any():
            ax.contourf(x1, x2, open_, [0.5, 1.5], colors=["#FFFFFFA0"], hatches=["///"])


def _draw_points(
    ax: Axes, points: NDArray[np.float64], y: NDArray[Any], wrong: NDArray[np.bool_], classes: NDArray[Any]
) -> None:
    """The patterns; those on the right side are faded, so that the others stand out."""
    shown = thinned(len(y))
    points, y, wrong = points[shown], y[shown], wrong[shown]
    for k, label in enumerate(classes):
        style: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.5, "s": 28, **look(k)}
        for some, more in ((~wrong, {"color": _faded(style["color"]), "zorder": 3}), (wrong, {"zorder": 4})):
            own = points[(y == label) & some]
            ax.scatter(own[:, 0], own[:, 1], **style | more)
        ax.scatter([], [], label=literal(label), **style)
    ax.scatter([], [], s=28, color=_faded(GRAY), label="on its side")


def _faded(color: str) -> Any:
    """The color mixed with white: where faded patterns lie on each other, they must not look like full ones."""
    return 1 - FADED * (1 - np.array(needed("matplotlib.colors", "plot").to_rgb(color)))

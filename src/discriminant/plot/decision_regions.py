"""Decision regions: what a classifier decides where.

A linear machine has convex regions; two-category rules for many classes leave some of the plane to no class or to
several, and these parts are hatched.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.2, Fig. 5.3 and 5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import needed
from ._planes import Plane, plane_of
from ._style import (
    BLACK,
    COLORS,
    GRAY,
    add_legend,
    axes,
    classes_of,
    dense,
    draw_points,
    faded,
    grid_of,
    labels,
    literal,
    names_of,
    quietly,
    set_limits,
    table,
    thinned,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS, COARSE = 220, 60  # points of the grid along each side, and the fewest of a slow model
WORK = 20_000_000  # kernel values that a grid may take, about 0.2 s


def regions(
    model: Any,
    X: Any,
    y: Any = None,
    features: Sequence[int | str] | str = (0, 1),
    ax: Axes | None = None,
    *,
    feature_names: Sequence[str] | None = None,
) -> Axes:
    """Draw what a classifier decides where, in a plane, with the patterns.

    Patterns that it gets right are faded where it gets others wrong. Where its discriminants leave the class open the
    region is hatched. A model of more than two features is cut where the others have their medians, or in the plane of
    the principal components; below the axis stands which. Faded patterns of one class in the region of another tell
    how much that hides.

    Parameters
    ----------
    model : fitted classifier
        Of this package or of scikit-learn.
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns, with the columns of the fit.
    y : array of shape (n,), default=None
        Their labels; without them no pattern is drawn.
    features : one or two indices or names, or "components", default=(0, 1)
        The features of the axes; with one, the classes are drawn one above the other.
    ax : matplotlib axes, default=None
        Where to draw, inside their limits if these were set; None makes a figure.
    feature_names : list of str, default=None
        Names of the columns; by default those of a frame.

    Returns
    -------
    matplotlib axes
        With the picture. At most 10,000 of the patterns are drawn.

    See Also
    --------
    boundary : Lines in place of regions: the boundary, the margin and the support vectors.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.2, Fig. 5.3 and 5.4.

    Examples
    --------
    >>> from discriminant import FisherDiscriminant, datasets, plot
    >>> X, y = datasets.iris()
    >>> ax = plot.regions(FisherDiscriminant().fit(X, y), X, y, features="components")
    >>> print(ax.get_xlabel())
    component 1 (73% of the variance)
    plane of the two principal components of the standardized features
    """
    names = names_of(X, model, feature_names)
    X = table(X)
    y = None if y is None else labels(y, X.shape[0])
    classes = classes_of(model)
    plane = plane_of(X, features, names)
    ax = axes(ax)
    points = plane.project(X)
    if points.shape[1] == 1:
        points = _in_rows(ax, points, y, classes)
    set_limits(ax, points)
    _draw_regions(ax, model, classes, plane)
    if y is not None:
        shown = thinned(len(y))
        right = np.asarray(quietly(model.predict, X[shown])) == y[shown]
        draw_points(ax, points[shown], y[shown], classes, faint=None if right.all() else right)
        if not right.all():
            ax.scatter([], [], s=28, color=faded(GRAY), label="on its side")
    plane.label(ax, second=None if len(plane.names) == 2 else "class")
    add_legend(ax)
    return ax


class RegionsDisplay:
    """The picture of `regions` as a display, the way scikit-learn has its own.

    Parameters
    ----------
    estimator : fitted classifier
        Of this package or of scikit-learn.
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns.
    y : array of shape (n,), default=None
        Their labels; without them no pattern is drawn.
    features : one or two indices or names, or "components", default=(0, 1)
        The features of the axes.
    feature_names : list of str, default=None
        Names of the columns; by default those of a frame.

    Attributes
    ----------
    ax_ : matplotlib axes
        With the picture.
    figure_ : matplotlib figure
        Of these axes.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.2, Fig. 5.3 and 5.4.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from discriminant import datasets, plot
    >>> X, y = datasets.table(1, 2)
    >>> display = plot.RegionsDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['class 0', 'class 1']
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        features: Sequence[int | str] | str = (0, 1),
        *,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        self.estimator, self.X, self.y = estimator, X, y
        self.features, self.feature_names = features, feature_names

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the regions of a fitted classifier, and give the display; ``options`` are those of the class."""
        return cls(estimator, X, y, **options).plot(ax)

    def plot(self, ax: Axes | None = None) -> RegionsDisplay:
        """Draw on these axes, or on new ones."""
        self.ax_ = regions(self.estimator, self.X, self.y, self.features, ax, feature_names=self.feature_names)
        self.figure_ = self.ax_.get_figure(root=True)
        return self


def hides(model: Any, X: Any, chosen: list[int]) -> bool:
    """Whether all patterns would be of one class if the other features had their medians, though they are not."""
    names = [str(j) for j in range(X.shape[1])]
    on_cut = plane_of(X, chosen, names).at(model.predict, dense(X[:, chosen]))
    return len(np.unique(on_cut)) == 1 < len(np.unique(quietly(model.predict, X)))


def _in_rows(
    ax: Axes, points: NDArray[np.float64], y: NDArray[Any] | None, classes: NDArray[Any]
) -> NDArray[np.float64]:
    """The patterns of one feature, each class in a row of its own."""
    own = np.arange(len(points)) % len(classes) if y is None else np.searchsorted(classes, y)
    spread = (np.arange(len(points)) * 0.618034 % 1 - 0.5) * 0.6  # the golden section fills a strip evenly
    ax.set_yticks(range(len(classes)), [literal(label) for label in classes])
    return np.column_stack([points, own + spread])


def _draw_regions(ax: Axes, model: Any, classes: NDArray[Any], plane: Plane) -> None:
    """Color each point of the plane by its class, draw the surfaces between, hatch what is open."""
    x1, x2, grid = grid_of(ax, fineness(model))
    two, own = len(classes) == 2 and hasattr(model, "decision_function"), hasattr(model, "undecided")
    g = np.asarray(plane.at(model.decision_function, grid), np.float64) if two else np.zeros(0)
    if two and own:  # what they decide is known from g: a kernel is not asked twice
        kind, open_ = (g >= 0).astype(np.intp), g == 0
    else:
        kind = np.searchsorted(classes, plane.at(model.predict, grid))
        open_ = plane.at(model.undecided, grid) if own else np.zeros(len(grid), bool)
    kind, open_ = kind.reshape(x1.shape), open_.reshape(x1.shape)
    colors = needed("matplotlib.colors", "plot").ListedColormap([COLORS[k % len(COLORS)] for k in range(len(classes))])
    ax.pcolormesh(
        x1, x2, kind, cmap=colors, vmin=-0.5, vmax=len(classes) - 0.5, alpha=0.2, shading="nearest", rasterized=True
    )
    style: dict[str, Any] = {"colors": BLACK, "linewidths": 1.2}
    if two and g.min() < 0 < g.max():
        ax.contour(x1, x2, g.reshape(x1.shape), [0.0], **style)
    elif not two:
        draw_borders(ax, model, plane, kind, **style)
    if open_.any():
        hatched = ax.contourf(x1, x2, open_.astype(float), [0.5, 1.5], colors=["#FFFFFFA0"], hatches=["///"])
        hatched.set_edgecolor(GRAY)
        ax.fill([], [], facecolor="white", edgecolor=GRAY, hatch="///", label="undecided")


def fineness(model: Any) -> int:
    """Points of the grid along each side: fewer where a kernel has many patterns to ask."""
    if hasattr(model, "coef_"):
        return STEPS
    held = np.shape(getattr(model, "support_vectors_", getattr(model, "X_fit_", ())))[0]
    return int(np.clip(np.sqrt(WORK / max(held, 1)), COARSE, STEPS))


def draw_borders(ax: Axes, model: Any, plane: Plane, kind: NDArray[np.intp], **style: Any) -> None:
    """The lines between the classes of a grid: where their discriminants tie, or else between the cells."""
    x1, x2, grid = grid_of(ax, len(kind))
    score = getattr(model, "discriminants", getattr(model, "decision_function", None))
    g = np.zeros(0) if score is None else plane.at(score, grid)
    smooth = g.ndim == 2 and np.array_equal(g.argmax(axis=1), kind.ravel())
    for k in np.unique(kind)[1:]:
        lead = g[:, k:].max(axis=1) - g[:, :k].max(axis=1) if smooth else (kind >= k) - 0.5
        ax.contour(x1, x2, lead.reshape(x1.shape), [0.0], **style)

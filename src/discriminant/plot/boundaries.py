"""The surface between the classes as a line, with the margin beside it.

Of a linear discriminant the line g(x) = 0 is drawn exactly, and so are those at the margin, g(x) = ±γ‖w‖.  A pattern
x that falls short of the margin γ has the slack ξ = max(0, γ − z g(x)/‖w‖), the way to its own side of the band.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.1 and §5.11, Fig. 5.2, 5.17 and 5.19; Cristianini,
Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Definition 2.6, Fig. 2.1–2.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import Number, Or, refused
from ..geometry import Hyperplane, LinearMachine, two_classes
from ..margin_distribution import margins
from ._planes import Plane, plain_plane, plane_of
from ._style import (
    BLACK,
    GRAY,
    add_legend,
    axes,
    classes_of,
    draw_line,
    draw_points,
    draw_ring,
    grid_of,
    labels,
    names_of,
    set_limits,
    table,
)
from .decision_regions import draw_borders, fineness

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHED: dict[str, Any] = {"color": GRAY, "linewidth": 1.0, "linestyle": "--"}
MARGIN = Or((None,), Number("leave it out for the margin that the model keeps", 0, closed=True))


def boundary(
    model: Any,
    X: Any = None,
    y: Any = None,
    features: Sequence[int | str] | str = (0, 1),
    ax: Axes | None = None,
    *,
    margin: float | None = None,
    feature_names: Sequence[str] | None = None,
    **style: Any,
) -> Axes:
    """Draw the surface between the classes as a line, the margin beside it, and the support vectors.

    Dashed are the lines at the margin: those of a support vector machine, g(x) = ±1; those of a plane that separates
    the patterns, through the nearest ones; or those at a margin that is given, and then the slack of each pattern that
    falls short of it is drawn too. Rules of two categories for many classes show the line of each rule.

    Parameters
    ----------
    model : fitted classifier, Hyperplane or LinearMachine
        Of this package or of scikit-learn.
    X : array, CSR matrix or data frame of shape (n, d), default=None
        Patterns; without them the line is drawn inside the limits of the axes.
    y : array of shape (n,), default=None
        Their labels; without them no pattern is drawn.
    features : one or two indices or names, or "components", default=(0, 1)
        The features of the axes, as in `regions`.
    ax : matplotlib axes, default=None
        Where to draw, inside their limits if these were set; None makes a figure.
    margin : float, default=None
        The distance γ of the dashed lines from a plane between two classes; 0 draws none.
    feature_names : list of str, default=None
        Names of the columns; by default those of a frame.
    **style : dict
        How to draw the line: ``color``, ``linestyle``, ``linewidth``, ``label``.

    Returns
    -------
    matplotlib axes
        With the picture.

    See Also
    --------
    regions : The regions in color.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Fig. 5.2, 5.17 and 5.19; Cristianini, Shawe-Taylor, *An
    Introduction to Support Vector Machines*, ch. 2, Fig. 2.1–2.4.

    Examples
    --------
    >>> from discriminant import SupportVectorMachine, datasets, plot
    >>> X, y = datasets.margin_six()
    >>> ax = plot.boundary(SupportVectorMachine(C=float("inf")).fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['class 0', 'class 1', 'support vectors', 'g(x) = 0', 'margin 0.354']
    """
    MARGIN("margin", margin)
    names = None if X is None else names_of(X, model, feature_names)
    X = None if X is None else table(X)
    y = None if X is None or y is None else labels(y, X.shape[0])
    plane = plain_plane() if X is None or names is None else plane_of(X, features, names)
    classes = None if y is None else classes_in(model, y)
    _check(model, plane, margin)
    ax = axes(ax)
    if X is not None:
        set_limits(ax, plane.project(X))
        plane.label(ax)
    _draw_surface(ax, model, plane, style)
    _draw_margin(ax, model, plane, X, y, margin)
    if y is not None and classes is not None:
        draw_points(ax, plane.project(X), y, classes)
    if hasattr(model, "support_vectors_"):
        draw_ring(ax, plane.project(table(model.support_vectors_)), "support vectors")
    add_legend(ax)
    return ax


def plane_weights(model: Any) -> NDArray[np.float64] | None:
    """The augmented weights (w₀, w) of the one plane between two classes; None where the surface is another."""
    if isinstance(model, Hyperplane):
        return model.a
    if isinstance(model, LinearMachine):
        return model.boundary(1, 0).a if model.n_classes == 2 else None
    if not hasattr(model, "coef_") or len(classes_of(model)) != 2:
        return None
    coef = model.coef_
    w = np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, np.float64).ravel()
    return np.concatenate([np.ravel(model.intercept_)[:1], w])


def classes_in(model: Any, y: NDArray[Any]) -> NDArray[Any]:
    """The classes of a model, or those of the labels where it is a bare plane."""
    if isinstance(model, LinearMachine):
        return model.classes
    return two_classes(y, "y", n_rows=len(y))[0] if isinstance(model, Hyperplane) else classes_of(model)


def _draw_surface(ax: Axes, model: Any, plane: Plane, style: dict[str, Any]) -> None:
    """The line of a plane, those of the rules of two categories, or the borders of the regions."""
    look: dict[str, Any] = {"color": BLACK, "linewidth": 1.3, "label": "g(x) = 0"} | style
    a = plane_weights(model)
    if a is not None:
        draw_line(ax, plane.line(a), **look)
        return
    rules = getattr(model, "multiclass_", None) in ("one-vs-rest", "one-vs-one") and hasattr(model, "coef_")
    if rules:
        for k, row in enumerate(np.atleast_2d(model.weights_)):
            draw_line(ax, plane.line(row), **look | ({"label": None} if k else {}))
        return
    x1, x2, grid = grid_of(ax, fineness(model))
    lines = {"colors": look["color"], "linewidths": look["linewidth"], "linestyles": look.get("linestyle", "solid")}
    if hasattr(model, "decision_function") and len(classes_of(model)) == 2:
        g = np.asarray(plane.at(model.decision_function, grid)).reshape(x1.shape)
        dashed = {"colors": GRAY, "linewidths": 1.0, "linestyles": "--"}
        for level, shown in ((0.0, lines), (-1.0, dashed), (1.0, dashed))[: 3 if _is_machine(model) else 1]:
            if g.min() < level < g.max():
                ax.contour(x1, x2, g, [level], **shown)
    else:
        known = model.classes if isinstance(model, LinearMachine) else classes_of(model)
        kind = np.searchsorted(known, plane.at(model.predict, grid)).reshape(x1.shape)
        draw_borders(ax, model, plane, kind, **lines)
        look |= {} if "label" in style else {"label": "boundary"}
    ax.plot([], [], **look)
    if _is_machine(model) and len(classes_of(model)) == 2:
        ax.plot([], [], label="g(x) = ±1", **DASHED)


def _is_machine(model: Any) -> bool:
    """Whether it is a support vector machine, whose margin is at g = ±1."""
    return hasattr(model, "support_vectors_") and hasattr(model, "C")


def _check(model: Any, plane: Plane, margin: float | None) -> None:
    """Refuse what cannot be drawn before there are axes."""
    a = plane_weights(model)
    if margin is not None and a is None:
        raise refused("margin", margin, "left out for this model", "a margin belongs to a plane between two classes")
    if len(plane.directions) != 2:
        raise refused("X.shape", (..., len(plane.origin)), "(n, d) with d >= 2", "plot.regions draws a single feature")
    if not isinstance(model, Hyperplane | LinearMachine):
        classes_of(model)
    if a is not None and len(a) - 1 != len(plane.origin):
        raise ValueError(f"model has {len(a) - 1} features where the plane has {len(plane.origin)}; give X to cut it.")


def _draw_margin(ax: Axes, model: Any, plane: Plane, X: Any, y: Any, margin: float | None) -> None:
    """The dashed lines of a plane, and the slack of a margin that was asked for."""
    a = plane_weights(model)
    if a is None or not a[1:].any():
        return
    length = float(np.linalg.norm(a[1:]))
    level = margin * length if margin is not None else 1.0 if _is_machine(model) else _kept(model, X, y)
    if level <= 0:
        return
    for side in (-1, 1):
        label = f"margin {level / length:.3g}" if side < 0 else None
        draw_line(ax, plane.line(a), side * level, label=label, **DASHED)
    if margin is not None and y is not None and plane.is_whole:
        _draw_slack(ax, model, X, y, margin, a[1:] / length)


def _kept(model: Any, X: Any, y: Any) -> float:
    """The functional margin that all patterns keep; 0 where some do not."""
    return 0.0 if y is None else max(float(margins(model, X, y).functional.min()), 0.0)


def _draw_slack(ax: Axes, model: Any, X: Any, y: NDArray[Any], margin: float, normal: NDArray[np.float64]) -> None:
    """The way from each pattern that falls short of the margin to its own line."""
    found = margins(model, X, y, margin, normalized=True)
    short = np.flatnonzero(found.slack)
    points = np.asarray(X[short].toarray() if hasattr(X, "toarray") else X[short], np.float64)
    side = np.where(y[short] == classes_in(model, y)[1], 1.0, -1.0)
    ends = points + (side * found.slack[short])[:, None] * normal
    gaps = np.full(len(short), np.nan)
    ways = np.stack([np.column_stack([points[:, j], ends[:, j], gaps]).ravel() for j in (0, 1)])
    ax.plot(*ways, color=GRAY, linewidth=0.8, scalex=False, scaley=False, label=f"slack ξ, D = {found.D:.3g}")

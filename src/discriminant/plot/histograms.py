"""The distribution of the margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..margin_distribution import geometric_margins
from ._style import BLACK, COLORS, GRAY, axes, labels, literal, quietly, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 30
HATCHES = ("", "///", "...", "\\\\\\", "xx")


def margins(model: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Draw how far the patterns are from the boundary, class by class; the wrong side is left of zero.

    Parameters
    ----------
    model : fitted classifier
        Of this package or of scikit-learn. A linear one shows geometric margins, which are distances. Others show by
        how much the discriminant of the right class leads the strongest rival.
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Their labels.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib axes
        With a histogram, the classes on top of each other, and a dashed line at the smallest margin.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Definition 2.2.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, margins, plot
    >>> X, y = datasets.table(1, 2)
    >>> model = Perceptron().fit(X, y)
    >>> ax = plot.margins(model, X, y)
    >>> bool(ax.lines[-1].get_xdata()[0] == margins(model, X, y).margin)
    True
    """
    values, name = leads(model, X, y)
    y = labels(y, len(values))
    ax = axes(ax)
    classes = np.asarray(model.classes_)
    parts = [values[y == label] for label in classes]
    _, _, bars = ax.hist(
        parts, BINS, stacked=True, color=[COLORS[k % len(COLORS)] for k in range(len(classes))],
        label=[literal(label) for label in classes],
    )  # fmt: skip
    for k, patches in enumerate(np.atleast_1d(np.asarray(bars, object))):
        for patch in patches:
            patch.set(hatch=HATCHES[k % len(HATCHES)], edgecolor="white", linewidth=0.4)
    ax.axvline(0.0, color=BLACK, linewidth=1.2)
    ax.axvline(float(values.min()), color=GRAY, linestyle="--", linewidth=1.2)
    ax.set(xlabel=name, ylabel="patterns")
    return ax


def leads(model: Any, X: Any, y: Any) -> tuple[NDArray[np.float64], str]:
    """The margin of each pattern, and what it is called: a distance where the boundary is a plane."""
    X = table(X)
    y = labels(y, X.shape[0])
    classes = np.asarray(model.classes_).tolist()
    unknown = sorted({str(label) for label in y.tolist() if label not in classes})
    if unknown:
        raise ValueError(f"y holds {unknown[0]!r} and must be among the model's classes {classes[:5]}; give these.")
    distances = geometric_margins(model, X, y)
    if distances is not None:
        return distances, "distance from the boundary"
    score = model.decision_function if hasattr(model, "decision_function") else model.predict_proba
    g = np.asarray(quietly(score, X), np.float64)
    if g.ndim == 1:
        return np.where(y == classes[1], g, -g), "value of the discriminant"
    rows, own = np.arange(len(g)), np.array([classes.index(label) for label in y.tolist()])
    rivals = g.copy()
    rivals[rows, own] = -np.inf
    return g[rows, own] - rivals.max(axis=1), "lead over the strongest rival"

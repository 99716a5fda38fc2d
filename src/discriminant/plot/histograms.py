"""The distribution of the margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import Number, Or
from ..geometry import Hyperplane, LinearMachine
from ..margin_distribution import geometric_margins, margins
from ._style import BLACK, COLORS, GRAY, add_legend, axes, digits, labels, named, quietly, table
from .boundaries import classes_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 30
WORST = "smallest margin"  # what the dashed line is called
GAMMA = Or((None,), Number("give a margin above 0", 0))
HATCHES = ("", "///", "...", "\\\\\\", "xx")


def margin_distribution(model: Any, X: Any, y: Any, ax: Axes | None = None, *, gamma: float | None = None) -> Axes:
    """Draw how far the patterns are from the boundary, class by class; the wrong side is left of zero.

    With a target margin γ, the patterns left of it have the slack ξ = γ − their margin; D is the norm of all slacks.

    Parameters
    ----------
    model : fitted classifier, Hyperplane or LinearMachine
        Of this package or of scikit-learn. A linear one shows geometric margins, which are distances. Others show by
        how much the discriminant of the right class leads the strongest rival.
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Their labels.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.
    gamma : float, default=None
        The target margin γ > 0, in the unit of the axis.

    Returns
    -------
    matplotlib axes
        With a histogram, the classes on top of each other, and a dashed line at the smallest margin.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Definitions 2.2 and 2.6,
    Theorem 2.7.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, margins, plot
    >>> X, y = datasets.table(1, 2)
    >>> model = Perceptron().fit(X, y)
    >>> ax = plot.margin_distribution(model, X, y)
    >>> bool(ax.lines[-1].get_xdata()[0] == margins(model, X, y).margin)
    True
    """
    GAMMA("gamma", gamma)
    values, name = leads(model, X, y)
    y = labels(y, len(values))
    ax = axes(ax)
    classes = classes_in(model, y)
    parts = [values[y == label] for label in classes]
    _, _, bars = ax.hist(
        parts, BINS, stacked=True, color=[COLORS[k % len(COLORS)] for k in range(len(classes))],
        label=[named(label) for label in classes],
    )  # fmt: skip
    for k, patches in enumerate(np.atleast_1d(np.asarray(bars, object))):
        for patch in patches:
            patch.set(hatch=HATCHES[k % len(HATCHES)], edgecolor="white", linewidth=0.4)
    ax.axvline(0.0, color=BLACK, linewidth=1.2)
    if gamma is not None:
        slack = np.maximum(0.0, gamma - values)
        ax.axvline(gamma, color=BLACK, linestyle=":", linewidth=1.2)
        named_slack = f"slack ξ > 0: {np.count_nonzero(slack):,} patterns, D = {np.linalg.norm(slack):.3g}"
        ax.axvspan(min(float(values.min()), gamma), gamma, color=GRAY, alpha=0.15, lw=0, zorder=0, label=named_slack)
    least = float(values.min())
    ax.axvline(least, color=GRAY, linestyle="--", linewidth=1.2, label=f"{WORST} {digits(least)}")
    ax.set(xlabel=name, ylabel="patterns")
    add_legend(ax)
    return ax


def leads(model: Any, X: Any, y: Any) -> tuple[NDArray[np.float64], str]:
    """The margin of each pattern, and what it is called: a distance where the boundary is a plane."""
    X = table(X)
    y = labels(y, X.shape[0])
    classes = classes_in(model, y).tolist()
    unknown = sorted({str(label) for label in y.tolist() if label not in classes})
    if unknown:
        raise ValueError(f"y holds {unknown[0]!r} and must be among the model's classes {classes[:5]}; give these.")
    bare = isinstance(model, Hyperplane | LinearMachine)
    distances = margins(model, X, y).geometric if bare else geometric_margins(model, X, y)
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

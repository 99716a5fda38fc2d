"""Errors and criterion against the iterations of a fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import Choice
from ._style import COLORS, GRAY, axes, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONG = 30  # iterations, or errors, from which they are drawn on a logarithmic scale
POINTS = 200  # points of a curve; a longer history is drawn in stretches
STEEP = 1e3  # ratio of the largest and the smallest criterion from which that scale is logarithmic
DASHES = ("-", "--", ":", "-.")
WHAT = {"errors": "errors in the pass", "criterion": "criterion"}


def convergence(models: Any, ax: Axes | None = None, *, what: str = "errors") -> Axes:
    """Draw how the errors or the criterion of one or several fits changed with their iterations.

    The criteria of different procedures measure different things: compare their errors. Where a procedure solves
    several problems (each class against the rest), errors are the mean over them and the criterion is the sum; a
    problem that has ended goes on with its last value. A long history is drawn as the median of stretches, in a band
    from least to most.

    Parameters
    ----------
    models : fitted model, list of them, or dict from name to model
        Those without a history, because they find the answer at once, are left out.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.
    what : {"errors", "criterion"}, default="errors"
        Which part of ``history_``.

    Returns
    -------
    matplotlib axes
        With a curve for each model; the scale of the iterations is logarithmic when they are many.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, computer exercises 1–4 and 8.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, plot
    >>> model = Perceptron().fit(*datasets.table(1, 2))
    >>> ax = plot.convergence(model)
    >>> ax.lines[0].get_ydata().astype(int).tolist()
    [7, 5, 4, 3, 5, 3, 4, 2, 0]
    """
    Choice(tuple(WHAT))("what", what)
    ax = axes(ax)
    curves = {name: curve for name, model in _named(models) if (curve := course(model, what)).size}
    for k, (name, curve) in enumerate(curves.items()):
        style = {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k // len(COLORS) % len(DASHES)]}
        _draw(ax, curve, label=literal(name), linewidth=1.3, **style)
    ax.set(xlabel="iteration", ylabel=WHAT[what])
    if not curves:
        ax.text(0.5, 0.5, "found at once: there are no iterations", transform=ax.transAxes, ha="center", color=GRAY)
        return ax
    if max(map(len, curves.values())) > LONG:
        ax.set_xscale("log")
    values = np.concatenate(list(curves.values()))
    values = values[np.isfinite(values)]
    if what == "criterion" and values.size and values.min() > 0 and values.max() > STEEP * values.min():
        ax.set_yscale("log")
    elif what == "errors" and values.max(initial=0) > LONG:
        ax.set_yscale("symlog", linthresh=1.0)  # zero errors, one and a hundred are all to be seen
    if ax.get_yscale() != "log" and values.min(initial=0) >= 0:
        ax.set_ylim(bottom=0)
    return ax


def _draw(ax: Axes, curve: NDArray[np.float64], **style: Any) -> None:
    """The curve itself, or what is left to see of a long one."""
    if curve.size <= POINTS:
        ax.plot(np.arange(1, curve.size + 1), curve, marker="o" if curve.size == 1 else "", **style)
        return
    starts = np.unique(np.geomspace(1, curve.size + 1, POINTS).astype(int))[:-1] - 1
    parts = np.split(curve, starts[1:])
    ax.plot(starts + 1, [np.median(part) for part in parts], **style)
    least, most = ([end(part) for part in parts] for end in (np.min, np.max))
    ax.fill_between(starts + 1, least, most, alpha=0.15, color=style["color"], lw=0)


def course(model: Any, what: str) -> NDArray[np.float64]:
    """One number for each iteration, over all problems of the fit; none where the fit has no iterations."""
    history = getattr(model, "history_", {})
    values = np.asarray(history.get(what, ()), np.float64)
    if "problem" not in history:
        return values
    parts = [values[history["problem"] == p] for p in np.unique(history["problem"])]
    longest = max(map(len, parts), default=0)
    total = sum((np.pad(part, (0, longest - len(part)), "edge") for part in parts), np.zeros(longest))
    return np.asarray(total / len(parts) if what == "errors" and parts else total)


def _named(models: Any) -> list[tuple[str, Any]]:
    """Each model with a name: its own class, numbered where that occurs twice."""
    if isinstance(models, Mapping):
        return [(str(name), model) for name, model in models.items()]
    several = list(models) if isinstance(models, Iterable) and not hasattr(models, "history_") else [models]
    kinds = [type(model).__name__ for model in several]
    return [
        (kind if kinds.count(kind) == 1 else f"{kind} {kinds[:i].count(kind) + 1}", model)
        for i, (kind, model) in enumerate(zip(kinds, several, strict=True))
    ]

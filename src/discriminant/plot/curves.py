"""Errors, criterion, corrections and duality gap against the iterations of a fit; the criterion with several η."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import needed
from .._guards.parameters import Choice, check_parameters, refused
from ._style import COLORS, GRAY, add_legend, axes, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONG = 30  # iterations, or errors, from which they are drawn on a logarithmic scale
ABOVE = 1.08  # how far the picture goes on a linear scale, in units of the highest curve
POINTS = 200  # points of a curve; a longer history is drawn in stretches
EVEN = 10  # times the least that the most may be on an even scale
STEEP = 1e3  # ratio of the largest and the smallest criterion from which that scale is logarithmic
DASHES = ("-", "--", ":", "-.")
WHAT = {
    "errors": "errors in the pass",
    "criterion": "criterion",
    "corrections": "corrections so far",
    "gap": "relative duality gap",
}
LEAST = np.finfo(np.float64).eps  # a smaller gap is rounding, and zero has no place on a logarithmic scale
RATES = ("eta", "schedule", "learning_rate")  # what procedures call their step


def history(models: Any, ax: Axes | None = None, *, what: str = "errors") -> Axes:
    """Draw how errors, criterion, corrections or duality gap of one or several fits changed with their iterations.

    The criteria of different procedures measure different things: compare their errors. Where a procedure solves
    several problems (each class against the rest), errors are the mean over them, gaps the largest, the others their
    sum; a problem that has ended goes on with its last value. A long history is drawn as the median of stretches, in a
    band from least to most. With the corrections stands the bound of the convergence theorem, dashed, where the report
    has one.

    Parameters
    ----------
    models : fitted model, list of them, or dict from name to model
        Those without a history, because they find the answer at once, are left out.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.
    what : {"errors", "criterion", "corrections", "gap"}, default="errors"
        Which part of ``history_``; of the corrections, those made so far; the gap is that of support vector machines.

    Returns
    -------
    matplotlib axes
        With a curve for each model; the scale of the iterations is logarithmic when they are many.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Theorem 5.1, computer exercises 1–4 and 8.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets, plot
    >>> model = Perceptron().fit(*datasets.table(1, 2))
    >>> ax = plot.history(model)
    >>> ax.lines[0].get_ydata().astype(int).tolist()
    [7, 5, 4, 3, 5, 3, 4, 2, 0]
    """
    Choice(tuple(WHAT))("what", what)
    ax = axes(ax)
    curves = {name: curve for name, model in _named(models) if (curve := course(model, what)).size}
    failed = [name for name, model in _named(models) if isinstance(model, ValueError)]
    for k, (name, curve) in enumerate(curves.items()):
        style = {"color": COLORS[k % len(COLORS)], "linestyle": DASHES[k // len(COLORS) % len(DASHES)]}
        _draw(ax, curve, label=literal(name), linewidth=1.3, **style)
    for name in failed:
        ax.plot([], [], color=GRAY, linestyle=":", label=literal(name))
    ax.set(xlabel="round" if what == "gap" else "iteration", ylabel=WHAT[what])
    if not curves:
        why = "no duality gap: no support vector machine" if what == "gap" else "found at once: there are no iterations"
        ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", color=GRAY)
        return ax
    if what == "corrections":
        _draw_bounds(ax, models, curves)
    if max(map(len, curves.values())) > LONG:
        ax.set_xscale("log")
    else:
        ax.xaxis.set_major_locator(needed("matplotlib.ticker", "plot").MaxNLocator(integer=True))
    values = np.concatenate([line.get_ydata() for line in ax.lines]).astype(np.float64)
    values = values[np.isfinite(values)]
    if what in ("criterion", "gap") and values.size and values.min() > 0 and values.max() > STEEP * values.min():
        ax.set_yscale("log")
    elif what in ("errors", "corrections") and values.max(initial=0) > max(LONG, EVEN * values.min(initial=np.inf)):
        ax.set_yscale("symlog", linthresh=1.0)  # zero errors, one and a hundred are all to be seen
    if ax.get_yscale() != "log" and values.min(initial=0) >= 0:
        room = ABOVE if ax.get_yscale() == "linear" else 2.0
        ax.set_ylim(0, room * max(values.max(initial=0), ax.dataLim.y1) or 1)
    add_legend(ax)
    return ax


def steps(model: Any, X: Any, y: Any, etas: Iterable[float], ax: Axes | None = None) -> Axes:
    """Draw how the criterion of one procedure falls with several steps η.

    Parameters
    ----------
    model : procedure of this package
        With a step ``eta``, ``schedule`` or ``learning_rate``. A copy of it is fitted with each η.
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns.
    y : array of shape (n,)
        Their labels.
    etas : list of float
        The steps η.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib axes
        With a curve for each η. The legend tells the iterations, and which η does not come to an end.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4.2, Eq. 14, computer exercise 1.

    Examples
    --------
    >>> from discriminant import GradientDescent, datasets, plot
    >>> X, y = datasets.table(1, 3)
    >>> ax = plot.steps(GradientDescent(tol=1e-6), X, y, [0.002, 0.1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['η = 0.002: 309 iterations', 'η = 0.1: diverges']
    """
    from sklearn.base import clone

    name = next((name for name in RATES if name in model.get_params(deep=False)), None)
    if name is None:
        raise refused("model", model, f"a procedure with a step, {', '.join(RATES)}", "give one such as Perceptron()")
    found: dict[str, Any] = {}
    for eta in etas:
        fitted = clone(model).set_params(**{name: eta})
        check_parameters(fitted)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the legend says it
            try:
                fitted.fit(X, y)
                end = "iterations" if fitted.status_.finished else "iterations, no end"
                found[f"η = {eta:g}: {fitted.n_iter_:,} {end}"] = fitted
            except ValueError as error:
                found[f"η = {eta:g}: diverges"] = error
    failures = [fitted for fitted in found.values() if isinstance(fitted, ValueError)]
    if failures and len(failures) == len(found):
        raise failures[-1]
    return history(found, ax, what="criterion")


def _draw_bounds(ax: Axes, models: Any, curves: Mapping[str, Any]) -> None:
    """What the theorem allows, in the color of the curve."""
    for name, model in _named(models):
        bound = model.report_.to_dict().get("bound") if name in curves and hasattr(model, "report_") else None
        if bound is not None:
            color = COLORS[list(curves).index(name) % len(COLORS)]
            told = f"{literal(name)}: at most {np.floor(bound * (1 + 1e-12)):,.0f}"  # rounding may have lowered it
            ax.axhline(bound, color=color, linestyle="--", linewidth=1.0, label=told)


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
    kept = getattr(model, "history_", {})
    values = np.asarray(kept.get(what, ()), np.float64)
    problems = kept.get("gap_problem" if what == "gap" else "problem", np.zeros(len(values), int))
    parts = [values[problems == p] for p in np.unique(problems)]
    if what == "corrections":
        parts = [np.cumsum(part) for part in parts]
    if not parts:
        return values
    longest = max(map(len, parts))
    padded = np.array([np.pad(part, (0, longest - len(part)), "edge") for part in parts])
    if what == "gap":
        return np.asarray(np.maximum(padded.max(axis=0), LEAST))
    return np.asarray(padded.mean(axis=0) if what == "errors" else padded.sum(axis=0))


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

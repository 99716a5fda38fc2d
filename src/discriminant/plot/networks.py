"""The units of a network and the weights between them.

References
----------
*Machine Learning: Theory and Practice*, ch. 8, §8.6, Fig. 8.11, 8.12, 8.14 and 8.16; Duda, Hart, Stork, *Pattern
Classification*, ch. 5, Fig. 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.extras import needed
from .._guards.parameters import refused
from ._style import BLACK, COLORS, GRAY, add_legend, axes, digits, literal, named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

MOST_UNITS = 9  # that are drawn of a layer; of more, the first ones and the last
FEW_WEIGHTS = 9  # that are written as numbers; more would lie on each other
THICKEST = 3.5  # line of the largest weight, in points


class _Layer(NamedTuple):
    """The units of a layer that are drawn: their indices, their places, their names; and the unit of the bias."""

    shown: list[int]
    heights: Array
    names: list[str]
    bias: float | None


def network(model: Any, ax: Axes | None = None, *, feature_names: Sequence[str] | None = None) -> Axes:
    """Draw the units of a network, layer by layer, and the weights between them.

    A line is the thicker the larger its weight; negative ones are dashed. Squares are the biases.

    Parameters
    ----------
    model : fitted network or linear model
        With ``coefs_`` and ``intercepts_``, as in this package and in scikit-learn, or with ``coef_``: a linear
        classifier is a network of one layer.
    ax : matplotlib axes, default=None
        Where to draw; None makes a figure.
    feature_names : list of str, default=None
        Names of the inputs; by default those of the fit.

    Returns
    -------
    matplotlib axes
        With the picture. Of a layer of more than nine units the first eight and the last are drawn; up to fifteen
        weights are written beside their lines.

    References
    ----------
    *Machine Learning: Theory and Practice*, ch. 8, §8.6, Fig. 8.11, 8.12 and 8.14; Duda, Hart, Stork, *Pattern
    Classification*, ch. 5, Fig. 5.1.

    Examples
    --------
    The network of Example 17 for the exclusive or:

    >>> from discriminant import MultilayerPerceptron, plot
    >>> model = MultilayerPerceptron(activation="sigmoid").with_weights([[[1, 8], [1, 8]], [[-30], [25]]])
    >>> ax = plot.network(model)
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['2 inputs', '2 hidden', '1 output']
    """
    weights, biases = _weights_of(model)
    sizes = [len(weights[0]), *(W.shape[1] for W in weights)]
    layers = _layers(model, sizes, biases, feature_names)
    ax = axes(ax)
    largest = max(float(np.abs(part).max(initial=0.0)) for part in (*weights, *biases)) or 1.0
    few = sum(len(a.shown) * len(b.shown) for a, b in pairwise(layers)) <= FEW_WEIGHTS
    for k, (W, b) in enumerate(zip(weights, biases, strict=True)):
        _draw_weights(ax, k, W, b, layers, largest, few)
    for k, layer in enumerate(layers):
        _draw_units(ax, k, layer, last=k == len(layers) - 1)
    kinds = ["input", *["hidden"] * (len(sizes) - 2), "output"]
    told = [f"{n:,} {kind}{'s' * (n != 1 and kind != 'hidden')}" for n, kind in zip(sizes, kinds, strict=True)]
    ax.set_xticks(range(len(sizes)), told)
    ax.set(xlim=(-0.4, len(sizes) - 0.6), ylim=(-1.25, 1.2), yticks=[], xlabel="layer")
    ax.spines[["left", "right", "top", "bottom"]].set_visible(False)
    ax.tick_params(axis="x", length=0)
    for name, color, style in (("weight > 0", COLORS[0], "-"), ("weight < 0", COLORS[1], "--")):
        ax.plot([], [], color=color, linestyle=style, linewidth=2.0, label=name)
    add_legend(ax)
    return ax


def _weights_of(model: Any) -> tuple[list[Array], list[Array]]:
    """The weights (in, out) and the biases (out,) of each layer."""
    if hasattr(model, "coefs_"):
        return [np.asarray(W, np.float64) for W in model.coefs_], [np.ravel(b) for b in model.intercepts_]
    if not hasattr(model, "coef_"):
        raise refused("model", model, "a fitted network or linear model", "fit it first; a kernel has no weights")
    coef = np.atleast_2d(model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_)
    return [coef.T.astype(np.float64)], [np.broadcast_to(np.ravel(model.intercept_), len(coef)).astype(np.float64)]


def _layers(model: Any, sizes: list[int], biases: list[Array], given: Sequence[str] | None) -> list[_Layer]:
    inputs = given if given is not None else getattr(model, "feature_names_in_", None)
    if inputs is not None and len(inputs) != sizes[0]:
        raise refused("feature_names", list(inputs), f"{sizes[0]} names", "give one for each input")
    classes = getattr(model, "classes_", None)
    outputs = [named(label) for label in classes] if classes is not None and len(classes) == sizes[-1] else None
    layers = []
    for k, size in enumerate(sizes):
        shown = list(range(size)) if size <= MOST_UNITS else [*range(MOST_UNITS - 1), size - 1]
        names = inputs if k == 0 else outputs if k == len(sizes) - 1 else None
        told = [literal(names[j], 24) if names is not None else f"x{j + 1}" * (k == 0) for j in shown]
        bias = k < len(biases) and bool(np.any(biases[k]))
        places = len(shown) + (len(shown) < size)  # one is left free for the units that are not drawn
        heights = np.delete(np.linspace(1, -1, places + 2 + bias)[1 : places + 1], slice(len(shown) - 1, places - 1))
        layers.append(_Layer(shown, heights, told, -1.05 if bias else None))
    return layers


def _draw_weights(ax: Axes, k: int, W: Array, b: Array, layers: list[_Layer], largest: float, few: bool) -> None:
    """Lines from the units of a layer, and from its bias, to those of the next."""
    here, there = layers[k], layers[k + 1]
    rows = [(y, W[i]) for i, y in zip(here.shown, here.heights, strict=True)]
    rows += [] if here.bias is None else [(here.bias, b)]
    lines = needed("matplotlib.collections", "plot").LineCollection
    for sign, color, style in ((1, COLORS[0], "-"), (-1, COLORS[1], "--")):
        found = [
            ((k, y), (k + 1, height), abs(float(row[j])))
            for y, row in rows
            for j, height in zip(there.shown, there.heights, strict=True)
            if sign * row[j] > 0
        ]
        ends, widths = [line[:2] for line in found], [0.3 + THICKEST * line[2] / largest for line in found]
        ax.add_collection(lines(ends, colors=color, linestyles=style, linewidths=widths, alpha=0.8, zorder=1))
    for n, (y, row) in enumerate(rows if few else []):
        for j, height in zip(there.shown, there.heights, strict=True):
            share = 0.22 + 0.16 * (n % 3)  # of the way, so that numbers do not lie on each other
            place = (k + share, y + share * (height - y))
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.8}
            ax.text(*place, digits(row[j]), fontsize="small", ha="center", va="center", zorder=3, bbox=box)


def _draw_units(ax: Axes, k: int, layer: _Layer, last: bool) -> None:
    style: dict[str, Any] = {"s": 260, "facecolor": "white", "edgecolor": BLACK, "linewidth": 1.2, "zorder": 4}
    ax.scatter(np.full(len(layer.shown), k), layer.heights, **style)
    if layer.bias is not None:
        ax.scatter([k], [layer.bias], **style | {"marker": "s", "s": 200, "label": None if k else "bias, y = 1"})
    for y, name in zip(layer.heights, layer.names, strict=True):
        offset, side = ((14, 0), "left") if last else ((-14, 0), "right")
        ax.annotate(name, (k, y), offset, textcoords="offset points", ha=side, va="center")
    if layer.shown[-1] != len(layer.shown) - 1:
        between = float(layer.heights[-2:].mean())
        ax.text(k, between, "⋮", ha="center", va="center", color=GRAY, fontsize="large", zorder=5)

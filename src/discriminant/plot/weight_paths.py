"""The way of a weight vector from its start to its end, a correction at a time.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Fig. 5.10 and 5.12–5.15.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import refused
from ._style import BLACK, add_legend, axes, set_limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ARROWS = 100  # of a path; a longer one is a line
AROUND = 0.25  # of the extent of a path, left free around it
DIGITS = "₀₁₂₃₄₅₆₇₈₉"


def path(
    model: Any, ax: Axes | None = None, *, weights: tuple[int, int] = (0, 1), label: str | None = None, **style: Any
) -> Axes:
    """Draw how two of the weights moved, with an arrow for each correction.

    Parameters
    ----------
    model : fitted model, or array of shape (k + 1, d + 1)
        With ``record="weights"``, of two classes; or the weight vectors a(1), a(2), …
    ax : matplotlib axes, default=None
        Where to draw, inside their limits if these were set; None makes a figure.
    weights : pair of int, default=(0, 1)
        Which of the weights a = (w₀, w₁, …), or of all those of a network, are the axes.
    label : str, default=None
        What the legend says; by default the procedure and its number of corrections.
    **style : dict
        How to draw it, such as ``color``.

    Returns
    -------
    matplotlib axes
        With the path; a dot is its end. One of more than 100 steps is a line without arrows.

    See Also
    --------
    weight_space : The solution region, with the path in it.
    criterion_surface : A criterion of the weights, with the path on it.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Fig. 5.10 and 5.12–5.15.

    Examples
    --------
    >>> from discriminant import Perceptron, plot
    >>> model = Perceptron(record="weights").fit([[1.0], [-1.5], [-3.0]], [1, 1, 0])
    >>> ax = plot.path(model)
    >>> ax.get_legend().get_texts()[0].get_text()
    'Perceptron: 4 corrections'
    """
    steps = recorded(model)
    if any(not 0 <= j < steps.shape[1] for j in weights) or len(weights) != 2:
        raise refused("weights", weights, f"two indices below {steps.shape[1]}", "0 is the bias w₀")
    ax = axes(ax)
    steps = steps[:, list(weights)]
    set_limits(ax, steps, AROUND)
    draw_path(ax, steps, label=path_label(model, steps) if label is None else label, **style)
    names = [f"weight {j} of the network" if hasattr(model, "coefs_") else weight_name(j) for j in weights]
    ax.set(xlabel=names[0], ylabel=names[1])
    add_legend(ax)
    return ax


def recorded(model: Any, width: int | None = None) -> NDArray[np.float64]:
    """The weights a(1), a(2), … of a fit, or those given; ``width`` is how many each must have."""
    history = getattr(model, "history_", None)
    if history is not None and "weights" not in history:
        raise refused("model", model, "fitted with its path", 'fit it with record="weights"')
    if history is None and hasattr(model, "fit"):
        raise refused("model", model, "a fitted model", 'fit it with record="weights"')
    steps = np.asarray(model if history is None else history["weights"], np.float64)
    if steps.ndim != 2 or len(steps) == 0 or steps.shape[1] < 2 or not np.isfinite(steps).all():
        raise refused(
            "weights", f"<shape {steps.shape}>", "(k + 1, d + 1) and finite", "fit one problem of two classes"
        )
    if width is not None and steps.shape[1] != width:
        raise refused("model", model, f"one with {width} weights", "fit it to the patterns of the picture")
    return steps


def draw_path(ax: Any, steps: NDArray[np.float64], color: Any = BLACK, label: str | None = None, **style: Any) -> None:
    """Arrows in the plane from each weight vector to the next; a line where there are many. The end is a dot."""
    if len(steps) <= MOST_ARROWS + 1:
        look: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.006, "zorder": 4} | style
        ax.quiver(*steps[:-1].T, *np.diff(steps, axis=0).T, color=color, **look)
    else:
        ax.plot(*steps.T, color=color, linewidth=1.0, zorder=4, **style)
    ax.plot(*steps[-1:].T, color=color, marker="o", markersize=5, zorder=5, linestyle="-", label=label)


def weight_name(j: int, first: int = 0) -> str:
    """The weight a_j; of augmented vectors, which start at zero, also as w_j."""
    index = "".join(DIGITS[int(digit)] for digit in str(j + first))
    return f"a{index}" if first else f"a{index} = w{index}"


def path_label(model: Any, steps: NDArray[np.float64]) -> str:
    """The procedure, and how many corrections it made."""
    made = getattr(model, "n_corrections_", len(steps) - 1)
    kind = f"{type(model).__name__}: " if hasattr(model, "history_") else ""
    return f"{kind}{made:,} correction{'s'[: made != 1]}"

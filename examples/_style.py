"""What the pictures share: lines g(x) = 0, regions, paths, in the colors and markers of ``discriminant.plot``.

Colors are those of Okabe and Ito, which the color-blind can tell apart; classes also differ by their markers, and
ambiguous regions are hatched.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from discriminant.plot._style import BLACK, COLORS, GRAY, look

BLUE, ORANGE, GREEN, PINK, YELLOW, SKY = COLORS[:6]

__all__ = [
    "BLACK", "BLUE", "COLORS", "GRAY", "GREEN", "ORANGE", "PINK", "SKY", "YELLOW",
    "figure", "grid", "line", "path", "plane", "points", "regions",
]  # fmt: skip


def figure(rows=1, columns=1, size=(8.0, 3.8), **options):
    """Make a figure and its axes, all in one style whatever was drawn before; ``rows`` may be a mosaic."""
    plt.rcParams.update(
        {
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlesize": "medium",
            "font.size": 10,
            "legend.frameon": False,
            "lines.linewidth": 1.5,
        }
    )
    options = {"figsize": size, "layout": "compressed"} | options
    return plt.subplots(rows, columns, **options) if isinstance(rows, int) else plt.subplot_mosaic(rows, **options)


def points(ax, X, y, names=None, order=None, **options):
    """Draw the patterns of each class; ``order`` lists the labels in the order ω₁, ω₂, …"""
    order = sorted(set(np.asarray(y).tolist())) if order is None else order
    names = [f"ω{'₁₂₃₄₅'[i]}" for i in range(len(order))] if names is None else names
    for k, (label, name) in enumerate(zip(order, names, strict=False)):
        style = look(k) | {"edgecolor": "white", "linewidth": 0.6, "s": 42, "zorder": 3}
        ax.scatter(*np.asarray(X)[np.asarray(y) == label].T, label=name, **(style | options))


def plane(ax, limits, equal=True, xlabel="x₁", ylabel="x₂"):
    """Set the limits (x low, x high, y low, y high) and the labels of a plane, of equal units by default."""
    ax.set(xlim=limits[:2], ylim=limits[2:], xlabel=xlabel, ylabel=ylabel)
    if equal:
        ax.set_aspect("equal")


def line(ax, a, value=0.0, **options):
    """Draw where a₀ + a₁x₁ + a₂x₂ = value, inside the present limits; nothing when w = 0."""
    a0, w = a[0] - value, np.asarray(a[1:], float)
    if not w.any():
        return
    foot, along = -a0 * w / (w @ w), np.array([-w[1], w[0]]) / np.linalg.norm(w)
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    reach = np.hypot(x1 - x0, y1 - y0) + np.hypot(*(foot - [(x0 + x1) / 2, (y0 + y1) / 2]))
    ends = np.array([foot - reach * along, foot + reach * along])
    ax.plot(*ends.T, **({"color": BLACK, "scalex": False, "scaley": False} | options))


def grid(ax, n=300):
    """Give x₁ and x₂ over the present limits, and the same as rows (x₁, x₂)."""
    x1, x2 = np.meshgrid(np.linspace(*ax.get_xlim(), n), np.linspace(*ax.get_ylim(), n))
    return x1, x2, np.column_stack([x1.ravel(), x2.ravel()])


def regions(ax, index, undecided=None, n=300):
    """Color the plane by the class index of each point; hatch where the class is undecided."""
    x1, x2, rows = grid(ax, n)
    kind = np.asarray(index(rows)).reshape(x1.shape)
    ax.pcolormesh(x1, x2, kind, cmap=ListedColormap(COLORS), vmin=0, vmax=len(COLORS) - 1, alpha=0.22, rasterized=True)
    if undecided is not None:
        hatched = np.asarray(undecided(rows)).reshape(x1.shape).astype(float)
        if hatched.any():
            with plt.rc_context({"hatch.linewidth": 0.7}):
                ax.contourf(x1, x2, hatched, [0.5, 1.5], colors=["#FFFFFFD0"], hatches=["////"])


def path(ax, steps, color=BLACK, **options):
    """Draw a path of weight vectors in the plane with an arrow for each step."""
    steps = np.asarray(steps)
    start, move = steps[:-1], np.diff(steps, axis=0)
    style = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.006, "color": color, "zorder": 4}
    ax.quiver(*start.T, *move.T, **(style | options))

"""
The solution region in weight space
===================================

A weight vector separates when it has a positive inner product with every normalized pattern: it lies on the positive
side of all the planes *aᵗyᵢ = 0*. Where these half-spaces meet is the solution region. A margin b moves each
plane inward by *b/‖yᵢ‖*.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4.1, Figs. 5.8 and 5.9.
"""

import matplotlib.pyplot as plt
import numpy as np
from _style import BLACK, BLUE, GRAY, GREEN, ORANGE, figure, grid, line, plane, points

from discriminant import normalize

patterns = np.array([[1.2, 1.6], [2.4, 0.8], [-1.6, 0.9], [-1.5, -1.6]])
labels = np.array([1, 1, 0, 0])
normalized = normalize(patterns, labels)


def shade(ax, Y, b):
    """Color the weight vectors a with Ya > b."""
    x1, x2, rows = grid(ax, 400)
    inside = (rows @ Y.T > b).all(axis=1).reshape(x1.shape)
    ax.contourf(x1, x2, inside, [0.5, 1.5], colors=[GREEN], alpha=0.3)


# %%
# Left: the raw patterns, and a line with the normal vector a that parts the two categories. Right: the patterns of ω₂
# negated, and now all of them lie on the same side.

a = np.array([1.6, 0.7])
assert (normalized @ a > 0).all()

fig, axes = figure(1, 2, (9.0, 4.5))
for ax, Y, title in zip(axes, (patterns, normalized), ("raw", "normalized"), strict=True):
    plane(ax, (-3, 3, -3, 3), xlabel="y₁ and a₁", ylabel="y₂ and a₂")
    shade(ax, normalized, 0)
    for y in normalized:
        line(ax, (0, *y), color=GRAY, linewidth=0.8)
    line(ax, (0, *a), linestyle="--", label="aᵗy = 0")
    ax.annotate("", a, (0, 0), arrowprops={"arrowstyle": "-|>", "color": BLACK, "shrinkA": 0, "shrinkB": 0})
    ax.annotate("a", a, (4, 0), textcoords="offset points")
    points(ax, Y, labels, order=(1, 0))
    ax.set_title(title)
axes[0].legend(loc="upper left")
axes[1].annotate("solution\nregion", (2.2, -0.3), color=GREEN, weight="bold", ha="center")
plt.show()

# %%
# The region without a margin and with b = 1: its borders are parallel to the old ones, at the distance *b/‖y‖*.

fig, axes = figure(1, 2, (9.0, 4.5))
for ax, b in zip(axes, (0.0, 1.0), strict=True):
    plane(ax, (-1, 4, -2.5, 2.5), xlabel="a₁", ylabel="a₂")
    shade(ax, normalized, b)
    for y, color in zip(normalized, (BLUE, BLUE, ORANGE, ORANGE), strict=True):
        line(ax, (0, *y), color=color, linewidth=0.8)
        if b:
            line(ax, (0, *y), b, color=color, linestyle="--")
    ax.set_title(f"b = {b:g}")
# On the dashed lines the margin is used up: their distance from the origin is b/|y|.
distances = 1.0 / np.linalg.norm(normalized, axis=1)
print("distances b/|y|:", distances.round(3))
plt.show()

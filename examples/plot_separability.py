"""
Separable, nearly so, or not at all
===================================

Two classes can be separated strictly when their convex hulls lie apart, weakly when the hulls only touch, and not at
all when they overlap. ``separability`` tells which of the three it is, and proves it.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4 and Problem 8; A. Albert and J. A. Anderson, "On the
existence of maximum likelihood estimates in logistic regression models", *Biometrika* 71 (1984).
"""

import matplotlib.pyplot as plt
import numpy as np
from _style import BLACK, BLUE, GRAY, ORANGE, YELLOW, figure, line, plane, points
from scipy.spatial import ConvexHull

from discriminant import datasets, separability


def hulls(ax, X, y):
    """Shade the convex hull of each class."""
    for label, color in ((1, BLUE), (0, ORANGE)):
        corners = X[y == label][ConvexHull(X[y == label]).vertices]
        ax.fill(*corners.T, color=color, alpha=0.13, linewidth=0)


def ring(ax, X, label):
    """Mark some patterns with a ring."""
    ax.scatter(*X.T, s=130, facecolor="none", edgecolor=BLACK, linewidth=1.2, zorder=4, label=label)


# %%
# Three small problems: two pairs of categories of the books' table, and ten points of which four lie on the line
# *x₁ + x₂ = 5*.

touching = np.array([[1, 4], [3, 2], [3, 5], [5, 4.5], [6, 2], [2, 3], [4, 1], [0.5, 2], [1.5, 0.5], [3, 0]])
problems = {
    "complete": tuple(datasets.table(1, 2)),
    "quasi": (touching, np.repeat([1, 0], 5)),
    "overlap": tuple(datasets.table(1, 3)),
}
found = {name: separability(X, y) for name, (X, y) in problems.items()}
for name, s in found.items():
    assert s.verdict == name
    assert s.certificate.verify(*problems[name])
    print(s, "\n")

# %%
# Left: the plane of the largest margin, with the patterns nearest to it. Middle: the only line with no point on the
# wrong side; the ringed points lie on it, and both hulls share the star. Right: the four patterns of the proof. They
# are the ends of two segments that cross, so that the point where they cross lies in both hulls, and no line can part
# the classes.

fig, axes = figure(1, 3, (12.0, 4.4))
limits = {"complete": (-6, 10, -7, 9), "quasi": (-0.5, 7, -1, 6.5), "overlap": (-7, 9, -5, 11)}
titles = {
    "complete": f"complete: margin {float(found['complete'].margin):.3f}",
    "quasi": f"quasi: {found['quasi'].boundary_rows.size} rows on the line",
    "overlap": f"overlap: proved by {len(found['overlap'].certificate.support)} rows",
}
for ax, (name, (X, y)) in zip(axes, problems.items(), strict=True):
    plane(ax, limits[name])
    hulls(ax, X, y)
    points(ax, X, y, order=(1, 0), names=("ω₁", "ω₃" if name == "overlap" else "ω₂"))
    ax.set_title(titles[name])

s, (X, y) = found["complete"], problems["complete"]
widest = s.margin.hyperplane
g = widest.value(X)
line(axes[0], widest.a, label="largest margin")
for side in (-1, 1):
    line(axes[0], widest.a, side, color=GRAY, linestyle="--", linewidth=1)
ring(axes[0], X[np.abs(g) < 1 + 1e-9], "nearest")

s, (X, y) = found["quasi"], problems["quasi"]
line(axes[1], s.hyperplane.a, label="x₁ + x₂ = 5")
ring(axes[1], X[s.boundary_rows], "on the line")

s, (X, y) = found["overlap"], problems["overlap"]
rows = [term.row for term in s.certificate.support]
for label in (0, 1):
    axes[2].plot(*X[[row for row in rows if y[row] == label]].T, color=BLACK, linewidth=1.2, zorder=2)
ring(axes[2], X[rows], "proof")

for ax, name in zip(axes[1:], ("quasi", "overlap"), strict=True):
    star = [float(value) for value in found[name].certificate.point]
    ax.scatter(*star, marker="*", s=320, color=YELLOW, edgecolor=BLACK, linewidth=0.8, zorder=2.5, label="shared point")
for ax in axes:
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3, columnspacing=1, handletextpad=0.4)
plt.show()

# %%
# The weights of the proof are fractions. They make the same point from the patterns of either class, to the last digit.

for row, label, weight in found["overlap"].certificate.support:
    print(f"class {label}: {weight!s:>8} of row {row}, {X[row]}")
print("shared point:", *found["overlap"].certificate.point)

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

from discriminant import datasets, plot, separability

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

fig, axes = plt.subplots(1, 3, figsize=(12.0, 5.2), layout="compressed")
titles = {
    "complete": f"complete: margin {float(found['complete'].margin):.3f}",
    "quasi": f"quasi: {found['quasi'].boundary_rows.size} rows on the line",
    "overlap": f"overlap: proved by {len(found['overlap'].certificate.support)} rows",
}
for ax, (name, (X, y)) in zip(axes, problems.items(), strict=True):
    plot.hulls(X, y, ax, feature_names=["x₁", "x₂"])
    ax.set_title(titles[name])
plt.show()

# %%
# The weights of the proof are fractions. They make the same point from the patterns of either class, to the last digit.

for row, label, weight in found["overlap"].certificate.support:
    print(f"class {label}: {weight!s:>8} of row {row}, {X[row]}")
print("shared point:", *found["overlap"].certificate.point)

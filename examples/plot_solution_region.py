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

from discriminant import normalize, plot

patterns = np.array([[1.2, 1.6], [2.4, 0.8], [-1.6, 0.9], [-1.5, -1.6]])
labels = np.array([1, 1, 0, 0])
normalized = normalize(patterns, labels)

# %%
# Left: the raw patterns, and a line with the normal vector a that parts the two categories. Right: the patterns of ω₂
# negated, and now all of them lie on the same side.

a = np.array([1.6, 0.7])
assert (normalized @ a > 0).all()

fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.8), layout="compressed")
for ax, kind in zip(axes, ("raw", "normalized"), strict=True):
    ax.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal", title=kind)
    plot.weight_space(patterns, labels, ax, patterns=kind)
    ax.annotate("", a, (0, 0), arrowprops={"arrowstyle": "-|>", "color": "#222222", "shrinkA": 0, "shrinkB": 0})
    ax.annotate("a", a, (4, 0), textcoords="offset points")
    ax.set(xlabel="y₁ and a₁", ylabel="y₂ and a₂")
plt.show()

# %%
# The region without a margin and with b = 1: its borders are parallel to the old ones, at the distance *b/‖y‖*.

fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.8), layout="compressed")
for ax, b in zip(axes, (0.0, 1.0), strict=True):
    ax.set(xlim=(-1, 4), ylim=(-2.5, 2.5), aspect="equal", title=f"b = {b:g}")
    plot.weight_space(patterns, labels, ax, margin=b)
# On the dotted lines the margin is used up: their distance from the origin is b/|y|.
distances = 1.0 / np.linalg.norm(normalized, axis=1)
print("distances b/|y|:", distances.round(3))
plt.show()

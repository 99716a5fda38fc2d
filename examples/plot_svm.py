"""
The largest margin, hard and soft, in a plane and in the space of a kernel
==========================================================================

A support vector machine finds the plane with the largest margin. Where the classes overlap, slack has a cost *C*: the
larger it is, the narrower the margin. With a Gaussian kernel the boundary is curved.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11, Fig. 5.19; *Machine Learning: Theory and Practice*,
ch. 8, §8.4.
"""

import matplotlib.pyplot as plt
import numpy as np
from _style import BLACK, BLUE, GRAY, ORANGE, figure, grid, line, plane, points

from discriminant import SupportVectorMachine, mercer, svm_path

# %%
# Two overlapping classes and three costs. The dashed lines are at the margin; ringed patterns are the support vectors,
# all of them on the margin or on its wrong side.

rng = np.random.default_rng(3)
y = np.repeat([1, 0], 30)
X = rng.normal(size=(60, 2)) + np.where(y[:, None] == 1, 1.2, -1.2) * [1.0, 0.6]

models = svm_path(X, y, [0.01, 0.1, 10.0])
fig, axes = figure(1, 3, (11.0, 4.0), sharey=True)
for ax, model in zip(axes, models, strict=True):
    plane(ax, (-4.5, 4.5, -4.5, 4.5))
    points(ax, X, y, order=(1, 0), s=26)
    ax.scatter(*model.support_vectors_.T, s=80, facecolor="none", edgecolor=BLACK, linewidth=0.8, label="support")
    line(ax, model.weights_)
    for side in (-1, 1):
        line(ax, model.weights_, side, linestyle="--", linewidth=0.9)
    ax.set_title(f"C = {model.C:g}: margin {model.margin_:.2f}, {model.support_.size} support vectors")
for ax in axes[1:]:
    ax.set_ylabel("")
axes[0].legend(loc="lower right", frameon=True, framealpha=1, fontsize=8)
assert models[0].margin_ > models[1].margin_ > models[2].margin_
plt.show()

# %%
# A disk inside a ring, which no line separates. The surface *g(x)* of a Gaussian kernel nearly does, carried by few
# patterns.

angle, radius = rng.uniform(0, 2 * np.pi, size=120), np.repeat([0.9, 2.3], 60) + rng.normal(scale=0.35, size=120)
X, y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([1, 0], 60)
model = SupportVectorMachine(10.0, kernel=mercer.Gaussian(sigma=2.0)).fit(X, y)
print(f"{model.support_.size} of {len(y)} patterns are support vectors, the duality gap is {model.gap_:.0e}")

fig, ax = figure(1, 1, (6.4, 5.2))
plane(ax, (-3.6, 3.6, -3.6, 3.6))
x1, x2, rows = grid(ax, 200)
g = model.decision_function(rows).reshape(x1.shape)
ax.contourf(x1, x2, g > 0, [-0.5, 0.5, 1.5], colors=[ORANGE, BLUE], alpha=0.18)
lines = ax.contour(x1, x2, g, [-2, 2], colors=GRAY, linewidths=0.7, linestyles="solid")
ax.clabel(lines, fontsize=7)
ax.contour(x1, x2, g, [-1, 1], colors=BLACK, linestyles="--", linewidths=0.9)
ax.contour(x1, x2, g, [0], colors=BLACK)
points(ax, X, y, order=(1, 0), s=30)
ax.scatter(*model.support_vectors_.T, s=90, facecolor="none", edgecolor=BLACK, linewidth=0.8, label="support vector")
ax.legend(loc="lower left", frameon=True, framealpha=1, fontsize=8)
ax.set_title("Gaussian kernel: g = 0, and dashed g = ±1")
plt.show()

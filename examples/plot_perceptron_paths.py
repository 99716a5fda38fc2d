"""
The path of a perceptron
========================

In weight space each correction adds the misclassified pattern, whatever the distance from the solution region; the
path may lead away from it for a while. In the space of x each correction turns and moves the line.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.5.1 and §5.5.2, Figs. 5.12 and 5.13; *Machine Learning:
Theory and Practice*, ch. 8, Example 6 and Table 8.3.
"""

import matplotlib.pyplot as plt
import numpy as np
from _style import BLACK, GRAY, GREEN, figure, grid, line, path, plane, points

from discriminant import Perceptron, augment, criteria, datasets, normalize

# %%
# Three patterns of one feature, visited in the order y₂, y₃, y₁. The rule adds y₂, y₃, y₁ and y₃ again, as in the
# book's figure, and the second correction takes it farther from the solution region than the first had left it. The
# batch rule adds all misclassified patterns at once. The thin lines are level lines of *J_p*.

x = np.array([[1.0], [-1.5], [-3.0]])
labels = np.array([1, 1, 0])
Y = normalize(augment(x), labels)
single = Perceptron(record="weights").fit(x, labels)
batch = Perceptron(batch=True, record="weights").fit(x, labels)
steps = np.diff(single.history_["weights"], axis=0)
added = [int(np.flatnonzero((step == Y).all(axis=1))[0]) for step in steps]
assert [(2, 3, 1)[i] for i in added] == [2, 3, 1, 3]

fig, axes = figure(1, 2, (9.0, 4.2), sharey=True)
J = criteria.get("perceptron")(Y)
for ax, model, name in zip(axes, (single, batch), ("single sample", "batch"), strict=True):
    plane(ax, (-0.8, 3.2, -1.2, 3), xlabel="a₀ = w₀", ylabel="a₁ = w₁")
    a0, a1, rows = grid(ax, 120)
    height = np.array([J.value(a) for a in rows]).reshape(a0.shape)
    ax.contour(a0, a1, height, np.arange(0.5, 12), colors=GRAY, linewidths=0.7)
    ax.contourf(a0, a1, (rows @ Y.T > 0).all(axis=1).reshape(a0.shape), [0.5, 1.5], colors=[GREEN], alpha=0.35)
    path(ax, model.history_["weights"])
    ax.set_title(f"{name}: {model.n_corrections_} corrections")
places = ((0.15, 0.65), (1.95, 0.3), (0.75, 1.65), (1.6, 1.9))
for i, place in zip(added, places, strict=True):
    axes[0].annotate(f"+y{'₂₃₁'[i]}", place, weight="bold", backgroundcolor="#FFFFFFB0")
axes[1].annotate("solution region", (2.35, 0.82), color=GREEN, weight="bold", ha="center", backgroundcolor="#FFFFFFB0")
plt.show()

# %%
# The OR of two variables takes nine corrections. In each panel the large mark is the pattern that was wrong, the
# dashed line the one before the correction and the solid line the one after it. After the first correction w is still
# zero, and there is no line.

dataset = datasets.or_function()
X, y = dataset
model = Perceptron(record="weights").fit(X, y)
weights = model.history_["weights"]
assert np.array_equal(weights, dataset.path)
assert model.n_corrections_ == 9

fig, axes = figure(3, 3, (8.0, 8.2), sharex=True, sharey=True)
for k, ax in enumerate(axes.flat):
    plane(ax, (-0.6, 1.6, -0.6, 1.6), xlabel="x₁" if k > 5 else "", ylabel="x₂" if k % 3 == 0 else "")
    before, after = weights[k], weights[k + 1]
    change = after - before
    wrong = int(np.flatnonzero((change[0] * change[1:] == X).all(axis=1))[0])
    assert (2 * y[wrong] - 1) * (before[0] + before[1:] @ X[wrong]) <= 0
    line(ax, before, color=GRAY, linestyle="--")
    line(ax, after, color=BLACK)
    points(ax, X, y, names=("1", "0"), order=(1, 0))
    points(ax, X[[wrong]], y[[wrong]], order=(1, 0), s=170)
    ax.set_title(f"{k + 1}: a = ({after[0]:.0f}, {after[1]:.0f}, {after[2]:.0f})")
plt.show()

"""
The path of a perceptron
========================

In weight space each correction adds the misclassified pattern, whatever the distance from the solution region; the
path may lead away from it for a while. In the space of x each correction turns and moves the line.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.5.1 and §5.5.2, Figs. 5.12 and 5.13; *Machine Learning:
Theory and Practice*, ch. 8, Examples 1 and 6, Tables 8.1 and 8.3, Fig. 8.1.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Hyperplane, Perceptron, augment, datasets, normalize, plot

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

fig = plt.figure(figsize=(13.0, 5.2), layout="compressed")
axes = [fig.add_subplot(1, 3, 1), fig.add_subplot(1, 3, 2), fig.add_subplot(1, 3, 3, projection="3d")]
for ax, model, name in zip(axes, (single, batch), ("single sample", "batch"), strict=False):
    plot.criterion_surface("perceptron", x, labels, ax, model=model, limits=(-0.8, 3.2, -1.2, 3))
    ax.set_title(f"{name}: {model.n_corrections_} corrections")
places = ((0.15, 0.65), (1.95, 0.3), (0.75, 1.65), (1.6, 1.9))
for i, place in zip(added, places, strict=True):
    axes[0].annotate(f"+y{'₂₃₁'[i]}", place, weight="bold", backgroundcolor="#FFFFFFB0")
plot.criterion_surface("perceptron", x, labels, axes[2], model=single, limits=(-0.8, 3.2, -1.2, 3))
axes[2].set_title("the same on the surface")
axes[2].view_init(elev=40, azim=-110)
plt.show()

# %%
# **Fig. 8.1.** The truth tables of OR and of AND (Table 8.1), with the lines *x₁ + x₂ = 0.5* and *x₁ + x₂ = 1.5*. Any
# threshold from 0 to below 1, and from 1 to below 2, would do as well.

fig, axes = plt.subplots(1, 2, figsize=(8.4, 4.6), layout="compressed")
for ax, data, threshold, name in zip(
    axes, (datasets.or_function(), datasets.and_function()), (0.5, 1.5), ("OR", "AND"), strict=True
):
    X, y = data
    line = Hyperplane([1.0, 1.0], -threshold)
    assert np.array_equal(line.value(X) > 0, y == 1)
    ax.set(xlim=(-0.6, 1.6), ylim=(-0.6, 1.6), aspect="equal", title=name)
    plot.boundary(line, X, y, ax=ax, margin=0, feature_names=["x₁", "x₂"], label=f"x₁ + x₂ = {threshold}")
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

fig, axes = plt.subplots(3, 3, figsize=(8.4, 9.2), layout="compressed")
for k, ax in enumerate(axes.flat):
    ax.set(xlim=(-0.6, 1.6), ylim=(-0.6, 1.6), aspect="equal")
    before, after = weights[k], weights[k + 1]
    change = after - before
    wrong = int(np.flatnonzero((change[0] * change[1:] == X).all(axis=1))[0])
    assert (2 * y[wrong] - 1) * (before[0] + before[1:] @ X[wrong]) <= 0
    ax.scatter(*X[wrong], s=260, facecolor="none", edgecolor="#222222", label="wrong")
    old, new = (Hyperplane(a[1:], a[0]) for a in (before, after))
    look = {"color": "#8C8C8C", "linestyle": "--", "label": "before"}
    plot.boundary(old, X, y, ax=ax, feature_names=["x₁", "x₂"], **look)
    plot.boundary(new, ax=ax, label="after")
    if k != 7:
        ax.get_legend().remove()  # one is enough
    ax.set_title(f"{k + 1}: a = ({after[0]:.0f}, {after[1]:.0f}, {after[2]:.0f})")
plt.show()

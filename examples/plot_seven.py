"""
A network for the character 7
=============================

A 6 × 6 grid of black and white cells shows a seven or something else. Each cell is an input, a layer of units looks
for strokes, and one unit decides. The network learns from noisy sevens and from random grids.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.6, Figs. 8.13 and 8.14, Example 15.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import LogisticDiscriminant, MultilayerPerceptron, datasets, plot

# %%
# **Fig. 8.13.** Two sevens with a few cells flipped, and two grids that are none.

data = datasets.seven(n=400, flips=2, random_state=0)
fig, axes = plt.subplots(1, 4, figsize=(8, 2.2), layout="compressed")
chosen = [*np.flatnonzero(data.y == 1)[:2], *np.flatnonzero(data.y == 0)[:2]]
for ax, k in zip(axes, chosen, strict=True):
    ax.imshow(data.X[k].reshape(6, 6), cmap="gray_r", vmin=0, vmax=1)
    ax.set(xticks=[], yticks=[], xlabel="seven" if data.y[k] else "none")
plt.show()

# %%
# **Fig. 8.14, Example 15.** Thirty-six inputs, four hidden units, one output, whose sigmoid is near 1 for a seven. From
# small random weights, backpropagation comes to a network without an error.

model = MultilayerPerceptron(hidden=(4,), activation="sigmoid", learning_rate=0.02, max_iter=500, random_state=0)
model.fit(data.X, data.y)
assert model.score(data.X, data.y) == 1
plot.network(model)
plt.show()

# %%
# What the hidden units look at: a black cell where the weight is positive speaks for the unit, one where it is negative
# against it. The strokes of the seven can be made out in three of them; the third unit looks for cells that a seven
# leaves white, and speaks against it. A single unit does as well here, since the grids differ from a seven in many
# cells at once.

largest = max(np.abs(model.coefs_[0]).max(), 1e-9)
fig, axes = plt.subplots(1, 4, figsize=(8, 2.4), layout="compressed")
for k, ax in enumerate(axes):
    shown = ax.imshow(model.coefs_[0][:, k].reshape(6, 6), cmap="PuOr", vmin=-largest, vmax=largest)
    ax.set(xticks=[], yticks=[], xlabel=f"unit {k + 1}")
bar = fig.colorbar(shown, ax=axes)
bar.ax.set_xlabel("weight")
plt.show()
fresh = datasets.seven(n=1000, flips=2, random_state=1)
single = LogisticDiscriminant().fit(data.X, data.y)
for name, found in (("network", model), ("one unit", single)):
    print(f"{name}: {1 - found.score(fresh.X, fresh.y):.1%} errors on 1,000 new grids")

"""
Regions of many classes
=======================

Two-category discriminants for four classes leave regions that no class, or more than one, can claim; they are
hatched. A linear machine, which decides for the largest of its discriminants, leaves only lines, and its regions are
convex. Not every pair of regions needs to meet: the five classes have ten pairs, and only eight of them a boundary.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.2, Figs. 5.3 and 5.4.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Perceptron, plot
from discriminant.multiclass import pairs


def clusters(centers, n=12, spread=0.55, seed=3):
    """Give n points around each center."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([np.asarray(center) + spread * rng.standard_normal((n, 2)) for center in centers])
    return X, np.repeat(np.arange(len(centers)), n)


def draw(ax, model, X, y, title):
    """Draw the regions and the points."""
    ax.set(xlim=(-5, 5), ylim=(-5, 5), aspect="equal", title=title)
    plot.regions(model, X, y, ax=ax, feature_names=["x₁", "x₂"])


# %%
# One discriminant for each class against the rest, or one for each pair of classes: ``undecided`` tells where the
# first claim no class or several, and where the second give equal votes.

fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.6), layout="compressed")
X, y = clusters([(0, 3), (3, 0), (0, -3), (-3, 0)], seed=1)
for ax, strategy in zip(axes, ("one-vs-rest", "one-vs-one"), strict=True):
    model = Perceptron(multiclass=strategy).fit(X, y)
    assert model.status_.name == "SEPARATED"
    assert len(model.weights_) == (4 if strategy == "one-vs-rest" else len(pairs(4)))
    draw(ax, model, X, y, strategy)
    plot.boundary(model, ax=ax, linewidth=1, label="g = 0 of each rule")
    inside = np.random.default_rng(0).uniform(-5, 5, (20_000, 2))
    print(f"{strategy}: {model.undecided(inside).mean():.0%} of the square is ambiguous, none of the training patterns")
    assert not model.undecided(X).any()
plt.show()

# %%
# Kesler's rule makes a linear machine for three classes and for five. A boundary is a piece of the line on which two
# discriminants are equal and larger than all others.

fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.6), layout="compressed")
five = [(0, 0), (0, 3.2), (3.2, 0), (0, -3.2), (-3.2, 0)]
for ax, centers in zip(axes, ([(0, 3), (2.6, -2), (-2.6, -2)], five), strict=True):
    X, y = clusters(centers, seed=0)
    model = Perceptron(margin=5).fit(X, y)
    assert model.status_.name == "SEPARATED"
    draw(ax, model, X, y, f"linear machine, {len(centers)} classes")
plt.show()

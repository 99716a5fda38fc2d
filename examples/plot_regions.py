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
from _style import BLACK, figure, line, plane, points, regions

from discriminant import Perceptron
from discriminant.multiclass import pairs


def clusters(centers, n=12, spread=0.55, seed=3):
    """Give n points around each center."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([np.asarray(center) + spread * rng.standard_normal((n, 2)) for center in centers])
    return X, np.repeat(np.arange(len(centers)), n)


def draw(ax, model, X, y, title):
    """Draw the regions, the dichotomies and the points."""
    plane(ax, (-5, 5, -5, 5))
    regions(ax, model.predict, model.undecided)
    points(ax, X, y)
    ax.set_title(title)


# %%
# One discriminant for each class against the rest, or one for each pair of classes: ``undecided`` tells where the
# first claim no class or several, and where the second give equal votes.

fig, axes = figure(1, 2, (9.0, 4.5))
X, y = clusters([(0, 3), (3, 0), (0, -3), (-3, 0)], seed=1)
for ax, strategy in zip(axes, ("one-vs-rest", "one-vs-one"), strict=True):
    model = Perceptron(multiclass=strategy).fit(X, y)
    assert model.status_.name == "SEPARATED"
    assert len(model.weights_) == (4 if strategy == "one-vs-rest" else len(pairs(4)))
    draw(ax, model, X, y, strategy)
    for a in model.weights_:
        line(ax, a, linewidth=1)
    inside = np.random.default_rng(0).uniform(-5, 5, (20_000, 2))
    print(f"{strategy}: {model.undecided(inside).mean():.0%} of the square is ambiguous, none of the training patterns")
    assert not model.undecided(X).any()
axes[0].legend(loc="upper left", ncols=2, frameon=True, framealpha=1)
plt.show()

# %%
# Kesler's rule makes a linear machine for three classes and for five. A boundary is a piece of the line on which two
# discriminants are equal and larger than all others.

fig, axes = figure(1, 2, (9.0, 4.5))
five = [(0, 0), (0, 3.2), (3.2, 0), (0, -3.2), (-3.2, 0)]
for ax, centers in zip(axes, ([(0, 3), (2.6, -2), (-2.6, -2)], five), strict=True):
    X, y = clusters(centers, seed=0)
    model = Perceptron(margin=5).fit(X, y)
    assert model.status_.name == "SEPARATED"
    draw(ax, model, X, y, f"linear machine, {len(centers)} classes")
    x1, x2 = np.meshgrid(*[np.linspace(-5, 5, 300)] * 2)
    winner = model.predict(np.column_stack([x1.ravel(), x2.ravel()])).reshape(x1.shape)
    for label in range(len(centers)):
        ax.contour(x1, x2, winner == label, [0.5], colors=BLACK, linewidths=1)
plt.show()

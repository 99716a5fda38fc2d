"""
Margins and slack
=================

The geometric margin of a pattern is its distance from the plane, negative on the wrong side. The smallest one is the
margin of the plane; the largest such number over all planes is the margin of the training set. Where no plane keeps
the margin, slack variables measure how far each pattern falls short.

Source: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, Definitions 2.2 and 2.6, Theorem
2.7, Figs. 2.1–2.4.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Hyperplane, Perceptron, bounds, datasets, margins, plot

BLACK, GRAY = "#222222", "#8C8C8C"


def feet(ax, model, X, rows, **style):
    """Draw the way from patterns to their projections on the plane."""
    for start, end in zip(X[rows], model.project(X[rows]), strict=True):
        ax.plot(*np.array([start, end]).T, **({"color": GRAY, "linewidth": 1} | style))


# %%
# Left: the plane (w, b), its normal w, and the geometric margins of two patterns. Right: the best plane for the same
# six points, those of Problem 29 in *Pattern Classification*; its margin is √2/4.

dataset = datasets.margin_six()
X, y = dataset
slanted = Hyperplane([1.0, 1.6], -1.75)
best = Hyperplane.from_augmented(dataset.solution)
assert abs(margins(best, X, y).margin - dataset.margin) < 1e-12
assert abs(dataset.margin - np.sqrt(2) / 4) < 1e-12

fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.6), layout="compressed")
for ax, model in zip(axes, (slanted, best), strict=True):
    distances = margins(model, X, y)
    ax.set(xlim=(-0.7, 2.7), ylim=(-0.7, 2.7), aspect="equal")
    plot.boundary(model, X, y, ax=ax, feature_names=["x₁", "x₂"])
    foot = model.project(np.array([0.2, 1.6]))
    tip = foot + 0.45 * model.w / np.linalg.norm(model.w)
    ax.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": BLACK, "shrinkA": 0, "shrinkB": 0})
    ax.annotate("w", tip, (3, 3), textcoords="offset points")
    ax.set_title(f"margin of the plane {distances.margin:.3f}")
feet(axes[0], slanted, X, [1, 3])
for row, place in ((1, (1.75, 1.25)), (3, (0.37, 0.17))):
    axes[0].annotate(f"γ = {margins(slanted, X, y).geometric[row]:.2f}", place)
feet(axes[1], best, X, [0, 2, 4, 5])
plt.show()

# %%
# Two overlapping Gaussians, the plane of Bayes' rule and a target margin γ = 1. For a pattern inside the band or on the
# wrong side, the slack ξ is the way to its own border of the band. D is the norm of all slacks, and with it Theorem 2.7
# bounds the mistakes of the perceptron in its first pass, whether the classes can be separated or not.

dataset = datasets.gaussian_pair(60, means=((1.5, 0.5), (-1.5, -0.5)), random_state=4)
X, y = dataset
bayes = Hyperplane.from_augmented(dataset.bayes)
slack = margins(bayes, X, y, gamma=1.0, normalized=True)
bound = bounds.freund_schapire(bounds.radius(X), slack.D, slack.gamma)
mistakes = Perceptron(bias="radius").partial_fit(X, y, classes=[0, 1]).n_corrections_
assert mistakes <= bound
print(slack)
print(f"mistakes in the first pass: {mistakes}; allowed by Theorem 2.7: {bound:.0f}")

fig, (left, right) = plt.subplots(1, 2, figsize=(10.0, 5.2), layout="compressed", width_ratios=(1.15, 1))
left.set(xlim=(-5.2, 4.4), ylim=(-3.6, 3.6), aspect="equal")
plot.boundary(bayes, X, y, ax=left, margin=1.0, feature_names=["x₁", "x₂"])
left.set_title(f"γ = 1, D = {slack.D:.2f}")
plot.margin_distribution(bayes, X, y, right, gamma=1.0)
right.set_title(f"margin distribution; {slack.errors} errors")
plt.show()

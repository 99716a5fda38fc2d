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
from _style import BLACK, BLUE, GRAY, ORANGE, figure, line, plane, points

from discriminant import Hyperplane, Perceptron, bounds, datasets, margins


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

fig, axes = figure(1, 2, (9.5, 4.6))
for ax, model in zip(axes, (slanted, best), strict=True):
    distances = margins(model, X, y)
    plane(ax, (-0.7, 2.7, -0.7, 2.7))
    line(ax, model.a)
    points(ax, X, y, order=(1, 0), s=60)
    foot = model.project(np.array([0.2, 1.6]))
    tip = foot + 0.45 * model.w / np.linalg.norm(model.w)
    ax.annotate("", tip, foot, arrowprops={"arrowstyle": "-|>", "color": BLACK, "shrinkA": 0, "shrinkB": 0})
    ax.annotate("w", tip, (3, 3), textcoords="offset points")
    ax.set_title(f"margin of the plane {distances.margin:.3f}")
feet(axes[0], slanted, X, [1, 3])
for row, place in ((1, (1.75, 1.25)), (3, (0.37, 0.17))):
    axes[0].annotate(f"γ = {margins(slanted, X, y).geometric[row]:.2f}", place)
for side in (-1, 1):
    line(axes[1], best.a, side, color=GRAY, linestyle="--", linewidth=1)
feet(axes[1], best, X, [0, 2, 4, 5])
axes[0].legend(loc="upper right")
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

fig, (left, right) = figure(1, 2, (9.5, 4.4), width_ratios=(1.15, 1))
plane(left, (-5.2, 4.4, -3.6, 3.6))
line(left, bayes.a)
unit = bayes.a / np.linalg.norm(bayes.w)
for side, color in ((1, BLUE), (-1, ORANGE)):
    line(left, unit, side, color=color, linestyle="--", linewidth=1)
z = 2 * y - 1
for row in np.flatnonzero(slack.slack):
    end = X[row] + z[row] * slack.slack[row] * unit[1:]
    left.plot(*np.array([X[row], end]).T, color=(ORANGE, BLUE)[y[row]], linewidth=1)
points(left, X, y, order=(1, 0))
left.set_title(f"γ = 1, D = {slack.D:.2f}")
left.legend(loc="lower right")
right.hist(
    [slack.geometric[y == 1], slack.geometric[y == 0]], bins=np.arange(-2, 5, 0.5), color=[BLUE, ORANGE], stacked=True
)
right.axvline(0, color=BLACK, linewidth=1)
right.axvline(1, color=BLACK, linestyle="--", linewidth=1)
right.set(xlabel="geometric margin", ylabel="patterns", title=f"margin distribution; {slack.errors} errors")
plt.show()

"""
Curved boundaries from linear discriminants
===========================================

A linear discriminant of *(1, x, x²)* cuts the line into three pieces: the region of ω₁ is in two parts. With
the product *x₁x₂* as a third feature a plane solves the exclusive or. A kernel does the same without building
the features.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Figs. 5.5 and 5.6, Computer exercise 5, Example 2.
"""

import matplotlib.pyplot as plt
import numpy as np
from _style import BLACK, BLUE, GRAY, ORANGE, figure, grid, plane, points
from sklearn.pipeline import make_pipeline

from discriminant import Hyperplane, KernelPerceptron, Perceptron, PolynomialMap, datasets, mercer

# %%
# The book's weights *a = (−1, 1, 2)* are positive for x < -1 and for x > 1/2.

x = np.linspace(-2, 1.5, 500)[:, None]
phi = PolynomialMap(degree=2).fit(x)
g = Hyperplane.from_augmented([-1, 1, 2])
values = g.value(phi.transform(x))
assert np.array_equal(values > 0, ((x < -1) | (x > 0.5)).ravel())
print("g vanishes at", np.roots([2, 1, -1]), "and the discriminant has", phi.n_terms_, "terms")

fig, (left, right) = figure(1, 2, (9.0, 3.8))
left.axhline(0, color=GRAY, linewidth=0.8)
left.plot(x, values, color=BLACK)
for sign, color, name in ((1, BLUE, "g > 0: ω₁"), (-1, ORANGE, "g < 0: ω₂")):
    left.plot(x, np.where(sign * values > 0, -2.0, np.nan), color=color, linewidth=6, solid_capstyle="butt", label=name)
left.set(xlabel="x", ylabel="g(x) = −1 + x + 2x²", ylim=(-2.3, 5))
left.legend(loc="upper center")
left.set_title("In the space of x the region of ω₁ has two parts")

right.plot(x, x**2, color=GRAY, linewidth=1)
for sign, color in ((1, BLUE), (-1, ORANGE)):
    right.plot(x, np.where(sign * values[:, None] > 0, x**2, np.nan), color=color, linewidth=4)
right.plot(x, (1 - x) / 2, color=BLACK, linestyle="--", label="−1 + y₂ + 2y₃ = 0")
right.set(xlabel="y₂ = x", ylabel="y₃ = x²", ylim=(-0.2, 4))
right.legend(loc="upper center")
right.set_title("In the space of y one line parts them")
plt.show()

# %%
# The exclusive or in features of ±1. Left: a perceptron on *(x₁, x₂, x₁x₂)*. Right: the kernel perceptron
# with *(1 + xᵗz)²*, which adds every pattern once and ends with *g(x) = 8x₁x₂*.

X, y = datasets.xor_signed()
mapped = make_pipeline(PolynomialMap(degree=2, interaction_only=True), Perceptron()).fit(X, y)
kernel = KernelPerceptron(mercer.Polynomial(degree=2), bias="augmented").fit(X, y)
assert mapped.score(X, y) == kernel.score(X, y) == 1
assert kernel.alpha_.tolist() == [1, 1, 1, 1]
np.testing.assert_allclose(kernel.decision_function(X), 8 * X.prod(axis=1))
print("weights on (1, x1, x2, x1 x2):", mapped[-1].weights_, " embedding strengths:", kernel.alpha_)

fig, axes = figure(1, 2, (9.0, 4.3))
titles = ("perceptron on (x₁, x₂, x₁x₂)", "kernel perceptron, (1 + xᵗz)²")
for ax, model, title in zip(axes, (mapped, kernel), titles, strict=True):
    plane(ax, (-2, 2, -2, 2))
    x1, x2, rows = grid(ax, 200)
    level = model.decision_function(rows).reshape(x1.shape)
    ax.contourf(x1, x2, level > 0, [-0.5, 0.5, 1.5], colors=[ORANGE, BLUE], alpha=0.2)
    lines = ax.contour(x1, x2, level, 7, colors=GRAY, linewidths=0.7)
    ax.contour(x1, x2, level, [0], colors=BLACK)
    ax.clabel(lines, fontsize=7)
    points(ax, X, y, order=(1, 0), s=70)
    ax.set_title(title)
axes[0].legend(loc="lower left", frameon=True, framealpha=1)
plt.show()

"""
Curved boundaries from linear discriminants
===========================================

A linear discriminant of *(1, x, x²)* cuts the line into three pieces: the region of ω₁ is in two parts. With
the product *x₁x₂* as a third feature a plane solves the exclusive or. A kernel does the same without building
the features.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.3, Figs. 5.5–5.7, Example 2.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from discriminant import (
    Hyperplane,
    KernelPerceptron,
    Perceptron,
    PolynomialMap,
    SupportVectorMachine,
    datasets,
    mercer,
    plot,
)

# %%
# The book's weights *a = (−1, 1, 2)* are positive for x < -1 and for x > 1/2.

x = np.linspace(-2, 1.5, 500)[:, None]
phi = PolynomialMap(degree=2).fit(x)
g = Hyperplane.from_augmented([-1, 1, 2])
values = g.value(phi.transform(x))
assert np.array_equal(values > 0, ((x < -1) | (x > 0.5)).ravel())
print("g vanishes at", np.roots([2, 1, -1]), "and the discriminant has", phi.n_terms_, "terms")


# %%
# A perceptron on (1, x, x²) finds such weights from labeled points. On the left the regions of x, of which that of
# class 1 has two parts; on the right the space of y, where the line of x has become a parabola, and the plane through
# the origin, perpendicular to a, has one part of it on each side.

points = np.linspace(-2, 1.5, 22)[:, None]
labels = (g.value(phi.transform(points)) > 0).astype(int)
curved = make_pipeline(PolynomialMap(degree=2), Perceptron()).fit(points, labels)
assert curved.score(points, labels) == 1

fig = plt.figure(figsize=(10.0, 5.0), layout="compressed")
left, right = fig.add_subplot(1, 2, 1), fig.add_subplot(1, 2, 2, projection="3d")
plot.regions(curved, points, labels, ax=left, feature_names=["x"])
plot.feature_space(curved, points, labels, right)
right.view_init(elev=18, azim=-50)
plt.show()

# %%
# **Fig. 5.7.** Two features with *y₁ = 1* before them. The plane *aᵗy = 0* passes through the origin, perpendicular to
# *a*; where it cuts the plane *y₁ = 1*, in which all patterns lie, is the line of the space of *x*, and that need not
# pass through any origin.

X, y = datasets.table(1, 4)
straight = Perceptron().fit(X, y)
fig = plt.figure(figsize=(10.0, 5.0), layout="compressed")
left, right = fig.add_subplot(1, 2, 1), fig.add_subplot(1, 2, 2, projection="3d")
plot.boundary(straight, X, y, ax=left, margin=0, feature_names=["x₁", "x₂"])
plot.feature_space(straight, X, y, right)
right.set(ylabel="y₂ = x₁", zlabel="y₃ = x₂")
right.view_init(elev=22, azim=-35)
plt.show()

# %%
# The exclusive or in features of ±1. A perceptron on *(x₁, x₂, x₁x₂)* solves it, and so does the kernel perceptron with
# *(1 + xᵗz)²*, which adds every pattern once and ends with *g(x) = 8x₁x₂*.

X, y = datasets.xor_signed()
mapped = make_pipeline(PolynomialMap(degree=2, interaction_only=True), Perceptron()).fit(X, y)
kernel = KernelPerceptron(mercer.Polynomial(degree=2), bias="augmented").fit(X, y)
assert mapped.score(X, y) == kernel.score(X, y) == 1
assert kernel.alpha_.tolist() == [1, 1, 1, 1]
np.testing.assert_allclose(kernel.decision_function(X), 8 * X.prod(axis=1))
print("weights on (1, x1, x2, x1 x2):", mapped[-1].weights_, " embedding strengths:", kernel.alpha_)

fig = plt.figure(figsize=(12.0, 5.0), layout="compressed")
axes = [fig.add_subplot(1, 3, 1), fig.add_subplot(1, 3, 2), fig.add_subplot(1, 3, 3, projection="3d")]
titles = ("perceptron on (x₁, x₂, x₁x₂)", "kernel (1 + xᵗz)²")
for ax, model, title in zip(axes[:2], (mapped, kernel), titles, strict=True):
    ax.set(xlim=(-2, 2), ylim=(-2, 2), title=title)
    plot.regions(model, X, y, ax=ax)
plot.feature_space(mapped, X, y, axes[2])
axes[2].set_title("the surface y₃ = x₁x₂ and the plane")
plt.show()

# %%
# Example 2: the support vector machine in the five features that the kernel stands for. Its plane is *y₃ = 0*, all four
# patterns lie at the margin √2, and in the plane of *√2 x₁* and *√2 x₁x₂* that can be seen.


def phi_2(X):
    """Give (√2 x₁, √2 x₂, √2 x₁x₂, x₁², x₂²)."""
    return np.column_stack([X, X.prod(axis=1), X**2]) * np.sqrt([2, 2, 2, 1, 1])


Y = phi_2(X)
machine = SupportVectorMachine(C=np.inf).fit(Y, y)
assert abs(machine.margin_ - np.sqrt(2)) < 1e-9
fig, (left, right) = plt.subplots(1, 2, figsize=(10.0, 5.0), layout="compressed")
left.set(xlim=(-2, 2), ylim=(-2, 2), title="g(x) = x₁x₂ in the space of x")
plot.regions(make_pipeline(FunctionTransformer(phi_2), SupportVectorMachine(C=np.inf)).fit(X, y), X, y, ax=left)
right.set(xlim=(-3, 3), ylim=(-3, 3), title="the margin √2 in the space of y")
plot.boundary(machine, Y, y, (0, 2), right, feature_names=["√2 x₁", "√2 x₂", "√2 x₁x₂", "x₁²", "x₂²"])
plt.show()

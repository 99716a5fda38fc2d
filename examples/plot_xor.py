"""
The exclusive or, with a third coordinate
=========================================

No line separates the four points of the exclusive or. With the product *x₁x₂* as a third coordinate a plane does: *x₁
+ x₂ − 2x₁x₂* is the truth table itself. A kernel does the same without writing the coordinate down, and its boundary
in the plane of *x* is a curve.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.4.2 and §8.4.3, Example 11, Tables 8.6 and 8.7, Figs. 8.9
and 8.10.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from discriminant import PolynomialMap, SupportVectorMachine, datasets, mercer, plot, separability

# %%
# **Table 8.7.** The fifth column is the third.

X, y = datasets.xor()
mapped = np.column_stack([X, X.prod(axis=1)])
print("x₁ x₂ x₁x₂ XOR  x₁ + x₂ − 2x₁x₂")
for row, label in zip(mapped, y, strict=True):
    print(*(f"{value:2.0f}" for value in row), f"{label:5d} {row @ [1, 1, -2]:9.0f}")
assert separability(X, y).verdict == "overlap"
assert separability(mapped, y).verdict == "complete"

# %%
# **Fig. 8.10.** The map φ takes *(x₁, x₂)* to *(x₁, x₂, x₁x₂)*, where the plane of the largest margin separates the
# classes. Seen from the input space, on the left, that plane is a curve.

model = make_pipeline(PolynomialMap(interaction_only=True), SupportVectorMachine(C=np.inf)).fit(X, y)
assert model.score(X, y) == 1
fig = plt.figure(figsize=(9, 4.6), layout="compressed")
flat, solid = fig.add_subplot(1, 2, 1), fig.add_subplot(1, 2, 2, projection="3d")
flat.set(xlim=(-0.4, 1.4), ylim=(-0.4, 1.4), aspect="equal", title="input space")
plot.regions(model, X, y, ax=flat, feature_names=["x₁", "x₂"])
plot.feature_space(model, X, y, solid)
solid.set(xlabel="x₁", ylabel="x₂", zlabel="x₁x₂", title="feature space")
plt.show()

# %%
# **Fig. 8.9.** A kernel draws a curve where a line has margin violators: 80 patterns in four quarters, as in the
# exclusive or. The line gets 23 of them wrong, and 70 are support vectors; the curve of the Gaussian kernel errs in
# one, and 17 patterns are enough to draw it.

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (80, 2))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="compressed")
for ax, kernel in zip(axes, ("linear", mercer.Gaussian(0.7)), strict=True):
    model = SupportVectorMachine(C=10.0, kernel=kernel).fit(X, y)
    plot.regions(model, X, y, ax=ax)
    ax.set_title(f"{getattr(kernel, 'name', kernel)}: {np.count_nonzero(model.predict(X) != y)} of 80 wrong")
plt.show()

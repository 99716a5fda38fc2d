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

from discriminant import SupportVectorMachine, datasets, mercer, plot, separability

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
# **Fig. 8.10.** The input space, and the feature space with the plane of the largest margin.

model = SupportVectorMachine(C=np.inf).fit(mapped, y)
fig = plt.figure(figsize=(9, 4), layout="compressed")
flat, solid = fig.add_subplot(1, 2, 1), fig.add_subplot(1, 2, 2, projection="3d")
for label, marker in ((0, "o"), (1, "s")):
    flat.scatter(*X[y == label].T, marker=marker, s=60, label=f"class {label}")
    solid.scatter(*mapped[y == label].T, marker=marker, s=60)
x1, x2 = np.meshgrid([-0.2, 1.2], [-0.2, 1.2])
w, w0 = model.coef_.ravel(), float(model.intercept_[0])
solid.plot_surface(x1, x2, -(w[0] * x1 + w[1] * x2 + w0) / w[2], alpha=0.3)
flat.set(xlabel="x₁", ylabel="x₂", aspect="equal")
solid.set(xlabel="x₁", ylabel="x₂", zlabel="x₁x₂")
flat.legend()
plt.show()

# %%
# **Fig. 8.9.** A kernel draws a curve where a line has margin violators.

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (80, 2))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="compressed")
for ax, kernel in zip(axes, ("linear", mercer.Gaussian(0.7)), strict=True):
    model = SupportVectorMachine(C=10.0, kernel=kernel).fit(X, y)
    plot.regions(model, X, y, ax=ax)
    ax.set_title(f"{getattr(kernel, 'name', kernel)}: {np.count_nonzero(model.predict(X) != y)} errors")
plt.show()

"""
The largest margin, hard and soft, in a plane and in the space of a kernel
==========================================================================

A support vector machine finds the plane with the largest margin. Where the classes overlap, slack has a cost *C*: the
larger it is, the narrower the margin. With a Gaussian kernel the boundary is curved.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11, Fig. 5.19; *Machine Learning: Theory and Practice*,
ch. 8, §8.4.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import SupportVectorMachine, mercer, plot, svm_path

# %%
# Two overlapping classes and three costs. The dashed lines are at the margin; ringed patterns are the support vectors,
# all of them on the margin or on its wrong side.

rng = np.random.default_rng(3)
y = np.repeat([1, 0], 30)
X = rng.normal(size=(60, 2)) + np.where(y[:, None] == 1, 1.2, -1.2) * [1.0, 0.6]

models = svm_path(X, y, [0.01, 0.1, 10.0])
fig, axes = plt.subplots(1, 3, figsize=(12.0, 5.2), layout="compressed")
for ax, model in zip(axes, models, strict=True):
    ax.set(xlim=(-4.5, 4.5), ylim=(-4.5, 4.5), aspect="equal")
    plot.boundary(model, X, y, ax=ax, feature_names=["x₁", "x₂"])
    ax.set_title(f"C = {model.C:g}: margin {model.margin_:.2f}, {model.support_.size} support vectors")
assert models[0].margin_ > models[1].margin_ > models[2].margin_
plt.show()

# %%
# A disk inside a ring, which no line separates. The surface *g(x)* of a Gaussian kernel nearly does, carried by few
# patterns.

angle, radius = rng.uniform(0, 2 * np.pi, size=120), np.repeat([0.9, 2.3], 60) + rng.normal(scale=0.35, size=120)
X, y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([1, 0], 60)
model = SupportVectorMachine(10.0, kernel=mercer.Gaussian(sigma=2.0)).fit(X, y)
print(f"{model.support_.size} of {len(y)} patterns are support vectors, the duality gap is {model.gap_:.0e}")

fig, ax = plt.subplots(figsize=(6.4, 6.4), layout="compressed")
ax.set(xlim=(-3.6, 3.6), ylim=(-3.6, 3.6), aspect="equal", title="Gaussian kernel: g = 0, and dashed g = ±1")
plot.regions(model, X, y, ax=ax, feature_names=["x₁", "x₂"])
plot.boundary(model, X, ax=ax, feature_names=["x₁", "x₂"])
plt.show()

# %%
# How it gets there. The dual value rises from below and the criterion falls from above; the gap between them, relative
# to the criterion, proves how far an answer is from the best. Each round works off a block of patterns; where slack is
# dear, more of them are needed.

X = rng.normal(size=(1500, 2))
y = (np.sin(2 * X[:, 0]) + 0.4 * rng.normal(size=1500) > X[:, 1]).astype(int)
kernel = mercer.Gaussian(sigma=1.0)
models = {f"C = {C:g}": SupportVectorMachine(C, kernel=kernel, tol=1e-6).fit(X, y) for C in (0.1, 1, 10, 100)}
fig, ax = plt.subplots(figsize=(7.0, 4.6), layout="compressed")
plot.history(models, ax, what="gap")
plt.show()

"""
The sigmoid as a probability, by squared loss and by log loss
=============================================================

Logistic regression puts the discriminant *g = wᵗx + w₀* through a sigmoid. The source lets gradient descent lower the
squared error of four patterns. It takes 220 steps to separate them; the log loss needs a few steps of Newton's method.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.5, Fig. 8.11, Example 14.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from _style import BLACK, BLUE, GRAY, GREEN, ORANGE, figure, grid, line, plane, points

from discriminant import LogisticDiscriminant, datasets

# %%
# Example 14, with the source's step of 0.01. After nine steps all four patterns are in class 1.

X, y = datasets.logistic_four()
with warnings.catch_warnings(action="ignore"):
    model = LogisticDiscriminant(loss="squared", schedule=0.01, max_iter=400, record="weights").fit(X, y)
path = model.history_["weights"]
sigma = 1 / (1 + np.exp(-path @ np.c_[np.ones(4), X].T))
assert np.allclose(path[1], [0, 0.0125, 0.0125])
assert np.allclose(path[9], [-0.00754, 0.06927, 0.06927], atol=5e-6)
assert (sigma[9] > 0.5).all()
first = int(np.flatnonzero(((sigma > 0.5) == y).all(axis=1))[0])
assert first == 220

fig, (left, right) = figure(1, 2, (10.0, 4.0))
steps = np.arange(len(path))
for j, color, marker in ((0, ORANGE, "s"), (2, BLUE, "o")):
    left.plot(steps, sigma[:, j], color=color, marker=marker, markevery=50, markersize=4, label=f"class {y[j]}")
left.axhline(0.5, color=GRAY, linewidth=0.8)
left.axvline(first, color=BLACK, linewidth=0.8, linestyle="--", label=f"separated at step {first}")
left.set(xlabel="step", ylabel="σ(g)", ylim=(0, 1), title="the sigmoid of the two patterns of each class")
left.legend(loc="lower left")
plane(right, (0, 8, 0, 8))
points(right, X, y, order=(1, 0))
for k, style in ((first, ":"), (400, "--")):
    line(right, path[k], linestyle=style, linewidth=1.0)
log = LogisticDiscriminant(C=10.0).fit(X, y)
line(right, log.weights_)
right.set_title(f"g = 0 at steps {first} and 400; solid: log loss")
plt.show()

# %%
# Two overlapping classes and their probabilities by log loss.

rng = np.random.default_rng(5)
y = np.repeat([1, 0], 60)
X = rng.normal(size=(120, 2)) + np.where(y[:, None] == 1, 1.0, -1.0) * [0.9, 0.5]
model = LogisticDiscriminant().fit(X, y)
assert abs((model.predict_proba(X)[:, 1] - y).sum()) < 1e-6  # the free intercept balances the probabilities

fig, (left, right) = figure(1, 2, (10.0, 4.2))
plane(left, (-4, 4, -4, 4))
x1, x2, rows = grid(left, 200)
p = model.predict_proba(rows)[:, 1].reshape(x1.shape)
lines = left.contour(x1, x2, p, [0.05, 0.25, 0.5, 0.75, 0.95], colors=BLACK, linewidths=0.9)
left.clabel(lines, fontsize=7)
points(left, X, y, order=(1, 0), s=24)
left.set_title("P(class 1 | x)")

# %%
# Of many classes the exponentials of the discriminants, divided by their sum, are the probabilities.

X, y = datasets.table(1, 2, 4)
model = LogisticDiscriminant(C=1.0).fit(X, y)
assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
plane(right, (-10, 10, -10, 10))
x1, x2, rows = grid(right, 200)
top = model.predict_proba(rows).max(axis=1).reshape(x1.shape)
lines = right.contour(x1, x2, top, [0.5, 0.7, 0.9, 0.99], colors=GRAY, linewidths=0.7)
right.clabel(lines, fontsize=7)
for label, color, marker in zip(model.classes_, (BLUE, ORANGE, GREEN), "os^", strict=True):
    right.scatter(*X[y == label].T, color=color, marker=marker, s=30, label=f"category {label}")
right.legend(loc="lower right", fontsize=8)
right.set_title("three categories: probability of the likeliest")
plt.show()

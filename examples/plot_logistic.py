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

from discriminant import Hyperplane, LogisticDiscriminant, datasets, plot

BLUE, ORANGE, GRAY = "#0072B2", "#D55E00", "#8C8C8C"  # Okabe and Ito's colors, which the color-blind can tell apart

# %%
# **Fig. 8.11.** The unit: inputs times weights and a bias give the activation input *a = wᵗx + b*, and the sigmoid
# makes of it the output *σ(a) = 1/(1 + e⁻ᵃ)*, between 0 and 1.

X, y = datasets.logistic_four()
unit = LogisticDiscriminant(C=10.0).fit(X, y)
fig, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="compressed")
plot.network(unit, left, feature_names=["x(1)", "x(2)"])
a = np.linspace(-6, 6, 201)
right.plot(a, 1 / (1 + np.exp(-a)), color="#222222", label="σ(a)")
for label, color, marker in ((0, BLUE, "o"), (1, ORANGE, "s")):
    values = unit.decision_function(X[y == label])
    right.plot(values, 1 / (1 + np.exp(-values)), marker, color=color, label=f"class {label}")
right.set(xlabel="a = wᵗx + b", ylabel="output σ(a)")
right.legend(loc="upper left")
plt.show()

# %%
# Example 14, with the source's step of 0.01. After nine steps all four patterns are in class 1.

with warnings.catch_warnings(action="ignore"):
    model = LogisticDiscriminant(loss="squared", schedule=0.01, max_iter=400, record="weights").fit(X, y)
path = model.history_["weights"]
sigma = 1 / (1 + np.exp(-path @ np.c_[np.ones(4), X].T))
assert np.allclose(path[1], [0, 0.0125, 0.0125])
assert np.allclose(path[9], [-0.00754, 0.06927, 0.06927], atol=5e-6)
assert (sigma[9] > 0.5).all()
first = int(np.flatnonzero(((sigma > 0.5) == y).all(axis=1))[0])
assert first == 220

fig, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.8), layout="compressed")
steps = np.arange(len(path))
for j, color, marker in ((0, BLUE, "o"), (2, ORANGE, "s")):
    left.plot(steps, sigma[:, j], color=color, marker=marker, markevery=50, markersize=4, label=f"class {y[j]}")
left.axhline(0.5, color=GRAY, linewidth=0.8)
left.axvline(first, color="#222222", linewidth=0.8, linestyle="--", label=f"separated at step {first}")
left.set(xlabel="step", ylabel="σ(g)", ylim=(0, 1), title="the sigmoid of the two patterns of each class")
left.legend(loc="lower left")
right.set(xlim=(0, 8), ylim=(0, 8), aspect="equal", title="the line g = 0")
plot.boundary(unit, X, y, ax=right, label="log loss", feature_names=["x₁", "x₂"])
for k, style in ((first, ":"), (400, "--")):
    plot.boundary(Hyperplane.from_augmented(path[k]), ax=right, linestyle=style, label=f"squared loss, step {k}")
plt.show()

# %%
# Probabilities by log loss. Left, two classes that overlap: the lines of equal probability are parallel to the
# boundary, where it is one half. Right, three categories of the table: the exponentials of the discriminants, divided
# by their sum, are the probabilities. The likeliest class is nearly certain far from the borders, and less so the
# nearer a pattern lies to where regions meet.


def levels(ax, probability, values, reach):
    """Draw where a probability has these values."""
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    x1, x2 = np.meshgrid(*[np.linspace(-reach, reach, 200)] * 2)
    p = probability(np.column_stack([x1.ravel(), x2.ravel()])).reshape(x1.shape)
    ax.clabel(ax.contour(x1, x2, p, values, colors=GRAY, linewidths=0.8), fontsize=7)


rng = np.random.default_rng(5)
y = np.repeat([1, 0], 60)
X = rng.normal(size=(120, 2)) + np.where(y[:, None] == 1, 1.0, -1.0) * [0.9, 0.5]
model = LogisticDiscriminant().fit(X, y)
assert abs((model.predict_proba(X)[:, 1] - y).sum()) < 1e-6  # the free intercept balances the probabilities

fig, (left, right) = plt.subplots(1, 2, figsize=(10.0, 5.0), layout="compressed")

levels(left, lambda rows: model.predict_proba(rows)[:, 1], [0.05, 0.25, 0.5, 0.75, 0.95], 4)
plot.boundary(model, X, y, ax=left)
left.set_title("P(class 1 | x)")

X, y = datasets.table(1, 2, 4)
model = LogisticDiscriminant(C=1.0).fit(X, y)
assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
levels(right, lambda rows: model.predict_proba(rows).max(axis=1), [0.5, 0.7, 0.9, 0.99], 10)
plot.regions(model, X, y, ax=right)
right.set_title("three categories: probability of the likeliest")
plt.show()

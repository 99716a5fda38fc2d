"""
Which of all the lines?
=======================

Where one line separates two classes, many do. The perceptron ends at the first it meets, which depends on the order
of the patterns. The one in the middle of the widest street is unique: a support vector machine finds it, and only the
patterns at the edge of the street hold it in place. With a small *C* it lets some of them in.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.2 and §8.4, Figs. 8.4 and 8.6–8.8, Example 10.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Perceptron, SupportVectorMachine, datasets, plot

# %%
# **Fig. 8.4.** Ten perceptrons that see the same patterns in ten random orders end with ten lines. All of them separate
# the classes, and nothing in the training patterns says which is the best one.

X, y = datasets.table(3, 2)
fig, ax = plt.subplots(layout="compressed")
for seed in range(10):
    model = Perceptron(order="random", random_state=seed).fit(X, y)
    plot.boundary(model, X, y, ax=ax, margin=0, color="gray", linewidth=0.7)
plt.show()

# %%
# **Fig. 8.6.** Bad and good: the narrowest of these streets and the widest that there is. The line on the left nearly
# touches two patterns, so that a new pattern close to one of them may fall on the wrong side; the one on the right is
# as far from the nearest patterns of both classes as a line can be.

found = [Perceptron(order="random", random_state=seed).fit(X, y) for seed in range(10)]
margins = [np.abs(model.decision_function(X)).min() / np.linalg.norm(model.coef_) for model in found]
bad, good = found[int(np.argmin(margins))], SupportVectorMachine(C=np.inf).fit(X, y)
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="compressed")
for ax, model, name in zip(axes, (bad, good), ("a perceptron", "the largest margin"), strict=True):
    plot.boundary(model, X, y, ax=ax)
    ax.set_title(f"{name}: {np.abs(model.decision_function(X)).min() / np.linalg.norm(model.coef_):.2f}")
plt.show()

# %%
# **Fig. 8.7, Example 10.** Three points: *w = (2/5, 1/5)*, *b = −2*, and multipliers (1/10, 0, 1/10), to rounding. All
# three lie on the dashed lines, and yet one has the multiplier 0: without it the street would be the same.

X, y = datasets.svm_three()
model = SupportVectorMachine(C=np.inf).fit(X, y)
fig, ax = plt.subplots(layout="compressed")
ax.set(xlim=(-0.5, 7.5), ylim=(-0.5, 4.5), aspect="equal")
plot.boundary(model, X, y, ax=ax)
plt.show()
print("w =", model.coef_.ravel(), " b =", model.intercept_, " width", round(model.width_, 4))

# %%
# **Fig. 8.8.** One point of each class moved into the street of the other. With *C = 0.1* the slack of the violators
# is paid for, and the street stays wide. The thin lines are the slacks ξ: a violator between the dashed line of its
# class and the boundary is still on its side, one beyond the boundary is not.

rng = np.random.default_rng(4)
y = np.repeat([0, 1], 12)
X = rng.normal(0, 0.9, (24, 2)) + 3 * y[:, None]
X[0], X[12] = (2.2, 2.4), (0.8, 1.2)
model = SupportVectorMachine(C=0.1).fit(X, y)
plot.boundary(model, X, y, margin=float(model.margin_))
slack = np.maximum(0, 1 - np.where(y, 1, -1) * model.decision_function(X))
print(
    f"{np.count_nonzero(slack > 1e-6)} patterns violate the margin, {np.count_nonzero(slack > 1)} lie on the wrong side"
)
plt.show()

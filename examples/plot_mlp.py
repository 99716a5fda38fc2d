"""
A multi-layer perceptron and the exclusive or
=============================================

No line separates the exclusive or. Two hidden units, each with a line of its own, map the patterns to where one line is
enough. The network of the book is set by hand; others learn their weights by backpropagation, and not from every start.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.6, Figs. 8.12, 8.15 and 8.16, Example 17.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Hyperplane, MultilayerPerceptron, datasets, plot

BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "#8C8C8C"

X, y = datasets.xor()


def region(ax, net):
    """Draw what the network decides, and the line a = 0 of each hidden unit."""
    ax.set(xlim=(-0.6, 1.6), ylim=(-0.6, 1.6), aspect="equal")
    plot.regions(net, X, y, ax=ax, feature_names=["x₁", "x₂"])
    for w, b in zip(net.coefs_[0].T, net.intercepts_[0], strict=True):
        plot.boundary(Hyperplane(w, b), ax=ax, color=GRAY, linestyle="--", linewidth=0.9, label="hidden unit")


# %%
# **Fig. 8.12.** A feed-forward network: four features and the constant 1 make five inputs, three units are hidden, one
# gives the output. Every unit of a layer is connected with every unit of the next and with none of its own; here the
# weights are random, as before the learning.

rng = np.random.default_rng(1)
layers = [rng.normal(size=(4, 3)), rng.normal(size=(3, 1))]
example = MultilayerPerceptron(activation="sigmoid").with_weights(layers, [rng.normal(size=3), np.zeros(1)])
plot.network(example)
plt.show()

# %%
# **Fig. 8.16, Example 17.** The book's network has no biases: both hidden units have the line *x₁ + x₂ = 0*, and differ
# in how steeply they rise. In the plane of their outputs, on the right, two patterns fall together, and the line of the
# output unit separates the classes.

book = MultilayerPerceptron(activation="sigmoid").with_weights([[[1, 8], [1, 8]], [[-30], [25]]])
outputs = book.predict_proba([[0, 0], [0, 1], [1, 0], [1, 1]])[:, 1]
print(outputs.round(5))
assert np.allclose(outputs, [0.07586, 0.9552, 0.9552, 0.19405], atol=1e-5)

fig, axes = plt.subplots(1, 3, figsize=(12.5, 5.0), layout="compressed")
plot.network(book, axes[0])
axes[0].set_title("units and weights")
region(axes[1], book)
axes[1].set_title("inputs: the region of class 1")
hidden = 1 / (1 + np.exp(-X @ book.coefs_[0]))
axes[2].set(xlim=(0.45, 1.02), ylim=(0.45, 1.05), title="outputs of the hidden units")
output = Hyperplane(book.coefs_[1][:, 0], 0.0)
plot.boundary(output, hidden, y, ax=axes[2], feature_names=["output of C", "output of D"])
plt.show()

# %%
# With thresholds in place of sigmoids a hidden unit says only on which side of its line a pattern lies. One unit for
# OR, one for AND, and an output that fires for *OR and not AND*: the region is the strip between two lines. No gradient
# leads there, for a step is flat, and so these weights are set by hand.

steps = MultilayerPerceptron(activation="threshold")
steps.with_weights([[[1, 1], [1, 1]], [[1], [-1]]], [[-0.5, -1.5], [-0.5]])
assert np.array_equal(steps.predict(X), y)
fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.0), layout="compressed")
plot.network(steps, axes[0])
region(axes[1], steps)
plt.show()

# %%
# Networks that learn. Dashed are the lines of the hidden units. With two units some starts end in a local minimum,
# where a pattern stays on the wrong side; with four, few do.

fig, axes = plt.subplots(2, 3, figsize=(11.0, 9.2), layout="compressed")
for row, units in zip(axes, (2, 4), strict=True):
    for ax, seed in zip(row, (0, 1, 2), strict=True):
        net = MultilayerPerceptron((units,), "tanh", learning_rate=0.05, alpha=0, max_iter=1000, random_state=seed)
        region(ax, net.fit(X, y))
        errors = int((net.predict(X) != y).sum())
        ax.set_title(f"{units} units, seed {seed}: {errors} of 4 wrong, {net.n_iter_} passes", fontsize="medium")
plt.show()

# %%
# The loss of each pass. A plateau is where the hidden units have not yet parted.

fig, ax = plt.subplots(figsize=(7.0, 4.0), layout="compressed")
for color, units in zip((BLUE, ORANGE, GREEN), (2, 4, 16), strict=True):
    for seed in range(5):
        net = MultilayerPerceptron((units,), "tanh", learning_rate=0.05, alpha=0, max_iter=1000, random_state=seed)
        curve = net.fit(X, y).history_["criterion"]
        ax.plot(
            np.arange(1, curve.size + 1), curve, color=color, alpha=0.8, label=f"{units} units" if seed == 0 else None
        )
ax.axhline(np.log(2), color=GRAY, linewidth=0.8)
ax.set(xlabel="pass", ylabel="log loss", yscale="log", title="Five starts each; the gray line is log 2, a guess")
ax.legend()
plt.show()

# %%
# **Fig. 8.15.** The error on the straight way from the network of seed 0, which ended with a pattern on the wrong side,
# to that of seed 1, which ended with none. Each lies in a valley of its own. Descent along the way goes down from where
# it starts: from *w₂*, left of the ridge, it comes to the higher minimum *w₃*, though the lower one, *w\**, is not far.

ends = []
for seed in (0, 1):
    net = MultilayerPerceptron((2,), "tanh", learning_rate=0.05, alpha=0, max_iter=1000, random_state=seed).fit(X, y)
    ends.append((net.coefs_, net.intercepts_))
way, error = np.linspace(-0.25, 1.25, 151), []
for t in way:
    weights, biases = ([(1 - t) * a + t * b for a, b in zip(*both, strict=True)] for both in zip(*ends, strict=True))
    p = MultilayerPerceptron((2,), "tanh").with_weights(weights, biases).predict_proba(X)[:, 1]
    error.append(np.sum((p - y) ** 2) / 2)
worse, ridge, better = (error[int(np.argmin(np.abs(way - t)))] for t in (0, 0.5, 1))
print(f"error {worse:.3f} at the one, {ridge:.3f} halfway, {better:.3f} at the other")
fig, ax = plt.subplots(figsize=(7.0, 4.0), layout="compressed")
ax.plot(way, error, color=BLUE)
for t, name in ((0, "w₃, seed 0"), (1, "w*, seed 1")):
    ax.axvline(t, color=GRAY, linestyle="--", linewidth=0.9)
    ax.annotate(name, (t, max(error)), (4, -4), textcoords="offset points", va="top")
slope, descent = np.gradient(error, way), [0.35]
for _ in range(60):
    descent.append(descent[-1] - 0.02 * np.interp(descent[-1], way, slope))
assert abs(descent[-1]) < 0.1 < 0.35 < way[int(np.argmax(error))]
ax.plot(descent, np.interp(descent, way, error), color=ORANGE, marker="o", markersize=3, label="descent from w₂")
ax.legend(loc="center right")
ax.set(xlabel="from the one network to the other", ylabel="error E(w)")
plt.show()

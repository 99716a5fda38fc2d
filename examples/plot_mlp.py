"""
A multi-layer perceptron and the exclusive or
=============================================

No line separates the exclusive or. Two hidden units, each with a line of its own, map the patterns to where one line is
enough. The network of the book is set by hand; others learn their weights by backpropagation, and not from every start.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.6, Example 17.
"""

import matplotlib.pyplot as plt
import numpy as np
from _style import BLACK, BLUE, COLORS, GRAY, ORANGE, figure, grid, line, plane, points

from discriminant import MultilayerPerceptron, datasets

X, y = datasets.xor()


def region(ax, net):
    """Color where the output is above one half, and draw the line a = 0 of each hidden unit."""
    plane(ax, (-0.6, 1.6, -0.6, 1.6))
    x1, x2, rows = grid(ax, 200)
    p = net.predict_proba(rows)[:, 1].reshape(x1.shape)
    ax.contourf(x1, x2, p > 0.5, [-0.5, 0.5, 1.5], colors=[ORANGE, BLUE], alpha=0.18)
    ax.contour(x1, x2, p, [0.5], colors=BLACK)
    for w, b in zip(net.coefs_[0].T, net.intercepts_[0], strict=True):
        line(ax, [b, *w], color=GRAY, linestyle="--", linewidth=0.9)
    points(ax, X, y, order=(1, 0), s=60)


# %%
# The book's network has no biases: both hidden units have the line *x₁ + x₂ = 0*, and differ in how steeply they rise.
# In the plane of their outputs, on the right, two patterns fall together, and the line of the output unit
# separates the classes.

book = MultilayerPerceptron(activation="sigmoid").with_weights([[[1, 8], [1, 8]], [[-30], [25]]])
outputs = book.predict_proba([[0, 0], [0, 1], [1, 0], [1, 1]])[:, 1]
print(outputs.round(5))
assert np.allclose(outputs, [0.07586, 0.9552, 0.9552, 0.19405], atol=1e-5)

fig, (left, right) = figure(1, 2, (9.4, 4.4))
region(left, book)
left.set_title("inputs: the region of class 1")
left.legend(*left.get_legend_handles_labels(), loc="upper right", frameon=True, framealpha=1, fontsize=8)
hidden = 1 / (1 + np.exp(-X @ book.coefs_[0]))
plane(right, (0.45, 1.02, 0.45, 1.05), equal=False, xlabel="output of C", ylabel="output of D")
line(right, [0, *book.coefs_[1][:, 0]])
points(right, hidden, y, order=(1, 0), s=60)
right.set_title("outputs of the hidden units")
plt.show()

# %%
# Networks that learn. Dashed are the lines of the hidden units. With two units some starts end in a local minimum,
# where a pattern stays on the wrong side; with four, few do.

fig, axes = figure(2, 3, (10.5, 7.0), sharex=True, sharey=True)
for row, units in zip(axes, (2, 4), strict=True):
    for ax, seed in zip(row, (0, 1, 2), strict=True):
        net = MultilayerPerceptron((units,), "tanh", learning_rate=0.05, alpha=0, max_iter=1000, random_state=seed)
        region(ax, net.fit(X, y))
        errors = int((net.predict(X) != y).sum())
        ax.set_title(f"{units} units, seed {seed}: {errors} errors, {net.n_iter_} passes")
        ax.label_outer()
plt.show()

# %%
# The loss of each pass. A plateau is where the hidden units have not yet parted.

fig, ax = figure(1, 1, (7.0, 4.0))
for color, units in zip(COLORS, (2, 4, 16), strict=False):
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

"""
The path of a perceptron
========================

Each correction turns the line a little; the last one separates. The paler the line, the earlier it was.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Perceptron

X = np.array([[1, 1], [2, 1], [1, 3], [4, 4], [3, 5], [5, 3]], dtype=float)
y = np.array([0, 0, 0, 1, 1, 1])
model = Perceptron(record="weights").fit(X, y)
path = model.history_["weights"]

# %%
# A line g(x) = 0 exists once w is not 0, so the start vector is left out.

figure, ax = plt.subplots()
x1 = np.array([0.0, 6.0])
for k, (w0, w1, w2) in enumerate(path[1:], 1):
    if w2 != 0:
        ax.plot(x1, -(w0 + w1 * x1) / w2, color="C0", alpha=0.1 + 0.9 * (k / (len(path) - 1)) ** 2, linewidth=1)
ax.scatter(*X[y == 1].T, marker="o", color="C3", label="ω₁")
ax.scatter(*X[y == 0].T, marker="s", color="C2", label="ω₂")
ax.set(xlim=(0, 6), ylim=(0, 6), xlabel="x₁", ylabel="x₂", title=f"{model.n_corrections_} corrections")
ax.legend()
plt.show()

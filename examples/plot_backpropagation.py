"""
Backpropagation, and its local minima
=====================================

Each unit adds up what it is given and bends the sum; backpropagation computes how the error changes with every
weight, and gradient descent follows it downhill. The error of a network has many minima. Which one is reached depends
on the start.

Source: *Machine Learning: Theory and Practice*, ch. 8, §8.6, Figs. 8.12 and 8.15, Example 16.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from discriminant import MultilayerPerceptron, NotConvergedWarning, criteria, datasets, plot

warnings.simplefilter("ignore", NotConvergedWarning)  # a network may always go on

# %%
# **Fig. 8.12.** Four features and a bias, three hidden units, one output: 15 + 4 weights.

X, y = datasets.iris()
two = y < 2
model = MultilayerPerceptron(hidden=(3,), activation="sigmoid", max_iter=50, tol=0, random_state=0)
plot.network(model.fit(X[two], y[two]), feature_names=["x₁", "x₂", "x₃", "x₄"])
plt.show()

# %%
# **Example 16.** The gradient of *E = (wᵗx − 1)²* at *w = (0.5, 0)* for *x = (1, 2)*.

E = criteria.get("mse")(np.array([[1.0, 2.0]]), np.array([1.0]))
print("∇E =", E.gradient(np.array([0.5, 0.0])))

# %%
# **Fig. 8.15.** Networks that learned the exclusive or from ten starts, and the error on the straight way from one to
# another: both ends are minima, and gradient descent that starts between them goes to the side whose slope it stands
# on.

X, y = datasets.xor()


def loss(model, weights):
    """Mean log loss of a network with these weights."""
    model.coefs_, model.intercepts_ = weights
    p = np.clip(model.predict_proba(X)[np.arange(4), y], 1e-12, 1)
    return float(-np.log(p).mean())


def trained(seed):
    model = MultilayerPerceptron(
        hidden=(3,), activation="sigmoid", learning_rate=0.05, alpha=0.0, max_iter=3000, tol=0, random_state=seed
    )
    return model.fit(X, y)


models = [trained(seed) for seed in range(10)]
ends = [model for model in models if model.score(X, y) == 1][:2]
share = np.linspace(-0.2, 1.2, 141)
between = [
    tuple(
        [(1 - s) * a + s * b for a, b in zip(*parts, strict=True)]
        for parts in ((ends[0].coefs_, ends[1].coefs_), (ends[0].intercepts_, ends[1].intercepts_))
    )
    for s in share
]
probe = trained(0)
fig, ax = plt.subplots(layout="compressed")
ax.plot(share, [loss(probe, weights) for weights in between])
ax.set(xlabel="from one network (0) to another (1)", ylabel="error")
plt.show()
print(f"{sum(model.score(X, y) == 1 for model in models)} of 10 starts end without errors")

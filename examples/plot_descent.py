"""
Gradient descent and Newton's algorithm
=======================================

Newton's step is the better one, and the more expensive one. First both run on the same criterion from the same start;
then comes Computer exercise 1, which asks how the convergence depends on the learning rate.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4.2, Algorithms 1 and 2, Fig. 5.10, Computer exercise 1.
"""

import time
import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

from discriminant import (
    GradientDescent,
    NewtonDescent,
    NotConvergedWarning,
    augment,
    criteria,
    datasets,
    normalize,
    plot,
)

BLACK, BLUE, ORANGE = "#222222", "#0072B2", "#D55E00"  # Okabe and Ito's colors, which the color-blind can tell apart

# %%
# One feature and a bias make a plane of weights. The criterion is the squared hinge, on five patterns that overlap.
# Descent takes the best step along its gradient (Eq. 14), zigzags, and needs many more steps than Newton.

X = np.array([[-0.5], [0.5], [1.5], [2.0], [4.0]])
y = np.array([0, 0, 1, 0, 1])
descent = GradientDescent(criterion="squared_hinge", start=[2, -1], record="weights").fit(X, y)
newton = NewtonDescent(criterion="squared_hinge", start=[2, -1], record="weights").fit(X, y)
np.testing.assert_allclose(descent.weights_, newton.weights_, atol=1e-6)
print(f"descent {descent.n_iter_} steps, Newton {newton.n_iter_}")

fig, ax = plt.subplots(figsize=(6.5, 5.4), layout="compressed")
plot.criterion_surface("squared_hinge", X, y, ax, limits=(-1.6, 2.4, -1.3, 1.0))
plot.path(descent, ax, color=ORANGE, label=f"gradient descent, {descent.n_iter_} steps")
plot.path(newton, ax, color=BLACK, label=f"Newton, {newton.n_iter_} steps")
plt.show()

# %%
# Exercise 1, on ω₁ and ω₃ of the table with the squared error *J_s*. The rate of the exercise, 0.1, diverges:
# this criterion needs *η < 2/λ_max = 0.00222*, where *λ_max* belongs to the Hessian.

X, y = datasets.table(1, 3)
Y = normalize(augment(X), y)
largest = 2 / np.linalg.eigvalsh(criteria.get("mse")(Y).hessian(np.zeros(3)))[-1]
assert abs(largest - 0.00222033) < 1e-8
try:
    GradientDescent(schedule=0.1).fit(X, y)
except ValueError as error:
    print("η = 0.1:", error)


def run(eta):
    """Give the descent with a constant rate, its seconds, and whether it came to its end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        start = time.perf_counter()
        model = GradientDescent(schedule=eta, tol=1e-6, max_iter=4000).fit(X, y)
    return model, time.perf_counter() - start, model.status_.name == "CONVERGED"


rates = largest * np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99])
runs = [run(eta) for eta in rates]
assert all(done for _, _, done in runs)
assert not run(1.01 * largest)[2]
newton = NewtonDescent().fit(X, y)
optimal = GradientDescent(tol=1e-6).fit(X, y)

# %%
# The time falls like 1/η, is shortest close below the largest rate, and beyond it there is no convergence at all. An
# iteration of descent costs about 4n(d+1) operations, two products with Y; Newton adds n(d+1)² for the Hessian and
# (d+1)³/3 for the solution: for these 20 patterns of 3 numbers about 240 and 430.

fig, axes = plt.subplots(1, 3, figsize=(11.0, 4.6), layout="compressed")
curves = {"η = 0.0002": run(0.0002)[0], "η = 0.002": run(0.002)[0], "η by Eq. 14": optimal, "Newton": newton}
plot.history(curves, axes[0], what="criterion")
axes[1].plot(rates, [model.n_iter_ for model, _, _ in runs], color=BLUE, marker="o", markersize=4)
axes[1].set(ylabel="iterations to convergence")
axes[2].plot(rates, [1000 * seconds for _, seconds, _ in runs], color=BLUE, marker="o", markersize=4)
axes[2].set(ylabel="time to convergence in ms")
for ax in axes[1:]:
    ax.axvline(largest, color=ORANGE, linestyle="--")
    ax.set(xscale="log", yscale="log", xlabel="rate η")
    ax.set_xticks([0.0003, 0.001], ["0.0003", "0.001"])
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_formatter(NullFormatter())
axes[1].annotate(f"2/λ = {largest:.5f} ", (largest, 2500), ha="right", color=ORANGE)
plt.show()

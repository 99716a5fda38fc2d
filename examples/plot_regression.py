"""
A line through points
=====================

Linear regression fits *y = wᵗx + b* by least squares: at once, by corrections as Widrow and Hoff had them, or in the
dual, as a combination of the patterns. All three come to the same line.

Source: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, §2.2, Fig. 2.5, Table 2.3,
Exercises 1 and 2; *Machine Learning: Theory and Practice*, ch. 8, Example 12.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from discriminant import (
    LeastSquaresRegressor,
    NotConvergedWarning,
    RidgeRegressor,
    WidrowHoffRegressor,
    datasets,
    plot,
)

BLUE, ORANGE = "#0072B2", "#D55E00"  # Okabe and Ito's colors, which the color-blind can tell apart

# %%
# **Fig. 2.5.** A line, and the distance ξ of one point from it.

rng = np.random.default_rng(2)
X = np.sort(rng.uniform(0, 10, (12, 1)), axis=0)
t = 0.6 * X[:, 0] + 1 + rng.normal(0, 0.7, 12)
line = LeastSquaresRegressor().fit(X, t)
worst = int(np.argmax(np.abs(t - line.predict(X))))
fig, ax = plt.subplots(layout="compressed")
ax.plot(X[:, 0], t, "o", color=BLUE, label="patterns")
ax.plot([0, 10], line.predict([[0.0], [10.0]]), "k-", label="y = wx + b")
ax.vlines(X[worst, 0], *sorted([t[worst], line.predict(X)[worst]]), color=ORANGE, linestyles=":", label="ξ")
ax.set(xlabel="x", ylabel="y")
ax.legend()
plt.show()

# %%
# **Exercise 1.** The Widrow-Hoff algorithm in dual form. The weights are a sum of patterns, *w = Σ αᵢxᵢ* and
# *b = Σ αᵢ*, so that a correction of pattern *i* changes one number: *αᵢ ← αᵢ + η(yᵢ − Σ αⱼ(⟨xⱼ, xᵢ⟩ + 1))*. The
# patterns enter by their inner products alone, and each step leads to the same line as the primal form of Table 2.3.

options = {"schedule": 0.02, "max_iter": 300, "tol": 0.0, "record": "weights"}
with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
    primal, dual = (WidrowHoffRegressor(dual=form, **options).fit(X, t) for form in (False, True))
assert np.allclose(primal.history_["weights"], dual.history_["weights"])
assert np.allclose(dual.alpha_ @ np.column_stack([np.ones(12), X]), dual.weights_)
print("α =", dual.alpha_.round(2))

# %%
# **Exercise 2.** The same for all patterns at once: gradient descent on the square loss, primal and dual. Pattern by
# pattern the weights go on trembling about the minimum, for a constant step answers every pattern anew; all at once
# they come to rest in it. The thin lines are level lines of the loss.

batch = [WidrowHoffRegressor(batch=True, dual=form, max_iter=20_000, tol=1e-6, record="weights") for form in (0, 1)]
for model in batch:
    model.fit(X, t)
    print(f"dual={bool(model.dual)!s:<5}  w = {model.coef_[0]:.4f}, b = {model.intercept_:.4f}")
print(f"at once     w = {line.coef_[0]:.4f}, b = {line.intercept_:.4f}")
print(f"ridge, λ=10 w = {RidgeRegressor(alpha=10.0).fit(X, t).coef_[0]:.4f}")
fig, ax = plt.subplots(figsize=(7.0, 5.4), layout="compressed")
ax.set(xlim=(-0.1, 1.1), ylim=(0.55, 0.82))
b, w = np.meshgrid(np.linspace(*ax.get_xlim(), 80), np.linspace(*ax.get_ylim(), 80))
loss = np.sum((w[..., None] * X[:, 0] + b[..., None] - t) ** 2, axis=2)
ax.contour(b, w, loss, np.geomspace(loss.min() + 0.02, loss.max(), 14), colors="#BBBBBB", linewidths=0.8)
plot.path(primal, ax, color=ORANGE, label="pattern by pattern")
plot.path(batch[0], ax, color=BLUE, label="all at once")
ax.plot(line.intercept_, line.coef_[0], "k*", markersize=12, label="least squares")
ax.set(xlabel="b", ylabel="w")
ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), frameon=False, ncols=3)
plt.show()

# %%
# **Example 12.** Three points on the plane *y = x₁ + 2x₂*: the answer is exact.

model = LeastSquaresRegressor().fit(*datasets.regression_example())
print("a =", np.r_[model.intercept_, model.coef_].round(12) + 0.0)

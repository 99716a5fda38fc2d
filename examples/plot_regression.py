"""
A line through points
=====================

Linear regression fits *y = wᵗx + b* by least squares: at once, by corrections as Widrow and Hoff had them, or in the
dual, as a combination of the patterns. All three come to the same line.

Source: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2, §2.2, Fig. 2.5, Table 2.3,
Exercises 1 and 2; *Machine Learning: Theory and Practice*, ch. 8, Example 12.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import LeastSquaresRegressor, RidgeRegressor, WidrowHoffRegressor, datasets

# %%
# **Fig. 2.5.** A line, and the distance ξ of one point from it.

rng = np.random.default_rng(2)
X = np.sort(rng.uniform(0, 10, (12, 1)), axis=0)
t = 0.6 * X[:, 0] + 1 + rng.normal(0, 0.7, 12)
line = LeastSquaresRegressor().fit(X, t)
worst = int(np.argmax(np.abs(t - line.predict(X))))
fig, ax = plt.subplots(layout="compressed")
ax.plot(X[:, 0], t, "o", label="patterns")
ax.plot([0, 10], line.predict([[0.0], [10.0]]), "k-", label="y = wx + b")
ax.vlines(X[worst, 0], *sorted([t[worst], line.predict(X)[worst]]), linestyles=":", label="ξ")
ax.set(xlabel="x", ylabel="y")
ax.legend()
plt.show()

# %%
# **Exercises 1 and 2.** Widrow and Hoff's corrections, all patterns at once, primal and dual: the dual keeps one
# number α for each pattern and needs only their inner products.

for dual in (False, True):
    model = WidrowHoffRegressor(batch=True, dual=dual, max_iter=20_000, tol=1e-6).fit(X, t)
    print(f"dual={dual!s:<5}  w = {model.coef_[0]:.4f}, b = {model.intercept_:.4f}")
print(f"at once     w = {line.coef_[0]:.4f}, b = {line.intercept_:.4f}")
print(f"ridge, λ=10 w = {RidgeRegressor(alpha=10.0).fit(X, t).coef_[0]:.4f}")

# %%
# **Example 12.** Three points on the plane *y = x₁ + 2x₂*: the answer is exact.

model = LeastSquaresRegressor().fit(*datasets.regression_example())
print("a =", np.r_[model.intercept_, model.coef_].round(12) + 0.0)

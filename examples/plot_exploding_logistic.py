"""
Logistic regression that never arrives
======================================

Newton's method on the likelihood of three data sets. Where the classes overlap it arrives after a few steps. Where they
can be separated, strictly or weakly, the likelihood has no maximum: each step moves some coefficients on by about the
same amount, and only rounding or a limit on the steps ends it.

Source: A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression models",
*Biometrika* 71 (1984); the data on endometrial cancer are those of G. Heinze and M. Schemper, "A solution to the
problem of separation in logistic regression", *Statistics in Medicine* 21 (2002), provided by E. Asseryanis.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from discriminant import InfiniteEstimateWarning, LogisticDiscriminant, datasets, separability

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"  # Okabe and Ito's colors, which the color-blind can tell apart

# %%
# 79 patients: neovasculation (NV, 0 or 1), pulsatility index of the uterine artery (PI), height of the endometrium
# (EH), and the grade of the tumor's histology (HG, 0 or 1). All 13 patients with neovasculation have a high grade.

X, y = datasets.endometrial()
assert y[X[:, 0] == 1].all()
assert (X[:, 0] == 1).sum() == 13

with warnings.catch_warnings(record=True, action="always") as caught:
    model = LogisticDiscriminant(penalty=None).fit(X, y)
assert caught[0].category is InfiniteEstimateWarning
print(caught[0].message)

s = separability(X, y)
assert s.verdict == "quasi"
assert s.infinite_.tolist() == [1, 0, 0]
print(s)

# %%
# What programs do that do not ask: one fit for each number of steps, without a penalty. PI and EH reach their limits
# within seven steps. NV grows by one in each step, and its standard error by a factor of √e. After 28 steps the change
# of the likelihood is lost in rounding, and the fit says that it has converged.


def newton(X, y, steps):
    """Intercept and coefficients after so many steps of Newton's method."""
    with warnings.catch_warnings(action="ignore"):
        model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12, max_iter=steps).fit(X, y)
    return np.array([*model.intercept_, *model.coef_[0]])


def error(X, a):
    """Standard errors from the inverse of the information matrix."""
    Y = np.column_stack([np.ones(len(X)), X])
    p = 1 / (1 + np.exp(-Y @ a))
    return np.sqrt(np.diag(np.linalg.inv((Y.T * (p * (1 - p))) @ Y)))


steps = np.arange(1, 21)
path = np.array([newton(X, y, k) for k in steps])
spread = np.array([error(X, a) for a in path])
assert np.allclose(path[-1, 2:], [-0.0422, -2.9026], atol=1e-4)
assert np.allclose(path[-1, 2:], model.coef_[0, 1:], atol=1e-6)
assert np.allclose(np.diff(path[8:, 1]), 1, atol=1e-3)

fig, (left, middle, right) = plt.subplots(1, 3, figsize=(12.0, 3.8), layout="compressed")
others = {"complete": datasets.table(1, 2), "quasi": (X, y), "overlap": datasets.table(1, 3)}
names = ("two categories of a table, complete", "endometrial cancer, quasi", "two categories of a table, overlap")
looks = ((ORANGE, "s"), (GREEN, "^"), (BLUE, "o"))
for (verdict, data), name, (color, marker) in zip(others.items(), names, looks, strict=True):
    assert separability(*data).verdict == verdict
    norms = [np.linalg.norm(newton(*data, k)[1:]) for k in steps]
    left.plot(steps, norms, color=color, marker=marker, markersize=4, label=name)
left.set(xlabel="Newton steps", title="length of the coefficient vector", ylim=(0, 65))
left.legend(loc="upper left", fontsize="small")
for ax, values, title in ((middle, path, "coefficients"), (right, spread, "standard errors")):
    for j, name, (color, marker) in zip((1, 2, 3), ("NV", "PI", "EH"), looks, strict=True):
        ax.plot(steps, values[:, j], color=color, marker=marker, markersize=4, label=name)
    ax.set(xlabel="Newton steps", title=f"endometrial cancer: {title}")
middle.legend(loc="upper left")
right.set_yscale("log")
for ax in (left, middle, right):
    ax.set_xticks([1, 5, 10, 15, 20])
plt.show()

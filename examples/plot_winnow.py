"""
Winnow against the perceptron with redundant features
=====================================================

Balanced Winnow multiplies its weights where the perceptron adds to them, and so soon leaves the features that do not
matter behind. Computer exercise 6 asks for 2000 patterns with ten informative features and up to 90 others. That
problem is easy for both; with one informative feature the difference shows: the corrections of the perceptron grow
with the number of features, those of Winnow with its logarithm.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.5.3, Algorithm 7, Computer exercise 6.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from discriminant import BalancedWinnow, Hyperplane, NotConvergedWarning, Perceptron, datasets

BLUE, ORANGE = "#0072B2", "#D55E00"  # Okabe and Ito's colors, which the color-blind can tell apart

SIZES = (10, 20, 50, 100, 200, 500, 1000)
RULES = {"perceptron": (Perceptron, BLUE, "o"), "balanced Winnow": (BalancedWinnow, ORANGE, "s")}


def total_errors(rule, X, y):
    """Give the errors made so far after each visit of the first pass: the rows that were corrected tell them."""
    with warnings.catch_warnings(action="ignore", category=NotConvergedWarning):
        model = rule(max_iter=1, record="weights").fit(X, y)
    return np.searchsorted(model.trace(X, y).pattern, np.arange(len(X)), side="right")


# %%
# **Exercise 6, (b) to (f).** The obvious plane has the weights 1 for the ten informative features and 0 for all others:
# their sum is at least 10 for ω₁ and at most −10 for ω₂. With these ten features alone both rules, at their default
# rates, make one correction. Here are their total errors against the patterns visited, the mean of twenty samples of
# 2,000 patterns, with 40 and with 90 features that say nothing. The answer of (f): the curves lie on each other. Both
# rules make two or three errors, the more the more features there are, and then no more. So many informative features
# of a range that never touches zero make the problem easy for either rule, and Winnow has no lead to show.

fig, axes = plt.subplots(1, 2, figsize=(9.5, 3.9), layout="compressed", sharey=True)
for ax, d, part in zip(axes, (50, 100), "de", strict=True):
    samples = [datasets.redundant(d=d, random_state=seed) for seed in range(20)]
    obvious = Hyperplane(np.r_[np.ones(10), np.zeros(d - 10)], 0.0)
    assert all((np.where(y == 1, 1, -1) * obvious.value(X) >= 10).all() for X, y in samples)
    for name, (rule, color, _) in RULES.items():
        total = np.mean([total_errors(rule, X, y) for X, y in samples], axis=0)
        style = "--" if rule is BalancedWinnow else "-"  # to see both where they are the same
        ax.plot(np.arange(1, 2001), total, color=color, linestyle=style, linewidth=2, label=f"{name}: {total[-1]:.1f}")
    ax.set(xscale="log", xlabel="patterns visited", title=f"({part}) {d} features, 10 of them informative")
    ax.legend(loc="lower right")
axes[0].set(ylabel="total number of errors", ylim=(0, None))
plt.show()

# %%
# What the exercise was after shows with a single informative feature: the corrections of the perceptron grow with the
# number of features, those of Winnow with its logarithm. The mean of three samples for each size:

fig, axes = plt.subplots(1, 2, figsize=(9.5, 3.9), layout="compressed")
for ax, informative in zip(axes, (10, 1), strict=True):
    mean = {name: [] for name in RULES}
    for d in SIZES:
        samples = [datasets.redundant(d=d, informative=informative, random_state=seed) for seed in range(3)]
        for name, (rule, _, _) in RULES.items():
            fitted = [rule().fit(*sample) for sample in samples]
            assert all(model.status_.name == "SEPARATED" for model in fitted)
            mean[name].append(np.mean([model.n_corrections_ for model in fitted]))
    print(f"{informative} informative, features {SIZES}")
    for name, (_, color, marker) in RULES.items():
        print(f"  {name:<16}", *(f"{corrections:6.1f}" for corrections in mean[name]))
        ax.plot(SIZES, mean[name], color=color, marker=marker, label=name)
    ax.set(xscale="log", xlabel="features", ylabel="corrections until a clean pass", ylim=(0, None))
    ax.set_title(f"{informative} informative feature{'s'[: informative > 1]}, 2000 patterns")
assert 5 * mean["balanced Winnow"][-1] < mean["perceptron"][-1]
axes[0].legend()
plt.show()

# %%
# Errors so far against patterns visited, one informative feature of 500.

X, y = datasets.redundant(d=500, informative=1, random_state=0)
fig, ax = plt.subplots(figsize=(6.0, 3.8), layout="compressed")
for name, (rule, color, _) in RULES.items():
    total = total_errors(rule, X, y)
    ax.plot(np.arange(1, len(total) + 1), total, color=color, label=f"{name}: {total[-1]} errors")
ax.set(xlabel="patterns visited in the first pass", ylabel="errors so far", ylim=(0, None))
ax.legend()
plt.show()

"""
Winnow against the perceptron with redundant features
=====================================================

Balanced Winnow multiplies its weights where the perceptron adds to them, and so soon leaves the features that do not
matter behind. Computer exercise 6 asks for 2000 patterns with ten informative features and up to 90 others. That
problem is easy for both; with one informative feature the difference shows: the corrections of the perceptron grow
with the number of features, those of Winnow with its logarithm.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.5.3, Algorithm 7, Computer exercise 6.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import BalancedWinnow, Perceptron, datasets

BLUE, ORANGE = "#0072B2", "#D55E00"  # Okabe and Ito's colors, which the color-blind can tell apart

SIZES = (10, 20, 50, 100, 200, 500, 1000)
RULES = {"perceptron": (Perceptron, BLUE, "o"), "balanced Winnow": (BalancedWinnow, ORANGE, "s")}

# %%
# With ten features, all rates at their defaults, both make about the same number of corrections, as part (c) of the
# exercise asks. The mean of three samples for each size:

fig, axes = plt.subplots(1, 2, figsize=(9.5, 3.9), layout="constrained")
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
# Errors so far against patterns visited, one informative feature of 500. The data arrive in portions of 20 rows, so
# ``partial_fit`` keeps the count.

X, y = datasets.redundant(d=500, informative=1, random_state=0)
fig, ax = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
for name, (rule, color, _) in RULES.items():
    model = rule()
    for first in range(0, len(X), 20):
        model.partial_fit(X[first : first + 20], y[first : first + 20], classes=[0, 1])
    total = np.cumsum(model.history_["errors"])
    ax.plot(20 * np.arange(1, len(total) + 1), total, color=color, label=f"{name}: {total[-1]} errors")
ax.set(xlabel="patterns visited in the first pass", ylabel="errors so far", ylim=(0, None))
ax.legend()
plt.show()

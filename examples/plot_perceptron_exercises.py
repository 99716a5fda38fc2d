"""
Exercises on the perceptron
===========================

Computer exercises 2 to 5: how many corrections two pairs of categories need, what the pocket makes of a pair that no
line separates, whether the bound of the convergence theorem holds, and a map that makes them separable.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, Computer exercises 2–5, Eqs. 21–26.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import (
    Hyperplane,
    NotConvergedWarning,
    Perceptron,
    PolynomialMap,
    bounds,
    datasets,
    margins,
    plot,
    separability,
)

BLACK, BLUE, ORANGE, PINK, GREEN, GRAY = "#222222", "#0072B2", "#D55E00", "#CC79A7", "#009E73", "#8C8C8C"

# %%
# **Exercise 2.** The batch perceptron from a = 0 with η = 1: 23 corrections for ω₁ and ω₂, 16 for ω₃ and ω₂. The
# second pair is easier because its patterns leave more room between them.

fig, axes = plt.subplots(1, 3, figsize=(11.5, 4.8), layout="compressed")
for ax, pair, corrections, title in (
    (axes[0], (1, 2), 23, "ω₁ is class 1, ω₂ class 0"),
    (axes[1], (3, 2), 16, "ω₃ is class 1, ω₂ class 0"),
):
    dataset = datasets.table(*pair)
    X, y = dataset
    model = Perceptron(batch=True).fit(X, y)
    assert model.n_corrections_ == corrections == dataset.corrections
    np.testing.assert_allclose(model.weights_, dataset.solution, atol=1e-9)
    ax.set(xlim=(-6, 9.5), ylim=(-7, 9.5), aspect="equal")
    plot.boundary(model, X, y, ax=ax, feature_names=["x₁", "x₂"])
    ax.set_title(f"{title}\n{corrections} corrections")
    color = (BLUE, ORANGE)[pair[0] == 3]
    name = f"ω{pair[0]}/ω₂".replace("1", "₁").replace("3", "₃")
    axes[2].plot(np.arange(1, model.n_iter_ + 1), model.history_["criterion"], color=color, label=name)
    widest = max(margins(Perceptron(margin=b).fit(X, y), X, y).margin for b in (0, 10, 100))
    print(f"ω{pair[0]}/ω2: {corrections} corrections, a = {model.weights_.round(1)}, a margin of {widest:.2f} exists")
axes[2].set(xlabel="pass", ylabel="criterion $J_p$", yscale="symlog", ylim=(0, None))
axes[2].legend()
plt.show()

# %%
# **Exercise 3.** Nothing separates ω₁ from ω₃; the fewest errors are 1. The perceptron wanders, its errors with it.
# The pocket keeps the best weights seen, and each of its copies lowers the errors on all patterns.

dataset = datasets.table(1, 3)
X, y = dataset
with warnings.catch_warnings():
    warnings.simplefilter("ignore", NotConvergedWarning)
    wandering = Perceptron(order="random", random_state=0, max_iter=100, record="weights").fit(X, y)
    pocket = Perceptron(pocket=True, random_state=0, max_iter=100).fit(X, y)
    mean = Perceptron(average=True, order="random", random_state=0, max_iter=100).fit(X, y)
left_in_pocket = int((pocket.predict(X) != y).sum())
assert left_in_pocket == dataset.fewest_errors == 1
print(f"the pocket changed {pocket.n_copies_} times and leaves {left_in_pocket} error")

fig, (left, right) = plt.subplots(1, 2, figsize=(10.0, 5.0), layout="compressed", width_ratios=(1, 1.3))
left.set(xlim=(-6, 8), ylim=(-5, 9.5), aspect="equal")
names = np.where(y == 1, "ω₁", "ω₃")
plot.boundary(Hyperplane.from_augmented(pocket.weights_), X, names, ax=left, label="pocket", linewidth=2)
plot.boundary(mean, ax=left, color=PINK, linestyle="-.", label="average")
plot.boundary(wandering, ax=left, color=GRAY, linestyle="--", label="last")
passes = np.arange(1, 101)
right.plot(passes, wandering.history_["errors"], color=GRAY, linewidth=1, label="perceptron, met in the pass")
right.plot(passes, pocket.history_["errors"], color=BLACK, linewidth=2, label="in the pocket")
right.axhline(1, color=GREEN, linestyle=":", label="fewest possible")
right.set(xlabel="pass", ylabel="errors", ylim=(0, 11))
right.legend()
plt.show()

# %%
# **§5.7.** When to stop where nothing separates? The length of the weight vector stays bounded and fluctuates near some
# value: with ``patience=20`` the rule stops when it has reached no new maximum for twenty passes. What the vector is
# worth at that moment is chance, from one error to ten; the mean of all vectors hardly changes any more, and leaves
# one or two.

runs = {}
for average in (False, True):
    runs[average] = Perceptron(patience=20, average=average, record="weights").fit(X, y)
    assert runs[average].status_.name == "STOPPED"
path = runs[False].history_["weights"]
means = np.cumsum(path, axis=0) / np.arange(1, len(path) + 1)[:, None]
Y = np.column_stack([np.ones(20), X]) * np.where(y == 1, 1, -1)[:, None]
late = (path[40:] @ Y.T <= 0).sum(axis=1), (means[40:] @ Y.T <= 0).sum(axis=1)
assert late[0].max() >= 8 > 3 >= late[1].max()
fig, axes = plt.subplots(1, 2, figsize=(10.0, 4.4), layout="compressed")
for vectors, color, name in ((path, GRAY, "a(k)"), (means, BLACK, "mean of a(1), …, a(k)")):
    axes[0].plot(np.linalg.norm(vectors, axis=1), color=color, label=name)
    axes[1].plot((vectors @ Y.T <= 0).sum(axis=1), color=color, label=name)
axes[0].set(xlabel="correction k", ylabel="length of the vector", ylim=(0, None))
axes[1].set(xlabel="correction k", ylabel="errors on the 20 patterns", ylim=(0, 20))
for ax in axes:
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False, ncols=2)
plt.show()
print(f"stopped after {runs[False].n_iter_} passes and {runs[False].n_corrections_} corrections")

# %%
# **Exercise 4.** Two hundred random starts on ω₁ and ω₂. The bound k₀ may be computed with any separating vector. The
# one that a run ends with often passes close to a pattern, so that γ is tiny and k₀ huge; a vector with a larger
# margin gives a smaller k₀. No run makes more corrections than either allows.

X, y = datasets.table(1, 2)
rng = np.random.default_rng(0)
wide = Perceptron(margin=100).fit(X, y)
made, allowed, allowed_wide = [], [], []
for start in rng.normal(scale=20, size=(200, 3)):
    model = Perceptron(start=start).fit(X, y)
    made.append(model.n_corrections_)
    allowed.append(bounds.perceptron(X, y, model, start=start))
    allowed_wide.append(bounds.perceptron(X, y, wide, start=start))
assert all(k <= min(k0, k1) for k, k0, k1 in zip(made, allowed, allowed_wide, strict=True))
print(f"β² = {allowed[0].beta ** 2:.2f}; corrections {min(made)} to {max(made)}")
print(f"bounds from {min(allowed_wide):,.0f} to {max(allowed):,.0f}")

fig, ax = plt.subplots(figsize=(6.0, 4.4), layout="compressed")
ax.scatter(allowed, made, color=BLUE, marker="o", s=14, label="k₀ with the vector found")
ax.scatter(allowed_wide, made, color=ORANGE, marker="s", s=14, label="k₀ with a wider margin")
ax.plot([1, 1e4], [1, 1e4], color=BLACK, linestyle="--", label="as many as allowed")
ax.set(
    xscale="log", yscale="log", xlabel="bound k₀ (Eq. 25)", ylabel="corrections made", xlim=(1, None), ylim=(0.8, 1e4)
)
ax.legend(loc="upper right")
plt.show()

# %%
# **Exercise 5.** No line separates ω₁ and ω₃, and no curve of second degree does. In the nine terms of third degree a
# plane does, and the perceptron finds it; in the plane of x it is a curve.

X, y = datasets.table(1, 3)
verdicts = [separability(PolynomialMap(degree=degree).fit_transform(X), y).verdict for degree in (1, 2, 3)]
print("by degree:", ", ".join(verdicts))
curved = make_pipeline(StandardScaler(), PolynomialMap(degree=3), Perceptron(max_iter=100_000)).fit(X, y)
assert verdicts == ["overlap", "overlap", "complete"]
assert curved.score(X, y) == 1
fig, ax = plt.subplots(figsize=(6.0, 5.4), layout="compressed")
plot.regions(curved, X, y, ax=ax)
plt.show()
print(f"{curved[-1].n_corrections_:,} corrections")

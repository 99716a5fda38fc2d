"""
Sketches that the problems ask for
==================================

Some problems of the chapter ask for a drawing: regions of votes that are not convex, the weight vectors of a linear
machine and its boundaries, a piecewise linear machine of one feature whose region is in two parts, the step of the
proof that relaxation converges, and the margin of the exclusive or seen from other sides.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, Problems 2, 4, 9(c), 19 and 28, §5.6.2, Example
2.
"""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

from discriminant import (
    LinearMachine,
    PiecewiseLinearMachine,
    Relaxation,
    SupportVectorMachine,
    augment,
    datasets,
    normalize,
    plot,
)

BLACK, GRAY, BLUE, ORANGE, GREEN = "#222222", "#8C8C8C", "#0072B2", "#D55E00", "#009E73"
ARROW = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0}

# %%
# **Problem 2.** Votes on the boundaries of all pairs. A class that must win every vote has a convex region, the
# intersection of half-planes; but the most votes may come from different pairs in different places, and then the region
# need not be convex. Five classes, ten lines: the ends of the segment belong to one class, its middle to another.

rng = np.random.default_rng(13)
means, y = rng.uniform(-4, 4, (5, 2)), np.repeat(np.arange(5), 15)
spreads = rng.normal(0, 0.7, (5, 2, 2))
X = np.einsum("nij,nj->ni", spreads[y], rng.normal(size=(75, 2))) + means[y]
voting = SupportVectorMachine(multiclass="one-vs-one").fit(X, y)
points = rng.uniform(-6, 6, (4000, 2))


def segments(label):
    """Give segments whose ends belong to a class, and whose middles to another, each without a tie."""
    own = points[(voting.predict(points) == label) & ~voting.undecided(points)]
    first, second = own[rng.integers(len(own), size=(2, 2000))]
    middle = (first + second) / 2
    other = (voting.predict(middle) != label) & ~voting.undecided(middle)
    return list(np.stack([first, middle, second], axis=1)[other])


around = np.array([[r * np.cos(t), r * np.sin(t)] for r in (0.2, 0.4, 0.6, 0.8) for t in np.arange(8) * np.pi / 4])


def steadiness(found):
    """Tell how many points around the three are of the same class as they: far from the borders all of them."""
    near = (found[:, None] + around).reshape(-1, 2)
    return int((voting.predict(near) == np.repeat(voting.predict(found), len(around))).sum())


ends = max((found for label in range(5) for found in segments(label)), key=steadiness)
kinds = voting.predict(ends)
assert kinds[0] == kinds[2] != kinds[1]
fig, ax = plt.subplots(figsize=(6.6, 6.0), layout="compressed")
ax.set(xlim=(-6, 6), ylim=(-6, 6), aspect="equal")
plot.regions(voting, X, y, ax=ax, feature_names=["x₁", "x₂"])
ax.plot(*ends.T, color=BLACK, marker="o", markersize=5, linewidth=1.5)
plt.show()

# %%
# **Problem 4.** Three weight vectors from the origin, without thresholds. The boundary between two regions is
# perpendicular to the line that joins their heads, since *gᵢ = gⱼ* means *(wᵢ − wⱼ)ᵗx = 0*. A vector *c* that is added
# to all three moves the heads and leaves every difference as it is: the sketch of the boundaries does not change.


def machine_of(heads):
    """The linear machine of three weight vectors without thresholds."""
    return LinearMachine(np.column_stack([np.zeros(3), heads]))


W, c = np.array([[2.0, 0.6], [-1.2, 1.8], [-0.5, -1.9]]), np.array([1.0, 0.8])
fig, axes = plt.subplots(1, 2, figsize=(9.0, 5.0), layout="compressed")
for ax, heads, name in zip(axes, (W, W + c), ("the three vectors", "with c added to each"), strict=True):
    ax.set(xlim=(-3.2, 3.6), ylim=(-3.2, 3.4), aspect="equal", xlabel="x₁", ylabel="x₂", title=name)
    plot.boundary(machine_of(heads), ax=ax, label="gᵢ = gⱼ")
    ax.plot(*heads[[0, 1, 2, 0]].T, color=GRAY, linestyle=":", label="lines between the heads")
    for k, head in enumerate(heads):
        ax.annotate("", head, (0, 0), arrowprops=ARROW | {"color": (BLUE, ORANGE, GREEN)[k]})
        ax.annotate(f"w{'₁₂₃'[k]}", head, (4, 4), textcoords="offset points")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), frameon=False, ncols=2)
plt.show()
points = np.random.default_rng(0).normal(size=(500, 2))
assert np.array_equal(machine_of(W).predict(points), machine_of(W + c).predict(points))

# %%
# **Problem 9(c).** One feature, *n₁ = 2* and *n₂ = 1*. The larger of the two lines of ω₁ is a valley, and the line of
# ω₂ cuts off its bottom: ω₁ wins left and right of it, so that its region is in two parts and not convex. Such a
# machine is learned as well, here from patterns that lie like that.

x = np.linspace(-3, 3, 301)
lines = {"g₁₁(x) = −x − 1": -x - 1, "g₁₂(x) = x − 1": x - 1, "g₂₁(x) = 0.2x + 0.4": 0.2 * x + 0.4}
first, second = np.maximum(*list(lines.values())[:2]), lines["g₂₁(x) = 0.2x + 0.4"]
assert np.count_nonzero(np.diff(first > second)) == 2
X = np.linspace(-3, 3, 25)[:, None]
y = np.where(np.interp(X[:, 0], x, first - second) > 0, "ω₁", "ω₂")
model = PiecewiseLinearMachine(n_subclasses=2, random_state=0, max_iter=5000).fit(X, y)
assert model.score(X, y) == 1
fig, (above, below) = plt.subplots(2, 1, figsize=(7.0, 6.4), layout="compressed", sharex=True, height_ratios=(1.6, 1))
for (name, values), color, style in zip(lines.items(), (BLUE, BLUE, ORANGE), ("--", ":", "-"), strict=True):
    above.plot(x, values, color=color, linestyle=style, label=name)
above.plot(x, first, color=BLUE, linewidth=2.5, label="g₁ = max(g₁₁, g₁₂)")
above.fill_between(x, -1.3, -1.1, where=first > second, color=BLUE, alpha=0.6, linewidth=0, label="ω₁ wins")
above.fill_between(x, -1.3, -1.1, where=first <= second, color=ORANGE, alpha=0.6, linewidth=0, label="ω₂ wins")
above.set(ylabel="g", ylim=(-1.3, 2.2), xlabel="x")
above.legend(loc="upper center", ncols=2)
plot.regions(model, X, y, ax=below, feature_names=["x"])
plt.show()

# %%
# **Problem 19.** A step of relaxation, from *a(k)* toward the line *aᵗyᵏ = b* and here beyond it, η = 1.5 times the
# distance *r(k)* (Eq. 36). Every vector *â* of the solution region lies on the far side of that line, so that the step
# comes nearer to it: *a(k + 1)* lies inside the circle about *â* through *a(k)*, by at least *η(2 − η)r²(k)* of its
# squared radius (Eq. 40).

x, labels = np.array([[1.0], [-1.5], [-3.0]]), np.array([1, 1, 0])
eta, b, solution = 1.5, 1.0, np.array([4.2, 1.9])
Y = normalize(augment(x), labels)
model = Relaxation(eta=eta, margin=b, start=[1.2, 2.4], record="weights").fit(x, labels)
before, after = model.history_["weights"][:2]
corrected = Y[model.trace().pattern[0]]
reach = (b - before @ corrected) / np.linalg.norm(corrected)
far, near = (np.linalg.norm(a - solution) for a in (before, after))
assert near**2 <= far**2 - eta * (2 - eta) * reach**2
foot = before + reach * corrected / np.linalg.norm(corrected)
fig, ax = plt.subplots(figsize=(7.4, 7.0), layout="compressed")
ax.set(xlim=(-0.4, 7.6), ylim=(-1.4, 5.2), aspect="equal")
plot.weight_space(x, labels, ax, margin=b)
for radius, style in ((far, "-"), (near, "--")):
    ax.add_patch(plt.Circle(solution, radius, fill=False, color=GRAY, linestyle=style))
ax.annotate("", after, before, arrowprops=ARROW | {"color": BLACK, "linewidth": 1.6})
ax.plot(*np.array([before, solution, after]).T, color=GRAY, linestyle=":", linewidth=1.0)
ax.plot(*solution, "*", color=BLACK, markersize=12)
ax.plot(*before, "o", *after, "o", *foot, "s", color=BLACK, markersize=5)
box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
for text, place, shift in (
    ("a(k)", before, (-34, 2)),
    ("a(k + 1)", after, (8, -14)),
    ("â", solution, (8, 4)),
    ("r(k)", (before + foot) / 2, (-30, -4)),
    ("‖a(k) − â‖", (before + solution) / 2, (4, 10)),
    ("‖a(k + 1) − â‖", (after + solution) / 2, (0, -16)),
):
    ax.annotate(text, place, shift, textcoords="offset points", bbox=box)
plt.show()
print(f"‖a(k) − â‖ = {far:.3f}, ‖a(k+1) − â‖ = {near:.3f}, η(2 − η)r² = {eta * (2 - eta) * reach**2:.3f}")

# %%
# **Problem 28.** The machine of Example 2 has one weight that is not zero, 1/√2 for *√2 x₁x₂*. Where that is one of the
# two features shown, the lines *g = ±1* lie at the margin √2, whatever the other one is. Without it the picture is a
# plane on which *g = 0* everywhere: the weight vector is perpendicular to it, and no margin can be seen. In the planes
# of *x₁²* patterns of both classes fall on one point.


def phi(X):
    """Give (√2 x₁, √2 x₂, √2 x₁x₂, x₁²); x₂² is the same number on these patterns."""
    return np.column_stack([X, X.prod(axis=1), X[:, 0] ** 2]) * np.sqrt([2, 2, 2, 1])


X, y = datasets.xor_signed()
machine = SupportVectorMachine(C=np.inf).fit(phi(X), y)
assert np.allclose(machine.weights_, [0, 0, 0, 1 / np.sqrt(2), 0], atol=1e-9)
names = ["√2 x₁", "√2 x₂", "√2 x₁x₂", "x₁²"]
fig, axes = plt.subplots(2, 3, figsize=(10.0, 8.2), layout="compressed")
for ax, pair in zip(axes.flat, combinations(range(4), 2), strict=True):
    ax.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal")
    plot.boundary(machine, phi(X), y, pair, ax, feature_names=names)
    ax.set(xlabel=names[pair[0]], title="g = 0 everywhere" if 2 not in pair else "g = ±1 at the margin √2")
    if pair != (0, 2):
        ax.get_legend().remove()  # one is enough
plt.show()

"""
Four categories by relaxation
=============================

Computer exercise 12: a multicategory relaxation rule on all four categories of the table, and the regions that
boundaries of one category against the rest leave ambiguous. Since ω₁ and ω₃ overlap, no linear machine is free of
errors here.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.12.2, Computer exercise 12.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from discriminant import NotConvergedWarning, Relaxation, datasets, plot

BLUE, ORANGE, GRAY = "#0072B2", "#D55E00", "#8C8C8C"  # Okabe and Ito's colors, which the color-blind can tell apart

X, y = datasets.table()

# %%
# Without a margin, as the exercise has it, every correction is a multiple of the shortfall −aᵗy, so the rule cannot
# start at zero: that is refused, with the reason.

try:
    Relaxation(margin=0.0).fit(X, y)
except ValueError as error:
    print(error)


def run(**parameters):
    """Give 500 passes of the rule."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return Relaxation(start=start, max_iter=500, record="weights", **parameters).fit(X, y)


def wrong(model):
    """Count the patterns that the model gets wrong."""
    return int((model.predict(X) != y).sum())


# %%
# From random weights it runs, but the vectors of ω₁ and ω₃ draw together. Where they are the same, none of their
# patterns is wrong by any amount, and the rule has nothing left to correct; nor can it tell the two apart. A margin
# keeps them at a distance.

start = np.random.default_rng(3).normal(size=(4, 3))
models = {"b = 0": run(margin=0.0), "b = 1": run(margin=1.0)}
fig, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="compressed")
for (name, model), color in zip(models.items(), (BLUE, ORANGE), strict=True):
    path = model.history_["weights"]
    apart = np.linalg.norm(path[:, 0] - path[:, 2], axis=1)
    print(f"{name}: {wrong(model)} of 40 wrong at the end, the vectors of ω1 and ω3 {apart[-1]:.1g} apart")
    left.plot(np.arange(1, 501), model.history_["errors"], color=color, linewidth=1, label=name)
    right.plot(apart, color=color, linewidth=0.8, label=name)
left.set(xlabel="pass (the first hundred)", ylabel="errors met in the pass", xlim=(0, 100), ylim=(0, None))
right.set(xlabel="correction", ylabel="distance of the vectors of ω₁ and ω₃", yscale="log")
right.legend()
path = models["b = 0"].history_["weights"][-1]
assert np.linalg.norm(path[0] - path[2]) < 1e-3 < np.linalg.norm(path[0] - path[1])
plt.show()

# %%
# Left: the linear machine, with a margin and a small step. Right: four rules of one category against the rest. The
# hatched regions are claimed by no category or by several, and more than half of the training patterns lie in them.

machine, rest = run(margin=1.0, eta=0.1), run(margin=1.0, eta=0.1, multiclass="one-vs-rest")
assert not machine.undecided(X).any()
assert rest.undecided(X).sum() > 20

fig, axes = plt.subplots(1, 2, figsize=(10.0, 6.0), layout="compressed")
for ax, model, title in zip(axes, (machine, rest), ("linear machine", "one against the rest"), strict=True):
    ax.set(xlim=(-11, 11), ylim=(-11, 11), aspect="equal")
    plot.regions(model, X, y, ax=ax, feature_names=["x₁", "x₂"])
    ax.set_title(f"{title}\n{wrong(model)} of 40 wrong, {int(model.undecided(X).sum())} undecided")
plot.boundary(rest, ax=axes[1], color=GRAY, linewidth=0.8)
plt.show()

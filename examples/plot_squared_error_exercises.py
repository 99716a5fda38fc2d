"""
Computer exercises on squared error, and one on margins
=======================================================

The exercises of §5.8 to §5.11 on their own table: single-sample steps with *R* (recursive least squares) on ω₂ and
ω₃, Ho-Kashyap on ω₁ and ω₃, which overlap, and on ω₄ and ω₂, which do not, least squares that errs where a line
separates, and a support vector machine on ω₃ and ω₄.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, Computer exercises 8–11.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from discriminant import (
    HoKashyap,
    LeastSquares,
    RecursiveLeastSquares,
    SupportVectorMachine,
    WidrowHoff,
    datasets,
    plot,
    separability,
)

warnings.simplefilter("ignore")

# %%
# **Exercise 8.** One pass with Eqs. 71–73: after each pattern the weights are those of least squares on the patterns
# so far, but for the start, which counts as little as ``delta`` says.

X, y = datasets.table(2, 3)
portions, model = [], RecursiveLeastSquares()
for k in np.random.default_rng(0).permutation(20):
    model.partial_fit(X[[k]], y[[k]], classes=[0, 1])
    portions.append(model.weights_.copy())
fig, ax = plt.subplots(layout="compressed")
for values, name, color, style in zip(
    np.transpose(portions), ("w₀", "w₁", "w₂"), ("#222222", "#0072B2", "#D55E00"), ("-", "--", "-."), strict=True
):
    ax.plot(range(1, 21), values, label=name, color=color, linestyle=style)
for value in LeastSquares().fit(X, y).weights_:
    ax.axhline(value, color="gray", linestyle=":", linewidth=1)
ax.set(xlabel="patterns seen", ylabel="weight")
ax.legend()
plt.show()
print("after one pass", portions[-1].round(4), "  least squares", LeastSquares().fit(X, y).weights_.round(4))

# %%
# The same with patterns drawn at random, again and again, as §5.8.5 has them: the mean over forty runs of the squared
# distance from the least squares. With a constant step the single-sample rule of Widrow and Hoff comes near and then
# trembles; with a falling one it goes on to arrive (Eqs. 67–70). The rule with *R* is wild until it has seen more
# patterns than there are weights, and then ahead of both, at the price of a matrix in each step.

X = (X - X.mean(axis=0)) / X.std(axis=0)
best = LeastSquares().fit(X, y).weights_
missed = {name: [] for name in ("η = 0.05", "η = 2/(k + 20)", "with R")}
for seed in range(40):
    for name, schedule in (("η = 0.05", 0.05), ("η = 2/(k + 20)", lambda k: 2 / (k + 20))):
        rule = WidrowHoff(schedule=schedule, order="replacement", record="weights", max_iter=50, tol=0.0)
        path = rule.set_params(random_state=seed).fit(X, y).history_["weights"]
        missed[name].append(np.sum((path - best) ** 2, axis=1))
    drawn = np.random.default_rng(seed).integers(20, size=1000)
    path = RecursiveLeastSquares(record="weights").fit(X[drawn], y[drawn]).history_["weights"]
    missed["with R"].append(np.sum((path - best) ** 2, axis=1))
fig, ax = plt.subplots(figsize=(7.0, 4.6), layout="compressed")
for (name, runs), color, style in zip(
    missed.items(), ("#0072B2", "#D55E00", "#222222"), ("--", "-.", "-"), strict=True
):
    ax.plot(np.arange(1, 1002), np.mean(runs, axis=0), color=color, linestyle=style, label=name)
ax.set(xscale="log", yscale="log", xlabel="patterns drawn", ylabel="mean of ‖a(k) − â‖²")
ax.legend()
plt.show()

# %%
# **Exercise 9.** The rule begins with the line of least squares, which leaves three errors on ω₁ and ω₃ and one on ω₄
# and ω₂, and then lets the margins grow. For the first pair the errors *e* lose their positive part after 118 steps:
# thirteen patterns carry the evidence that no line separates, and the line that is left has two errors. For the second
# pair six steps are enough, and the rule stops as soon as the line separates, with a margin of 0.03 where 1.3 would be
# possible: it looks for a line, not for the best one.

fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="compressed")
for ax, pair in zip(axes, ((1, 3), (4, 2)), strict=True):
    X, y = datasets.table(*pair)
    model = HoKashyap().fit(X, y)
    plot.boundary(model, X, y, ax=ax)
    ax.set_title(f"ω{pair[0]}, ω{pair[1]}: {model.status_.name.lower().replace('_', ' ')} after {model.n_iter_}")
    assert (separability(X, y).verdict == "complete") == (model.status_.name == "SEPARATED")
plt.show()

# %%
# **Exercise 10.** Six points, mirror images of each other, that a line separates. The squared error punishes the far
# points (2, −4) and (−2, 4) for being too much on their own side, and they turn the line until the two points nearest
# to the origin are on the wrong one. The largest margin asks only about the nearest points.

X, y = datasets.symmetric_six()
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="compressed")
for ax, model in zip(axes, (LeastSquares(), SupportVectorMachine(C=np.inf)), strict=True):
    plot.boundary(model.fit(X, y), X, y, ax=ax)
    ax.set_title(f"{type(model).__name__}: {np.count_nonzero(model.predict(X) != y)} of 6 wrong")
plt.show()

# %%
# **Exercise 11.** The widest street between ω₃ and ω₄, from an exact solution. Three patterns hold it, two of ω₄ and
# one of ω₃, and the multipliers of the two sides are equal in sum. All other patterns could be moved or taken away as
# long as they stay outside of the street, and the line would not change.

X, y = datasets.table(3, 4)
model = SupportVectorMachine(C=np.inf).fit(X, y)
assert sorted(y[model.support_]) == [0, 0, 1]
plot.boundary(model, X, y)
plt.show()
print(f"margin {model.margin_:.4f}; support vectors {model.support_.tolist()}")

"""
Underrelaxation and overrelaxation
==================================

A relaxation step moves the weight vector toward the plane *aᵗy = b* of a violator: a fraction η of the way.
With η below 1 it stops short, with η = 1 it lands on the plane, with η between 1 and 2 it goes beyond. Computer
exercise 7 then asks for the part that the margin b plays.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.6.1, Eqs. 33–37, Figs. 5.14 and 5.15, Computer exercise
7.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from discriminant import NotConvergedWarning, Relaxation, augment, criteria, datasets, normalize, plot

BLUE, ORANGE = "#0072B2", "#D55E00"  # Okabe and Ito's colors, which the color-blind can tell apart

# %%
# Three patterns of one feature. In the pale region all three are on the right side, in the dark one they have the
# margin b = 1. Corrections aim at the dark region; the rule stops after the first pass that ends in the pale one.

x = np.array([[1.0], [-1.5], [-3.0]])
labels = np.array([1, 1, 0])
Y = normalize(augment(x), labels)

fig, axes = plt.subplots(1, 3, figsize=(11.5, 5.2), layout="compressed")
for ax, eta in zip(axes, (0.5, 1.0, 1.6), strict=True):
    model = Relaxation(eta=eta, start=[-1.0, 2.0], record="weights").fit(x, labels)
    assert model.status_.name == "SEPARATED"
    ax.set(xlim=(-1.5, 4.5), ylim=(-1.9, 3.1), aspect="equal")
    plot.weight_space(x, labels, ax, margin=1.0, model=model)
    ax.set_title(f"η = {eta:g}: {model.n_corrections_} corrections")
# After a correction the shortfall is (1 − η) times the old one (Eq. 37).
a = model.history_["weights"][:2]
first = int(np.argmax(Y @ a[0] <= 1))
np.testing.assert_allclose(Y[first] @ a[1] - 1, (1 - 1.6) * (Y[first] @ a[0] - 1))
plt.show()

# %%
# **Exercise 7** on ω₁ and ω₃, which overlap, from a = 0. Everything in a run is proportional to b: the weights with
# b = 0.5 are five times those with b = 0.1, the criterion 25 times, and the convergence rates do not differ at all. The
# batch rule descends to the minimum of *J_r*; the single-sample rule with η = 1 cycles above it, and a falling η
# brings it down.

X, y = datasets.table(1, 3)


def run(**parameters):
    """Give the criterion of each pass on all patterns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        model = Relaxation(max_iter=150, record="weights", **parameters).fit(X, y)
    criterion = criteria.get("relaxation")(normalize(augment(X), y), parameters["margin"])
    ends = np.cumsum(model.history_["corrections"])
    return model, np.array([criterion.value(model.history_["weights"][k]) for k in ends])


RULES = {
    "batch": (0, {"batch": True}, "-"),
    "η = 1": (1, {}, "-"),
    "η = min(1, 20/k)": (1, {"eta": lambda k: min(1, 20 / k)}, "--"),
}
fig, axes = plt.subplots(1, 2, figsize=(9.5, 3.9), layout="compressed", sharey=True)
for b, color in ((0.1, BLUE), (0.5, ORANGE)):
    for name, (place, parameters, style) in RULES.items():
        _, curve = run(margin=b, **parameters)
        axes[place].plot(np.arange(1, 151), curve, color=color, linestyle=style, label=f"b = {b}, {name}")
one, five = run(margin=0.1, batch=True), run(margin=0.5, batch=True)
np.testing.assert_allclose(5 * one[0].weights_, five[0].weights_)
np.testing.assert_allclose(25 * one[1], five[1])
print(
    f"batch: default step {one[0].history_['step'][0]:.4f}, least criterion {one[1].min():.5f} and {five[1].min():.5f}"
)
for ax, title in zip(axes, ("batch", "single sample"), strict=True):
    ax.set(xscale="log", yscale="log", xlabel="pass", title=title, ylim=(0.002, 3))
    ax.legend(loc="upper right", ncols=2, fontsize="small")
axes[0].set_ylabel("criterion $J_r$ after the pass")
plt.show()

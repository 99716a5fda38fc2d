"""
The margin rises to the largest there is
========================================

MinOver and the Adatron learn the worst pattern of each class again and again. The margin of their plane rises, though
not at every update, to the largest one. They stop when half the distance of the weighted means of the classes shows
that it lacks at most 0.1 %. MinOver as it was printed adds patterns and never takes one back: its plane is good early,
but those it has learned for nothing stay in the means, and the proof takes long.

Source: Krauth, Mézard, J. Phys. A 20, 1987; Anlauf, Biehl, Europhys. Lett. 10, 1989; data of Duda, Hart, Stork,
*Pattern Classification*, ch. 5, computer exercises.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Adatron, MinOver, datasets, separability

BLUE, ORANGE, GRAY = "#0072B2", "#D55E00", "#8C8C8C"  # Okabe and Ito's colors, which the color-blind can tell apart

X, y = datasets.table(1, 2)
exact = float(separability(X, y).margin)
RULES = {
    "MinOver": (MinOver(), BLUE, "-"),
    "Adatron": (Adatron(), ORANGE, "-"),
    "MinOver, fixed step": (MinOver(step="fixed", max_iter=100_000), BLUE, ":"),
}

# %%
# The largest margin so far, categories ω₁ and ω₂ of the books' table:

fig, ax = plt.subplots(figsize=(6.4, 3.9), layout="compressed")
for name, (model, color, style) in RULES.items():
    model.fit(X, y)
    best = np.maximum.accumulate(model.history_["criterion"])
    ax.plot(np.arange(1, len(best) + 1), best, style, color=color, label=f"{name}: {model.n_iter_:,} updates")
    print(f"{name:<20} {model.margin_:.6f} of {exact:.6f} after {model.n_iter_:,} updates")
    assert model.margin_ > 0.999 * exact
ax.axhline(exact, color=GRAY, linewidth=1, zorder=0)
ax.annotate("the largest margin", (1, exact), xytext=(2, 3), textcoords="offset points", color=GRAY)
ax.set(xscale="log", xlabel="updates", ylabel="margin of the best plane so far", ylim=(-3, 0.7))
ax.legend(loc="lower right")
plt.show()

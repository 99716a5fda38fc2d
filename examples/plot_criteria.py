"""
Four criterion functions
========================

The same three patterns, four ways to measure how wrong a weight vector is. The number of errors is flat almost
everywhere and has no gradient to follow. *J_p* is piecewise linear, *J_q* smooth but flat at the border of
the solution region, and *J_r* has a margin that keeps its minimum away from that border.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.5.1 and §5.6.1, Eqs. 16, 32 and 33, Fig. 5.11.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import augment, criteria, normalize, plot

X, y = [[1.0], [-1.5], [-3.0]], [1, 1, 0]
Y = normalize(augment(X), y)  # (1, 1), (1, -1.5), (-1, 3)
CHOSEN = {
    "errors": "errors",
    "perceptron": "$J_p$ (Eq. 16)",
    "squared": "$J_q$ (Eq. 32)",
    "relaxation": "$J_r$ (Eq. 33)",
}

# %%
# Green is the solution region, where all three patterns are on the right side. With the margin b = 1 the criterion
# *J_r* is zero only in the inner part of it.

fig, axes = plt.subplots(2, 2, figsize=(9.0, 8.4), subplot_kw={"projection": "3d"})
fig.subplots_adjust(left=0.02, right=0.95, bottom=0.1, top=0.97, wspace=0.1, hspace=0.25)
for ax, (name, title) in zip(axes.flat, CHOSEN.items(), strict=True):
    plot.criterion_surface(name, X, y, ax, limits=(-4, 4, -4, 4))
    ax.set_title(title, y=1.0)
    ax.view_init(elev=36, azim=30)
rows = np.random.default_rng(0).uniform(-4, 4, (1000, 2))
solved = rows[(rows @ Y.T > 0).all(axis=1)]
assert all(criteria.get(name)(Y).value(a) == 0 for name in ("errors", "perceptron", "squared") for a in solved)
plt.show()

# %%
# The equations, as the library states them:

for name in CHOSEN:
    print(f"{name:<11} {criteria.get(name).equation}")

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
from _style import GREEN, figure

from discriminant import criteria

Y = np.array([[1.0, 1.0], [1.0, -1.5], [-1.0, 3.0]])  # normalized patterns
CHOSEN = {
    "errors": "errors",
    "perceptron": "$J_p$ (Eq. 16)",
    "squared": "$J_q$ (Eq. 32)",
    "relaxation": "$J_r$ (Eq. 33)",
}

# %%
# Green is the solution region, where all three patterns are on the right side. With the margin b = 1 the criterion
# *J_r* is zero only in the inner part of it.

fig, axes = figure(2, 2, (8.5, 7.4), subplot_kw={"projection": "3d"}, layout="none")
fig.subplots_adjust(left=0.02, right=0.95, bottom=0.05, top=0.95, wspace=0.05, hspace=0.12)
a1, a2 = np.meshgrid(np.linspace(-4, 4, 71), np.linspace(-4, 4, 71))
rows = np.column_stack([a1.ravel(), a2.ravel()])
solved = (rows @ Y.T > 0).all(axis=1).reshape(a1.shape)
for ax, (name, title) in zip(axes.flat, CHOSEN.items(), strict=True):
    J = criteria.get(name)(Y)
    height = np.array([J.value(a) for a in rows]).reshape(a1.shape)
    if name != "relaxation":
        assert (height[solved] == 0).all()
    colors = plt.get_cmap("cividis")(0.15 + 0.8 * height / height.max())
    colors[solved] = plt.matplotlib.colors.to_rgba(GREEN)
    ax.plot_surface(
        a1, a2, height, facecolors=colors, rstride=1, cstride=1, linewidth=0, antialiased=False, shade=False
    )
    ax.set(xlabel="a₁", ylabel="a₂", zlabel="J(a)")
    ax.set_title(title, y=1.0)
    ax.view_init(elev=36, azim=30)
    ax.set_box_aspect(None, zoom=0.98)
plt.show()

# %%
# The equations, as the library states them:

for name in CHOSEN:
    print(f"{name:<11} {criteria.get(name).equation}")

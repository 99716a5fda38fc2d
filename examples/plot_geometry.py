"""
The plane and its distances
===========================

A linear discriminant *g(x) = wᵗx + w₀* is one unit: inputs times weights, a bias, a sign. In the plane of two
features it is a line. *w* is normal to it and points to the side where *g > 0*; the distance of a point from it is *r
= g(x)/‖w‖*, and that of the origin *w₀/‖w‖*.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.1, Figs. 5.1 and 5.2; *Machine Learning: Theory and
Practice*, ch. 8, §8.2, Figs. 8.2, 8.3 and 8.5, Examples 2 and 3.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Arc

from discriminant import Hyperplane, Perceptron, datasets, plot

# %%
# **Fig. 5.1.** The unit that the perceptron learns on the table: two features, a bias, one weight each.

X, y = datasets.table(1, 2)
model = Perceptron().fit(X, y)
plot.network(model, feature_names=["x₁", "x₂"])
plt.show()

# %%
# **Figs. 5.2 and 8.5.** The line *H*, its normal vector *w*, the half-planes on its two sides, a point *x*, and the
# point *xₚ* of the line that is nearest to it. From *x = xₚ + r w/‖w‖* follows *r = g(x)/‖w‖*.

H = Hyperplane([1.0, 2.0], -2.0)
x = np.array([2.5, 2.0])
foot = H.project(x[None])[0]
fig, ax = plt.subplots(layout="compressed")
ax.set(xlim=(-1, 4), ylim=(-1, 3), xlabel="x₁", ylabel="x₂", aspect="equal")
plot.boundary(H, ax=ax)
ax.annotate("", foot, x, arrowprops={"arrowstyle": "<->"})
ax.plot(*x, "o", *foot, "s", color="black")
ax.text(*(x + 0.1), "x")
ax.text(*(foot - [0.15, 0.25]), "xₚ")
ax.text(*((x + foot) / 2 + [0.1, -0.1]), f"r = {H.distance(x[None])[0]:.2f}")
ax.annotate("", (0.5, 2.0), (0.0, 1.0), arrowprops={"arrowstyle": "->"})
ax.text(0.3, 1.4, "w")
ax.text(3.2, 2.5, "R₁: g > 0")
ax.text(-0.8, -0.7, "R₂: g < 0")
plt.show()
print(f"g(x) = {H.value(x[None])[0]:.1f}, r = {H.distance(x[None])[0]:.4f}")
print(f"the origin is {abs(H.origin_distance):.4f} from the line, on the side where g < 0")

# %%
# **Example 2, Fig. 8.2.** Two points on either side of *−x₁ + 2x₂ + 1 = 0*: the sign of *g* tells the half-space.

X, y = datasets.half_space_example()
H = Hyperplane([-1.0, 2.0], 1.0)
fig, ax = plt.subplots(layout="compressed")
ax.set(xlim=(-1, 6), ylim=(-1, 3), aspect="equal")
plot.boundary(H, X, y, ax=ax, margin=0, feature_names=["x₁", "x₂"])
for point, value in zip(X, H.value(X), strict=True):
    ax.annotate(f"g = {value:+.0f}", point, (8, 4), textcoords="offset points")
ax.text(-0.8, 2.5, "positive half-space")
ax.text(3.7, -0.7, "negative half-space")
plt.show()

# %%
# **Example 3, Fig. 8.3.** *g(x) = x₁ − x₂*: without a bias the line passes through the origin, and *g* is positive
# where the angle between *x* and *w* is below 90°: α for *x₃*, and not β for *x₄*.

H = Hyperplane([1.0, -1.0], 0.0)
X = np.array([[2.0, 0.5], [-0.5, 1.5], [1.0, 1.0]])
fig, ax = plt.subplots(layout="compressed")
ax.set(xlim=(-2, 3), ylim=(-2, 3), xlabel="x₁", ylabel="x₂", aspect="equal")
plot.boundary(H, ax=ax)
for point, name in zip([*X, H.w], ("x₃", "x₄", "on the line", "w"), strict=True):
    ax.annotate("", point, (0, 0), arrowprops={"arrowstyle": "->"})
    ax.annotate(name, point, (4, 4), textcoords="offset points")
toward_w = np.degrees(np.arctan2(*H.w[::-1]))
for point, name, radius in ((X[0], "α", 0.7), (X[1], "β", 1.0)):
    toward = np.degrees(np.arctan2(*point[::-1]))
    ax.add_patch(Arc((0, 0), 2 * radius, 2 * radius, theta1=toward_w, theta2=toward, color="#8C8C8C"))
    middle = np.radians((toward_w + toward) / 2)
    ax.text(*((radius + 0.12) * np.array([np.cos(middle), np.sin(middle)])), name)
plt.show()
for point, value in zip(X, H.value(X), strict=True):
    angle = np.degrees(np.arccos(np.clip(value / np.linalg.norm(point) / np.linalg.norm(H.w), -1, 1)))
    print(f"x = {point}, g = {value:+.1f}, angle with w {angle:.0f}°")

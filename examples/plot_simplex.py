"""
A linear program has its minimum at a vertex
============================================

The sum of violations *J_p′(a) = Σ (b − aᵗy)⁺* is made of planes: each pattern has an edge *aᵗy = b* where it begins
to count. Minimizing it is a linear program in *a* and the *τᵢ*. Its surface is a polyhedron, and the simplex
algorithm goes from vertex to vertex, downhill, until none of the neighbors is lower.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.10, Fig. 5.18, Eqs. 97–103.
"""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Hyperplane, LinearProgram, augment, criteria, normalize, plot

# %%
# Six patterns of one feature that overlap, so that weight space is a plane and the minimum is above zero. At the
# minimum as many patterns lie exactly on their edge as there are weights: it is a vertex.

X = np.array([[-2.0], [-1.0], [0.5], [0.0], [1.0], [2.5]])
y = np.array([0, 0, 0, 1, 1, 1])
Y = normalize(augment(X), y)
model = LinearProgram().fit(X, y)
on_edge = np.flatnonzero(np.isclose(Y @ model.weights_, 1))
print(f"a = {model.weights_.round(4)}, minimum {model.objective_:.4f}, patterns with aᵗy = b: {on_edge.tolist()}")
assert len(on_edge) >= 2
assert np.isclose(criteria.get("perceptron")(Y, 1.0).value(model.weights_), model.objective_)

# %%
# From vertex to vertex. Where two edges cross is a vertex, and its neighbors are the next crossings on either edge.
# From any vertex the way leads to the lowest neighbor until none is lower; since *J_p′* is convex, that is the minimum.

J = criteria.get("perceptron")(Y, 1.0)
crossings = {
    pair: np.linalg.solve(Y[list(pair)], np.ones(2))
    for pair in combinations(range(6), 2)
    if abs(np.linalg.det(Y[list(pair)])) > 1e-9
}


def neighbors(a):
    """Give the next crossing on each side of this one, along each edge through it."""
    for i in np.flatnonzero(np.isclose(Y @ a, 1)):
        along = np.array([-Y[i, 1], Y[i, 0]])
        ways = [(float((point - a) @ along), point) for pair, point in crossings.items() if i in pair]
        for side in (1, -1):
            ahead = [(side * way, *point) for way, point in ways if side * way > 1e-9]
            if ahead:
                yield np.array(min(ahead)[1:])


limits = (-2, 2, -1, 3)
shown = [a for a in crossings.values() if limits[0] <= a[0] <= limits[1] and limits[2] <= a[1] <= limits[3]]
path = [max(shown, key=J.value)]
while J.value(lowest := min(neighbors(path[-1]), key=J.value)) < J.value(path[-1]):
    path.append(lowest)
assert np.isclose(J.value(path[-1]), model.objective_)
print(" → ".join(f"{J.value(a):.3g}" for a in path))

# %%
# The surface with its edges, its level lines, and the way to the lowest vertex.

fig = plt.figure(figsize=(9, 4.6), layout="compressed")
fig.get_layout_engine().set(w_pad=0.15)
solid, flat = fig.add_subplot(1, 2, 1, projection="3d"), fig.add_subplot(1, 2, 2)
for ax in (solid, flat):
    plot.criterion_surface("perceptron", X, y, ax, margin=1.0, limits=limits)
for row in Y:
    plot.boundary(Hyperplane(row, -1.0), ax=flat, color="#D55E00", linewidth=0.8, label="edges aᵗy = b")
plot.path(np.array(path), flat, label="from vertex to vertex")
flat.plot(*path[-1], "k*", markersize=12, label="the lowest vertex")
names = dict(zip(*flat.get_legend_handles_labels()[::-1], strict=True))
flat.legend(names.values(), names, loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False, ncols=2)
plt.show()

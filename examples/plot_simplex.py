"""
A linear program has its minimum at a vertex
============================================

The sum of violations *J_p′(a) = Σ (b − aᵗy)⁺* is made of planes: each pattern has an edge *aᵗy = b* where it begins
to count. Minimizing it is a linear program in *a* and the *τᵢ*. Its surface is a polyhedron, and the simplex
algorithm goes from vertex to vertex, downhill, until none of the neighbors is lower.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.10, Fig. 5.18, Eqs. 97–103.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import LinearProgram, augment, criteria, normalize, plot

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
# The surface with its edges, its level lines, and the vertex.

limits = (-2, 2, -1, 3)
fig = plt.figure(figsize=(9, 4.6), layout="compressed")
fig.get_layout_engine().set(w_pad=0.15)
solid, flat = fig.add_subplot(1, 2, 1, projection="3d"), fig.add_subplot(1, 2, 2)
for ax in (solid, flat):
    plot.criterion_surface("perceptron", X, y, ax, margin=1.0, limits=limits)
flat.plot(*model.weights_, "k*", markersize=12, label="the vertex of the minimum")
flat.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False, ncols=2)
plt.show()

"""
Least squares: the Bayes discriminant, and planes that do not separate
======================================================================

With margins *b = 1* the least-squares discriminant approaches the best approximation in mean square to the Bayes
discriminant *g₀(x) = P(ω₁|x) − P(ω₂|x)*. It is best where the patterns lie dense, and nothing makes it separate:
patterns far on the right side pull as hard as those on the wrong one.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.8.3 and §5.8.4, Eqs. 55–61, Figs. 5.16 and 5.17, Problem
32; Beyan, *Linear Discriminant Functions*, lecture slides, 2024/25.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from discriminant import HoKashyap, LeastSquares, PolynomialMap, WidrowHoff, datasets, plot

# %%
# **Fig. 5.16.** Two classes of one feature with equal priors, ω₁ in two heaps. The polynomial of degree 7 follows *g₀*
# where there are patterns, here 5,000 of them, and goes astray where there are hardly any.

MEANS, SPREADS = {1: (-1.2, 0.9), 0: (-0.2, -0.2)}, {1: (0.3, 0.4), 0: (0.4, 0.4)}


def density(x, label):
    """Give p(x|ω), the mean of two Gaussians."""
    return sum(
        np.exp(-((x - m) ** 2) / (2 * s * s)) / (s * np.sqrt(8 * np.pi))
        for m, s in zip(MEANS[label], SPREADS[label], strict=True)
    )


rng = np.random.default_rng(0)
y = rng.integers(0, 2, 5000)
heap = rng.integers(0, 2, y.size)
X = np.array([rng.normal(MEANS[i][h], SPREADS[i][h]) for i, h in zip(y, heap, strict=True)])[:, None]

densities = {label: lambda x, label=label: density(x, label) for label in (0, 1)}
models = {f"degree {k}": make_pipeline(PolynomialMap(degree=k), LeastSquares()).fit(X, y) for k in (1, 3, 7)}
x = np.linspace(-2.6, 2.6, 1041)
p1, p2 = density(x, 1), density(x, 0)
g0, p = (p1 - p2) / (p1 + p2), (p1 + p2) / 2
error = [np.sum((model.decision_function(x[:, None]) - g0) ** 2 * p) * 0.005 for model in models.values()]  # Eq. 57
assert error[2] < error[1] < error[0]

fig, axes = plt.subplots(3, 1, figsize=(7.0, 9.5), layout="compressed", height_ratios=(1, 1, 1.6))
for ax, what in zip(axes, ("densities", "posteriors", "discriminant"), strict=True):
    plot.bayes(densities, models, ax, what=what, limits=(-2.6, 2.6))
plt.show()

# %%
# **Fig. 5.17.** Two sets that a line separates. The Widrow-Hoff rule comes to the least-squares line, which does not:
# on the left the six points of Problem 32, on the right the eight points of the slides. The Ho-Kashyap rule begins with
# that line, moves the margins as well, and ends with one that separates.

fig, axes = plt.subplots(1, 2, figsize=(9.5, 5.4), layout="compressed")
for ax, title, load, limits, wrong in (
    (axes[0], "Problem 32", datasets.symmetric_six, (-4.5, 4.5, -5, 5), 2),
    (axes[1], "slides", datasets.slides_eight, (-0.5, 10.5, -1.5, 10.5), 1),
):
    X, y = load()
    exact, other = LeastSquares().fit(X, y), HoKashyap(record="weights").fit(X, y)
    mean, spread = X.mean(axis=0), X.std(axis=0)
    lms = WidrowHoff(batch=True, tol=1e-8).fit((X - mean) / spread, y)  # on standardized features
    w = lms.coef_[0] / spread
    np.testing.assert_allclose(np.r_[lms.intercept_[0] - w @ mean, w], exact.weights_, atol=1e-6)
    np.testing.assert_allclose(other.history_["weights"][0], exact.weights_, atol=1e-10)
    errors = exact.predict(X) != y
    assert errors.sum() == wrong
    assert other.status_.name == "SEPARATED"
    ax.set(xlim=limits[:2], ylim=limits[2:], aspect="equal")
    plot.boundary(exact, X, y, ax=ax, linestyle="--", label="LMS, least squares")
    plot.boundary(other, ax=ax, label="Ho-Kashyap")
    ax.set_title(f"{title}: {wrong} wrong by LMS, 0 by Ho-Kashyap", fontsize="medium")
plt.show()

"""
Every procedure on one data set
===============================

Which procedure fits these data best, and could any of them have been perfect? ``compare`` fits them all, to the same
rows and the same folds, and says above the table whether a plane could separate the classes at all.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, Table 5.1, which lists the procedures.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import compare, datasets, plot

BLUE, ORANGE, GRAY = "#0072B2", "#D55E00", "#8C8C8C"  # Okabe and Ito's colors, which the color-blind can tell apart

# %%
# Fisher's iris. No linear machine tells its three kinds apart: the verdict is "quasi", because only the fifty setosa
# can be parted from the others.

flowers = datasets.iris()
kinds = np.asarray(flowers.target_names)[flowers.y]
found = compare(flowers.X, kinds, feature_names=flowers.feature_names)
print(found)
assert found.verdict.verdict == "quasi"
assert found.verdict.certificate.verify(flowers.X, kinds)

# %%
# Errors on the rows of the fit flatter; those on rows that were kept back are what to expect. Least squares is far
# behind Fisher's discriminant: with three classes in a row its targets mask the one in the middle.

rows = sorted(found, key=lambda row: -row.cv_error)
places = np.arange(len(rows))
fig, ax = plt.subplots(figsize=(8.0, 7.6), layout="compressed")
ax.hlines(places, [100 * row.train_error for row in rows], [100 * row.cv_error for row in rows], color=GRAY, lw=1)
ax.scatter([100 * row.train_error for row in rows], places, color=BLUE, marker="s", s=22, label="rows of the fit")
ax.scatter([100 * row.cv_error for row in rows], places, color=ORANGE, s=30, label="rows kept back", zorder=3)
ax.set_yticks(places, [row.method for row in rows], fontsize="small")
ax.set(xlabel="errors, percent", title="Iris: every procedure", ylim=(-1, len(rows)))
ax.legend(loc="upper right")
assert found["fisher"].cv_error < found["least-squares"].cv_error
plt.show()

# %%
# The same in pictures: what three of them decide in the plane of the petals, and how far rows are from the boundary.

X = flowers.X[:, 2:]
names = ("perceptron-pocket", "fisher-discriminant", "support-vector-machine-gaussian")
petals = compare(X, kinds, names, feature_names=flowers.feature_names[2:], n_jobs=1)
fig, axes = plt.subplots(2, 3, figsize=(11.0, 8.2), layout="compressed")
for (above, below), row in zip(axes.T, petals, strict=True):
    plot.regions(row.model, X, kinds, ax=above, feature_names=petals.feature_names)
    above.set_title(f"{row.method}\n{100 * row.train_error:.1f} % wrong")
    plot.margin_distribution(row.model, X, kinds, below)
plt.show()

# %%
# ``found.report("report.html")`` puts all of this on one page, with the proof and with words for everybody.

names = ("perceptron", "relaxation", "ho-kashyap", "logistic")
ax = plot.history({name: found[name].model for name in names})
plt.show()

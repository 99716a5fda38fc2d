"""
A perceptron at work
====================

Two categories of the books' table, the line that the fixed-increment perceptron ends with, and what its history
tells: the errors and the criterion *J_p* met in each pass. The last pass is clean, so the rule stops.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, Algorithm 4 and Theorem 5.1.
"""

import matplotlib.pyplot as plt

from discriminant import Perceptron, datasets, margins, plot

X, y = datasets.table(1, 2)
model = Perceptron().fit(X, y)
print(model.report_)

# %%
# The dashed lines keep the margin: no pattern lies between them. The bound on the corrections is far above their
# number, as it is in most problems; it tells that the rule ends, not when.

report, margin = model.report_.to_dict(), margins(model, X, y)
assert (report["corrections"], report["iterations"]) == (33, 9)

panels = [["plane", "corrections"], ["plane", "criterion"]]
fig, ax = plt.subplot_mosaic(panels, figsize=(10.0, 6.0), layout="compressed")
plot.boundary(model, X, y, ax=ax["plane"], feature_names=["x₁", "x₂"])
ax["plane"].set_title(f"geometric margin {margin.margin:.2f}")
plot.history(model, ax["corrections"], what="corrections")
ax["corrections"].set_title(f"{report['corrections']} corrections; the theorem allows {int(report['bound']):,}")
plot.history(model, ax["criterion"], what="criterion")
ax["criterion"].set_ylabel("criterion $J_p$")
plt.show()

"""
A perceptron at work
====================

Two categories of the books' table, the line that the fixed-increment perceptron ends with, and what its history
tells: the errors and the criterion *J_p* met in each pass. The last pass is clean, so the rule stops.

Source: Duda, Hart, Stork, *Pattern Classification*, ch. 5, Algorithm 4 and Theorem 5.1.
"""

import matplotlib.pyplot as plt
import numpy as np
from _style import BLUE, GRAY, ORANGE, figure, line, plane, points

from discriminant import Perceptron, datasets, margins

X, y = datasets.table(1, 2)
model = Perceptron().fit(X, y)
print(model.report_)

# %%
# The dashed lines keep the margin: no pattern lies between them. The bound on the corrections is far above their
# number, as it is in most problems; it tells that the rule ends, not when.

report, margin = model.report_.to_dict(), margins(model, X, y)
assert (report["corrections"], report["iterations"]) == (33, 9)

fig, ax = figure([["plane", "errors"], ["plane", "criterion"]], size=(9.0, 4.1), width_ratios=(1, 1.1))
points(ax["plane"], X, y, order=(1, 0))
plane(ax["plane"], (-5, 9.5, -7, 8))
line(ax["plane"], model.weights_, label="g(x) = 0")
for side in (-1, 1):
    line(ax["plane"], model.weights_, side * margin.functional.min(), color=GRAY, linestyle="--", linewidth=1)
ax["plane"].legend(loc="upper left")
ax["plane"].set_title(f"geometric margin {margin.margin:.2f}")

passes = np.arange(1, model.n_iter_ + 1)
ax["errors"].plot(passes, model.history_["errors"], color=BLUE, marker="o", clip_on=False)
ax["errors"].set(ylabel="errors", xticks=passes, xticklabels=[], ylim=(0, None))
ax["errors"].set_title(f"{report['corrections']} corrections; the theorem allows {int(report['bound']):,}")
ax["criterion"].plot(passes, model.history_["criterion"], color=ORANGE, marker="s", clip_on=False)
ax["criterion"].set(xlabel="pass", ylabel="criterion $J_p$", xticks=passes, ylim=(0, None))
plt.show()

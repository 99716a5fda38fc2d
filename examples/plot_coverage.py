"""
How often confidence intervals cover
====================================

Of twelve patients without an exposure and eight with it, a few are ill. With cells as small as these the three usual
intervals for the log odds ratio differ. How often each covers the truth need not be guessed: there are 13 · 9 tables,
and the probability of each is known.

Wald's interval, the estimate plus and minus 1.96 standard errors, covers often, but for a bad reason: where a table is
separated it says nothing at all. That of the profile likelihood has one end there; where few tables are separated it
covers a little less often than it should. That of Firth's penalized likelihood has two ends, and stays near 95 %.

Source: G. Heinze and M. Schemper, "A solution to the problem of separation in logistic regression", *Statistics in
Medicine* 21 (2002); D. Venzon and S. Moolgavkar, "A method for computing profile-likelihood-based confidence
intervals", *Applied Statistics* 37 (1988).
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from discriminant import InfiniteEstimateWarning, LogisticDiscriminant

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"  # Okabe and Ito's colors, which the color-blind can tell apart
UNEXPOSED, EXPOSED = 12, 8
WHOLE_LINE = (-np.inf, np.inf)

# %%
# The intervals of every table. A table is four rows, exposed or not, ill or not, with counts as weights. Where all are
# ill, or none, the data say nothing of the odds ratio, and each interval is the whole line. Where the estimate is
# infinite, Wald's interval is as wide as the program has patience, and counts as the whole line too.

X, y = np.array([[0], [0], [1], [1]]), np.array([0, 1, 0, 1])


def intervals(ill):
    """Wald's, the profile's and Firth's interval of a table, given how many of each group are ill."""
    a, b = ill
    if a + b in (0, UNEXPOSED + EXPOSED):
        return [WHOLE_LINE] * 3
    counts = np.array([UNEXPOSED - a, a, EXPOSED - b, b], float)
    with warnings.catch_warnings(action="ignore", category=InfiniteEstimateWarning):
        likelihood = LogisticDiscriminant(penalty=None).fit(X, y, counts)
    firth = LogisticDiscriminant(penalty="firth").fit(X, y, counts)
    wald = WHOLE_LINE if likelihood.recession_ is not None else likelihood.summary().interval[1]
    return [wald, *(model.summary(intervals="profile", tests="lr").interval[1] for model in (likelihood, firth))]


tables = np.array([(a, b) for a in range(UNEXPOSED + 1) for b in range(EXPOSED + 1)])
ends = np.array([intervals(ill) for ill in tables])  # one table, one kind of interval, its ends

# %%
# The coverage for each true log odds ratio, where half of those without the exposure are ill: the probabilities of the
# tables whose interval holds it, added up.


def binomial(n):
    """Coefficients of (1 + x)^n."""
    row = np.ones(1)
    for _ in range(n):
        row = np.convolve(row, [1, 1])
    return row


def probabilities(beta):
    """Those of all tables."""
    p = 1 / (1 + np.exp(-beta))
    ways = binomial(UNEXPOSED)[tables[:, 0]] * binomial(EXPOSED)[tables[:, 1]]
    return ways * 0.5**UNEXPOSED * p ** tables[:, 1] * (1 - p) ** (EXPOSED - tables[:, 1])


def coverage(beta, weight):
    """The share of the intervals of each kind that hold beta."""
    return weight @ ((ends[..., 0] <= beta) & (beta <= ends[..., 1]))


truth = np.linspace(-4, 4, 321)
exact = np.array([coverage(beta, probabilities(beta)) for beta in truth])
infinite = np.array([probabilities(beta) @ np.isinf(ends).any(axis=2) for beta in truth])
assert np.allclose([probabilities(beta).sum() for beta in truth], 1)

# %%
# A simulation says the same, less exactly: 20,000 tables for one truth.

rng, beta = np.random.default_rng(0), 1.5
drawn = rng.multinomial(20_000, probabilities(beta)) / 20_000
simulated, wanted = coverage(beta, drawn), coverage(beta, probabilities(beta))
print("simulated", simulated.round(4), "exact", wanted.round(4))
assert np.all(np.abs(simulated - wanted) < 4 * np.sqrt(wanted * (1 - wanted) / 20_000) + 1e-12)

fig, (left, right) = plt.subplots(1, 2, figsize=(10.0, 3.8), layout="compressed")
looks = (("Wald", ORANGE, ":"), ("profile", BLUE, "--"), ("Firth's profile", GREEN, "-"))
for k, (name, color, line) in enumerate(looks):
    left.plot(truth, exact[:, k], line, color=color, label=name)
    right.plot(truth, infinite[:, k], line, color=color, label=name)
left.axhline(0.95, color="0.5", linewidth=0.8)
left.set(xlabel="true log odds ratio", title="coverage of intervals of 95 %", ylim=(0.9, 1.0))
right.set(xlabel="true log odds ratio", title="share of intervals with an infinite end", ylim=(-0.02, 1.02))
right.legend(loc="upper center")
plt.show()

for k, (name, _, _) in enumerate(looks):
    print(f"{name}: coverage from {exact[:, k].min():.3f} to {exact[:, k].max():.3f}")
assert infinite[:, 2].max() < 0.05  # Firth's: none but for the tables in which all are ill, or none

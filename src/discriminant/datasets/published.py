"""Tables on which statistics packages show what they do with separated data, one row for each case."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._dataset import Dataset

__all__ = ["hepatitis", "lizards", "alligators", "murder_rates"]

# whether blood with surrogate markers was withheld, whether donors were screened; patients without hepatitis, with
# hepatitis C, with one that is neither A nor B nor C
_HEPATITIS = [(0, 0, 389, 5, 3), (0, 1, 1864, 5, 11), (1, 0, 400, 0, 2), (1, 1, 1896, 3, 10)]


def hepatitis() -> Dataset:
    """Load the patients with hepatitis after a transfusion, of whom none of one group has hepatitis C.

    Returns
    -------
    Dataset
        Columns withheld (blood with surrogate markers was withheld), screened (donors were already tested for hepatitis
        C) and both, their product; y is 0 without hepatitis, 1 with hepatitis C, 2 with one that is neither A nor B nor
        C. Answers: the ``verdict``, and ``infinite``, where the coefficients of the classes 1 and 2 go.

    References
    ----------
    M. Blajchman, S. Bull and S. Feinman, "Post-transfusion hepatitis", The Lancet 345 (1995); S. Bull, C. Mak and C.
    Greenwood, "A modified score function estimator for multinomial logistic regression in small samples",
    Computational Statistics & Data Analysis 39 (2002).

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.hepatitis()
    >>> dataset.X.shape, dataset.verdict, dataset.infinite
    ((4588, 3), 'quasi', ((-1, 0, 1), (0, 0, 0)))
    """
    cells = np.array(_HEPATITIS)
    patterns = np.column_stack([cells[:, :2], cells[:, 0] * cells[:, 1]])
    return Dataset(
        *_one_by_one(patterns, cells[:, 2:]),
        "hepatitis",
        "Blajchman, Bull and Feinman, The Lancet 345 (1995)",
        "4588 patients after a transfusion; no hepatitis C where blood was withheld before donors were screened",
        ("withheld", "screened", "both"),
        ("none", "hepatitis C", "other"),
        {"separable": False, "verdict": "quasi", "infinite": ((-1, 0, 1), (0, 0, 0))},
    )


# For sun, then shade; perches of at most 2 inches, then more; below 5 feet, then above; early, midday, late: lizards of
# the species opalinus and grahami.
_LIZARDS = """
2 20  1 8  4 4    0 13  0 8  0 12    3 8  1 4  3 5    0 6  0 0  1 1
11 34  20 69  10 18    5 31  4 55  3 13    15 17  32 60  8 8    1 12  5 21  4 4
"""


def lizards() -> Dataset:
    """Load the lizards of two species and where they were seen.

    Returns
    -------
    Dataset
        Columns high (5 feet or more), thick (a perch of more than 2 inches), shady, midday and late, each 0 or 1; y is
        the species, opalinus (0) or grahami (1). Answer: the ``verdict``.

    References
    ----------
    T. Schoener, "Nonsynchronous spatial overlap of lizards in patchy habitats", Ecology 51 (1970); P. McCullagh and J.
    Nelder, *Generalized Linear Models*, 2nd ed. (1989), p. 129.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.lizards()
    >>> dataset.X.shape, int(dataset.y.sum()), dataset.verdict
    ((564, 5), 431, 'overlap')
    """
    shady, thick, high, time = (part.ravel() for part in np.indices((2, 2, 2, 3)))
    patterns = np.column_stack([high, thick, shady, time == 1, time == 2])
    return Dataset(
        *_one_by_one(patterns, np.array(_LIZARDS.split(), int).reshape(-1, 2)),
        "lizards",
        "Schoener, Ecology 51 (1970); McCullagh and Nelder, Generalized Linear Models",
        "564 lizards of two species, by the perch on which they sat, light and time of day",
        ("high", "thick", "shady", "midday", "late"),
        ("opalinus", "grahami"),
        {"separable": False, "verdict": "overlap"},
    )


# For the lakes Hancock, Oklawaha, Trafford and George; males, then females; up to 2.3 m, then longer: alligators that
# had eaten mostly fish, invertebrates, reptiles, birds, other things.
_ALLIGATORS = """
7 1 0 0 5  4 0 0 1 2  16 3 2 2 3  3 0 1 2 3    2 2 0 0 1  13 7 6 0 0  3 9 1 0 2  0 1 0 1 0
3 7 1 0 1  8 6 6 3 5  2 4 1 1 4  0 1 0 0 0    13 10 0 2 2  9 0 0 1 2  3 9 1 0 1  8 1 0 0 1
"""


def alligators(sparse: bool = False) -> Dataset:
    """Load the alligators of four lakes and what they had eaten.

    Parameters
    ----------
    sparse : bool, default=False
        Whether to take a third of the counts, rounded, which separates some of them.

    Returns
    -------
    Dataset
        Columns small (at most 2.3 m), Hancock, Oklawaha, Trafford (the fourth lake is George) and male, each 0 or 1. y
        is the food: fish (0), invertebrates, reptiles, birds or other (4). Answer: the ``verdict``.

    References
    ----------
    A. Agresti, *Categorical Data Analysis*, 2nd ed. (2002), Tables 7.1 and 7.4. Its third is the example of I.
    Kosmidis, *Multinomial logistic regression using brglm2*, a vignette of that package.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.alligators().X.shape, datasets.alligators().verdict
    ((219, 5), 'overlap')
    >>> datasets.alligators(sparse=True).X.shape, datasets.alligators(sparse=True).verdict
    ((69, 5), 'quasi')
    """
    lake, female, long = (part.ravel() for part in np.indices((4, 2, 2)))
    patterns = np.column_stack([long == 0, lake == 0, lake == 1, lake == 2, female == 0])
    counts = np.array(_ALLIGATORS.split(), int).reshape(-1, 5)
    return Dataset(
        *_one_by_one(patterns, np.rint(counts / 3).astype(int) if sparse else counts),
        "alligators",
        "Agresti, Categorical Data Analysis, 2nd ed. (2002)",
        f"{'a third of ' if sparse else ''}219 alligators of four lakes and two sizes, by what they had eaten",
        ("small", "Hancock", "Oklawaha", "Trafford", "male"),
        ("fish", "invertebrates", "reptiles", "birds", "other"),
        {"separable": False, "verdict": "quasi" if sparse else "overlap"},
    )


# time, income, share of non-Caucasians, participation in the labor force, southern, and whether there were executions
_MURDER_RATES = """
47 1.1 .321 51.2 1 1  58 .92 .224 48.5 1 1  82 1.72 .127 50.8 0 1  100 2.18 .063 54.4 0 1  222 1.75 .021 52.4 0 1
164 2.26 .027 56.7 0 1  161 2.07 .139 54.6 1 1  70 1.43 .218 52.7 1 1  219 1.92 .008 52.3 0 1  81 1.82 .012 53 0 0
209 2.34 .076 55.4 0 1  182 2.12 .299 53.5 0 1  185 1.81 .04 51.6 0 1  104 1.35 .069 48.5 1 1  126 1.26 .33 49.3 1 1
192 2.07 .017 53.9 0 1  95 2.04 .166 55.7 1 1  245 1.55 .003 51.2 0 0  97 1.89 .01 54 0 0  177 1.68 .076 52.2 0 1
125 .76 .454 51.1 1 1  56 1.96 .032 54 0 0  85 1.29 .266 55 1 1  199 1.81 .018 52.9 0 1  298 1.72 .038 53.7 0 0
145 2.39 .067 55.8 0 1  78 1.68 .075 50.4 0 1  144 2.29 .064 58.8 0 1  178 2.34 .065 54.5 0 1  146 2.21 .065 53.5 0 1
132 1.42 .09 48.8 1 1  98 1.97 .016 54.5 0 1  120 2.12 .061 52.1 0 1  148 1.9 .019 56 0 0  123 1.15 .389 56.2 1 1
282 1.7 .037 53.3 0 1  79 1.24 .161 50.9 1 1  34 1.55 .127 53.2 1 1  104 2.04 .017 51.7 0 0  91 1.59 .222 54.3 1 1
199 2.07 .026 53.7 0 1  101 2 .012 54.7 0 0  109 1.84 .057 47 1 1  117 2.04 .022 56.9 0 0
"""


def murder_rates() -> Dataset:
    """Load the states of 1950, of which all southern ones had executions.

    Returns
    -------
    Dataset
        Columns time (months served for murder, the median), income (of a family, in 1000 dollars), noncauc (share of
        non-Caucasians), lfp (percent in the labor force) and southern (0 or 1); y is whether there were executions.
        Answers: the ``verdict``, and ``infinite``, where each coefficient goes.

    References
    ----------
    G. Maddala, *Introduction to Econometrics*, 3rd ed. (2001), Table 8.4; H. Stokes, "On the advantage of using two or
    more econometric software systems to solve the same problem", Journal of Economic and Social Measurement 29 (2004).

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.murder_rates()
    >>> dataset.X.shape, int(dataset.y.sum()), dataset.verdict, dataset.infinite
    ((44, 5), 35, 'quasi', (0, 0, 0, 0, 1))
    """
    table = np.array(_MURDER_RATES.split(), np.float64).reshape(44, 6)
    return Dataset(
        np.ascontiguousarray(table[:, :5]),
        table[:, 5].astype(np.int64),
        "murder_rates",
        "Maddala, Introduction to Econometrics, 3rd ed. (2001)",
        "44 states in 1950; all 15 southern ones had executions",
        ("time", "income", "noncauc", "lfp", "southern"),
        ("no executions", "executions"),
        {"separable": False, "verdict": "quasi", "infinite": (0, 0, 0, 0, 1)},
    )


def _one_by_one(
    patterns: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The rows of cells with counts of each class, one row for each case, class by class."""
    cell, kind = np.tile(np.arange(len(counts)), counts.shape[1]), np.repeat(np.arange(counts.shape[1]), len(counts))
    times = counts.T.ravel()
    return patterns[np.repeat(cell, times)].astype(np.float64), np.repeat(kind, times)

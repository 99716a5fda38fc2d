"""P5: least squares, ridge and Fisher's discriminant against scikit-learn's, and against the Gram matrix alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, RidgeClassifier

from discriminant import FisherDiscriminant, LeastSquaresRegressor, RidgeRegressor

from ._audit import require
from ._case import Contest, Outcome, Peer, Reading, case, faster, within
from ._child import PEAK, child
from ._data import overlapping

# A copy of the data must show in the peak.
MEMORY = (
    PEAK
    + """
import numpy as np
from discriminant import FisherDiscriminant, LeastSquares

X = np.random.default_rng(0).standard_normal(({n}, {d}))
y = (X[:, 0] > 0).astype(np.int64)
LeastSquares().fit(X[:10_000], y[:10_000])
FisherDiscriminant().fit(X[:10_000], y[:10_000])
assert above(X.copy) > 0.9 * X.nbytes
print(above(lambda: {estimator}().fit(X, y)) / 2**20)
"""
)


def directions(ours: Any, theirs: Any) -> str:
    """Both found the same direction, in float64 arithmetic of their own."""
    a, b = (np.ravel(model.coef_) / np.linalg.norm(model.coef_) for model in (ours, theirs))
    apart = float(np.abs(a - b).max())
    return require(apart <= 1e-8, f"directions {apart:.0e} apart")


def coefficients(ours: Any, theirs: Any) -> str:
    """Both found the same weights and the same constant."""
    a, b = (np.r_[np.ravel(model.intercept_), np.ravel(model.coef_)] for model in (ours, theirs))
    apart = float(np.abs(a - b).max() / np.abs(b).max())
    return require(apart <= 1e-8, f"weights {apart:.0e} apart")


@case("P5", "least squares, ridge and Fisher's discriminant")
def closed_forms(quick: bool) -> Iterator[Outcome]:
    X, y = overlapping(2_000 if quick else 200_000, 100)
    t, size = np.where(y == 1, 1.0, -1.0), f"{len(X):,}×{X.shape[1]} f64"

    def gram() -> Any:
        return dsyrk(1.0, X.T)

    def built(ours: Any, theirs: Any) -> str:
        found = np.isfinite(theirs).all() and theirs.shape == (X.shape[1],) * 2
        return require(bool(found), "the upper triangle of X'X")

    yield Contest(
        f"least squares, {size}",
        lambda: LeastSquaresRegressor().fit(X, t),
        [
            Peer("scikit-learn LinearRegression", lambda: LinearRegression().fit(X, t), faster(8), coefficients),
            Peer("the Gram matrix alone", gram, within(1.5), built),
        ],
    )
    yield Contest(
        f"ridge, {size}",
        lambda: RidgeRegressor(1.0).fit(X, t),
        [Peer("scikit-learn RidgeClassifier", lambda: RidgeClassifier(1.0).fit(X, y), faster(3), coefficients)],
    )
    lda = LinearDiscriminantAnalysis
    yield Contest(
        f"Fisher, {size}",
        lambda: FisherDiscriminant().fit(X, y),
        [
            Peer("scikit-learn LDA, svd", lambda: lda().fit(X, y), faster(15), directions),
            Peer("scikit-learn LDA, lsqr", lambda: lda(solver="lsqr").fit(X, y), faster(3), directions),
        ],
    )
    if not Path("/proc/self/clear_refs").exists():
        yield "Left out, the memory above the data: only Linux tells the peak of a process from now on."
        return
    for estimator in ("LeastSquares", "FisherDiscriminant"):
        for n in (20_000,) if quick else (100_000, 400_000):
            megabytes = child(MEMORY.format(n=n, d=100, estimator=estimator))
            yield Reading(f"memory above the data, {estimator}, {n:,}×100", megabytes, "MiB", 25, "a copy shows in it")

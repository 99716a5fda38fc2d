"""P6, P7, P8 and half of P15: linear support vector machines against liblinear and libsvm."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from discriminant import SupportVectorMachine

from ._audit import augmented, require
from ._case import Audit, Contest, Outcome, Peer, case, faster
from ._data import overlapping, scattered, separable


def criterion(X: Any, y: Any, squared: bool, result: Any) -> float:
    """|a|²/2 + sum of slack or squared slack in float64, the intercept counted as liblinear counts it."""
    a = augmented(result)
    slack = np.maximum(0, 1 - np.where(y == 1, 1.0, -1.0) * (X @ a[1:] + a[0]))
    return float(0.5 * a @ a + (slack**2 if squared else slack).sum())


def as_low(X: Any, y: Any, squared: bool, tol: float) -> Audit:
    """Both criteria lie within tol of the lower one."""

    def audit(ours: Any, theirs: Any) -> str:
        a, b = (criterion(X, y, squared, result) for result in (ours, theirs))
        apart = max(a, b) / min(a, b) - 1
        return require(apart <= tol, f"criteria {apart:.0e} apart")

    return audit


def liblinear(X: Any, y: Any, **parameters: Any) -> LinearSVC:
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return LinearSVC(**parameters).fit(X, y)


@case("P6", "linear machine, squared hinge")
def squared_hinge(quick: bool) -> Iterator[Outcome]:
    X, y = overlapping(5_000 if quick else 200_000, 100)
    yield Contest(
        f"{len(X):,}×100 f64, C = 1",
        lambda: SupportVectorMachine(loss="squared_hinge", intercept="augmented", tol=1e-4).fit(X, y),
        [Peer("LinearSVC(dual=False)", lambda: liblinear(X, y, dual=False), faster(5), as_low(X, y, True, 1e-4))],
    )


@case("P7", "linear machine, hinge, gap 1e-3")
def hinge(quick: bool) -> Iterator[Outcome]:
    X, y = overlapping(2_000 if quick else 20_000, 100)
    yield Contest(
        f"{len(X):,}×100 f64, C = 1",
        lambda: SupportVectorMachine(intercept="augmented").fit(X, y),
        [Peer("LinearSVC(loss='hinge')", lambda: liblinear(X, y, loss="hinge"), faster(5), as_low(X, y, False, 1e-3))],
    )


@case("P8", "hard margin, exact")
def hard_margin(quick: bool) -> Iterator[Outcome]:
    X, y = separable(2_000 if quick else 100_000, 20, 0.1)

    def right(ours: Any, theirs: Any) -> str:
        found = require(ours.gap_ <= 1e-9, f"ours to {ours.gap_:.0e}")
        theirs_margin = 1 / np.linalg.norm(theirs.coef_)
        return f"{found}; SVC's margin {abs(theirs_margin / ours.margin_ - 1):.0e} off"

    yield Contest(
        f"{len(X):,}×20 f64, margin 0.1",
        lambda: SupportVectorMachine(C=np.inf).fit(X, y),
        [
            Peer(
                "SVC(linear, C=1e10)",
                lambda: SVC(kernel="linear", C=1e10, max_iter=2_000_000).fit(X, y),
                faster(50),
                right,
            )
        ],
    )


@case("P15", "linear machine on CSR, squared hinge")
def sparse_rows(quick: bool) -> Iterator[Outcome]:
    X, y = scattered(*((2_000, 500) if quick else (200_000, 50_000)), 50)
    yield Contest(
        f"CSR {X.shape[0]:,}×{X.shape[1]:,}, 50 a row, C = 1",
        lambda: SupportVectorMachine(loss="squared_hinge", intercept="augmented", tol=1e-4).fit(X, y),
        [Peer("LinearSVC(dual=False)", lambda: liblinear(X, y, dual=False), faster(2), as_low(X, y, True, 1e-4))],
    )

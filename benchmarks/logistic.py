"""P10, P11 and half of P15: logistic regression against scikit-learn's solvers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from discriminant import LogisticDiscriminant

from ._audit import require
from ._case import Audit, Contest, Outcome, Peer, case, faster
from ._data import mixed, overlapping, scattered
from ._peers import LEFT_OUT, intel


def criterion(X: Any, y: Any, model: Any) -> float:
    """Sum of log loss + |w|²/2 in float64, block by block."""
    W, first, total = model.coef_.astype(np.float64), model.intercept_, 0.0
    for start in range(0, X.shape[0], 8192):
        g = np.asarray(X[start : start + 8192] @ W.T + first)
        g = np.column_stack([np.zeros(len(g)), g]) if g.shape[1] == 1 else g
        total -= log_softmax(g, axis=1)[np.arange(len(g)), y[start : start + 8192]].sum()
    return float(total + 0.5 * np.sum(W**2))


def as_low(X: Any, y: Any, tol: float) -> Audit:
    """Both criteria lie within tol of the lower one."""

    def audit(ours: Any, theirs: Any) -> str:
        a, b = (criterion(X, y, model) for model in (ours, theirs))
        return require(max(a, b) / min(a, b) - 1 <= tol, f"criteria {(a / b - 1):+.0e} apart")

    return audit


def fitted(X: Any, y: Any, solver: str, tol: float) -> LogisticRegression:
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return LogisticRegression(solver=solver, tol=tol, max_iter=1000).fit(X, y)


# Each peer has the loosest tol, of powers of ten, with which it reaches the minimum as nearly as the audit asks.


@case("P10", "logistic regression, two classes, criterion to 1e-8")
def two_classes(quick: bool) -> Iterator[Outcome]:
    X, y = overlapping(5_000 if quick else 200_000, 100)
    audit = as_low(X, y, 1e-8)
    fast = intel("linear_model", "LogisticRegression")

    def quickly() -> Any:
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            return fast(tol=1e-6, max_iter=1000).fit(X, y)

    yield Contest(
        f"{len(X):,}×100 f64, C = 1",
        lambda: LogisticDiscriminant().fit(X, y),
        [
            Peer("LogisticRegression(lbfgs)", lambda: fitted(X, y, "lbfgs", 1e-6), faster(2.5), audit),
            Peer("newton-cholesky", lambda: fitted(X, y, "newton-cholesky", 1e-5), faster(2.5), audit),
            *([] if fast is None else [Peer("scikit-learn-intelex", quickly, faster(2.5), audit)]),
        ],
    )
    if fast is None:
        yield LEFT_OUT


@case("P11", "logistic regression, ten classes, criterion to 1e-8")
def ten_classes(quick: bool) -> Iterator[Outcome]:
    X, y = mixed(3_000 if quick else 100_000, 100, 10)
    yield Contest(
        f"{len(X):,}×100 f64, 10 classes, C = 1",
        lambda: LogisticDiscriminant().fit(X, y),
        [Peer("LogisticRegression(lbfgs)", lambda: fitted(X, y, "lbfgs", 1e-5), faster(3), as_low(X, y, 1e-8))],
    )


@case("P15", "logistic regression on CSR, criterion to 2e-5")
def sparse_rows(quick: bool) -> Iterator[Outcome]:
    X, y = scattered(*((2_000, 500) if quick else (200_000, 50_000)), 50)
    yield Contest(
        f"CSR {X.shape[0]:,}×{X.shape[1]:,}, 50 a row, C = 1",
        lambda: LogisticDiscriminant(tol=1e-5).fit(X, y),
        [Peer("LogisticRegression(lbfgs)", lambda: fitted(X, y, "lbfgs", 1e-5), faster(2), as_low(X, y, 2e-5))],
    )

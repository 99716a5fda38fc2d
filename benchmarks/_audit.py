"""Audits: each compares our result with theirs, raises when they differ, and says in a few words what it found.

A result is a fitted model or an augmented weight vector (w0, w).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._case import Audit, AuditError


def augmented(result: Any) -> NDArray[np.float64]:
    """(w0, w) of a model of two classes, in float64."""
    parts = (result.intercept_, result.coef_[0]) if hasattr(result, "coef_") else (result,)
    return np.concatenate(parts).astype(np.float64)


def require(holds: bool, found: str) -> str:
    """``found`` when it holds, else an AuditError with the same words."""
    if not holds:
        raise AuditError(found)
    return found


def passes(ours: Any, theirs: Any) -> str:
    """Both made the same number of passes over the data."""
    return require(ours.n_iter_ == theirs.n_iter_, f"{ours.n_iter_} and {theirs.n_iter_} passes")


def weights(ours: Any, theirs: Any) -> str:
    """Both have the same weights to rounding."""
    a, b = augmented(ours), augmented(theirs)
    apart = float(np.abs(a - b).max() / np.abs(a).max())
    return require(apart <= 1e-9, f"weights {apart:.0e} apart" if apart else "equal weights")


def exactly(expected: int) -> Audit:
    """We made this many passes, as the peer's loop does by itself."""
    return lambda ours, theirs: require(ours.n_iter_ == expected, f"{ours.n_iter_} of {expected} passes")


def errors(X: NDArray[Any], y: NDArray[Any], result: Any) -> int:
    """Rows on the wrong side or on the plane, counted in float64 block by block."""
    a, z = augmented(result), np.where(y == y.max(), 1.0, -1.0)
    blocks = (slice(start, start + 8192) for start in range(0, len(z), 8192))
    return sum(int(np.sum(z[rows] * (X[rows].astype(np.float64) @ a[1:] + a[0]) <= 0)) for rows in blocks)


def accuracy(X: Any, y: NDArray[Any], apart: float = 0.1) -> Audit:
    """Accuracies on the data that differ little, for rules that visit the rows in another order or precision."""

    def audit(ours: Any, theirs: Any) -> str:
        a, b = (1 - errors(X, y, result) / len(y) for result in (ours, theirs))
        return require(abs(a - b) <= apart, f"accuracy {a:.3f} and {b:.3f}")

    return audit


def separated(X: NDArray[Any], y: NDArray[Any]) -> Audit:
    """Both leave no error."""

    def audit(ours: Any, theirs: Any) -> str:
        a, b = errors(X, y, ours), errors(X, y, theirs)
        return require(a == b == 0, f"{a} and {b} errors left, in {ours.n_iter_} and {theirs.n_iter_} passes")

    return audit

"""The errors for numbers that cannot be worked with: they say where these stand and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._guards.validation import all_finite

LIGHT = 1e-300  # weights of rows that lose digits in products


def refusal(X: Any) -> ValueError:
    """The error for inner products with X that are not finite: it says whether X is to blame, and where."""
    values = X.data if sparse.issparse(X) else np.asarray(X)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        row, column = divmod(int(bad[0]), X.shape[1])
        if sparse.issparse(X):
            row, column = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1, int(X.indices[bad[0]])
        what = "NaN" if np.isnan(values.flat[bad[0]]) else "infinity"
        return ValueError(
            f"X contains {what}, first in row {row}, column {column} (counted from 0), and must be finite; impute such "
            "values or drop their rows."
        )
    largest = float(np.abs(values).max(initial=0))
    if largest < np.sqrt(np.finfo(values.dtype).max / (X.shape[1] + 1)):
        return ValueError(
            f"the weights overflow {values.dtype}, although the entries of X reach no more than {largest:.3g}; give a "
            "smaller start, increment, margin or sample_weight."
        )
    return ValueError(
        f"X overflows: its entries reach {largest:.3g}, and inner products of that size are not finite in "
        f"{values.dtype}; divide the features by their size, for instance with StandardScaler."
    )


def refuse_vanishing(weight: NDArray[Any] | None) -> None:
    """Refuse weights of rows so small that their products with anything lose digits."""
    if weight is not None and (largest := weight.max(initial=0)) < LIGHT:
        raise ValueError(
            f"sample_weight reaches no more than {largest:.3g}, and products with it are lost in float64; "
            "multiply all weights by one number."
        )


Matrix = NDArray[np.float64]


class NotFiniteError(ArithmeticError):
    """A sum of squares is not finite: the data hold NaN or infinity, or overflow."""


def check_total(v: Matrix | None, name: str = "sample_weight") -> None:
    """Refuse weights that are so small or so large that their sum cannot be worked with."""
    with np.errstate(over="ignore"):
        total = 1.0 if v is None else float(np.sum(v))
    if not 1e-290 < total < np.inf:
        raise ValueError(f"{name} adds up to {total:.3g} and must be finite and > 1e-290; divide it by its mean.")


def published(A: Matrix, dtype: Any) -> NDArray[Any]:
    """The weights in the type of the data, which must hold them."""
    with np.errstate(over="ignore"):
        weights = A.astype(dtype)
    if not all_finite(weights):
        raise ValueError(
            f"the weights overflow {dtype}: the features are too small, or vary too little about a large value; scale "
            "them, for instance with StandardScaler."
        )
    return weights

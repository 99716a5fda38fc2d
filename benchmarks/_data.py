"""Data of a given size and dtype, the same in every run, made without large temporaries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

Labels = NDArray[np.int64]


def _normal(n: int, d: int, dtype: DTypeLike) -> tuple[NDArray[Any], NDArray[Any], np.random.Generator]:
    """Standard normal rows and a unit vector."""
    rng = np.random.default_rng(0)
    X, w = np.empty((n, d), dtype), rng.standard_normal(d)
    rng.standard_normal(out=X, dtype=X.dtype)
    return X, (w / np.linalg.norm(w)).astype(dtype), rng


def overlapping(n: int, d: int, dtype: DTypeLike = np.float64) -> tuple[NDArray[Any], Labels]:
    """Two classes on the sides of a plane, blurred so that one row in ten is on the wrong one."""
    X, w, rng = _normal(n, d, dtype)
    return X, (X @ w + 0.3 * rng.standard_normal(n) > 0).astype(np.int64)


def separable(n: int, d: int, margin: float, dtype: DTypeLike = np.float64) -> tuple[NDArray[Any], Labels]:
    """Two classes on the sides of a plane, moved apart until no row is nearer to it than the margin."""
    X, w, _ = _normal(n, d, dtype)
    y = (X @ w > 0).astype(np.int64)
    for start in range(0, n, 8192):
        rows = slice(start, start + 8192)
        X[rows] += np.where(y[rows] == 1, margin, -margin).astype(dtype)[:, None] * w
    return X, y


def mixed(n: int, d: int, c: int) -> tuple[NDArray[Any], Labels]:
    """Classes drawn by a multinomial model from standard normal rows; about half of them are the likeliest."""
    X, _, rng = _normal(n, d, np.float64)
    W = 0.15 * rng.standard_normal((d, c))
    return X, (X @ W + rng.gumbel(size=(n, c))).argmax(axis=1)


def scattered(n: int, d: int, per_row: int) -> tuple[sparse.csr_matrix, Labels]:
    """A float64 CSR matrix with ``per_row`` entries in each row, one in each of as many bands of columns."""
    rng = np.random.default_rng(0)
    band = d // per_row
    columns = rng.integers(band, size=(n, per_row), dtype=np.int32) + np.arange(per_row, dtype=np.int32) * band
    pointers = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_matrix((rng.standard_normal(n * per_row), columns.ravel(), pointers), shape=(n, d))
    return X, (X @ rng.standard_normal(d) + 2 * rng.standard_normal(n) > 0).astype(np.int64)


def clouds(n: int, d: int, c: int) -> tuple[NDArray[Any], Labels]:
    """As many rows of each class, normal around the standard normal mean of the class, with half its spread."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % c
    return rng.standard_normal((c, d))[y] + 0.5 * rng.standard_normal((n, d)), y


def factor(n: int, levels: int) -> tuple[sparse.csr_matrix, Labels]:
    """A factor with a column for each of its levels, the k-th met about k⁻¹·⁵ as often as the first, and two numbers.

    The log odds of the classes are those of the level, of standard deviation 2, and of the numbers: rare levels may
    meet one class only.
    """
    rng = np.random.default_rng(0)
    share = np.arange(1, levels + 1) ** -1.5
    chosen = np.r_[np.arange(levels), rng.choice(levels, n - levels, p=share / share.sum())]
    x = rng.standard_normal((n, 2)).round(2)
    odds = 2 * rng.standard_normal(levels)[chosen] + x @ [1.0, -0.5]
    dummies = sparse.csr_matrix((np.ones(n), chosen, np.arange(n + 1)), shape=(n, levels))
    X = sparse.hstack([dummies, x], format="csr")
    return X, (rng.logistic(size=n) < odds).astype(np.int64)


def documents(n: int, d: int) -> tuple[sparse.csr_matrix, Labels]:
    """Rows of 100 words each, the k-th of d met about 1/k as often as the first; (1 + log count), of length one."""
    rng = np.random.default_rng(0)
    words = (d ** rng.random((n, 100))).astype(np.int64) - 1
    X = sparse.csr_matrix((np.ones(100 * n), words.ravel(), np.arange(0, 100 * n + 1, 100)), shape=(n, d))
    X.sum_duplicates()
    X.data = 1 + np.log(X.data)
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1).A1), np.diff(X.indptr))
    return X, (X @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n) > 0).astype(np.int64)


def real(name: str, dtype: DTypeLike | None = np.float64) -> tuple[Any, Labels] | None:
    """A real data set from ``DISCRIMINANT_DATA`` or the folder beside the project; None where it is not there.

    Its values are of the dtype, or of that of the file for None.
    """
    default = Path(__file__).parents[2] / "shared" / "data"
    file = Path(os.environ.get("DISCRIMINANT_DATA", default)) / name / "data.npz"
    if not file.exists():
        return None
    with np.load(file) as parts:
        if "indptr" not in parts:
            X, y = parts["X"], parts["y"]
        else:
            entries = parts["data"], parts["indices"], parts["indptr"]
            X, y = sparse.csr_matrix(entries, shape=tuple(parts["shape"])), parts["y"]
        return X if dtype is None else X.astype(dtype), y

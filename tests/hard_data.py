"""Hard data: an ordinary table, and the kinds of trouble that may have come over it.

A kind takes a table and gives it back spoilt: in its shape, its values, its labels, its weights, or the container that
holds it. Kinds of different groups can be put together.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse


class Data(NamedTuple):
    """A table as it is handed over: patterns, labels, weights."""

    X: Any
    y: Any
    sample_weight: Any = None


def ordinary(rng: np.random.Generator, width: int | None = None, n: int | None = None) -> Data:
    """Two or three classes of points with short decimals; about half of the tables are separable."""
    n, d, c = n or int(rng.integers(6, 40)), width or int(rng.integers(1, 6)), int(rng.choice([2, 2, 2, 3]))
    y = np.arange(n) % c
    centers = rng.normal(size=(c, d)) * rng.choice([1.0, 6.0])
    return Data(np.round(centers[y] + rng.normal(size=(n, d)), 2), y)


def dense(X: Any) -> Any:
    return X.toarray() if sparse.issparse(X) else X


Spoil = Callable[[Data, np.random.Generator], Data]


def values(change: Callable[[Any, np.random.Generator], Any]) -> Spoil:
    """A trouble with the patterns alone."""
    return lambda data, rng: data._replace(X=change(dense(data.X), rng))


def labels(change: Callable[[Any], Any]) -> Spoil:
    """A trouble with the labels alone."""
    return lambda data, rng: data._replace(y=change(np.asarray(data.y)))


def weights(change: Callable[[Data, np.random.Generator], Any]) -> Spoil:
    """A trouble with the weights alone."""
    return lambda data, rng: data._replace(sample_weight=change(data, rng))


def rows(count: int, width: int | None = None, classes: int = 2) -> Spoil:
    """A table of another shape."""

    def make(data: Data, rng: np.random.Generator) -> Data:
        d = data.X.shape[1] if width is None else width
        return Data(np.round(rng.normal(size=(count, d)), 2), np.arange(count) % classes)

    return make


def row_twice(data: Data, rng: np.random.Generator) -> Data:
    """One row with two labels: the classes overlap."""
    X = data.X.copy()
    X[1] = X[0]
    return data._replace(X=X)


def wide_sparse(data: Data, rng: np.random.Generator) -> Data:
    X = sparse.random(100, 40_000, 1e-3, format="csr", rng=rng)
    return Data(X, np.arange(100) % 2)


def one_place(value: Any) -> Spoil:
    """Patterns with one foreign value."""

    def put(X: Any, rng: np.random.Generator) -> Any:
        X = X.astype(X.dtype if isinstance(value, float) else object)
        if X.size:
            X[rng.integers(X.shape[0]), rng.integers(X.shape[1])] = value
        return X

    return values(put)


def column(make: Callable[[Any], Any]) -> Spoil:
    """Patterns with one more column, made of the others."""
    return values(lambda X, rng: np.column_stack([X, make(X)]))


def scales(low: float, high: float) -> Spoil:
    """Columns of sizes from 10^low to 10^high."""
    return values(lambda X, rng: X * 10.0 ** np.linspace(low, high, X.shape[1]))


def times(factor: float, dtype: Any = np.float64) -> Spoil:
    return values(lambda X, rng: (X * factor).astype(dtype))


def csr(spoil: Callable[[Any], None] = lambda X: None, index: Any = np.int32) -> Spoil:
    """A CSR matrix, of which something is changed behind its back."""

    def make(X: Any, rng: np.random.Generator) -> Any:
        if X.dtype.kind not in "fiu" or X.dtype == np.float16:
            return X  # scipy has no sparse matrix of such numbers
        made = sparse.csr_matrix(X)
        made.indices, made.indptr = made.indices.astype(index), made.indptr.astype(index)
        if made.nnz:
            spoil(made)
        return made

    return values(make)


def set_index(value: int) -> Callable[[Any], None]:
    return lambda X: X.indices.__setitem__(X.nnz // 2, value)


def decrease(X: Any) -> None:
    X.indptr[len(X.indptr) // 2] = X.nnz + 5


def shorten(X: Any) -> None:
    X.indptr = X.indptr[:-2]


def double(X: Any) -> None:
    """Each entry as two halves, the second half of a row in reverse order."""
    cuts = list(zip(X.indptr[:-1], X.indptr[1:], strict=True))
    X.indices, X.data = (
        np.concatenate([half for start, stop in cuts for half in (part[start:stop], part[start:stop][::-1])])
        for part in (X.indices, X.data / 2)
    )
    X.indptr = 2 * X.indptr


def read_only(X: Any, rng: np.random.Generator) -> Any:
    X = X.copy()
    X.flags.writeable = False
    return X


def frame(library: Any) -> Spoil:
    return values(lambda X, rng: library.DataFrame({f"column {j}": X[:, j] for j in range(X.shape[1])}))


def spread(*choices: float) -> Spoil:
    """Weights of ones among which others are strewn; the last row has one of them."""
    return weights(lambda data, rng: np.append(rng.choice([1.0, *choices], np.shape(data.y)[0]), choices[0])[1:])


SHAPES: dict[str, Spoil] = {
    "ordinary": lambda data, rng: data,
    "empty": rows(0),
    "no columns": rows(8, 0),
    "one row": rows(1),
    "one row a class": rows(2),
    "one row for each of 5": rows(5, classes=5),
    "one class": rows(8, classes=1),
    "20 classes": rows(60, 3, classes=20),
    "50 classes": rows(100, 2, classes=50),
    "wide": rows(6, 400),
    "wide, a row twice": lambda data, rng: row_twice(rows(6, 400)(data, rng), rng),
    "very wide": rows(4, 20_000),
    "wide sparse": wide_sparse,
    "a row twice": row_twice,
}
VALUES: dict[str, Spoil] = {
    **{f"times {factor:g}": times(factor) for factor in (1e-310, 1e-300, 1e-150, 1e-30, 1e9, 1e30, 1e150, 1e300)},
    **{f"far {far:g}": values(lambda X, rng, far=far: X + far) for far in (1e6, 1e9, 1e15)},  # type: ignore[misc]
    "far on one axis": values(lambda X, rng: X + 1e8 * np.eye(X.shape[1])[0]),
    "columns from 1e-8 to 1e8": scales(-8, 8),
    "columns from 1e-150 to 1e150": scales(-150, 150),
    "float32 large": times(1e37, np.float32),
    "float32 denormal": times(1e-42, np.float32),
    "longdouble": times(1.0, np.longdouble),
    "longdouble beyond float64": values(lambda X, rng: X.astype(np.longdouble) * np.longdouble("1e4000")),
    "float16": times(1.0, np.float16),
    "small integers": times(1.0, np.int8),
    "integers of 2**62": values(lambda X, rng: np.sign(X).astype(np.int64) * 2**62),
    "integers beyond float": one_place(10**400),
    "objects": times(1.0, object),
    "text": one_place("word"),
    "None": one_place(None),
    "complex": times(1j, np.complex128),
    "NaN": one_place(np.nan),
    "inf": one_place(np.inf),
    "zeros": times(0.0),
    "negative zeros": times(-0.0),
    "constant column": column(lambda X: np.full(len(X), 7.0)),
    "constant column, large": column(lambda X: np.full(len(X), 1e12)),
    "empty column": column(lambda X: np.zeros(len(X))),
    "column twice": column(lambda X: X[:, 0]),
    "collinear": column(lambda X: X.sum(axis=1) / 3),
    "row number": column(lambda X: np.arange(len(X)) * 1e5),
    "all rows the same": values(lambda X, rng: np.broadcast_to(X[:1], X.shape).copy() if len(X) else X),
    "few different rows": values(lambda X, rng: X[rng.integers(0, max(1, len(X) // 4), len(X))] if len(X) else X),
    "on a grid": values(lambda X, rng: np.sign(X)),
    "outlier": one_place(1e12),
}
LABELS: dict[str, Spoil] = {
    "text labels": labels(lambda y: np.array([f"class {label}" for label in y])),
    "bytes": labels(lambda y: np.array([b"class %d" % label for label in y], dtype="S7")),
    "bool": labels(lambda y: y == 0),
    "dates": labels(lambda y: np.datetime64("2024-01-01") + y),
    "date objects": labels(lambda y: np.array([date(2024, 1, 1 + int(label)) for label in y], dtype=object)),
    "object integers": labels(lambda y: y.astype(object)),
    "numbers and words": labels(lambda y: np.array([["a", 1, 2.5][label % 3] for label in y], dtype=object)),
    "labels from -1": labels(lambda y: 2 * y - 1),
    "float labels": labels(lambda y: y.astype(float)),
    "fractions": labels(lambda y: y + 0.5),
    "labels of 1e300": labels(lambda y: (y + 1) * 1e300),
    "unsigned": labels(lambda y: y.astype(np.uint64) + np.uint64(2**63)),
    "label NaN": labels(lambda y: np.where(np.arange(len(y)) == 1, np.nan, y)),
    "column of labels": labels(lambda y: y[:, None]),
    "a label too few": labels(lambda y: y[1:]),
    "rare class": labels(lambda y: (np.arange(len(y)) == 0).astype(int)),
}
WEIGHTS: dict[str, Spoil] = {
    "weights 0": spread(0.0),
    "weights from 0 to 1e300": spread(0.0, 1e-300, 1e300),
    "weights of 1e300": weights(lambda data, rng: np.full(len(data.y), 1e300)),
    "denormal weights": weights(lambda data, rng: np.full(len(data.y), 5e-324)),
    "weights from 1e-8 to 1e8": spread(1e-8, 1e8),
    "whole weights": weights(lambda data, rng: rng.integers(0, 4, len(data.y))),
    "all weights 0": weights(lambda data, rng: np.zeros(len(data.y))),
    "one class of weight 0": weights(lambda data, rng: (np.ravel(data.y) != np.ravel(data.y)[:1]).astype(float)),
    "negative weight": spread(-1.0),
    "weight NaN": spread(np.nan),
    "weight inf": spread(np.inf),
    "a weight too few": weights(lambda data, rng: np.ones(max(0, len(data.y) - 1))),
}
CONTAINERS: dict[str, Spoil] = {
    "Fortran order": values(lambda X, rng: np.asfortranarray(X)),
    "read-only": values(read_only),
    "every second row": values(lambda X, rng: np.repeat(X, 2, axis=0)[::2]),
    "float32": times(1.0, np.float32),
    "list": values(lambda X, rng: X.tolist()),
    "pandas": frame(pd),
    "polars": frame(pl),
    "one dimension": values(lambda X, rng: X[:, 0] if X.shape[1] else X.ravel()),
    "CSR": csr(),
    "CSR of 64-bit indices": csr(index=np.int64),
    "CSR with doubled entries": csr(double),
    "COO": lambda data, rng: data._replace(X=getattr(csr()(data, rng).X, "tocoo", lambda: data.X)()),
    "CSR index negative": csr(set_index(-1)),
    "CSR index beyond": csr(set_index(10**6)),
    "CSR indptr decreasing": csr(decrease),
    "CSR indptr short": csr(shorten),
}
GROUPS = (SHAPES, VALUES, LABELS, WEIGHTS, CONTAINERS)
KINDS: dict[str, Spoil] = {name: spoil for group in GROUPS for name, spoil in group.items()}

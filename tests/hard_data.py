"""Hard data for every estimator: what may be wrong with a table, and the configurations that have to bear it.

A ``Case`` is a subject (an estimator as it is written in Python, or a function), kinds of trouble, and a seed; it makes
the same data at every run, and its text is the reproducer: ``make fuzz CASE='Perceptron() | far 1e9 | 3'``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

import discriminant as D

CONFIGURATIONS = """
Adatron() Adatron(kernel='gaussian') Adatron(multiclass='one-vs-one',max_iter=50) Adatron(tol=0,max_iter=500)
BalancedWinnow() BalancedWinnow(order='random',multiclass='one-vs-one') BalancedWinnow(record='weights',max_iter=20)
FisherDiscriminant() FisherDiscriminant(within='equal',threshold='midpoint') FisherDiscriminant(shrinkage='auto')
FisherDiscriminant(shrinkage=0.5,n_components=1) GradientDescent() GradientDescent(criterion='squared')
GradientDescent(criterion='perceptron',max_iter=50) GradientDescent(criterion='hinge',max_iter=50)
GradientDescent(criterion='minimax',max_iter=50) GradientDescent(criterion='logistic',multiclass='one-vs-one')
GradientDescent(criterion='relaxation') GradientDescent(criterion='squared_hinge',schedule=0.1)
GradientDescent(tol=0,max_iter=50) GradientDescent(schedule=0.01) HoKashyap() HoKashyap(variant='modified')
HoKashyap(variant='descent',eta='optimal',max_iter=500) HoKashyap(multiclass='one-vs-one',max_iter=100)
HoKashyap(tol=0,max_iter=100) HoKashyap(variant='descent',R='gram') KernelPerceptron() KernelPerceptron('gaussian')
KernelPerceptron('gaussian',bias='augmented',multiclass='one-vs-one')
KernelPerceptron('polynomial',margin=1.0,order='random') KernelPerceptron(multiclass='one-vs-rest',max_iter=20)
LeastSquares() LeastSquares(targets='fisher') LeastSquares(targets='posterior') LeastSquaresRegressor()
LinearProgram() LinearProgram(criterion='minimax') LinearProgram(multiclass='one-vs-one') LinearProgram(b=1e-9)
LogisticDiscriminant() LogisticDiscriminant(C=1e10) LogisticDiscriminant(penalty=None) LogisticDiscriminant(tol=0)
LogisticDiscriminant(penalty='firth') LogisticDiscriminant(loss='squared')
LogisticDiscriminant(class_weight='balanced') MinOver() MinOver(kernel='gaussian') MinOver(step='fixed',max_iter=500)
MinOver(multiclass='one-vs-one') MinOver(tol=0) MultilayerPerceptron((5,),max_iter=20)
MultilayerPerceptron((4,3),'tanh',loss='squared',early_stopping=True,max_iter=20)
MultilayerPerceptron((3,),'sigmoid',solver='sgd',order='cyclic',max_iter=20)
MultilayerPerceptron((),tol=0,max_iter=20) MultilayerPerceptronRegressor((5,),max_iter=20)
MultilayerPerceptronRegressor((5,),solver='sgd',max_iter=20) NewtonDescent() NewtonDescent(criterion='squared')
NewtonDescent(criterion='logistic',multiclass='one-vs-one') NewtonDescent(tol=0,max_iter=20) Perceptron()
Perceptron(batch=True) Perceptron(bias='radius',order='random') Perceptron(average=True,max_iter=50)
Perceptron(pocket=True,multiclass='one-vs-one',max_iter=50) Perceptron(slack=1.0,multiclass='one-vs-rest')
Perceptron(margin=1.0,schedule='harmonic',record='weights',max_iter=50) Perceptron(batch=True,multiclass='one-vs-one')
PiecewiseLinearMachine() PiecewiseLinearMachine(n_subclasses=3,order='cyclic',max_iter=50) PolynomialMap()
PolynomialMap(degree=3,interaction_only=True) RecursiveLeastSquares()
RecursiveLeastSquares(delta=1e-12,forgetting=0.9) RecursiveLeastSquares(order='random') Relaxation()
Relaxation(batch=True) Relaxation(eta=2.0,order='random',multiclass='one-vs-one') Relaxation(margin=1e-9)
RidgeRegressor() RidgeRegressor(dual=True) RidgeRegressor(alpha=0) RidgeRegressor(kernel='gaussian')
SupportVectorMachine() SupportVectorMachine(inf) SupportVectorMachine(1e10) SupportVectorMachine(tol=0)
SupportVectorMachine(kernel='gaussian') SupportVectorMachine(kernel='polynomial',C=inf)
SupportVectorMachine(loss='squared_hinge') SupportVectorMachine(loss='squared_hinge',intercept='augmented')
SupportVectorMachine(intercept='augmented') SupportVectorMachine(multiclass='one-vs-rest',class_weight='balanced')
SupportVectorMachine(probability=True) SupportVectorMachine(kernel='gaussian',probability=True)
SupportVectorMachine(kernel='gaussian',loss='squared_hinge',C=1e10) WidrowHoff() WidrowHoff(batch=True)
WidrowHoff(dual=True) WidrowHoff(schedule='rls',order='random') WidrowHoff(batch=True,schedule='optimal')
WidrowHoff(batch=True,multiclass='one-vs-one',tol=0,max_iter=50) WidrowHoffRegressor() WidrowHoffRegressor(batch=True)
WidrowHoffRegressor(dual=True,max_iter=50)
"""
ESTIMATORS = CONFIGURATIONS.split()


class Data(NamedTuple):
    """A table as it is handed over: patterns, labels, weights."""

    X: Any
    y: Any
    sample_weight: Any = None


class Case(NamedTuple):
    """One subject on one table; ``str`` and ``Case.read`` are each other's reverse."""

    subject: str
    kinds: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return f"{self.subject} | {' + '.join(self.kinds)} | {self.seed}"

    @classmethod
    def read(cls, text: str) -> Case:
        """The case of a reproducer."""
        subject, kinds, seed = (part.strip() for part in text.split("|"))
        return cls(subject, tuple(kinds.split(" + ")), int(seed))

    def data(self) -> Data:
        """The table of the case: an ordinary one that each kind of trouble has spoilt."""
        rng = np.random.default_rng(self.seed)
        data = ordinary(rng)
        for kind in sorted(self.kinds, key=list(KINDS).index):
            data = KINDS[kind](data, rng)
        return data

    def estimator(self) -> Any:
        """The subject, with a fixed seed."""
        model = eval(self.subject, {"inf": np.inf, **{name: getattr(D, name) for name in D.__all__}})
        return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def draw(subjects: list[str], rng: np.random.Generator) -> Case:
    """A case at random: mostly one kind of trouble, at times one of each of two or three groups."""
    groups = rng.permutation(len(GROUPS))[: rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1])]
    kinds = tuple(str(rng.choice(list(GROUPS[group]))) for group in sorted(groups))
    return Case(str(rng.choice(subjects)), kinds, int(rng.integers(1000)))


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
        X = X.astype(object if not isinstance(value, float) else X.dtype)
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
        made = sparse.csr_matrix(np.atleast_2d(X))
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
    """Weights of ones among which others are strewn."""
    return weights(lambda data, rng: rng.choice([1.0, *choices], np.shape(data.y)[0]))


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
    **{f"times {factor:g}": times(factor) for factor in (1e-310, 1e-300, 1e-150, 1e-30, 1e30, 1e150, 1e300)},
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
    "one class of weight 0": weights(lambda data, rng: (np.ravel(data.y) != np.ravel(data.y)[0]).astype(float)),
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
    "COO": values(lambda X, rng: sparse.coo_array(X)),
    "CSR index negative": csr(set_index(-1)),
    "CSR index beyond": csr(set_index(10**6)),
    "CSR indptr decreasing": csr(decrease),
    "CSR indptr short": csr(shorten),
}
GROUPS = (SHAPES, VALUES, LABELS, WEIGHTS, CONTAINERS)
KINDS: dict[str, Spoil] = {name: spoil for group in GROUPS for name, spoil in group.items()}

"""Predictions that stay lazy: one task a chunk, made when somebody asks for it.

Tests: ``tests/distributed/test_fitting.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from dask.array import Array

from .._engine.extras import needed
from .chunks import is_frame, rows_of


def predict(model: Any, X: Any) -> Any:
    """The classes of the rows of a dask array or data frame, or the values of a regressor, computed when asked for.

    Parameters
    ----------
    model : fitted estimator
        Any of this package.
    X : dask array or data frame of shape (n, d)
        Patterns; dense, or in chunks of CSR matrices.

    Returns
    -------
    dask array or series of shape (n,)
        As ``model.predict`` of each chunk; a series with the index of X for a data frame.

    Examples
    --------
    >>> import dask.array as da
    >>> from discriminant import Perceptron, datasets, distributed
    >>> X, y = datasets.or_function()
    >>> model = Perceptron().fit(X, y)
    >>> lazy = distributed.predict(model, da.from_array(X, chunks=(2, 2)))
    >>> lazy.chunks, lazy.compute(scheduler="sync").tolist()
    (((2, 2),), [0, 1, 1, 1])
    """
    return _applied(model, X, "predict")


def decision_function(model: Any, X: Any) -> Any:
    """The discriminants of the rows of a dask array or data frame, computed when asked for.

    Parameters
    ----------
    model : fitted classifier
        Any of this package.
    X : dask array or data frame of shape (n, d)
        Patterns.

    Returns
    -------
    dask array of shape (n,) or (n, c), or series or data frame
        As ``model.decision_function`` of each chunk.

    Examples
    --------
    >>> import dask.array as da
    >>> from discriminant import Perceptron, datasets, distributed
    >>> X, y = datasets.or_function()
    >>> model = Perceptron().fit(X, y)
    >>> distributed.decision_function(model, da.from_array(X, chunks=(2, 2))).compute(scheduler="sync")
    array([-1.,  1.,  1.,  3.])
    """
    return _applied(model, X, "decision_function")


def predict_proba(model: Any, X: Any) -> Any:
    """The probabilities of the classes for the rows of a dask array or data frame, computed when asked for.

    Parameters
    ----------
    model : fitted classifier
        One that has ``predict_proba``.
    X : dask array or data frame of shape (n, d)
        Patterns.

    Returns
    -------
    dask array of shape (n, c), or data frame
        As ``model.predict_proba`` of each chunk; a data frame has the classes as its columns.

    Examples
    --------
    >>> import dask.array as da
    >>> from discriminant import LogisticDiscriminant, datasets, distributed
    >>> X, y = datasets.or_function()
    >>> model = LogisticDiscriminant().fit(X, y)
    >>> P = distributed.predict_proba(model, da.from_array(X, chunks=(2, 2)))
    >>> P.shape, float(P.sum().compute(scheduler="sync"))
    ((4, 2), 4.0)
    """
    return _applied(model, X, "predict_proba")


def _applied(model: Any, X: Any, method: str) -> Any:
    X, apply = rows_of(X), getattr(model, method)
    sample = np.asarray(apply(_sample(model, X)))
    if is_frame(X):
        return X.map_partitions(
            partial(_labelled, apply, model), meta=_labelled(apply, model, X._meta_nonempty).iloc[:0]
        )
    return _blockwise(X, partial(_each, apply, sample[:0]), sample)


def _sample(model: Any, X: Any) -> Any:
    """One row of zeros with the columns of X: it refuses a wrong width now, and tells the form of the answers."""
    return (
        X._meta_nonempty if is_frame(X) else np.zeros((1, X.shape[1]), X.dtype if X.dtype.kind == "f" else np.float64)
    )


def _blockwise(X: Array, apply: Callable[[Any], Any], sample: Any) -> Any:
    if sample.ndim == 1:
        return X.map_blocks(apply, drop_axis=1, dtype=sample.dtype, meta=sample[:0])
    return X.map_blocks(apply, chunks=(X.chunks[0], (sample.shape[1],)), dtype=sample.dtype, meta=sample[:0])


def _each(apply: Callable[[Any], Any], nothing: Any, x: Any) -> Any:
    """The answers for one chunk, which may be empty."""
    return np.asarray(apply(x)) if x.shape[0] else nothing


def _labelled(apply: Callable[[Any], Any], model: Any, part: Any) -> Any:
    """The answers for one partition, with its index."""
    pandas = needed("pandas", "formula")  # without it there are no data frames

    answer = np.asarray(apply(part)) if len(part) else np.asarray(apply(part.reindex([0], fill_value=0)))[:0]
    if answer.ndim == 1:
        return pandas.Series(answer, index=part.index)
    return pandas.DataFrame(answer, index=part.index, columns=[str(label) for label in model.classes_])

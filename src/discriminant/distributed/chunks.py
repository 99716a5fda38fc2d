"""From dask's collections to blocks of rows: which chunk of the labels belongs to which chunk of the patterns.

A chunk of rows of an array, or a partition of a data frame, becomes one block, made by a task of its own on the worker
that holds it.  Where the sizes of chunks are unknown, as they are after a filter, they are counted there.

Tests: ``tests/distributed/test_fitting.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from dask import delayed
from dask.array import Array, from_array
from dask.base import is_dask_collection
from dask.sizeof import sizeof
from distributed.client import futures_of
from scipy import sparse

from .._blocks.blocks import Block, make_block


@dataclass(frozen=True)
class Chunks:
    """Tasks that each make one block, the names of the blocks, and what all have in common."""

    tasks: list[Any]
    names: list[str]
    n_features: int
    dtype: np.dtype[Any]
    feature_names: list[str] | None
    placed: bool  # some of the data are on the workers already, and stay there


def chunks_of(X: Any, y: Any, weight: Any = None) -> Chunks:
    """The blocks of a dask array or data frame with its labels, and weights if there are any."""
    X = rows_of(X)
    is_array = isinstance(X, Array)
    parts = _delayed(X)
    names = [f"chunk ({k}, 0)" if is_array else f"partition {k}" for k in range(len(parts))]
    labels = _beside(X, y, "y", len(parts))
    weights = [None] * len(parts) if weight is None else _beside(X, weight, "sample_weight", len(parts))
    columns = None if is_array else [*X.columns]
    named = columns is not None and all(isinstance(name, str) for name in columns)
    n_features, dtype = int(X.shape[1]) if columns is None else len(columns), _dtype(X)
    if not n_features:
        raise ValueError("X has no columns; give at least one feature.")
    make = delayed(_block, pure=False)
    tasks = [
        make(x, label, own, name, dtype, n_features)
        for x, label, own, name in zip(parts, labels, weights, names, strict=True)
    ]
    placed = any(is_dask_collection(part) and futures_of(part) for part in (X, y, weight))
    return Chunks(tasks, names, n_features, dtype, columns if named else None, placed)


def chunks_of_files(read: Any, paths: list[str], options: dict[str, Any], outline: Any) -> Chunks:
    """Files that the workers read themselves, each a block; ``outline`` knows their columns."""
    width, dtype = outline.n_features, outline.dtype
    tasks = [delayed(read, pure=False)(path, options, dtype, width) for path in paths]
    return Chunks(tasks, paths, width, dtype, outline.feature_names, placed=False)


def rows_of(X: Any) -> Any:
    """X in chunks of whole rows; refuses what is not a table of dask's."""
    if isinstance(X, Array):
        if X.ndim != 2 or np.isnan(X.shape[1]):
            raise ValueError(f"X has shape {X.shape} and must be a table of known width; give X[:, columns].")
        return X if len(X.chunks[1]) == 1 else X.rechunk({1: -1})
    if is_frame(X):
        return X
    raise ValueError(f"X={type(X).__name__} must be a dask array or data frame; give plain arrays to the model.")


def is_frame(X: Any) -> bool:
    """Whether X is a data frame of dask's, which is not imported for it."""
    return is_dask_collection(X) and hasattr(X, "npartitions") and hasattr(X, "columns")


def _delayed(part: Any) -> list[Any]:
    return [*np.ravel(np.asarray(part.to_delayed(), object))]


def _beside(X: Any, values: Any, name: str, count: int) -> list[Any]:
    """The chunks of labels or weights, cut as those of X are."""
    if not is_dask_collection(values):
        if not isinstance(X, Array) or np.isnan(X.shape[0]):
            raise ValueError(
                f"{name}={type(values).__name__} must be a dask collection where the chunks of X are of unknown size; "
                "give a column of the same table."
            )
        values = np.asarray(values)
        if values.shape[:1] != X.shape[:1]:
            raise ValueError(f"{name} has shape {values.shape}; give one for each of the {X.shape[0]} rows of X.")
        values = from_array(values, chunks=(X.chunks[0], *values.shape[1:]))
    if isinstance(values, Array):
        if values.ndim == 2:
            values = values.rechunk({1: -1})
        known = isinstance(X, Array) and not np.isnan(X.shape[0] + values.shape[0])
        if known and X.shape[0] != values.shape[0]:
            raise ValueError(f"{name} has shape {values.shape}; give one for each of the {X.shape[0]} rows of X.")
        if known and values.chunks[0] != X.chunks[0]:
            values = values.rechunk({0: X.chunks[0]})
    parts = _delayed(values)
    if len(parts) != count:
        raise ValueError(
            f"{name} comes in {len(parts)} chunks and X in {count}; cut both alike, or compute_chunk_sizes."
        )
    return parts


def _dtype(X: Any) -> np.dtype[Any]:
    kinds = {np.dtype(np.float32)} if isinstance(X, Array) and X.dtype == np.float32 else {*getattr(X, "dtypes", [])}
    return np.dtype(np.float32 if kinds == {np.dtype(np.float32)} else np.float64)


def _block(x: Any, y: Any, weight: Any, name: str, dtype: np.dtype[Any], n_features: int) -> Block:
    """The block of one chunk, on the worker that holds it: no copy of what has the right form already."""
    x = x if sparse.issparse(x) else np.ascontiguousarray(x)  # once, not in every round
    return make_block(x, y, None if weight is None else np.asarray(weight), 0, name, dtype, n_features)


def _bytes(block: Block) -> int:
    """What dask has to know before it moves or spills a block."""
    X = block.table
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    return sum(part.nbytes for part in (*parts, block.y, block.weight))


sizeof.register(Block, _bytes)

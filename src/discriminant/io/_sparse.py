"""The (index, value) lists of a LIBSVM table as one CSR matrix.  Tests: ``tests/io/test_recipe.py``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .._guards.validation import all_finite
from ._errors import TableError, not_a_recipe

WIDEST = 2**31 - 1
HASHED = 2**24  # columns that few rows may leave empty, as hashed features do


class SparseColumn(NamedTuple):
    """What is remembered of a sparse column: its name, whether its indices begin at 0 or 1, and how many there are."""

    name: str
    base: int
    width: int

    def check(self) -> None:
        """Refuse what ``sparse_matrix`` would not have made."""
        whole = type(self.base) is int and type(self.width) is int
        if not (isinstance(self.name, str) and whole and self.base in (0, 1) and 1 <= self.width <= WIDEST):
            raise not_a_recipe("the sparse column is not as a recipe writes it.")


def sparse_matrix(parts: Sequence[Any], known: SparseColumn | None, first: int = 0) -> tuple[Any, SparseColumn]:
    """The matrix of the lists; the indices of a new table are those of the first one. ``first`` rows came before."""
    starts, indices, values, total = [np.zeros(1, np.int64)], [], [], 0
    for part in parts:
        lists = part.to_arrow()
        offsets, entries = lists.offsets.to_numpy(zero_copy_only=False).astype(np.int64), lists.flatten()
        starts.append(offsets[1:] - offsets[0] + total)
        total += len(entries)
        indices.append(entries.field("index").to_numpy(zero_copy_only=False))
        values.append(entries.field("value").to_numpy(zero_copy_only=False))
    indptr, columns, data = np.concatenate(starts), np.concatenate(indices).astype(np.int64), np.concatenate(values)
    if not all_finite(data):
        row = int(np.searchsorted(indptr, int((~np.isfinite(data)).argmax()), side="right"))
        raise TableError(f"row {first + row:,} holds NaN or an infinite number; give finite numbers.")
    if known is None:
        base = 0 if np.any(columns == 0) else 1
        known = SparseColumn(parts[0].name, base, max(1, int(columns.max(initial=0)) + 1 - base))
        _check_width(known, columns, indptr)
    columns -= known.base
    if np.any(strange := (columns < 0) | (columns >= known.width)):
        entry = int(strange.argmax())
        row = int(np.searchsorted(indptr, entry, side="right"))
        raise TableError(
            f"row {first + row:,} has index {columns[entry] + known.base}, and the model knows those from {known.base} "
            f"to {known.width + known.base - 1}; leave it out."
        )
    narrow = np.int32 if max(total, known.width) < 2**31 else np.int64
    X = sparse.csr_array((data, columns.astype(narrow), indptr.astype(narrow)), shape=(indptr.size - 1, known.width))
    return X, known


def _check_width(block: SparseColumn, columns: Any, indptr: Any) -> None:
    """Refuse an index that makes a matrix, and models, far larger than the file: it is a slip, or worse."""
    if block.width > max(HASHED, 4 * columns.size):
        row = int(np.searchsorted(indptr, int(columns.argmax()), side="right"))
        raise TableError(
            f"row {row:,} has index {columns.max():,}, which makes a matrix of {block.width:,} columns for "
            f"{columns.size:,} entries: number the columns from 1 without large gaps."
        )

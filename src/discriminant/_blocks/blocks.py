"""A block of rows, and the protocol of all that gives such blocks: files, dask's chunks, arrays.

A procedure on blocks makes rounds.  In each round a small function, ``part``, is evaluated on every block and the
results are added: ``blocks.total(part, *args)``.  Who evaluates it, one thread after the other or many machines, is not
the procedure's business.  ``part`` stands at the top of a module, so that it can be sent to where the data are, and its
results are small: numbers, arrays of the size of the weights or of their squares, or objects that can be added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.driver import Watch
from .._engine.labels import encode_known
from .._engine.problem import EMPTY, Problem, check_weight, make_problem
from .._engine.progress import Tell
from .._engine.refusals import refusal
from .._guards.validation import all_finite, check_indices

Part = Callable[..., Any]  # of a block and small arguments


@dataclass(frozen=True)
class Block:
    """Some rows: a table of float32 or float64, y as given, weights or an empty array.

    ``table`` is a CSR matrix or an array as it was read, row by row or column by column, which is all the same to sums
    of products.  ``first`` is the place of its first row among all rows, and ``name`` tells where it comes from.
    """

    table: Any
    y: NDArray[Any]
    weight: NDArray[Any]
    first: int
    name: str

    @cached_property
    def X(self) -> Any:
        """The table for those who go from row to row: C-contiguous, or CSR."""
        return self.table if sparse.issparse(self.table) else np.ascontiguousarray(self.table)

    @property
    def n_rows(self) -> int:
        return int(self.table.shape[0])

    @property
    def v(self) -> NDArray[np.float64] | None:
        """The weights in double precision, None where all are one."""
        return self.weight.astype(np.float64) if self.weight.size else None

    def labels(self, classes: NDArray[Any]) -> NDArray[np.int32]:
        """The place of each label among the classes, all of which are known."""
        return encode_known(self.y, classes)

    def problem(self, classes: NDArray[Any]) -> Problem:
        """The rows as compiled passes take them; rows of zero weight are bystanders."""
        return make_problem(self.X, self.labels(classes), self.v, classes.size)


class KeptByBlocks(Protocol):
    """What every block keeps from round to round."""

    def total(self, *args: Any) -> tuple[Any, ...]:
        """One step of every block, and the sum of their answers."""


class Blocks(Protocol):
    """Blocks of rows, all of one width and one type, that can be passed over any number of times.

    ``watch`` is asked between two blocks, ``tell`` hears how far a pass is; ``feature_names`` is None where the columns
    have none.
    """

    n_features: int
    dtype: np.dtype[Any]
    feature_names: list[str] | None
    watch: Watch
    tell: Tell | None
    classes: NDArray[Any] | None  # all that may come, where they are known before the first pass
    n_rows: int | None  # the same of the rows
    weighted: bool  # whether rows may have weights
    in_order: bool  # whether they come one after the other, so that a rule may go from row to row

    def total(self, part: Part, *args: Any) -> tuple[Any, ...]:
        """``part(block, *args)``, a tuple, of every block, added entry by entry in an order that is always the same."""

    def gather(self, part: Part, *args: Any) -> list[Any]:
        """``part(block, *args)`` of every block, in the order of the blocks; for small results."""

    def evolving(self, part: Part) -> KeptByBlocks:
        """``part(block, state, *args)`` gives the next state, which is None at first, and an answer to be added.

        Where blocks come in their order, the state is an array of a float for each row.
        """


class OrderedBlocks(Blocks, Protocol):
    """Blocks that come one after the other, for rules whose answer depends on the order of the rows."""

    def __iter__(self) -> Iterator[Block]:
        """All blocks, in the order of their rows; ``watch`` is asked before each."""


def applied(part: Part, block: Block, args: tuple[Any, ...]) -> Any:
    """``part`` of a block; what it refuses is said with the name of the block."""
    try:
        return part(block, *args)
    except ValueError as error:
        raise named(error, block.name) from None


def named(error: ValueError, name: str) -> ValueError:
    """The error with the name of the block that it is about."""
    return ValueError(f"{name}: {error}")


def added(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """Two results of a part, added entry by entry."""
    return tuple(first + second for first, second in zip(one, other, strict=True))


def make_block(
    X: Any, y: Any, weight: Any, first: int, name: str, dtype: np.dtype[Any], n_features: int, *, checked: bool = False
) -> Block:
    """The block of rows as they are given; ``checked``: they were looked at in an earlier pass."""
    try:
        X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
        if X.ndim != 2 or X.shape[1] != n_features:
            raise ValueError(f"X has shape {X.shape} and must have {n_features} columns; give all blocks the same.")
        if np.iscomplexobj(X):
            raise ValueError("X holds complex numbers; give their real and imaginary parts as columns.")
        X = X.astype(dtype, copy=False)
        if not (sparse.issparse(X) or X.flags.f_contiguous):
            X = np.ascontiguousarray(X)
        y = np.asarray(y)
        y = y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y
        if y.shape != X.shape[:1]:
            raise ValueError(f"y has shape {y.shape}; give one label for each of the {X.shape[0]} rows.")
        if not checked:
            check_indices(X)
            if not all_finite(X.data if sparse.issparse(X) else X):
                raise refusal(X)
        weight = EMPTY if weight is None else weight_of(weight, X.shape[0])
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None
    return Block(X, y, weight, first, name)


def weight_of(weight: Any, n: int) -> NDArray[Any]:
    """The weights of a block, in double precision; all of them may be zero, as those of all rows may not."""
    given = np.asarray(weight, np.float64)
    return given if given.shape == (n,) and not given.any() else check_weight(weight, n, np.dtype(np.float64))

"""What the compiled passes of the error-correcting procedures share: a visit to one pattern, and a correction.

Symbols: ``A`` is the augmented weight vector a = (w₀, w) of the two-category case, where g(x) = aᵗy decides, or the c
vectors of a linear machine, one row a class, where Kesler's construction turns "pattern of class i, strongest rival j"
into the single inner product (a_i − a_j)ᵗy (Duda, Hart, Stork, *Pattern Classification*, §5.4.1 and §5.12.1).
The compiler picks the one or the other by the dimensions of A.  ``label`` is the index of the pattern's class;
a negative one is not part of the problem.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.compiling import serve
from .._engine.rows import Rows, compiled, finite, row_axpy, row_dot

Array = NDArray[Any]
Order = NDArray[np.uint32]


class Visits(NamedTuple):
    """Patterns, the order in which they are visited, and the increments η(k) of the corrections to come."""

    X: Rows
    labels: NDArray[np.int32]
    weight: Array  # empty: all are 1
    order: Order
    etas: Array
    criterion: float = 0.0  # of earlier visits; theirs is added to it, so that sums round alike however they are split


class PassTotals(NamedTuple):
    """What a pass met; it visits fewer patterns than asked for where it needs more steps, or one is not finite."""

    visited: int = 0
    corrections: int = 0
    errors: int = 0
    criterion: float = 0.0
    lowest: float = np.inf  # margin
    finite: bool = True

    def plus(self, other: PassTotals) -> PassTotals:
        return PassTotals(
            self.visited + other.visited, self.corrections + other.corrections, self.errors + other.errors,
            self.criterion + other.criterion, min(self.lowest, other.lowest), self.finite and other.finite,
        )  # fmt: skip


def _visit_pair(X: Any, i: int, label: int, A: Any) -> Any:
    return A.dtype.type(2 * label - 1) * row_dot(X, i, A), 0  # no branch: labels come at random


def _visit_machine(X: Any, i: int, label: int, A: Any) -> Any:
    rival, strongest = -1, A.dtype.type(0)
    for j in range(A.shape[0]):
        if j != label:
            g = row_dot(X, i, A[j])
            if rival < 0 or g > strongest:
                rival, strongest = j, g
    return row_dot(X, i, A[label]) - strongest, rival


def _correct_pair(X: Any, i: int, label: int, rival: int, step: Any, bias: Any, A: Any) -> None:
    row_axpy(X, i, A.dtype.type(2 * label - 1) * step, bias, A)


def _correct_machine(X: Any, i: int, label: int, rival: int, step: Any, bias: Any, A: Any) -> None:
    row_axpy(X, i, step, bias, A[label])
    row_axpy(X, i, -step, bias, A[rival])


def visit(X: Rows, i: int, label: int, A: NDArray[Any]) -> Any:
    """Return the margin of pattern i, positive when it is classified correctly, and its strongest rival.

    The rival with the lowest index is taken on ties.
    """
    return _visit_pair(X, i, label, A) if A.ndim == 1 else _visit_machine(X, i, label, A)


def correct(X: Rows, i: int, label: int, rival: int, step: Any, bias: Any, A: NDArray[Any]) -> None:
    """Add ``step`` times the normalized pattern: a += step y, or a_i += step y and a_j -= step y (Eq. 115)."""
    _correct_pair(X, i, label, rival, step, bias, A) if A.ndim == 1 else _correct_machine(
        X, i, label, rival, step, bias, A
    )


serve(visit, lambda X, i, label, A: _visit_pair if A.ndim == 1 else _visit_machine)
serve(correct, lambda X, i, label, rival, step, bias, A: _correct_pair if A.ndim == 1 else _correct_machine)


@compiled
def count_errors(X: Rows, labels: NDArray[np.int32], start: int, stop: int, A: Array, limit: int) -> Any:
    """Count the patterns that A does not classify correctly, up to a limit."""
    errors = 0
    for i in range(start, stop):
        if labels[i] >= 0:
            margin, _ = visit(X, i, labels[i], A)
            if not finite(margin):
                return errors, False
            errors += margin <= 0
            if errors >= limit:
                break
    return errors, True

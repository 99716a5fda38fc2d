"""From what the user gives to what compiled code takes: one place narrows shapes, types and labels.

Every argument type is compiled anew, so X becomes a read-only C-contiguous array or a CSR of three read-only arrays,
in float32 or float64, labels become int32 class indices, and weights take the type of X.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._guards.held import storable
from .._guards.validation import all_finite, floats
from ..multiclass import relabel
from .driver import Watch
from .refusals import refusal
from .rows import CSR, Rows

EMPTY = np.empty(0)
COPIED = 2**24  # 64-bit indices of a CSR matrix that are copied as 32 bits, in 0.02 s; for others all is compiled anew
DENSE = 10**7  # numbers up to which a small CSR matrix is made dense


@storable
@dataclass(frozen=True)
class Most:
    """A number; of two portions of the rows, the larger one."""

    value: float

    def __add__(self, other: Most) -> Most:
        return Most(float(np.maximum(self.value, other.value)))  # not a number where one of them is none


@dataclass(frozen=True)
class Problem:
    """One problem as the compiled passes see it: two categories (``n_outputs`` = 1) or a linear machine."""

    rows: Rows
    labels: NDArray[np.int32]
    weight: NDArray[Any]
    n_outputs: int
    n_features: int
    dtype: np.dtype[Any]
    source: Any
    name: str = field(default="", kw_only=True)  # of a portion of the rows
    heaviest: float = field(default=0.0, kw_only=True)  # weight of all rows, where these are a portion

    streamed: ClassVar[bool] = False
    spread: ClassVar[bool] = False  # over machines, none of which sees all rows

    @property
    def n_rows(self) -> int:
        """Number of patterns, bystanders included."""
        return self.labels.size

    @property
    def values(self) -> NDArray[Any]:
        return self.rows.data if isinstance(self.rows, CSR) else self.rows

    @property
    def entries(self) -> int:
        return int(self.values.size)

    @property
    def work(self) -> int:
        """Products of one pass: every discriminant looks at every number."""
        return self.entries * self.n_outputs

    @property
    def part(self) -> NDArray[np.bool_]:
        return self.labels >= 0

    @property
    def n_present(self) -> int:
        return int(np.count_nonzero(self.part))

    def zeros(self) -> NDArray[Any]:
        return np.zeros((self.n_outputs, self.n_features + 1), self.dtype)

    def portions(self) -> Iterator[Self]:
        """The rows, a part at a time where they do not fit into memory."""
        yield self

    def total(self, part: Callable[..., tuple[Any, ...]], watch: Watch, *args: Any) -> tuple[Any, ...]:
        """``part(portion, watch, *args)``, a tuple, of all portions of the rows, added entry by entry."""
        return part(self, watch, *args)

    def split(self, n_classes: int, strategy: str) -> list[Self]:
        """The problems of two categories that a strategy makes of it."""
        return [self.relabelled(z) for z in relabel(self.labels, n_classes, strategy)]

    @property
    def largest_weight(self) -> float:
        return self.heaviest or float(self.weight.max(initial=0))

    def relabelled(self, labels: NDArray[np.int32]) -> Self:
        return replace(self, labels=labels, n_outputs=1)

    def canonical(self) -> Problem:
        """The same problem without repeated CSR entries; the caller's matrix is left alone."""
        if not isinstance(self.rows, CSR) or self.source.has_canonical_format:
            return self
        merged = self.source.copy()
        merged.sum_duplicates()
        return replace(self, rows=narrow(merged), source=merged)

    def squared_radius(self) -> float:
        """R², the largest squared length of a pattern; no root is taken, so that whole numbers stay whole."""
        squares = sqnorms(self.canonical().rows)[self.part]
        if not all_finite(squares):
            raise self.refuse()
        return float(squares.max(initial=0))

    def exact(self, start: NDArray[Any], additions: int, eta: float, bias: float) -> bool:
        """Whether so many additions of ηy to ``start`` meet nothing but whole numbers small enough to be exact."""
        return exact(self, start, additions, eta, bias)

    def check_finite(self) -> None:
        """Refuse NaN and infinity before work that is not one of the compiled passes."""
        if not all_finite(self.values):
            raise self.refuse()

    def refuse(self) -> ValueError:
        """The error for inner products that are not finite: bad data, or numbers too large to multiply."""
        error = refusal(self.source)
        return ValueError(f"{self.name}: {error}") if self.name else error


def exact(problem: Any, start: NDArray[Any], additions: int, eta: float, bias: float) -> bool:
    """Whether so many additions of ηy to ``start`` meet nothing but whole numbers small enough to be exact."""
    size, factors = max(1.0, bias), np.array([eta, bias])
    if not all(np.all(part == np.floor(part)) for part in (start, factors)):
        return False
    broken, longest, heaviest = problem.total(_whole_part, Watch())
    if broken:
        return False
    size = max(size, longest.value)
    reach = float(np.abs(start).max()) + additions * eta * heaviest.value * size
    return bool(reach * size * (problem.n_features + 1) < 1 / np.finfo(problem.dtype).eps)


def _whole_part(problem: Problem, watch: Watch) -> tuple[int, Most, Most]:
    """Whether there are numbers that are not whole, the largest number, and the largest weight, at least 1."""
    broken = not all(np.all(part == np.floor(part)) for part in (problem.values, problem.weight))
    size, heaviest = np.abs(problem.values).max(initial=0), problem.weight.max(initial=1)
    return int(broken), Most(float(size)), Most(float(heaviest))


def sqnorms(X: Rows) -> NDArray[np.float64]:
    """Squared lengths of the rows (the entries of a CSR row must not repeat)."""
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for what is not finite
        if not isinstance(X, CSR):
            return np.asarray(np.einsum("ij,ij->i", X, X), np.float64)
        lengths, filled = np.zeros(X.indptr.size - 1), np.flatnonzero(np.diff(X.indptr))
        if filled.size:  # each sum ends where the next row with entries begins
            squares = X.data[: X.indptr[-1]] ** 2
            lengths[filled] = np.add.reduceat(squares, X.indptr[filled].astype(np.intp))
    return lengths


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to, so that all inputs have one type for the compiler."""
    view = array.view()
    view.flags.writeable = False
    return view


def narrow(X: Any) -> Rows:
    """X as the row operations take it, without a copy of its numbers."""
    if not sparse.issparse(X):
        return read_only(X)
    # An unsigned view costs nothing; 64-bit indices, which scipy uses beyond 2**31 entries, stay where they are many.
    is_short = X.indices.dtype == X.indptr.dtype == np.int32 or (X.nnz <= COPIED and X.shape[1] <= COPIED)
    unsigned = np.uint32 if is_short else np.uint64
    indices, indptr = (
        part.view(unsigned) if part.dtype.itemsize == np.dtype(unsigned).itemsize else part.astype(unsigned)
        for part in (X.indices, X.indptr)
    )
    return CSR(read_only(X.data), read_only(indices), read_only(indptr))


def check_weight(sample_weight: Any, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Weights of the type of X, or an empty array when there are none."""
    if sample_weight is None:
        return EMPTY.astype(dtype)
    weight = floats("sample_weight", sample_weight, dtype, "give finite weights >= 0")
    if weight.ndim == 0:
        weight = np.full(n, weight)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}; give one weight for each of the {n} rows.")
    if not np.all(usable := np.isfinite(weight) & (weight >= 0)):
        raise ValueError(f"sample_weight holds {weight[~usable][0]}, a negative or non-finite number; give finite "
                         "weights >= 0.")  # fmt: skip
    if not np.any(weight > 0):
        raise ValueError("sample_weight is zero for every row; give at least one positive weight.")
    if not weight.max() < np.sqrt(np.finfo(dtype).max / n):
        raise ValueError(f"sample_weight reaches {weight.max():.3g}, and the sum of the squares of such weights "
                         f"overflows {dtype}; divide the weights by their size.")  # fmt: skip
    return weight


def make_problem(X: Any, labels: NDArray[np.int32], sample_weight: Any, n_classes: int) -> Problem:
    """The problem of X with encoded labels; rows of zero weight are bystanders, as if they were not there."""
    weight = check_weight(sample_weight, labels.size, X.dtype)
    if weight.size:
        absent = weight == 0
        if absent.any() and not all_finite(X[absent].data if sparse.issparse(X) else X[absent]):
            raise refusal(X)  # no pass visits these rows, and predict would refuse them
        labels = np.where(absent, np.int32(-1), labels)
    return Problem(narrow(X), labels, weight, 1 if n_classes == 2 else n_classes, X.shape[1], X.dtype, X)

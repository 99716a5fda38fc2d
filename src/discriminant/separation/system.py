"""The rows z of the data for the search: floats to guess with, bounded sums to judge by, whole numbers to prove.

``rows`` says what they are. Here a row is named by (i, rival): pattern i, held against a rival class. X is never copied
as a whole: a pass reads it in blocks, and only chosen rows become float64 or whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import compress
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.problem import narrow, read_only
from .._engine.progress import Tell
from .._engine.rows import CSR, Rows
from .integers import whole
from .knowledge import Knowledge
from .passes import FEW, Floats, Indices, Labels, Sides, judge, judge_few, judge_pair, walk
from .rows import Construction, ExactTable, Integers, Matrix

Name = tuple[int, int]
Tick = Tell | None

AXIS = (-1, 0)  # the name of the row that an axis adds
BLOCK = 1 << 21  # numbers of X that one compiled call reads
UNIT = 2.0**-53  # half an ulp of float64, relatively
TINY = 2.0**-1000  # far above what products lose where they underflow
SMALLEST = 1e-290  # weights below may have lost digits, and their products too
MANY = 100  # columns from which it pays to look for independent ones first
WHOLE = 2 * 10**7  # numbers of X that are made whole at once


class Direction(NamedTuple):
    """A vector b in whole numbers, a multiple of it at which zb is about one, in floats, and the multiple."""

    b: Integers
    floats: Floats
    unit: Fraction

    @classmethod
    def of(cls, parts: Sequence[Fraction]) -> Direction:
        """The direction of an exact vector of that size."""
        b = whole(parts)
        unit = next((part / number for part, number in zip(parts, b, strict=True) if number), Fraction(1))
        return cls(b, np.array([_float(part) for part in parts]), unit)


class Scale(NamedTuple):
    """Columns less a center, over powers of two: floats of about the same size, of which X and b are known exactly."""

    rows: Construction
    center: Floats
    exponent: NDArray[np.int32]

    def direction(self, b: Floats) -> Direction:
        """A vector of the centered columns as one of X: w₀ less the product of w and the center, exactly."""
        parts: list[Fraction] = []
        for block in b.reshape(self.rows.n_blocks, self.rows.p):
            with np.errstate(over="ignore"):  # Fraction refuses an infinity
                w = [Fraction(v) for v in np.ldexp(block[self.rows.intercept :], -self.exponent).tolist()]
            if self.rows.intercept:
                moved = sum((u * Fraction(c) for u, c in zip(w, self.center.tolist(), strict=True) if u), Fraction(0))
                parts.append(Fraction(float(block[0])) - moved)
            parts += w
        return Direction.of(parts)

    def scaled(self, b: Integers) -> tuple[Floats, Fraction]:
        """A vector of X as one of the centered columns, of length about one, and the factor that it was divided by."""
        exact: dict[int, Fraction] = {}  # but for zeros, which most are where a face is small
        for place in compress(range(len(b)), b):
            j = place % self.rows.p - self.rows.intercept
            if j < 0:
                exact[place] = exact.get(place, Fraction(0)) + b[place]
                continue
            exponent = int(self.exponent[j])
            exact[place] = Fraction(b[place] << max(exponent, 0), 1 << max(-exponent, 0))
            if self.rows.intercept and self.center[j]:
                first = place - j - 1
                exact[first] = exact.get(first, Fraction(0)) + b[place] * Fraction(float(self.center[j]))
        size = max(map(abs, exact.values()))
        floats = np.zeros(len(b))
        floats[list(exact)] = [float(value / size) for value in exact.values()]
        return floats, size

    def sized(self, b: Integers) -> Direction:
        """A vector of X at such a size that it has about length one in the centered columns."""
        size = self.scaled(b)[1]
        return Direction.of([value / size for value in b])


class Judgement(NamedTuple):
    """What one pass over the data found: the worst rows with zb < 0, and the patterns too near to zero for floats.

    ``least`` is a lower bound of zb over all other patterns.
    """

    wrong: list[Name]
    doubtful: Indices
    least: float


class System(Construction):
    """The rows z of X: ``own`` is the index of each pattern's class, -1 for one that takes no part.

    ``n_groups`` = 0 stands for counts; ``own`` then says whether they exceed zero. ``axis`` adds one row to those of
    the data: the unit vector of a feature, or its negative (1 stands for the first feature, -1 for its negative).
    ``tick`` is called with the share of a pass that is done.
    """

    def __init__(
        self, X: Any, own: Labels, n_groups: int, intercept: bool, reading: str, axis: int = 0, tick: Tick = None
    ) -> None:
        super().__init__(n_groups, int(X.shape[1]), intercept)
        self.table = ExactTable(X, reading)
        self.X, self.n, self.own, self.axis, self.tick = self.table.X, self.table.n_rows, own, axis, tick
        self.passes, self.known = 0, Knowledge()
        # What a file said differs from what the machine holds by half an ulp; so does a long integer from its float.
        ulp = np.finfo(X.dtype).eps / 2 if X.dtype.kind == "f" else UNIT
        self.tau = 2 * ((self.p + 6) * UNIT + float(ulp))
        self.least = float(np.finfo(X.dtype).smallest_subnormal) if X.dtype.kind == "f" else 0.0
        self._integers: dict[int, tuple[Integers, int]] = {}

    @cached_property
    def patterns(self) -> Indices:
        """The patterns that take part."""
        return np.flatnonzero(self.own >= 0)

    @cached_property
    def density(self) -> float:
        """The share of entries that are not zero, of dense data in some of the rows."""
        some = self.X if sparse.issparse(self.X) else self.X[:: max(1, self.n // 1000)]
        count = some.nnz if sparse.issparse(some) else np.count_nonzero(some)
        return float(count / max(1, some.shape[0] * some.shape[1]))

    @property
    def is_wide(self) -> bool:
        """Whether there are many columns and fewer rows, and no more numbers than can be made whole at once."""
        many = self.n_columns > max(MANY, self.n_names) and self.n * self.d <= WHOLE
        return many and not self.axis and not self.counts

    def on(self, columns: Sequence[int] | None = None, axis: int = 0) -> System:
        """The same rows with these features alone, or all of them, and with the row of an axis."""
        X = self.X if columns is None else self.X[:, columns]
        return System(X, self.own, self.n_groups, bool(self.intercept), self.table.reading, axis, self.tick)

    def lifted(self, direction: Direction, columns: Sequence[int]) -> Direction:
        """A vector for these features alone as one for all of them, zero for the others."""
        features = [*range(self.intercept), *(self.intercept + k for k in columns)]
        places = [block * self.p + j for block in range(self.n_blocks) for j in features]
        b, floats = [0] * self.n_columns, np.zeros(self.n_columns)
        for place, value in zip(places, direction.b, strict=True):
            b[place] = value
        floats[places] = direction.floats
        return Direction(b, floats, direction.unit)

    # --- names of rows

    def names(self, patterns: Iterable[int]) -> list[Name]:
        """The rows of these patterns."""
        return [(int(i), rival) for i in patterns for rival in self.rivals(int(self.own[i]))]

    def factors(self, name: Name) -> Integers:
        """The factor of y in each block of z."""
        return self.signs(int(self.own[name[0]]), name[1])

    @property
    def n_names(self) -> int:
        """Number of rows z, that of the axis included."""
        taking_part = np.count_nonzero(self.own >= 0)
        rows = taking_part + np.count_nonzero(self.own) if self.counts else taking_part * (self.n_groups - 1)
        return int(rows) + bool(self.axis)

    # --- whole numbers

    def is_zero(self, name: Name) -> bool:
        """Whether z = 0, which an intercept forbids."""
        i, _ = name
        x = None if self.intercept or i < 0 else self.X[[i]]
        return x is not None and not (x.data if sparse.issparse(x) else x).any()

    def integers(self, name: Name) -> tuple[Integers, int]:
        """A positive multiple of z in whole numbers, and the multiple."""
        if name[0] < 0:
            return self._axis(), 1
        y, q = self.augmented_integers(name[0])
        if self.n_blocks == 1:  # much of the time, and long where a table has many columns
            return (y if self.factors(name)[0] > 0 else [-value for value in y]), q
        return [sign * value for sign in self.factors(name) for value in y], q

    def multiple(self, name: Name) -> int:
        """The multiple alone."""
        return self.augmented_integers(name[0])[1] if name[0] >= 0 else 1

    def augmented_integers(self, i: int) -> tuple[Integers, int]:
        """(1, x_i), or x_i without an intercept, as whole numbers and their denominator; each is read once."""
        if i not in self._integers:
            self._integers[i] = self.table.augmented(i, bool(self.intercept))
        return self._integers[i]

    def matrix(self, names: Iterable[Name]) -> Matrix:
        """Positive multiples of these rows in whole numbers."""
        return [self.integers(name)[0] for name in names]

    def _axis(self) -> Integers:
        block, j = divmod(abs(self.axis) - 1, self.d)
        unit = [0] * self.n_columns
        unit[block * self.p + self.intercept + j] = 1 if self.axis > 0 else -1
        return unit

    def side(self, name: Name, b: Integers) -> int:
        """Inner product of a row and b, times the row's denominator."""
        return sum(map(mul, self.integers(name)[0], b))

    # --- floats

    def dense(self, names: list[Name]) -> NDArray[np.longdouble]:
        """The patterns of some rows in the widest float there is."""
        x = self.X[[i for i, _ in names]]
        return np.asarray(x.toarray() if sparse.issparse(x) else x).astype(np.longdouble)

    def floats(self, names: list[Name]) -> tuple[Floats, Scale]:
        """The rows z in centered columns of about the same size, each of length one, and the scale of the columns."""
        data = [name for name in names if name != AXIS]
        x = self.dense(data)
        center = (x.mean(axis=0) if self.intercept and data else np.zeros(self.d)).astype(np.float64)
        x -= center
        size = np.abs(x).max(axis=0, initial=0)
        exponent = np.frexp(np.where(size > 0, size, 1))[1]
        x = np.ldexp(x, -exponent).astype(np.float64)
        y = np.concatenate([np.ones((len(data), self.intercept)), x], axis=1)
        signs = np.array([self.factors(name) for name in data], np.float64).reshape(len(data), self.n_blocks)
        z = np.zeros((len(names), self.n_columns))
        is_axis = np.array([name == AXIS for name in names], bool)
        z[~is_axis] = (signs[:, :, None] * y[:, None, :]).reshape(len(data), self.n_columns)
        z[is_axis] = self._axis()
        length = np.linalg.norm(z, axis=1)
        return z / np.where(length > 0, length, 1)[:, None], Scale(self, center, exponent)

    # --- passes over the data

    def judge(self, direction: Direction, worst: int, level: float = 0.0) -> Judgement:
        """One pass over X: which rows have zb < level, and which patterns only whole numbers can decide."""
        A = self.augmented(direction)
        size = np.abs(direction.floats[direction.floats != 0])
        if not np.all((size > SMALLEST) & (size < 1 / SMALLEST)):
            return Judgement([], self.patterns, np.inf)
        slack = self._slack(A)
        wrong: list[tuple[float, int, int]] = []
        doubtful = [np.empty(0, np.int64)]
        least = np.inf
        for part, rows in self._blocks():
            own, first = self.own[part], part.start
            low, sure, rival = self._judged(rows, own, A, level, slack)
            is_sure = sure > 0
            least = min(least, sure.min(where=is_sure, initial=np.inf))
            unsure = np.flatnonzero(~is_sure)
            is_wrong = 2 * low[unsure] < sure[unsure]  # the upper bound is negative too
            doubtful.append(first + unsure[~is_wrong])
            unsure = unsure[is_wrong]
            if unsure.size > worst:
                unsure = unsure[np.argpartition(low[unsure], worst)[:worst]]
            wrong += zip(low[unsure].tolist(), (first + unsure).tolist(), rival[unsure].tolist(), strict=True)
        wrong.sort()
        names = [(i, rival) for _, i, rival in wrong[:worst]]
        return Judgement(names, np.concatenate(doubtful), least + level)

    def moved(self, direction: Direction) -> Indices:
        """One pass over X, or two: the patterns of which floats see that a row does not vanish on b."""
        A, slack = self.augmented(direction), self._slack(self.augmented(direction))
        found = []
        for part, rows in self._blocks():
            own = self.own[part]
            is_moved = np.zeros(own.size, bool)
            for turned in (A, -A):
                low, sure, _ = self._judged(rows, own, turned, 0.0, slack)
                is_moved |= 2 * low < sure  # the upper bound of the least zb is negative too
            found.append(part.start + np.flatnonzero(is_moved & (own >= 0)))
        return np.concatenate(found)

    def _slack(self, A: Floats) -> float:
        return TINY + self.least * float(np.abs(A).sum())

    def _judged(self, rows: Rows, own: Labels, A: Floats, level: float, slack: float) -> Sides:
        if not isinstance(rows, CSR) and rows.size * len(A) <= FEW:
            return judge_few(rows, own, A, self.counts, level, self.tau, slack)
        if self.n_groups == 2:
            return judge_pair(rows, own, A[0], level, self.tau, slack)
        return judge(rows, own, A, self.counts, level, self.tau, slack)

    def walk(self, turns: int, numbers: float) -> Direction | None:
        """Passes of the perceptron, at most so many, and reading so many numbers: a vector that separates, if found."""
        A = np.zeros((self.n_blocks, self.d + 1))
        size = float(abs(self.X[:100]).max()) if self.intercept else 0.0
        each = (self.X.nnz if sparse.issparse(self.X) else self.n * self.d) * self.n_blocks
        for _ in range(min(turns, int(numbers / max(each, 1)))):
            corrected = [int(walk(rows, self.own[part], A, size).sum()) for part, rows in self._blocks()]
            if not np.all(np.isfinite(A)):
                return None
            if not any(corrected) and np.any(A):
                return self._of_floats(A)
        if np.any(A):
            self.known.saw(self._of_floats(A), sum(corrected))
        return None

    def _of_floats(self, A: Floats) -> Direction:
        return Direction.of([Fraction(value) for value in A[:, 1 - self.intercept :].ravel().tolist()])

    def augmented(self, direction: Direction) -> Floats:
        """The blocks of b as rows (w₀, w)."""
        floats = direction.floats
        if not np.all(np.isfinite(floats)):  # another multiple of b, whose largest entry is one
            top = max(map(abs, direction.b))
            floats = np.array([value / top for value in direction.b])
        A = np.zeros((self.n_blocks, self.d + 1))
        A[:, 1 - self.intercept :] = floats.reshape(self.n_blocks, self.p)
        return A

    def _narrow(self) -> Any:
        """X as compiled code takes it, or X itself where that would need a copy."""
        known = self.X.dtype in (np.float32, np.float64)
        if known and (sparse.issparse(self.X) or self.X.flags.c_contiguous):
            return narrow(self.X)
        return self.X

    def _blocks(self) -> Iterator[tuple[slice, Rows]]:
        """One pass over the data: blocks of rows, each with its place."""
        X = self._narrow()
        self.passes += 1
        step = max(1, BLOCK // max(self.d, 1))
        for first in range(0, self.n, step):
            part = slice(first, min(first + step, self.n))
            if isinstance(X, CSR):
                yield part, CSR(X.data, X.indices, X.indptr[first : part.stop + 1])
            elif sparse.issparse(X):
                yield part, narrow(X[part].astype(np.float64))
            else:
                kind = X.dtype if X.dtype == np.float32 else np.float64
                yield part, read_only(np.ascontiguousarray(X[part], kind))
            if self.tick is not None:
                self.tick("", part.stop / self.n)


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")

"""What a row z is, in whole numbers: how a number of X is read, and which rows a pattern gives.

A pattern x is read as y = (1, x), exactly, or as y = x without an intercept. Of two classes, a pattern of the second
gives the row z = y and one of the first z = -y. Of c classes, b consists of c - 1 vectors b₁, …, b₍c₋₁₎, with b₀ = 0
for the first class, and a pattern of class k gives, for every rival j, the row z with zb = (b_k - b_j)y (Kesler's
construction; for c = 2 the same as above). Counts (a Poisson regression) give the row y, and for a count above zero
also -y. The certificate and the search both take it from here, and the elimination among such rows: ranks modulo a
prime, which never exceed the true rank, and whether rows span others.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.12.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import gcd
from operator import mul
from typing import Any, NamedTuple

import numpy as np

READINGS = ("decimal", "float")
FAMILIES = ("classes", "poisson", "cumulative")
PRIMES = (8_388_593, 8_388_587, 8_388_581)  # below 2**23: float64 can add up many products of two residues
DECIMALS = {8: (10**15 - 1, 18), 4: (10**6 - 1, 10)}  # bytes of a float: decimals up to here are all told apart
MANY, LARGE = 100, 10**6  # columns and numbers from which on it pays to leave out zeros,
SPARSE = 0.1  # and the share of them that are not zero
EXPONENT = 61  # of the largest power of two that serves as a denominator of machine integers

Integers = list[int]
Matrix = list[Integers]
Blocks = list[tuple[int, Sequence[int]]]


@lru_cache(maxsize=2048)
def _power(base: int, exponent: int) -> int:
    return int(base**exponent)


def decimal_parts(value: float) -> tuple[int, int]:
    """(m, e) with value = m 10^e for the shortest decimal form that rounds to value: what a file would have said."""
    if value.is_integer() and abs(value) < 2**53:
        return int(value), 0
    digits, _, exponent = repr(value).partition("e")
    whole, _, fraction = digits.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


def binary_parts(value: float) -> tuple[int, int]:
    """(m, e) with value = m 2^e exactly: the number that the machine holds."""
    numerator, denominator = value.as_integer_ratio()
    return numerator, 1 - denominator.bit_length()


def whole_numbers(values: Sequence[float], reading: str) -> tuple[Integers, int]:
    """Whole numbers m and a denominator q > 0 with values = m / q; q is a power of ten or of two."""
    parts_of, base = (decimal_parts, 10) if reading == "decimal" else (binary_parts, 2)
    parts = [parts_of(value) for value in values]
    lowest = min((e for _, e in parts), default=0)
    lowest = min(lowest, 0)
    return [m * _power(base, e - lowest) if m else 0 for m, e in parts], _power(base, -lowest)


class ExactRow(NamedTuple):
    """One pattern as whole numbers: x = m / q; ``columns`` are those of a sparse row, None for a full one."""

    m: Integers
    q: int
    columns: Integers | None = None

    def times(self, w: Sequence[int]) -> int:
        """Inner product of m with w."""
        return sum(map(mul, self.m, w if self.columns is None else [w[j] for j in self.columns]))

    def full(self, n: int) -> Integers:
        """All n numbers."""
        if self.columns is None:
            return self.m
        numbers = [0] * n
        for j, value in zip(self.columns, self.m, strict=True):
            numbers[j] = value
        return numbers


class Construction:
    """Which rows z the patterns of ``n_groups`` classes give, or of counts where it is 0, for b of n_columns numbers.

    A row is named by its pattern and a rival: another class, or for counts 0 for y and 1 for -y.
    """

    def __init__(self, n_groups: int, d: int, intercept: bool) -> None:
        self.n_groups, self.d, self.intercept = n_groups, d, int(intercept)
        self.counts = n_groups == 0
        self.n_blocks = max(n_groups - 1, 1)
        self.p = d + self.intercept
        self.n_columns = self.p * self.n_blocks

    def rivals(self, own: int) -> Sequence[int]:
        """What a pattern of class ``own`` is held against; a count has the class 0, or 1 above zero."""
        return range(own + 1) if self.counts else [k for k in range(self.n_groups) if k != own]

    def signs(self, own: int, rival: int) -> Integers:
        """The factor of y in each block of z."""
        if self.counts:
            return [-1 if rival else 1]
        return [(k == own) - (k == rival) for k in range(1, self.n_groups)]

    def z(self, y: Sequence[int], own: int, rival: int) -> Integers:
        """The row z of an augmented pattern y."""
        return [sign * value for sign in self.signs(own, rival) for value in y]

    def blocks(self, b: Sequence[int]) -> Blocks:
        """The pairs (w₀, w) of which a vector b consists."""
        parts = [b[k : k + self.p] for k in range(0, len(b), self.p)]
        return [(part[0] if self.intercept else 0, part[self.intercept :]) for part in parts]

    def sides(self, row: ExactRow, own: int, blocks: Blocks) -> dict[int, int]:
        """For every rival zb times the denominator of the pattern, a whole number, from the blocks of b."""
        scores = [row.q * w0 + row.times(w) for w0, w in blocks]
        if self.counts:
            return {0: scores[0], 1: -scores[0]} if own else {0: scores[0]}
        if self.n_groups == 2:
            return {0: scores[0]} if own else {1: -scores[0]}
        scores.insert(0, 0)
        mine = scores[own]
        return {rival: mine - score for rival, score in enumerate(scores) if rival != own}


def plain(X: Any) -> Any:
    """An array of booleans, whole numbers or floats that holds the same numbers, or an error that says why not."""
    X = np.asarray(X)
    if X.dtype.kind in "mMc" or X.dtype == np.longdouble:
        raise ValueError(f"X holds {X.dtype}: give numbers that float64 or int64 can hold.")
    if X.dtype.kind in "biuf":
        return X
    if any(isinstance(value, int) and abs(value) > 2**53 for value in X.ravel().tolist()):
        raise ValueError("X holds whole numbers beyond 2**53 beside other things: give an array of int64.")
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X holds what is no number ({error}): encode or drop such columns.") from error


def of_frame(frame: Any, reading: str) -> Any:
    """The numbers of a data frame as one array; columns of several types become float64 without a loss."""
    by_place = frame.iloc if hasattr(frame, "iloc") else frame
    columns = [plain(by_place[:, j].to_numpy()) for j in range(frame.shape[1])]
    kinds = {column.dtype for column in columns}
    if len(kinds) <= 1 or all(kind.kind in "bi" for kind in kinds):
        return np.column_stack(columns) if columns else np.empty(frame.shape)
    return np.column_stack([_double(column, reading) for column in columns])


def _double(column: Any, reading: str) -> Any:
    """A column as float64 that is read as the same numbers."""
    if column.dtype.kind in "iu" and column.size and max(abs(int(column.min())), abs(int(column.max()))) > 2**53:
        raise ValueError("X has a column of whole numbers beyond 2**53 beside one of floats: give it as floats.")
    if column.dtype.kind == "f" and column.dtype.itemsize < 8 and reading == "decimal":
        return np.array([float(text) for text in column.astype("U")])
    return column.astype(np.float64)


def exact_array(X: Any, reading: str) -> Any:
    """X as an array, or as a CSR matrix without repeated entries, of the same numbers."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X
    return of_frame(X, reading) if hasattr(X, "columns") and hasattr(X, "to_numpy") else plain(X)


def without_zeros(X: Any) -> Any:
    """A large array of many columns, most of whose entries are zero, without them: levels of factors make such."""
    n, d = X.shape
    if hasattr(X, "indptr") or d <= MANY or n * d < LARGE:
        return X
    some = X[:: max(1, n // 1000)]
    if np.count_nonzero(some) > SPARSE * some.size:
        return X
    rows, columns = np.nonzero(X)
    return Entries(X[rows, columns], columns, np.searchsorted(rows, np.arange(n + 1)), X.shape)


class Entries(NamedTuple):
    """A CSR matrix by its parts: a proof can be checked where scipy is not at hand."""

    data: Any
    indices: Any
    indptr: Any
    shape: tuple[int, int]
    has_canonical_format: bool = True

    @property
    def dtype(self) -> Any:
        """The type of the numbers."""
        return self.data.dtype

    def tocsr(self) -> Entries:
        """It is one."""
        return self


class ScaledRows(NamedTuple):
    """Rows of X as machine integers: x = m / q in the rows that are ``good``; the others need larger numbers.

    Of a sparse matrix, ``columns`` are those with an entry in these rows, and the only ones in m; None for all.
    """

    m: Any
    q: Any
    good: Any
    columns: Any

    def augmented(self, intercept: bool) -> Any:
        """The rows (q, m) of the good rows, or m without an intercept."""
        m = self.m[self.good]
        return np.column_stack([self.q[self.good], m]) if intercept else m


def machine_integers(x: Any, reading: str) -> tuple[Any, Any, Any]:
    """Whole numbers m and a denominator q for each row of x, both int64 and below 2**62, and where there are such."""
    if x.dtype.kind != "f":
        large = 1 << EXPONENT
        good = ((x <= large) & (x >= -large)).all(axis=1) if x.dtype.itemsize == 8 else np.ones(len(x), bool)
        return x.astype(np.int64), np.ones(len(x), np.int64), good
    if reading == "float":
        return _binary_rows(x.astype(np.float64, copy=False))
    if x.dtype.itemsize not in DECIMALS:
        return np.zeros(x.shape, np.int64), np.ones(len(x), np.int64), np.zeros(len(x), bool)
    return _decimal_rows(x)


def _decimal_rows(x: Any) -> tuple[Any, Any, Any]:
    """Each row times the least power of ten that makes it whole.

    No two decimals of 15 digits round to the same float64, nor do two of 6 to the same float32. So where m / 10^k, a
    quotient of two exact floats, rounds to x, it is the shortest decimal form of x.
    """
    m, q, good = np.zeros(x.shape, np.int64), np.ones(len(x), np.int64), np.zeros(len(x), bool)
    largest, exponents = DECIMALS[x.dtype.itemsize]
    whole = 2 ** (np.finfo(x.dtype).nmant + 1)
    left = np.arange(len(x))
    is_whole = (np.rint(x) == x).all(axis=0)  # columns that need no look at their digits, as those of levels
    parts, most = x[:, ~is_whole], np.abs(x[:, is_whole]).max(axis=1, initial=0)
    for k in range(exponents + 1):
        part, power, limit = parts[left], x.dtype.type(10**k), largest if k else whole
        with np.errstate(over="ignore"):
            rounded = np.rint(part * power)
            small = (np.abs(rounded) <= limit).all(axis=1) & (most[left] * power <= limit)
        hit = small & (rounded / power == part).all(axis=1)
        found = left[hit]
        m[found], q[found], good[found] = np.rint(x[found] * power), 10**k, True
        left = left[(small | (k == 0)) & ~hit]
        if not left.size:
            break
    return m, q, good


def _binary_rows(x: Any) -> tuple[Any, Any, Any]:
    """Each row times the least power of two that makes it whole."""
    mantissa, exponent = np.frexp(x)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = exponent - 54 + np.frexp((whole & -whole).astype(np.float64))[1]  # of the last bit that is set
    shift = np.maximum(-np.where(x, lowest, 0).min(axis=1, initial=0), 0)
    good = (shift <= EXPONENT) & (np.where(x, exponent, 0).max(axis=1, initial=0) + shift <= EXPONENT)
    shift = np.where(good, shift, 0)
    m = np.where(good[:, None], np.ldexp(x, shift[:, None]), 0.0).astype(np.int64)
    return m, np.int64(1) << shift.astype(np.int64), good


class ExactTable:
    """The rows of X as exact numbers: an array, a sparse matrix or a data frame."""

    def __init__(self, X: Any, reading: str) -> None:
        self.X, self.reading = exact_array(X, reading), reading
        self.sparse = hasattr(self.X, "indptr")
        if len(self.X.shape) != 2:
            raise ValueError(f"X has shape {self.X.shape}: give a table of rows and columns.")
        self.n_rows, self.n_features = map(int, self.X.shape)

    def check_finite(self) -> None:
        """Refuse NaN and infinity."""
        values = self.X.data if self.sparse else self.X
        parts = np.array_split(values, 64) if values.size > 2**16 else [values]  # the answers take room as well
        if values.dtype.kind == "f" and not all(np.isfinite(part).all() for part in parts):
            raise ValueError("X contains NaN or infinity: impute such values or drop their rows.")

    def row(self, i: int) -> ExactRow:
        """Row i in whole numbers."""
        if not self.sparse:
            return ExactRow(*self._numerators(self.X[i]))
        some = slice(self.X.indptr[i], self.X.indptr[i + 1])
        return ExactRow(*self._numerators(self.X.data[some]), self.X.indices[some].tolist())

    def block(self, rows: Any) -> tuple[Any, Any]:
        """Chosen rows as one full array, and the columns that it has: None for all, or those that have an entry."""
        if not self.sparse:
            return self.X[rows], None
        start = self.X.indptr[rows].astype(np.int64)
        count = self.X.indptr[rows + 1] - start
        entries = np.repeat(start - np.cumsum(count) + count, count) + np.arange(count.sum())
        columns, places = np.unique(self.X.indices[entries], return_inverse=True)
        x = np.zeros((len(rows), columns.size), self.X.dtype)
        x[np.repeat(np.arange(len(rows)), count), places] = self.X.data[entries]
        return x, columns

    def scaled(self, rows: Any) -> ScaledRows:
        """Chosen rows as machine integers, all at once: the numbers of ``row``, wherever int64 can hold them."""
        x, columns = self.block(rows)
        return ScaledRows(*machine_integers(x, self.reading), columns)

    def augmented(self, i: int, intercept: bool) -> tuple[Integers, int]:
        """(1, x_i), or x_i without an intercept, as whole numbers and their denominator."""
        row = self.row(i)
        x = row.full(self.n_features)
        return ([row.q, *x] if intercept else x), row.q

    def _numerators(self, x: Any) -> tuple[Integers, int]:
        """Whole numbers m and a denominator q with x = m / q."""
        if x.dtype.kind != "f":
            return [int(value) for value in x.tolist()], 1
        short = x.dtype.itemsize < 8
        # Up to this size a whole number is the same in both readings; float16 has its own shortest forms below.
        if x.dtype.itemsize > 2 and (np.abs(x) <= (2**24 if short else 2**53)).all() and (x == np.floor(x)).all():
            return x.astype(np.int64).tolist(), 1
        if short and self.reading == "decimal":  # the shortest form of a float32 is shorter than that of its double
            return whole_numbers([float(text) for text in x.astype("U")], self.reading)
        return whole_numbers(x.astype(np.float64).tolist(), self.reading)


def echelon(rows: Iterable[Integers], prime: int) -> tuple[list[int], Any]:
    """The reduced echelon form of rows modulo a prime of ``PRIMES``: its pivot columns and its rows, an int64 array."""
    columns: list[int] = []
    E: Any = np.empty((0, 0), np.int64)
    for row in rows:
        new = np.array([value % prime for value in row], np.int64)
        E = E if columns else np.empty((0, new.size), np.int64)
        high, low = new[columns] >> 16, new[columns] & 0xFFFF  # halves, whose products with E 64 bits can hold
        new = (new - ((high @ E % prime << 16) + low @ E) % prime) % prime
        if new.any():
            column = int(np.flatnonzero(new)[0])
            new = new * pow(int(new[column]), -1, prime) % prime
            E = np.concatenate([(E - E[:, column, None] * new % prime) % prime, new[None]])
            columns.append(column)
    return columns, E


def rank_modulo_prime(rows: Matrix) -> int:
    """Rank of whole rows modulo a prime, the best of three primes: never more than the true rank."""
    rank = 0
    for prime in PRIMES:
        if rank < min([len(rows), *map(len, rows[:1])]):  # more it cannot be
            rank = max(rank, len(echelon(rows, prime)[0]))
    return rank


def primitive(vector: Sequence[int]) -> Integers:
    """The vector divided by the greatest common divisor of its entries."""
    divisor = gcd(*vector) or 1
    return [value // divisor for value in vector]


def weighted_sum(weights: Iterable[int], rows: Iterable[Sequence[int]]) -> Integers:
    """The sum of the rows, each times its weight."""
    weights = list(weights)
    return [sum(map(mul, weights, column)) for column in zip(*rows, strict=True)]


def spans(rows: Iterable[Integers], others: Iterable[Integers]) -> bool:
    """Whether every other row is a combination of the rows: by elimination without fractions."""
    known = {_up_to_factor(row) for row in rows}
    left = {_up_to_factor(row) for row in others} - known
    pivots: list[tuple[int, Integers]] = []
    for row in sorted(known) if any(map(any, left)) else []:
        rest = _reduced(row, pivots)
        if any(rest):
            pivots.append((next(j for j, value in enumerate(rest) if value), rest))
    return not any(any(_reduced(row, pivots)) for row in left)


def _up_to_factor(row: Sequence[int]) -> tuple[int, ...]:
    """The multiple of a row by which all its multiples are known."""
    first = next((value for value in row if value), 1)
    return tuple(primitive(row if first > 0 else [-value for value in row]))


def _reduced(row: Sequence[int], pivots: list[tuple[int, Integers]]) -> Integers:
    """What is left of a row, but for a factor, when its entries in the columns of the pivots are made zero."""
    rest = list(row)
    for column, pivot in pivots:
        if rest[column]:
            a, b = pivot[column], rest[column]
            rest = primitive([a * value - b * other for value, other in zip(rest, pivot, strict=True)])
    return rest

"""The check of a proof, fast: the conditions of ``verification``, many rows at a time.

Whether zb > 0, one product of matrices in floats tells for most rows. Its error is at most

    γ (|x||w| + |w₀|),    γ = 2 ((p + 8) 2⁻⁵³ + half an ulp of x),

which covers the rounding of the sum, that of b to floats, and the difference between the two readings of a number. The
rows for which this leaves a doubt, those of the boundary on the kernel, and the sums of the relations are computed in
whole numbers, by ``digits``. Nothing is taken from the search that made the proof.

References
----------
N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed. (2002), §3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .digits import Floats, Ints, Writing, bits_of, products, rank_modulo, residues, signs
from .rows import PRIMES, Construction, ExactTable, Integers, Matrix, spans, without_zeros
from .verification import Check, Name, Term, failure

if TYPE_CHECKING:
    from .certificate import Certificate

BLOCK = 1 << 20  # numbers of X, or of a product, that are in hand at a time
UNIT = 2.0**-53
SLACK = 2.0**-900  # times γ, far more than what is lost where products underflow
LARGE = 1000  # bits of whole numbers that float64 has room for


class QuickCheck(Check):
    """The conditions of a proof on the data, by blocks of rows."""

    def __init__(
        self, proof: Certificate, table: ExactTable, own: Integers, patterns: Sequence[int] | None = None
    ) -> None:
        super().__init__(proof, ExactTable(without_zeros(table.X), table.reading), own, patterns)
        self.classes = np.array(own, np.int64)

    def adds_up_to_zero(self, relation: Sequence[Term]) -> bool:
        """Whether the weighted rows of a relation have the sum zero: in each block of z a sum of weighted patterns."""
        return self._terms.adds_up_to_zero(relation, self.rows)

    @cached_property
    def _terms(self) -> _Terms:
        rows = {term.row for relation in self.proof.relations for term in relation}
        known = np.array(sorted(row for row in rows if 0 <= row < self.table.n_rows), np.int64)
        step = self._step
        blocks = (known[k : k + step] for k in range(0, known.size, step))
        patterns = [part for block in blocks for part in _patterns(self.table, block, self.rows.intercept)]
        return _Terms(patterns, self.rows.p, self.proof.relations)

    def sides(self) -> tuple[int, int]:
        """How many rows z have zb > 0 and zb = 0; each of the latter must vanish on the kernel."""
        if not any(self.proof.direction) and not self.proof.kernel:
            members = np.bincount(self.classes[self.classes >= 0]).tolist()
            return 0, sum(count * len(self.rows.rivals(own)) for own, count in enumerate(members))
        kernel = Vectors.by_size(self.proof.kernel, self.rows)
        separated = boundary = 0
        for rows in self._blocks():
            wrong, moved = np.zeros(rows.size, bool), np.zeros(rows.size, bool)
            for own, some, found in self._judge.signs(rows, self.classes[rows]):
                separated += int((found > 0).sum())
                boundary += int((found == 0).sum())
                wrong[some] = (found < 0).any(axis=1)
                for place, _, off in self._judge.exact(rows[some], own, found == 0, kernel):
                    moved[some[place]] |= off.any(axis=1)
            for k in np.flatnonzero(wrong | moved)[:1]:
                row = self.called(int(rows[k]))
                if wrong[k]:
                    raise failure(f"row {row} lies on the wrong side of b")
                raise failure(f"row {row} lies on the boundary, but a vector of the kernel moves it off")
        return separated, boundary

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.table, self.rows, self.proof.direction)

    @property
    def _step(self) -> int:
        return max(1, BLOCK // max(self.rows.p, self.rows.n_blocks))

    def _blocks(self) -> Iterator[Ints]:
        """The rows that take part, some at a time."""
        taking_part = np.flatnonzero(self.classes >= 0)
        return (taking_part[k : k + self._step] for k in range(0, taking_part.size, self._step))

    def is_full_rank(self, names: Sequence[Name], vectors: Matrix) -> bool:
        """Whether the rank of the rows and that of the vectors add up to the number of columns."""
        n = self.rows.n_columns
        left = n - _best_rank(lambda prime: vectors, min(len(vectors), n))  # the rows vanish on them: it is the most
        return _best_rank(lambda prime: self._terms.modulo(prime, names, self.rows), left) == left

    def spans_boundary(self, names: Sequence[Name]) -> bool:
        """Whether each row of the boundary is a combination of these rows: those of them that it has need no proof."""
        left = set(self._boundary_names()).difference(names)
        return not left or spans(self.z(names), self.z(sorted(left)))

    def _boundary_names(self) -> Iterator[Name]:
        for rows in self._blocks():
            for own, some, found in self._judge.signs(rows, self.classes[rows]):
                rivals = self.rows.rivals(own)
                yield from ((int(rows[some[k]]), own, rivals[j]) for k, j in np.argwhere(found == 0))


def _best_rank(rows_modulo: Callable[[int], Iterable[Sequence[int] | Ints]], most: int) -> int:
    """The best rank modulo one of three primes."""
    rank = 0
    for prime in PRIMES:
        if rank < most:
            rank = max(rank, rank_modulo(rows_modulo(prime), prime))
    return rank


class _Patterns(NamedTuple):
    """Some patterns y in whole numbers: of int64 where these can hold them, else of any size."""

    rows: Ints  # of X
    y: NDArray[Any]
    q: Integers  # denominators
    columns: Ints | None  # of y; None for all


def _patterns(table: ExactTable, rows: Ints, intercept: int) -> Iterator[_Patterns]:
    """The patterns of these rows, in at most two parts."""
    scaled = table.scaled(rows)
    columns = scaled.columns
    if intercept and columns is not None:
        columns = np.concatenate([[0], columns + 1])
    if scaled.good.any():
        yield _Patterns(rows[scaled.good], scaled.augmented(bool(intercept)), scaled.q[scaled.good].tolist(), columns)
    if not scaled.good.all():
        rest = rows[~scaled.good]
        exact = [table.row(int(i)) for i in rest]
        y = np.zeros((rest.size, scaled.m.shape[1] + intercept), object)
        for target, row in zip(y, exact, strict=True):
            target[:intercept] = row.q
            places = slice(None) if row.columns is None else np.searchsorted(scaled.columns, row.columns)
            target[intercept:][places] = row.m
        yield _Patterns(rest, y, [row.q for row in exact], columns)


class _Terms:
    """The patterns of the relations, by digits."""

    def __init__(self, patterns: list[_Patterns], p: int, relations: Sequence[Sequence[Term]]) -> None:
        self.p = p
        weights = max((bits_of([term.weight for term in relation]) for relation in relations), default=0)
        bits = max((bits_of(part.y) for part in patterns), default=0)
        self.writing = Writing.of(bits, weights, max(map(len, relations)))
        self.columns = [slice(None) if part.columns is None else part.columns for part in patterns]
        self.parts = [self.writing.left(part.y) for part in patterns]
        self.place = {int(i): (k, j) for k, part in enumerate(patterns) for j, i in enumerate(part.rows)}
        self.q = {int(i): q for part in patterns for i, q in zip(part.rows, part.q, strict=True)}

    def adds_up_to_zero(self, relation: Sequence[Term], construction: Construction) -> bool:
        """Whether the weighted rows have the sum zero."""
        scale = max(self.q[term.row] for term in relation)  # all are powers of one number
        weights = [term.weight * (scale // self.q[term.row]) for term in relation]
        digits = self.writing.right(weights).T[:, :, None]
        factors = np.array([construction.signs(term.own, term.rival) for term in relation])
        places = np.array([self.place[term.row] for term in relation])
        blocks = factors.T[factors.any(axis=0)]
        sums = np.zeros((len(blocks), self.p, self.writing.places + digits.shape[1] - 1, 1), np.int64)
        for total, factor in zip(sums, blocks, strict=True):
            for k, (part, columns) in enumerate(zip(self.parts, self.columns, strict=True)):
                some = np.flatnonzero((places[:, 0] == k) & (factor != 0))
                patterns = part[:, places[some, 1]].transpose(0, 2, 1)
                total[columns] += products(patterns, factor[some, None, None] * digits[some])
        return not signs(sums.reshape(-1, *sums.shape[2:]), self.writing.width).any()

    def modulo(self, prime: int, names: Sequence[Name], construction: Construction) -> Iterator[Ints]:
        """The rows z with these names modulo a prime."""
        parts = [residues(part, self.writing.width, prime) for part in self.parts] if names else []
        for i, own, rival in names:
            k, j = self.place[i]
            y = np.zeros(self.p, np.int64)
            y[self.columns[k]] = parts[k][j]
            yield np.multiply.outer(construction.signs(own, rival), y).ravel()


class Vectors:
    """Vectors in whole numbers, b or those of the kernel, by digits of any width that is asked for."""

    def __init__(self, vectors: Sequence[Sequence[int]], rows: Construction) -> None:
        self.vectors, self.rows = vectors, rows
        self.bits = max(map(bits_of, vectors))
        self.longest = 0  # bits of the patterns so far
        self.digits, self.writing = np.empty(0), Writing(0, 0)

    @classmethod
    def by_size(cls, vectors: Sequence[Sequence[int]], rows: Construction) -> list[Vectors]:
        """Vectors of about as many bits together, so that short ones have few digits."""
        sizes: dict[int, list[Sequence[int]]] = {}
        for vector in vectors:
            sizes.setdefault(bits_of(vector).bit_length(), []).append(vector)
        return [cls(group, rows) for group in sizes.values()]

    def tell(self, own: int, rival: int) -> bool:
        """Whether any zv can differ from zero for a class and a rival: their blocks are not the same."""
        return self.rows.counts or self._kinds[own] != self._kinds[rival]

    @cached_property
    def _kinds(self) -> list[Integers]:
        """For each class the blocks of its vectors, by number: the same number for the same block."""
        p, kinds = self.rows.p, dict[tuple[int, ...], int]()
        blocks = [[tuple(v[k : k + p]) for v in self.vectors] for k in range(0, self.rows.n_columns, p)]
        zero = [(0,) * p for _ in self.vectors]
        return [[kinds.setdefault(block, len(kinds)) for block in some] for some in (zero, *blocks)]

    def split(self, y: NDArray[Any]) -> Floats:
        """The digits of patterns, for products with the vectors."""
        if not self.digits.size or bits_of(y) > self.longest:
            self._write(bits_of(y))
        return self.writing.left(y)

    def signs(self, y: Floats, columns: Ints | None, own: int, rival: int) -> NDArray[np.int8]:
        """The sign of zv for each pattern, split, all of one class and held against one rival, and each vector v."""
        some = slice(None) if columns is None else columns
        factors = self.rows.signs(own, rival)
        chosen = [(sign, self.digits[k, some]) for k, sign in enumerate(factors) if sign]
        first, digits = chosen[0]
        for sign, block in chosen[1:]:
            digits = digits + first * sign * block
        found = np.zeros((y.shape[1], digits.shape[2]), np.int8)
        touched = np.flatnonzero(digits.any(axis=(0, 1)))  # others have no entry in these columns
        digits = digits[:, :, touched]
        step = max(1, BLOCK // max(digits.shape[1] * touched.size, 1))
        for k in range(0, len(found), step) if touched.size else ():
            sums = products(y[:, k : k + step], digits)
            found[k : k + step, touched] = first * signs(sums, self.writing.width)
        return found

    def _write(self, bits: int) -> None:
        """Write the vectors in digits for products with patterns of so many bits; it is seldom done again."""
        self.longest, self.writing = bits, Writing.of(bits, self.bits, self.rows.p)
        parts = self.writing.right([value for vector in self.vectors for value in vector])
        parts = parts.reshape(len(parts), len(self.vectors), self.rows.n_blocks, self.rows.p)
        self.digits = np.ascontiguousarray(parts.transpose(2, 3, 0, 1))  # blocks, columns of a block, places, vectors


class Judge:
    """On which side of b rows lie: in floats, and in whole numbers where these leave a doubt."""

    def __init__(self, table: ExactTable, rows: Construction, b: Sequence[int]) -> None:
        self.table, self.rows = table, rows
        self.b = Vectors([b], rows)
        cut = max(self.b.bits - LARGE, 0)
        floats = np.ldexp([float(value >> cut) for value in b], cut - self.b.bits).reshape(rows.n_blocks, rows.p).T
        self.w0 = floats[0] if rows.intercept else np.zeros(rows.n_blocks)
        self.w = floats[rows.intercept :]

    def signs(self, rows: Ints, classes: Ints) -> Iterator[tuple[int, Ints, NDArray[np.int8]]]:
        """For each class: the class, the places of its rows, and the signs of zb for each of them and each rival."""
        scores, errors = self._scores(rows)
        for own in np.unique(classes).tolist():
            some = np.flatnonzero(classes == own)
            factors = np.array([self.rows.signs(own, rival) for rival in self.rows.rivals(own)], float).T
            with np.errstate(over="ignore", invalid="ignore"):  # where a score overflows, nothing is told
                side, error = scores[some] @ factors, errors[some] @ np.abs(factors)
                found = (side > error).astype(np.int8) - (side < -error)
            for place, j, sign in self.exact(rows[some], own, found == 0, [self.b]):
                found[place, j] = sign[:, 0]
            yield own, some, found

    def _scores(self, rows: Ints) -> tuple[Floats, Floats]:
        """The scores x w + w₀ of each block of b, in floats, and bounds on their errors."""
        x, columns = self.table.block(rows)
        eps, tiny = (float(np.finfo(x.dtype).eps), float(np.finfo(x.dtype).tiny)) if x.dtype.kind == "f" else (0.0, 0.0)
        x = x.astype(np.float64, copy=False)
        w = self.w if columns is None else self.w[columns]
        size = np.abs(w)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            errors = np.abs(x) @ (size + SLACK) + (np.abs(self.w0) + SLACK)
            errors *= 2 * ((self.rows.p + 8) * UNIT + eps / 2)
            return x @ w + self.w0, errors + eps * tiny * size.sum(axis=0)  # of numbers near zero, the last bit

    def exact(
        self, rows: Ints, own: int, asked: NDArray[np.bool_], groups: Sequence[Vectors]
    ) -> Iterator[tuple[Ints, int, NDArray[np.int8]]]:
        """For each rival that some rows of a class ask about: the rows' places, the rival's, and the signs of zv.

        Rivals are left out where all signs are zero because their blocks are those of the class.
        """
        rivals = self.rows.rivals(own)
        told = np.array([any(group.tell(own, rival) for group in groups) for rival in rivals], bool)
        some = np.flatnonzero(asked[:, told].any(axis=1))
        for patterns in _patterns(self.table, rows[some], self.rows.intercept) if some.size else ():
            places = np.searchsorted(rows, patterns.rows)
            for group in groups:
                split = group.split(patterns.y)
                for j, rival in enumerate(rivals):
                    chosen = np.flatnonzero(asked[places, j]) if group.tell(own, rival) else places[:0]
                    if chosen.size:
                        yield places[chosen], j, group.signs(split[:, chosen], patterns.columns, own, rival)

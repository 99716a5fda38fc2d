"""The check of a proof: every condition, in whole numbers, one after the other. ``quick_check`` does the same faster.

The proof consists of

    b            with zb >= 0 for every row z; B are the rows with zb > 0, N those with zb = 0,
    relations    weights λ > 0 on rows of the data with Σ λz = 0, and
    kernel       vectors k with zk = 0 for every row z of N, or nothing where there are more columns than rows.

Why it proves the verdict: let some b* have zb* >= 0 for every row. A relation gives Σ λzb* = 0, so zb* = 0 on each
of its rows. The rows of N lie in the space orthogonal to b and to the kernel; where the rows of the relations
span this space (their rank and that of b and kernel add up to the number of columns), zb* = 0 on all of N. So no
vector separates more rows than b does: N empty is ``complete``, B empty is ``overlap``, else it is ``quasi``. Without a
kernel each row of N has to be one of the relations' rows, or a combination of them, by elimination in whole numbers.

A proof that is not ``maximal`` leaves open whether some vector separates more rows. It can only say ``quasi``: b, which
separates some rows, excludes ``overlap``, and a relation excludes ``complete``.

The proof for ordered levels is that for two classes, above and below the cuts, on the rows that ``cuts`` makes.

A rank is taken modulo a prime. It never exceeds the true rank, so that a sum which reaches the number of columns
proves what it should.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4 and Problem 8 (the hulls of separable classes do not meet);
A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression models",
Biometrika 71 (1984).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .cuts import Cuts
from .rows import FAMILIES, READINGS, ExactTable, Integers, Matrix, rank_modulo_prime, spans, weighted_sum

if TYPE_CHECKING:
    from .certificate import Certificate

VERDICTS = ("complete", "quasi", "overlap")


class Term(NamedTuple):
    """One row z of a relation and its weight: a pattern, the index of its class, and the rival it is held against."""

    row: int
    own: int
    rival: int
    weight: int


Name = tuple[int, int, int]  # of a row z: pattern, own class, rival


def verify(proof: Certificate, X: Any, y: Any, conditions: type[Check]) -> bool:
    """True, or the error that says which condition fails."""
    try:
        _check_claim(proof)
        table = ExactTable(X, proof.reading)
        table.check_finite()
        own = _classes(proof, y, table)
        if proof.family == "cumulative":
            check = conditions(*_on_cuts(proof, table, own))
        else:
            check = conditions(proof, table, own)
        check.shape()
        check.relations()
        check.point()
        separated, boundary = check.sides()
        found = "overlap" if not separated else "quasi" if boundary else "complete"
        if found != proof.verdict:
            raise failure(f"it proves {found!r}, yet it says {proof.verdict!r}")
        if not proof.maximal and (found != "quasi" or proof.kernel or not proof.relations):
            raise failure("it is not maximal, yet not a proof of 'quasi' by b and by a relation")
        if boundary and proof.maximal:
            check.span()
        elif not boundary and (proof.relations or proof.kernel or proof.point is not None):
            raise failure("b separates every row, yet there are relations that say it cannot")
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
        raise failure(f"its parts are not what they should be ({error!r})") from error
    return True


def failure(what: str) -> ValueError:
    """The error that names the condition that fails."""
    return ValueError(f"the certificate fails: {what}.")


def _check_claim(proof: Certificate) -> None:
    """The claim is one that can be proved at all, and no float or machine integer is among its numbers."""
    known = proof.verdict in VERDICTS and proof.reading in READINGS and proof.family in FAMILIES
    fits = len(proof.groups) >= 2 if proof.family != "poisson" else not proof.groups and not proof.others
    if proof.family == "cumulative":
        alone = all(len(group) == 1 for group in proof.groups)
        fits = fits and alone and proof.intercept and not proof.others and proof.point is None
    if not known or not fits:
        raise failure("it speaks of no two classes and of no counts, or in words that are unknown")
    vectors = [proof.direction, *proof.kernel, *(term for relation in proof.relations for term in relation)]
    flags = {type(proof.intercept), type(proof.maximal)}
    if not set(map(type, chain.from_iterable(vectors))) <= {int} or flags != {bool}:
        raise failure("it holds numbers that are not whole")
    if any(type(part) is not Fraction for part in proof.point or ()):
        raise failure("its point is not given in fractions")


def labels_of(y: Any) -> list[Any]:
    """The labels of an array, a list, a series or a table of one column."""
    labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if labels.ndim != 1:
        raise ValueError(f"y has shape {labels.shape}: give one label for each row.")
    return list(labels.tolist())


def order_of(y: Any) -> list[Any] | None:
    """The order of levels that an ordered categorical of pandas or an Enum of polars says; None where y says none."""
    column = y[y.columns[0]] if hasattr(y, "columns") else y
    kind: Any = getattr(column, "dtype", None)
    return list(kind.categories) if getattr(kind, "ordered", False) or type(kind).__name__ == "Enum" else None


def _classes(proof: Certificate, y: Any, table: ExactTable) -> Integers:
    """The index of the class of each row, -1 for a row that takes no part."""
    values = labels_of(y)
    if len(values) != table.n_rows:
        raise failure(f"y has {len(values)} entries, and X has {table.n_rows} rows")
    index = {label: k for k, group in enumerate(proof.groups) for label in group}
    index |= dict.fromkeys(proof.others, -1)
    if len(index) < sum(map(len, proof.groups)) + len(proof.others):
        raise failure("it names a label twice")
    if any(label != label for label in index):
        raise failure("it names a label that is no label: NaN")
    try:
        if proof.family == "poisson" and not all(0 <= value < inf for value in values):
            raise failure("y holds what is no count: a number below zero, or none at all")
        own = [int(value > 0) if proof.family == "poisson" else index[value] for value in values]
    except KeyError as error:
        raise failure(f"a label is {error.args[0]!r}, of which it says nothing") from None
    except TypeError as error:
        raise failure(f"y holds what is no label or count ({error})") from error
    if not set(range(len(proof.groups))) <= set(own):
        raise failure("it speaks of a class that no row of the data belongs to")
    return own


def _on_cuts(
    proof: Certificate, table: ExactTable, own: Integers
) -> tuple[Certificate, ExactTable, Integers, Sequence[int]]:
    """The proof of ordered levels as one of two classes, above and below the cuts, on the rows that ``cuts`` makes."""
    _check_shape(proof, table, proof.construction.n_columns)
    made = Cuts.of(table.X, own, len(proof.groups))

    def moved(term: Term) -> Term:
        if not 0 <= term.row < len(own) or own[term.row] != term.own:
            raise failure(f"row {term.row} is not a pattern of the class that a relation names")
        if term.rival not in proof.construction.rivals(term.own):
            raise failure(f"the weight or the rival of row {term.row} in a relation is out of range")
        above = int(term.rival < term.own)
        return Term(made.place(*term[:3]), above, 1 - above, term.weight)

    relations = tuple(tuple(map(moved, relation)) for relation in proof.relations)
    n_rows, n_features = made.X.shape
    two = replace(
        proof, family="classes", groups=((0,), (1,)), intercept=False, relations=relations, n_rows=n_rows,
        n_features=n_features,
    )  # fmt: skip
    return two, ExactTable(made.X, proof.reading), made.above.tolist(), made.patterns.tolist()


def _check_shape(proof: Certificate, table: ExactTable, n_columns: int) -> None:
    """The data have the shape that the proof speaks of, and so have its vectors."""
    found = table.n_rows, table.n_features
    if found != (proof.n_rows, proof.n_features):
        raise failure(
            f"it speaks of {proof.n_rows:,} rows of {proof.n_features:,} columns, and here are {found[0]:,} of "
            f"{found[1]:,}"
        )
    if any(len(vector) != n_columns for vector in (proof.direction, *proof.kernel)):
        raise failure(f"a vector has not the length {n_columns}")


class Check:
    """The conditions of a proof on the data, number by number: the reference that any faster check has to agree with.

    Parameters
    ----------
    proof : Certificate
        The proof.
    table : ExactTable
        The numbers of X.
    own : list of int
        The index of the class of each row, -1 for a row that takes no part.
    patterns : list of int, default=None
        What the rows are called where the table is one of cuts: the patterns that they are made of.
    """

    def __init__(
        self, proof: Certificate, table: ExactTable, own: Integers, patterns: Sequence[int] | None = None
    ) -> None:
        self.proof, self.table, self.own, self.rows, self.patterns = proof, table, own, proof.construction, patterns

    def called(self, i: int) -> int:
        """The number of a row in the data."""
        return i if self.patterns is None else int(self.patterns[i])

    def shape(self) -> None:
        """The data have the shape that the proof speaks of, and so have its vectors."""
        _check_shape(self.proof, self.table, self.rows.n_columns)

    def y(self, i: int) -> tuple[Integers, int]:
        """The augmented pattern i in whole numbers, and their denominator."""
        return self.table.augmented(i, self.proof.intercept)

    def relations(self) -> None:
        """Weights are positive and the weighted rows add up to zero, exactly."""
        own = self.own
        for relation in self.proof.relations:
            for term in relation:
                row = self.called(term.row)
                if not 0 <= term.row < len(own) or own[term.row] != term.own or own[term.row] < 0:
                    raise failure(f"row {row} is not a pattern of the class that a relation names")
                if term.weight <= 0 or term.rival not in self.rows.rivals(term.own):
                    raise failure(f"the weight or the rival of row {row} in a relation is out of range")
            if not relation or not self.adds_up_to_zero(relation):
                raise failure("the weighted rows of a relation do not add up to zero")

    def adds_up_to_zero(self, relation: Sequence[Term]) -> bool:
        """Whether the weighted rows of a relation have the sum zero."""
        patterns = [self.y(term.row) for term in relation]
        scale = max(q for _, q in patterns)  # all are powers of one number
        weights = [term.weight * (scale // q) for term, (_, q) in zip(relation, patterns, strict=True)]
        rows = [self.rows.z(y, term.own, term.rival) for term, (y, _) in zip(relation, patterns, strict=True)]
        return not any(weighted_sum(weights, rows))

    def point(self) -> None:
        """The shared point is the weighted mean of the rows of one class in the first relation."""
        proof = self.proof
        if proof.point is None:
            return
        if not proof.relations or len(proof.groups) != 2 or len(proof.point) != proof.n_features:
            raise failure("the shared point belongs to no relation of two classes")
        values, total = shared_point(self.y, proof.relations[0], int(proof.intercept))
        for part, value in zip(proof.point, values, strict=True):
            factor, rest = divmod(total, part.denominator)
            if rest or factor * part.numerator != value:
                raise failure("the shared point is not the weighted mean of the rows of the first relation")

    def sides(self) -> tuple[int, int]:
        """How many rows z have zb > 0 and zb = 0; each of the latter must vanish on the kernel."""
        b, *kernel = [self.rows.blocks(vector) for vector in (self.proof.direction, *self.proof.kernel)]
        taking_part = [(i, own) for i, own in enumerate(self.own) if own >= 0]
        if not any(self.proof.direction) and not kernel:
            return 0, sum(len(self.rows.rivals(own)) for _, own in taking_part)
        separated = boundary = 0
        row_of, sides_of = self.table.row, self.rows.sides
        for i, own in taking_part:
            row = row_of(i)
            sides = sides_of(row, own, b)
            if (least := min(sides.values())) < 0:
                raise failure(f"row {self.called(i)} lies on the wrong side of b")
            on = [rival for rival, side in sides.items() if not side] if not least else []
            separated += len(sides) - len(on)
            boundary += len(on)
            for vector in kernel if on else ():
                moved = sides_of(row, own, vector)
                if any(moved[rival] for rival in on):
                    raise failure(f"row {self.called(i)} lies on the boundary, but a vector of the kernel moves it off")
        return separated, boundary

    def span(self) -> None:
        """The rows of the relations span all that is orthogonal to b and to the kernel."""
        proof = self.proof
        names = sorted({term[:3] for relation in proof.relations for term in relation})
        vectors = [list(vector) for vector in (proof.direction, *proof.kernel) if any(vector)]
        if len(names) + len(vectors) >= self.rows.n_columns and self.is_full_rank(names, vectors):
            return
        if proof.kernel or not self.spans_boundary(names):
            raise failure("the rows of the relations do not span the boundary")

    def is_full_rank(self, names: Sequence[Name], vectors: Matrix) -> bool:
        """Whether the rank of the rows and that of the vectors add up to the number of columns."""
        return rank_modulo_prime(self.z(names)) + rank_modulo_prime(vectors) == self.rows.n_columns

    def spans_boundary(self, names: Sequence[Name]) -> bool:
        """Whether each row of the boundary is a combination of these rows."""
        return spans(self.z(names), self.boundary())

    def z(self, names: Iterable[Name]) -> Matrix:
        """The rows z with these names, each times a denominator."""
        return [self.rows.z(self.y(i)[0], own, rival) for i, own, rival in names]

    def boundary(self) -> Iterator[Integers]:
        """The rows z with zb = 0."""
        b = self.rows.blocks(self.proof.direction)
        for i, own in enumerate(self.own):
            sides = self.rows.sides(self.table.row(i), own, b) if own >= 0 else {}
            if not all(sides.values()):
                y, _ = self.y(i)
                yield from (self.rows.z(y, own, rival) for rival, side in sides.items() if not side)


def shared_point(
    augmented: Callable[[int], tuple[Integers, int]], relation: Sequence[Term], intercept: int
) -> tuple[Integers, int]:
    """Weighted mean of the rows of the second class in a relation, or of the first where the second has none.

    It is given by the numerators and a common denominator. With an intercept both classes have the same mean, since
    their weights have the same sum; without one, the point lies on a ray that the cones of both classes share.
    """
    side = max(term.own for term in relation)
    terms = [term for term in relation if term.own == side]
    patterns = [augmented(term.row) for term in terms]
    scale = max(q for _, q in patterns)  # all are powers of one number
    weights = [term.weight * (scale // q) for term, (_, q) in zip(terms, patterns, strict=True)]
    total = scale * sum(term.weight for term in terms)
    return weighted_sum(weights, (y[intercept:] for y, _ in patterns)), total

"""The proof that classes are linearly separable, or that they are not, and its check in integers.

This file is written to be audited on its own: it knows no solver and no linear algebra, only whole numbers.

A pattern x is read as y = (1, x), exactly (see ``reading``). Of two classes, a pattern of the second gives the row
z = y and one of the first z = -y. Of c classes, b consists of c - 1 vectors b_1, ..., b_(c-1), with b_0 = 0 for the
first class, and a pattern of class k gives, for every rival j, the row z with zb = (b_k - b_j)y (Kesler's
construction; for c = 2 the same as above). Counts (a Poisson regression) give the row y, and for a count above zero
also -y. The proof consists of

    b            with zb >= 0 for every row z; B are the rows with zb > 0, N those with zb = 0,
    relations    weights lambda > 0 on rows of the data with sum lambda z = 0, and
    kernel       vectors k with zk = 0 for every row z of N, or nothing where there are more columns than rows.

Why it proves the verdict: let some b* have zb* >= 0 for every row. A relation gives sum lambda zb* = 0, so zb* = 0 on
each of its rows. The rows of N lie in the space orthogonal to b and to the kernel; where the rows of the relations
span this space (their rank and that of b and kernel add up to the number of columns), zb* = 0 on all of N. So no
vector separates more rows than b does: N empty is ``complete``, B empty is ``overlap``, else it is ``quasi``. Without a
kernel each row of N has to be one of the relations' rows, or a combination of them, by elimination in whole numbers.

A rank is taken modulo a prime. It never exceeds the true rank, so that a sum which reaches the number of columns
proves what it should.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4 and Problem 8 (the hulls of separable classes do not meet);
A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression models",
Biometrika 71 (1984).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .elimination import rank_modulo_prime, spans
from .proof_file import (
    FORMAT,
    LARGEST,
    VERSION,
    _checksum,
    _dumped,
    _label,
    _once,
    _one_of,
    _read,
    _read_point,
    _short,
    _written,
)
from .rows import READINGS, Integers, Row, Table

VERDICTS = ("complete", "quasi", "overlap")
FAMILIES = ("classes", "poisson")
FEW = 12  # labels that are named before the rest is only counted


# --- numbers -------------------------------------------------------------------------------------------------------


# --- the proof -----------------------------------------------------------------------------------------------------


class Term(NamedTuple):
    """One row z of a relation and its weight: a pattern, the index of its class, and the rival it is held against."""

    row: int
    own: int
    rival: int
    weight: int


class Support(NamedTuple):
    """One pattern of the short proof: its row in X, its class or classes, its exact weight in the shared point."""

    row: int
    label: Any
    weight: Fraction


@dataclass(frozen=True)
class Certificate:
    """A proof of separability, of quasi-separation or of overlap, which ``verify`` checks in whole numbers.

    It is made by :func:`discriminant.separability`, and goes to and from JSON.

    Parameters
    ----------
    verdict : {"complete", "quasi", "overlap"}
        What is proved.
    reading : {"decimal", "float"}
        How a number of X is read: as its shortest decimal form, or as the binary number that the machine holds.
    family : {"classes", "poisson"}
        Labels, or counts.
    groups : tuple of tuples
        The labels of each class. Empty for counts.
    intercept : bool
        Whether patterns are augmented by 1.
    n_rows, n_features : int
        Shape of X.
    direction : tuple of int
        b, in blocks (w₀, w), one for each class but the first.
    kernel : tuple of tuples of int
        Vectors that vanish on all boundary rows, with b a basis of all such vectors. Empty for data of many columns and
        fewer rows: ``verify`` then sees by elimination that the rows of the relations span the boundary.
    relations : tuple of tuples of Term
        Positive weights on rows that add up to zero; the first is the short proof.
    point : tuple of Fraction or None
        The point which the hulls of two classes share, by the first relation.
    others : tuple
        Labels whose rows take no part: those beside a pair of classes. Data with any other label are refused.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4, Problem 8.

    Examples
    --------
    >>> from discriminant import datasets, separability
    >>> X, y = datasets.xor()
    >>> proof = separability(X, y).certificate
    >>> proof.verdict, proof.verify(X, y)
    ('overlap', True)
    >>> proof.question
    'a plane between the classes 0 and 1, with an intercept, numbers in decimal reading'
    >>> len(proof.support), [str(part) for part in proof.point]
    (4, ['1/2', '1/2'])
    >>> from discriminant import Certificate
    >>> Certificate.from_json(proof.to_json()) == proof
    True
    """

    verdict: str
    reading: str
    family: str
    groups: tuple[tuple[Any, ...], ...]
    intercept: bool
    n_rows: int
    n_features: int
    direction: tuple[int, ...]
    kernel: tuple[tuple[int, ...], ...] = ()
    relations: tuple[tuple[Term, ...], ...] = ()
    point: tuple[Fraction, ...] | None = None
    others: tuple[Any, ...] = ()

    @property
    def kind(self) -> str:
        """How the classes are held against each other.

        ``"two classes"``, ``"linear"`` (one linear machine), ``"total"`` (one class against the rest), ``"pairwise"``
        (two classes of several), ``"merged"`` (several taken for one) or ``"poisson"``.
        """
        if self.family == "poisson":
            return "poisson"
        sizes = [len(group) for group in self.groups]
        if len(sizes) == 2 and max(sizes) > 1 == min(sizes) and not self.others:
            return "total"
        if max(sizes) > 1:
            return "merged"
        if len(sizes) > 2:
            return "linear"
        return "pairwise" if self.others else "two classes"

    @property
    def question(self) -> str:
        """What the verdict is the answer to, in words: the classes, the intercept and the reading."""
        if self.family == "poisson":
            subject = "counts of a Poisson regression"
        else:
            subject = "a plane between" if len(self.groups) == 2 else "one linear machine for"
            names = [f"{{{_listed(group)}}}" if len(group) > 1 else _listed(group) for group in self.groups[:FEW]]
            names += [f"{len(self.groups) - FEW:,} more"] if len(self.groups) > FEW else []
            subject = f"{subject} the classes {', '.join(names[:-1])} and {names[-1]}"
        if self.others:
            subject = f"{subject}, without the rows of {_listed(self.others)}"
        return f"{subject}, {'with' if self.intercept else 'without'} an intercept, numbers in {self.reading} reading"

    def differences(
        self, y: Any, *, intercept: bool = True, reading: str = "decimal", family: str = "classes"
    ) -> list[str]:
        """Tell how the question that is proved differs from the one that ``separability(X, y)`` asks.

        A proof may be right and yet not say what one takes it for: on two of three classes, on merged classes, on
        planes through the origin.

        Parameters
        ----------
        y : array of shape (n,)
            Labels, or counts.
        intercept, reading, family
            As for :func:`discriminant.separability`.

        Returns
        -------
        list of str
            One phrase for each difference; empty where it is the same question.

        Examples
        --------
        >>> from discriminant import datasets, separability
        >>> X, y = datasets.table(1, 2, 4)
        >>> s = separability(X, y)
        >>> s.certificate.differences(y)
        []
        >>> s.pairwise[1, 4].certificate.differences(y, intercept=False)
        ['it leaves out the class 2', 'its planes may miss the origin']
        """
        found = []
        if self.family != family:
            found.append("it is about counts" if self.family == "poisson" else "it is about classes")
        elif family == "classes":
            labels = dict.fromkeys(_labels(y))
            named = {label for group in self.groups for label in group}
            missing = [label for label in labels if label not in named]
            foreign = [label for label in named if label not in labels]
            found += [f"it takes {_listed(group)} for one class" for group in self.groups if len(group) > 1]
            found += [f"it leaves out {_classes(missing)}"] if missing else []
            found += [f"it speaks of {_classes(foreign)}, which y does not hold"] if foreign else []
        if self.intercept != intercept:
            found.append("its planes may miss the origin" if self.intercept else "its planes go through the origin")
        if self.reading != reading:
            found.append(f"it reads numbers in the sense of {self.reading!r}, not {reading!r}")
        return found

    @property
    def n_columns(self) -> int:
        """Length of b."""
        return (self.n_features + self.intercept) * max(len(self.groups) - 1, 1)

    @property
    def support(self) -> tuple[Support, ...]:
        """The patterns of the short proof that no plane separates, with weights that add up to one for each class."""
        if not self.relations:
            return ()
        short = self.relations[0]
        totals: dict[int, int] = {}
        for term in short:
            totals[term.own] = totals.get(term.own, 0) + term.weight
        return tuple(Support(t.row, self._label(t.own), Fraction(t.weight, totals[t.own])) for t in short)

    def _label(self, own: int) -> Any:
        if self.family == "poisson":
            return "0" if own == 0 else "above 0"
        group = self.groups[own]
        return group[0] if len(group) == 1 else group

    def verify(self, X: Any, y: Any) -> bool:
        """Check every condition of the proof against the data, in whole numbers.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            The patterns.
        y : array of shape (n,)
            Their labels, or counts.

        Returns
        -------
        bool
            True. What fails is told by an error.

        Raises
        ------
        ValueError
            With the condition that fails.

        Examples
        --------
        >>> from discriminant import datasets, separability
        >>> X, y = datasets.or_function()
        >>> proof = separability(X, y).certificate
        >>> proof.verify(X, 1 - y)
        Traceback (most recent call last):
            ...
        ValueError: the certificate fails: row 0 lies on the wrong side of b.
        """
        try:
            return self._verify(X, y)
        except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
            raise self._failure(f"its parts are not what they should be ({error!r})") from error

    def _verify(self, X: Any, y: Any) -> bool:
        self._check_types()
        table = Table(X, self.reading)
        table.check_finite()
        own = self._own(y, table)
        self._check_shape(table)
        self._check_relations(table, own)
        separated, boundary = self._count_sides(table, own)
        found = "overlap" if not separated else "quasi" if boundary else "complete"
        if found != self.verdict:
            raise self._failure(f"it proves {found!r}, yet it says {self.verdict!r}")
        if boundary:
            self._check_span(table, own)
        elif self.relations or self.kernel or self.point is not None:
            raise self._failure("b separates every row, yet there are relations that say it cannot")
        return True

    @staticmethod
    def _failure(what: str) -> ValueError:
        return ValueError(f"the certificate fails: {what}.")

    def _own(self, y: Any, table: Table) -> Integers:
        """The index of the class of each row, -1 for a row that takes no part."""
        values = _labels(y)
        if len(values) != table.n_rows:
            raise self._failure(f"y has {len(values)} entries, and X has {table.n_rows} rows")
        index = {label: k for k, group in enumerate(self.groups) for label in group}
        index |= dict.fromkeys(self.others, -1)
        if len(index) < sum(map(len, self.groups)) + len(self.others):
            raise self._failure("it names a label twice")
        try:
            if self.family == "poisson":
                own = [int(value > 0) for value in values]
            else:
                own = [index[value] for value in values]
        except KeyError as error:
            raise self._failure(f"y holds {error.args[0]!r}, of which it says nothing") from None
        except TypeError as error:
            raise self._failure(f"y holds what is no label or count ({error})") from error
        if not set(range(len(self.groups))) <= set(own):
            raise self._failure("it speaks of a class that no row of the data belongs to")
        return own

    def _check_types(self) -> None:
        """The claim is one that can be proved at all, and no float or machine integer is among its numbers."""
        fits = len(self.groups) >= 2 if self.family == "classes" else not self.groups and not self.others
        if self.verdict not in VERDICTS or self.reading not in READINGS or self.family not in FAMILIES or not fits:
            raise self._failure("it speaks of no two classes and of no counts, or in words that are unknown")
        vectors = [self.direction, *self.kernel, *(term for relation in self.relations for term in relation)]
        if any(type(value) is not int for vector in vectors for value in vector) or type(self.intercept) is not bool:
            raise self._failure("it holds numbers that are not whole")
        if any(type(part) is not Fraction for part in self.point or ()):
            raise self._failure("its point is not given in fractions")

    def _check_shape(self, table: Table) -> None:
        if (table.n_rows, table.n_features) != (self.n_rows, self.n_features):
            shape = f"({self.n_rows}, {self.n_features})"
            raise self._failure(f"it speaks of X of shape {shape}, not of ({table.n_rows}, {table.n_features})")
        if any(len(vector) != self.n_columns for vector in (self.direction, *self.kernel)):
            raise self._failure(f"a vector has not the length {self.n_columns}")

    def rivals(self, own: int) -> Sequence[int]:
        """What a pattern of class ``own`` is held against."""
        if self.family == "poisson":
            return range(own + 1)
        return [k for k in range(len(self.groups)) if k != own]

    def z(self, y: Sequence[int], own: int, rival: int) -> Integers:
        """Return the row z of an augmented pattern y."""
        if self.family == "poisson":
            return [-value for value in y] if rival else list(y)
        row: Integers = []
        for k in range(1, len(self.groups)):
            sign = (k == own) - (k == rival)
            row += [sign * value for value in y]
        return row

    def _check_relations(self, table: Table, own: Integers) -> None:
        """Weights are positive and the weighted rows add up to zero, exactly."""
        for relation in self.relations:
            rows = []
            for term in relation:
                if not 0 <= term.row < self.n_rows or own[term.row] != term.own or own[term.row] < 0:
                    raise self._failure(f"row {term.row} is not a pattern of the class that a relation names")
                if term.weight <= 0 or term.rival not in self.rivals(term.own):
                    raise self._failure(f"the weight or the rival of row {term.row} in a relation is out of range")
                rows.append(table.augmented(term.row, self.intercept))
            scale = max((q for _, q in rows), default=1)  # all are powers of one number
            total = [0] * self.n_columns
            for term, (y, q) in zip(relation, rows, strict=True):
                weight = term.weight * (scale // q)
                total = [t + weight * v for t, v in zip(total, self.z(y, term.own, term.rival), strict=True)]
            if not relation or any(total):
                raise self._failure("the weighted rows of a relation do not add up to zero")
        self._check_point(table)

    def _check_point(self, table: Table) -> None:
        """The shared point is the weighted mean of the rows of one class in the first relation."""
        if self.point is None:
            return
        if not self.relations or len(self.groups) != 2 or len(self.point) != self.n_features:
            raise self._failure("the shared point belongs to no relation of two classes")
        if list(self.point) != shared_point(table, self.relations[0]):
            raise self._failure("the shared point is not the weighted mean of the rows of the first relation")

    def _count_sides(self, table: Table, own: Integers) -> tuple[int, int]:
        """How many rows z have zb > 0 and zb = 0; each of the latter must vanish on the kernel."""
        taking_part = [i for i in range(self.n_rows) if own[i] >= 0]
        if not any(self.direction) and not self.kernel:
            return 0, sum(len(self.rivals(own[i])) for i in taking_part)
        blocks = [self._blocks(vector) for vector in (self.direction, *self.kernel)]
        separated = boundary = 0
        for i in taking_part:
            row = table.row(i)
            values = self._scores(row, blocks[0])
            others = None
            for rival in self.rivals(own[i]):
                side = self._side(values, own[i], rival)
                if side < 0:
                    raise self._failure(f"row {i} lies on the wrong side of b")
                if side > 0:
                    separated += 1
                    continue
                boundary += 1
                if others is None:
                    others = [self._scores(row, vector) for vector in blocks[1:]]
                if any(self._side(scores, own[i], rival) for scores in others):
                    raise self._failure(f"row {i} lies on the boundary, but a vector of the kernel moves it off")
        return separated, boundary

    def _blocks(self, vector: Sequence[int]) -> list[tuple[int, Sequence[int]]]:
        """The pairs (w₀, w) of which b or a vector of the kernel consists."""
        p = self.n_features + self.intercept
        starts = range(0, len(vector), p)
        return [(vector[k] if self.intercept else 0, vector[k + self.intercept : k + p]) for k in starts]

    @staticmethod
    def _scores(row: Row, blocks: list[tuple[int, Sequence[int]]]) -> Integers:
        """Q (w₀ + wx) for each block, a whole number."""
        return [row.q * w0 + row.times(w) for w0, w in blocks]

    def _side(self, scores: Integers, own: int, rival: int) -> int:
        """Zb of the row z for this rival, from the inner products with the blocks of b."""
        if self.family == "poisson":
            return -scores[0] if rival else scores[0]
        return (scores[own - 1] if own else 0) - (scores[rival - 1] if rival else 0)

    def _check_span(self, table: Table, own: Integers) -> None:
        """The rows of the relations span all that is orthogonal to b and to the kernel."""
        terms = {(t.row, t.own, t.rival) for relation in self.relations for t in relation}
        rows = [self.z(table.augmented(i, self.intercept)[0], own, rival) for i, own, rival in sorted(terms)]
        vectors = [list(vector) for vector in (self.direction, *self.kernel) if any(vector)]
        enough = len(rows) + len(vectors) >= self.n_columns
        if enough and rank_modulo_prime(rows) + rank_modulo_prime(vectors) == self.n_columns:
            return
        if self.kernel or not spans(rows, self._boundary(table, own)):
            raise self._failure("the rows of the relations do not span the boundary")

    def _boundary(self, table: Table, own: Integers) -> Iterator[Integers]:
        """The rows z with zb = 0."""
        blocks = self._blocks(self.direction)
        for i in range(self.n_rows):
            if own[i] < 0:
                continue
            scores = self._scores(table.row(i), blocks)
            for rival in self.rivals(own[i]):
                if not self._side(scores, own[i], rival):
                    yield self.z(table.augmented(i, self.intercept)[0], own[i], rival)

    def to_json(self) -> str:
        """The certificate as JSON; whole numbers beyond 2**53 are hexadecimal text.

        Returns
        -------
        str
            One line, with a checksum.

        Examples
        --------
        >>> from discriminant import datasets, separability
        >>> text = separability(*datasets.and_function()).certificate.to_json()
        >>> text.startswith('{"format":"discriminant separability certificate","version":1,"verdict":"complete"')
        True
        """
        content = {
            "format": FORMAT,
            "version": VERSION,
            "verdict": self.verdict,
            "reading": self.reading,
            "family": self.family,
            "groups": [list(group) for group in self.groups],
            "intercept": self.intercept,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "direction": [_written(value) for value in self.direction],
            "kernel": [[_written(value) for value in vector] for vector in self.kernel],
            "relations": [[[_written(value) for value in term] for term in relation] for relation in self.relations],
            "point": None
            if self.point is None
            else [[_written(m), _written(q)] for m, q in map(Fraction.as_integer_ratio, self.point)],
        }
        if self.others:
            content["others"] = list(self.others)
        return _dumped(content | {"checksum": _checksum(content)})

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """The certificate that a JSON text holds; a text that was changed is refused.

        Parameters
        ----------
        text : str
            What ``to_json`` gave.

        Returns
        -------
        Certificate
            Ready for ``verify``.

        Raises
        ------
        ValueError
            With what is wrong with the text.

        Examples
        --------
        >>> from discriminant import Certificate, datasets, separability
        >>> text = separability(*datasets.and_function()).certificate.to_json()
        >>> Certificate.from_json(text.replace("complete", "overlap"))
        Traceback (most recent call last):
            ...
        ValueError: this is no certificate: its checksum does not fit its content; it was changed after it was written.
        """
        if not isinstance(text, str) or len(text) > LARGEST:
            raise ValueError(f"this is no certificate: give JSON text of at most {LARGEST:,} characters.")
        try:
            content = json.loads(text, parse_int=_short, object_pairs_hook=_once)
            return cls._from_content(content)
        except (RecursionError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"this is no certificate: its parts are not what they should be ({error!r}).") from error
        except json.JSONDecodeError as error:
            raise ValueError(f"this is no certificate: it is not JSON ({error}).") from error

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> Certificate:
        checksum = content.pop("checksum")
        if (content["format"], content["version"]) != (FORMAT, VERSION):
            raise ValueError(f"this is no certificate: it should be {FORMAT!r}, version {VERSION}.")
        if checksum != _checksum(content):
            raise ValueError(
                "this is no certificate: its checksum does not fit its content; it was changed after it was written."
            )
        made = cls(
            verdict=_one_of(content["verdict"], VERDICTS),
            reading=_one_of(content["reading"], READINGS),
            family=_one_of(content["family"], FAMILIES),
            groups=tuple(tuple(map(_label, group)) for group in content["groups"]),
            intercept=_one_of(content["intercept"], (True, False)),
            n_rows=_read(content["n_rows"]),
            n_features=_read(content["n_features"]),
            direction=tuple(map(_read, content["direction"])),
            kernel=tuple(tuple(map(_read, vector)) for vector in content["kernel"]),
            relations=tuple(tuple(Term(*map(_read, term)) for term in relation) for relation in content["relations"]),
            point=_read_point(content["point"]),
            others=tuple(map(_label, content.get("others", ()))),
        )
        if made.to_json() != _dumped(content | {"checksum": checksum}):
            raise ValueError("this is no certificate: it has fields or numbers that a certificate has not.")
        return made


def shared_point(table: Table, relation: Sequence[Term]) -> list[Fraction]:
    """Weighted mean of the rows of the second class in a relation, or of the first where the second has none.

    With an intercept both classes have the same mean, since their weights have the same sum; without one, the point
    lies on a ray that the cones of both classes share.
    """
    side = max(term.own for term in relation)
    total = [Fraction(0)] * table.n_features
    for term in relation:
        if term.own == side:
            row = table.row(term.row)
            x = row.full(table.n_features)
            total = [t + Fraction(term.weight * value, row.q) for t, value in zip(total, x, strict=True)]
    weights = sum(term.weight for term in relation if term.own == side)
    return [t / weights for t in total]


def _labels(y: Any) -> list[Any]:
    """The labels of an array, a list, a series or a table of one column."""
    labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    labels = labels[:, 0] if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if labels.ndim != 1:
        raise ValueError(f"y has shape {labels.shape}: give one label for each row.")
    return list(labels.tolist())


def _listed(labels: Sequence[Any]) -> str:
    """The first few labels, and how many more there are."""
    more = f" and {len(labels) - FEW:,} more" if len(labels) > FEW else ""
    return ", ".join(map(repr, labels[:FEW])) + more


def _classes(labels: Sequence[Any]) -> str:
    return f"the class{'es' if len(labels) > 1 else ''} {_listed(labels)}"

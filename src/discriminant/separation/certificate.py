"""The proof that classes are linearly separable, or that they are not, and its check in integers.

``verification`` says what it consists of and why it proves the verdict. It is written to be audited on its own: this
file, ``verification``, ``rows`` and ``cuts`` (what a row z is), ``proof_file``, and for speed ``quick_check`` and
``digits``, know no solver and no linear algebra library, and import nothing but each other, the standard library and
numpy's arrays.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4 and Problem 8 (the hulls of separable classes do not meet);
A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression models",
Biometrika 71 (1984).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, NamedTuple

from .cuts import CutConstruction
from .proof_file import labels, number, numbers, one_of, opened, refused, sealed, suspicion, written
from .quick_check import QuickCheck
from .rows import FAMILIES, READINGS, Construction, Integers
from .verification import VERDICTS, Check, Term, labels_of, order_of, verify

METHODS: dict[str, type[Check]] = {"fast": QuickCheck, "plain": Check}
ABOUT = {"classes": "classes", "poisson": "counts", "cumulative": "ordered levels"}
FEW = 12  # labels, rows or features that are named before the rest is only counted


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
    family : {"classes", "poisson", "cumulative"}
        Labels, counts, or ordered levels.
    groups : tuple of tuples
        The labels of each class, or the levels in their order. Empty for counts.
    intercept : bool
        Whether patterns are augmented by 1.
    n_rows, n_features : int
        Shape of X.
    direction : tuple of int
        b, in blocks (w₀, w), one for each class but the first; of ordered levels (α, w) with an α for each cut.
    kernel : tuple of tuples of int
        Vectors that vanish on all boundary rows, with b a basis of all such vectors. Empty for data of many columns and
        fewer rows: ``verify`` then sees by elimination that the rows of the relations span the boundary.
    relations : tuple of tuples of Term
        Positive weights on rows that add up to zero; the first is the short proof.
    point : tuple of Fraction or None
        The point which the hulls of two classes share, by the first relation.
    others : tuple
        Labels whose rows take no part: those beside a pair of classes. Data with any other label are refused.
    maximal : bool, default=True
        Whether it is proved too that no vector separates more rows than b. Where that would need too large a proof, a
        quasi verdict has b, which separates some rows weakly, and rows that balance each other.

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
    maximal: bool = True

    @property
    def kind(self) -> str:
        """How the classes are held against each other.

        ``"two classes"``, ``"linear"`` (one linear machine), ``"total"`` (one class against the rest), ``"pairwise"``
        (two classes of several), ``"merged"`` (several taken for one), ``"poisson"`` or ``"cumulative"``.
        """
        if self.family != "classes":
            return self.family
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
        elif self.family == "cumulative":
            return (
                f"thresholds between the ordered levels {' < '.join(_named_few(self.groups))}, numbers in "
                f"{self.reading} reading"
            )
        else:
            subject = "a plane between" if len(self.groups) == 2 else "one linear machine for"
            names = _named_few(self.groups)
            subject = f"{subject} the classes {', '.join(names[:-1])} and {names[-1]}"
        if self.others:
            subject = f"{subject}, without the rows of {_listed(self.others)}"
        return f"{subject}, {'with' if self.intercept else 'without'} an intercept, numbers in {self.reading} reading"

    def differences(
        self, y: Any, *, intercept: bool = True, reading: str = "decimal", family: str = "classes"
    ) -> list[str]:
        """Tell how the question that is proved differs from the one that ``separability(X, y)`` asks.

        A proof may be right and yet not say what one takes it for: on two of three classes, on merged classes, on
        levels in another order, on planes through the origin.

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
            found.append(f"it is about {ABOUT[self.family]}")
        elif family != "poisson":
            labels = dict.fromkeys(labels_of(y))
            named = {label for group in self.groups for label in group}
            missing = [label for label in labels if label not in named]
            foreign = [label for label in named if label not in labels]
            found += [f"it takes {_listed(group)} for one class" for group in self.groups if len(group) > 1]
            found += [f"it leaves out {_classes(missing)}"] if missing else []
            found += [f"it speaks of {_classes(foreign)}, which y does not hold"] if foreign else []
            if family == "cumulative" and not found:
                found += self._another_order(order_of(y))
        if self.intercept != intercept:
            found.append("its planes may miss the origin" if self.intercept else "its planes go through the origin")
        if self.reading != reading:
            found.append(f"it reads numbers in the sense of {self.reading!r}, not {reading!r}")
        return found

    def _another_order(self, order: list[Any] | None) -> Iterator[str]:
        """Whether the levels are in another order than that of y, or of numbers."""
        levels = [label for group in self.groups for label in group]
        if order is None and any(isinstance(label, str) for label in levels):
            yield "y does not tell the order of its levels"
        elif levels != sorted(levels, key=None if order is None else order.index):
            yield f"it has the levels in the order {' < '.join(_named_few(self.groups))}"

    @property
    def n_columns(self) -> int:
        """Length of b."""
        return self.construction.n_columns

    @property
    def construction(self) -> Construction:
        """Which rows z the patterns give."""
        if self.family == "cumulative":
            return CutConstruction(len(self.groups), self.n_features)
        return Construction(len(self.groups), self.n_features, self.intercept)

    def rivals(self, own: int) -> Sequence[int]:
        """What a pattern of class ``own`` is held against."""
        return self.construction.rivals(own)

    def z(self, y: Sequence[int], own: int, rival: int) -> Integers:
        """Return the row z of an augmented pattern y."""
        return self.construction.z(y, own, rival)

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

    def verify(self, X: Any, y: Any, *, method: str = "fast") -> bool:
        """Check every condition of the proof against the data, in whole numbers.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            The patterns.
        y : array of shape (n,)
            Their labels, or counts.
        method : {"fast", "plain"}
            ``"fast"`` goes through the data by products of matrices, in floats where a bound on their error leaves no
            doubt, and exactly elsewhere. ``"plain"`` is the short reference that reads every number in Python: it takes
            up to a hundred times as long and gives the same answer.

        Returns
        -------
        bool
            True: the proof of ``verdict`` as the answer to ``question`` holds. Rows with labels in ``others`` take no
            part in it; ``differences`` tells whether ``separability(X, y)`` asks for more. What fails is told by an
            error.

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
        if method not in METHODS:
            raise ValueError(f"method={method!r} must be 'fast' or 'plain'; leave it out for 'fast'.")
        return verify(self, X, y, METHODS[method])

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
        content = {field.name: written(getattr(self, field.name)) for field in fields(self)}
        content["groups"], content["others"] = [list(group) for group in self.groups], list(self.others)
        usual = {"others": [], "maximal": True}  # left out
        return sealed({key: value for key, value in content.items() if key not in usual or value != usual[key]})

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
        with suspicion():
            content = opened(text)
            made = cls(
                verdict=one_of(content["verdict"], VERDICTS),
                reading=one_of(content["reading"], READINGS),
                family=one_of(content["family"], FAMILIES),
                groups=tuple(map(labels, content["groups"])),
                intercept=one_of(content["intercept"], (True, False)),
                n_rows=number(content["n_rows"]),
                n_features=number(content["n_features"]),
                direction=numbers(content["direction"]),
                kernel=tuple(map(numbers, content["kernel"])),
                relations=tuple(tuple(Term(*numbers(term)) for term in relation) for relation in content["relations"]),
                point=None if content["point"] is None else tuple(Fraction(*numbers(x)) for x in content["point"]),
                others=labels(content.get("others", ())),
                maximal=one_of(content.get("maximal", True), (True, False)),
            )
            if made.to_json() != sealed(content):
                raise refused("it has fields or numbers that a certificate has not")
            return made


def first_few(items: Iterable[Any]) -> str:
    """The first few, and how many more there are."""
    listed = list(map(str, items))
    more = f" and {len(listed) - FEW:,} more" if len(listed) > FEW else ""
    return ", ".join(listed[:FEW]) + more


def _named_few(groups: Sequence[tuple[Any, ...]]) -> list[str]:
    names = [f"{{{_listed(group)}}}" if len(group) > 1 else _listed(group) for group in groups[:FEW]]
    return [*names, *([f"{len(groups) - FEW:,} more"] if len(groups) > FEW else [])]


def _listed(labels: Iterable[Any]) -> str:
    return first_few(map(repr, labels))


def _classes(labels: Sequence[Any]) -> str:
    return f"the class{'es' if len(labels) > 1 else ''} {_listed(labels)}"

"""Are the classes linearly separable? A verdict, its proof, and what follows from it.

``complete``: some plane has every pattern strictly on its side. ``quasi``: some plane has no pattern on the wrong side
and not all of them on itself, but none separates strictly; the hulls of the classes touch. ``overlap``: neither. With
rows z = ±(1, x), exactly one of the three holds, and b, λ with Zb >= 0, λ >= 0, Zᵗλ = 0 prove it; ``verification``
says how, and checks it in whole numbers. ``search`` finds it.

For a statistician: the maximum-likelihood estimate of a logistic regression is finite exactly when the verdict is
``overlap`` (Albert and Anderson 1984). Otherwise the likelihood grows for ever along b, and ``infinite_`` tells which
coefficients go where. A Poisson regression has the same trouble with its zeros (``family="poisson"``).

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4, §5.12.1, Problems 5, 6 and 8; A. Albert and J. A. Anderson,
Biometrika 71 (1984); K. Konis, *Linear programming algorithms for detecting separated data in binary logistic
regression models* (2007); S. Correia, P. Guimarães and T. Zylkin, *Verifying the existence of maximum likelihood
estimates for generalized linear models* (2019).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.progress import OutOfTime, TerminalBar
from .._guards.parameters import FLAG, SECONDS, Choice
from ..formulas.formula import design
from ..geometry import Hyperplane, LinearMachine
from .certificate import Certificate
from .knowledge import undecided
from .margin import Margin, Widest, maximal_margin, strict_machine, strict_plane, with_zero
from .pairs import separated_pairs
from .parts import PartVerdicts
from .passes import Floats, Indices, Labels
from .question import Groups, Names, Question, checked, groups_of
from .rows import FAMILIES, READINGS
from .search import settle
from .signs import OPEN, Signs
from .system import System
from .trial import Outcome
from .verification import Term, shared_point
from .widening import wider
from .words import as_html, coefficients, describe, evidence

AT_ONCE = 300  # weights of a linear machine up to which its verdict is not put off until it is asked for
ASKED = 10.0  # seconds that the signs of coefficients may take when they are asked for
ALIASED = ("keep", "drop")
IN_PART = (
    "A proof of how many rows can be separated would need {0.n_columns:,} weights and is not made: the verdict is "
    "proved, but other machines may separate more rows, and the signs of the coefficients are open."
)


def separability(
    X: Any,
    y: Any = None,
    *,
    data: Any = None,
    intercept: bool = True,
    reading: str = "decimal",
    family: str = "classes",
    progress: bool | None = None,
    feature_names: Sequence[str] | None = None,
    max_seconds: float | None = None,
    aliased: str = "keep",
) -> Separability:
    """Tell whether classes are linearly separable, and prove it.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns, as given: do not standardize them first, because rounding may destroy ties. Float32, float64 and
        integers are all read exactly; a memory-mapped array is read in blocks. Or a formula such as
        ``"HG ~ NV + C(stage)"``, of which :func:`design` makes X and y.
    y : array of shape (n,)
        Labels of two or more classes; of two, the one that sorts last is the positive class. Counts for
        ``family="poisson"``.
    data : pandas or polars data frame, or dict of columns, default=None
        What the names of a formula mean.
    intercept : bool, default=True
        Whether planes may miss the origin.
    reading : {"decimal", "float"}, default="decimal"
        What a number of X means: its shortest decimal form, which is what a file said, or the binary fraction that the
        machine holds. Points on x₁ + x₂ = 0.8 lie on a line in the first sense only.
    family : {"classes", "poisson"}, default="classes"
        Labels, or counts of a Poisson regression.
    progress : bool, default=None
        Whether to show on stderr how far the work is; None does so in a terminal.
    feature_names : list of str, default=None
        What the printed verdict calls the columns; None takes the names of a data frame, else x0, x1, ….
    max_seconds : float, default=None
        Seconds that each question may take: the verdict with its proof, ``margin``, ``infinite_``, and all parts of
        ``total`` or ``pairwise`` together. A question that takes longer ends with :class:`UndecidedError`, which
        carries what is known so far; to ask again begins again. None is no limit.
    aliased : {"keep", "drop"}, default="keep"
        What ``infinite_`` says where columns depend on each other: the truth of all of them, which is nan wherever
        collinearity lets a coefficient move; or, as R does, that of the model without the columns that depend on
        earlier ones, which are nan themselves. The verdict is the same.

    Returns
    -------
    Separability
        The verdict with its proof. For three classes or more it is that on one linear machine, and ``total`` and
        ``pairwise`` hold those on each class against the rest and on each pair; each is computed when asked for.

    See Also
    --------
    Certificate : The proof, and its check.
    minimum_removals : A small set of rows whose removal makes the data separable.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4, §5.12.1, Problem 8.

    Examples
    --------
    >>> from discriminant import datasets, separability
    >>> print(separability(*datasets.xor()))
    overlap: no plane separates the classes 0 and 1, not even weakly.
      shared point   (0.5, 0.5) lies in the convex hulls of both classes
      proof          4 rows: 0 (0) x 1/2, 1 (1) x 1/2, 2 (1) x 1/2, 3 (0) x 1/2
      consequence    No linear procedure ends without errors; logistic regression has a finite estimate.
      to try         A procedure for overlapping classes (LeastSquares, Perceptron(pocket=True)), or more features.
      reading        each number of X as its shortest decimal form
    >>> s = separability([[0, 0], [0, 2], [3, 0], [3, 2]], ["a", "a", "b", "b"])
    >>> s.verdict, s.hyperplane.side([[1, 1]]), round(float(s.margin), 9)
    ('complete', array([-1]), 1.5)
    >>> print(str(separability([[0], [3]], ["a", "b"], feature_names=["length"])).splitlines()[1])
      plane          +1 length -1.5 = 0
    """
    if isinstance(X, str):
        made = design(X, data, intercept=intercept)
        (X, y), feature_names = made, made.feature_names if feature_names is None else feature_names
    found = pose(X, y, intercept, reading, family, progress, feature_names, max_seconds, aliased)
    if len(found.groups) <= 2 or found._system.n_columns <= AT_ONCE:
        _ = found.certificate  # now, not when it is asked for
    return found


def pose(
    X: Any,
    y: Any,
    intercept: bool = True,
    reading: str = "decimal",
    family: str = "classes",
    progress: bool | None = None,
    feature_names: Sequence[str] | None = None,
    max_seconds: float | None = None,
    aliased: str = "keep",
) -> Separability:
    """The question of ``separability``, checked; nothing is computed before it is asked for."""
    Choice(READINGS)("reading", reading)
    Choice(FAMILIES)("family", family)
    Choice(ALIASED)("aliased", aliased)
    FLAG("intercept", intercept)
    meter = TerminalBar("separability", progress, SECONDS("max_seconds", max_seconds))
    table, y = checked(X, y, reading)
    names = Names.of(X, table.shape[1], feature_names)
    asked = Question(table, names, y, bool(intercept), reading, meter, aliased)
    return Separability(asked, *groups_of(asked.y, family))


class Separability:
    """The verdict of :func:`separability`: on two classes, on one linear machine for many, or on counts.

    It prints as a few sentences. Whatever takes further work is computed when it is first asked for.

    Parameters
    ----------
    question : object
        The data and how they are read.
    groups : tuple of tuples
        The labels of each class; none for counts.
    own : array of int of shape (n,)
        The index of each row's class, -1 for a row that takes no part.
    others : tuple
        The labels of the rows that take no part.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.4 and §5.12.1.

    Examples
    --------
    >>> from discriminant import separability
    >>> s = separability([[0, 0], [1, 0], [1, 1], [2, 0]], [0, 0, 1, 0])
    >>> s.verdict, s.separated_rows, s.boundary_rows, s.infinite_
    ('complete', array([0, 1, 2, 3]), array([], dtype=int64), array([nan,  1.]))
    """

    def __init__(self, question: Question, groups: Groups, own: Labels, others: tuple[Any, ...] = ()) -> None:
        self.question, self.groups, self.own, self.others = question, groups, own, others

    @cached_property
    def _system(self) -> System:
        return self.question.system(self.groups, self.own)

    @cached_property
    def _outcome(self) -> Outcome:
        with self._asking("the verdict") as meter:
            meter("looking at the data", 0.0)
            outcome = settle(self._system, tick=meter)
        if outcome.direction is not None:
            self._system.known.saw(outcome.direction, 0)  # for the questions that follow
        return outcome

    @contextmanager
    def _asking(self, what: str) -> Iterator[TerminalBar]:
        """Within, work may take ``max_seconds``; after them it ends with what is known so far."""
        try:
            with self.question.meter as meter:
                yield meter
        except OutOfTime as stop:
            pairs = self.pairwise.decided if "pairwise" in vars(self) else {}
            known = self._system, self.groups, self.question.meter.max_seconds, pairs
            raise undecided(what, *known, str(stop)) from None

    @property
    def verdict(self) -> str:
        """``"complete"``, ``"quasi"`` or ``"overlap"``."""
        return self._outcome.verdict

    @cached_property
    def certificate(self) -> Certificate:
        """The proof: ``certificate.verify(X, y)`` checks it in whole numbers."""
        system, outcome = self._system, self._outcome
        b = [0] * system.n_columns if outcome.direction is None else outcome.direction.b
        relations = tuple(
            tuple(Term(i, int(system.own[i]), rival, weight) for (i, rival), weight in sorted(weights.items()))
            for weights in outcome.face.relations
        )
        has_kernel = outcome.verdict != "complete" and outcome.narrow is None and outcome.maximal
        short = relations[0] if relations and len(self.groups) == 2 else ()
        values, total = shared_point(system.augmented_integers, short, system.intercept) if short else ([], 1)
        return Certificate(
            verdict=outcome.verdict,
            reading=self.question.reading,
            family="classes" if self.groups else "poisson",
            groups=self.groups,
            intercept=self.question.intercept,
            n_rows=system.n,
            n_features=system.d,
            direction=tuple(b),
            kernel=tuple(map(tuple, outcome.face.beside(b))) if has_kernel else (),
            relations=relations,
            point=tuple(Fraction(value, total) for value in values) if short else None,
            others=self.others,
            maximal=outcome.maximal,
        )

    @property
    def boundary_rows(self) -> Indices:
        """N: the rows on every plane that has no row on the wrong side; of an overlap, all rows.

        Where ``certificate.maximal`` is False it is not known to be so of all of them.
        """
        boundary = self._outcome.boundary
        return self._system.patterns if boundary is None else boundary

    @property
    def separated_rows(self) -> Indices:
        """B: the rows that b has strictly on their side, as many as any plane without a row on the wrong side."""
        return np.setdiff1d(self._system.patterns, self.boundary_rows, assume_unique=True)

    @cached_property
    def separated_pairs(self) -> NDArray[np.bool_]:
        """For each row and class whether b has the row strictly ahead of that rival; ``separated_rows`` beat all."""
        self._classes("separated_pairs")
        return separated_pairs(self._system, self._outcome.direction)

    @property
    def passes(self) -> int:
        """How often the data were read as a whole."""
        return self._system.passes

    @property
    def notes(self) -> list[str]:
        """What else there is to know of how the verdict was found."""
        notes = []
        if not self._outcome.maximal:
            notes.append(IN_PART.format(self._system))
        if self._outcome.in_integers:
            notes.append("Floating-point numbers could not decide; the verdict was found in whole numbers.")
        if self.groups and self.verdict == "complete" and self._strict is None:
            notes.append("The margin is too small for float64: no plane in floats was found that separates every row.")
        return notes

    @cached_property
    def hyperplane(self) -> Hyperplane | LinearMachine | None:
        """A plane that separates strictly, or weakly where the verdict is quasi; a linear machine for many classes.

        None where the verdict is overlap. A strict plane has a good part of the largest margin, unless the data are
        very large; ``margin`` has the plane with all of it. Its weights are floats. Where the margin is about an ulp of
        X, it may be that no floats were found that separate every row when they are multiplied in float64: then
        ``notes`` and the printout say so, and only ``certificate.direction`` separates, in whole numbers. A weak plane
        has boundary rows on itself in whole numbers, and in floats to rounding.
        """
        direction = self._outcome.direction
        if direction is None:
            return None
        weights = self._strict if self.verdict == "complete" and self.groups else None
        if weights is not None and len(self.groups) == 2:
            return Hyperplane.from_augmented(wider(self._system, weights[1]))
        weights = with_zero(self._system.augmented(direction)) if weights is None else weights
        if len(self.groups) > 2:
            return LinearMachine(weights, [group[0] for group in self.groups])
        return Hyperplane.from_augmented(weights[1])

    @cached_property
    def _strict(self) -> Floats | None:
        """One row (w₀, w) a class that separate strictly in float64, the first at zero; None where none were found."""
        direction = self._outcome.direction
        assert direction is not None
        if self._outcome.clear:
            return with_zero(self._system.augmented(direction))
        if len(self.groups) == 2:
            return strict_plane(self._system, [direction, self._widest.plane])
        return strict_machine(self._system, direction)

    @cached_property
    def _widest(self) -> Widest:
        assert self._outcome.direction is not None
        with self._asking("the largest margin") as meter:
            return maximal_margin(self._system, self._outcome.direction, self._outcome.working, meter)

    @property
    def margin(self) -> Margin:
        """The maximal geometric margin of two classes, zero unless the verdict is complete; computed when asked for."""
        if len(self.groups) != 2:
            raise ValueError("margin belongs to two classes: with more, ask a member of pairwise or total for it.")
        return self._widest.margin if self.verdict == "complete" else Margin(0.0, 0.0)

    @cached_property
    def _signs(self) -> Signs:
        return Signs(self._outcome, self.question.meter)

    @property
    def infinite_(self) -> NDArray[np.float64]:
        """Where each coefficient of an unpenalized regression goes: -1, 0 (stays finite) or 1; nan where undetermined.

        A sign is given only where it is proved to be the same for every direction in which the likelihood grows for
        ever. So a coefficient is nan if collinear columns let it move at will, unless ``aliased="drop"`` leaves out the
        columns of ``aliased_``. For c classes there is one row for each class but the first, which is the reference.
        The work ends after ten seconds, and signs that are still open are nan; :meth:`coefficients` finds all of them.
        """
        signs = self._closed_signs()[:, self._system.intercept :]
        return signs[0] if self._system.n_blocks == 1 else signs

    @property
    def infinite_intercept_(self) -> NDArray[np.float64]:
        """Where the intercept goes, as ``infinite_`` tells it of the other coefficients; one for each block of it."""
        return self._closed_signs()[:, : self._system.intercept].ravel()

    def _closed_signs(self) -> NDArray[np.float64]:
        """Signs of (w₀, w) for each block; nan for those that are open too."""
        with self._asking("the signs of the coefficients"):
            self._signs.work(ASKED)
        signs = self._signs.strict() if self.question.aliased == "keep" else self._signs.reduced()
        return np.where(signs == OPEN, np.nan, signs)

    @property
    def aliased_(self) -> Indices:
        """The columns of X that depend on earlier ones, the intercept first: R leaves them out of a model."""
        with self._asking("the collinear columns") as meter:
            dropped = self._signs.found_aliases(meter).dropped
        return np.array([place - self._system.intercept for place in dropped], np.int64)

    def coefficients(self, max_seconds: float | None = None) -> dict[Any, str]:
        """Tell in words where each coefficient of an unpenalized regression goes.

        Columns that depend on earlier ones (``aliased_``) count as left out, as in R: the words are those on the model
        without them.

        Parameters
        ----------
        max_seconds : float, default=None
            When to stop; None goes on until all are known.

        Returns
        -------
        dict
            ``"+inf"``, ``"-inf"``, ``"finite"``, ``"undetermined"`` (both signs occur), ``"aliased"`` or ``"not
            computed"`` by the name of the column, with the class before it where there are more than two.

        Examples
        --------
        >>> from discriminant import datasets, separability
        >>> patients = datasets.endometrial()
        >>> separability(*patients, feature_names=patients.feature_names).coefficients()
        {'intercept': 'finite', 'NV': '+inf', 'PI': 'finite', 'EH': 'finite'}
        """
        with self._asking("the signs of the coefficients"):
            return coefficients(self, np.inf if max_seconds is None else max_seconds)

    @property
    def linear(self) -> Separability:
        """The verdict on one linear machine, which for two classes is a plane."""
        return self

    @cached_property
    def total(self) -> PartVerdicts:
        """Verdicts on each class against the rest."""
        parts = {}
        for k, group in enumerate(self._classes("total")):
            own = np.where(self.own < 0, -1, self.own == k).astype(np.int32)
            parts[group[0]] = Separability(self.question, (self._labels_beside(group), group), own, self.others)
        return PartVerdicts(parts, "against the rest")

    @cached_property
    def pairwise(self) -> PartVerdicts:
        """Verdicts on each pair of classes."""
        parts = {}
        for (j, one), (k, other) in combinations(enumerate(self._classes("pairwise")), 2):
            own = np.select([self.own == j, self.own == k], [0, 1], -1).astype(np.int32)
            others = self.others + self._labels_beside(one, other)
            parts[one[0], other[0]] = Separability(self.question, (one, other), own, others)
        return PartVerdicts(parts, "against each other")

    def _labels_beside(self, *chosen: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(label for group in self.groups if group not in chosen for label in group)

    def evidence(self) -> str:
        """The proof in one sentence.

        Returns
        -------
        str
            The plane, or the rows whose hulls meet and where.
        """
        return evidence(self)

    def _classes(self, name: str) -> Groups:
        if not self.groups:
            raise ValueError(f"{name} belongs to classes, not to counts.")
        return self.groups

    def __str__(self) -> str:
        return describe(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self)

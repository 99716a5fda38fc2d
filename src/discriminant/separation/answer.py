"""The answer of ``separability``: the verdict with its proof, and what follows from it, computed when asked for.

Tests: ``tests/separation/test_verdict.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.progress import OutOfTime, TerminalBar
from ..geometry import Hyperplane, LinearMachine
from .certificate import Certificate
from .knowledge import undecided
from .margin import Margin, Widest, maximal_margin, strict_machine, strict_plane, with_zero
from .pairs import separated_pairs
from .parts import PartVerdicts
from .passes import Floats, Indices, Labels
from .question import Groups, Question
from .reasons import reasons
from .remainder import LimitingDesign, limiting_design
from .search import settle
from .signs import OPEN, Signs
from .system import System
from .trial import Outcome
from .verification import Term, shared_point
from .widening import wider
from .words import as_html, coefficients, describe, evidence, group_name

ASKED = 10.0  # seconds that the signs of coefficients may take when they are asked for
IN_PART = (
    "A proof of how many rows can be separated would need {0.n_columns:,} weights and is not made: the verdict is "
    "proved, but other machines may separate more rows, and the signs of the coefficients are open."
)


class Separability:
    """The verdict of :func:`separability`: on two classes, on one linear machine for many, on counts or ordered levels.

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
    def family(self) -> str:
        """``"classes"``, ``"poisson"`` or ``"cumulative"``."""
        return "classes" if self.groups else "poisson"

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
            family=self.family,
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
        if len(self._classes("margin")) != 2:
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

    def _named_signs(self) -> tuple[list[str], NDArray[np.float64]]:
        """The names of (w₀, w), and their signs for each block as far as they are known, without aliased columns."""
        names = [*["intercept"] * self._system.intercept, *map(self.question.names.column, range(self._system.d))]
        return names, self._signs.reduced()

    def _reasons(self, levels: Mapping[str, NDArray[Any]] | None) -> list[str]:
        """Single columns that separate, in words; ``levels`` are some that X does not hold."""
        return reasons(self, lambda k: group_name(self.groups[k]), levels)

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

    def limiting_design(self) -> LimitingDesign:
        """Give the rows and columns of the regression that is left where estimates are infinite.

        The separated rows are left out: in the limit they are fitted perfectly. So are columns that depend on earlier
        ones on the rows which are left, the intercept first. Offsets, exposures and positive weights change neither.

        Returns
        -------
        LimitingDesign
            ``rows``, a mask of shape (n,), and ``columns``, one of shape (d,): a fit of ``X[rows][:, columns]`` has a
            finite estimate, and it is unique.

        References
        ----------
        S. Correia, P. Guimarães and T. Zylkin, *Verifying the existence of maximum likelihood estimates for
        generalized linear models* (2019).

        Examples
        --------
        The second example of the primer of Stata's ppmlhdfe: on the rows that are left, the columns are collinear.

        >>> from discriminant import separability
        >>> X, count = [[2, -1], [-1, 2], [0, 0], [0, 0], [5, -10], [6, -12]], [0, 0, 0, 1, 2, 3]
        >>> rows, columns = separability(X, count, family="poisson").limiting_design()
        >>> rows, columns
        (array([False,  True,  True,  True,  True,  True]), array([ True, False]))
        """
        return limiting_design(self)

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

"""The verdict on ordered levels: that on two classes, above and below the cuts, told of patterns and thresholds.

``cuts`` says which rows these are and why. A threshold is θ = −α: it goes where −α goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.progress import TerminalBar
from .answer import Separability
from .certificate import Certificate
from .cuts import Cuts
from .passes import Indices, Labels
from .question import Groups, Names, Question, as_scipy
from .signs import OPEN
from .system import System
from .verification import Term


class OrderedSeparability(Separability):
    """The verdict of :func:`separability` on ordered levels: it is about the thresholds and the common weights.

    Parameters
    ----------
    question : object
        The rows of the cuts and how they are read.
    levels : tuple of tuples
        The label of each level, in their order.
    own : array of int of shape (n,)
        The index of each pattern's level.
    made : Cuts
        The rows of the cuts.
    """

    def __init__(self, question: Question, levels: Groups, own: Labels, made: Cuts) -> None:
        super().__init__(question, (), own)
        self.levels, self.cuts = levels, made

    @classmethod
    def of(
        cls, X: Any, names: Names, levels: Groups, own: Labels, reading: str, meter: TerminalBar, aliased: str
    ) -> OrderedSeparability:
        """The question for patterns X and the index of each one's level."""
        made = Cuts.of(X, own, len(levels))
        labels = [str(label) for (label,) in levels]
        thresholds = [f"{low}/{high}" for low, high in pairwise(labels)]
        named = replace(names, columns=[*thresholds, *map(names.column, range(X.shape[1]))])
        return cls(Question(as_scipy(made.X), named, own, False, reading, meter, aliased), levels, own, made)

    @cached_property
    def _system(self) -> System:
        return self.question.system(((0,), (1,)), self.cuts.above)

    @property
    def family(self) -> str:
        """``"cumulative"``."""
        return "cumulative"

    @property
    def n_cuts(self) -> int:
        """Number of thresholds."""
        return len(self.levels) - 1

    @cached_property
    def certificate(self) -> Certificate:
        """The proof: ``certificate.verify(X, y)`` makes the rows of the cuts again, and checks it in whole numbers."""
        two = super().certificate
        relations = tuple(tuple(sorted(map(self._of_pattern, relation))) for relation in two.relations)
        n, d = len(self.own), two.n_features - self.n_cuts
        return replace(two, groups=self.levels, intercept=True, n_rows=n, n_features=d, relations=relations, point=None)

    def _of_pattern(self, term: Term) -> Term:
        """A row of the cuts as one of its pattern, held against a neighboring level."""
        pattern = int(self.cuts.patterns[term.row])
        own = int(self.own[pattern])
        return Term(pattern, own, own - 1 if term.own else own + 1, term.weight)

    @property
    def boundary_rows(self) -> Indices:
        """N: the patterns that lie at a threshold in every direction without a row on the wrong side."""
        return np.unique(self.cuts.patterns[super().boundary_rows])

    @property
    def separated_rows(self) -> Indices:
        """B: the patterns that b moves away from all their thresholds: their fitted probability goes to 1."""
        return np.setdiff1d(np.arange(len(self.own)), self.boundary_rows, assume_unique=True)

    @property
    def infinite_(self) -> NDArray[np.float64]:
        """Where each common weight goes: -1, 0 (stays finite) or 1; nan where undetermined."""
        return self._closed_signs()[0, self.n_cuts :]

    @property
    def infinite_intercept_(self) -> NDArray[np.float64]:
        """Where each threshold goes, from the lowest to the highest."""
        return 0 - self._closed_signs()[0, : self.n_cuts]

    @property
    def aliased_(self) -> Indices:
        """The columns of X that depend on earlier ones, or are constant as the thresholds together are."""
        return super().aliased_ - self.n_cuts

    def _named_signs(self) -> tuple[list[str], NDArray[np.float64]]:
        names, signs = super()._named_signs()
        thresholds = signs[:, : self.n_cuts]
        thresholds[thresholds != OPEN] *= -1
        return names, signs + 0.0  # without negative zeros

    def _reasons(self, levels: Any) -> list[str]:
        """Columns that by themselves go up, or go down, with the levels."""
        return [] if self.verdict == "overlap" else list(self._monotone())

    def _monotone(self) -> Iterator[str]:
        X = self.question.X[:, self.n_cuts :]
        X = X.tocsc() if sparse.issparse(X) else X
        at = np.searchsorted(self.cuts.patterns, np.arange(len(self.own)))
        for j in range(X.shape[1]):
            column = (X[:, [j]].toarray().ravel() if sparse.issparse(X) else X[:, j])[at]
            members = [column[self.own == k] for k in range(len(self.levels))]
            low, high = (np.array([getattr(values, end)() for values in members]) for end in ("min", "max"))
            name = self.question.names.column(self.n_cuts + j)
            if low.min() < high.max() and (high[:-1] <= low[1:]).all():
                yield f"{name} never falls from a level to the next"
            elif low.min() < high.max() and (low[:-1] >= high[1:]).all():
                yield f"{name} never rises from a level to the next"

    @property
    def hyperplane(self) -> NoReturn:
        """Not of ordered levels."""
        raise ValueError("hyperplane belongs to classes: certificate.direction has the thresholds and the weights.")

    def _classes(self, name: str) -> Groups:
        raise ValueError(f"{name} belongs to classes, not to ordered levels.")

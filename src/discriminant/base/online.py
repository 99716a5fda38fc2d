"""Classifiers that learn from portions of data, one pass over each."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .._engine.labels import encode, encode_known
from .._engine.problem import make_problem
from .._guards.state import all_or_nothing
from .classifier import IterativeClassifier
from .iterative import streaming


class OnlineClassifier(IterativeClassifier):
    """Base of the single-sample rules: they can go on with data that arrive in portions."""

    @streaming
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one pass over a portion of data, going on from the present weights.

        Returns
        -------
        self
            The classifier.
        """
        self._check_parameters()
        first = not self._has_begun()
        given_X = X
        X, y = self._validated(X, y, reset=first)
        self._check_classes(classes, first)
        problem = make_problem(X, encode_known(y, self.classes_), sample_weight, self.classes_.size)
        self._pass_over(problem, given_X, first)
        return self

    def _check_classes(self, classes: Any, first: bool) -> None:
        if first:
            if classes is None:
                raise ValueError("classes=None: the first call of partial_fit must be given all classes.")
            self.classes_, _ = encode(np.asarray(classes))
            if self.classes_.size < 2:
                raise ValueError(f"classes={self.classes_.tolist()}: give at least two classes.")
        elif classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise ValueError(f"classes={classes!r} are not those of the first call, {self.classes_.tolist()}.")

"""Classifiers that give probabilities: the public methods, described once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .inherited_docs import DocumentedEstimator
from .iterative import available_when


class ProbabilityMixin(DocumentedEstimator):
    """Base of the classifiers that give probabilities: ``_probabilities`` makes them of patterns."""

    _probabilities: Callable[[Any], NDArray[Any]]

    def _has_probabilities(self) -> bool:
        """Whether there are any, with the parameters as they are."""
        return True

    @available_when(lambda model: model._has_probabilities())
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probabilities of the classes.

        Returns
        -------
        array of shape (n, c)
            Rows of sum one; one column a class, in the order of ``classes_``.
        """
        return self._probabilities(X)

    @available_when(lambda model: model._has_probabilities())
    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Logarithms of the probabilities; of sigmoids and softmax exact where these underflow.

        Returns
        -------
        array of shape (n, c)
            One column a class, in the order of ``classes_``; minus infinity where a probability is zero.
        """
        return self._log_probabilities(X)

    def _log_probabilities(self, X: Any) -> NDArray[Any]:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._probabilities(X)))

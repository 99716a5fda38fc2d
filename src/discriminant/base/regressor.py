"""What all linear regressors share: validate, publish, predict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .._engine.refusals import NotFiniteError, refusal
from .._guards.validation import floats, taken
from ..solution import Findings, Report, Status

T = TypeVar("T")


class LinearRegressor(RegressorMixin, BaseEstimator):
    """Base of the regressors f(x) = w'x + w0."""

    _criterion = ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _validated(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, NDArray[Any]]:
        """X and y as arrays; whether X is finite is seen in the first pass over it."""
        checked: tuple[Any, NDArray[Any]] = taken(
            self, X, y, reset=reset, order="C", ensure_all_finite=False, y_numeric=True
        )
        X, y = checked
        if y.dtype.kind not in "biuf":
            y = floats("y", y, np.float64, "give numbers as targets, or take a classifier")
        if not np.all(np.isfinite(y)):
            raise ValueError("y holds NaN or infinity: give finite targets.")
        return X, y

    @staticmethod
    def _solved(solver: Callable[[], T], X: Any) -> T:
        """What the solver returns; data that are not finite become an error that says so."""
        try:
            return solver()
        except NotFiniteError:
            raise refusal(X) from None

    def _publish(
        self,
        weights: NDArray[Any],
        X: Any,
        findings: Findings,
        status: Status = Status.CONVERGED,
        remedy: str | None = None,
    ) -> None:
        """Set the fitted attributes from (w0, w)."""
        self.weights_ = weights.astype(X.dtype)
        self.coef_, self.intercept_ = self.weights_[1:].copy(), float(weights[0])
        self._report(X, findings, status, remedy)

    def _report(self, X: Any, findings: Findings, status: Status, remedy: str | None = None) -> None:
        self.status_ = status
        common = {
            "procedure": type(self).__name__,
            "status": status.name,
            "reason": status.sentence,
            "criterion": self._criterion,
            "n_samples": X.shape[0],
            "n_features": X.shape[1],
            "errors": None,
            "remedy": remedy,
        }
        self.report_ = Report({**common, "notes": list(findings.notes), "details": dict(findings.details)})

    def predict(self, X: Any) -> NDArray[Any]:
        """Values of the rows of X.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns.

        Returns
        -------
        array of shape (n,)
            w'x + w0.
        """
        check_is_fitted(self)
        X = taken(self, X, reset=False)
        return np.asarray(X @ self.coef_ + self.coef_.dtype.type(self.intercept_))

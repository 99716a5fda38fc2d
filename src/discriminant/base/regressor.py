"""What all regressors share: validate, publish, predict; and what those share that the driver runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .._blocks.blocks import Blocks
from .._blocks.problem import StreamedProblem
from .._blocks.survey import row_survey
from .._engine.callbacks import with_callbacks
from .._engine.driver import interrupt_raises
from .._engine.refusals import NotFiniteError, refusal
from .._guards.held import COMMON, OUTCOME, Held
from .._guards.state import all_or_nothing
from .._guards.validation import all_finite, floats, taken
from ..solution import Findings, Report, Solution, Status, epochs_of, history_of
from .inherited_docs import DocumentedEstimator
from .iterative import IterativeEstimator, streaming
from .streams import StreamedEstimator, pass_by_pass

T = TypeVar("T")


class LinearRegressor(StreamedEstimator, DocumentedEstimator, RegressorMixin, BaseEstimator):
    """Base of the regressors f(x) = wᵗx + w₀.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w.
    intercept_ : float
        The constant w₀.
    weights_ : array of shape (d+1,)
        Augmented weights (w₀, w).
    status_, report_
        Why it stopped, and what happened in words.
    """

    _held: Held = COMMON | OUTCOME | {"weights_": "float 1+d", "coef_": "float d", "intercept_": "number"}
    _criterion = ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _validated(self, X: Any, y: Any, reset: bool = True) -> tuple[Any, NDArray[Any]]:
        checked: tuple[Any, NDArray[Any]] = taken(
            self, X, y, reset=reset, order="C", ensure_all_finite=False, y_numeric=True
        )
        X, y = checked
        if y.dtype.kind not in "biuf":
            y = floats("y", y, np.float64, "give numbers as targets, or take a classifier")
        if not all_finite(y):
            raise ValueError("y holds NaN or infinity; give finite targets.")
        return X, y

    @staticmethod
    def _solved(solver: Callable[[], T], X: Any) -> T:
        """What the solver returns; data that are not finite become an error that says so."""
        try:
            return solver()
        except NotFiniteError:
            raise refusal(X) from None

    def _set_answer(self, weights: NDArray[Any], X: Any, findings: Findings) -> None:
        """Set the fitted attributes of a direct method from (w₀, w)."""
        self._set_weights(weights[None])
        self._report(X, findings, Status.CONVERGED)

    def _set_weights(self, A: NDArray[Any]) -> None:
        self.weights_, self.coef_, self.intercept_ = A[0].copy(), A[0, 1:].copy(), float(A[0, 0])

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from patterns X with values y.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns; for ``kernel="precomputed"`` their kernel matrix.
        y : array of shape (n,); of a network also (n, outputs)
            Values.
        sample_weight : array of shape (n,), default=None
            Weights; a row of weight zero counts as absent.

        Returns
        -------
        self
            The fitted regressor.
        """
        raise NotImplementedError  # pragma: no cover

    def predict(self, X: Any) -> NDArray[Any]:
        """Values of the rows of X.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n, d)
            Patterns; for ``kernel="precomputed"`` their rows of the kernel, one column a training row.

        Returns
        -------
        array of shape (n,); of a network also (n, outputs)
            f(x), which is wᵗx + w₀, with a kernel Σ αᵢ K(xᵢ, x) + w₀, or what the output units of a network say.
        """
        check_is_fitted(self)
        return self._values(taken(self, X, reset=False))

    def _values(self, X: Any) -> NDArray[Any]:
        return np.asarray(X @ self.coef_ + self.coef_.dtype.type(self.intercept_))


class IterativeRegressor(IterativeEstimator, LinearRegressor):
    """Base of the regressors that the driver runs: ``_aimed`` makes the problem, the rest is here.

    Attributes
    ----------
    history_ : dict of arrays
        ``"criterion"``, ``"step"``, ``"corrections"`` of each pass, as met on the way.
    """

    _aimed: Callable[..., Any]  # the problem of X and y, once they have passed
    _aimed_stream: Callable[[StreamedProblem], Any]  # the same of blocks
    _remedy: Callable[[], str]  # what to try when the fit did not finish

    def _after_load(self) -> None:
        """Make what a model file does not hold: that from which ``partial_fit`` goes on."""
        self._rules, self._portions = [], epochs_of(self.history_)

    @with_callbacks
    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self._check_parameters()
        self._learn(self._aimed(X, y, sample_weight, reset=True), X, y, sample_weight)
        return self

    @streaming
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Make one pass over a portion of data, going on from the present weights.

        Parameters
        ----------
        y : array of shape (n,); of a network also (n, outputs)
            Values.

        Returns
        -------
        self
            The regressor.
        """
        self._check_parameters()
        first = not self._has_begun()
        self._pass_over(self._aimed(X, y, sample_weight, reset=first), X, first)
        return self

    def _needs_all_rows(self) -> str | None:
        return pass_by_pass(self)

    def _fit_blocks(self, blocks: Blocks) -> None:
        with interrupt_raises():
            found = row_survey(blocks)
        problem = StreamedProblem(blocks, found.n_rows, 2, found.n_present, None, found.heaviest)
        self._learn(self._aimed_stream(problem), None, None, None)

    def _publish(self, solutions: list[Solution[Any]], problem: Any, X: Any) -> None:
        (solution,) = solutions
        self._set_weights(solution.weights)
        self.n_iter_, self.n_corrections_ = max(1, solution.n_iter), solution.n_corrections
        self.history_ = {name: column for name, column in history_of(solutions).items() if name != "errors"}
        value = float(solution.epochs[-1].criterion) if solution.epochs else None
        details = {"iterations": self.n_iter_, "corrections": self.n_corrections_, "criterion value": value}
        findings = replace(solution.findings, details=details | dict(solution.findings.details))
        remedy = self._remedy() if solution.status is Status.BUDGET else None
        self._report(problem.source, findings, solution.status, remedy)

"""Kernel rows of the training patterns, and what the procedures that take them share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import mercer
from .._engine.driver import Watch
from .._engine.problem import Problem
from .._guards.parameters import CACHE_SIZE, RECORD
from .._kernel_matrix.expansion import BLOCK, expansion
from ..base.classifier import IterativeClassifier

ATONCE = 3 * 10**8  # products of a kernel matrix that are taken between two looks for Ctrl-C


class Gram:
    """Kernel rows of the training patterns: all of them kept where they fit, else computed when one is called for."""

    def __init__(self, kernel: mercer.Kernel, X: Any, cache_size: float) -> None:
        self.kernel, self.X, n = kernel, X, X.shape[0]
        self.diagonal = np.asarray(kernel.diagonal(X))
        self.size = max(1, BLOCK // (n * X.dtype.itemsize))
        self.whole = n**2 * X.dtype.itemsize <= cache_size * 2**20
        self.matrix: NDArray[Any] | None = None

    def fill(self, watch: Watch) -> None:
        """Compute all rows, if they are to be kept and are not there yet; Ctrl-C is heard on the way."""
        if not self.whole or self.matrix is not None:
            return
        n, d = self.X.shape
        if n * n * d <= ATONCE:
            self.matrix = np.ascontiguousarray(self.kernel(self.X), self.X.dtype)
            return
        matrix = np.empty((n, n), self.X.dtype)
        for start in range(0, n, size := max(1, min(self.size, ATONCE // (n * d)))):
            watch.check()
            matrix[start : start + size] = self.kernel(self.X[start : start + size], self.X)
        self.matrix = matrix

    def block(self, order: NDArray[np.uint32]) -> NDArray[Any]:
        """The kernel rows of the first patterns of the order, as many as make a block."""
        return np.ascontiguousarray(self.kernel(self.X[order[: self.size]], self.X), self.X.dtype)


@dataclass(frozen=True)
class KernelProblem(Problem):
    """A problem, and what gives its kernel rows."""

    kernel_rows: Any


def is_precomputed(model: Any) -> bool:
    """Whether X is the kernel matrix itself."""
    named = isinstance(model.kernel, str) and model.kernel == "precomputed"
    return named or isinstance(model.kernel, mercer.Precomputed)


class KernelClassifier(IterativeClassifier):
    """Base of the classifiers g(x) = Σ αᵢ zᵢ K(xᵢ, x) + w₀; with the linear kernel g is the plane (w₀, w).

    Parameters
    ----------
    kernel : str, Kernel or callable
        ``"linear"``, ``"polynomial"``, ``"gaussian"``, ``"sigmoid"``, ``"precomputed"``, a kernel of
        ``discriminant.mercer`` or a function K(X, Z).
    """

    _parameters = {"kernel": lambda name, value: mercer.get(value), "cache_size": CACHE_SIZE, "record": RECORD}

    start = None
    kernel: str | mercer.Kernel | Callable[[Any, Any], Any]
    cache_size: float
    record: str | None

    X_fit_: Any
    dual_coef_: NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self)
        return tags

    def _is_plane(self) -> bool:
        return isinstance(mercer.get(self.kernel), mercer.Linear)

    def _set_weights(self, A: NDArray[Any]) -> None:
        self.dual_coef_, self.intercept_ = np.ascontiguousarray(A[:, 1:]), A[:, 0].copy()

    def _scores(self, X: Any) -> NDArray[Any]:
        if self._is_plane():
            return super()._scores(X)
        check_is_fitted(self)
        X = self._taken(X, reset=False)
        return np.asarray(expansion(mercer.get(self.kernel), X, self.X_fit_, self.dual_coef_) + self.intercept_)

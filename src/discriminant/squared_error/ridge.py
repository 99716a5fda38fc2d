"""Ridge regression, primal and dual, with any kernel.

    minimize  L(w, w₀) = Σ (wᵗx + w₀ − t)² + λ‖w‖²                                        (Eq. 2.2)

The constant w₀ is not penalized.  In the dual, w = Σ α_i x_i, and with the Gram matrix G of inner products

    [[λI + G, 1], [1ᵗ, 0]] (α, w₀) = (t, 0),

so that any kernel K(x, z) can stand for the inner product.  Both give the same answer; the primal solves a d × d
system, the dual an n × n one.

Source: Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.2.2 and §2.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import mercer
from .._engine.refusals import NotFiniteError, check_total
from .._guards.parameters import Choice, Number, refused
from .._kernel_matrix.expansion import kernel_blocks
from ..base.inherited_docs import estimator
from ..solution import Findings, Status
from .least_squares import SquaresRegressor
from .solver import Matrix, SquaresProblem, dual_ridge, judged, solve


@estimator
class RidgeRegressor(SquaresRegressor):
    """Ridge regression with an unpenalized constant, primal or dual, linear or with a kernel.

    Parameters
    ----------
    alpha : float
        The penalty λ ≥ 0.
    dual
        Solve for the weights of the patterns instead of those of the features; ``"auto"`` takes the smaller system, and
        the dual with a kernel.
    kernel : None, str, Kernel or callable
        None is the inner product; ``"polynomial"``, ``"gaussian"``, ``"sigmoid"``, ``"precomputed"`` (X is
        then the kernel matrix), a kernel of ``discriminant.mercer`` or a function K(X, Z).

    Attributes
    ----------
    coef_, weights_ : arrays of shape (d,) and (d+1,)
        Weights w, and (w₀, w); without a kernel.
    dual_coef_ : array of shape (n,)
        Weights α of the patterns; when the dual was solved.
    X_fit_ : array or CSR matrix
        The training patterns; with a kernel.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.2.2 and §2.3.

    Examples
    --------
    >>> from discriminant import RidgeRegressor
    >>> X, t = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> primal, dual = RidgeRegressor(dual=False).fit(X, t), RidgeRegressor(dual=True).fit(X, t)
    >>> primal.coef_.round(6).tolist(), dual.coef_.round(6).tolist(), round(dual.intercept_, 6)
    ([0.666667], [0.666667], 0.333333)
    """

    _held = {
        "weights_?": "float 1+d",
        "coef_?": "float d",
        "condition_": "anynumber",
        "solver_": "text",
        "dual_coef_?": "float n",
        "X_fit_?": "matrix n d",
    }
    _criterion = "L(w, w0) = sum of (w'x + w0 - t)^2 + lambda |w|^2"
    _parameters = {"alpha": Number("give a penalty >= 0", 0, closed=True), "dual": Choice(("auto", True, False))}

    alpha: float = field(default=1.0, kw_only=False)
    dual: str | bool = "auto"
    kernel: str | mercer.Kernel | Callable[[Any, Any], Any] | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.kernel is not None and self.dual is False:
            raise refused("dual", False, f"'auto' or True where kernel={self.kernel!r}", "leave dual='auto'")
        if self.alpha == 0 and (self.kernel is not None or self.dual is True):
            wanted = "positive for the dual, whose system is singular without a penalty"
            raise refused("alpha", self.alpha, wanted, "give alpha > 0, or use LeastSquaresRegressor")

    def _learn(self, X: Any, T: Matrix, v: Matrix | None) -> None:
        alpha = float(self.alpha)
        if self.kernel is None and self.dual in ("auto", False):
            self._set_squares(self._solved(lambda: solve(X, T, v, alpha), X), X)
            return
        check_total(v)
        part = np.arange(len(T)) if v is None else np.flatnonzero(v > 0)  # rows of zero weight get none
        kernel = mercer.get("linear" if self.kernel is None else self.kernel)
        K = self._solved(lambda: gram_of(kernel, X), X)[np.ix_(part, part)]
        solved = dual_ridge(K, T[part], None if v is None else v[part], alpha)
        if solved is None:
            wanted = f"large enough to make the dual system of kernel={self.kernel!r} positive definite"
            raise refused("alpha", self.alpha, wanted, "give a larger alpha or a positive semidefinite kernel")
        dual, bias, rcond = solved
        self.dual_coef_ = np.zeros(len(T), X.dtype)
        self.dual_coef_[part] = dual[:, 0]
        condition = float(1 / np.sqrt(rcond))
        if self.kernel is None:
            A = np.vstack([bias, np.asarray(X.T @ self.dual_coef_.astype(np.float64))[:, None]])
            self._set_squares(judged(SquaresProblem(X, T, v, alpha), A, "dual", len(A), condition), X)
            return
        self.X_fit_, self.intercept_, self.solver_, self.condition_ = X, float(bias[0]), "dual", condition
        self._report(X, Findings(details={"solver": "dual", "condition": condition}), Status.CONVERGED)

    def _needs_all_rows(self) -> str | None:
        if self.kernel is None and self.dual in ("auto", False):
            return None
        return "the dual has one weight for each row; take kernel=None and dual='auto'"

    def _penalty(self) -> float:
        return float(self.alpha)

    def _values(self, X: Any) -> NDArray[Any]:
        if self.kernel is None:
            return super()._values(X)
        values = np.empty(X.shape[0], np.result_type(X.dtype, self.dual_coef_.dtype))
        for part, K in kernel_blocks(mercer.get(self.kernel), X, self.X_fit_):
            values[part] = K @ self.dual_coef_
        return np.asarray(values + values.dtype.type(self.intercept_))


def gram_of(kernel: mercer.Kernel, X: Any) -> Matrix:
    """The kernel matrix in float64; what is not finite is refused."""
    entries = X.data if hasattr(X, "indptr") else X
    with np.errstate(over="ignore", invalid="ignore"):
        total = entries.sum()
    if not np.isfinite(total):
        raise NotFiniteError
    return np.asarray(kernel(X), np.float64)

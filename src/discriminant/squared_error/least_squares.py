"""Minimum squared error by the pseudoinverse.

    minimize J_s(a) = ‖Ya − b‖²,        a = Y⁺b,      Y⁺ = lim (YᵗY + εI)⁻¹ Yᵗ for ε → 0      (Eqs. 43-48)

over the normalized patterns y with positive margins b; where Y lacks full rank, a is the shortest of the minimizers.
With b = n/n_i the answer is Fisher's discriminant wᵗ(x − m) (§5.8.2); with b = 1 it is the least-squares approximation
to the Bayes discriminant P(ω₁|x) − P(ω₂|x) (§5.8.3).  With c classes the columns of A = Y⁺B are the discriminants of a
linear machine (Eqs. 116-122): targets +1 and −1, or 1 and 0, or minus the losses.

In terms of the patterns as they are, not negated, the targets are t = zb; that form is solved, for all classes at
once, by ``solver``.

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.8.1-§5.8.3 and §5.12.3, Problems 21 and 34; Cristianini,
Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.2.1; *Machine Learning: Theory and Practice*, §8.5.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._blocks.blocks import Blocks
from .._blocks.problem import Outline
from .._engine.callbacks import Listener
from .._engine.driver import Watch, interrupt_raises
from .._engine.moments import Coded, Targets
from .._engine.problem import Problem, check_weight
from .._engine.refusals import NotFiniteError, check_total, published
from .._guards.parameters import Choice, Constraint, check_parameters
from .._guards.state import all_or_nothing
from .._guards.validation import finite_floats
from ..base.classifier import LinearClassifier
from ..base.inherited_docs import estimator
from ..base.probabilities import ProbabilityMixin
from ..base.regressor import LinearRegressor
from ..solution import Solution, Status
from .on_blocks import Aim, SquaresOnBlocks, class_statistics, moments_of_classes, regression
from .solver import Answer, Matrix, findings_of, solve


def class_targets(counts: Matrix, scheme: str) -> Matrix:
    """Targets t of each class, a row a class: one column for two classes, else one a class (Eq. 116 and its like)."""
    n, c = counts.sum(), counts.size
    member = np.eye(c, dtype=bool) if c > 2 else np.array([[False], [True]])
    size = counts if c > 2 else counts[1:]
    if scheme == "posterior" and c > 2:
        return np.asarray(member, np.float64)
    if scheme == "fisher":
        if min(size.min(), (n - size).min()) < 1e-150 * n:
            raise ValueError(
                "targets='fisher' divides by n_i, which sample_weight makes next to zero; give larger weights."
            )
        return np.asarray(np.where(member, n / size, -n / (n - size)))
    return np.where(member, 1.0, -1.0)


def loss_targets(L: Matrix) -> Matrix:
    """Targets from losses: minus the column of the true class (Eq. 121); of two, the difference (Problem 21)."""
    if len(L) > 2:
        return -L.T
    return np.array([[L[0, 0] - L[1, 0]], [L[0, 1] - L[1, 1]]])


@estimator
class LeastSquares(ProbabilityMixin, LinearClassifier):
    """Minimum squared error: a = Y⁺b, for two classes and many.

    Parameters
    ----------
    targets : {"ones", "fisher", "posterior"} or array
        The margins b: 1 for every pattern, which approximates the Bayes discriminant; n/n_i, which gives Fisher's
        discriminant and its threshold; with many classes ``"posterior"`` asks for 1 and 0 instead of 1 and -1.  An
        array of shape (n,) gives positive margins for two classes, one of shape (n, c) the matrix B for c.
    losses : array of shape (c, c)
        ``losses[i, j]`` is the loss of deciding class i when class j is true; replaces ``targets``.

    Attributes
    ----------
    rank_ : int
        Rank of the augmented matrix Y.
    condition_ : float
        Estimate of its condition number, with columns scaled to unit length where Cholesky was used.
    solver_ : str
        ``"cholesky"``, ``"svd"``, ``"dual"`` or ``"lsqr"``.
    priors_ : array of shape (c,)
        Shares of the classes.
    status_, report_
        Why it stopped, and the criterion, its gradient, rank and condition in words.

    Notes
    -----
    ``predict_proba`` gives posterior probabilities as the discriminants approximate them, clipped and normalized: best
    where the patterns lie dense, not where the decision is made (§5.8.3).  There are none for margins in an array.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, §5.8.1-§5.8.3 and §5.12.3.

    Examples
    --------
    >>> from discriminant import LeastSquares, datasets
    >>> X, y = datasets.pseudoinverse_example()
    >>> model = LeastSquares().fit(X, y)
    >>> model.weights_.round(6).tolist()  # (11/3, -4/3, -2/3)
    [3.666667, -1.333333, -0.666667]
    """

    _held = {"rank_": "count", "condition_": "anynumber", "solver_": "text", "priors_": "float c"}
    _criterion = "J_s(a) = |Ya - b|^2"
    multiclass = "linear-machine"
    _strategies = ("linear-machine",)

    targets: Any = "ones"
    losses: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.targets, str):
            Choice(("ones", "fisher", "posterior"))("targets", self.targets)

    def _targets(self, labels: NDArray[np.int32], counts: Matrix) -> Targets:
        """The targets t = zb of the patterns as they are, one column a discriminant."""
        if self.losses is not None or isinstance(self.targets, str):
            return Coded(labels, self._target_table(counts))
        shape = (labels.size,) if counts.size == 2 else (labels.size, counts.size)
        B = finite_floats("targets", self.targets, np.float64, f"give finite numbers of shape {shape}", shape)
        if counts.size > 2:
            return B
        if not np.all(B > 0):
            raise ValueError(f"targets holds {B.min():g} and must be positive; negate the row, not its margin.")
        return np.where(labels == 1, B, -B)[:, None]

    def _target_table(self, counts: Matrix) -> Matrix:
        """The targets of each class, where they depend on the class alone."""
        if self.losses is None:
            return class_targets(counts, self.targets)
        square = counts.size, counts.size
        return loss_targets(
            finite_floats("losses", self.losses, np.float64, f"give finite losses of shape {square}", square)
        )

    def _solutions(self, problem: Problem, watch: Watch, listener: Listener, **options: Any) -> list[Solution[Any]]:
        self.multiclass_ = "two-category" if problem.n_outputs == 1 else self.multiclass
        labels, v = problem.labels, problem.weight.astype(np.float64) if problem.weight.size else None
        counts = np.bincount(labels[problem.part], None if v is None else v[problem.part], self.classes_.size)
        check_total(v)
        self.priors_ = counts / counts.sum()
        T = self._targets(labels, counts.astype(np.float64))
        try:
            with interrupt_raises():
                answer = solve(problem.source, T, v, watch=watch)
        except NotFiniteError:
            raise problem.refuse() from None
        return [self._solution(answer, problem.dtype)]

    def _solution(self, answer: Answer, dtype: Any) -> Solution[Any]:
        self.rank_, self.condition_, self.solver_ = answer.rank, answer.condition, answer.solver
        weights = published(answer.weights.T, dtype)
        return Solution(weights, Status.CONVERGED, [], findings_of(answer))

    def _needs_all_rows(self) -> str | None:
        if self.losses is not None or isinstance(self.targets, str):
            return None
        return "targets has a margin for each row; give a word, such as 'ones', or losses"

    def _fit_blocks(self, blocks: Blocks) -> None:
        with interrupt_raises():
            found = class_statistics(blocks)
            self.classes_, s = found.classes, found.statistics
            outline = Outline(blocks, found.n_rows, self.classes_.size)
            self.multiclass_ = "two-category" if outline.n_outputs == 1 else self.multiclass
            check_total(s.counts)
            self.priors_ = s.priors
            table = self._target_table(s.counts)
            squares = SquaresOnBlocks(blocks, Aim(self.classes_, table), found.n_rows)
            answer = squares.solved(moments_of_classes(s, table))
        self._publish([self._solution(answer, blocks.dtype)], outline, None)

    def _has_probabilities(self) -> bool:
        """Whether the targets stand for probabilities: an array of margins does not."""
        return isinstance(self.targets, str) or self.losses is not None

    def _probabilities(self, X: Any) -> Matrix:
        g = np.asarray(self._scores(X), np.float64)
        P = self._posteriors(g)
        if g.shape[1] == 1:
            P = np.hstack([1 - P, P])
        P = np.clip(P, 0, 1)
        P[P.sum(axis=1) == 0] = 1  # every class refuses the point: nothing is known
        return np.asarray(P / P.sum(axis=1, keepdims=True))

    def _posteriors(self, g: Matrix) -> Matrix:
        """Turn discriminants into probabilities of the positive class, or of each class."""
        pi = self.priors_[1:] if g.shape[1] == 1 else self.priors_
        if self.losses is not None:
            L = np.asarray(self.losses, np.float64)
            if g.shape[1] == 1:
                first, second = L[0, 1] - L[1, 1], L[1, 0] - L[0, 0]
                return np.asarray((g + second) / (first + second))
            system = np.vstack([-L, np.ones(len(L))])
            if np.linalg.matrix_rank(system) < len(L):
                raise ValueError(
                    "losses must tell the classes apart, and two cost the same everywhere; change one cost."
                )
            return np.asarray(np.linalg.lstsq(system, np.vstack([g.T, np.ones(len(g))]), rcond=None)[0].T)
        if self.targets == "fisher":
            return np.asarray(pi * (1 - pi) * g + pi)
        return g if self.targets == "posterior" and g.shape[1] > 1 else (1 + g) / 2


class SquaresRegressor(LinearRegressor):
    """Base of the regressors that solve a least-squares problem outright.

    Attributes
    ----------
    solver_, condition_
        The way that was taken, and the condition number of its system.
    status_, report_
        Why it stopped, and what happened in words, with the criterion, its gradient, rank and condition.
    """

    _parameters: dict[str, Constraint] = {}
    _learn: Callable[[Any, Matrix, Matrix | None], None]  # solves for X, targets and weights, and sets the answer

    def _check_parameters(self) -> None:
        check_parameters(self)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self._check_parameters()
        X, y = self._validated(X, y)
        weight = check_weight(sample_weight, len(y), np.dtype(np.float64))
        self._learn(X, y.astype(np.float64)[:, None], weight if weight.size else None)
        return self

    def _needs_all_rows(self) -> str | None:
        return None

    def _penalty(self) -> float:
        """What multiplies ‖w‖²."""
        return 0.0

    def _fit_blocks(self, blocks: Blocks) -> None:
        with interrupt_raises():
            answer, n_rows = regression(blocks, self._penalty())
        self._set_squares(answer, Outline(blocks, n_rows))

    def _set_squares(self, answer: Answer, X: Any) -> None:
        self.solver_, self.condition_ = answer.solver, answer.condition
        self._set_answer(published(answer.weights[:, 0], X.dtype), X, findings_of(answer))


class LeastSquaresRegressor(SquaresRegressor):
    """Least-squares regression: minimize Σ (wᵗx + w₀ − t)².

    Attributes
    ----------
    rank_ : int
        Rank of the augmented matrix.

    References
    ----------
    Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, §2.2.1; *Machine Learning: Theory and
    Practice*, §8.5.1.

    Examples
    --------
    >>> from discriminant import LeastSquaresRegressor, datasets
    >>> X, t = datasets.regression_example()
    >>> model = LeastSquaresRegressor().fit(X, t)
    >>> model.coef_.round(6).tolist(), abs(round(model.intercept_, 6))
    ([1.0, 2.0], 0.0)
    """

    _held = {"rank_": "count", "condition_": "anynumber", "solver_": "text"}
    _criterion = "L(w, w0) = sum of (w'x + w0 - t)^2"

    def _learn(self, X: Any, T: Matrix, v: Matrix | None) -> None:
        self._set_squares(self._solved(lambda: solve(X, T, v), X), X)

    def _set_squares(self, answer: Answer, X: Any) -> None:
        self.rank_ = answer.rank
        super()._set_squares(answer, X)

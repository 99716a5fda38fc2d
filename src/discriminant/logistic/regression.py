"""A logistic regression at work: coordinates in which it is well conditioned, and what happens at infinity.

Up to ``SMALL`` rows X is made dense and centered; where it has more columns than rows, w = Qu with an orthonormal basis
Q of the rows, because neither the loss nor the shortest w needs anything beyond it. Larger X are centered on the fly,
but for features very far from zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.driver import Watch
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.refusals import NotFiniteError, published
from ..solution import Epoch, Findings, Status
from .firth import FirthRule
from .hessian import Whole
from .infinity import Escape, escape, provable
from .likelihood import Likelihood, center_of
from .newton import SMALL, NewtonRule, few, method, tolerance

Matrix = NDArray[np.float64]

DENSE = 10**7  # numbers up to which a small CSR matrix is made dense
MANY = {"newton": 10}  # steps after which a fit without a penalty looks suspicious; for other methods LONG
LONG = 40
ASTRAY = 100  # times the criterion at zero: a start above this lies where the Hessian says nothing
SLIGHT = 1e-150  # entries of X whose squares lose digits
DISTANT = 1e4  # times the spread of a feature: its distance from zero from which X is copied, to be centered first


def check_sizes(X: Any) -> None:
    """Refuse a column so small that its squares vanish, though without a ridge it has a say."""
    size = abs(X[:: max(1, X.shape[0] // 1000)]).max(axis=0)
    size = np.asarray(size.toarray() if sparse.issparse(size) else size, np.float64).ravel()
    small = np.flatnonzero((size > 0) & (size < SLIGHT))
    if small.size:
        raise ValueError(
            f"X is too small in column {small[0]} (counted from 0): its entries reach {size[small[0]]:.3g}, and their "
            "squares are lost in float64. Divide the features by their size, for instance with StandardScaler."
        )


def distant(X: Any, center: Matrix) -> bool:
    """Whether dense features lie so far from zero that products with them, centered afterwards, would lose digits."""
    if sparse.issparse(X):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        reach = np.abs(X[:: max(1, len(X) // 64)] - center).max(axis=0)
    return bool(np.any((np.abs(center) > DISTANT * reach) & (reach > 0)))


class Frame:
    """The likelihood in its own coordinates, and the way there and back."""

    def __init__(self, X: Any, own: NDArray[np.int32], v: Matrix | None, c: int, ridge: float) -> None:
        n, d = X.shape
        self.basis: Matrix | None = None
        self.shift = center_of(X)
        if (n > SMALL or n * d > DENSE) and not distant(X, self.shift):
            self.likelihood = Likelihood(X, own, v, c, ridge, self.shift)
            return
        X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            X -= self.shift
        if d > n and n <= SMALL:
            self.basis, R = np.linalg.qr(X.T)
            X = np.ascontiguousarray(R.T)
        self.likelihood = Likelihood(X, own, v, c, ridge, np.zeros(X.shape[1]))

    def inward(self, A: Matrix) -> Matrix:
        """From (w₀, w) to the weights of the likelihood."""
        W = A[:, 1:] if self.basis is None else A[:, 1:] @ self.basis
        return np.column_stack([A[:, 0] + A[:, 1:] @ self.shift, W])

    def outward(self, A: Matrix) -> Matrix:
        """The way back; of the discriminants that give the same probabilities, those with the sum zero."""
        W = A[:, 1:] if self.basis is None else A[:, 1:] @ self.basis.T
        found = np.column_stack([A[:, 0] - W @ self.shift, W])
        if len(found) > 1:
            free = slice(None) if self.likelihood.ridge == 0 else slice(1)
            found[:, free] -= found[:, free].mean(axis=0)
        return found

    def covariance(self, A: Matrix) -> Matrix | None:
        """The inverse information matrix of (w₀, w); None where it is singular."""
        whole = Whole(self.likelihood.hessian(A))
        if self.basis is not None or whole.rank < len(A[0]):
            return None
        T = np.eye(len(A[0]))
        T[0, 1:] = -self.shift
        inverse = np.column_stack([whole.solve(column[None])[0] for column in np.eye(len(T))])
        return np.asarray(T @ inverse @ T.T)


class Asker(Protocol):
    """Asks ``separability`` about the rows of the problem."""

    def __call__(self) -> tuple[Any, Matrix | None]:
        """The verdict and its plane as augmented weights, one row a discriminant; None where there is no plane."""


@dataclass(frozen=True, kw_only=True)
class RegressionFindings(Findings):
    """Where the estimate went when it is infinite, and the rule that knows the frame of the weights."""

    escape: Escape | None
    rule: RegressionRule


class RegressionRule:
    """Newton's method, its kin or Firth's, with a look for estimates at infinity after each step."""

    def __init__(
        self, frame: Frame, start: Matrix | None, problem: Problem, model: Any, ask: Asker, watch: Watch
    ) -> None:
        self.frame, self.dtype, self.ask = frame, problem.dtype, ask
        self.escape: Escape | None = None
        self.asked = model.penalty == "firth" or frame.likelihood.ridge > 0
        likelihood = frame.likelihood
        A, self.astray = np.zeros((likelihood.c, likelihood.d + 1)), False
        if start is not None:
            given = frame.inward(start)
            self.astray = not likelihood.look(given).value <= ASTRAY * likelihood.at_zero
            A = A if self.astray else given
        tol = tolerance(likelihood, float(model.tol))
        with self._numbers(problem):
            self.inner: NewtonRule | FirthRule
            if model.penalty == "firth":
                self.inner = FirthRule(likelihood, A, tol)
            else:
                thin = start is None and method(likelihood) in ("subsample", "blocks")
                self.inner = NewtonRule(likelihood, A, tol, few(likelihood) if thin else None, watch=watch)
        self.trail = Path(self._shown(), model.record == "weights")

    @contextmanager
    def _numbers(self, problem: Problem) -> Iterator[None]:
        """Numbers that overflow are refused."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                yield
        except NotFiniteError:
            raise problem.refuse() from None

    @property
    def k(self) -> int:
        """Steps so far."""
        return self.inner.k

    @k.setter
    def k(self, value: int) -> None:
        self.inner.k = value

    @property
    def answer(self) -> NDArray[Any]:
        """The weights, in the type of the data."""
        return published(self.frame.outward(self.inner.A), self.dtype)

    def _shown(self) -> NDArray[Any]:
        answer = self.answer
        return answer[0] if len(answer) == 1 else answer

    @property
    def path(self) -> NDArray[Any] | None:
        """The recorded weights."""
        return self.trail.so_far(self._shown())

    @property
    def findings(self) -> RegressionFindings:
        """Method, criterion, gradient and decrement; what singularity or infinity did."""
        inner, notes = self.inner, []
        size = self.frame.likelihood.size
        if inner.rank is not None and inner.rank < size and self.escape is None:
            notes.append(f"The Hessian is singular (rank {inner.rank} of {size}): the shortest weights were taken.")
        if self.astray:
            notes.append("The start lies so far out that nothing is learned there: the fit began at zero.")
        details = {
            "method": inner.method,
            "criterion value": inner.criterion,
            "gradient": inner.slope,
            "Newton decrement": inner.gap,
        }
        return RegressionFindings(notes=notes, details=details, escape=self.escape, rule=self)

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One step, and perhaps the question whether there is anything to arrive at."""
        before = self.inner.gap
        with self._numbers(problem):
            epoch = self.inner.epoch(problem, watch)
            if not self.asked and self._suspicious(epoch, before):
                epoch = self._answered(epoch)
        if self.trail.rows is not None:
            self.trail.add(self._shown())
        return epoch

    def _suspicious(self, epoch: Epoch, before: float) -> bool:
        """Whether nothing is wrong any more, or the steps are many, or they end while they still are of one size."""
        if epoch.errors == 0 or self.k >= MANY.get(self.inner.method, LONG):
            return True
        return epoch.status is not None and 1e-15 * self.inner.criterion < 0.2 * before < self.inner.gap

    def _answered(self, epoch: Epoch) -> Epoch:
        """Ask, and go to infinity where the answer lies there."""
        assert isinstance(self.inner, NewtonRule)
        self.asked = True
        likelihood, frame = self.frame.likelihood, self.frame
        proof, plane = self.ask() if provable(likelihood, epoch.errors) else (None, None)
        B = None if plane is None else frame.inward(plane)
        if proof is not None and proof.verdict == "overlap":
            return epoch
        self.escape = escape(likelihood, self.inner.A, proof, B)
        if self.escape is None:
            return epoch
        self.inner.move(self.escape.weights)
        status = Status.SEPARATED if self.escape.verdict == "complete" else None
        return Epoch(self.inner.at.errors, self.inner.criterion, epoch.step, epoch.corrections, status)

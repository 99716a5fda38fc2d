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

from .._engine.driver import Watch
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.refusals import NotFiniteError, published
from ..solution import Epoch, Findings, Status
from .coordinates import Frame
from .firth import FirthRule
from .infinity import Escape, escape, provable
from .newton import NewtonRule, few, method, tolerance

Matrix = NDArray[np.float64]

MANY = {"newton": 10}  # steps after which a fit without a penalty looks suspicious; for other methods LONG
LONG = 40
ASTRAY = 100  # times the criterion at zero: a start above this lies where the Hessian says nothing


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

"""A logistic regression at work: steps in its own coordinates, and what happens when they lead to infinity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.linalg import Matrix
from .._engine.path import Path
from .._engine.problem import Problem
from .._engine.refusals import NotFiniteError, published
from ..geometry import safe_norm
from ..solution import Epoch, Findings, Status
from .coordinates import Frame
from .firth import FirthRule
from .inference import UsedRows
from .infinity import Asker, Escape, escape, provable
from .newton import NewtonRule, few, method, tolerance
from .on_blocks import LikelihoodOnBlocks

MANY = {"newton": 10}  # steps after which a fit without a penalty looks suspicious; for other methods LONG
LONG = 40
ASTRAY = 100  # times the criterion at zero: a start above this lies where the Hessian says nothing


@dataclass(frozen=True)
class RegressionPlan:
    """Whether the penalty is Firth's, the tolerance, whether the path is kept, who proves infinity, and the rows."""

    firth: bool
    tol: float
    record: bool
    ask: Asker | None  # None where it cannot be proved
    rows: UsedRows | None


@dataclass(frozen=True, kw_only=True)
class RegressionFindings(Findings):
    """Where an infinite estimate lies, its direction in the features with ‖w‖ = 1; the covariance of a finite one.

    Of a likelihood without a ridge, the deviance and the rows that it is made of.
    """

    escape: Escape | None = None
    covariance: Matrix | None = None
    deviance: float | None = None
    rows: UsedRows | None = None


class RegressionRule:
    """Newton's method, its kin or Firth's, with a look for estimates at infinity after each step."""

    def __init__(self, frame: Frame, start: Matrix | None, dtype: np.dtype[Any], plan: RegressionPlan) -> None:
        self.frame, self.dtype, self.plan, self.k = frame, dtype, plan, 0
        self.escape: Escape | None = None
        likelihood = frame.likelihood
        self.asked = plan.firth or likelihood.ridge > 0 or plan.ask is None
        A, self.astray = np.zeros((likelihood.c, likelihood.d + 1)), False
        if start is not None:
            given = frame.inward(start)
            self.astray = not likelihood.look(given).value <= ASTRAY * likelihood.at_zero
            A = A if self.astray else given
        tol = tolerance(likelihood, plan.tol)
        thin = start is None and method(likelihood) in ("subsample", "blocks")
        newton = NewtonRule(likelihood, A, tol, few(likelihood) if thin else None)
        self.inner = FirthRule(likelihood, A, tol) if plan.firth else newton
        self.finished = False
        self.recorded: Path | None = None  # it begins where the steps do

    @property
    def answer(self) -> NDArray[Any]:
        return published(self.frame.outward(self.inner.A), self.dtype)

    def _shown(self) -> NDArray[Any]:
        answer = self.answer
        return answer[0] if len(answer) == 1 else answer

    @property
    def path(self) -> NDArray[Any] | None:
        return None if self.recorded is None else self.recorded.so_far(self._shown())

    @property
    def findings(self) -> RegressionFindings:
        inner, frame, found, notes = self.inner, self.frame, self.escape, []
        likelihood, size = frame.likelihood, frame.likelihood.size
        if inner.rank is not None and inner.rank < size and found is None:
            notes.append(f"The Hessian is singular (rank {inner.rank} of {size}): the shortest weights were taken.")
        if self.astray:
            notes.append("The start lies so far out that nothing is learned there: the fit began at zero.")
        details = {
            "method": inner.method,
            "criterion value": inner.at.value,
            "gradient": float(safe_norm(inner.at.gradient.ravel())),
            "Newton decrement": inner.gap,
        }
        if found is not None:
            direction = frame.outward(found.direction)
            found = found._replace(direction=direction / np.linalg.norm(direction[:, 1:]))
        covariance = frame.covariance(inner.A) if self.finished and found is None and self._has_errors() else None
        findings = RegressionFindings(notes=notes, details=details, escape=found, covariance=covariance)
        if likelihood.ridge > 0:
            return findings
        return replace(findings, deviance=2 * inner.loss, rows=self.plan.rows)

    def _has_errors(self) -> bool:
        """Whether standard errors exist, and are quickly found: some methods do without the Hessian for its cost."""
        likelihood, method = self.frame.likelihood, self.inner.method
        if likelihood.c == 1 or method == "firth":
            return True
        return method == "newton" and likelihood.has_all_classes

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                if self.recorded is None:
                    self.inner.begin(watch)
                    self.recorded = Path(self._shown(), self.plan.record)
                before = self.inner.gap
                epoch = self.inner.epoch(problem, watch)
                if not self.asked and self._suspicious(epoch, before):
                    epoch = self._answered(epoch, watch)
        except NotFiniteError:
            raise problem.refuse() from None
        self.k, self.finished = self.inner.k, epoch.status is not None and epoch.status.finished
        if self.plan.record:
            self.recorded.add(self._shown())
        return epoch

    def _suspicious(self, epoch: Epoch, before: float) -> bool:
        """Whether nothing is wrong any more, or the steps are many, or they end while they still are of one size."""
        if epoch.errors == 0 or self.inner.k >= MANY.get(self.inner.method, LONG):
            return True
        return epoch.status is not None and 1e-15 * self.inner.at.value < 0.2 * before < self.inner.gap

    def _answered(self, epoch: Epoch, watch: Watch) -> Epoch:
        """Ask, and go to infinity where the answer lies there."""
        assert isinstance(self.inner, NewtonRule)
        self.asked = True
        likelihood: Any = self.frame.likelihood
        assert self.plan.ask is not None
        on_blocks = isinstance(likelihood, LikelihoodOnBlocks)
        proof, plane = self.plan.ask(watch) if on_blocks or provable(likelihood, epoch.errors) else (None, None)
        if proof is not None and proof.verdict == "overlap":
            return epoch
        B = None if plane is None else self.frame.inward(plane)
        A = self.inner.A
        self.escape = likelihood.escape(A, proof, B) if on_blocks else escape(likelihood, A, proof, B)
        if self.escape is None:
            return epoch
        self.inner.move(self.escape.weights)
        status = Status.SEPARATED if self.escape.verdict == "complete" else None
        return Epoch(self.inner.at.errors, self.inner.at.value, epoch.step, epoch.corrections, status)

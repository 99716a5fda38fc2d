"""Firth's penalty: logistic regression whose estimate is finite on separated data too, and has less bias.

    maximize  log L(a) + log det I(a) / 2,        I(a) = sum of v p (1 - p) y y'

Its score, with the leverages h = v p (1 - p) y' I^-1 y, is

    U(a) = sum of (v (t - p) + h (1/2 - p)) y,

and the step I^-1 U is taken, or less of it until the criterion falls. The estimate exists wherever the columns of y are
linearly independent.

Symbols: a = (w₀, w); p the probabilities of the positive class, t its indicators; v the weights of the rows.

Sources: Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80 (1993); Heinze and Schemper, "A solution
to the problem of separation in logistic regression", Statistics in Medicine 21 (2002).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from .._engine.driver import Watch
from .._engine.refusals import NotFiniteError
from ..geometry import safe_norm
from ..solution import Epoch, Status
from .likelihood import Likelihood
from .newton import ROUNDING

Matrix = NDArray[np.float64]


class Place(NamedTuple):
    """The criterion at some a, the factor of I scaled to a unit diagonal, the scale, and the errors."""

    value: float
    factor: Matrix
    scale: Matrix
    errors: int

    def solve(self, b: Matrix) -> Matrix:
        """I^-1 b."""
        return np.asarray(self.scale * linalg.cho_solve((self.factor, True), self.scale * b, check_finite=False))


class FirthRule:
    """The weights A = (w₀, w) and the criterion there."""

    method = "firth"
    rank: int | None = None

    def __init__(self, likelihood: Likelihood, A: Matrix, tol: float) -> None:
        self.likelihood, self.A, self.k = likelihood, A, 0
        self.tol = tol
        self.gap = np.inf
        place = self._place(A)
        if place is None:
            raise ValueError(
                "penalty='firth' needs linearly independent columns, and some column of X (or a constant one beside "
                "the intercept) is a combination of others: drop it, or take penalty='l2'."
            )
        self.place: Place = place
        self.gradient: Matrix | None = None  # not known yet

    def _place(self, A: Matrix) -> Place | None:
        """The criterion at A; None where I is singular."""
        look, information = self.likelihood.look(A), self.likelihood.hessian(A)
        diagonal = np.diag(information)
        if not (look.finite and np.all(np.isfinite(information))):
            raise NotFiniteError
        if not np.all(diagonal > 0):
            return None
        scale = 1 / np.sqrt(diagonal)
        try:
            factor = linalg.cholesky(information * scale * scale[:, None], lower=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        if np.diag(factor).min() < 1e-7:  # the columns are dependent, but for rounding
            return None
        half = float(np.log(np.diag(factor)).sum() - np.log(scale).sum())
        return Place(look.value - half, factor, scale, look.errors)

    def _gradient(self) -> Matrix:
        """-U: the leverages need I first, and so a second pass."""

        def add(Y: Matrix, P: Matrix, v: Matrix) -> list[Any]:
            p = P[1]
            half = linalg.solve_triangular(self.place.factor, (Y * self.place.scale).T, lower=True, check_finite=False)
            h = v * p * (1 - p) * np.einsum("ij,ij->j", half, half)
            return [-(h * (0.5 - p)) @ Y]

        (pull,) = self.likelihood._blocks(self.A, add)
        return np.asarray(self.likelihood.look(self.A).gradient[0] + pull)

    def epoch(self, problem: Any, watch: Watch) -> Epoch:
        """One step; errors and criterion are those after it."""
        watch.check()
        if self.gradient is None:
            self.gradient = self._gradient()
            watch.check()
        step, last = -self.place.solve(self.gradient), self.gap
        slope, length = float(self.gradient @ step), 1.0
        noise = ROUNDING * (1 + abs(self.place.value))
        for _ in range(50):
            there = self._place(self.A + length * step[None])
            watch.check()
            if there is not None and there.value <= self.place.value + 1e-4 * length * slope + noise:
                break
            length /= 2
        else:
            length = 0.0
        if length > 0 and there is not None:
            self.A, self.place, self.k, self.gradient = self.A + length * step[None], there, self.k + 1, None
            watch.check()
            self.gradient = self._gradient()
        self.gap = 0.5 * float(self.gradient @ self.place.solve(self.gradient))
        return Epoch(self.place.errors, self.place.value, length, int(length > 0), self._judged(length, last))

    def _judged(self, length: float, last: float) -> Status | None:
        size = max(1.0, abs(self.place.value))
        exhausted = length == 0 or (self.gap >= 0.5 * last and self.gap <= 1e-16 * size)
        if self.gap <= self.tol * size or (exhausted and self.gap <= 1e-12 * size):
            return Status.CONVERGED
        return Status.BUDGET if length == 0 else None

    @property
    def criterion(self) -> float:
        """The criterion."""
        return self.place.value

    @property
    def slope(self) -> float:
        """The length of its gradient."""
        return np.inf if self.gradient is None else float(safe_norm(self.gradient))

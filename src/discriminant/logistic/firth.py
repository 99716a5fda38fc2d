"""Firth's penalty: logistic regression whose estimate is finite on separated data too, and has less bias.

    maximize  log L(a) + log det I(a) / 2,        I(a) = Σ v p (1 − p) y yᵗ

Its score, with the leverages h = v p (1 − p) yᵗ I⁻¹ y, is

    U(a) = Σ (v (t − p) + h (1/2 − p)) y,

and the step I⁻¹ U is taken, or less of it until the criterion falls. The estimate exists wherever the columns of y are
linearly independent.

For c classes the first is held fixed, since only differences count, and I has a block Σ v (p_k [k = l] − p_k p_l) y yᵗ
for each pair of the others; which one is held does not matter. With the matrix H of yᵗ (I⁻¹)_kl y for a row,

    U_k(a) = Σ v (t_k − p_k + p_k (H_kk − Σ_l H_ll p_l − 2 (Hp)_k + 2 pᵗHp) / 2) y

Symbols: a = (w₀, w); p the probabilities of the positive class, t its indicators, or of each class; v the weights of
the rows.

Sources: Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80 (1993); Heinze and Schemper, "A solution
to the problem of separation in logistic regression", Statistics in Medicine 21 (2002); Bull, Mak and Greenwood, "A
modified score function estimator for multinomial logistic regression in small samples", Computational Statistics and
Data Analysis 39 (2002); Kosmidis and Firth, "Multinomial logit bias reduction via the Poisson log-linear model",
Biometrika 98 (2011).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from .._engine.driver import Watch
from .._engine.linalg import Matrix
from .._engine.refusals import NotFiniteError
from .._guards.parameters import refused
from .._guards.validation import all_finite
from ..solution import Epoch, Status
from .likelihood import Likelihood, Look
from .newton import ROUNDING, LikelihoodRule


class FirthPlace(NamedTuple):
    """The criterion at some a, the loss alone, the factor of I scaled to a unit diagonal, and the scale."""

    value: float
    look: Look
    factor: Matrix
    scale: Matrix

    def solve(self, b: Matrix) -> Matrix:
        """I⁻¹ b."""
        scale = self.scale if b.ndim == 1 else self.scale[:, None]
        return np.asarray(scale * linalg.cho_solve((self.factor, True), scale * b, check_finite=False))

    @property
    def information(self) -> Matrix:
        """I itself."""
        root = self.factor / self.scale[:, None]
        return np.asarray(root @ root.T)


class FirthCriterion:
    """−log L(a) − log det I(a) / 2 and its gradient, which needs I first, and so a second pass."""

    def __init__(self, likelihood: Likelihood) -> None:
        self.likelihood = likelihood
        self.held = int(likelihood.c > 1)  # discriminants that stay where they are

    def shaped(self, step: Matrix) -> Matrix:
        """A step of the free weights as one of all discriminants."""
        free = step.reshape(-1, self.likelihood.d + 1)
        return np.concatenate([np.zeros((self.held, free.shape[1])), free])

    def place(self, A: Matrix) -> FirthPlace | None:
        """The criterion at A; None where I is singular."""
        free = slice(self.held * A.shape[1], None)
        look, information = self.likelihood.look(A), self.likelihood.hessian(A)[free, free]
        diagonal = np.diag(information)
        if not (look.finite and all_finite(information)):
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
        return FirthPlace(look.value - half, look, factor, scale)

    def gradient(self, A: Matrix, place: FirthPlace) -> Matrix:
        """−U, of the free weights one after another."""

        def two(Y: Matrix, P: Matrix, v: Matrix) -> list[Any]:
            p = P[1]
            half = linalg.solve_triangular(place.factor, (Y * place.scale).T, lower=True, check_finite=False)
            h = v * p * (1 - p) * np.einsum("ij,ij->j", half, half)
            return [-(h * (0.5 - p)) @ Y]

        if not self.held:
            (pull,) = self.likelihood.block_sums(A, two)
            return np.asarray(place.look.gradient[0] + pull)
        free, width = len(A) - 1, A.shape[1]
        inverse = place.solve(np.eye(free * width)).reshape(free, width, free, width)

        def many(Y: Matrix, P: Matrix, v: Matrix) -> list[Any]:
            p = P[1:]
            H = np.stack([np.einsum("ij,jlm,im->li", Y, block, Y, optimize=True) for block in inverse])
            own = np.einsum("kki->ki", H)
            mixed = np.einsum("kli,li->ki", H, p)
            common = 2 * np.sum(mixed * p, axis=0) - np.sum(own * p, axis=0)
            return [-(0.5 * v * p * (own - 2 * mixed + common)) @ Y]

        (pulls,) = self.likelihood.block_sums(A, many)
        return np.asarray(place.look.gradient[1:] + pulls).ravel()


class FirthRule(LikelihoodRule):
    """Steps I⁻¹ U."""

    method = "firth"
    place: FirthPlace

    def begin(self, watch: Watch) -> None:
        """Look at the criterion; its gradient comes with the first step."""
        self.criterion = FirthCriterion(self.likelihood)
        place = self.criterion.place(self.A)
        if place is None:
            wanted = "given linearly independent columns, none of them constant"
            raise refused("penalty", "firth", wanted, "drop what depends on others, or take penalty='l2'")
        self._arrive(place)

    @property
    def loss(self) -> float:
        return self.place.look.value

    def _arrive(self, place: FirthPlace) -> None:
        self.place, self.at = place, Look(place.value, np.full(1, np.inf), place.look.errors)

    def _gradient(self) -> Matrix:
        return self.criterion.gradient(self.A, self.place)

    def epoch(self, problem: Any, watch: Watch) -> Epoch:
        """One step; errors and criterion are those after it."""
        watch.check()
        if not self.at.finite:
            self.at = self.at._replace(gradient=self._gradient())
            watch.check()
        here, last = self.at, self.gap
        step = -self.place.solve(here.gradient)
        slope, length = float(here.gradient @ step), 1.0
        noise = ROUNDING * (1 + abs(here.value))
        for _ in range(50):
            A = self.A + length * self.criterion.shaped(step)
            there = self.criterion.place(A)
            watch.check()
            if there is not None and there.value <= here.value + 1e-4 * length * slope + noise:
                self.A, self.k = A, self.k + 1
                self._arrive(there)
                watch.check()
                self.at = self.at._replace(gradient=self._gradient())
                break
            length /= 2
        else:
            length = 0.0
        self.gap = 0.5 * float(self.at.gradient @ self.place.solve(self.at.gradient))
        return Epoch(self.at.errors, self.at.value, length, int(length > 0), self._judged(length, last))

    def _judged(self, length: float, last: float) -> Status | None:
        size = max(1.0, abs(self.at.value))
        exhausted = length == 0 or (self.gap >= 0.5 * last and self.gap <= 1e-16 * size)
        if self.gap <= self.tol * size or (exhausted and self.gap <= 1e-12 * size):
            return Status.CONVERGED
        return Status.BUDGET if length == 0 else None

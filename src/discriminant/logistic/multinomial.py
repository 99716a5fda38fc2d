"""Standard errors and likelihood-ratio tests of three classes or more, for estimates at infinity too.

Only differences of discriminants count, so the first class is held at zero and a = (a_1, …, a_{c−1}) are the others.
The information has a block Σ v (p_k [k = l] − p_k p_l) y yᵗ for each pair of them; its inverse has the variances.

Where the likelihood has no maximum, far out along a direction of recession that is as strict as any, a row's classes
are its own and the rivals that it is not ahead of: the others have probability 0. What is left is a regression in which
each row chooses among its classes. It changes in no direction of recession, and these span all directions in which it
does not change. So a coefficient that is zero in all of them is estimated there, with the error of the pseudoinverse.

Symbols: y = (1, x), v the weights of the rows, p the probabilities of the classes.

Sources: Albert and Anderson, Biometrika 71 (1984); Geyer, "Likelihood inference in exponential families and directions
of recession", Electronic Journal of Statistics 3 (2009).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.linalg import Matrix
from .coordinates import Frame
from .hessian import FullHessian
from .inference import DEPENDENT, SIGNS, LikelihoodRatio, UsedRows, refuse_other_data, verdict_on
from .likelihood import Likelihood, softmax_hessian
from .newton import WIDE
from .profile import Criterion, Minimum, Point, Vector, minimum, penalized

Mask = NDArray[np.bool_]


def differences(weights: Matrix) -> Vector:
    """What each discriminant but the first is above the first, one after another."""
    return np.asarray((weights[1:] - weights[0]).ravel(), np.float64)


def restricted_loss(likelihood: Likelihood, absent: Mask) -> Callable[[Vector], Point]:
    """The log loss where each row chooses among the classes that are not absent; ``absent`` has one row a class."""

    def at(a: Vector) -> Point:
        A = np.vstack([np.zeros(likelihood.d + 1), a.reshape(-1, likelihood.d + 1)])

        def add(Y: Matrix, some: slice) -> list[Any]:
            Z, v, own = A @ Y.T, likelihood.weights(some), (likelihood.own[some], np.arange(len(Y)))
            Z[absent[:, some]] = -math.inf
            Z -= Z.max(axis=0)
            P = np.exp(Z)
            total = P.sum(axis=0)
            loss = float(v @ (np.log(total) - Z[own]))
            P /= total
            H = softmax_hessian(Y, P, v)
            P[own] -= 1
            return [loss, (P * v) @ Y, H]

        loss, G, H = likelihood.sums(add)
        free = slice(likelihood.d + 1, None)
        return Point(loss, G[1:].ravel(), H[free, free])

    return at


class ManyInference:
    """What the likelihood says of the differences from the first class; ``weights`` are those of the fit."""

    def __init__(self, rows: UsedRows, weights: Matrix, firth: bool, infinite: bool) -> None:
        self.rows, self.firth, self.infinite = rows, firth, infinite
        self.frame = Frame(rows.X, rows.own, rows.v, len(weights), 0.0)
        self.width = rows.X.shape[1] + 1
        self.size = (len(weights) - 1) * self.width
        likelihood = self.frame.likelihood
        if self.frame.basis is not None or likelihood.size > WIDE:
            raise ValueError(DEPENDENT)
        if not firth and not likelihood.has_all_classes:
            raise ValueError("a class has no row of positive weight, and its estimate is infinite; leave it out.")
        self.signs = ["finite"] * self.size
        self.absent = np.zeros((likelihood.c, likelihood.n), bool)
        if infinite:
            verdict = verdict_on(rows, np.arange(self.width))
            self.signs, self.absent = list(verdict.coefficients().values()), verdict.separated_pairs.T
            if "not computed" in self.signs:
                raise ValueError("which of so many coefficients are infinite is not known; take penalty='firth'.")
        given = self.frame.inward(weights)
        self.best = self._least(self.absent, np.zeros(self.size) if infinite else differences(given), [])
        self.hessian = FullHessian(self.best.place.hessian)
        if "aliased" in self.signs or not (infinite or self.hessian.regular):
            raise ValueError(DEPENDENT)
        if infinite:
            off = likelihood.look(given).value - self.best.place.value
        else:
            move = self.best.a - differences(given)
            off = math.sqrt(max(0.0, float(move @ self.best.place.hessian @ move)))
        refuse_other_data(off, self.loss())

    def _least(self, absent: Mask, a: Vector, held: Sequence[int]) -> Minimum:
        """The minimum where the coefficients of some columns are zero for all classes."""
        likelihood = self.frame.likelihood
        criterion: Criterion = penalized(likelihood) if self.firth else restricted_loss(likelihood, absent)
        N = np.asarray(np.kron(np.eye(self.size // self.width), self.frame.others(held)), np.float64)
        found = minimum(criterion, a, N)
        if found is None:
            raise ValueError(DEPENDENT)
        return found

    def loss(self) -> float:
        """The log loss at the estimate, half the deviance."""
        return restricted_loss(self.frame.likelihood, self.absent)(self.best.a).value

    def estimates(self) -> Vector:
        """The differences from the first class, infinite or nan where the verdict says so."""
        finite = self.frame.outward(np.vstack([np.zeros(self.width), self.best.a.reshape(-1, self.width)]))
        return np.array([SIGNS.get(sign, a) for sign, a in zip(self.signs, differences(finite), strict=True)])

    def std_errors(self) -> Vector:
        """Of the finite ones, by the inverse information; nan for the others."""
        variances = np.diag(self.frame.inverse(self.hessian))
        return np.where([sign == "finite" for sign in self.signs], np.sqrt(variances.clip(min=0)), np.nan)

    def joint(self, held: Sequence[int]) -> LikelihoodRatio:
        """The test that the coefficients of these columns, the intercept being number 0, are zero for all classes."""
        free = np.setdiff1d(np.arange(self.width), held)
        absent = np.zeros_like(self.absent)
        if self.infinite and (free > 0).any():  # other rows are separated where these columns do not help
            absent = verdict_on(self.rows, free).separated_pairs.T
        found = self._least(absent, np.zeros(self.size), held)
        return LikelihoodRatio.of(2 * (found.place.value - self.best.place.value), len(held) * self.size // self.width)

    def tests(self) -> list[LikelihoodRatio]:
        """The joint test of each column, once for each of its coefficients."""
        each = [self.joint([k]) for k in range(self.width)]
        return [ratio for _ in range(self.size // self.width) for ratio in each]

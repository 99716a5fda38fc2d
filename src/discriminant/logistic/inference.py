"""Likelihood-ratio tests and profile intervals of a fit, for estimates at infinity too.

Without a penalty the likelihood may have a supremum and no maximum. Whatever is held fixed, it is approached where the
separated rows of the other columns are fitted perfectly, and is that of the remaining rows, which has a maximum. So
each question of a separated table begins with the verdict on the columns that are free:

- a coefficient that stays finite is estimated on the boundary rows, and so is its profile;
- one that goes to plus (minus) infinity has an interval without an upper (lower) end;
- where both signs occur, its likelihood is the same whatever its value: the data say nothing of it.

Sources: Albert and Anderson, Biometrika 71 (1984); Geyer, "Likelihood inference in exponential families and directions
of recession", Electronic Journal of Statistics 3 (2009).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri

from .._engine.linalg import Matrix
from .._engine.problem import Problem
from .._engine.refusals import refuse_vanishing
from .coordinates import Frame
from .ends import EndsAndTests, found_together
from .hessian import FullHessian
from .likelihood import Likelihood
from .newton import SMALL
from .profile import Criterion, Minimum, Point, Profile, Vector, interval_end, log_loss, minimum, penalized
from .sweep import Sweep

if TYPE_CHECKING:
    from ..separation.verdict import Separability

CLOSE = 1e-3  # of a standard error, or of a unit of log likelihood: more tells that the data are not those of the fit
NARROW = 128  # coefficients up to which all profiles are followed at a time: their informations fit into memory
FEW = 100  # rows up to which Firth's criterion may have several minima that are worth a look
DEPENDENT = "columns of X depend on each other, or are too many; drop some."
SIGNS = {"+inf": math.inf, "-inf": -math.inf, "undetermined": math.nan}


@dataclass(frozen=True)
class ShiftedProblem(Problem):
    """A problem with an offset, an amount that is added to the score of each row."""

    offset: Vector


class UsedRows(NamedTuple):
    """The rows that take part in a fit: patterns, numbers of their classes, weights (None: 1), offset (None: 0)."""

    X: Any
    own: NDArray[np.int32]
    v: Matrix | None
    offset: Matrix | None = None

    @classmethod
    def of(cls, problem: Problem) -> UsedRows:
        X, own, v = problem.source, problem.labels, problem.weight.astype(np.float64) if problem.weight.size else None
        refuse_vanishing(v)
        offset = problem.offset if isinstance(problem, ShiftedProblem) else None
        rows = np.flatnonzero(problem.part)
        if rows.size < problem.n_rows:
            X, own, v = X[rows], own[rows], None if v is None else v[rows]
            offset = None if offset is None else offset[rows]
        return cls(X, own, v, offset)


class KeptRows:
    """The rows of a small fit, for its summary; a copy or a file of the model goes without them."""

    LARGEST = 2**20  # bytes of X: a model must not keep a large training set in memory

    def __init__(self, rows: UsedRows | None = None) -> None:
        data = None if rows is None else getattr(rows.X, "data", rows.X)
        self.rows = rows if data is not None and data.nbytes <= self.LARGEST else None

    def __reduce__(self) -> tuple[type[KeptRows], tuple[()]]:
        return KeptRows, ()


class LikelihoodRatio(NamedTuple):
    """Twice the difference of log likelihoods, the degrees of freedom, and the probability of more by chance."""

    statistic: float
    df: int
    p: float

    @classmethod
    def of(cls, statistic: float, df: int) -> LikelihoodRatio:
        statistic = max(0.0, statistic)  # rounding may bring it below
        return cls(statistic, df, float(chdtrc(df, statistic)))


def verdict_on(rows: UsedRows, free: NDArray[np.intp]) -> Separability:
    """The verdict on the columns of these coefficients, number 0 being the intercept."""
    from ..separation.verdict import separability  # 0.2 s of imports that few fits need

    X, intercept = rows.X[:, free[free > 0] - 1], bool((free == 0).any())
    return separability(X, rows.own, intercept=intercept, progress=False)


def refuse_other_data(off: float, loss: float) -> None:
    """Refuse data whose estimate is so far off the weights of the fit."""
    if not off <= CLOSE * max(1.0, math.sqrt(loss)):
        raise ValueError("the data are not those of the fit, of which the weights are no estimate; give those.")


class Inference:
    """What the likelihood says of each coefficient, number 0 being the intercept; ``weights`` are those of the fit."""

    def __init__(self, rows: UsedRows, weights: Vector, firth: bool, infinite: bool) -> None:
        self.rows, self.firth, self.infinite = rows, firth, infinite
        self.frame = Frame(rows.X, rows.own, rows.v, 1, 0.0, rows.offset)
        if self.frame.basis is not None:
            raise ValueError(DEPENDENT)
        self.size = self.frame.likelihood.d + 1
        self.signs = ["finite"] * self.size
        self.boundary = np.arange(self.frame.likelihood.n)  # the rows that are not separated
        self.likelihood: Likelihood | None = self.frame.likelihood
        given = self.frame.inward(weights[None])[0]
        if infinite:
            verdict = verdict_on(self.rows, np.arange(self.size))
            self.signs = list(verdict.coefficients().values())
            self.boundary = verdict.boundary_rows
            self.likelihood = self.likelihood_of(self.boundary)
        self.best = self._least(self.likelihood, np.zeros(self.size) if infinite else given, np.eye(self.size))
        self.least = self.best.place.value  # J*, or what J comes close to
        self.hessian = FullHessian(self.best.place.hessian)
        if "aliased" in self.signs or not (infinite or self.hessian.regular):
            raise ValueError(DEPENDENT)
        self._check(given)

    def likelihood_of(self, rows: NDArray[np.int64]) -> Likelihood | None:
        """The likelihood of some of the rows; None where there are none, and it is 1."""
        whole = self.frame.likelihood
        if not rows.size:
            return None
        v, offset = (None if each is None else each[rows] for each in (whole.v, whole.offset))
        return Likelihood(whole.X[rows], whole.own[rows], v, 1, 0.0, whole.center, offset)

    def _criterion(self, likelihood: Likelihood | None) -> Criterion:
        if likelihood is None:
            return lambda a: Point(0.0, np.zeros(a.size), np.eye(a.size))
        return (penalized if self.firth else log_loss)(likelihood)

    def _least(self, likelihood: Likelihood | None, a: Vector, N: Matrix) -> Minimum:
        found = minimum(self._criterion(likelihood), a, N)
        if found is None:
            raise ValueError(DEPENDENT)
        return found

    def _check(self, given: Vector) -> None:
        """Refuse data of which the weights are not the estimate."""
        if self.infinite:
            off = self.frame.likelihood.look(given[None]).value - self.least
        else:
            move = self.best.a - given
            off = math.sqrt(max(0.0, float(move @ self.best.place.hessian @ move)))
        refuse_other_data(off, self.loss())

    def loss(self) -> float:
        """The log loss at the estimate, half the deviance."""
        return 0.0 if self.likelihood is None else self.likelihood.look(self.best.a[None]).value

    def estimates(self) -> Vector:
        """(w₀, w), infinite or nan where the verdict says so."""
        finite = self.frame.outward(self.best.a[None])[0]
        return np.array([SIGNS.get(sign, a) for sign, a in zip(self.signs, finite, strict=True)])

    def std_errors(self) -> Vector:
        """Of the finite ones, by the inverse information of the rows that tell of them; nan for the others."""
        variances = np.diag(self.frame.inverse(self.hessian))
        return np.where([sign == "finite" for sign in self.signs], np.sqrt(variances.clip(min=0)), np.nan)

    def profile(self, k: int) -> Profile:
        """D along a coefficient that is finite, or infinite with a known sign."""
        likelihood, a, b = self.likelihood, self.best.a, float(self.frame.outward(self.best.a[None])[0, k])
        if self.signs[k] != "finite":  # other rows are separated where this column does not help
            likelihood, a, b = self._without([k]), np.zeros(self.size), 0.0
        e = np.eye(self.size)[k]
        profile = Profile(self._criterion(likelihood), self.least, e, self.frame.others([k]), a, b)
        if self.signs[k] == "finite":
            profile.leave(self.best.place.hessian)
        return profile

    def _without(self, held: Sequence[int]) -> Likelihood | None:
        """The likelihood of the rows that are not separated where some coefficients are held fixed."""
        free = np.setdiff1d(np.arange(self.size), held)
        if not self.infinite or not (free > 0).any():
            return self.frame.likelihood
        return self.likelihood_of(verdict_on(self.rows, free).boundary_rows)

    def joint(self, held: Sequence[int]) -> LikelihoodRatio:
        """The test that all these coefficients are zero."""
        found = self._least(self._without(held), np.zeros(self.size), self.frame.others(held))
        return LikelihoodRatio.of(2 * (found.place.value - self.least), len(held))

    def report(self, level: float | None, tests: bool) -> tuple[Matrix, list[LikelihoodRatio]]:
        """The intervals of all coefficients, where a level is given, and the tests that each is zero, where asked."""
        together, each = self._together(level, tests), range(self.size)
        ends = (
            []
            if level is None
            else [
                tuple(pair) if np.isfinite(pair).all() else self.interval(k, level)
                for k, pair in enumerate(together.ends)
            ]
        )
        ratios = (
            []
            if not tests
            else [
                LikelihoodRatio.of(float(D), 1) if np.isfinite(D) else self.test(k)
                for k, D in zip(each, together.statistics, strict=True)
            ]
        )
        return np.array(ends), ratios

    def _together(self, level: float | None, tests: bool) -> EndsAndTests:
        """What one search finds for all coefficients, where there are enough rows for that to pay; nan elsewhere."""
        if self.infinite or self.frame.likelihood.n <= SMALL or self.size > NARROW:
            return EndsAndTests(np.full((self.size, 2), np.nan), np.full(self.size, np.nan))
        T = np.linalg.inv(np.linalg.cholesky(self.best.place.hessian)).T
        F = np.eye(self.size)
        F[0, 1:] = -self.frame.shift  # the intercept in the coordinates of the frame
        b, Q = F @ self.best.a, F @ T
        errors = np.linalg.norm(Q, axis=1)
        height = None if level is None else float(chdtri(1, 1 - level))
        sweep = Sweep(self.frame.likelihood, self.best.a, T)
        found = found_together(sweep, self.firth, Q / errors[:, None], height, -b / errors if tests else None)
        return found._replace(ends=b[:, None] + errors[:, None] * found.ends)

    def test(self, k: int) -> LikelihoodRatio:
        """The test that one coefficient is zero."""
        return LikelihoodRatio.of(0.0, 1) if self.signs[k] == "undetermined" else self.joint([k])

    def interval(self, k: int, level: float) -> tuple[float, float]:
        """The values of a coefficient that such a test does not reject."""
        sign, height = self.signs[k], float(chdtri(1, 1 - level))
        if sign == "undetermined":
            return -math.inf, math.inf
        profile = self.profile(k)
        at_zero = self.frame.likelihood.hessian(np.zeros((1, self.size)))
        unit, near = 4 / math.sqrt(at_zero[k, k]), SIGNS.get(sign, profile.b)
        sizes = np.delete(np.diag(at_zero), k)
        error = self.std_errors()[k] * math.sqrt(height)
        ends = []
        for side in (-1, 1):
            start = 0.0 if sign != "finite" else near + side * error
            open_end = near == side * math.inf
            end = near if open_end else interval_end(profile, near, start, side, height, unit)
            while self.firth and self.frame.likelihood.n <= FEW and profile.lower(end * np.sqrt(at_zero[k, k] / sizes)):
                end = interval_end(profile, end, end, side, height, unit)
            ends.append(end)
        return ends[0], ends[1]

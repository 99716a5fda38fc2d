"""The likelihood, or Firth's penalized one, along one coefficient, and where it has fallen by as much as chance allows.

    D(b) = 2 (J(b) − J*),   J(b) = min {J(a) : a_j = b},        D(end) = χ²,   the quantile of one degree of freedom

J is the log loss, with − log det I / 2 for Firth's penalty, where I is that of all columns, the fixed one included.
The minimum is found by Newton's steps (with I for the Hessian of Firth's criterion), the ends by those on √D, which is
nearly straight, kept between points of either side. The slope of D is twice the derivative of J by a_j at the minimum.
Firth's criterion with a coefficient far out may have several minima on tables of a few rows (2 of 1,000 that were
tried). There an end is an end only if no lower one is found from points to all sides (``lower``); else the search goes
on from that.

Symbols: a = (w₀, w); a = b e + N u, with e the unit vector of the coefficient and the columns of N those of the others.

Sources: Venzon and Moolgavkar, "A method for computing profile-likelihood-based confidence intervals", Applied
Statistics 37 (1988); Heinze and Schemper, Statistics in Medicine 21 (2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.linalg import Matrix
from .firth import FirthCriterion
from .hessian import FullHessian
from .likelihood import Likelihood
from .newton import EPSILON, ROUNDING

Vector = NDArray[np.float64]

STEPS = 1000  # of Newton's method, which needs a dozen; Firth's steps converge linearly, and may need more
TRIALS = 200  # values of b on the way to an end, which needs four
FINE = 1e-13  # the Newton decrement, an error of J, at which a minimum is found
EXACT = 1e-10  # what D may miss
APART = 1e-6  # by which a minimum is another one, and not the same with less rounding


class Point(NamedTuple):
    """J at some a, its gradient, and the Hessian or what stands for it."""

    value: float
    gradient: Vector
    hessian: Matrix


Criterion = Callable[[Vector], Point | None]  # None where Firth's information is singular


def log_loss(likelihood: Likelihood) -> Criterion:
    """J without a penalty."""

    def at(a: Vector) -> Point:
        look = likelihood.look(a[None])
        return Point(look.value, look.gradient[0], likelihood.hessian(a[None]))

    return at


def penalized(likelihood: Likelihood) -> Criterion:
    """J with Firth's penalty; of many classes the first is held at zero."""
    criterion = FirthCriterion(likelihood)

    def at(a: Vector) -> Point | None:
        A = criterion.shaped(a)
        place = criterion.place(A)
        return None if place is None else Point(place.value, criterion.gradient(A, place), place.information)

    return at


class Minimum(NamedTuple):
    """Where J is least among a + N u, and what it is like there."""

    a: Vector
    place: Point


def minimum(criterion: Criterion, a: Vector, N: Matrix) -> Minimum | None:
    """The minimum among a + N u; None where there is nothing to begin with at a."""
    here = criterion(a)
    if here is None:
        return None
    for _ in range(STEPS if N.size else 0):
        slope = N.T @ here.gradient
        u = -FullHessian(N.T @ here.hessian @ N).columns(slope[:, None])[:, 0]
        gap = -0.5 * float(slope @ u)
        if gap <= max(FINE, EPSILON * abs(here.value)):
            break
        noise, length = ROUNDING * (1 + abs(here.value)), 1.0
        while length > EPSILON:
            there = criterion(a + length * (N @ u))
            if there is not None and there.value <= here.value - 2e-4 * length * gap + noise:
                break
            length /= 2
        else:
            break  # rounding decides where J falls
        a, here = a + length * (N @ u), there
    return Minimum(a, here)


class Profile:
    """D along one coefficient; each value of b begins where the one before has ended, along the tangent there."""

    def __init__(self, criterion: Criterion, least: float, e: Vector, N: Matrix, a: Vector, b: float) -> None:
        self.criterion, self.least, self.e, self.N = criterion, least, e, N
        self.a, self.b, self.tangent = a, b, e

    def leave(self, hessian: Matrix) -> None:
        """Take the tangent of a minimum with this Hessian."""
        H = hessian @ self.N
        if H.size:
            self.tangent = self.e - self.N @ FullHessian(self.N.T @ H).columns((H.T @ self.e)[:, None])[:, 0]

    def __call__(self, b: float) -> tuple[float, float]:
        """D(b) and its slope; D is infinite where nothing can be computed any more."""
        move = b - self.b
        found = minimum(self.criterion, self.a + move * self.tangent, self.N)
        if found is None:  # the tangent leads too far out
            found = minimum(self.criterion, self.a + move * self.e, self.N)
        if found is None:
            return math.inf, math.nan
        (self.a, place), self.b = found, b
        self.leave(place.hessian)
        return 2 * (place.value - self.least), 2 * float(place.gradient @ self.e)

    def lower(self, moves: Vector) -> bool:
        """Go to a lower minimum at the same b, if one is found from here by a move of another coefficient."""
        here = minimum(self.criterion, self.a, self.N)
        starts = self.a + np.concatenate([moves * self.N, -moves * self.N], axis=1).T
        found = [one for start in starts if (one := minimum(self.criterion, start, self.N)) is not None]
        best = min(found, key=lambda one: one.place.value, default=here)
        if here is None or best is None or best.place.value >= here.place.value - APART:
            return False
        self.a = best.a
        self.leave(best.place.hessian)
        return True


def interval_end(profile: Profile, near: float, b: float, side: int, height: float, unit: float) -> float:
    """Where D reaches the height on one side (−1 or 1) of ``near``, the estimate, which may be infinite.

    The search begins at b; ``unit`` is the longest step to begin with, because D may be so flat that it tells nothing.
    """
    far = side * math.inf
    for _ in range(TRIALS):
        D, slope = profile(b)
        if abs(D - height) <= max(EXACT, 8 * EPSILON * abs(profile.least)):
            return b
        near, far = (b, far) if height > D else (near, b)
        step = 2 * (math.sqrt(height * D) - D) / slope if 0 < D < math.inf and slope * side > 0 else math.inf
        if not abs(step) <= unit:
            step, unit = math.copysign(unit, side * (height - D)), 2 * unit
        b += step
        if not min(near, far) < b < max(near, far):
            b = 0.5 * (near + far)
        if b in (near, far):  # they are neighbors among the floats
            return b
    raise ValueError("a profile of the likelihood is too rough to be followed; standardize the features.")

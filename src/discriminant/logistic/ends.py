"""All profile intervals and likelihood-ratio tests of a regression with a finite estimate, found together.

Coordinates are those of ``sweep.py``: u is counted in standard errors from the estimate, and coefficient b has the
distance (b − b̂)/se = qᵗu with a unit vector q. The path of a profile leaves the estimate along q; to second order, with
t the third derivatives of the log loss twice along q, it has D = χ² at

    u = s q − s² (t − q qᵗt) / 2,        s = r − r² qᵗt / 6,   r = ± χ

Newton's steps go on from there: with H the information at u, they lead to the least J where qᵗu is given, s₀, and

    D(r) = 2 (J − gap − J*) + 2 σ r + κ r²,        κ = 1 / qᵗH⁻¹q,  τ = κ H⁻¹q,  σ = ∇Jᵗτ

is the height of the parabola along τ; the root of D(r) = χ² is the next step r τ + s₀. A test keeps qᵗu at −b̂/se, and
has r = 0; its step is halved where J rises. Two or three sweeps over the rows serve for all coefficients. Where the
steps do not converge, nan is given, and one profile after the other is followed instead (``profile.py``).

Source: Venzon and Moolgavkar, "A method for computing profile-likelihood-based confidence intervals", Applied
Statistics 37 (1988).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.linalg import Matrix
from .newton import ROUNDING
from .profile import Vector
from .sweep import Sweep

ROUNDS = 12  # of Newton's method, which needs two or three
CLOSE = 1e-7  # what D may miss before the last step, which squares it
FINE = 1e-9  # what J may be above the least at the same qᵗu; it is told to a percent of this
SHORT = 1e-2  # of J: a step beyond which the gradient of the penalty is not worth its time
STILL = 1e-3  # standard errors by which a point moves while the gradient of the penalty is kept
LONG = 3.0  # standard errors of a step along a profile: more tells that the parabola says nothing


class NewtonSteps(NamedTuple):
    """Newton's steps from many points: to the least J at the same qᵗu, what that gains, and the way along τ."""

    aside: Matrix
    gap: Vector
    along: Matrix
    slope: Vector
    curvature: Vector

    @classmethod
    def of(cls, G: Matrix, H: Matrix, Q: Matrix) -> NewtonSteps:
        both = np.linalg.solve(H, np.stack([G, Q], axis=2))
        downhill, raised = both[..., 0], both[..., 1]
        curvature = 1 / _dots(Q, raised)
        along = curvature[:, None] * raised
        aside = _dots(Q, downhill)[:, None] * along - downhill
        return cls(aside, -0.5 * _dots(G, aside), along, _dots(G, along), curvature)

    def to_height(self, D: Vector, height: float, side: Vector) -> Vector:
        """r: how far the parabola along τ leads to the height; nan where it does not."""
        root = np.sqrt(self.slope**2 - self.curvature * (D - height))
        r = (side * root - self.slope) / self.curvature
        return np.where(np.abs(r) <= LONG, r, np.nan)


def _dots(A: NDArray[Any], B: NDArray[Any]) -> Vector:
    return np.asarray(np.einsum("ij,ij->i", A, B))


class EndsAndTests(NamedTuple):
    """Both ends of each interval, as distances qᵗu, and D of each test; nan where it was not found."""

    ends: Matrix
    statistics: Vector


class ManyPoints:
    """Points U, their directions q, J, its gradient and Newton's step at each.

    The gradient of the penalty changes little: it begins with that of the estimate, where it is minus that of the
    loss, and is computed where the step is short, so that it counts, and the point has moved.
    """

    def __init__(self, sweep: Sweep, firth: bool, U: Matrix, Q: Matrix) -> None:
        self.sweep, self.firth, self.U, self.Q = sweep, firth, U, Q
        self.where, self.pull = np.full_like(U, np.inf), np.zeros_like(U)

    def look(self, at: NDArray[np.intp]) -> tuple[Vector, NewtonSteps]:
        """J at the points with the numbers ``at``, and the step."""
        U, Q = self.U[at], self.Q[at]
        values, G, H = self.sweep.look(U)
        if not self.firth:
            return values, NewtonSteps.of(G, H, Q)
        values = values - np.log(np.linalg.cholesky(H).diagonal(axis1=1, axis2=2)).sum(axis=1)
        if at[-1] == len(self.U) - 1:  # the estimate, which is looked at once
            self.pull[:] = -G[-1]
        short = NewtonSteps.of(G + self.pull[at], H, Q).gap <= SHORT
        renewed = short & ~(np.linalg.norm(U - self.where[at], axis=1) <= STILL)
        if renewed.any():
            self.pull[at[renewed]] = self.sweep.penalty_gradients(U[renewed], np.linalg.inv(H[renewed]))
            self.where[at[renewed]] = U[renewed]
        return values, NewtonSteps.of(G + self.pull[at], H, Q)


def found_together(
    sweep: Sweep, firth: bool, Q: Matrix, height: float | None, distances: Vector | None
) -> EndsAndTests:
    """Where D reaches the height on either side along each row of Q, and D at a distance along each.

    Parameters
    ----------
    sweep
        The likelihood about the estimate.
    firth
        Whether J has Firth's penalty.
    Q
        Unit vectors, one a row.
    height
        That of D at the ends; None where these are not wanted.
    distances
        Those of the tests, in standard errors; None where these are not wanted.
    """
    k, nothing = len(Q), np.empty((0, len(Q)))
    ends = nothing if height is None else _predicted(sweep, Q, height)
    tests = nothing if distances is None else distances[:, None] * Q
    U, side = np.concatenate([ends, tests]), np.zeros(len(ends) + len(tests))
    side[: len(ends)] = np.repeat([-1.0, 1.0], len(ends) // 2)
    found = _searched(sweep, firth, U, np.tile(Q, (len(U) // k, 1)), side, height or 0.0)
    missing = np.full((k, 2), np.nan)
    return EndsAndTests(
        found[: 2 * k].reshape(2, k).T if len(ends) else missing, found[len(ends) :] if len(tests) else missing[:, 0]
    )


def _predicted(sweep: Sweep, Q: Matrix, height: float) -> Matrix:
    """The ends to second order: all lower ones, then all upper ones."""
    r, bend = np.sqrt(height) * np.array([[-1.0], [1.0]]), sweep.third_derivatives(Q)
    within = _dots(bend, Q)
    s = (r - r * r * within / 6)[..., None]
    return np.concatenate(s * Q - 0.5 * s * s * (bend - within[:, None] * Q))


def _searched(sweep: Sweep, firth: bool, U: Matrix, Q: Matrix, side: Vector, height: float) -> Vector:
    """Newton's steps from all points U: to the height on a side, or where that is 0 to the least J at the same qᵗu."""
    origin = len(U)  # the estimate is one more point, which the others are compared with
    points = ManyPoints(sweep, firth, np.concatenate([U, 0 * Q[:1]]), np.concatenate([Q, Q[:1]]))
    side, answers = np.append(side, 0.0), np.full(origin + 1, np.nan)
    before, last = points.U.copy(), np.full(origin + 1, np.inf)
    at, least = np.arange(origin + 1), np.nan
    for _ in range(ROUNDS):
        try:
            J, step = points.look(at)
        except np.linalg.LinAlgError:  # a point lies where the information is singular
            break
        if at[-1] == origin:
            least = J[-1] - step.gap[-1]
        D, end = 2 * (J - step.gap - least), side[at] != 0
        with np.errstate(invalid="ignore"):
            r = np.where(end, step.to_height(D, height, side[at]), 0.0)
        done = (step.gap <= FINE) & (~end | (np.abs(D - height) <= CLOSE))
        answers[at[done]] = np.where(end, _dots(points.Q[at], points.U[at]) + r, D)[done]
        risen = ~end & (last[at] + ROUNDING * (1 + np.abs(J)) < J)
        go, back = at[~risen], at[risen]
        before[go], last[go] = points.U[go], J[~risen]
        points.U[go] += (step.aside + r[:, None] * step.along)[~risen]
        points.U[back] = 0.5 * (points.U[back] + before[back])
        at = at[~done & np.isfinite(r)]
        if not at.size:
            break
    return answers[:origin]

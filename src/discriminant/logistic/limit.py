"""The limiting model of a separated regression: what is left of it, and what the separated rows still tell.

Far out along the direction of recession the separated rows have probability 1, and the others make a regression of
their own. How far out the truth may lie, the separated rows tell: had it been nearer, they would hardly all have come
out as they did. With â the estimate of the other rows and γ a direction in which these do not change, the set

    Σ v log(1 + exp(−z (â + γ)ᵗy)) ≤ −log(1 − level)        over the separated rows

holds the γ under which that has at least the probability 1 − level. The least z (â + γ)ᵗy of a row in it is the end of
a one-sided interval for its probability: by a profile of the sum along that score (``profile.py``).

Symbols: z = ±1 the class of a row, v its weight; the columns of G span the directions γ.

Source: Geyer, "Likelihood inference in exponential families and directions of recession", Electronic Journal of
Statistics 3 (2009); Eck and Geyer, "Computationally efficient likelihood inference in exponential families when the
maximum likelihood estimator does not exist", Electronic Journal of Statistics 15 (2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.special import expit

from .._engine.linalg import Matrix
from .hessian import FullHessian
from .inference import Inference
from .likelihood import Likelihood
from .profile import Point, Profile, Vector, interval_end

SHOWN = 12  # separated rows that are printed


@dataclass(frozen=True)
class LimitingModel:
    """The regression that is left where estimates are infinite, and intervals for the rows that are fitted perfectly.

    Rows are numbered from 0 among those of positive weight.
    """

    names: list[str]
    coef: Vector  # infinite, or nan where the data do not tell
    std_error: Vector  # of the finite ones
    boundary_rows: NDArray[np.int64]  # those that the finite ones are estimated from
    separated_rows: NDArray[np.int64]
    probabilities: Vector  # of classes_[1] for each separated row: the ends of its one-sided interval, of shape (s, 2)
    level: float

    def __str__(self) -> str:
        infinite = [f"{name} {a:+.0f}" for name, a in zip(self.names, self.coef, strict=True) if math.isinf(a)]
        open_ones = [name for name, a in zip(self.names, self.coef, strict=True) if math.isnan(a)]
        left = [
            f"{name} {a:.4f} ({error:.4f})"
            for name, a, error in zip(self.names, self.coef, self.std_error, strict=True)
            if math.isfinite(a)
        ]
        ends = [
            f"  row {row:<10} {low:.4f} to {high:.4f}"
            for row, (low, high) in zip(self.separated_rows[:SHOWN], self.probabilities, strict=False)
        ]
        more = len(self.separated_rows) - SHOWN
        lines = [
            f"{len(self.separated_rows):,} rows are fitted perfectly; {len(self.boundary_rows):,} are left.",
            f"  at infinity    {', '.join(infinite) or 'none alone'}",
            *([f"  undetermined   {', '.join(open_ones)}"] if open_ones else []),
            *([f"  estimated      {', '.join(left)}"] if left else []),
            f"Probabilities of the rows fitted perfectly, {100 * self.level:g} % intervals:",
            *ends,
            *([f"  and {more:,} more"] if more > 0 else []),
        ]
        return "\n".join(lines)

    __repr__ = __str__


def limiting_model(inference: Inference, names: list[str], level: float) -> LimitingModel:
    """What is left of an infinite estimate."""
    whole = inference.frame.likelihood
    separated = np.setdiff1d(np.arange(whole.n), inference.boundary)
    apart = inference.likelihood_of(separated)
    assert apart is not None
    z = np.where(apart.own == 1, 1.0, -1.0)
    score = z * apart.scores(inference.best.a[None])[0]
    M = (z * apart.changes(_free(inference.likelihood, inference.size).T)).T
    v = np.ones(len(z)) if apart.v is None else apart.v
    ends = expit(_ends(score, M, v, -math.log1p(-level)))
    intervals = np.where((z > 0)[:, None], np.column_stack([ends, np.ones(len(z))]), 0.0)
    intervals[z < 0, 1] = 1 - ends[z < 0]
    return LimitingModel(
        names, inference.estimates(), inference.std_errors(), inference.boundary, separated, intervals, level
    )


def _free(boundary: Likelihood | None, size: int) -> Matrix:
    """G: directions in which no boundary row changes."""
    if boundary is None:
        return np.eye(size)
    return FullHessian(boundary.hessian(np.zeros((1, size)))).null


def _ends(score: Vector, M: Matrix, v: Vector, cost: float) -> Vector:
    """The least score + Mγ of each row, where the loss of all is at most the cost; equal rows are asked once."""

    def loss(gamma: Vector) -> Point:
        g = score + M @ gamma
        p, q = expit(-g), expit(g)
        return Point(float(v @ np.logaddexp(0, -g)), -M.T @ (v * p), (M.T * (v * p * q)) @ M)

    rows, first, own = np.unique(np.column_stack([score, M]).round(12), axis=0, return_index=True, return_inverse=True)
    found = np.empty(len(rows))
    for k, i in enumerate(first):
        e = M[i] / (M[i] @ M[i])
        profile = Profile(loss, 0.0, e, null_space(M[i][None]), np.zeros(len(e)), 0.0)
        found[k] = score[i] + interval_end(profile, math.inf, -float(score[i]), -1, 2 * cost, 4.0)
    return found[own.ravel()]

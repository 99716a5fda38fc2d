"""A guess at the boundary in floats: Newton's method on the log loss of the rows z.

J(b) = Σ log(1 + exp(-zb)) has no minimum unless every row lies on the boundary N, but its part on N has one: there the
weights λ = 1/(1 + exp(zb)) add up to Σ λz = 0, and all of them are positive. Beside N the loss falls for ever. So
Newton's step s shows both sets at once: zs vanishes on N, once its part has converged, while every other row gains
about one or more a step. A guess is never trusted: whole numbers prove what it says.

Rows are given as they are (``PlainRows``), or as the patterns of several classes, each held against every rival
(``RivalRows``), of whose rows none is ever made.

References
----------
A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression models",
Biometrika 71 (1984).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from .._engine.progress import Tell
from .passes import Floats, Indices, Labels

STEPS = 60
STILL = 1e-5  # what a row of N gains at most in a step, once its part has converged
MOVES = 0.05  # what any other row gains at least
RIDGES = (1e-13, 1e-10, 1e-7)  # of the largest curvature, added to all of them
PIECE = 1 << 20  # numbers of a product that are made at once; between two, Ctrl-C is heard


class BoundaryGuess(NamedTuple):
    """What the rows say: which are taken for N, their weights λ > 0, and a vector that gains on all others."""

    boundary: NDArray[np.bool_]
    weights: Floats
    direction: Floats


class LossRows(Protocol):
    """Rows z, seen through their products; a mask says which of them exist."""

    exists: NDArray[np.bool_]
    n_columns: int

    def margins(self, b: Floats) -> Floats:
        """zb for every row."""

    def total(self, weights: Floats) -> Floats:
        """Σ λz."""

    def squares(self, weights: Floats) -> Floats:
        """Σ h zzᵗ."""

    def dense(self, places: Indices) -> Floats:
        """Some rows in full, by their places in the flat mask."""


class PlainRows:
    """Rows of an array or a CSR matrix."""

    def __init__(self, Z: Any) -> None:
        self.Z, self.n_columns = Z, int(Z.shape[1])
        self.exists = np.ones(Z.shape[0], bool)

    def margins(self, b: Floats) -> Floats:
        return np.asarray(self.Z @ b)

    def total(self, weights: Floats) -> Floats:
        return np.asarray(self.Z.T @ weights)

    def squares(self, weights: Floats) -> Floats:
        if sparse.issparse(self.Z):
            return np.asarray((self.Z.T @ sparse.diags(weights) @ self.Z).toarray())
        some = np.flatnonzero(weights)
        H = np.zeros((self.n_columns, self.n_columns))
        for part in pieces(some.size, self.n_columns):
            Z = self.Z[some[part]]
            H += Z.T @ (weights[some[part], None] * Z)
        return H

    def dense(self, places: Indices) -> Floats:
        rows = self.Z[places]
        return np.asarray(rows.toarray() if sparse.issparse(rows) else rows)


class RivalRows:
    """Patterns Y of classes ``own``, sorted by class, each against all others: row (i, k) is that of i and rival k."""

    def __init__(self, Y: Floats, own: Labels, n_groups: int) -> None:
        self.Y, self.own, self.n_groups, self.p = Y, own, n_groups, int(Y.shape[1])
        self.n_columns = (n_groups - 1) * self.p
        self.exists = np.arange(n_groups) != self.own[:, None]
        self.bounds = np.searchsorted(self.own, np.arange(n_groups + 1)).tolist()

    def margins(self, b: Floats) -> Floats:
        scores = np.zeros((len(self.Y), self.n_groups))
        scores[:, 1:] = self.Y @ b.reshape(-1, self.p).T
        return scores[np.arange(len(scores)), self.own, None] - scores

    def total(self, weights: Floats) -> Floats:
        factors = -weights
        factors[np.arange(len(factors)), self.own] += weights.sum(axis=1)
        return np.asarray(factors[:, 1:].T @ self.Y).ravel()

    def squares(self, weights: Floats) -> Floats:
        c, p = self.n_groups, self.p
        H, own = np.zeros((c, p, c, p)), np.zeros((c, p, p))
        for k, (first, last) in enumerate(zip(self.bounds, self.bounds[1:], strict=False)):
            blocks = np.zeros((c * p, p))
            for part in pieces(last - first, c * p):
                Y = self.Y[first:last][part]
                blocks += (weights[first:last][part, :, None] * Y[:, None, :]).reshape(len(Y), -1).T @ Y
            against = blocks.reshape(c, p, p)
            own += against
            own[k] += against.sum(axis=0)
            H[k] -= against.transpose(1, 0, 2)
            H[:, :, k] -= against
        H[np.arange(c), :, np.arange(c)] += own
        return H[1:, :, 1:].reshape(self.n_columns, self.n_columns)

    def dense(self, places: Indices) -> Floats:
        patterns, rivals = np.divmod(places, self.n_groups)
        signs = np.zeros((len(places), self.n_groups))
        at = np.arange(len(places))
        signs[at, self.own[patterns]] += 1
        signs[at, rivals] -= 1
        return (signs[:, 1:, None] * self.Y[patterns, None, :]).reshape(len(places), -1)


def pieces(n: int, width: int) -> list[slice]:
    """Parts of n rows of so many numbers."""
    step = max(1, PIECE // max(width, 1))
    return [slice(k, min(k + step, n)) for k in range(0, n, step)]


def boundary_of(rows: LossRows, tick: Tell) -> BoundaryGuess | None:
    """Which rows lie on the boundary, as far as floats can tell; None where they cannot."""
    exists = rows.exists
    b = np.zeros(rows.n_columns)
    margins = np.zeros(exists.shape)
    loss = np.inf
    for k in range(STEPS):
        tick(f"step {k + 1} of Newton's method on {np.count_nonzero(exists):,} rows", 0.0)
        weights = np.where(exists, expit(-margins), 0.0)
        slope = rows.total(weights)
        step = newton_step(rows.squares(weights * (1 - weights)), slope)
        if step is None:
            return None
        gains = rows.margins(step)
        guess = _told(exists, margins, gains, weights, step)
        if guess is not None:
            return guess
        length, loss, before = 1.0, _loss(margins + gains, exists), loss
        while not loss <= before - 1e-4 * length * float(slope @ step) and length > 1e-4:
            length /= 2
            loss = _loss(margins + length * gains, exists)
        b, margins = b + length * step, margins + length * gains
        if margins.min(where=exists, initial=np.inf) > 0:
            return BoundaryGuess(np.zeros(exists.shape, bool), weights, b)
    return None


def newton_step(H: Floats, slope: Floats) -> Floats | None:
    """The solution of Hs = slope, as little damped as need be; None where H is too far from positive definite."""
    size = np.sqrt(np.maximum(np.diag(H), 0))
    size[size <= 1e-10 * size.max(initial=0)] = np.inf  # what no row moves stays where it is
    H = H / size / size[:, None]
    for ridge in RIDGES:
        damped = H.copy()
        damped[np.diag_indices(len(H))] += np.where(np.isinf(size), 1.0, ridge * len(H))
        try:
            factor = cho_factor(damped, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            continue
        return np.asarray(cho_solve(factor, slope / size, check_finite=False)) / size
    return None


def _told(exists: Any, margins: Floats, gains: Floats, weights: Floats, step: Floats) -> BoundaryGuess | None:
    """The guess, once every row either keeps its margin or gains: never at the first steps, where all change."""
    still = exists & (np.abs(gains) <= STILL)
    moves = exists & (gains >= MOVES) & (margins > 0)
    if np.any(exists & ~still & ~moves):
        return None
    return BoundaryGuess(still, weights, step)


def _loss(margins: Floats, exists: NDArray[np.bool_]) -> float:
    return float(np.logaddexp(0.0, -margins).sum(where=exists))

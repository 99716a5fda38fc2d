"""Few rows of the boundary that prove all of it, chosen in floats: rows that span it, and rows that balance them.

The rows of the boundary N generate a linear space, since some positive weights add them up to zero. T are independent
rows that span it. The negative of their sum is then a sum of rows of N with positive weights, of which, by
Carathéodory's theorem, as many will do as the space has dimensions: U. The rows of T and U have a relation with
positive weights, span the space, and are at most twice as many as its dimensions (Steinitz).

References
----------
E. Steinitz, "Bedingt konvergente Reihen und konvexe Systeme", J. reine angew. Math. 143 (1913);
C. L. Lawson and R. J. Hanson, *Solving Least Squares Problems* (1974), chapter 23.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from .._engine.progress import Tell
from .elimination import INDEPENDENT, Elimination
from .newton import LossRows, PlainRows
from .nonnegative import heard, nonnegative
from .passes import Floats, Indices

CLOSE = 1e-8  # what is left of a sum that is taken to vanish, relatively
NEGLIGIBLE = 1e-11  # a weight beside the largest that is taken to vanish
MANY = 300  # columns for which orthogonal bases are dear, or nonnegative least squares
ROUNDS = 40  # in which rows may join


class Spanning(NamedTuple):
    """T and U by their places: independent rows that span the same, which are U and some of T, and the rest of T."""

    basis: list[int]
    rest: list[int]


def spanning(rows: LossRows, places: Indices, weights: Floats, tick: Tell) -> Spanning | None:
    """Rows T and U of those at the places, which have these weights in a relation; None where none are found."""
    order = places[np.argsort(-weights, kind="stable")]
    if isinstance(rows, PlainRows) and sparse.issparse(rows.Z) and rows.n_columns > MANY:
        found = _sparse_spanning(rows, order, tick)
        if found is not None:
            return found
    T, Q = _independent(rows, order, tick)
    if len(T) == rows.n_columns > MANY:  # then those that balance a single row are likely to be as many as span
        U = _balancing(rows, order, T[:1], Q, tick)
        if U is not None and len(U) == len(T):
            return Spanning(U, T[:1])
    U = _balancing(rows, order, T, Q, tick) if T else None
    if U is None:
        return None
    rest = [place for place in T if place not in set(U)]
    basis = [*U, *_completing(rows.dense(np.array(U)) @ Q, rows.dense(np.array(rest, np.int64)) @ Q, rest, tick)]
    return Spanning(basis, [place for place in rest if place not in set(basis)])


def _sparse_spanning(rows: PlainRows, order: Indices, tick: Tell) -> Spanning | None:
    """The same for rows of few entries, as those of factors; None where they do not stay so, or no rows balance T."""
    T = Elimination(rows.Z)
    new = order[: 2 * rows.n_columns]
    while new.size:
        tick(f"{len(T.chosen):,} independent rows of {rows.n_columns:,}", len(T.chosen) / rows.n_columns)
        before = len(T.chosen)
        if not T.take(new):
            return None
        probe = T.probe()
        missed = order[np.abs(rows.margins(probe)[order]) > INDEPENDENT * np.abs(probe).max(initial=0)]
        new = missed[: 2 * rows.n_columns] if len(T.chosen) > before else missed[:0]
    target = -np.asarray(rows.Z[T.chosen].sum(axis=0)).ravel()
    U = _by_linear_program(rows.Z[order], target, order, tick)
    both = Elimination(rows.Z)
    if U is None or not both.take([*U, *(place for place in T.chosen if place not in set(U))]):
        return None
    basis = set(both.chosen)
    return Spanning(both.chosen, [place for place in dict.fromkeys([*U, *T.chosen]) if place not in basis])


def _independent(rows: LossRows, order: Indices, tick: Tell) -> tuple[list[int], Floats]:
    """Independent rows that span all of them, those with large weights first, and an orthonormal basis of the span."""
    k = rows.n_columns
    rng = np.random.default_rng(0)
    chosen: list[int] = []
    Q = np.zeros((k, 0))
    new = order[: 2 * k]
    while new.size:
        tick(f"{len(chosen):,} independent rows of {k:,}", len(chosen) / k)
        z = rows.dense(new)
        z = z - (z @ Q) @ Q.T
        basis, R, pivots = heard(qr, z.T, mode="economic", pivoting=True, check_finite=False, tick=tick)
        size = np.abs(np.diag(R))
        count = int((size > INDEPENDENT).sum())
        chosen += new[pivots[:count]].tolist()
        Q, _ = heard(np.linalg.qr, np.concatenate([Q, basis[:, :count]], axis=1), tick=tick)
        if Q.shape[1] >= min(k, len(order)) or not count:
            break
        probe = rng.normal(size=k)
        probe -= Q @ (Q.T @ probe)
        moved = np.abs(rows.margins(probe).ravel()[order])
        missed = order[moved > INDEPENDENT * np.linalg.norm(probe) / np.sqrt(k)]
        new = missed[: 4 * (k - Q.shape[1])]
        if missed.size > new.size:  # rows with large weights may all lie in a few dimensions
            new = np.union1d(new, rng.choice(missed, new.size, replace=False))
    return chosen, Q


def _balancing(rows: LossRows, order: Indices, T: list[int], Q: Floats, tick: Tell) -> list[int] | None:
    """Rows that add up to minus the sum of T with positive weights; more rows are looked at as they are needed."""
    target = -rows.dense(np.array(T)).sum(axis=0)
    if isinstance(rows, PlainRows) and sparse.issparse(rows.Z):
        return _by_linear_program(rows.Z[order], target, order, tick)
    target, r = target @ Q, Q.shape[1]
    candidates, weights = order[: 2 * r], np.zeros(min(2 * r, order.size))
    for _ in range(ROUNDS):
        tick(f"{candidates.size:,} rows that may balance {r:,}", 0.0)
        A = (rows.dense(candidates) @ Q).T
        weights = nonnegative(A, target, 10 * (candidates.size + r), weights, tick)
        weights[weights < NEGLIGIBLE * weights.max()] = 0
        rest = target - A @ weights
        support = candidates[weights > 0]
        if np.linalg.norm(rest) <= CLOSE * np.linalg.norm(target):
            return [int(place) for place in support]
        gains = rows.margins(Q @ rest).ravel()[order]
        best = np.argsort(-gains, kind="stable")[: 2 * r + 10]
        joining = np.setdiff1d(order[best[gains[best] > 0]], candidates)
        if not joining.size:
            return None
        candidates, weights = np.concatenate([support, joining]), np.r_[weights[weights > 0], np.zeros(joining.size)]
    return None


def _by_linear_program(Z: Any, target: Floats, order: Indices, tick: Tell) -> list[int] | None:
    """The same for sparse rows, of which a simplex method makes short work; a vertex has as few rows as are needed."""
    none = np.zeros(Z.shape[0])
    from scipy.optimize import linprog  # 0.2 s of imports that most data do not need

    program = {"A_eq": Z.T.tocsc(), "b_eq": target, "bounds": (0, None), "options": {"presolve": False}}
    found = heard(linprog, none, **program, tick=tick)
    return None if not found.success else [int(place) for place in order[found.x > NEGLIGIBLE * found.x.max()]]


def _completing(U: Floats, T: Floats, places: list[int], tick: Tell) -> list[int]:
    """Rows of T that make a basis with the independent rows U."""
    r = T.shape[1]
    if len(U) >= r:
        return []
    basis = heard(np.linalg.qr, U.T, tick=tick)[0]
    left = T - (T @ basis) @ basis.T
    pivots = heard(qr, left.T, mode="r", pivoting=True, check_finite=False, tick=tick)[1]
    return [places[k] for k in pivots[: r - len(U)]]

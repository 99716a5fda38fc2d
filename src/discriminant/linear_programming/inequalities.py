"""The inequalities aᵗy ≥ b of a separating vector in coordinates that suit a solver, and their two linear programs.

Rows: for two categories the normalized pattern y = z (1, x); for c classes Kesler's rows, y in the block of its class
and −y in that of a rival.  Only differences of weight vectors matter, so the block of the last class is left out (its
weights are zero), and the answer is shifted so that the weights of all classes add up to zero.

Coordinates: x_j becomes (x_j − m_j) / s_j with s_j a power of two, so that no size and no offset hurts.  A column that
holds a zero keeps m_j = 0: its offset is no larger than its range, and what is sparse remains so.  Columns that nearly
depend on each other, which a tolerance of 1e-9 could not tell apart, are replaced by orthogonal ones, Y = QR, where
that is no great work.  An array and a CSR matrix of the same numbers make the same program.

Both programs are solved in their dual form, whose matrix Yᵗ has as few rows as there are weights:

    maximize bᵗλ     subject to     Yᵗλ = 0,    0 ≤ λ ≤ v                    of   J_p′ = Σ v (b − aᵗy)⁺
    maximize bᵗλ     subject to     Yᵗλ = 0,    0 ≤ λ,    Σ λ ≤ 1            of   J_τ  = max (b − aᵗy)⁺

The duals of its rows Yᵗλ = 0 are −a.  On twenty thousand patterns in ten dimensions the primal form takes a hundred
times as long.  Larger programs are sifted: rows of which it is plain which side they are on do not enter one by one.

Symbols: Y the rows y, a = (w₀, w), b the margins, λ the multipliers, v the weights of the rows.

Sources: Duda, Hart, Stork, *Pattern Classification*, §5.10 and §5.12.1.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from .._engine.driver import Watch
from .._engine.refusals import refusal
from .._guards.validation import all_finite
from .highs import TOLERANCE, Program, Vector, solve

Index = NDArray[np.intp]

BLOCK = 8192  # patterns that are brought to the solver's coordinates at a time
ENTRIES = 2_000_000  # of Kesler's rows that are made at a time, between two looks at the watch
LARGE = 8000  # rows above which the program is sifted
WORK = 1e9  # products that a look at the dependence of the columns may take
TANGLED = 1e-5  # columns with a smaller part of their own than this are replaced
NOTHING = 1e-13  # but below this the part is rounding, and is dropped


@dataclass(frozen=True)
class Inequalities:
    """The rows of patterns X with labels 0, 1, ..., and the way back from the solver's coordinates."""

    X: Any
    labels: Index
    n_classes: int
    owner: Index  # the pattern of each row
    rival: Index  # the class that each row compares with that of its pattern
    Z: Any  # CSR: the rows in the solver's coordinates
    center: Vector
    exponent: NDArray[np.int32]
    T: Vector | None  # from the unknowns of orthogonal columns to those of the scaled ones
    intercept: bool

    def weights(self, u: Vector) -> Vector:
        """Augmented weights (w₀, w), one row a discriminant, of the solver's unknowns."""
        U = u.reshape(1 if self.n_classes == 2 else self.n_classes - 1, -1)
        if self.n_classes > 2:
            U = np.vstack([U, np.zeros_like(U[0])])
            U -= U.mean(axis=0)
        if self.T is not None:
            U = U @ self.T.T
        first, scaled = (U[:, :1], U[:, 1:]) if self.intercept else (np.zeros((len(U), 1)), U)
        with np.errstate(over="ignore", invalid="ignore"):
            W = np.ldexp(scaled, -self.exponent)
            return np.hstack([first - (W @ self.center)[:, None], W])

    def margins(self, A: Vector, absolute: bool = False) -> Vector:
        """Products aᵗy of all rows, in float64; with ``absolute`` those of |a| and |y|."""
        X, A = (abs(self.X), np.abs(A)) if absolute else (self.X, A)
        with np.errstate(over="ignore", invalid="ignore"):
            S = X @ A[:, 1:].T + A[:, 0]
            if self.n_classes == 2:
                return np.asarray(S[:, 0] if absolute else np.where(self.labels == 1, S[:, 0], -S[:, 0]))
            own, other = S[self.owner, self.labels[self.owner]], S[self.owner, self.rival]
            return np.asarray(own + other if absolute else own - other)

    def satisfied(self, A: Vector, dtype: Any = np.float64) -> NDArray[np.bool_]:
        """Which rows have aᵗy > 0 by more than the product is rounded in the type of the data."""
        noise = (A.shape[1] + 2) * float(np.finfo(dtype).eps)
        return np.asarray(self.margins(A) > noise * self.margins(A, absolute=True))

    def residual(self, multipliers: Vector) -> float:
        """How far Yᵗλ is from zero: its largest component, as a part of |Y|ᵗλ, in the solver's coordinates."""
        off, size = np.abs(self.Z.T @ multipliers), abs(self.Z).T @ multipliers
        return float(np.max(off / np.where(size > 0, size, 1), initial=0.0))


def inequalities(
    X: Any, labels: NDArray[Any], n_classes: int, intercept: bool = True, watch: Watch | None = None
) -> Inequalities:
    """The rows of X, dense or CSR without repeated entries; labels are 0, 1, ..., n_classes - 1.

    The watch is asked before each block of rows.
    """
    watch = watch or Watch()
    center, exponent = _coordinates(X, intercept)
    Y, T = _untangled(_scaled(X, center, exponent, intercept, watch))
    labels = labels.astype(np.intp)
    n = labels.size
    watch.check()
    if n_classes == 2:
        Z = sparse.csr_array((Y.data * np.repeat(2.0 * labels - 1, np.diff(Y.indptr)), Y.indices, Y.indptr), Y.shape)
        return Inequalities(X, labels, 2, np.arange(n), 1 - labels, Z, center, exponent, T, intercept)
    owner = np.repeat(np.arange(n), n_classes - 1)
    rivals = np.array([[j for j in range(n_classes) if j != i] for i in range(n_classes)])[labels]
    size = max(1, ENTRIES * n // max(1, 2 * Y.nnz * n_classes))
    parts = []
    for start in range(0, n, size):
        watch.check()
        some = slice(start, start + size)
        parts.append(_kesler_rows(Y[some], labels[some], rivals[some]))
    Z = sparse.vstack(parts, format="csr")
    watch.check()
    return Inequalities(X, labels, n_classes, owner, rivals.ravel(), Z, center, exponent, T, intercept)


def _kesler_rows(Y: Any, labels: Index, rivals: Index) -> Any:
    """Kesler's rows of some patterns: in the block of class k +y where k is the own class, −y where it is the rival."""
    n, others = rivals.shape
    owner, rival = np.repeat(np.arange(n), others), rivals.ravel()
    own, blocks = labels[owner], []
    for k in range(others):  # the weights of the last class are zero
        rows = np.flatnonzero((own == k) | (rival == k))
        signs = np.where(own[rows] == k, 1.0, -1.0)
        blocks.append(sparse.csr_array((signs, (rows, owner[rows])), shape=(owner.size, n)) @ Y)
    return sparse.hstack(blocks, format="csr")


def _coordinates(X: Any, intercept: bool) -> tuple[Vector, NDArray[np.int32]]:
    """The middle of each column without a zero, and the power of two that brings its range to ordinary size."""
    high, low = (_flat(part) for part in (X.max(axis=0), X.min(axis=0)))
    if not (all_finite(high) and all_finite(low)):
        raise refusal(X)
    full = np.asarray((X != 0).sum(axis=0)).ravel() == X.shape[0]
    center = np.where(full & intercept, low / 2 + high / 2, 0.0)
    return center, np.frexp(np.maximum(high - center, center - low))[1].astype(np.int32)


def _flat(part: Any) -> Vector:
    dense = part.toarray() if sparse.issparse(part) else part
    return np.asarray(dense, np.float64).ravel()


def _scaled(X: Any, center: Vector, exponent: NDArray[np.int32], intercept: bool, watch: Watch) -> Any:
    """The patterns (1, x) in the solver's coordinates, as CSR, made a block of rows at a time."""
    blocks = []
    for start in range(0, X.shape[0], BLOCK):
        watch.check()
        some = X[start : start + BLOCK]
        if sparse.issparse(X):
            Y = sparse.csr_array(some, dtype=np.float64, copy=True)
            Y.data = np.ldexp(Y.data - center[Y.indices], -exponent[Y.indices])
        else:
            Y = sparse.csr_array(np.ldexp(some.astype(np.float64) - center, -exponent))
        one = sparse.csr_array(np.ones((Y.shape[0], 1)))
        blocks.append(sparse.hstack([one, Y], format="csr") if intercept else Y)
    return blocks[0] if len(blocks) == 1 else sparse.vstack(blocks, format="csr")


def _untangled(Y: Any) -> tuple[Any, Vector | None]:
    """Y, or where its columns nearly depend on each other, YT with orthogonal columns of ordinary size, and T."""
    n, p = Y.shape
    if n * p * min(n, p) > WORK:
        return Y, None
    full = Y.toarray()
    R, _ = linalg.qr(full, mode="r", pivoting=True)
    own = np.abs(np.diag(R)) / max(np.abs(R[0, 0]), np.finfo(float).tiny)
    if not np.any((own < TANGLED) & (own > NOTHING)):
        return Y, None
    Q, R, order = linalg.qr(full, mode="economic", pivoting=True)
    r = int(np.count_nonzero(own > NOTHING))
    T = np.zeros((p, r))
    T[order[:r]] = linalg.solve_triangular(R[:r, :r], np.sqrt(n) * np.eye(r))
    return sparse.csr_array(np.sqrt(n) * Q[:, :r]), T


@dataclass(frozen=True)
class Optimum:
    """The solver's unknowns u, the multipliers λ of the rows, how it ended, and its simplex steps."""

    u: Vector
    multipliers: Vector
    status: str
    steps: int

    @property
    def optimal(self) -> bool:
        return self.status == "optimal"


def minimize(
    Z: Any, b: Vector, weight: Vector | None, *, time_limit: float = np.inf, stop: Callable[[], bool] | None = None
) -> Optimum:
    """Minimize J_p′ with these weights over the rows Z; without weights J_τ.  An early end leaves NaN or a guess."""
    end = time.monotonic() + time_limit
    size, most = b.max(), 1.0 if weight is None else weight.max()  # so that the tolerances are relative
    b, v = b / size, None if weight is None else weight / most

    def program(Z: Any, b: Vector, v: Vector | None) -> Optimum:
        return _solved(Z, b, v, max(end - time.monotonic(), 0.0), stop)

    found = program(Z, b, v) if b.size <= LARGE else _sifted(Z, b, v, program)
    return replace(found, u=size * found.u, multipliers=most * found.multipliers)


def _solved(Z: Any, b: Vector, v: Vector | None, time_limit: float, stop: Callable[[], bool] | None) -> Optimum:
    m, q = Z.shape
    limits = np.zeros(q), np.zeros(q)
    if v is None:
        Z = sparse.hstack([Z, sparse.csr_array(np.ones((m, 1)))], format="csr")
        limits = np.append(limits[0], -np.inf), np.append(limits[1], 1.0)
    upper = np.full(m, np.inf) if v is None else v
    program = Program(-b, Z.T, *limits, np.zeros(m), upper)
    answer = solve(program, time_limit=time_limit, presolve=False, method="simplex", stop=stop)
    return Optimum(-answer.row_duals[:q], np.clip(answer.primal, 0, upper), answer.status, answer.steps)


def _sifted(Z: Any, b: Vector, v: Vector | None, program: Callable[..., Optimum]) -> Optimum:
    """Solve a program of very many rows by programs of few, the same minimum.

    Some rows are free.  The others, of which a guess says that aᵗy < b or that aᵗy > b, are joined to one row a side,
    their weighted mean: that lowers J_p′, by convexity, and changes nothing where the guess is right.  Rows of which
    it is wrong are set free, until there are none.  In J_τ a row that is not free is left out until it is the worst.
    """
    m = b.size
    sample = np.sort(np.random.default_rng(0).choice(m, LARGE // 4, replace=False))
    guess = program(Z[sample], b[sample], None if v is None else v[sample])
    g, steps = Z @ guess.u, guess.steps
    free = np.zeros(m, bool)
    free[sample if v is None else np.argsort(np.abs(g - b), kind="stable")[: LARGE // 2]] = True
    below = g < b
    while guess.optimal:
        J, weight = _joining(v, free, below)
        guess = program(J.T @ Z, J.T @ b, weight)
        steps += guess.steps
        g = Z @ guess.u
        off = b - g - max(0.0, (b - g)[free].max()) if v is None else np.where(below, g - b, b - g)
        wrong = np.flatnonzero(~free & (off > TOLERANCE))
        if not wrong.size or not guess.optimal:
            return Optimum(guess.u, J @ guess.multipliers, guess.status, steps)
        free[wrong[np.argsort(-off[wrong], kind="stable")[: LARGE // 2]]] = True
    return replace(guess, multipliers=np.full(m, np.nan), steps=steps)


def _joining(v: Vector | None, free: NDArray[np.bool_], below: NDArray[np.bool_]) -> tuple[Any, Vector | None]:
    """The matrix J whose columns pick a free row or average a side, so that JᵗZ are the rows, with their weights."""
    single = np.flatnonzero(free)
    sides = [] if v is None else [side for side in (~free & below, ~free & ~below) if side.any()]
    J = sparse.csr_array((np.ones(single.size), (single, np.arange(single.size))), shape=(free.size, single.size))
    if v is None:
        return J, None
    totals = [float(v[side].sum()) for side in sides]
    means = [sparse.csr_array((side * v / total)[:, None]) for side, total in zip(sides, totals, strict=True)]
    return sparse.hstack([J, *means], format="csr"), np.append(v[single], totals)

"""Weighted linear least squares with an intercept that is never penalized, for many targets at once.

    minimize  sum_i v_i |w'x_i + w0 - t_i|^2 + alpha |w|^2      over a = (w0, w)

Four ways, chosen by shape and condition, and named in the answer:

- ``cholesky``: the d x d scatter matrix, built in one pass over blocks of rows, and, unless X is very well
  conditioned, one refinement with the residual, which makes it as good as an orthogonal method while the condition
  number of X stays below about 1e5;
- ``svd``: block by block QR and the SVD of the small triangle, for everything worse; it gives the shortest a when X
  lacks full rank, which is the limit that defines the pseudoinverse;
- ``dual``: the n x n matrix of inner products, when there are fewer rows than columns;
- ``lsqr``: products with X only, for sparse matrices too large for the others.

Nothing of the size of X is copied.  Where a watch is given, Ctrl-C is heard between two blocks of rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.linalg.lapack import dpocon
from scipy.sparse.linalg import LinearOperator, lsqr

from ._driver import Watch
from ._workers import one_blas_thread

BLOCK = 4096  # rows at a time: a block of 100 columns stays in the cache
RUNS = 16  # parts of the data that threads may take, whatever their number
EASY = 1e-3  # reciprocal condition above which the normal equations alone are right to a dozen digits
WELL = 1e-10  # reciprocal condition of the scaled scatter matrix below which its square loses too much
WIDE = 3000  # side of a matrix that is worth building densely from a sparse X

Matrix = NDArray[np.float64]


class NotFiniteError(ArithmeticError):
    """A sum of squares is not finite: the data hold NaN or infinity, or overflow."""


class Coded:
    """Targets that depend on the class alone: row i is ``table[labels[i]]``, made a block at a time."""

    def __init__(self, labels: NDArray[np.int32], table: Matrix) -> None:
        self._labels, self._table = labels, table
        self.shape = (labels.size, table.shape[1])

    def __getitem__(self, rows: Any) -> Matrix:
        return np.asarray(self._table[self._labels[rows]])


Targets = Matrix | Coded


@dataclass
class Moments:
    """Sufficient statistics of weighted patterns x and targets t."""

    total: float
    mean: Matrix
    target_mean: Matrix
    scatter: Matrix
    cross: Matrix
    target_scatter: Matrix

    def finite(self) -> bool:
        """Whether nothing overflowed and no entry was NaN."""
        return bool(np.isfinite(self.scatter.sum()) and np.isfinite(self.cross.sum()))


@dataclass
class Answer:
    """The solution A, one column a target with w0 on top, and how it was found."""

    weights: Matrix
    solver: str
    rank: int
    condition: float
    criterion: float
    gradient: float


def check_total(v: Matrix | None, name: str = "sample_weight") -> None:
    """Refuse weights that are so small or so large that their sum cannot be worked with."""
    with np.errstate(over="ignore"):
        total = 1.0 if v is None else float(np.sum(v))
    if not 1e-290 < total < np.inf:
        raise ValueError(f"{name} adds up to {total:.3g}, out of range: divide it by its mean.")


def published(A: Matrix, dtype: Any) -> NDArray[Any]:
    """The weights in the type of the data, which must hold them."""
    with np.errstate(over="ignore"):
        weights = A.astype(dtype)
    if not np.all(np.isfinite(weights)):
        raise ValueError(
            f"the weights overflow {dtype}: the features are too small, or vary too little about a large value. Scale "
            "them, for instance with StandardScaler."
        )
    return weights


def blocks(X: Any, T: Targets, v: Matrix | None) -> Iterator[tuple[Any, Matrix, Matrix | None]]:
    """Rows of X, T and the weights, a block at a time; float32 is widened, sparse rows stay sparse."""
    for start in range(0, X.shape[0], BLOCK):
        rows = slice(start, start + BLOCK)
        yield X[rows].astype(np.float64, copy=False), T[rows], None if v is None else v[rows]


def moments(X: Any, T: Targets, v: Matrix | None = None, watch: Watch | None = None) -> Moments:
    """Means, scatter and cross products in one pass; what overflows is left to ``Moments.finite``.

    The squares are taken about a provisional center where the features lie far from zero, because
    sum xx' - n mm' would cancel there.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _moments(X, T, v, watch)


def _moments(X: Any, T: Targets, v: Matrix | None, watch: Watch | None) -> Moments:
    center = None if sparse.issparse(X) else provisional_center(X)
    sums = in_order(X, lambda rows: _sums(X[rows], T[rows], None if v is None else v[rows], center), watch)
    total, first, target_first, gram, cross, squares = sums
    mean, target_mean = first / total, target_first / total
    scatter = gram - total * np.outer(mean, mean)
    cross = cross - total * np.outer(mean, target_mean)
    center = mean if center is None else mean + center
    return Moments(float(total), center, target_mean, scatter, cross, squares - total * target_mean**2)


def _sums(B: Any, S: Matrix, u: Matrix | None, center: Matrix | None) -> list[Any]:
    """Number, sums of x, of t, of xx', of xt' and of the squares of t over one block; float32 is widened."""
    B = B.astype(np.float64, copy=False)
    if center is not None:
        B = B - center
    if sparse.issparse(B):
        weighted = B if u is None else B.multiply(u[:, None]).tocsr()
        gram = (B.T @ weighted).toarray()
    else:
        root = B if u is None else B * np.sqrt(u)[:, None]
        gram = root.T @ root  # numpy sees a matrix times its transpose and does half the work
        weighted = B if u is None else B * u[:, None]
    total = len(S) if u is None else u.sum()
    target_sum = S.sum(axis=0) if u is None else u @ S
    ones = np.ones(B.shape[0]) if u is None else u
    return [total, np.asarray(ones @ B).ravel(), target_sum, gram, np.asarray(weighted.T @ S), ones @ S**2]


def in_order(X: Any, work: Callable[[slice], list[Any]], watch: Watch | None = None) -> list[Any]:
    """Add up the work on all blocks: a thread takes a run of blocks, and the runs are added in their order.

    The runs depend on the number of rows alone, and BLAS works with one thread, so that the sums have the same bits
    whatever the number of threads.  A watch is asked before each block.
    """
    n = X.shape[0]
    run = BLOCK * max(1, -(-n // (BLOCK * RUNS)))
    runs = [range(start, min(start + run, n), BLOCK) for start in range(0, n, run)]

    def part(start: int) -> list[Any]:
        if watch is not None:
            watch.check()
        return work(slice(start, min(start + BLOCK, n)))

    def total(starts: range) -> list[Any]:
        parts = [part(start) for start in starts]
        return [sum(column[1:], start=column[0]) for column in zip(*parts, strict=True)]

    if len(runs) == 1:
        return total(runs[0])
    with one_blas_thread(), ThreadPoolExecutor(os.cpu_count()) as pool:
        sums = list(pool.map(total, runs))
    return [sum(column[1:], start=column[0]) for column in zip(*sums, strict=True)]


def provisional_center(X: Any) -> Matrix | None:
    """A point amid the data where that is needed: some feature lies more than a hundred deviations from zero.

    Few rows make the scatter singular, and its rank would be that of rounding: they always have such a point.
    """
    sample = X[:: max(1, X.shape[0] // 256)].astype(np.float64)
    mean, spread = sample.mean(axis=0), sample.std(axis=0)
    few = X.shape[0] <= 2 * X.shape[1]
    far = np.abs(mean) > (0 if few else 100) * spread
    return mean if np.any(far & np.isfinite(mean)) else None


def solve(X: Any, T: Targets, v: Matrix | None = None, alpha: float = 0.0, *, watch: Watch | None = None) -> Answer:
    """Minimize by the way that fits the shape of X; alpha > 0 penalizes w."""
    check_total(v)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is noticed and raised
        return _solve(X, T, v, alpha, watch or Watch())


def _solve(X: Any, T: Targets, v: Matrix | None, alpha: float, watch: Watch) -> Answer:
    n, d = X.shape
    if sparse.issparse(X) and min(n, d) > WIDE:
        return judged(*by_lsqr(X, T[:], v, alpha, watch), X, T, v, alpha)
    if n <= d and n <= WIDE:
        found = by_dual(X, T[:], v, alpha)
        return judged(*(by_svd(X, T, v, alpha, watch) if found is None else found), X, T, v, alpha)
    statistics = moments(X, T, v, watch)
    if not statistics.finite():
        raise NotFiniteError
    start = by_cholesky(statistics, alpha)
    if start is None:
        return judged(*by_svd(X, T, v, alpha, watch), X, T, v, alpha)
    if start[0].rcond >= EASY:
        return accept(*start, statistics, alpha)
    return refine(*start, statistics, X, T, v, alpha)


def residuals(X: Any, T: Targets, v: Matrix | None, A: Matrix) -> tuple[Matrix, Matrix, float]:
    """X'Vr, the sum of Vr and the sum of squares r'Vr of the residuals r = t - w'x - w0, in one pass."""

    def part(rows: slice) -> list[Any]:
        B = X[rows].astype(np.float64, copy=False)
        r = T[rows] - B @ A[1:] - A[0]
        weighted = r if v is None else r * v[rows][:, None]
        return [B.T @ weighted, weighted.sum(axis=0), float(np.sum(r * weighted))]

    pull, sums, squares = in_order(X, part)
    return np.asarray(pull), sums, float(squares)


def judged(
    A: Matrix, solver: str, rank: int, condition: float, X: Any, T: Targets, v: Matrix | None, alpha: float
) -> Answer:
    """The answer with its criterion and the length of the gradient there."""
    pull, sums, squares = residuals(X, T, v, A)
    gradient = 2 * np.vstack([sums, pull - alpha * A[1:]])
    penalty = alpha * float(np.sum(A[1:] ** 2))
    return Answer(A, solver, rank, condition, squares + penalty, float(np.linalg.norm(gradient)))


@dataclass
class Cholesky:
    """A factor of a positive definite matrix scaled to a unit diagonal, with its reciprocal condition."""

    factor: Matrix
    scale: Matrix
    rcond: float

    def solve(self, b: Matrix) -> Matrix:
        """The inverse times b."""
        scaled = linalg.cho_solve((self.factor, False), b * self.scale[:, None], check_finite=False)
        return np.asarray(scaled * self.scale[:, None])


def cholesky(S: Matrix) -> Cholesky | None:
    """The factor, or None for a matrix that is not safely positive definite."""
    diagonal = np.diag(S)
    if not np.all(diagonal > 0) or not np.all(np.isfinite(S)):
        return None
    scale = 1 / np.sqrt(diagonal)
    scaled = S * scale * scale[:, None]
    try:
        factor = linalg.cholesky(scaled, check_finite=False)
    except linalg.LinAlgError:
        return None
    rcond, _ = dpocon(factor, np.abs(scaled).sum(axis=0).max())
    return Cholesky(factor, scale, float(rcond)) if rcond >= WELL else None


def by_cholesky(m: Moments, alpha: float) -> tuple[Cholesky, Matrix] | None:
    """The factor of S + alpha I and (w0, w), or None when the matrix is not well conditioned."""
    factor = cholesky(m.scatter + alpha * np.eye(len(m.scatter)))
    if factor is None:
        return None
    W = factor.solve(m.cross)
    return factor, np.vstack([m.target_mean - m.mean @ W, W])


def accept(factor: Cholesky, A: Matrix, m: Moments, alpha: float) -> Answer:
    """The answer as it is, with its criterion and gradient from the moments."""
    W = A[1:]
    left = m.cross - m.scatter @ W - alpha * W
    criterion = float(np.sum(m.target_scatter) - np.sum(W * (m.cross + left)))
    return Answer(
        A, "cholesky", len(A), float(1 / np.sqrt(factor.rcond)), max(criterion, 0.0), 2 * float(np.linalg.norm(left))
    )


def refine(factor: Cholesky, A: Matrix, m: Moments, X: Any, T: Targets, v: Matrix | None, alpha: float) -> Answer:
    """One step of iterative refinement: solve again for what the residual leaves."""
    pull, sums, squares = residuals(X, T, v, A)
    left = pull - np.outer(m.mean, sums) - alpha * A[1:]
    step = factor.solve(left)
    gradient = 2 * (left - m.scatter @ step - alpha * step)
    gained = float(np.sum(left * step) + np.sum(sums**2) / m.total)
    criterion = squares + alpha * float(np.sum(A[1:] ** 2)) - gained
    A = A + np.vstack([sums / m.total - m.mean @ step, step])
    condition = float(1 / np.sqrt(factor.rcond))
    return Answer(A, "cholesky", len(A), condition, criterion, float(np.linalg.norm(gradient)))


def augmented(X: Any, T: Targets, v: Matrix | None, center: Matrix | None) -> Iterator[Matrix]:
    """Dense blocks of (1, x, t), each row times the root of its weight."""
    for B, S, u in blocks(X, T, v):
        dense = B.toarray() if sparse.issparse(B) else B
        rows = np.hstack([np.ones((len(S), 1)), dense if center is None else dense - center, S])
        yield rows if u is None else rows * np.sqrt(u)[:, None]


Found = tuple[Matrix, str, int, float]  # the solution, the way, the rank and the condition number


def by_svd(X: Any, T: Targets, v: Matrix | None, alpha: float, watch: Watch) -> Found:
    """QR of one block after the other on top of the triangle so far, then the SVD of the triangle."""
    n, d = X.shape[0], X.shape[1] + 1
    R, center = np.empty((0, d + T.shape[1])), None
    if alpha > 0:  # the intercept is free, so that the answer does not depend on the origin
        center = None if sparse.issparse(X) else provisional_center(X)
        R = np.hstack([np.zeros((d - 1, 1)), np.sqrt(alpha) * np.eye(d - 1), np.zeros((d - 1, T.shape[1]))])
    for block in augmented(X, T, v, center):
        watch.check()
        R = np.asarray(np.linalg.qr(np.vstack([R, block]), mode="r"))
    U, s, Vt = np.linalg.svd(R[:, :d], full_matrices=False)
    rank = int(np.count_nonzero(s > s[0] * np.finfo(np.float64).eps * max(n, d))) if s[0] > 0 else 0
    coordinates = (U[:, :rank].T @ R[:, d:]) / s[:rank, None]
    A = Vt[:rank].T @ coordinates
    if center is not None:
        A[0] -= center @ A[1:]
    return A, "svd", rank, float(s[0] / s[rank - 1]) if rank else np.inf


def by_dual(X: Any, T: Matrix, v: Matrix | None, alpha: float) -> Found | None:
    """Fewer rows than columns: w is a combination of the patterns; None when their inner products are singular."""
    if v is not None:
        kept = v > 0
        X, T, v = X[kept], T[kept], v[kept]
    center = provisional_center(X) if alpha > 0 and not sparse.issparse(X) else None
    wide = X.astype(np.float64, copy=False) if center is None else X - center
    K = wide @ wide.T
    K = K.toarray() if sparse.issparse(K) else np.asarray(K)
    if not np.isfinite(K.sum()):
        raise NotFiniteError
    if alpha > 0:
        solved = dual_ridge(K, T, v, alpha)
        if solved is None:
            return None
        dual, bias, rcond = solved
        W = wide.T @ dual
        bias = bias if center is None else bias - center @ W
        return np.vstack([bias, W]), "dual", X.shape[1] + 1, float(1 / np.sqrt(rcond))
    factor = cholesky(K + 1.0)
    if factor is None:
        return None
    dual = factor.solve(T)
    dual += factor.solve(T - (K + 1.0) @ dual)
    return np.vstack([dual.sum(axis=0), wide.T @ dual]), "dual", len(T), float(1 / np.sqrt(factor.rcond))


def dual_ridge(K: Matrix, T: Matrix, v: Matrix | None, alpha: float) -> tuple[Matrix, Matrix, float] | None:
    """Solve [[alpha V^-1 + K, 1], [1', 0]] (dual, bias) = (t, 0); None when K is too far from semidefinite."""
    with np.errstate(over="ignore"):
        noise = np.full(len(K), alpha) if v is None else alpha / v
    matrix = K + np.diag(np.minimum(noise, 1e300))  # a row that weighs so little has no say
    factor = cholesky(matrix)
    if factor is None:
        return None
    ones = factor.solve(np.ones((len(K), 1)))
    raw = factor.solve(T)
    raw += factor.solve(T - matrix @ raw)
    bias = raw.sum(axis=0) / ones.sum()
    return raw - ones * bias, bias, factor.rcond


def by_lsqr(X: Any, T: Matrix, v: Matrix | None, alpha: float, watch: Watch) -> Found:
    """Products with X and its transpose only; with alpha = 0 the shortest a, with alpha > 0 centered columns."""
    n, d = X.shape
    if not np.isfinite(X.data.sum()):
        raise NotFiniteError
    root = np.ones(n) if v is None else np.sqrt(v)
    total = float(root @ root)
    center = np.asarray((root**2) @ X).ravel() / total if alpha > 0 else np.zeros(d)
    shift = (root**2) @ T / total if alpha > 0 else np.zeros(T.shape[1])

    def forward(a: Matrix) -> Matrix:
        watch.check()
        a = a.ravel()
        return np.asarray(root * (X @ a[1:] - center @ a[1:] + (a[0] if alpha == 0 else 0.0)))

    def backward(r: Matrix) -> Matrix:
        r = root * r.ravel()
        return np.concatenate([[r.sum() if alpha == 0 else 0.0], X.T @ r - center * r.sum()])

    operator = LinearOperator((n, d + 1), matvec=forward, rmatvec=backward, dtype=np.float64)
    columns, condition = [], 0.0
    for t in (T - shift).T:
        a, *_, acond, _, _, _ = lsqr(operator, root * t, damp=np.sqrt(alpha), atol=1e-14, btol=1e-14, conlim=0)[:10]
        columns.append(a)
        condition = max(condition, float(acond))
    A = np.array(columns).T
    if alpha > 0:
        A[0] = shift - center @ A[1:]
    return A, "lsqr", min(n, d + 1), condition


def details_of(answer: Answer) -> dict[str, Any]:
    """What the report says about a least-squares answer."""
    d, notes = len(answer.weights), []
    if answer.rank < d:
        notes.append(f"The patterns leave {d - answer.rank} directions of a open: the shortest solution was taken.")
    elif answer.condition > 1e7:
        notes.append(
            f"Ill-conditioned ({answer.condition:.1e}): the weights carry few digits; drop or rescale features."
        )
    details = {
        "solver": answer.solver,
        "rank": answer.rank,
        "condition": answer.condition,
        "criterion value": answer.criterion,
        "gradient": answer.gradient,
    }
    return {"notes": notes, "details": details}

"""Weighted linear least squares with an intercept that is never penalized, for many targets at once.

    minimize  Σ_i v_i ‖wᵗx_i + w₀ − t_i‖² + α‖w‖²      over a = (w₀, w)

Four ways, chosen by shape and condition, and named in the answer:

- ``cholesky``: the d × d scatter matrix, built in one pass over blocks of rows, and, unless X is very well
  conditioned, one refinement with the residual, which makes it as good as an orthogonal method while the condition
  number of X stays below about 1e5;
- ``svd``: block by block QR and the SVD of the small triangle, for everything worse; it gives the shortest a when X
  lacks full rank, which is the limit that defines the pseudoinverse;
- ``dual``: the n × n matrix of inner products, when there are fewer rows than columns;
- ``lsqr``: products with X only, for sparse matrices too large for the others.

Nothing of the size of X is copied.  Where a watch is given, Ctrl-C is heard between two blocks of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, lsqr

from .._engine.driver import Watch
from .._engine.linalg import Cholesky, cholesky
from .._engine.moments import Moments, Targets, moments, provisional_center
from .._engine.refusals import NotFiniteError, check_total
from .._engine.threads import BLOCK, in_order
from ..solution import Findings

EASY = 1e-3  # reciprocal condition above which the normal equations alone are right to a dozen digits
WIDE = 3000  # side of a matrix that is worth building densely from a sparse X

Matrix = NDArray[np.float64]
Found = tuple[Matrix, str, int, float]  # the solution, the way, the rank and the condition number


@dataclass
class Answer:
    """The solution A, one column a target with w₀ on top, and how it was found."""

    weights: Matrix
    solver: str
    rank: int
    condition: float
    criterion: float
    gradient: float


class Squares(Protocol):
    """What a refinement asks for, wherever the rows are."""

    @property
    def alpha(self) -> float:
        """The penalty."""

    def residuals(self, A: Matrix) -> tuple[Matrix, Matrix, float]:
        """XᵗVr, the sum of Vr and the sum of squares rᵗVr of the residuals r = t − wᵗx − w₀."""


def judged(p: Squares, A: Matrix, solver: str, rank: int, condition: float) -> Answer:
    """The answer with its criterion and the length of the gradient there."""
    pull, sums, squares = p.residuals(A)
    gradient = 2 * np.vstack([sums, pull - p.alpha * A[1:]])
    penalty = p.alpha * float(np.sum(A[1:] ** 2))
    return Answer(A, solver, rank, condition, squares + penalty, float(np.linalg.norm(gradient)))


@dataclass(frozen=True)
class SquaresProblem:
    """Patterns X, targets T, the weights v or None when all are one, and the penalty α."""

    X: Any
    T: Targets
    v: Matrix | None
    alpha: float

    def residuals(self, A: Matrix) -> tuple[Matrix, Matrix, float]:
        """XᵗVr, the sum of Vr and the sum of squares rᵗVr of the residuals r = t − wᵗx − w₀, in one pass."""

        def part(rows: slice) -> list[Any]:
            B = self.X[rows].astype(np.float64, copy=False)
            r = self.T[rows] - B @ A[1:] - A[0]
            weighted = r if self.v is None else r * self.v[rows][:, None]
            return [B.T @ weighted, weighted.sum(axis=0), float(np.sum(r * weighted))]

        pull, sums, squares = in_order(self.X, part)
        return np.asarray(pull), sums, float(squares)

    def augmented(self, center: Matrix | None) -> Iterator[Matrix]:
        """Dense blocks of (1, x, t) in double precision, each row times the root of its weight."""
        for start in range(0, self.X.shape[0], BLOCK):
            rows = slice(start, start + BLOCK)
            B, S = self.X[rows].astype(np.float64, copy=False), self.T[rows]
            dense = B.toarray() if sparse.issparse(B) else B
            Y = np.hstack([np.ones((len(S), 1)), dense if center is None else dense - center, S])
            yield Y if self.v is None else Y * np.sqrt(self.v[rows])[:, None]


def solve(X: Any, T: Targets, v: Matrix | None = None, alpha: float = 0.0, *, watch: Watch | None = None) -> Answer:
    """Minimize by the way that fits the shape of X; α > 0 penalizes w."""
    check_total(v)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is noticed and raised
        return _solve(SquaresProblem(X, T, v, alpha), watch or Watch())


def _solve(p: SquaresProblem, watch: Watch) -> Answer:
    n, d = p.X.shape
    if sparse.issparse(p.X) and min(n, d) > WIDE:
        return judged(p, *by_lsqr(p, watch))
    if n <= d and n <= WIDE:
        return judged(p, *(by_dual(p) or by_svd(p, watch)))
    m = moments(p.X, p.T, p.v, watch)
    if not m.finite():
        raise NotFiniteError
    factor = cholesky(m.scatter + p.alpha * np.eye(len(m.scatter)))
    return judged(p, *by_svd(p, watch)) if factor is None else by_cholesky(p, m, factor)


def by_cholesky(p: Squares, m: Moments, factor: Cholesky) -> Answer:
    """The normal equations (S + αI) w = s, and unless they are easy one step of refinement: solve for what is left."""
    W = factor.solve(m.cross)
    A = np.vstack([m.target_mean - m.mean @ W, W])
    condition = float(1 / np.sqrt(factor.rcond))
    if factor.rcond >= EASY:
        left = m.cross - m.scatter @ W - p.alpha * W
        criterion = float(np.sum(m.target_scatter) - np.sum(W * (m.cross + left)))
        return Answer(A, "cholesky", len(A), condition, max(criterion, 0.0), 2 * float(np.linalg.norm(left)))
    pull, sums, squares = p.residuals(A)
    left = pull - np.outer(m.mean, sums) - p.alpha * W
    step = factor.solve(left)
    gradient = 2 * (left - m.scatter @ step - p.alpha * step)
    gained = float(np.sum(left * step) + np.sum(sums**2) / m.total)
    criterion = squares + p.alpha * float(np.sum(W**2)) - gained
    A = A + np.vstack([sums / m.total - m.mean @ step, step])
    return Answer(A, "cholesky", len(A), condition, criterion, float(np.linalg.norm(gradient)))


def by_svd(p: SquaresProblem, watch: Watch) -> Found:
    """QR of one block after the other on top of the triangle so far, then the SVD of the triangle."""
    X, T, alpha = p.X, p.T, p.alpha
    n, d = X.shape[0], X.shape[1] + 1
    R, center = np.empty((0, d + T.shape[1])), None
    if alpha > 0:  # the intercept is free, so that the answer does not depend on the origin
        center = None if sparse.issparse(X) else provisional_center(X)
        R = np.hstack([np.zeros((d - 1, 1)), np.sqrt(alpha) * np.eye(d - 1), np.zeros((d - 1, T.shape[1]))])
    for block in p.augmented(center):
        watch.check()
        R = np.asarray(np.linalg.qr(np.vstack([R, block]), mode="r"))
    A, rank, condition = of_triangle(R, d, n)
    if center is not None:
        A[0] -= center @ A[1:]
    return A, "svd", rank, condition


def of_triangle(R: Matrix, d: int, n: int) -> tuple[Matrix, int, float]:
    """The shortest solution, its rank and condition, from the triangle of n rows of d columns and their targets."""
    U, s, Vt = np.linalg.svd(R[:, :d], full_matrices=False)
    rank = int(np.count_nonzero(s > s[0] * np.finfo(np.float64).eps * max(n, d))) if s[0] > 0 else 0
    coordinates = (U[:, :rank].T @ R[:, d:]) / s[:rank, None]
    return Vt[:rank].T @ coordinates, rank, float(s[0] / s[rank - 1]) if rank else np.inf


def by_dual(p: SquaresProblem) -> Found | None:
    """Fewer rows than columns: w is a combination of the patterns; None when their inner products are singular."""
    X, T, v, alpha = p.X, p.T[:], p.v, p.alpha
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
    """Solve [[αV⁻¹ + K, 1], [1ᵗ, 0]] (dual, bias) = (t, 0); None when K is too far from semidefinite."""
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


def by_lsqr(p: SquaresProblem, watch: Watch) -> Found:
    """Products with X and its transpose only; with α = 0 the shortest a, with α > 0 centered columns."""
    X, T, v, alpha = p.X, p.T[:], p.v, p.alpha
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


def findings_of(answer: Answer) -> Findings:
    """What the report says about a least-squares answer."""
    d, notes = len(answer.weights), []
    if answer.rank < d:
        notes.append(f"The patterns leave {d - answer.rank} directions of a open: the shortest solution was taken.")
    elif answer.condition > 1e7:
        notes.append(
            f"Ill-conditioned ({answer.condition:.1e}): the weights carry few digits; drop or rescale features."
        )
    details = {"solver": answer.solver, "rank": answer.rank, "condition": answer.condition}
    details |= {"criterion value": answer.criterion, "gradient": answer.gradient}
    return Findings(notes=notes, details=details)

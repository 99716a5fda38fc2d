"""The criterion of logistic regression, its gradient and its Hessian: one pass over the rows for each.

    J(A) = Σ v_i l_i(A) + ridge ‖W‖²/2,        A = (w₀, W), ridge = 1/C

    l = log(1 + exp(−z g)),  g = wᵗx + w₀ (+ o), z = ±1                        two classes, one discriminant
    l = log Σ_k exp(g_k) − g_own,  g_k = w_kᵗx + w_k0                          c classes, c discriminants

With p the probabilities and t the indicators of the classes, and y = (1, x),

    gradient  Σ v (p_k − t_k) y          Hessian  Σ v (p_k [k = l] − p_k p_l) y yᵗ   in block (k, l)

and for two classes v (p − t) y and v p (1 − p) y yᵗ. The ridge is added to the columns of W alone: w₀ is free.

Rows are read in runs that depend on the shape of X alone, and the sums of the runs are added in order: the same bits
whatever the number of threads. x stands for x − center throughout, so that features far from zero cost no digits.

Symbols: ``v`` weights of the rows; ``own`` their classes; o their offset, a column whose weight is 1, where there is
one; ``e`` = exp(−|z g|).

Sources: *Machine Learning: Theory and Practice*, ch. 8, §8.5; Böhning, "Multinomial logistic regression algorithm",
Annals of the Institute of Statistical Mathematics 44 (1992).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.linalg import Matrix, add_squares
from .._engine.moments import center_of
from .._engine.problem import EMPTY, narrow
from .._engine.rows import CSR
from .._engine.threads import RUNS, in_order, in_runs
from .._guards.validation import all_finite
from .passes import brief_pass, long_pass, short_pass
from .softmax import Labels, ScoreBlock, brief_machine_pass, machine_pass

BLOCK = 1024  # rows whose scores for all classes are held at a time
HANDFUL = 8  # neighboring rows that a subsample takes
PER_COLUMN = 20  # rows for each column that tell enough of the second moments
THIN = 500  # the same where the columns are few
BRIEF = 500  # dense rows up to which numpy takes hardly longer than compiled code
RUN = 1_000_000  # numbers of X that are worth a thread, and no longer stay in the cache


class Look(NamedTuple):
    """The criterion at some A, its gradient, and the rows that are not strictly on their own side."""

    value: float
    gradient: Matrix
    errors: int

    @property
    def finite(self) -> bool:
        """Whether neither the data nor their sums are infinite or NaN."""
        return math.isfinite(self.value) and all_finite(self.gradient)


def _with_column(X: Any, column: Matrix) -> Any:
    """X with one column more."""
    if sparse.issparse(X):
        return sparse.hstack([X, column[:, None]], format="csr", dtype=X.dtype)
    return np.column_stack([X, column.astype(X.dtype)])


def softmax_hessian(Y: Matrix, P: Matrix, v: Matrix) -> Matrix:
    """Σ v (p_k [k = l] − p_k p_l) y yᵗ for each pair of classes, of rows Y with probabilities P, one row a class."""
    Y = Y * np.sqrt(v)[:, None]
    M = (P.T[:, :, None] * Y[:, None, :]).reshape(len(Y), -1)  # rows p ⊗ y
    H = -(M.T @ M)
    for k in range(len(P)):
        block = slice(k * Y.shape[1], (k + 1) * Y.shape[1])
        H[block, block] += M[:, block].T @ Y
    return np.asarray(H)


class Likelihood:
    """Rows X of classes ``own`` with weights v (None: 1), for c discriminants, 1 where there are two classes.

    These may have an offset, an amount that is added to the score of each row (None: 0).
    """

    way: str | None = None  # to the minimum, where there is one only

    def __init__(
        self,
        X: Any,
        own: Labels,
        v: Matrix | None,
        c: int,
        ridge: float,
        center: Matrix | None = None,
        offset: Matrix | None = None,
    ) -> None:
        self.X, self.own, self.v, self.c, self.ridge = X, np.ascontiguousarray(own), v, c, ridge
        self.offset = offset
        self.n, self.d = X.shape
        self.center = center_of(X) if center is None else center
        self.far = bool(self.center.any())
        self._rows, self._v = narrow(X if offset is None else _with_column(X, offset)), EMPTY if v is None else v
        self.brief = self.n <= BRIEF and not sparse.issparse(X)
        entries = int(X.data.size if sparse.issparse(X) else X.size)
        room = entries // max(1, self.d)  # a run of a wide sparse matrix needs a gradient of its own
        self.runs = int(np.clip(min(entries // RUN, room), 1, RUNS))

    @cached_property
    def _signed(self) -> Matrix:
        """The rows zy of two classes, where they are few."""
        return np.column_stack([np.ones(self.n), self._rows]) * np.where(self.own == 1, 1.0, -1.0)[:, None]

    @property
    def total(self) -> float:
        return float(self.n if self.v is None else self.v.sum())

    @property
    def at_zero(self) -> float:
        """The criterion at A = 0, where without an offset all classes are equally likely."""
        if self.offset is not None:
            return self.look(np.zeros((1, self.d + 1))).value
        return self.total * math.log(max(2, self.c))

    @property
    def size(self) -> int:
        return self.c * (int(self.d) + 1)

    def thinned(self, k: int) -> Likelihood:
        """One in k rows, each of which counts for k; taken a few at a time, for the sake of the memory."""
        part = np.add.outer(np.arange(0, self.n, HANDFUL * k), np.arange(HANDFUL)).ravel()
        part = part[part < self.n]
        v = np.full(part.size, float(k)) if self.v is None else k * self.v[part]
        offset = None if self.offset is None else self.offset[part]
        return Likelihood(self.X[part], self.own[part], v, self.c, self.ridge, self.center, offset)

    def look(self, A: Matrix) -> Look:
        if not A.any() and self.X.dtype == np.float64 and self.offset is None:
            return self._start()
        W, far = A[:, 1:], self.far
        first = A[:, 0] - W @ self.center if far else np.ascontiguousarray(A[:, 0])
        with np.errstate(over="ignore", invalid="ignore"):
            value, errors, G = self._two(A, first) if self.c == 1 else self._many(A, first)
            if far:
                G[:, 1:] -= G[:, :1] * self.center
            if self.ridge > 0:  # without it A may be so large that its square is not finite
                G[:, 1:] += self.ridge * W
                value += 0.5 * self.ridge * float((W * W).sum())
        return Look(float(value), G, int(errors))

    def _start(self) -> Look:
        """The same at A = 0, where all classes are equally likely: one product, and nothing is on its own side."""
        R = np.full((self.n, self.c), 1 / max(2, self.c))
        if self.c == 1:
            R[:, 0] -= self.own
        else:
            R[np.arange(self.n), self.own] -= 1
        if self.v is not None:
            R *= self.v[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            sums = R.sum(axis=0)
            G = np.column_stack([sums, (self.X.T @ R).T - sums[:, None] * self.center])
        return Look(self.at_zero, G, self.n)

    def _two(self, A: Matrix, first: Matrix) -> list[Any]:
        """Loss, errors and gradient of two classes."""
        a = np.concatenate([first, A[0, 1:], [] if self.offset is None else [1.0]])
        if self.brief:
            value, errors, G = brief_pass(self._signed, self._v, a)
            return [value, errors, G[:, : self.d + 1]]
        one_pass = long_pass if isinstance(self._rows, CSR) or self._rows.size > RUN else short_pass

        def work(start: int, stop: int) -> list[Any]:
            gradient = np.zeros(a.size)
            loss, errors = one_pass(self._rows, self.own, self._v, a, start, stop, gradient)
            return [loss, errors, gradient[None, : self.d + 1]]

        return in_runs(self.n, self.runs, work)

    def _many(self, A: Matrix, first: Matrix) -> list[Any]:
        """The same of many; a CSR matrix is multiplied by all discriminants at a time, without a copy of its rows."""
        if sparse.issparse(self.X):
            block, sums = ScoreBlock(self.n, self.c), np.zeros(self.c)
            block.R[:] = self.X @ A[:, 1:].T
            loss, errors = block.residuals(self.n, first, self.own, self._v, 0, sums)
            return [loss, errors, np.column_stack([sums, np.asarray(self.X.T @ block.R).T])]
        if self.brief:
            return brief_machine_pass(self.X, self.own, self._v, A[:, 1:], first)
        W = np.vstack([A[:, 1:], np.zeros((self.c % 2, self.d))])  # an even number of classes
        rows = self._rows, self.own, self._v, W, first
        return in_runs(self.n, self.runs, lambda start, stop: machine_pass(*rows, start, stop))

    def block_sums(
        self, A: Matrix, add: Callable[[NDArray[Any], NDArray[Any], Matrix], list[Any]], dtype: Any = np.float64
    ) -> list[Any]:
        """The sum of ``add``(y, probabilities, weights) over blocks of rows."""
        first = A[:, 0]

        def probable(Y: NDArray[Any], some: slice) -> list[Any]:
            Z = A[:, 1:].astype(dtype) @ Y[:, 1:].T + first[:, None]
            if self.offset is not None:
                Z += self.offset[some].astype(dtype)
            P = np.vstack([np.zeros_like(Z), Z]) if self.c == 1 else Z
            np.exp(P - P.max(axis=0), out=P)
            P /= P.sum(axis=0)
            return add(Y, P, self.weights(some))

        return self.sums(probable, dtype)

    def sums(
        self, add: Callable[[NDArray[Any], slice], list[Any]], dtype: Any = np.float64, block: int = BLOCK
    ) -> list[Any]:
        """The sum of ``add``(y, rows) over blocks of rows."""

        def part(rows: slice) -> list[Any]:
            total: list[Any] = []
            for low in range(rows.start, rows.stop, block):
                some = slice(low, min(low + block, rows.stop))
                B = self.X[some]
                Y = np.empty((some.stop - low, self.d + 1), dtype)
                Y[:, 0] = 1
                np.subtract(B.toarray() if sparse.issparse(B) else B, self.center, out=Y[:, 1:], casting="same_kind")
                parts = add(Y, some)
                total = parts if not total else [one + other for one, other in zip(total, parts, strict=True)]
            return total

        with np.errstate(over="ignore", invalid="ignore"):
            return in_order(self.X, part)

    def weights(self, rows: slice) -> Matrix:
        """The weights of some rows."""
        return np.ones(rows.stop - rows.start) if self.v is None else self.v[rows]

    def diagonal_blocks(self, A: Matrix, dtype: Any = np.float64) -> Matrix:
        """The diagonal blocks of the Hessian, one a discriminant: for two classes all of it."""
        alike = self.c > 1 and not A.any()  # one matrix serves for all

        def add(Y: NDArray[Any], P: NDArray[Any], v: Matrix) -> list[Any]:
            blocks = []
            for p in P[-1 if alike else -self.c :]:
                root = np.sqrt(v * p * (1 - p)).astype(dtype)
                S = np.multiply(Y, root[:, None], out=Y if self.c == 1 else None)
                blocks.append(S.T @ S)  # numpy sees a matrix times its transpose and does half the work
            return [np.array(blocks)]

        (H,) = self.block_sums(A, add, dtype)
        return self._ridged(np.repeat(H, self.c if alike else 1, axis=0).astype(np.float64))

    def bound(self) -> Matrix:
        """The block of the Hessian at A = 0, the same for all discriminants: for steps of sum zero none is larger."""
        k = max(1, self.n // max(THIN, PER_COLUMN * (int(self.d) + 1)))
        X, v = (self.X, self.v) if k == 1 else (self.X[::k], None if self.v is None else self.v[::k])
        return self._ridged(self._products(X, v) * (k / (4 if self.c == 1 else self.c)))

    def curvature(self, A: Matrix) -> Matrix:
        """The Hessian as exactly as a step needs it, which for two classes is less work than ``hessian``."""
        if self.c > 1:
            return self.hessian(A)
        e = np.exp(-np.abs(self.scores(A)[0]))
        return self._ridged(self._products(self.X, e / (1 + e) ** 2 if self.v is None else self.v * e / (1 + e) ** 2))

    def _ridged(self, H: Matrix) -> Matrix:
        at = np.arange(1, self.d + 1)
        H[..., at, at] += self.ridge
        return H

    def _products(self, X: Any, u: Matrix | None) -> Matrix:
        """Σ u y yᵗ over rows X, about the center; u = 1 where it is None."""
        total, H = float(X.shape[0] if u is None else u.sum()), np.zeros((self.d + 1, self.d + 1))
        X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64, copy=False)
        first = (np.ones(len(X)) if u is None else u) @ X
        if u is not None:
            X = X * np.sqrt(u)[:, None]
        H[0, 0] = total
        H[0, 1:] = H[1:, 0] = first - total * self.center
        H[1:, 1:] = X.T @ X
        H[1:, 1:] -= np.outer(first, self.center) + np.outer(self.center, H[0, 1:])
        return H

    @property
    def has_all_classes(self) -> bool:
        """Whether each class has a row."""
        return np.unique(self.own).size == max(2, self.c)

    def hessian(self, A: Matrix) -> Matrix:
        """The whole Hessian, the weights of one discriminant after those of another."""
        if self.c == 1:
            return np.asarray(self.diagonal_blocks(A)[0])
        (H,) = self.block_sums(A, lambda Y, P, v: [softmax_hessian(Y, P, v)])
        at = np.arange(self.size).reshape(self.c, -1)[:, 1:].ravel()
        H[at, at] += self.ridge
        return np.asarray(H)

    def squares(self) -> Matrix:
        """The diagonal of the Hessian at A = 0, one row for all discriminants."""
        p = 1 / max(2, self.c)
        total = np.zeros(self.d + 1)
        weight = np.ones(self.n) if self.v is None else self.v
        add_squares(self._rows, np.arange(self.n), p * (1 - p) * weight, total)
        spread = total[1:] - total[0] * self.center**2  # near enough: the center is near the mean
        total[1:] = np.maximum(spread, 1e-6 * total[1:]) + self.ridge
        return total

    def scores(self, A: Matrix) -> Matrix:
        """The discriminants of all rows, one row a discriminant, with the offset."""
        return self.changes(A) if self.offset is None else self.changes(A) + self.offset

    def changes(self, A: Matrix) -> Matrix:
        """What a step A changes of them: the discriminants without the offset."""
        return np.asarray((self.X @ A[:, 1:].T).T + (A[:, 0] - A[:, 1:] @ self.center)[:, None], np.float64)

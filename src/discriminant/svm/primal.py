"""The linear support vector machine in the primal: Newton's method on a hinge that is quadratic piece by piece.

    min  ‖w‖²/2 + Σ C_i φ(1 - z_i (wᵗx_i + w₀))

with φ(t) = t² for t > 0 (the squared hinge), or t for t > 0 (the hinge). The hinge is rounded off over a width μ,
φ(t) = t²/(2μ) for 0 < t < μ and t - μ/2 beyond, and μ falls until the duality gap is small enough. Only the rows in the
quadratic piece bend the criterion, so that the Hessian is

    H = diag(0, 1, ..., 1) + Σ C_i φ'' y_i y_iᵗ  over these rows,          y = (1, x),

few rows for the hinge, and rows that enter or leave it for the squared hinge. The line search is exact, since the
criterion along a line needs the margins at both ends only. For many columns H is never built: its equations are solved
in the products of the rows where these are few, else by conjugate gradients.

The multipliers are α_i = C_i φ'(t_i). At a minimum w = Σ αzx and Σ αz = 0, and the dual value Σ α - ‖Σ αzx‖²/2 (less
Σ α²/(4C) for the squared hinge) bounds the minimum from below.

Symbols: ``a`` = (w₀, w); ``m`` the margins z(wᵗx + w₀); ``C`` one cost a row; ``mu`` the width, 0 for squares.

Sources: Mangasarian, "A finite Newton method for classification", 2002; Chapelle, "Training a support vector machine in
the primal", 2007; Keerthi and DeCoste, JMLR 6 (2005); Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from .._engine.driver import Interrupted, Watch
from .._engine.linalg import add_squares
from .._engine.problem import narrow
from .._engine.rows import compiled, inlined, row_axpy, row_dot
from .._engine.threads import Workers, in_order, one_blas_thread
from .._kernel_matrix.source import Indices, Vector

WIDE = 1500  # columns beyond which the Hessian is not built: its factors would take longer than the other ways
FEW = 1000  # rows up to which these many columns are met by the products of the rows
FIRST = 20_000  # rows of a first fit, from which one on more rows starts
SAMPLE = 1000  # rows of which the mean and the size of the patterns are taken
WIDTHS = 0.25  # by which the rounding of the hinge falls
STEPS = 100  # of Newton at one width
ENOUGH = 0.03  # of the squared gradient: where conjugate gradients stop
CALM = 1e10  # C‖x‖² up to which a hinge is solved at once
APART = 0.1  # share of the gap that may come of Σ αzx not being w
RUNS = 4  # runs of rows whose products are added up each by itself, and then in their order


class Primal(NamedTuple):
    """What was found: weights, multipliers, and how good they are."""

    a: Vector
    alpha: Vector
    criterion: float
    dual: float
    steps: int  # of Newton
    interrupted: bool
    gaps: tuple[float, ...] = ()  # the least after each width

    @property
    def gap(self) -> float:
        return (self.criterion - self.dual) / max(abs(self.criterion), 1e-300)


class SignedPatterns:
    """Patterns with their signs: products in float64 over blocks, the same bits whatever the number of threads."""

    def __init__(self, X: Any, z: Vector, center: Vector | None = None, watch: Watch | None = None) -> None:
        self.X, self.z, self.watch = X, z, watch or Watch()
        self.n, self.d = X.shape
        self.narrow = narrow(X)
        self.center = np.zeros(self.d) if center is None else center  # x stands for x - center, where w₀ is free

    def times(self, a: Vector) -> Vector:
        """Margins z(wᵗx + w₀) of all rows."""
        if sparse.issparse(self.X):  # a block of CSR rows would be a copy
            return np.asarray(self.z * (self.X @ a[1:] + a[0]))
        g, first = np.empty(self.n), a[0] - self.center @ a[1:]

        def part(rows: slice) -> list[Any]:
            g[rows] = self.z[rows] * (self.X[rows].astype(np.float64, copy=False) @ a[1:] + first)
            return []

        in_order(self.X, part)
        return g

    def back(self, v: Vector) -> Vector:
        """Σ v z y."""
        if sparse.issparse(self.X):
            u = v * self.z
            return np.asarray(np.r_[u.sum(), self.X.T @ u])

        def part(rows: slice) -> list[Any]:
            u = v[rows] * self.z[rows]
            return [u.sum(), self.X[rows].astype(np.float64, copy=False).T @ u]

        first, rest = in_order(self.X, part)
        return np.asarray(np.r_[first, rest - first * self.center])

    def moments(self, chosen: Indices, weight: Vector) -> tuple[Vector, Vector]:
        """Σ weight y yᵗ and Σ weight z y over chosen rows; many columns make it long enough for Ctrl-C."""

        def part(rows: slice) -> list[Any]:
            self.watch.check()
            some, root = chosen[rows], np.sqrt(weight[rows])
            x = self.X[some]
            x = (x.toarray() if sparse.issparse(x) else x).astype(np.float64, copy=False)  # rows of our own
            if center.any():
                x -= center
            if root.min() != 1 or root.max() != 1:
                x *= root[:, None]
            G, c, v = np.empty((self.d + 1, self.d + 1)), np.empty(self.d + 1), root * self.z[some]
            G[0, 0], G[0, 1:], G[1:, 1:] = root @ root, root @ x, x.T @ x
            G[1:, 0] = G[0, 1:]
            c[0], c[1:] = root @ v, v @ x
            return [G, c]

        if not chosen.size:
            return np.zeros((self.d + 1, self.d + 1)), np.zeros(self.d + 1)
        level = float(weight[0]) if np.all(weight == weight[0]) else 1.0  # one weight for all is left to the end
        weight, center = weight / level, self.center
        G, c = in_order(chosen, part)
        return level * G, level * c


@inlined
def pull(t: Any, mu: Any) -> Any:
    """φ'(t)."""
    if t <= 0:
        return 0.0
    if mu == 0:
        return 2 * t
    return t / mu if t < mu else 1.0


@compiled
def _pulls(m: Vector, C: Vector, mu: float, alpha: Vector, bends: NDArray[np.bool_]) -> float:
    """Multipliers C φ'(1 - m) and which rows lie in the quadratic piece are filled in; Σ C φ(1 - m) is returned."""
    total = 0.0
    for i in range(m.size):
        t = 1 - m[i]
        p = pull(t, mu)
        alpha[i] = C[i] * p
        bends[i] = t > 0 and C[i] > 0 and (mu == 0 or t < mu)
        if t > 0:
            total += C[i] * (t * t if mu == 0 else t * t / (2 * mu) if t < mu else t - mu / 2)
    return total


@compiled
def _slope(m: Vector, delta: Vector, C: Vector, mu: float, s: float) -> float:
    """Derivative of Σ C φ(1 - m - sδ) by s."""
    total = 0.0
    for i in range(m.size):
        total -= C[i] * pull(1 - m[i] - s * delta[i], mu) * delta[i]
    return total


@compiled
def _bend(X: Any, chosen: Indices, weight: Vector, p: Vector, q: Vector) -> None:
    """Add Σ weight y yᵗp over chosen rows to q."""
    for k in range(chosen.size):
        t = weight[k] * row_dot(X, chosen[k], p)
        row_axpy(X, chosen[k], t, 1.0, q)


class HingeNewton:
    """One problem: rows, bounds C, and whether w₀ is free or belongs to the norm."""

    def __init__(self, rows: SignedPatterns, C: Vector, squared: bool, free: bool) -> None:
        self.rows, self.C, self.squared = rows, C, squared
        self.ridge = np.ones(rows.d + 1)
        self.ridge[0] = 0.0 if free else 1.0
        self.alpha, self.bends = np.empty(rows.n), np.empty(rows.n, bool)
        self._bent = np.zeros(rows.n, bool)
        self._moments: tuple[Vector, Vector] | None = None  # of the rows that bent at the last step
        self.steps = 0

    def run(self, a: Vector, tol: float) -> Primal:
        m = self.rows.times(a)
        mu, slope, best = 0.0 if self.squared else 1.0, 1e-2 * tol if self.squared else 1e-5 * tol, None
        gaps: list[float] = []
        while True:
            a, m, interrupted = self._minimize(a, m, mu, slope)
            found = self._bounds(a, m, mu, interrupted)
            best = found if best is None or found.gap < best.gap else best
            gaps.append(best.gap)
            spent = slope < 1e-15 if self.squared else mu < 1e-9
            if interrupted or best.gap <= tol or spent:
                return best._replace(steps=self.steps, interrupted=interrupted, gaps=tuple(gaps))
            mu, slope = mu * WIDTHS, slope * (1e-3 if self.squared else 1.0)

    def _minimize(self, a: Vector, m: Vector, mu: float, tol: float) -> tuple[Vector, Vector, bool]:
        """Newton steps at one width, until the slope along the step is lost beside the criterion."""
        for _ in range(STEPS):
            loss = _pulls(m, self.C, mu, self.alpha, self.bends)
            value = 0.5 * float(self.ridge @ (a * a)) + loss
            try:
                gradient, d = self._step(a, mu)
            except Interrupted:
                return a, m, True
            slope = float(gradient @ d)
            self.steps += 1
            if -slope <= max(tol, 1e-15) * abs(value):  # twice what is still to be gained, about
                break
            delta = self.rows.times(d)
            s = self._length(a, d, m, delta, mu, slope)
            a, m = a + s * d, m + s * delta
        return a, m, False

    def _length(self, a: Vector, d: Vector, m: Vector, delta: Vector, mu: float, slope: float) -> float:
        """Where the derivative along d vanishes, to a tenth of its first value: 1, or between bounds that close in."""
        flat, bend = float(self.ridge @ (a * d)), float(self.ridge @ (d * d))
        low, high, at_low, s = 0.0, np.inf, slope, 1.0
        for _ in range(60):
            at = flat + s * bend + _slope(m, delta, self.C, mu, s)  # the derivative
            if (abs(at) <= 0.1 * abs(slope) and s >= 0.5) or abs(at) <= 1e-3 * abs(slope):
                break
            if at < 0:
                low, at_low = s, at
                s = 2 * s if high == np.inf else 0.5 * (low + high)
            else:
                high = s
                s = low + (high - low) * min(0.9, max(0.1, -at_low / (at - at_low)))
        return s

    def _step(self, a: Vector, mu: float) -> tuple[Vector, Vector]:
        """The gradient ∇, and Newton's step -H⁻¹∇."""
        self.rows.watch.check()
        curvature = 2 * self.C if mu == 0 else self.C / mu
        if self.rows.d + 1 > WIDE:
            gradient = self.ridge * a - self.rows.back(self.alpha)
            solve = self._across if self.rows.n <= FEW else self._conjugate
            return gradient, -solve(gradient, curvature)
        G, c = self._bending(curvature)
        # without a linear piece the moments of the rows that bend say all
        gradient = self.ridge * a + (G @ a - c if self.squared else -self.rows.back(self.alpha))
        H = G + np.diag(self.ridge)
        if H[0, 0] <= 0:  # no row bends: w₀ is free to go anywhere
            H[0, 0] = 1.0
        H[np.diag_indices_from(H)] *= 1 + 1e-14  # each by its own size: those of w₀ and w may be far apart
        return gradient, -np.asarray(cho_solve(cho_factor(H), gradient))

    def _bending(self, curvature: Vector) -> tuple[Vector, Vector]:
        """Moments of the rows that bend; of the squared hinge by those that enter and leave."""
        now = np.flatnonzero(self.bends)
        if not self.squared:
            return self.rows.moments(now, curvature[now])
        enter, leave = np.flatnonzero(self.bends & ~self._bent), np.flatnonzero(self._bent & ~self.bends)
        if self._moments is None or enter.size + leave.size > now.size:
            self._moments = self.rows.moments(now, curvature[now])
        else:
            G, c = self._moments
            P, p = self.rows.moments(enter, curvature[enter])
            Q, q = self.rows.moments(leave, curvature[leave])
            self._moments = G + P - Q, c + p - q
        self._bent = self.bends.copy()
        return self._moments

    @cached_property
    def _products(self) -> Vector:
        """Products of the rows, with that of their ones where w₀ belongs to the norm."""
        X = self.rows.X.astype(np.float64, copy=False)
        K = X @ X.T
        return np.asarray((K.toarray() if sparse.issparse(K) else K) + self.ridge[0])

    def _across(self, gradient: Vector, curvature: Vector) -> Vector:
        """H⁻¹∇ by one equation a row that bends, not one a column.

        With S = diag(√curvature) over these rows and Y their yᵗ, (ridge + YᵗSSY) d = ∇ is met by d = ∇ - YᵗS t, where
        (1 + S YYᵗ S) t = S Y ∇. A free w₀ is d₀, for which the sum of S t is its gradient.
        """
        chosen = np.flatnonzero(self.bends)
        S, free = np.sqrt(curvature[chosen]), self.ridge[0] == 0
        B = S[:, None] * self._products[np.ix_(chosen, chosen)] * S
        B[np.diag_indices_from(B)] += 1
        B[np.diag_indices_from(B)] *= 1 + 1e-15 * chosen.size  # rows that are alike, at a high cost
        along = self.rows.z * self.rows.times(np.r_[0.0 if free else gradient[0], gradient[1:]])
        t, one = cho_solve(cho_factor(B), np.column_stack([S * along[chosen], S])).T
        d = gradient.copy()
        if free and (bend := float(S @ one)) > 0:  # else no row bends: w₀ is free to go anywhere
            d[0] = (gradient[0] - S @ t) / bend
            t = t + d[0] * one
        r = np.zeros(self.rows.n)
        r[chosen] = S * t
        back = self.rows.back(self.rows.z * r)
        return np.asarray(d - (np.r_[0.0, back[1:]] if free else back))

    def _conjugate(self, gradient: Vector, curvature: Vector) -> Vector:
        """H⁻¹∇ by conjugate gradients on the rows that bend, to a tenth of the gradient or better."""
        chosen = np.flatnonzero(self.bends)
        weight, X = curvature[chosen], self.rows.narrow
        scale = self.ridge.copy()
        add_squares(X, chosen, weight, scale)
        ridge = np.where(scale == 0, 1.0, self.ridge)  # no row bends: w₀ is free to go anywhere
        scale[scale == 0] = 1.0
        size = max(1, -(-chosen.size // RUNS))
        runs, workers = range(0, chosen.size, size), Workers()
        products = np.empty((len(runs), gradient.size))

        def bend(k: int) -> None:
            run = slice(runs[k], runs[k] + size)
            products[k] = 0
            _bend(X, chosen[run], weight[run], p, products[k])

        x, r = np.zeros_like(gradient), gradient.copy()
        p = u = r / scale
        rho = first = float(r @ u)
        for _ in range(200):
            self.rows.watch.check()
            workers.each(bend, len(runs))
            q = sum(products, start=ridge * p)
            bent = float(p @ q)
            if bent <= 0:  # the gradient is zero, or lost in underflow
                break
            step = rho / bent
            x, r = x + step * p, r - step * q
            u = r / scale
            rho, before = float(r @ u), rho
            if rho <= ENOUGH * first:
                break
            p = u + rho / before * p
        return x

    def _bounds(self, a: Vector, m: Vector, mu: float, interrupted: bool) -> Primal:
        """The criterion without rounding, and a dual value from multipliers that meet the constraints."""
        _pulls(m, self.C, mu, self.alpha, self.bends)
        t = np.maximum(1 - m, 0)
        norm = 0.5 * float(self.ridge @ (a * a))
        criterion = norm + float(self.C @ (t * t if self.squared else t))
        alpha, dual, length = self._dual(self.alpha)
        if length - norm > APART * (criterion - dual):  # Σ αzx is far from w
            with suppress(Interrupted):  # without this the bound is lower
                corrected = self._dual(self._corrected(a, mu))
                alpha, dual, _ = max((alpha, dual, length), corrected, key=lambda found: found[1])
        return Primal(a, alpha, criterion, dual, self.steps, interrupted)

    def weighed(self, a: Vector, alpha: Vector) -> Primal:
        """What weights and multipliers from elsewhere are worth."""
        loss = float(self.C @ np.maximum(1 - self.rows.times(a), 0))
        alpha, dual, _ = self._dual(np.minimum(alpha, self.C))
        return Primal(a, alpha, 0.5 * float(self.ridge @ (a * a)) + loss, dual, 0, False)

    def _corrected(self, a: Vector, mu: float) -> Vector:
        """Multipliers after one more of Newton's steps: those of a cost so high that the margins' rounding shows."""
        move = self.rows.times(self._step(a, mu)[1])
        rate = np.where(self.bends, 2 * self.C if mu == 0 else self.C / mu, 0.0)
        return np.clip(self.alpha - rate * move, 0, np.inf if self.squared else self.C)

    def _dual(self, alpha: Vector) -> tuple[Vector, float, float]:
        """Multipliers that meet the constraints, their dual value, and ‖Σ αzx‖²/2."""
        alpha = alpha.copy()
        if self.ridge[0] == 0:  # Σ αz = 0: shorten the heavier side
            sums = [alpha[self.rows.z > 0].sum(), alpha[self.rows.z < 0].sum()]
            for side, total in zip((1, -1), sums, strict=True):
                if total > min(sums):
                    alpha[self.rows.z == side] *= min(sums) / total
        v = self.rows.back(alpha)
        length = 0.5 * float(self.ridge @ (v * v))
        dual = float(alpha.sum()) - length
        if self.squared:
            used = alpha > 0
            dual -= float((alpha[used] * (alpha[used] / (4 * self.C[used]))).sum())
        return alpha, dual, length


def largest_entry(X: Any) -> float:
    """The size of the largest number among patterns; among dense ones, less their mean."""
    return float(np.abs(X.data if sparse.issparse(X) else X - X.mean(axis=0)).max(initial=0))


def shifted(a: Vector, center: Vector) -> Vector:
    """The plane a = (w₀, w) for patterns less their center."""
    return np.asarray(np.r_[a[0] + center @ a[1:], a[1:]])


def minimize(
    X: Any,
    z: Vector,
    C: Vector,
    *,
    squared: bool,
    free: bool = True,
    tol: float = 1e-3,
    start: Vector | None = None,
    watch: Watch | None = None,
) -> Primal:
    """The linear support vector machine of rows X with signs z and bounds C, to a relative duality gap of tol.

    A fit on every k-th row, with k times the bounds, finds where to start; a hinge of so large a C that rounding would
    hide ‖w‖² begins with a smaller one, whose multipliers in proportion may do already.
    """
    n, d = X.shape
    some = X[:: max(1, n // SAMPLE)]
    center = np.zeros(d)
    if free and not sparse.issparse(X) and d < WIDE:
        center = some.mean(axis=0, dtype=np.float64)
    if start is None:
        start = np.zeros(d + 1)
        k = n // FIRST
        if k >= 4 and d < WIDE:
            first = X[::k], z[::k], k * C[::k]
            start = minimize(*first, squared=squared, free=free, tol=max(tol, 0.01), watch=watch).a
    calm, k = None, 1.0 if squared else float(C.max(initial=0)) * largest_entry(some) ** 2 / CALM
    if k > 2:
        calm = minimize(X, z, C / k, squared=False, free=free, tol=tol, start=start, watch=watch)
        start = calm.a
    with one_blas_thread():  # two of its threads lose more in waiting than they gain
        start = shifted(start, center)
        newton = HingeNewton(SignedPatterns(X, z, center, watch), C, squared, free)
        found = None if calm is None else newton.weighed(start, k * calm.alpha)._replace(steps=calm.steps)
        if found is None or found.gap > tol:
            other = newton.run(start, tol)
            found = other if found is None or other.gap < found.gap else found._replace(interrupted=other.interrupted)
        return found._replace(a=shifted(found.a, -center))

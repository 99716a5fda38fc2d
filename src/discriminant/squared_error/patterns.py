"""Products with the normalized patterns Y, never built, and its pseudoinverse: the linear algebra of Ho-Kashyap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.driver import Watch
from .._engine.linalg import cholesky, largest_eigenvalue
from .._engine.problem import Problem
from .._guards.validation import all_finite, floats
from ..base.expansion import EPS

Array = NDArray[np.float64]
Linear = Callable[[Array], Array]

BLOCK = 4096  # rows that are copied at a time
DENSE = 1000  # columns up to which YᵗY is taken apart even when there are fewer patterns
LARGEST = 20_000  # side of the largest matrix that is taken apart


def positive(name: str, values: Any, n: int, remedy: str, high: float = np.inf) -> Array:
    """A positive number for each of n rows, below a bound."""
    b = floats(name, values, np.float64, remedy)
    if b.shape != (n,):
        raise ValueError(f"{name} has shape {b.shape}; {remedy} of the {n} rows.")
    if not np.all(usable := (b > 0) & (b < high)):
        raise ValueError(f"{name} holds {b[~usable][0]:g}; {remedy} of the {n} rows.")
    return b


class RowSpace:
    """What follows from (YT)ᵗW(YT), wherever the rows of Y are; ``d`` is their length."""

    d: int
    refuse: Callable[[], ValueError]  # the error for products that are not finite
    products: Callable[[Array | None], Array]  # (YT)ᵗW(YT); None is the identity
    reach: Callable[[NDArray[np.intp]], float]  # the largest number in these features
    bend: Linear  # v → YᵗWYv

    def gram(self, T: Array | None = None) -> Array:
        """Return (YT)ᵗW(YT); None is the identity.  Refuses what overflows or underflows."""
        if self.d > LARGEST:
            raise ValueError(
                f"X has {self.d - 1} features, too many for a dense Y'Y; take variant='descent' with R='identity'."
            )
        G = self.products(T)
        if not all_finite(G):
            raise self.refuse()
        lost = np.flatnonzero(np.diag(G)[1:] < 1e-300)
        if T is None and lost.size and self.reach(lost) > 0:
            raise ValueError(
                f"feature {lost[0]} is so small, or its rows weigh so little, that its squares underflow; scale it up, "
                "for instance with StandardScaler."
            )
        return G

    def whitened(self) -> Array:
        """T with (YT)ᵗW(YT) = I, one column for each dimension of the row space, so that TTᵗYᵗW = Y⁺.

        Columns of different size are scaled first.  Where they nearly depend on each other, YᵗY has lost half the
        digits, and the rank is decided on YT, whose columns are nearly orthogonal.  T is orthogonal to the null space
        of Y: Y⁺ gives the shortest answer.
        """
        G = self.gram()
        size = np.sqrt(np.diag(G))
        size[size == 0] = 1.0
        values, V = np.linalg.eigh(G / size / size[:, None])
        T = V / np.sqrt(np.maximum(values, EPS * values[-1])) / size[:, None]
        if values[0] >= 1e-8 * values[-1]:
            return np.asarray(T)
        values, V = np.linalg.eigh(self.gram(T))
        keep = values > 1e-12 * values[-1]
        Q, _ = np.linalg.qr(T @ V[:, ~keep])
        T = T @ (V[:, keep] / np.sqrt(values[keep]))
        return np.asarray(T - Q @ (Q.T @ T))

    def largest_eigenvalue(self, L: Array | None) -> float:
        """λ_max of Lᵗ(YᵗWY)L, where R = LLᵗ; None is the identity."""
        if self.d <= 500:
            G = self.gram()
            return largest_eigenvalue(G if L is None else L.T @ G @ L, self.d)

        def product(v: Array) -> Array:
            u = self.bend(v if L is None else np.asarray(L @ v))
            if not all_finite(u):
                raise self.refuse()
            return u if L is None else np.asarray(L.T @ u)

        return largest_eigenvalue(product, self.d)


class Patterns(RowSpace):
    """Y with rows z (1, x) and weights w, never built: float64 products over blocks of X; z = 0 for bystanders.

    The watch is asked before each block.  ``checked``: X is known to be finite.
    """

    def __init__(self, problem: Problem, watch: Watch, *, checked: bool = False) -> None:
        if not checked:
            problem.check_finite()
        self.watch = watch
        self.X, self.refuse = problem.canonical().source, problem.refuse
        self.w: Any = problem.weight.astype(np.float64) if problem.weight.size else 1.0
        self.part = problem.part & (self.w > 0)
        self.z = np.where(self.part, 2.0 * problem.labels - 1, 0.0)
        self.signs = self.w * self.z
        self.n, self.d = self.X.shape[0], self.X.shape[1] + 1
        self.whole = self.X.dtype == np.float64  # products with all rows at once take no copy

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Rows of X, whose products with float64 are float64."""
        for start in range(0, self.n, BLOCK):
            self.watch.check()
            rows = slice(start, start + BLOCK)
            yield rows, self.X if self.n <= BLOCK else self.X[rows]

    def times(self, a: Array, absolute: bool = False) -> Array:
        """Return Ya, or |Y||a|."""
        if self.whole and not absolute:
            self.watch.check()
            return np.asarray(self.z * (self.X @ a[1:] + a[0]))
        z, a = (np.abs(self.z), np.abs(a)) if absolute else (self.z, a)
        g = np.empty(self.n)
        for rows, B in self.blocks():
            g[rows] = (abs(B) if absolute else B) @ a[1:]
        return np.asarray(z * (g + a[0]))

    def noise(self, a: Array) -> Array:
        """By how much Ya may be rounded in the type of the data, weights included."""
        return (self.d + 2) * float(np.finfo(self.X.dtype).eps) * self.times(a, absolute=True)

    def back(self, v: Array, absolute: bool = False) -> Array:
        """Return YᵗWv, or |Y|ᵗWv."""
        u = (np.abs(self.signs) if absolute else self.signs) * v
        total = np.zeros(self.d)
        total[0] = u.sum()
        if self.whole and not absolute:
            self.watch.check()
            total[1:] += self.X.T @ u
            return total
        for rows, B in self.blocks():
            total[1:] += (abs(B) if absolute else B).T @ u[rows]
        return total

    def products(self, T: Array | None = None) -> Array:
        """Return (YT)ᵗW(YT); None is the identity."""
        G, root = np.zeros((self.d, self.d)), np.sqrt(self.w) * np.abs(self.z)
        for rows, B in self.blocks():
            one = np.ones((B.shape[0], 1))
            if T is not None:
                Y = root[rows, None] * (B @ T[1:] + T[0])
            elif sparse.issparse(B):
                Y = sparse.hstack([one, B]).multiply(root[rows, None]).tocsr()
            else:
                Y = root[rows, None] * np.hstack([one, B])
            product = Y.T @ Y
            G += product.toarray() if sparse.issparse(product) else product
        return G

    def reach(self, columns: NDArray[np.intp]) -> float:
        """The largest number in these features."""
        return float(abs(self.X[:, columns]).max())

    def bend(self, v: Array) -> Array:
        """Return YᵗWYv."""
        return self.back(self.times(v))

    def pseudoinverse(self) -> tuple[Linear, int]:
        """The map v → Y⁺v and the rank: through YᵗY, or through YYᵗ for few patterns of very many features."""
        if self.d <= max(self.n, DENSE) or self.n > LARGEST:
            T = self.whitened()
            return lambda v: np.asarray(T @ (T.T @ self.back(v))), T.shape[1]
        root = np.sqrt(self.w) * self.z
        K = self.X.astype(np.float64, copy=False)
        K = K @ K.T
        K = root[:, None] * ((K.toarray() if sparse.issparse(K) else K) + 1) * root
        if not all_finite(K):
            raise self.refuse()
        half = np.sqrt(np.broadcast_to(self.w, self.n))
        rest = np.divide(1, half, out=np.zeros(self.n), where=half > 0)
        inverse, rank = self._inverse(K)
        return lambda v: self.back(rest * inverse(half * v)), rank

    def _inverse(self, K: Array) -> tuple[Linear, int]:
        """The map v → K⁺v and the rank of K = W^½ YYᵗ W^½, which has a row of zeros for each bystander."""
        part = np.flatnonzero(self.part)
        factor = cholesky(K[np.ix_(part, part)])  # a tenth of the work, where no row depends on the others
        if factor is None:
            values, U = np.linalg.eigh(K)
            U, values = U[:, keep := values > self.n * EPS * values[-1]], values[keep]
            return lambda v: np.asarray(U @ (U.T @ v / values)), values.size

        def solve(v: Array) -> Array:
            u = np.zeros(self.n)
            u[part] = factor.solve(v[part, None])[:, 0]
            return u

        return solve, part.size

"""The second-order expansion of a criterion: Newton's step, and by how much J can still fall.

    J(a - s) = J(a) - sᵗ∇J + sᵗHs/2 + ...,     least at  s = H⁻¹∇J,  lower there by  sᵗ∇J / 2

H = Σ cᵢ yᵢyᵢᵗ with cᵢ = wᵢ φ″(aᵗyᵢ) is never built about the origin.  About the mean m of the patterns,
weighted by c, it falls apart into C = Σ cᵢ and the scatter S of the features, so that data far from the origin
lose no digits:

    s_w = S⁻¹(g_w - m g₀),      s₀ = g₀ / C - mᵗs_w            g = (g₀, g_w) the gradient

Where S is singular the shortest s is taken.  Where it would be too large, s is the shortest solution of the
least-squares problem √c Ys = r, ∇J = Yᵗ√c r, found by LSQR from products with Y alone.

Where φ″ < 0, as in the squared sigmoid, its modulus counts, so that s always leads downhill.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, lsqr

from .._engine.driver import Watch
from .._engine.moments import Moments, moments
from ..criteria import Criterion
from ..samples import Samples

DIRECT = 1000  # features up to which the scatter matrix is taken apart
EPS = float(np.finfo(np.float64).eps)

Vector = NDArray[np.float64]


class NewtonStep(NamedTuple):
    """What is subtracted from a, the fall of J that it promises, and the rank of H (0 when it was not needed)."""

    step: Vector
    fall: float
    rank: int


def newton_step(criterion: Criterion, margins: NDArray[Any], gradient: NDArray[Any], watch: Watch) -> NewtonStep:
    """The shortest minimizer of the expansion at the weights that have these margins and this gradient.

    The criterion must have been made of ``Samples``.  Where a pattern pulls and its φ″ underflows, nothing is
    promised: the fall is infinite.
    """
    c = np.abs(np.broadcast_to(criterion.curvatures(margins), margins.shape))
    g = gradient.astype(np.float64)
    if not np.any(c):
        return NewtonStep(np.zeros_like(g), np.inf, 0)
    blind = bool(np.any((c == 0) & (criterion.slopes(margins) != 0)))
    if g.size - 1 > DIRECT:
        step, rank = _by_products(criterion, margins, c, watch), 0
    else:
        step, rank = _by_scatter(criterion.Y, c, g, watch)
    return NewtonStep(step, np.inf if blind else 0.5 * float(g @ step), rank)


def _by_scatter(Y: Samples, c: Vector, g: Vector, watch: Watch) -> tuple[Vector, int]:
    """Through the scatter matrix, with its columns brought to one size first."""
    m = moments(Y.X, np.empty((c.size, 0)), c, watch)
    return step_by_scatter(m, g, float(np.finfo(Y.dtype).eps))


def step_by_scatter(m: Moments, g: Vector, eps: float) -> tuple[Vector, int]:
    """The same from the moments of the patterns, weighted by the curvatures; ``eps`` is of their type."""
    if not (m.finite() and np.isfinite(m.total)):
        return np.full_like(g, np.nan), g.size
    pull = g[1:] - m.mean * g[0]
    spread = np.sqrt(np.diag(m.scatter).clip(min=0))
    spread[spread <= 4 * EPS * np.sqrt(m.total) * np.abs(m.mean)] = 0  # a constant column, but for rounding
    inverse = np.divide(1, spread, out=np.zeros_like(spread), where=spread > 0)
    values, vectors = np.linalg.eigh(m.scatter * inverse * inverse[:, None])
    kept = values > max(values.max(), 0) * values.size * eps
    w = inverse * (vectors[:, kept] @ (vectors[:, kept].T @ (inverse * pull) / values[kept]))
    step = np.append(g[0] / m.total - m.mean @ w, w)
    if not kept.all():
        open_ = vectors[:, ~kept] * np.where(spread > 0, inverse, 1.0)[:, None]
        null, _ = np.linalg.qr(np.vstack([-m.mean @ open_, open_]))
        step -= null @ (null.T @ step)
    return step, int(np.count_nonzero(kept)) + 1


def _by_products(criterion: Criterion, margins: NDArray[Any], c: Vector, watch: Watch) -> Vector:
    """LSQR, whose every product asks the watch."""
    Y, root = criterion.Y, np.sqrt(c)
    rest = np.divide(criterion.slopes(margins), root, out=np.zeros_like(root), where=root > 0)

    def forward(s: Vector) -> Vector:
        watch.check()
        return np.asarray(root * (Y @ s.ravel()))

    operator = LinearOperator(Y.shape, matvec=forward, rmatvec=lambda r: Y.T @ (root * r.ravel()), dtype=np.float64)
    return np.asarray(lsqr(operator, rest, atol=1e-12, btol=1e-12, conlim=0)[0])

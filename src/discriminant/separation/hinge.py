"""A guess at some of the boundary in floats, for many columns: Newton's method on the squared hinge of the rows z.

J(b) = ½ Σ max(0, 1 - zb)² has a minimum on any data. Where it is zero, b separates. Elsewhere the weights
λ = max(0, 1 - zb) add up to Σ λz = 0, so that the rows with zb < 1 are of the boundary. It costs less than the log loss
of ``newton``, since only these rows have a share in its second derivative, and it ends where few rows are wrong; but it
does not show all of the boundary, and the rest is left to further turns.

References
----------
S. S. Keerthi and D. DeCoste, "A modified finite Newton method for fast solution of large scale linear SVMs", Journal of
Machine Learning Research 6 (2005).

Tests: ``tests/separation/test_newton.py``.
"""

from __future__ import annotations

import numpy as np

from .._engine.progress import Tell
from .newton import BoundaryGuess, LossRows, newton_step
from .passes import Floats

STEPS = 1000
ENOUGH = 0.5  # margin at which a vector is taken to separate
SURE = 1e-6  # of the largest weight: rows with less may have been brought to zb = 1 by rounding alone
ZERO = 1e-9  # of a slope, beside the sum of the moduli of its terms


def touched_by(rows: LossRows, tick: Tell) -> BoundaryGuess | None:
    """Rows of the boundary with their weights, or none of them and a vector that separates; None without an end."""
    exists = rows.exists
    b, margins = np.zeros(rows.n_columns), np.zeros(exists.shape)
    for k in range(STEPS):
        weights = np.where(exists, np.maximum(0.0, 1 - margins), 0.0)
        tick(f"step {k + 1} of Newton's method, {np.count_nonzero(weights):,} rows not yet separated", 0.0)
        if margins.min(where=exists, initial=np.inf) > ENOUGH:
            return BoundaryGuess(np.zeros(exists.shape, bool), weights, b)
        slope = rows.total(weights)
        step = newton_step(rows.squares((weights > 0).astype(np.float64)), slope)
        if step is None:
            return None
        gains = rows.margins(step)
        fall = float(slope @ step)
        if fall <= ZERO * float((weights**2).sum()):
            return BoundaryGuess(weights > SURE * weights.max(), weights, b)
        length = _length(margins[exists], gains[exists])
        b, margins = b + length * step, margins + length * gains
    return None


def _length(margins: Floats, gains: Floats) -> float:
    """The t that minimizes ½ Σ max(0, 1 - margin - t gain)²: its derivative rises piece by piece, and has one zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = (1 - margins) / gains  # where a row begins or ceases to have a share
    within = (margins < 1) | ((margins == 1) & (gains < 0))
    slope = float(((margins - 1) * gains)[within].sum())
    curvature = float((gains**2)[within].sum())
    moving = np.flatnonzero((ends > 0) & np.isfinite(ends))
    order = moving[np.argsort(ends[moving])]
    sign = np.where(within[order], -1.0, 1.0)  # leaves or enters
    slopes = slope + np.r_[0.0, np.cumsum(sign * ((margins - 1) * gains)[order])]
    curvatures = curvature + np.r_[0.0, np.cumsum(sign * (gains**2)[order])]
    with np.errstate(divide="ignore", invalid="ignore"):
        zeros = np.where(curvatures > 0, -slopes / curvatures, np.inf)
    found = np.flatnonzero(zeros <= np.r_[ends[order], np.inf])
    return float(zeros[found[0]]) if found.size and np.isfinite(zeros[found[0]]) else 1.0

"""A wider margin for the plane that is shown: the search stops at any plane that separates, however narrowly.

Hildreth's rule for the shortest vector v with z(v·y) ≥ 1 on every row y = (κ, x − c), c the mean of the patterns and κ
their typical distance from it: v = Σαzy, and in each turn α ← max(0, α + (1 − z(v·y))/‖y‖²), row by row. It is the
relaxation procedure with a memory: it converges to the plane of the largest margin (with κ in place of a free w₀, which
is then put halfway between the classes). A few passes give most of that margin, and a bound on errors of rounding then
shows that the plane separates. X − c is never made: w = Σαzx and t = Σαz stand for v.

References
----------
C. Hildreth, "A quadratic programming procedure", Naval Research Logistics Quarterly 4 (1957); Duda, Hart, Stork,
*Pattern Classification*, ch. 5, §5.6.1 (relaxation), §5.11.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .._engine.problem import narrow
from .._engine.rows import Rows, compiled, row_axpy, row_dot, row_sqnorm
from ..geometry import safe_norm
from .passes import Floats, Labels
from .system import BLOCK, Direction, System

NUMBERS = 5 * 10**8  # of X that are read in all: about a second
PASSES = 1024  # at most; the margin is looked at after 1, 2, 4, …
LEAST = 4  # passes below which it is not worth while to begin
STILL = 1.02  # growth of the margin while the passes are doubled that is worth another doubling
WORTH = 2.0  # margin, in units of the one there is, for which a plane is changed


class Sums(NamedTuple):
    """t = Σαz, and the product of the center with w = Σαzx."""

    t: float
    cw: float


class Centered(NamedTuple):
    """The center c, its product with each x and with itself, κ² and ‖y‖²."""

    center: Floats
    products: Floats
    square: float
    kappa: float
    lengths: Floats


def wider(system: System, a: Floats) -> Floats:
    """A plane (w₀, w) of two classes with a wider margin than a strict one; that one where it is about as wide.

    How much is read depends on the size of the data alone, so that the answer does not depend on the machine's load.
    """
    rows, d = _rows(system.X), system.d
    size = system.X.nnz if sparse.issparse(system.X) else system.n * d
    passes = min(PASSES, NUMBERS // max(1, size))
    if rows is None or passes < LEAST:
        return a
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        own = system.own
        best, least = a, WORTH * _margin(system, rows, a)[0]
        data = _centered(system, rows)
        alpha, w, sums = np.zeros(system.n), np.zeros(d + 1), Sums(0.0, 0.0)
        done, before = 0, 0.0
        while 2 * done < passes and np.all(np.isfinite(w)):
            for _ in range(max(1, done)):
                for part in _parts(system):
                    state = _turn(rows, part.start, part.stop, own, alpha, data, w, sums.t, sums.cw)
                    sums = Sums(*state)
            done = max(1, 2 * done)
            v = np.r_[0.0, w[1:] - sums.t * data.center]
            margin, shift = _margin(system, rows, v)
            if margin > least and (moved := _sure(system, v, shift)) is not None:
                best, least = moved, margin
            if not np.isfinite(margin) or 0 < margin < STILL * before:
                break
            before = max(before, margin)
    return best


@compiled
def _turn(
    X: Rows, first: int, last: int, own: Labels, alpha: Floats, data: Centered, w: Floats, t: float, cw: float
) -> tuple[float, float]:
    """Hildreth's rule on some rows, one after the other."""
    for i in range(first, last):
        length = data.lengths[i]
        if own[i] < 0 or not length > 0:
            continue
        z, u = (1.0 if own[i] == 1 else -1.0), data.products[i]
        g = row_dot(X, i, w) - cw + t * (data.kappa - u + data.square)
        step = max(-alpha[i], (1.0 - z * g) / length)
        if step != 0.0:
            alpha[i] += step
            row_axpy(X, i, z * step, 0.0, w)
            t += z * step
            cw += z * step * u
    return t, cw


@compiled
def _values(X: Rows, first: int, last: int, a: Floats, g: Floats) -> None:
    """Put aᵗy in its place for some rows."""
    for i in range(first, last):
        g[i] = row_dot(X, i, a)


@compiled
def _gather(X: Rows, first: int, last: int, own: Labels, squares: Floats, total: Floats) -> None:
    """Put ‖x‖² in its place for some rows, and add those that take part to the total of (1, x)."""
    for i in range(first, last):
        squares[i] = row_sqnorm(X, i)
        if own[i] >= 0:
            row_axpy(X, i, 1.0, 1.0, total)


def _rows(X: Any) -> Rows | None:
    """X as compiled code takes it; None where that would need a large copy."""
    if X.dtype not in (np.float32, np.float64) or not (sparse.issparse(X) or X.flags.c_contiguous):
        if (X.nnz if sparse.issparse(X) else X.size) > BLOCK:
            return None
        X = X.astype(np.float64) if sparse.issparse(X) else np.ascontiguousarray(X, np.float64)
    made: Rows = narrow(X)
    return made


def _parts(system: System) -> list[slice]:
    """Rows that are read in one go, so that Ctrl-C is heard in between."""
    step = max(1, BLOCK // max(1, system.d))
    return [slice(k, min(k + step, system.n)) for k in range(0, system.n, step)]


def _products(system: System, rows: Rows, a: Floats) -> Floats:
    g = np.zeros(system.n)
    for part in _parts(system):
        _values(rows, part.start, part.stop, a, g)
    return g


def _centered(system: System, rows: Rows) -> Centered:
    """The center, none without an intercept, and what depends on it."""
    squares, total = np.zeros(system.n), np.zeros(system.d + 1)
    for part in _parts(system):
        _gather(rows, part.start, part.stop, system.own, squares, total)
    center = total[1:] / total[0] if system.intercept else np.zeros(system.d)
    products = _products(system, rows, np.r_[0.0, center])
    square = float(center @ center)
    lengths = squares - 2 * products + square
    kappa = float(lengths[system.patterns].mean()) if system.intercept else 0.0
    return Centered(center, products, square, kappa, lengths + kappa)


def _margin(system: System, rows: Rows, a: Floats) -> tuple[float, float]:
    """The margin of a plane in floats, with w₀ where it is best, and that w₀; without an intercept it stays zero."""
    g, size = _products(system, rows, a), safe_norm(a[1:])
    low, high = g[system.own == 0].max(), g[system.own == 1].min()
    if not system.intercept:
        return float(min(-low, high) / size), 0.0
    return float((high - low) / 2 / size), float(a[0] - (low + high) / 2)


def _sure(system: System, v: Floats, shift: float) -> Floats | None:
    """The plane (shift, v) at such a size that z(wx + w₀) is about one, where rounding cannot hide a wrong side."""
    a = np.r_[shift, v[1:]]
    floats = a[1 - system.intercept :]
    found = system.judge(Direction([], floats, Fraction(1)), 1)
    return a if not found.wrong and not found.doubtful.size and found.least > 0 else None

"""Planes and linear machines whose floats separate strictly, also where rounding decides.

Tests: ``tests/separation/test_verdict.py``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..geometry import scaled
from .passes import Floats, Indices
from .system import BLOCK, Direction, System

SMALL = 5_000  # numbers of X up to which what takes more work than the verdict is computed at once
NEARBY = 1000  # vectors close to a plane that are tried where its margin is lost in rounding


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def strict_plane(system: System, directions: list[Direction]) -> Floats | None:
    """Weights as of ``strict_machine`` for two classes: rows (0, 0) and (w₀, w), of which Xw + w₀ has the right signs.

    Where the margin is an ulp of X, rounding decides: try multiples of w with products just below a power of two, where
    floats are densest, and on small data vectors close to w.
    """
    positive, negative = (system.patterns[system.own[system.patterns] == k] for k in (1, 0))
    for direction in directions:
        for w0, w in _candidates(system, system.augmented(direction)[0], positive, negative):
            g = np.asarray(system.X @ w)
            low, high = g[negative].max(), g[positive].min()
            for shift in (w0, -(low / 2 + high / 2), -low, -high) if system.intercept else (0.0,):
                weights = with_zero(np.array([[shift, *w]]))
                if high + shift > 0 > low + shift and _is_strict(system, weights):
                    return weights
    return None


def _candidates(system: System, a: Floats, positive: Indices, negative: Indices) -> Iterator[tuple[float, Floats]]:
    """Multiples of (w₀, w), and vectors close to w that part the classes if their products are rounded well."""
    w0, w = float(a[0]), a[1:]
    for turn in range(64):
        yield w0, w
        size = np.abs(system.X @ w).max()
        factor = (1 - turn / 1024) / np.frexp(size)[0]
        w0, w = w0 * factor, w * factor
    if system.n * system.d <= SMALL:
        nearby = _nearby(a[1:])
        g = np.asarray(system.X @ nearby.T)
        low, high = g[negative].max(axis=0), g[positive].min(axis=0)
        yield from ((-float(low[k]), nearby[k]) for k in np.flatnonzero(high > low))


def strict_machine(system: System, direction: Direction) -> Floats | None:
    """Weights of a linear machine that is right on every row in float64, one row (w₀, w) a class; None if none is."""
    A = system.augmented(direction)
    machines = map(with_zero, (A, *(_nearby(A) if system.n * system.d <= SMALL else ())))
    return next((weights for weights in machines if _is_strict(system, weights)), None)


def with_zero(blocks: Floats) -> Floats:
    """The weights of all classes, where the first is held at zero."""
    return np.concatenate([np.zeros_like(blocks[:1]), blocks])


def _nearby(A: Floats) -> Floats:
    """Arrays that differ from A by anything from its half to its last bit."""
    rng = np.random.default_rng(0)
    size = 2.0 ** -rng.integers(1, 53, (NEARBY, *[1] * A.ndim))
    return np.asarray(A * (1 + size * rng.normal(size=(NEARBY, *A.shape))))


@np.errstate(over="ignore", invalid="ignore")
def _is_strict(system: System, weights: Floats) -> bool:
    """Whether each pattern has the largest discriminant of its class, as ``Hyperplane`` and ``LinearMachine`` do it."""
    weights = scaled(weights)[0]
    for patterns in np.array_split(system.patterns, 1 + system.patterns.size * len(weights) // BLOCK):
        X = system.X[patterns]
        if len(weights) == 2:  # a product with one vector is rounded in its own way
            g = np.column_stack([np.zeros(patterns.size), X @ weights[1, 1:] + weights[1, 0]])
        else:
            g = np.asarray(X @ weights[:, 1:].T) + weights[:, 0]
        at, own = np.arange(patterns.size), system.own[patterns]
        mine = g[at, own]
        g[at, own] = -np.inf
        if not np.all(mine > g.max(axis=1)):
            return False
    return True

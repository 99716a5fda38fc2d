"""The maximal geometric margin of separable classes, between two bounds that hold whatever the rounding.

The margin of a plane (w, w₀) is min z(wx + w₀)/‖w‖. The largest is half the distance of the hulls of both classes, or,
without an intercept, the distance of the hull of all zx from zero. A pair of points p, q of the hulls gives the plane
with the normal w = p - q; its margin is a lower bound, and half the distance ‖p - q‖ an upper one. The nearest pair is
guessed in floats and refined in whole numbers, for a working set of rows that grows by those that come too near.
Where the margin is about an ulp of X, ``strict_plane`` and ``strict_machine`` look for floats that still separate.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11; C. L. Lawson and R. J. Hanson, *Solving Least Squares
Problems* (1974), chapter 23 (least distance programming).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.progress import Tell
from .._kernel_matrix.nearest import nearest
from .._kernel_matrix.rows import KernelRows, StoredRows
from ..geometry import Hyperplane, scaled
from .integers import nearest_point, products, whole
from .nonnegative import hull_program, nonnegative
from .passes import Floats, Indices
from .rows import ExactRow, weighted_sum
from .system import BLOCK, Direction, Name, System

WholeRow = Callable[[int], ExactRow]

KAPPA = 100.0  # size of the intercept's column beside the features
GAP = 1e-12  # rows that come nearer to the plane than this, relatively, join the working set
NEAR = 1e-6  # rows within this of the margin are taken for touched
ROUNDS = 50  # in which floats look for them
SMALL = 5_000  # numbers of X up to which what takes more work than the verdict is computed at once
NEARBY = 1000  # vectors close to a plane that are tried where its margin is lost in rounding
REFINED = 150  # rows beyond which the nearest pair is not refined in whole numbers


@dataclass(frozen=True)
class Margin:
    """The maximal margin of a separating plane: at least ``lower``, which a plane attains, at most ``upper``.

    ``float(margin)`` is the lower bound.

    Parameters
    ----------
    lower, upper : float
        Bounds that hold whatever the rounding.
    hyperplane : Hyperplane or None
        The plane of the largest margin, in floats, which may lose it where it is about an ulp of X; None where no plane
        separates.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.11.

    Examples
    --------
    >>> from discriminant import separability
    >>> margin = separability([[0, 0], [0, 2], [3, 0], [3, 2]], [0, 0, 1, 1]).margin
    >>> print(margin)
    1.5
    >>> margin.lower <= 1.5 <= margin.upper
    True
    >>> margin.hyperplane
    Hyperplane(w=[0.66666667, 0.        ], w0=-1.0)
    """

    lower: float
    upper: float
    hyperplane: Hyperplane | None = field(default=None, repr=False)

    def __float__(self) -> float:
        return self.lower

    def __str__(self) -> str:
        one = f"{self.lower:.6g}"
        return one if self.upper - self.lower <= 1e-6 * self.upper else f"{one} to {self.upper:.6g}"


class Widest(NamedTuple):
    """The plane of the largest margin, its bounds, and the weights of rows that give the nearest points."""

    plane: Direction
    margin: Margin
    weights: dict[Name, Fraction]


def maximal_margin(
    system: System, known: Direction, working: Iterable[Name], tick: Tell = lambda text, share: None
) -> Widest:
    """The plane of the largest margin, beginning with a separating plane and some rows of the data.

    ``tick`` is called again and again, and may raise to end the search.
    """
    rows = dict.fromkeys(_touched(system, list(working), tick))

    @cache  # most rows are needed again and again
    def row(i: int) -> ExactRow:
        tick("the largest margin", 0.0)
        return system.table.row(i)

    while True:
        tick("the largest margin", 0.0)
        plane, upper, weights = _widest(system, row, list(rows), tick)
        found, lower = _attained(system, row, plane, 1 - GAP)
        if all(name in rows for name in found):
            break
        rows |= dict.fromkeys(found)
    if lower <= 0:  # where the nearest pair is not refined
        plane, lower = known, _attained(system, row, known, 0.0)[1]
    a = system.augmented(plane)[0]
    margin = Margin(lower, max(lower, upper), Hyperplane.from_augmented(a) if np.all(np.isfinite(a)) else None)
    return Widest(plane, margin, weights)


def _touched(system: System, working: list[Name], tick: Tell) -> list[Name]:
    """Give the rows that the plane of the largest margin touches, as floats see it; else the rows that are given.

    What is proved later in whole numbers needs few rows then.
    """
    if not system.intercept or system.n_groups != 2 or system.counts:
        return working
    z = np.where(system.own == 1, 1.0, np.where(system.own == 0, -1.0, np.nan))
    some = np.unique([i for i, _ in working if i >= 0])
    for _ in range(ROUNDS):
        tick("the largest margin", 0.0)
        x = system.X[some]
        x = (x.toarray() if sparse.issparse(x) else x).astype(np.float64)
        center = x.mean(axis=0)
        x -= center
        with np.errstate(over="ignore", invalid="ignore"):
            K = x @ x.T
        if not np.isfinite(K).all() or not np.ptp(z[some]):
            return working
        guess = np.flatnonzero(_about_nearest(x, z[some], tick))
        start = guess if np.ptp(z[some][guess]) else None
        found = nearest(StoredRows(KernelRows.of_matrix(K)), K.diagonal().copy(), z[some], start=start)
        if not found.apart:
            return working
        w = (found.mu * z[some]) @ x * (2 / found.square)
        g = z * (system.X @ w - (center @ w + 2 * found.middle / found.square))
        g[some] = np.inf
        below = np.flatnonzero(g < 1 - NEAR)
        if not below.size:
            return system.names(some[z[some] * (x @ w - 2 * found.middle / found.square) < 1 + NEAR])
        worst = below[np.argsort(g[below])[: max(64, 2 * system.n_columns)]]
        some = np.r_[some, worst]
    return working


def _widest(
    system: System, row: WholeRow, names: list[Name], tick: Tell
) -> tuple[Direction, float, dict[Name, Fraction]]:
    """The plane halfway between the nearest points of the hulls of some rows, an upper bound, and these points."""
    patterns = [row(i) for i, _ in names]
    q = max(x.q for x in patterns)  # all are powers of one number
    factors = [system.factors(name)[0] * (q // x.q) for name, x in zip(names, patterns, strict=True)]
    rows = [[f * value for value in x.full(system.d)] for f, x in zip(factors, patterns, strict=True)]
    group = [int(system.intercept and system.factors(name)[0] < 0) for name in names]
    weights = _guess(system, names, group, tick)
    if len(weights) <= REFINED:
        _, weights = nearest_point(rows, group, list(weights), tick=tick)
    shares = whole(list(weights.values()))
    unit = next(iter(weights.values())) / shares[0] / q
    normal = weighted_sum(shares, (rows[k] for k in weights))
    upper = root(unit * unit * sum(value * value for value in normal), up=True) / (1 + system.intercept)
    sides = [side for (side,) in products(rows, [normal])]
    ends = [min(side for side, g in zip(sides, group, strict=True) if g == k) for k in sorted(set(group))]
    level = Fraction(sum(ends), len(ends))
    size = abs(level) or Fraction(1)  # z(wx + w₀) = 1 at the nearest rows, unless the guess is a bad one
    w0 = [(ends[1] - ends[0]) / (2 * size)] if system.intercept else []
    plane = Direction.of([*w0, *(value * q / size for value in normal)])
    return plane, upper, {names[k]: weight for k, weight in weights.items()}


def _guess(system: System, names: list[Name], group: list[int], tick: Tell) -> dict[int, Fraction]:
    """Weights of sum one in each group for a pair of points that are about nearest."""
    x = system.dense(names)
    z = np.array([system.factors(name)[0] for name in names], np.float64)
    if system.intercept:
        x -= (x[z > 0].mean(axis=0) + x[z < 0].mean(axis=0)) / 2
    weights = _about_nearest(x, z, tick, system.intercept)
    chosen = {k: Fraction(float(weights[k])) for k in np.flatnonzero(weights).tolist()}
    for g in set(group):
        chosen |= {} if any(group[k] == g for k in chosen) else {group.index(g): Fraction(1)}
    totals = {g: sum(weight for k, weight in chosen.items() if group[k] == g) for g in set(group)}
    return {k: weight / totals[group[k]] for k, weight in chosen.items()}


def _about_nearest(
    x: NDArray[Any], z: NDArray[np.float64], tick: Tell, intercept: bool | int = True
) -> NDArray[np.float64]:
    """Nonnegative least squares on the rows z(KAPPA, x - c); the nearest pair would need an infinite KAPPA."""
    size = np.abs(x).max()
    V = (z[:, None] * x / (size if size > 0 else 1)).astype(np.float64)
    columns = [KAPPA * z[:, None]] if intercept else []
    return nonnegative(*hull_program(np.concatenate([*columns, V], axis=1)), 20 * len(z), tick=tick)


def _attained(system: System, row: WholeRow, plane: Direction, level: float) -> tuple[list[Name], float]:
    """Rows z with z(wx + w₀) below the level, and a lower bound of the margin of the plane."""
    worst = max(64, 2 * system.n_columns)
    found, doubtful, least = system.judge(plane, worst, level)
    b = system.blocks(plane.b)
    exact: list[tuple[Fraction, Name]] = []
    for i in {*doubtful.tolist(), *(i for i, _ in found)}:
        x = row(i)
        side, rival = min((side, rival) for rival, side in system.sides(x, int(system.own[i]), b).items())
        exact.append((side * plane.unit / x.q, (i, rival)))
    found = [name for value, name in sorted(exact)[:worst] if value < level]
    value = min([*(value for value, _ in exact), *([Fraction(least)] if least < np.inf else [])])
    square = plane.unit**2 * sum(number * number for number in plane.b[system.intercept :])
    bound = root(value * value / square, up=False)
    return found, bound if value > 0 else -bound


def root(square: Fraction, up: bool) -> float:
    """The square root of a fraction, which floats need not hold, rounded up or down."""
    excess = square.denominator.bit_length() - square.numerator.bit_length()
    shift = max(0, 70 + excess // 2)
    whole_root = isqrt((square.numerator << (2 * shift)) // square.denominator) + up
    try:
        nearest = float(Fraction(whole_root, 1 << shift))
    except OverflowError:  # a lower bound stays a number
        return float("inf") if up else float(np.finfo(np.float64).max)
    return float(np.nextafter(nearest, np.inf if up else 0.0))


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

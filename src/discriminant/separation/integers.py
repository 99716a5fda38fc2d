"""Linear algebra in whole numbers, and the nearest point of a hull: the solver's side of a certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, compress
from math import lcm
from operator import mul

from .._engine.progress import Tell
from .digits import bits_of
from .flint import call, primes
from .lifting import Solution, lifted
from .rows import Integers, Matrix, primitive, weighted_sum

SPARSE = 0.25  # share of entries that are not zero, below which the zeros are left out
SMALL = 64  # rows of which a relation is found by elimination rather than by solving for it
LIFTED, LONG = 200, 150  # columns from which lifting takes less time than FLINT, unless numbers have so many bits
PIECE = 10**7  # products of one piece of a multiplication, so that Ctrl-C is heard between two


def whole(vector: Sequence[Fraction]) -> Integers:
    """A positive multiple of a vector of fractions in whole numbers."""
    common = lcm(*(value.denominator for value in vector))
    return primitive([value.numerator * (common // value.denominator) for value in vector])


def transposed(rows: Matrix) -> Matrix:
    """The columns of a matrix as rows."""
    return [list(column) for column in zip(*rows, strict=True)]


def rank(rows: Matrix, tick: Tell | None = None) -> int:
    """Rank of a matrix."""
    return int(call("rank", rows, tick=tick)) if rows else 0


def pivots(rows: Matrix, tick: Tell | None = None) -> list[int]:
    """The first rows, one by one, that do not depend on those before them, as far as two large primes show."""
    found: list[int] | None = None
    entries, most = _entries(rows) if _is_sparse(rows) else [], min(len(rows), len(rows[0]))
    for prime in primes(rows) if entries else ():
        some = _sparse_pivots(entries, prime)
        found = None if some is None else max(found or [], some, key=len)
        if found is None or len(found) == most:
            break
    return list(call("pivots", rows, tick=tick)) if found is None else found


def _is_sparse(rows: Matrix) -> bool:
    """Whether most entries are zero."""
    return SPARSE * len(rows[0]) * len(rows) > sum(len(row) - row.count(0) for row in rows)


def _entries(rows: Matrix) -> list[dict[int, int]]:
    """The entries of each row that are not zero, by column."""
    return [dict(compress(enumerate(row), row)) for row in rows]


def _sparse_pivots(entries: list[dict[int, int]], prime: int) -> list[int] | None:
    """The same for rows that are mostly zeros, modulo a prime; None where they do not stay so."""
    uses = Counter(chain.from_iterable(entries))
    order: dict[int, int] = {}  # of the pivots, by their column
    pivots: list[tuple[int, dict[int, int]]] = []  # scaled to one in their column, and zero in those of earlier ones
    found, work = [], len(entries) * len(uses)
    for k, row in enumerate(entries):
        rest = {j: value % prime for j, value in row.items() if value % prime}
        waiting = sorted(order[j] for j in rest if j in order)
        while waiting:
            column, pivot = pivots[heappop(waiting)]
            factor = rest.pop(column, 0)
            for j, value in pivot.items() if factor else ():
                if j in order and j not in rest:
                    heappush(waiting, order[j])
                rest[j] = (rest.get(j, 0) - factor * value) % prime
            work -= len(pivot)
        rest = {j: value for j, value in rest.items() if value}
        if work < 0:
            return None
        if rest:
            column = min(rest, key=lambda j: (uses[j], j))
            inverse = pow(rest.pop(column), -1, prime)
            order[column] = len(pivots)
            pivots.append((column, {j: value * inverse % prime for j, value in rest.items()}))
            found.append(k)
    return found


def coordinates(rows: Matrix, vectors: Matrix, tick: Tell | None = None) -> list[Solution]:
    """For each vector of the span of independent rows (q, m) with q vector = sum of m row, q > 0.

    Of a vector outside the span nothing is told; ZeroDivisionError where the rows depend on each other.
    """
    if not rows or not vectors:
        return [(1, []) for _ in vectors]
    return solve(transposed(rows), transposed(vectors), tick)


def _over_one(fractions: Sequence[Fraction]) -> Solution:
    """A common denominator of fractions, and their numerators over it."""
    q = lcm(*(value.denominator for value in fractions))
    return q, [value.numerator * (q // value.denominator) for value in fractions]


def solve(A: Matrix, B: Matrix, tick: Tell | None = None) -> list[Solution]:
    """For each column b of B (q, x) with Ax = qb, q > 0; of equations too many, some are taken to follow.

    ZeroDivisionError where columns of A depend.
    """
    if all(len(row) - row.count(0) != 1 for row in chain(A, transposed(A))):
        return _solve_square(A, B, tick)
    return [_over_one(column) for column in zip(*_solve_sparse(A, B, tick), strict=True)]


def _solve_square(A: Matrix, B: Matrix, tick: Tell | None) -> list[Solution]:
    """The same as a whole, by equations that determine the unknowns."""
    if len(A) != len(A[0]):
        chosen = pivots(A, tick)
        A, B = [A[k] for k in chosen], [B[k] for k in chosen]
    if len(A) < len(A[0]):
        raise ZeroDivisionError("the columns depend on each other")
    found = lifted(A, B, tick) if len(A) >= LIFTED and max(map(bits_of, A)) < LONG else None
    if found is None:
        X = call("solve", A, B, tick=tick)
        found = [_over_one([Fraction(*value) for value in column]) for column in zip(*X, strict=True)]
    return found


def _solve_sparse(A: Matrix, B: Matrix, tick: Tell | None) -> list[list[Fraction]]:
    """X with AX = B.

    An equation with one unknown gives it at once, and an unknown of one equation alone is left to the end: of tables of
    factors, which are mostly zeros, little else remains.
    """
    equations = _entries(A)
    right = [[Fraction(value) for value in row] for row in B]
    users: list[set[int]] = [set() for _ in A[0]]
    for e, row in enumerate(equations):
        for k in row:
            users[k].add(e)
    X: list[list[Fraction]] = [[] for _ in A[0]]
    _give(equations, right, users, X)
    later = _leave(equations, users)
    left = [e for e, row in enumerate(equations) if row]
    unknown = [k for k, some in enumerate(users) if some]
    if left:
        scale = [_over_one(right[e]) for e in left]
        rows = [[q * equations[e].get(k, 0) for k in unknown] for e, (q, _) in zip(left, scale, strict=True)]
        solved = _solve_square(rows, [numerators for _, numerators in scale], tick)
        for k, *values in zip(unknown, *([Fraction(value, q) for value in x] for q, x in solved), strict=True):
            X[k] = values
    if sum(map(bool, X)) + len(later) < len(X):
        raise ZeroDivisionError("the columns depend on each other")
    for e, k, row in reversed(later):
        known = [(value, X[j]) for j, value in row.items() if j != k]
        rests = [t - sum((value * x[i] for value, x in known), Fraction(0)) for i, t in enumerate(right[e])]
        X[k] = [rest / row[k] for rest in rests]
    return X


def _give(
    equations: list[dict[int, int]], right: list[list[Fraction]], users: list[set[int]], X: list[list[Fraction]]
) -> None:
    """Solve equations with one unknown, again and again."""
    ready = [e for e, row in enumerate(equations) if len(row) == 1]
    while ready:
        e = ready.pop()
        if len(equations[e]) != 1:
            continue
        ((k, factor),) = equations[e].items()
        X[k] = [value / factor for value in right[e]]
        for other in users[k] - {e}:
            factor = equations[other].pop(k)
            right[other] = [value - factor * x for value, x in zip(right[other], X[k], strict=True)]
            ready += [other] if len(equations[other]) == 1 else []
        equations[e], users[k] = {}, set()


def _leave(equations: list[dict[int, int]], users: list[set[int]]) -> list[tuple[int, int, dict[int, int]]]:
    """Leave unknowns of one equation alone to the end, again and again: equation, unknown, coefficients."""
    later = []
    lone = [k for k, some in enumerate(users) if len(some) == 1]
    while lone:
        k = lone.pop()
        if len(users[k]) != 1:
            continue
        (e,) = users[k]
        later.append((e, k, equations[e]))
        for other in equations[e]:
            users[other].discard(e)
            lone += [other] if len(users[other]) == 1 else []
        equations[e] = {}
    return later


def kernel(rows: Matrix, tick: Tell | None = None) -> Matrix:
    """A basis of all vectors that are orthogonal to the rows: one for each column that depends on others before it."""
    columns = transposed(rows)
    used = [j for j, column in enumerate(columns) if any(column)]
    basis = [_unit(j, len(columns)) for j in sorted(set(range(len(columns))).difference(used))]
    if not used:
        return basis
    first = [used[k] for k in pivots([columns[j] for j in used], tick)]
    free = [j for j in used if j not in set(first)]
    if free and len(first) < len(rows):
        rows = [rows[k] for k in pivots(rows, tick)]
    left, right = ([[row[j] for j in columns] for row in rows] for columns in (first, free))
    solved = solve(left, [[-value for value in row] for row in right], tick) if free else []
    for j, (q, numerators) in zip(free, solved, strict=True):
        vector = [0] * len(columns)
        vector[j] = q
        for k, value in zip(first, numerators, strict=True):
            vector[k] = value
        basis.append(primitive(vector))
    return basis


def _unit(j: int, n: int) -> Integers:
    return [0] * j + [1] + [0] * (n - j - 1)


def relation(rows: Matrix, tick: Tell | None = None) -> Integers | None:
    """Weights, not all zero, with which the rows add up to zero; None unless they are unique up to a factor."""
    if len(rows) <= SMALL:  # quicker as a whole
        basis = call("nullspace", transposed(rows))
        return primitive(basis[0]) if len(basis) == 1 else None
    first = pivots(rows, tick)
    if len(first) != len(rows) - 1:
        return None
    (other,) = set(range(len(rows))).difference(first)
    ((q, share),) = coordinates([rows[k] for k in first], [rows[other]], tick)
    weights = dict(zip(first, share, strict=True)) | {other: -q}
    found = primitive([weights[k] for k in range(len(rows))])
    is_square = len(first) == len(rows[0])  # else some equations were taken to follow
    return found if is_square or not any(combined(found, rows)) else None


def combined(weights: Sequence[int], rows: Matrix) -> Integers:
    """The sum of the rows, each times its weight, where both may be large, or most entries zero."""
    if _is_sparse(rows):
        total = [0] * len(rows[0])
        for weight, some in zip(weights, _entries(rows), strict=True):
            for j, value in some.items():
                total[j] += weight * value
        return total
    return list(call("multiply", [list(weights)], transposed(rows))[0])


def products(rows: Matrix, vectors: Matrix) -> Matrix:
    """Inner products of every row with every vector."""
    if not rows or not vectors:
        return [[] for _ in rows]
    step = max(64, PIECE // (len(rows[0]) * len(vectors)))
    parts = (call("multiply", rows[k : k + step], vectors) for k in range(0, len(rows), step))
    return [row for part in parts for row in part]


def alternative(
    rows: Matrix, start: Sequence[int] = (0,), tick: Tell | None = None
) -> tuple[Integers | None, dict[int, int]]:
    """Gordan's alternative: t with every row t > 0, or else None and weights > 0 with which some rows add up to zero.

    The rows that have weights have no other relation. To begin with good rows saves turns.
    """
    sizes = [max(abs(value) for value in column).bit_length() for column in zip(*rows, strict=True)]
    scale = [1 << (max(sizes) - size) for size in sizes]  # columns of the same size save turns
    rows = [list(map(mul, row, scale)) for row in rows]
    x, weights = nearest_point(rows, [0] * len(rows), start, stop_outside=True, tick=tick)
    if any(x):
        return primitive(list(map(mul, x, scale))), {}
    return None, dict(zip(weights, whole(list(weights.values())), strict=True))


def nearest_point(
    rows: Matrix, group: Sequence[int], start: Sequence[int], stop_outside: bool = False, tick: Tell | None = None
) -> tuple[Integers, dict[int, Fraction]]:
    """The shortest sum of one point from the hull of each group of rows: Wolfe's algorithm in whole numbers.

    Go to the shortest sum of points from the flats through a few rows, leaving behind the rows whose weight vanishes
    on the way; then take in the row that lies farthest behind. The length falls at each turn, so that no set of rows
    comes twice, and it ends. A row's group is 0, or 0 and 1; ``start`` are rows to begin with, and where a group has
    none, its first row; with ``stop_outside`` any x will do that has a positive product with every row.

    It gives x, a positive multiple of the sum, and the weights of rows, of sum one in each group.
    """
    first = {group[i]: i for i in [*range(len(rows) - 1, -1, -1), *reversed(start)]}
    chosen = list(first.values())
    weights = [Fraction(1) for _ in chosen]
    arriving = [i for i in start if i not in chosen]
    target = _flat([rows[i] for i in start], [group[i] for i in start]) if arriving else None
    if target is not None and min(target) > 0 and {group[i] for i in start} == set(group):
        chosen, weights, arriving = list(start), target, []  # a good guess is taken as a whole
    while True:
        if tick is not None:
            tick(f"whole numbers of {len(chosen):,} rows", 0.0)
        x = primitive(weighted_sum(whole(weights), (rows[i] for i in chosen)))
        if not any(x):
            break
        if arriving:
            entering = arriving.pop(0)
        else:
            sides = [side for (side,) in products(rows, [x])]
            level = {group[i]: sides[i] for i in chosen}
            behind = [side - level[k] for side, k in zip(sides, group, strict=True)]
            entering = min(range(len(rows)), key=behind.__getitem__)
            if behind[entering] >= 0 or (stop_outside and min(sides) > 0):
                break
        chosen, weights = _nearest(rows, group, [*chosen, entering], [*weights, Fraction(0)])
    return x, dict(zip(chosen, weights, strict=True))


def _nearest(
    rows: Matrix, group: Sequence[int], chosen: Integers, weights: list[Fraction]
) -> tuple[Integers, list[Fraction]]:
    """Rows and weights of the shortest sum, once rows without a share in it are left out."""
    while True:
        target = _flat([rows[i] for i in chosen], [group[i] for i in chosen])
        if target is None:  # the last row lies in the flat of the others: it cannot be added
            return chosen[:-1], weights[:-1]
        if all(weight > 0 for weight in target):
            return chosen, target
        steps = (w / (w - t) for w, t in zip(weights, target, strict=True) if t <= 0 and w > t)
        step = min(steps, default=Fraction(1))
        moved = [w + step * (t - w) for w, t in zip(weights, target, strict=True)]
        kept = [k for k, weight in enumerate(moved) if weight > 0]
        chosen, weights = [chosen[k] for k in kept], [moved[k] for k in kept]


def _flat(rows: Matrix, group: Sequence[int]) -> list[Fraction] | None:
    """Weights of sum one in each group, of any sign, of the shortest sum; None if rows depend on each other.

    With E for the groups, the weights are v = (RRᵗ + EEᵗ)⁻¹Ec, where c is such that Eᵗv = 1.
    """
    groups = sorted(set(group))
    try:
        weights = call("flat", rows, [[int(k == g) for k in groups] for g in group])
    except ZeroDivisionError:
        return None
    return [Fraction(*weight) for weight in weights]

"""How a verdict of ``separability`` is found: guess in floats, prove in whole numbers, one face after the other.

Let N be the rows z that vanish on every b with Zb >= 0. By Gordan's theorem, either some b has zb > 0 for all rows, or
some rows, with positive weights, add up to zero; these belong to N. Then look at vectors b orthogonal to these rows
only, leave out the rows that vanish on all such b, and ask again (facial reduction). Each turn finds more of N's span,
so that at most p turns are needed. A turn:

1. guess: the point of the hull of a few hundred rows that is nearest to zero (nonnegative least squares). Zero itself
   gives a relation, any other point a vector b. The guess becomes whole numbers: weights as the null vector of the
   rows, b as a vector that is orthogonal to the rows found so far.
2. prove: a relation is final, whatever the other rows are. For b, one pass over the data with a rigorous bound on the
   rounding error finds the rows that contradict it; they join those few hundred, and the next turn begins. The rows
   that are too near to zero for floats are decided in whole numbers.

Where floats mislead (a relation with a wrong sign, a b that fails on the rows it was made from), the nearest point is
computed in whole numbers instead. That always ends.

References
----------
J. Borwein and H. Wolkowicz, "Facial reduction for a cone-convex programming problem", J. Austral. Math. Soc. 30 (1981);
C. L. Lawson and R. J. Hanson, *Solving Least Squares Problems* (1974), chapter 23.

Tests: ``tests/separation/test_verdict.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from fractions import Fraction
from threading import Thread
from typing import Any

import numpy as np
from scipy.linalg import qr

from .._engine.progress import Tell
from .faces import Face
from .integers import alternative, products, rank, whole
from .nonnegative import hull_program, nonnegative
from .passes import Floats, Indices
from .rows import PRIMES, echelon, primitive, spans, weighted_sum
from .system import AXIS, Direction, Name, Scale, System

NEAR = 1e-11  # a hull nearer to zero than this, with rows of length one, is taken to contain it
FEW = 300  # patterns that a guess begins with, at the least
WIDE = 100  # columns beyond which a guess takes longer than passes over the data
TURNS = 20  # passes of the perceptron on such data


@dataclass(frozen=True)
class Narrow:
    """Independent columns of wide data: what holds for the rows with these features alone holds with all of them."""

    columns: list[int]  # features
    alone: list[int]  # those of them that no other feature depends on, as far as a prime shows
    outcome: Outcome


@dataclass(frozen=True)
class Outcome:
    """A verdict with what proves it."""

    face: Face
    direction: Direction | None  # None where nothing is separated
    boundary: Indices | None  # patterns with a row in N; None for all of them
    clear: bool  # whether floats are enough to see that b separates
    in_integers: bool  # whether floats were not enough to guess with
    working: dict[Name, None]
    narrow: Narrow | None = None  # what it was found on, where the data are wide

    @property
    def verdict(self) -> str:
        """``complete``, ``quasi`` or ``overlap``."""
        if self.direction is None:
            return "overlap"
        return "complete" if self.boundary is not None and not self.boundary.size else "quasi"


def settle(
    system: System,
    working: Iterable[Name] = (),
    face: Face | None = None,
    tick: Tell = lambda text, share: None,
) -> Outcome:
    """Find the verdict and its proof, beginning with some rows and a part of N; ``tick`` hears what is being done."""
    if face is None and system.is_wide:
        outcome = FaceSearch(system, working, None, tick).glance() or _on_few_columns(system, tick)
        if outcome is not None:
            return outcome
    return FaceSearch(system, working, face, tick).run()


def _on_few_columns(system: System, tick: Tell) -> Outcome | None:
    """The outcome for wide data, found on independent columns; None if no prime shows which these are.

    With fewer rows than columns, Zb takes the same values where b vanishes but on independent columns of Z. Modulo a
    prime a column may seem to depend on others though it does not; then the proof fails for all columns.
    """
    tick("independent columns", 0.0)
    for prime in PRIMES:
        rows = (system.table.augmented(int(i), bool(system.intercept))[0] for i in system.patterns)
        places, E = echelon(rows, prime)
        shared = np.atleast_1d(np.delete(E, places, axis=1).any(axis=1))
        columns = sorted(place - system.intercept for place in places if place >= system.intercept) or [0]
        alone = [place - system.intercept for place, used in zip(places, shared, strict=True) if not used]
        found = FaceSearch(system.on(columns), (), None, tick).run()
        face = Face(system, found.face.span, [], found.face.weights, found.face.relations)
        direction = None if found.direction is None else system.lifted(found.direction, columns)
        system.passes += found.face.system.passes
        outcome = replace(found, face=face, direction=direction, narrow=Narrow(columns, alone, found))
        if _holds_for_all_columns(outcome):
            return outcome
    return None


def _holds_for_all_columns(outcome: Outcome) -> bool:
    """Whether the relations are zero and span the boundary in all columns."""
    face, system = outcome.face, outcome.face.system
    for weights in face.relations:
        most = max(system.integers(name)[1] for name in weights)  # all are powers of one number
        if any(face.total({name: w * (most // system.integers(name)[1]) for name, w in weights.items()})):
            return False
    patterns = system.patterns if outcome.boundary is None else outcome.boundary
    b = [0] * system.n_columns if outcome.direction is None else outcome.direction.b
    boundary = (name for name in system.names(patterns) if not system.side(name, b))
    return spans(system.matrix({name for weights in face.relations for name in weights}), system.matrix(boundary))


class FaceSearch:
    """The search for a verdict: the face found so far, and the working set of rows that guesses are made from."""

    def __init__(self, system: System, working: Iterable[Name], face: Face | None, tick: Tell) -> None:
        self.system, self.tick = system, tick
        self.face = Face(system) if face is None else face.within(system)
        self.direction: Direction | None = None
        self.rows: dict[Name, None] = dict.fromkeys(working)
        if not self.rows:
            self.direction, self.rows = _begin(system)
        self.rows |= dict.fromkeys([AXIS] if system.axis else [])
        self.worst = min(max(64, 2 * system.n_columns), 400)  # rows that join the working set at a time
        self.floats_mislead = self.in_integers = False
        if system.counts and face is None:
            _absorb_counts(self.face)

    def glance(self) -> Outcome | None:
        """The outcome if floats find a vector that separates every row, else None."""
        while True:
            direction, self.direction = self.direction or _guess(self.face, list(self.rows))[1], None
            outcome = None if direction is None else self._try(direction)
            if direction is None or outcome is not None or self.floats_mislead:
                return outcome

    def run(self) -> Outcome:
        """Turn after turn, until a vector stands the test or nothing is left to separate."""
        while not self.face.is_all:
            live = self.face.outside(self.rows)
            if not live:
                found = [] if len(self.rows) == self.system.n_names else _strangers(self.face, self.rows, self.worst)
                if not found:
                    break
                self.rows |= dict.fromkeys(found)
                continue
            self.tick(f"{len(live):,} rows in the guess, {self.system.passes} passes over the data", 0.0)
            direction, self.direction = self.direction or self._propose(live), None
            outcome = None if direction is None else self._try(direction)
            if outcome is not None:
                return outcome
        return Outcome(self.face, None, None, False, self.in_integers, self.rows)

    def _propose(self, live: list[Name]) -> Direction | None:
        """A vector that may separate these rows; None when they had relations, which the face has now absorbed."""
        if not self.floats_mislead:
            circuits, direction = _guess(self.face, live)
            if direction is not None or self.face.absorb(circuits):
                return direction
        circuit, direction = _compute(self.face, live)
        self.in_integers = True
        self.floats_mislead = bool(self.face.span)  # what is left of a large face is degenerate: floats go on to fail
        if direction is None:
            self.face.absorb([circuit])
        return direction

    def _try(self, direction: Direction) -> Outcome | None:
        """One pass over the data: the outcome if no row contradicts, else those that do join the working set."""
        found, boundary, clear = _contradictions(self.face, direction, self.worst)
        if not found:
            return Outcome(self.face, direction, boundary, clear, self.in_integers, self.rows)
        self.system.known.saw(direction, len(found))
        self.floats_mislead |= all(name in self.rows for name in found)
        self.rows |= dict.fromkeys(found)
        return None


def _begin(system: System) -> tuple[Direction | None, dict[Name, None]]:
    """Rows to begin with, and a separating vector if that is cheap to have.

    Where a guess is costly, a perceptron goes ahead: it separates, or it meets the patterns that matter.
    """
    if system.n_columns <= WIDE or system.counts:
        return None, dict.fromkeys(system.names(_some(system)))
    direction, trouble = system.walk(TURNS)
    return direction, dict.fromkeys(system.names([*trouble, *_some(system)]))


def _some(system: System) -> Indices:
    """All patterns if there are few, else as many of each class."""
    enough = max(FEW, 8 * system.n_columns // system.n_blocks) if system.n_columns <= WIDE else FEW
    if np.count_nonzero(system.own >= 0) <= 2 * enough:
        return system.patterns
    drawn = np.unique(np.random.default_rng(0).integers(system.n, size=20 * enough))
    some = []
    for k in range(max(system.n_groups, 2)):
        members = drawn[system.own[drawn] == k]
        members = members if members.size >= enough else np.flatnonzero(system.own == k)  # a rare class
        some.append(members[:: max(1, members.size * max(system.n_groups, 2) // enough)])
    return np.concatenate(some)


def _absorb_counts(face: Face) -> None:
    """Begin with patterns whose count exceeds zero: their rows y and -y add up to zero."""
    system = face.system
    positive = system.patterns[system.own[system.patterns] == 1]
    if not positive.size:
        return
    some = [(int(i), 0) for i in positive[:: max(1, positive.size // (4 * system.n_columns))]]
    z, _ = system.floats(some)
    _, R, order = qr(z.T, mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    chosen = [some[k] for k in order[: int((size > 1e-9 * size.max(initial=0)).sum())]]
    while rank(system.matrix(chosen)) < len(chosen):
        chosen.pop()
    for i, _ in chosen:
        face.keep({(i, 0): 1, (i, 1): 1})
    face.extend(chosen)


def _guess(face: Face, live: list[Name]) -> tuple[list[list[Name]], Direction | None]:
    """Sets of rows that may have a positive relation, or a vector that may separate: the nearest point of the hull."""
    system, m = face.system, len(live)
    z, scale = system.floats([*live, *face.span])
    Q, R = None, z[:m]
    if face.span:
        Q = _heard(qr, z[m:].T)[0][:, len(face.span) :]
        R = R @ Q
        length = np.linalg.norm(R, axis=1)
        R /= np.where(length > 0, length, 1)[:, None]
    try:
        b, weights = _nearest(R)
        if b is None:
            return [[live[k] for k in circuit] for circuit in _disjoint(R, weights)], None
        return [], scale.direction(b) if Q is None else _inside(face, Q @ b, scale)
    except (RuntimeError, ArithmeticError, ValueError):
        return [], None  # the guess failed: whole numbers will do it


def _disjoint(R: Floats, weights: Floats) -> Iterator[list[int]]:
    """Sets of rows whose hull contains zero, no row twice, until they may span everything or nothing is left."""
    left = np.arange(len(R))
    missing = R.shape[1]
    while True:
        circuit = left[weights > 0]
        yield circuit.tolist()
        left = left[weights == 0]
        missing -= circuit.size - 1
        if missing <= 0 or left.size < 2:
            return
        b, weights = _nearest(R[left])
        if b is not None:
            return


def _nearest(R: Floats) -> tuple[Floats | None, Floats]:
    """A vector b with Rb > 0, from the point of the hull of the rows that is nearest to zero, or a relation.

    Nonnegative least squares on (R, 1)ᵗλ = (0, 1). Where the residual ρ is not zero, its condition of optimality says
    that (R, 1) ρ <= 0, with a positive last entry of ρ: -ρ is a vector with Rb > 0.
    """
    m, q = R.shape
    basis = None
    if m < q:
        basis, triangle = _heard(np.linalg.qr, R.T)
        R = triangle.T
    A, target = hull_program(R)
    weights = nonnegative(A, target, 10 * (m + q))
    weights[weights < NEAR * weights.max()] = 0  # what rounding has left of rows that have no share
    b = (A @ weights)[:-1]
    length = np.linalg.norm(b)
    if length > 0 and (R @ b).min() > NEAR * length:
        b /= length
        return (b if basis is None else basis @ b), weights
    return None, weights


def _heard(work: Callable[..., Any], *arrays: Floats) -> Any:
    """What a call of LAPACK answers; a long one runs in a thread, because Ctrl-C ends the wait for it at once."""
    if max(arrays[0].shape) <= WIDE:
        return work(*arrays)
    answer: Future[Any] = Future()

    def run() -> None:
        try:
            answer.set_result(work(*arrays))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=run, daemon=True).start()
    return answer.result()


def _inside(face: Face, b: Floats, scale: Scale) -> Direction:
    """The vector of the kernel that is nearest to b."""
    columns, sizes = zip(*map(scale.scaled, face.vectors), strict=True)
    factors = _heard(np.linalg.lstsq, np.array(columns).T, b)[0].tolist()
    shares = whole([Fraction(factor) / size for factor, size in zip(factors, sizes, strict=True)])
    return scale.sized(primitive(weighted_sum(shares, face.vectors)))


def _compute(face: Face, live: list[Name]) -> tuple[list[Name], Direction | None]:
    """A relation or a separating vector of these rows, in whole numbers."""
    rows = face.system.matrix(live)
    t, weights = alternative(products(rows, face.vectors) if face.span else rows)
    if t is None:
        return [live[k] for k in weights], None
    _, scale = face.system.floats(live)
    return [], scale.sized(primitive(weighted_sum(t, face.vectors) if face.span else t))


def _contradictions(face: Face, direction: Direction, worst: int) -> tuple[list[Name], Indices, bool]:
    """Rows that are neither separated by b nor in the span, at most so many; the patterns with a row in the span.

    The third answer is whether floats were enough.
    """
    system = face.system
    found, doubtful, _ = system.judge(direction, worst)
    if not found and system.axis and system.side(AXIS, direction.b) <= 0 and face.outside([AXIS]):
        found = [AXIS]
    if found:
        return found, doubtful, True
    shown = face.shown(doubtful)
    boundary = set(doubtful[shown].tolist())
    b = system.blocks(direction.b)
    for i in doubtful[~shown].tolist():
        row = system.table.row(i)
        sides = system.sides(row, int(system.own[i]), b)
        moved = face.moved(i, row) if min(sides.values()) <= 0 else {}
        found += [(i, rival) for rival, side in sides.items() if side < 0 or (not side and moved[rival])]
        boundary.update(i for rival, side in sides.items() if not side and not moved[rival])
        if len(found) >= worst:
            break
    return found, np.array(sorted(boundary), np.int64), not doubtful.size


def _strangers(face: Face, rows: Iterable[Name], worst: int) -> list[Name]:
    """Rows of the data that lie outside the span, at most so many: a vector at random moves them."""
    system = face.system
    _, scale = system.floats([*rows])
    random = np.random.default_rng(0).normal(size=system.n_columns)
    direction = _inside(face, random, scale) if face.span else scale.direction(random)
    opposite = Direction([-value for value in direction.b], -direction.floats, direction.unit)
    doubtful = system.patterns
    for turned in (direction, opposite):
        found, doubtful, _ = system.judge(turned, worst)
        if found:
            return found
    for i in doubtful[~face.shown(doubtful)].tolist():
        found += [(i, rival) for rival, moved in face.moved(i, system.table.row(i)).items() if moved]
        if len(found) >= worst:
            break
    return found

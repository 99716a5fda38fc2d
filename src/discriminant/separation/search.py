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
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy.linalg import qr

from .._engine.progress import Tell
from .._engine.threads import one_blas_thread
from .beyond import in_part
from .boundary import LARGEST, BoundarySearch
from .digits import echelon
from .faces import Face
from .integers import alternative, products, rank
from .merging import by_merging, may_merge
from .nonnegative import heard, nearest_to_zero
from .passes import Floats, Indices
from .rows import PRIMES, primitive, spans, weighted_sum
from .system import AXIS, Direction, Name, System
from .trial import Narrow, Outcome, contradictions, inside, strangers

FEW = 300  # patterns that a guess begins with, at the least
WIDE = 100  # columns beyond which a guess takes longer than passes over the data
NARROW = 30  # columns up to which relations are found one by one, whatever they span
SHORT, LONG = 20, 1000  # passes of the perceptron on such data, at the most
WALK = 1e9  # numbers of X that it reads, at the most: about a second


def settle(
    system: System,
    working: Iterable[Name] = (),
    face: Face | None = None,
    tick: Tell = lambda text, share: None,
) -> Outcome:
    """Find the verdict and its proof, beginning with some rows and a part of N; ``tick`` hears what is being done."""
    with one_blas_thread():  # what is guessed then does not depend on their number, and small problems are quicker
        if face is None and system.is_wide:
            outcome = FaceSearch(system, working, None, tick).glance() or _on_few_columns(system, tick)
            if outcome is not None:
                return outcome
        search = FaceSearch(system, working, face, tick)
        if face is None and search.direction is None and may_merge(system):
            outcome = by_merging(system, lambda smaller: settle(smaller, tick=tick), tick)
            if outcome is not None:
                return outcome
        return search.run()


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
        most = max(system.multiple(name) for name in weights)  # all are powers of one number
        if any(face.total({name: w * (most // system.multiple(name)) for name, w in weights.items()})):
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
        self.floats_mislead = self.in_integers = self.has_leapt = False
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
            if self.direction is None and self._may_leap():
                self.has_leapt = True
                outcome = BoundarySearch(self.face, {}, self.tick).run()
                if outcome is not None:
                    return outcome
            if self.direction is None and self.system.n_groups > 2 and self.system.n_columns > LARGEST:
                return in_part(self.system, LARGEST, lambda pair, tick: settle(pair, tick=tick), self.tick)
            live = self.face.outside(self.rows)
            if not live:
                found = [] if len(self.rows) == self.system.n_names else strangers(self.face, self.rows, self.worst)
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

    def _may_leap(self) -> bool:
        """Whether to guess at the whole boundary: once, for many columns, or where one relation did not span it."""
        columns = self.system.n_columns
        many = WIDE < columns <= LARGEST or (self.face.span and NARROW < columns <= WIDE)
        return bool(many) and not (self.has_leapt or self.system.axis or self.system.counts)

    def _propose(self, live: list[Name]) -> Direction | None:
        """A vector that may separate these rows; None when they had relations, which the face has now absorbed."""
        if not self.floats_mislead:
            circuits, direction = _guess(self.face, live)
            if direction is not None or self.face.absorb(circuits):
                return direction
        circuit, direction = _compute(self.face, live, self.tick)
        self.in_integers = True
        self.floats_mislead = bool(self.face.span)  # what is left of a large face is degenerate: floats go on to fail
        if direction is None:
            self.face.absorb([circuit])
        return direction

    def _try(self, direction: Direction) -> Outcome | None:
        """One pass over the data: the outcome if no row contradicts, else those that do join the working set."""
        found, boundary, clear = contradictions(self.face, direction, self.worst)
        if not found:
            return Outcome(self.face, direction, boundary, clear, self.in_integers, self.rows)
        self.system.known.saw(direction, len(found))
        self.floats_mislead |= all(name in self.rows for name in found)
        self.rows |= dict.fromkeys(found)
        return None


def _begin(system: System) -> tuple[Direction | None, dict[Name, None]]:
    """Rows to begin with, and a separating vector if that is cheap to have.

    Where a guess is costly, a perceptron goes ahead.
    """
    if system.n_columns <= WIDE or system.counts:
        return None, dict.fromkeys(system.names(_some(system)))
    likely = system.n_names <= 2 * system.n_columns  # to be separable, whatever the labels (Cover)
    names = system.names(_some(system))
    return system.walk(LONG if likely else SHORT, WALK), dict.fromkeys(names[:: 1 + len(names) // (10 * FEW)])


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
        Q = heard(qr, z[m:].T, tick=system.tick)[0][:, len(face.span) :]
        R = R @ Q
        length = np.linalg.norm(R, axis=1)
        R /= np.where(length > 0, length, 1)[:, None]
    try:
        b, weights = nearest_to_zero(R, system.tick)
        if b is None:
            return [[live[k] for k in circuit] for circuit in _disjoint(R, weights, system.tick)], None
        return [], scale.direction(b) if Q is None else inside(face, Q @ b, scale)
    except (RuntimeError, ArithmeticError, ValueError):
        return [], None  # the guess failed: whole numbers will do it


def _disjoint(R: Floats, weights: Floats, tick: Tell | None) -> Iterator[list[int]]:
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
        b, weights = nearest_to_zero(R[left], tick)
        if b is not None:
            return


def _compute(face: Face, live: list[Name], tick: Tell) -> tuple[list[Name], Direction | None]:
    """A relation or a separating vector of these rows, in whole numbers."""
    rows = face.system.matrix(live)
    t, weights = alternative(products(rows, face.vectors) if face.span else rows, tick=tick)
    if t is None:
        return [live[k] for k in weights], None
    _, scale = face.system.floats(live)
    return [], scale.sized(primitive(weighted_sum(t, face.vectors) if face.span else t))

"""The search for a verdict by guesses at the whole boundary: for many columns, many classes, and tables of factors.

``search`` finds the boundary N relation by relation, which is quick where one relation spans everything. Factors make
N of hundreds of small relations, and many columns make each of them dear. Here a turn is

1. guess all of N in a sample of the patterns by Newton's method (``newton``),
2. choose few rows of it that prove the rest (``spanning``), and have whole numbers confirm them (``faces``),
3. try the vector that gains on all other rows, orthogonal to those of N, on all data. Rows that contradict join the
   sample, and so do others that N does not explain yet.

Whatever is taken into the face is proved. Where floats cannot tell, or whole numbers do not confirm, the turns end
without an outcome, and ``search`` goes on from the face that was reached.
"""

from __future__ import annotations

import numpy as np

from .._engine.progress import Tell
from .faces import Face
from .hinge import touched_by
from .newton import BoundaryGuess, LossRows, boundary_of
from .nonnegative import heard, nearest_to_zero
from .passes import Floats, Indices
from .sample import Sample, Slice, fitting
from .spanning import spanning
from .system import Direction, Name
from .trial import Outcome, at_random, contradictions, inside, strangers

MIXED = 0.1  # share of rows that a perceptron still corrects, above which few will show that classes overlap
LARGEST = 3000  # columns beyond which a step of Newton's method takes seconds


class BoundarySearch:
    """The turns: the face reached so far, and the rows that must be in the next sample."""

    def __init__(self, face: Face, working: dict[Name, None], tick: Tell) -> None:
        self.face, self.system, self.tick = face, face.system, tick
        self.rows = dict(working)
        self.worst = max(400, 2 * self.system.n_columns)  # rows that join at a time
        self.is_mixed = (self.system.known.n_wrong or 0) > MIXED * self.system.patterns.size

    def run(self) -> Outcome | None:
        """Turn after turn; None where floats are not enough."""
        try:
            while not self.face.is_all:
                patterns = self._patterns()
                outcome, is_new = self._turn(Sample(self.system, patterns)) if patterns.size else self._rest()
                self.is_mixed = False
                if outcome is not None or not is_new:
                    return outcome
        except (RuntimeError, ArithmeticError, ValueError):
            return None  # the guess failed; what the face has taken in is true all the same
        return self._overlap()

    def _turn(self, sample: Sample) -> tuple[Outcome | None, bool]:
        """The outcome, if this turn finds it, and whether it has brought anything new."""
        Q = _complement(self.face, sample) if self.face.span else None
        part = sample.whole() if Q is None else sample.slice(Q)
        if not part.rows.exists.any():
            return self._rest()
        guess = None if part.is_large else boundary_of(part.rows, self.tick)
        is_whole = guess is not None
        guess = guess or touched_by(part.rows, self.tick)
        if guess is None or (guess.boundary.any() and not self._absorb(part, guess)):
            return None, False
        rest = part.rows.exists & ~guess.boundary
        if self.face.is_all or not rest.any() or (guess.boundary.any() and not is_whole):
            return None, True
        near = np.argsort(np.where(rest, part.rows.margins(guess.direction), np.inf), axis=None)
        self.rows |= dict.fromkeys(part.names(near[: min(self.worst, rest.sum())]))  # for who wants the margin
        b = guess.direction if Q is None else Q @ guess.direction
        return self._try(inside(self.face, b, sample.scale) if self.face.span else sample.scale.direction(b))

    def _rest(self) -> tuple[Outcome | None, bool]:
        """What is left where the face explains every pattern, as far as floats see."""
        found = strangers(self.face, [*self.rows, *self.face.span], self.worst)
        is_new = any(name not in self.rows for name in found)
        self.rows |= dict.fromkeys(found)
        return None if found else self._overlap(), is_new

    def _overlap(self) -> Outcome:
        return Outcome(self.face, None, None, False, False, self.rows)

    def _patterns(self) -> Indices:
        """The patterns of a sample: those that must be in it, and at random others that the face leaves free."""
        free = self.system.patterns
        if self.face.span:
            free = self.system.moved(at_random(self.face, self.system.floats(self.face.span)[1]))
        must = np.unique(np.array([i for i, _ in self.rows if i >= 0], np.int64))
        free = np.setdiff1d(free, must, assume_unique=True)
        count = max(fitting(self.system, self.is_mixed) - must.size, 0)
        if free.size > count:
            free = np.random.default_rng(0).choice(free, count, replace=False)
        return np.union1d(must, free)

    def _absorb(self, part: Slice, guess: BoundaryGuess) -> bool:
        """Prove that the rows of the guess are of N: by one relation if it spans them all, else by two."""
        places = np.flatnonzero(guess.boundary)
        chosen = spanning(part.rows, places, guess.weights.ravel()[places], self.tick)
        if chosen is None:
            return False
        basis, rest = chosen
        self.tick(f"whole numbers of {len(basis) + len(rest):,} rows", 0.0)
        few = [] if self.face.span else [*basis, *rest]
        circuit = list(part.names(few if len(rest) == 1 else _circuit(part.rows, few, self.tick) if few else []))
        if len(circuit) == len(basis) + 1 and self.face.absorb([circuit]):
            return True
        return self.face.absorb_spanning(part.names(rest), list(part.names(basis)), circuit)

    def _try(self, direction: Direction) -> tuple[Outcome | None, bool]:
        """The outcome if no row contradicts; else whether one does that is not in the sample, which all join."""
        found, boundary, clear = contradictions(self.face, direction, self.worst)
        if not found:
            return Outcome(self.face, direction, boundary, clear, False, self.rows), False
        self.system.known.saw(direction, len(found))
        is_new = any(name not in self.rows for name in found)
        self.rows |= dict.fromkeys(found)
        return None, is_new


def _complement(face: Face, sample: Sample) -> Floats:
    """An orthonormal basis of the vectors orthogonal to the span of the face, in the columns of the sample."""
    vectors = np.array([sample.scale.scaled(vector)[0] for vector in face.vectors]).T
    return np.asarray(heard(np.linalg.qr, vectors, tick=face.system.tick)[0])


def _circuit(rows: LossRows, places: list[int], tick: Tell) -> list[int]:
    """Few of the rows, with a positive relation that none of them can be left out of."""
    z = rows.dense(np.array(places))
    b, weights = nearest_to_zero(z / np.linalg.norm(z, axis=1)[:, None], tick)
    return [] if b is not None else [place for place, weight in zip(places, weights, strict=True) if weight > 0]

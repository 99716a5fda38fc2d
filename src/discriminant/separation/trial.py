"""A vector on trial: what a pass over the data says of it, and the verdict with what proves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .._engine.progress import Tell
from .faces import Face
from .integers import combined, whole
from .nonnegative import heard
from .passes import Floats, Indices
from .quick_check import BLOCK, Judge
from .rows import primitive
from .system import AXIS, Direction, Name, Scale, System


@dataclass(frozen=True)
class Narrow:
    """Independent columns of wide data: what holds for the rows with these features alone holds with all of them."""

    columns: list[int]  # features
    alone: list[int]  # those of them that no other feature depends on, as far as a prime shows
    outcome: Outcome


@dataclass(frozen=True)
class Merged:
    """Classes that are taken for one: the group of each class, and what is known of the groups."""

    groups: list[int]
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
    merged: Merged | None = None  # the same where some of the classes overlap in pairs, and others are left
    maximal: bool = True  # whether the boundary is known to be N; else it may be less, and the face is not all of it

    @property
    def verdict(self) -> str:
        """``complete``, ``quasi`` or ``overlap``."""
        if self.direction is None:
            return "overlap"
        return "complete" if self.boundary is not None and not self.boundary.size else "quasi"


def inside(face: Face, b: Floats, scale: Scale) -> Direction:
    """The vector of the kernel that is nearest to b."""
    columns, sizes = zip(*map(scale.scaled, face.vectors), strict=True)
    factors = _nearest(np.array(columns), b, face.system.tick).tolist()
    shares = whole([Fraction(factor) / size for factor, size in zip(factors, sizes, strict=True)])
    return scale.sized(primitive(combined(shares, face.vectors)))


def _nearest(vectors: Floats, b: Floats, tick: Tell | None) -> Floats:
    """The factors with which vectors add up to what is nearest to b; those alone in their one column need no search."""
    entries = vectors != 0
    column = entries.argmax(axis=1)
    alone = (entries.sum(axis=1) == 1) & (entries.sum(axis=0)[column] == 1)
    factors = np.zeros(len(vectors))
    factors[alone] = b[column[alone]] / vectors[alone, column[alone]]
    if not alone.all():
        factors[~alone] = heard(np.linalg.lstsq, vectors[~alone].T, b, tick=tick)[0]
    return factors


def contradictions(face: Face, direction: Direction, worst: int) -> tuple[list[Name], Indices, bool]:
    """Rows that are neither separated by b nor in the span, at most so many; the patterns with a row in the span.

    The third answer is whether floats were enough.
    """
    system = face.system
    found, doubtful, _ = system.judge(direction, worst)
    if not found and system.axis and system.side(AXIS, direction.b) <= 0 and face.outside([AXIS]):
        found = [AXIS]
    if found:
        return found, doubtful, True
    judge = Judge(system.table, system, direction.b)
    boundary: list[Indices] = []
    for part in parts(system, doubtful):
        for own, some, signs in judge.signs(part, system.own[part].astype(np.int64)):
            patterns = part[some]
            off = _outside(face, judge, patterns, own, signs == 0)
            found += names_of(system, patterns, own, (signs < 0) | off)
            boundary.append(patterns[((signs == 0) & ~off).any(axis=1)])
        if len(found) >= worst:
            break
    return found[:worst], np.sort(np.concatenate([*boundary, doubtful[:0]])), not doubtful.size


def parts(system: System, patterns: Indices, tick: Tell | None = None) -> Iterator[Indices]:
    """Some patterns at a time; between two, Ctrl-C and a limit of time are heard."""
    tick = tick or system.tick
    step = max(1, BLOCK // max(system.p, system.n_blocks))
    for k in range(0, patterns.size, step):
        if tick is not None:
            tick(f"{patterns.size:,} rows in whole numbers", k / patterns.size)
        yield patterns[k : k + step]


def _outside(face: Face, judge: Judge, patterns: Indices, own: int, asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For patterns of a class, which rows of those that are asked about lie outside the span, in whole numbers."""
    if not face.span:
        zero = np.array([face.system.is_zero((int(i), 0)) for i in patterns], bool)
        return np.asarray(asked & ~zero[:, None])
    off = np.zeros(asked.shape, bool)
    for places, rival, signs in judge.exact(patterns, own, asked, face.kernel):
        off[places, rival] |= signs.any(axis=1)
    return off


def names_of(system: System, patterns: Indices, own: int, chosen: NDArray[np.bool_]) -> list[Name]:
    """The rows of patterns of a class that are chosen by place and rival."""
    rivals = system.rivals(own)
    return [(int(patterns[i]), rivals[k]) for i, k in np.argwhere(chosen).tolist()]


def at_random(face: Face, scale: Scale) -> Direction:
    """A vector of the kernel that no row vanishes on by chance."""
    random = np.random.default_rng(0).normal(size=face.system.n_columns)
    return inside(face, random, scale) if face.span else scale.direction(random)


def strangers(face: Face, rows: Iterable[Name], worst: int) -> list[Name]:
    """Rows of the data that lie outside the span, at most so many: a vector at random moves them."""
    return strangers_to(face, at_random(face, face.system.floats([*rows])[1]), worst)


def strangers_to(face: Face, direction: Direction, worst: int) -> list[Name]:
    """The same, with a vector of the kernel that no row outside the span vanishes on, but by chance."""
    system = face.system
    opposite = Direction([-value for value in direction.b], -direction.floats, direction.unit)
    doubtful = system.patterns
    for turned in (direction, opposite):
        found, doubtful, _ = system.judge(turned, worst)
        if found:
            return found
    judge = Judge(system.table, system, direction.b)
    for part in parts(system, doubtful):
        for own in np.unique(system.own[part]).tolist():
            patterns = part[system.own[part] == own]
            everything = np.ones((patterns.size, len(system.rivals(own))), bool)
            found += names_of(system, patterns, own, _outside(face, judge, patterns, own, everything))
        if len(found) >= worst:
            break
    return found[:worst]

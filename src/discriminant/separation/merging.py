"""Many classes by pairs: classes that overlap are taken for one, and the rest is a question about fewer classes.

Where the rows of two classes have a relation that spans all patterns, no weak linear machine tells the two apart. A row
of class j against k has y in the block of j and -y in that of k, so that such a relation holds in the whole problem as
it stands. It is found in the p columns of a pair rather than in those of all blocks, and its numbers are small.

Trees of such pairs make groups of classes. Between the groups the same question is asked again. A relation found there
may leave sums in the blocks of a group that only cancel each other together. For each pair of the tree, the sum of the
blocks on one side of it is a combination of the pair's rows, which moves it to the other side.

Tests: ``tests/separation/test_merging.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import lcm
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .._engine.progress import Tell
from .aliases import outside
from .faces import Face, added
from .integers import coordinates
from .passes import Floats, Indices
from .rows import Integers, Matrix
from .system import Direction, Name, System
from .trial import Merged, Outcome

NARROW = 30  # columns up to which a pair is settled within about a hundredth of a second
LARGE = 20_000  # patterns of a class


class Pair(NamedTuple):
    """Two classes whose relations span all patterns, and which patterns of the whole are theirs."""

    one: int
    other: int  # the class of the rows z = y
    outcome: Outcome
    patterns: Indices

    def whole(self, weights: dict[Name, int]) -> dict[Name, int]:
        """Weights on rows of the pair as those on rows of the whole."""
        classes = self.one, self.other
        return {(int(self.patterns[i]), classes[rival]): weight for (i, rival), weight in weights.items()}

    def balancing(self, total: Integers) -> tuple[int, dict[Name, int]]:
        """A multiple of the total, and weights >= 0 with which rows of the whole add up to minus so much of it.

        That is, in the block of ``other``; in that of ``one`` it is the multiple itself.
        """
        face = self.outcome.face
        ((q, share),) = coordinates(face.system.matrix(face.span), [total], face.system.tick)
        weights = {name: -w * face.system.multiple(name) for name, w in zip(face.span, share, strict=True)}
        return q, self.whole(face.lifted(weights))


def may_merge(system: System) -> bool:
    """Whether there are more than two classes, and so few columns that pairs are settled quickly."""
    return system.n_groups > 2 and system.p <= NARROW and not system.axis


def by_merging(system: System, decide: Callable[[System], Outcome], tick: Tell) -> Outcome | None:
    """The outcome by way of pairs that overlap; None where there are none. ``decide`` settles a smaller problem."""
    face, pairs = Face(system), []
    for pair in _overlapping(system, decide, tick):
        pairs.append(pair)
        face.span += pair.whole(dict.fromkeys(pair.outcome.face.span, 1))
        for weights in pair.outcome.face.relations:
            face.keep(pair.whole(weights))
    if not pairs:
        return None
    groups = Groups(system, pairs)
    in_integers = any(pair.outcome.in_integers for pair in pairs)
    if groups.count == 1:
        face.vectors = groups.vanishing()
        return Outcome(face, None, None, False, in_integers, dict.fromkeys(face.span))
    smaller = groups.system()
    found = decide(smaller)
    system.passes += smaller.passes
    groups.lift(found.face, face)
    boundary = found.boundary
    if boundary is not None:
        boundary = np.union1d(boundary, np.flatnonzero(np.isin(system.own, [k for pair in pairs for k in pair[:2]])))
    return Outcome(
        face,
        None if found.direction is None else groups.direction(found.direction),
        boundary,
        False,
        in_integers or found.in_integers,
        {groups.name(name): None for name in found.working},
        merged=groups.merged(found),
    )


def _overlapping(system: System, decide: Callable[[System], Outcome], tick: Tell) -> Iterator[Pair]:
    """Pairs that join classes to groups, the nearest first, until as many as there are classes failed."""
    group, collinear = np.arange(system.n_groups), Collinear(system)
    failed = 0
    for one, other, patterns in nearest_pairs(system):
        if group[one] == group[other]:
            continue
        tick(f"pairs of classes, {np.unique(group).size:,} left apart", 0.0)
        outcome = decide(pair_of(system, other, patterns))
        if outcome.direction is None and collinear.vanish(outcome.face, tick):
            yield Pair(one, other, outcome, patterns)
            group[group == group[other]] = group[one]
        else:
            failed += 1
        if failed > system.n_groups or not (group - group[0]).any():
            return


class Collinear:
    """Whether vectors vanish on all patterns of the data, which none but those of collinear columns do."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.most, self.too_many = 0, system.p + 1  # as many vanish, as far as is known; with so many, not all do

    def vanish(self, face: Face, tick: Tell) -> bool:
        """Whether the vectors orthogonal to the rows of two classes that overlap do."""
        if not face.span:
            return False  # zero rows, of which nothing is known
        count = 0 if face.is_all else len(face.vectors)
        if self.most < count < self.too_many:
            if outside(self.system, self.system.patterns, face.vectors, tick).size:
                self.too_many = count
            else:
                self.most = count
        return count <= self.most


def pair_of(system: System, other: int, patterns: Indices) -> System:
    """The problem of two classes with these patterns alone; the other one has the rows z = y."""
    own = (system.own[patterns] == other).astype(system.own.dtype)
    return System(system.X[patterns], own, 2, bool(system.intercept), system.table.reading, tick=system.tick)


def nearest_pairs(system: System) -> Iterator[tuple[int, int, Indices]]:
    """Pairs of classes, by the distance of their means over the deviations within classes, with their patterns.

    Of large classes it is some of the patterns: what overlaps there overlaps.
    """
    present = np.unique(system.own[system.own >= 0]).tolist()  # a class may have no pattern left
    members = {k: np.flatnonzero(system.own == k) for k in present}
    members = {k: some[:: 1 + some.size // LARGE] for k, some in members.items()}
    with np.errstate(all="ignore"):  # of huge numbers any order will do
        moments = np.array([_moments(system, some) for some in members.values()])
        deviation = np.sqrt(moments[:, 1].mean(axis=0))
        means = moments[:, 0] / np.where(deviation > 0, deviation, 1)
        i, j = np.triu_indices(len(present), 1)
        apart = ((means[i] - means[j]) ** 2).sum(axis=1)
    for k in np.argsort(apart, kind="stable"):
        one, other = present[i[k]], present[j[k]]
        yield one, other, np.sort(np.concatenate([members[one], members[other]]))


def _moments(system: System, patterns: Indices) -> tuple[Floats, Floats]:
    x = system.X[patterns]
    x = (x.toarray() if sparse.issparse(x) else x).astype(np.float64)
    return x.mean(axis=0), x.var(axis=0)


class Groups:
    """Classes joined by a forest of pairs: what holds for the groups as what holds for the classes."""

    def __init__(self, system: System, pairs: list[Pair]) -> None:
        self.whole, self.pairs = system, pairs
        self.beside: list[list[int]] = [[] for _ in range(system.n_groups)]  # the classes of the pairs of each class
        for pair in pairs:
            self.beside[pair.one].append(pair.other)
            self.beside[pair.other].append(pair.one)
        sides = [self._side(k) for k in range(system.n_groups)]
        self.first = sorted({min(side) for side in sides})  # the class that stands for its group, by group
        self.of = [self.first.index(min(side)) for side in sides]  # by class
        self.count = len(self.first)

    def _side(self, k: int, without: int | None = None) -> set[int]:
        """The classes that pairs join to a class; without one of its pairs, those on its side of it."""
        found, new = {k}, [k]
        while new:
            at = new.pop()
            beyond = [j for j in self.beside[at] if j not in found and not (at == k and j == without)]
            found.update(beyond)
            new += beyond
        return found

    def system(self) -> System:
        """The question for the groups."""
        whole = self.whole
        own = np.where(whole.own < 0, -1, np.array(self.of)[whole.own]).astype(whole.own.dtype)
        return System(whole.X, own, self.count, bool(whole.intercept), whole.table.reading, tick=whole.tick)

    def merged(self, found: Outcome) -> Merged:
        """The groups with their outcome, or those that these were merged to in their turn."""
        if found.merged is None:
            return Merged(self.of, found)
        return Merged([found.merged.groups[k] for k in self.of], found.merged.outcome)

    def name(self, name: Name) -> Name:
        """A row of a group as that of a class."""
        return name[0], self.first[name[1]]

    def vector(self, b: Integers) -> Integers:
        """A vector with the same block for every class of a group."""
        p = self.whole.p
        blocks = [[0] * p, *(b[k : k + p] for k in range(0, len(b), p))]
        return [value for k in self.of[1:] for value in blocks[k]]

    def vanishing(self) -> Matrix:
        """Vectors that vanish on all patterns, for each class but those that stand for groups in its own block."""
        p, face = self.whole.p, self.pairs[0].outcome.face
        found = []
        for k in sorted(set(range(self.whole.n_groups)).difference(self.first)):
            for vector in [] if face.is_all else face.vectors:
                block = [0] * self.whole.n_columns
                block[(k - 1) * p : k * p] = vector
                found.append(block)
        return found

    def direction(self, found: Direction) -> Direction:
        """The same for a direction."""
        blocks = np.concatenate([np.zeros(self.whole.p), found.floats]).reshape(self.count, -1)
        return Direction(self.vector(found.b), blocks[self.of[1:]].ravel(), found.unit)

    def lift(self, found: Face, face: Face) -> None:
        """Add what is known of N for the groups to the face of the pairs."""
        n = found.system.n_columns
        vectors = found.vectors if found.span else np.eye(n, dtype=int).tolist()
        face.span += map(self.name, found.span)
        face.vectors = [*map(self.vector, vectors), *self.vanishing()]
        for weights in found.relations:
            face.keep(self._relation({self.name(name): weight for name, weight in weights.items()}))

    def _relation(self, weights: dict[Name, int]) -> dict[Name, int]:
        """Weights with which rows add up to zero in the blocks of each group together, balanced in every block."""
        system = self.whole
        patterns = {i: system.table.augmented(i, bool(system.intercept)) for i, _ in weights}
        most = max(q for _, q in patterns.values())  # all are powers of one number
        totals = np.zeros((system.n_groups, system.p), object)
        for (i, rival), weight in weights.items():
            y, q = patterns[i]
            moved = weight * (most // q) * np.array(y, object)
            totals[system.own[i]] += moved
            totals[rival] -= moved
        parts = []
        for pair in self.pairs:
            total = totals[sorted(self._side(pair.other, pair.one))].sum(axis=0)
            parts += [pair.balancing(total.tolist())] if total.any() else []
        common = lcm(*(q for q, _ in parts))
        found = {name: common * most * weight for name, weight in weights.items()}
        for q, part in parts:
            found = added(found, {name: common // q * weight for name, weight in part.items()})
        return found

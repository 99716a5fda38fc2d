"""What is known of N, the rows that vanish on every b with Zb >= 0: a face of the cone of all such b."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import compress
from math import gcd

import numpy as np

from .integers import combined, coordinates, kernel, pivots, products, rank, relation
from .lifting import Solution
from .quick_check import Vectors
from .rows import Integers, Matrix
from .system import Name, System

BITS = 24  # of the weights that are chosen freely


@dataclass
class Face:
    """What is known of N: rows that span it so far, the vectors orthogonal to them, and the relations among them."""

    system: System
    span: list[Name] = field(default_factory=list)  # independent
    vectors: Matrix = field(default_factory=list)  # of the kernel; not kept while it is everything
    weights: dict[Name, int] = field(default_factory=dict)  # the sum of all relations
    relations: list[dict[Name, int]] = field(default_factory=list)
    inside: set[Name] = field(default_factory=set)  # rows that were seen to lie in the span
    _kernel: tuple[Matrix, list[Vectors]] | None = None

    @property
    def is_all(self) -> bool:
        """Whether the span is the whole space, so that no b is left."""
        return len(self.span) >= self.system.n_columns

    def absorb(self, circuits: list[list[Name]]) -> bool:
        """Take in sets of rows that have a positive relation modulo the span; False when none of them has one."""
        found = self._independent([weights for names in circuits if (weights := self._relation(names))])
        span = self.span
        shares: list[Solution] = [(1, []) for _ in found]
        if span:
            shares = coordinates(self.system.matrix(span), [self.total(weights) for weights in found], self.system.tick)
        self.extend([name for weights in found for name in list(weights)[1:]])
        for weights, (q, share) in zip(found, shares, strict=True):
            old = {name: -w * self.system.multiple(name) for name, w in zip(span, share, strict=True)}
            new = {name: q * w * self.system.multiple(name) for name, w in weights.items()}
            self.keep(added(new, self.lifted(old)))
        return bool(found)

    def absorb_spanning(self, rest: dict[Name, float], basis: list[Name], circuit: list[Name]) -> bool:
        """Take in rows with a positive relation modulo the span, which ``basis`` makes larger.

        ``rest`` have about these weights; those of the basis and of the span follow. The basis must have positive ones,
        else the answer is False; those of the span are lifted. A circuit, few of the rows that have a relation of their
        own, is told first.
        """
        multiple = {name: self.system.multiple(name) for name in [*rest, *basis, *self.span]}
        given = dict(zip(rest, _rounded([weight / multiple[name] for name, weight in rest.items()]), strict=True))
        rows = self.system.matrix([*basis, *self.span])
        total = self.total(given) if given else [0] * self.system.n_columns
        try:
            ((q, share),) = coordinates(rows, [total], self.system.tick)
        except ZeroDivisionError:
            return False  # floats took rows for independent that are not
        if max(share[: len(basis)]) >= 0 or combined(share, rows) != [q * value for value in total]:
            return False
        new = {name: q * weight * multiple[name] for name, weight in given.items()}
        new |= {name: -w * multiple[name] for name, w in zip(basis, share, strict=False)}
        old = {name: -w * multiple[name] for name, w in zip(self.span, share[len(basis) :], strict=True)}
        first = self._relation(circuit) if circuit else {}
        self.extend(basis)
        if first:
            self.keep({name: w * multiple[name] for name, w in first.items()})
        self.keep(added(new, self.lifted(old)))
        return True

    def _relation(self, names: list[Name]) -> dict[Name, int]:
        """Positive weights with which multiples of some rows add up to a vector of the span, if there are any."""
        rows = self.system.matrix(names)
        found = relation(products(rows, self.vectors) if self.span else rows, self.system.tick)
        if found is None:
            return {}
        found = [-w for w in found] if min(found) < 0 else found
        return {} if min(found) < 0 else {name: w for name, w in zip(names, found, strict=True) if w}

    def _independent(self, found: list[dict[Name, int]]) -> list[dict[Name, int]]:
        """The relations of which all rows but one make the span larger: so a proof has at most two rows a dimension.

        The others will come again, with fewer rows, once the span has grown.
        """
        if len(found) < 2:
            return found
        rests = [list(weights)[1:] for weights in found]
        names = [*self.span, *(name for rest in rests for name in rest)]
        grow = {names[k] for k in pivots(self.system.matrix(names), self.system.tick)}
        return [weights for weights, rest in zip(found, rests, strict=True) if grow.issuperset(rest)]

    def total(self, weights: dict[Name, int]) -> list[int]:
        """The weighted sum of these multiples of rows."""
        return combined(list(weights.values()), self.system.matrix(weights))

    def lifted(self, old: dict[Name, int]) -> dict[Name, int]:
        """Weights with so much of the earlier relations added that none is negative."""
        lift = max((-(w // self.weights[name]) for name, w in old.items() if w < 0), default=0)
        lifted = {name: w + lift * self.weights[name] for name, w in old.items()}
        rest = {name: lift * w for name, w in self.weights.items()} if lift else {}
        return {name: w for name, w in (rest | lifted).items() if w}

    def keep(self, weights: dict[Name, int]) -> None:
        """Keep a relation."""
        divisor = gcd(*weights.values())
        weights = {name: w // divisor for name, w in weights.items()}
        self.relations.append(weights)
        self.system.known.related(weights)
        self.weights = added(self.weights, weights)

    def extend(self, names: list[Name]) -> None:
        """Make the span larger by independent rows of N."""
        if names:
            span = [*self.span, *names]
            self.vectors = (
                kernel(self.system.matrix(span), self.system.tick) if len(span) < self.system.n_columns else []
            )
            self.span = span

    def outside(self, names: Iterable[Name]) -> list[Name]:
        """The rows that do not lie in the span."""
        if not self.span:
            return [name for name in names if not self.system.is_zero(name)]
        names = [name for name in names if name not in self.inside]
        moved = products(self.system.matrix(names), self.vectors)
        found = [name for name, row in zip(names, moved, strict=True) if any(row)]
        self.inside.update(set(names).difference(found))
        return found

    def beside(self, b: Integers) -> Matrix:
        """Vectors of the kernel that make a basis of it with b; all of them where b is zero."""
        n = len(b)
        vectors = self.vectors if self.span else [[int(j == k) for j in range(n)] for k in range(n)]
        if not any(b):
            return vectors
        movers: list[Integers] = [[] for _ in b]
        for k, vector in enumerate(vectors):
            for j in compress(range(len(b)), vector):
                movers[j].append(k)
        alone = [some[0] for value, some in zip(b, movers, strict=True) if value and len(some) == 1]
        for k in [min(alone)] if alone else range(len(vectors)):  # only vector k moves a column, as b does
            others = [*vectors[:k], *vectors[k + 1 :]]
            if alone or rank([b, *others]) == len(vectors):
                return others
        return vectors

    def within(self, system: System) -> Face:
        """The same face for a system of more rows, where every relation still holds."""
        return Face(system, list(self.span), self.vectors, dict(self.weights), list(self.relations))

    @property
    def kernel(self) -> list[Vectors]:
        """The vectors, ready for exact products with many rows."""
        if self._kernel is None or self._kernel[0] is not self.vectors:
            self._kernel = self.vectors, Vectors.by_size(self.vectors, self.system)
        return self._kernel[1]


def added(some: dict[Name, int], others: dict[Name, int]) -> dict[Name, int]:
    """The sum of weights by name."""
    return {name: some.get(name, 0) + others.get(name, 0) for name in {**some, **others}}


def _rounded(weights: list[float]) -> list[int]:
    """Whole numbers in about the same proportion, each to so many bits."""
    parts = [np.frexp(weight) for weight in weights]
    least = min((int(exponent) for _, exponent in parts), default=0)
    return [int(np.ldexp(mantissa, BITS)) << (int(exponent) - least) for mantissa, exponent in parts]

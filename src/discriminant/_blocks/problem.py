"""A problem whose rows come in blocks, with what a rule asks of a problem that is not about single rows.

Tests: ``tests/base/test_streams.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.problem import Most, Problem, exact, make_problem
from ..multiclass import relabel
from .blocks import Block, Blocks, OrderedBlocks, Part, added, named
from .roles import Roles


@dataclass(frozen=True)
class Outline:
    """What is known of blocks without their rows: how many, of which classes."""

    blocks: Blocks
    n_rows: int
    n_classes: int = 2
    n_present: int = 0  # rows of positive weight, where that is counted

    streamed: ClassVar[bool] = True

    @property
    def n_features(self) -> int:
        return self.blocks.n_features

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.blocks.dtype

    @property
    def n_outputs(self) -> int:
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, self.n_features

    @property
    def source(self) -> Outline:
        """What stands for X where only its shape is asked for."""
        return self

    @property
    def entries(self) -> int:
        """More numbers than anybody holds in memory."""
        return sys.maxsize

    def refuse(self) -> ValueError:
        """The error for sums that are not finite although all rows are."""
        return ValueError(
            f"X overflows: products of its entries are not finite in {self.dtype}; divide the features by their size, "
            "for instance with StandardScaler."
        )

    def zeros(self) -> NDArray[Any]:
        return np.zeros((self.n_outputs, self.n_features + 1), self.dtype)


@dataclass(frozen=True)
class StreamedProblem(Outline):
    """A problem for rules that look at one row after the other: its portions are problems with the rows of a block.

    ``heaviest`` is the largest weight of a row, 0 where there are none; ``strategy`` and ``place`` tell which problem
    of two categories it is, where it is one of several.
    """

    roles: Roles | None = None  # None: y are values, not labels
    heaviest: float = 0.0
    strategy: str = ""
    place: int = 0

    @property
    def n_outputs(self) -> int:
        return 1 if self.strategy else super().n_outputs

    @property
    def spread(self) -> bool:
        """Whether the blocks are passed over at the same time, by machines that see some of them each."""
        return not self.blocks.in_order

    def portions(self) -> Iterator[Problem]:
        """One pass over the blocks, in their order."""
        for block in cast(OrderedBlocks, self.blocks):
            try:
                portion = self.portion(block)
            except ValueError as error:
                raise named(error, block.name) from None
            yield portion

    def total(self, part: Part, watch: Watch, *args: Any) -> tuple[Any, ...]:
        """``part(portion, watch, *args)`` of all portions, added entry by entry: one pass, or one round."""
        if self.spread:
            return self.blocks.total(of_portion, replace(self, blocks=cast(Blocks, None)), part, args)
        total: tuple[Any, ...] | None = None
        for portion in self.portions():
            found = part(portion, watch, *args)
            total = found if total is None else added(total, found)
        assert total is not None  # no blocks are refused by who gives them
        return total

    def portion(self, block: Block) -> Problem:
        if self.roles is None:
            labels, v, c = np.zeros(block.n_rows, np.int32), block.v, 2
        else:
            labels, c = block.labels(self.roles.classes), self.roles.classes.size
            v = self.roles.weighted(labels, block.v)
        if v is not None and not v.any():  # make_problem refuses a table of such rows alone
            labels, v = np.full(labels.size, -1, np.int32), None
        portion = replace(make_problem(block.X, labels, v, c), name=block.name, heaviest=self.heaviest)
        if self.strategy:
            portion = portion.relabelled(relabel(portion.labels, c, self.strategy)[self.place])
        return portion

    def split(self, n_classes: int, strategy: str) -> list[StreamedProblem]:
        count = n_classes if strategy == "one-vs-rest" else n_classes * (n_classes - 1) // 2
        return [replace(self, strategy=strategy, place=k) for k in range(count)]

    def weighted(self, factors: NDArray[np.float64], heaviest: float) -> StreamedProblem:
        """The same with weights of the classes."""
        assert self.roles is not None
        return replace(self, roles=self.roles._replace(factors=factors), heaviest=heaviest)

    @property
    def weight(self) -> NDArray[Any]:
        """What stands for the weights where it is only asked whether there are any."""
        return np.full(1 if self.heaviest else 0, self.heaviest, self.dtype)

    def squared_radius(self) -> float:
        return float(self.total(_radius_part, self.blocks.watch)[0].value)

    def exact(self, start: NDArray[Any], additions: int, eta: float, bias: float) -> bool:
        return exact(self, start, additions, eta, bias)


def of_portion(block: Block, problem: StreamedProblem, part: Part, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """``part`` of the problem of one block; what it refuses is said with the name of the block elsewhere."""
    found: tuple[Any, ...] = part(replace(problem.portion(block), name=""), Watch(), *args)
    return found


def _radius_part(problem: Problem, watch: Watch) -> tuple[Most]:
    return (Most(problem.squared_radius()),)

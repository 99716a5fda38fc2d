"""Which rows of a block take part in a problem, as which class, and with which weight.

Tests: ``tests/_blocks/test_blocks.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .blocks import Block


class Roles(NamedTuple):
    """All classes, and the weight of each where they have some; of two categories, the positive class and its rival.

    Without a rival the positive class is held against the rest.
    """

    classes: NDArray[Any]
    factors: NDArray[np.float64] | None = None
    positive: int | None = None
    rival: int | None = None

    def weighted(self, own: NDArray[np.int32], v: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """The weights of rows of these classes, times those of the classes; None where all are one."""
        if self.factors is None:
            return v
        return self.factors[own] if v is None else self.factors[own] * v

    def of(self, block: Block) -> tuple[Any, NDArray[np.int32], NDArray[np.float64] | None]:
        """X, the classes and the weights (None: 1) of the rows that take part: those of positive weight."""
        own = block.labels(self.classes)
        v = self.weighted(own, block.v)
        part = np.ones(own.size, bool) if v is None else v > 0
        if self.rival is not None:
            part &= (own == self.positive) | (own == self.rival)
        if self.positive is not None:
            own = (own == self.positive).astype(np.int32)
        if part.all():
            return block.X, own, v
        kept = np.flatnonzero(part)
        return block.X[kept], own[kept], None if v is None else v[kept]

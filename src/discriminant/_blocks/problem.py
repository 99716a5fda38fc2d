"""A problem whose rows come in blocks, with what a rule asks of a problem that is not about single rows.

Tests: ``tests/_blocks/test_problem.py``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blocks import Blocks


@dataclass(frozen=True)
class Outline:
    """What is known of blocks without their rows: how many, of which classes."""

    blocks: Blocks
    n_rows: int
    n_classes: int = 2
    n_present: int = 0  # rows of positive weight, where that is counted

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

"""Patterns that aim at values and come in blocks of rows: what one pass over them tells a rule that lowers ‖Ya − t‖².

Tests: ``tests/base/test_streams.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._blocks.blocks import Block
from .._blocks.problem import StreamedProblem
from .._engine import linalg
from .._engine.driver import Watch
from .._engine.moments import moments
from .._engine.problem import Problem
from ..base.expansion import DIRECT, step_by_scatter
from .aimed_patterns import SMALL, AimedPatterns, AimedProblem, length_of
from .on_blocks import RowMoments, values_of


@dataclass(frozen=True)
class AimedStream(StreamedProblem):
    """Blocks whose rows aim at +1 and −1 for the classes, or at the values y where there are none."""

    def _portion(self, block: Block) -> Problem:
        portion = super()._portion(block)
        targets = values_of(block) if self.roles is None else np.where(portion.labels == 1, 1.0, -1.0)
        return AimedProblem.at(targets, portion)


class StreamedPatterns:
    """The patterns of all blocks, measured in one pass; what else is asked takes another, once."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.largest_norm, self.trace, self.at_zero = 0.0, 0.0, 0.0
        target, longest, pull = 0.0, 0.0, np.zeros(problem.n_features + 1)
        for patterns in self.portions():
            t = patterns.aims.t.astype(np.float64)
            self.largest_norm = max(self.largest_norm, patterns.largest_norm)
            self.trace += patterns.trace
            self.at_zero += float(np.sum(patterns.weight * t**2))
            reach = patterns.reach
            target, longest = max(target, reach[0]), max(longest, reach[1])
            pull += patterns.Y.T @ (patterns.weight * t)
        self.reach, self.goal = (target, longest), length_of(pull)

    def portions(self) -> Iterator[AimedPatterns]:
        return (AimedPatterns(portion) for portion in self.problem.portions())

    @cached_property
    def _moments(self) -> RowMoments:
        found: RowMoments | None = None
        for patterns in self.portions():
            if not patterns.weight.any():
                continue
            weight = np.asarray(patterns.weight, np.float64)
            m = moments(patterns.Y.X, np.empty((weight.size, 0)), weight)
            part = RowMoments(**vars(m), n_rows=weight.size)
            found = part if found is None else found + part
        assert found is not None
        return found

    def fall(self, a: NDArray[Any], gradient: NDArray[Any], watch: Watch) -> tuple[float, float]:
        """By how much J = ‖Ya − t‖² can still fall, when Yᵗ(t − Ya) is this, and J(0).

        For very many columns nothing is promised, and such a fit goes on to the end of its passes.
        """
        if gradient.size - 1 > DIRECT:
            return np.inf, self.at_zero
        g = -gradient.astype(np.float64)  # half of the gradient, as the moments are half of the Hessian
        step, _ = step_by_scatter(self._moments, g, float(np.finfo(self.problem.dtype).eps))
        return float(g @ step), self.at_zero

    def largest_eigenvalue(self, watch: Watch | None) -> float:
        """λ_max(YᵗY), which must be finite."""
        d = self.problem.n_features + 1
        if d <= SMALL:
            m = self._moments
            y = np.append(1.0, m.mean)
            gram = m.total * np.outer(y, y)
            gram[1:, 1:] += m.scatter
            largest = linalg.largest_eigenvalue(gram, d)
        else:
            largest = linalg.largest_eigenvalue(self._times, d, 1e-6 if self.problem.dtype == np.float64 else 1e-4)
        if not np.isfinite(largest):
            raise self.problem.refuse()
        return float(largest)

    def _times(self, v: NDArray[Any]) -> NDArray[Any]:
        total = np.zeros(v.size)
        for patterns in self.portions():
            total += patterns.Y.T @ (patterns.weight * (patterns.Y @ v))
        return total

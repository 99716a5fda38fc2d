"""Patterns that aim at values and come in blocks of rows: what one pass over them tells a rule that lowers ‖Ya − t‖².

Tests: ``tests/base/test_streams.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from .._engine.problem import Most, Problem
from ..base.expansion import DIRECT, step_by_scatter
from .aimed_patterns import SMALL, AimedPatterns, AimedProblem, length_of
from .on_blocks import RowMoments, values_of
from .widrow_hoff_parameters import StepTotals


@dataclass(frozen=True)
class AimedStream(StreamedProblem):
    """Blocks whose rows aim at +1 and −1 for the classes, or at the values y where there are none."""

    def portion(self, block: Block) -> Problem:
        portion = super().portion(block)
        targets = values_of(block) if self.roles is None else np.where(portion.labels == 1, 1.0, -1.0)
        return AimedProblem.at(targets, portion)


class StreamedPatterns:
    """The patterns of all blocks, measured in one pass; what else is asked takes another, once."""

    def __init__(self, problem: Any, watch: Watch) -> None:
        self.problem, self.watch, self.spread = problem, watch, problem.spread
        largest, self.trace, self.at_zero, target, longest, pull = self.total(_measures, watch)
        self.largest_norm, self.reach, self.goal = largest.value, (target.value, longest.value), length_of(pull)

    def portions(self) -> Iterator[AimedPatterns]:
        return (AimedPatterns(portion) for portion in self.problem.portions())

    def total(self, part: Callable[..., tuple[Any, ...]], watch: Watch, *args: Any) -> tuple[Any, ...]:
        """``part(patterns, watch, *args)`` of all portions, added entry by entry."""
        total: tuple[Any, ...] = self.problem.total(_of_patterns, watch, part, args)
        return total

    @cached_property
    def _moments(self) -> RowMoments:
        found: RowMoments = self.total(_moments_part, self.watch)[0]
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
        return np.asarray(self.total(_product_part, self.watch, v)[0])


def summed_steps(patterns: Any, watch: Watch, rule: Any) -> tuple[StepTotals, NDArray[Any]]:
    """What a rule meets on all patterns, and the sum of its steps of length one along them."""
    total, visits, changes, errors, criterion, longest, worst = patterns.total(_steps_part, watch, rule)
    return StepTotals(visits, changes, errors, criterion, longest.value, worst.value), total


def _steps_part(patterns: AimedPatterns, watch: Watch, rule: Any) -> tuple[Any, ...]:
    total = np.zeros_like(rule.A)
    met: StepTotals = rule.through(patterns, watch, total)
    return total, *met[:4], Most(met.longest), Most(met.worst)


def _of_patterns(portion: Any, watch: Watch, part: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return part(AimedPatterns(portion), watch, *args)


def _measures(patterns: AimedPatterns, watch: Watch) -> tuple[Most, float, float, Most, Most, NDArray[np.float64]]:
    """The largest w‖y‖² and their sum, the sum of wt², the largest |t| and ‖y‖, and Yᵗt."""
    t = patterns.aims.t.astype(np.float64)
    target, longest = patterns.reach
    pull = np.asarray(patterns.Y.T @ (patterns.weight * t), np.float64)
    squares = float(np.sum(patterns.weight * t**2))
    return Most(patterns.largest_norm), patterns.trace, squares, Most(target), Most(longest), pull


def _moments_part(patterns: AimedPatterns, watch: Watch) -> tuple[RowMoments]:
    weight = np.asarray(patterns.weight, np.float64)
    if not weight.any():
        return (RowMoments.of_none(patterns.problem.n_features, 0, weight.size),)
    m = moments(patterns.Y.X, np.empty((weight.size, 0)), weight)
    return (RowMoments(**vars(m), n_rows=weight.size),)


def _product_part(patterns: AimedPatterns, watch: Watch, v: NDArray[Any]) -> tuple[NDArray[np.float64]]:
    return (np.asarray(patterns.Y.T @ (patterns.weight * (patterns.Y @ v)), np.float64),)

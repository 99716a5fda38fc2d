"""Support vector machines for all problems of two classes that a fit is made of, each by the solver that suits it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import mercer
from .._engine.driver import Interrupted, Watch
from .._engine.problem import Problem
from ..solution import Status
from .kernel import Surfaces
from .linear import Vector, plane
from .problems import Machine, Parts, Settings, Sides
from .small_pairs import SmallPairs


def machines(
    settings: Settings,
    kernel: mercer.Kernel,
    whole: tuple[Problem, NDArray[Any]],
    parts: Parts,
    before: list[Machine | None],
    watch: Watch,
) -> Iterator[Machine]:
    """Solve the parts of the problem and its classes, from what was found for another C."""
    problem, quick = whole[0], None
    prices, linear = settings.prices(problem), isinstance(kernel, mercer.Linear)
    if SmallPairs.serves(settings, parts):
        quick = SmallPairs(settings, kernel, problem, parts).machines(before)
    surfaces: Surfaces | None = None
    for (rows, z), past in zip(parts, before, strict=True):
        sides = Sides(rows, z, prices[rows])
        try:
            watch.check()
            found = None if quick is None else next(quick)
            if found is None and linear:
                found = plane(settings, whole, sides, past, watch)
            elif found is None:
                surfaces = surfaces or Surfaces(settings, kernel, problem.source, watch)
                found = surfaces.machine(sides, past)
        except Interrupted:
            found = untouched(problem.n_features if linear else 0, sides.C, past)
        yield found


def untouched(width: int, C: Vector, past: Machine | None) -> Machine:
    """Give what is known of a problem that Ctrl-C has left no time for: the machine for another C, or w = 0."""
    if past is not None:
        return past._replace(status=Status.STOPPED)
    return Machine(np.zeros(C.size), np.zeros(1 + width), 0.0, float(C.sum()), 1.0, 2.0, 0, Status.STOPPED, [])

"""Support vector machines for all problems of two classes that a fit is made of, each by the solver that suits it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from . import mercer
from ._driver import Watch
from ._problem import Problem
from ._svm_pairs import SmallPairs
from ._svm_parts import Parts
from ._svm_planes import Machine, Settings, Sides, plane
from ._svm_surfaces import Surfaces


def machines(
    settings: Settings,
    kernel: mercer.Kernel,
    whole: tuple[Problem, NDArray[Any]],
    parts: Parts,
    before: list[Machine | None],
    watch: Watch,
) -> Iterator[Machine]:
    """Solve the parts of the problem and its classes, from what was found for another C."""
    problem, surfaces, quick = whole[0], None, None
    prices = settings.prices(problem)
    if SmallPairs.serves(settings, parts):
        quick = SmallPairs(settings, kernel, problem, parts).machines(before)
    for (rows, z), past in zip(parts, before, strict=True):
        found = None if quick is None or watch.interrupted else next(quick)
        if found is None:
            sides = Sides(rows, z, prices[rows])
            if isinstance(kernel, mercer.Linear):
                found = plane(settings, whole, sides, past, watch)
            else:
                surfaces = surfaces or Surfaces(settings, kernel, problem.source, watch)
                found = surfaces.machine(sides, past)
        yield found

"""Which pairs of pattern and rival class b separates: a pattern may beat one rival and tie with another.

The pairs are the rows z of Kesler's construction.

Tests: ``tests/separation/test_words.py``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .quick_check import Judge
from .system import Direction, System
from .trial import parts


def separated_pairs(system: System, direction: Direction | None) -> NDArray[np.bool_]:
    """For each pattern and class whether zb > 0."""
    found = np.zeros((system.n, system.n_groups), bool)
    if direction is None:
        return found
    judge = Judge(system.table, system, direction.b)
    for part in parts(system, system.patterns):
        for own, some, signs in judge.signs(part, system.own[part].astype(np.int64)):
            found[part[some][:, None], np.array(system.rivals(own))] = signs > 0
    return found

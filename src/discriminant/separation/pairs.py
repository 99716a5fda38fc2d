"""Which pairs of pattern and rival class b separates: a pattern may beat one rival and tie with another.

The pairs are the rows z of Kesler's construction. A bound on the rounding error decides most of them; the patterns that
it leaves in doubt are decided in whole numbers.

Tests: ``tests/separation/test_words.py``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .passes import Floats
from .system import TINY, Direction, System

STEP = 1 << 20  # numbers of a block of scores


def separated_pairs(system: System, direction: Direction | None, most: float = np.inf) -> NDArray[np.bool_] | None:
    """For each pattern and class whether zb > 0; None where more patterns than ``most`` need whole numbers."""
    found = np.zeros((system.n, system.n_groups), bool)
    if direction is None:
        return found
    doubtful = []
    A = system.augmented(direction)
    for first in range(0, system.n, step := max(1, STEP // (system.d + system.n_groups))):
        part = slice(first, first + step)
        sure, unsure = _judged(system, A, part)
        found[part] = sure
        doubtful += (first + np.flatnonzero(unsure)).tolist()
        if len(doubtful) > most:
            return None
    blocks = system.blocks(direction.b)
    for i in doubtful:
        for rival, side in system.sides(system.table.row(i), int(system.own[i]), blocks).items():
            found[i, rival] = side > 0
    return found


def _judged(system: System, A: Floats, part: slice) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The pairs of some patterns that are separated for sure, and the patterns with others."""
    X, own = system.X[part].astype(np.float64), system.own[part]
    with np.errstate(all="ignore"):
        scores = np.hstack([np.zeros((len(own), 1)), X @ A[:, 1:].T + A[:, 0]])
        errors = np.hstack([np.zeros((len(own), 1)), abs(X) @ np.abs(A[:, 1:]).T + np.abs(A[:, 0])])
        at = np.arange(len(own))
        gain = scores[at, own][:, None] - scores
        error = system.tau * (errors[at, own][:, None] + errors) + TINY + system.least * float(np.abs(A).sum())
        sure = gain > error
    sure[own < 0] = False
    own_class = np.arange(system.n_groups) == own[:, None]
    return sure & ~own_class, (own >= 0) & ~(sure | own_class).all(axis=1)

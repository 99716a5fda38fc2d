"""What a pass calls is a part of it."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from discriminant._engine.rows import compiled, inlined


@inlined
def _one_more(x: Any) -> Any:
    return x + 1


@inlined
def _two_more(x: Any) -> Any:
    return _one_more(x) + 1


@compiled
def _both(x: Any) -> Any:
    return _one_more(x), _two_more(x)


def test_rules_of_one_signature_stay_apart() -> None:
    """A part is known to numba by an object of its own, also where it calls another part."""
    assert _both(1.0) == (_one_more(1.0), _two_more(1.0)) == (2, 3)


def test_a_foreign_function_may_call_a_rule() -> None:
    """A part brings along what it calls, and numba still knows all its own methods."""

    @numba.njit
    def foreign(x: Any) -> Any:
        return _two_more(np.sort(x)).cumsum()

    assert foreign(np.array([2.0, 1.0])).tolist() == [3, 7]

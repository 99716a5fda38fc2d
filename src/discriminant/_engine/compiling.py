"""How a function is compiled, so that later processes find its machine code.

Tests: ``tests/_engine/test_machine_code.py``.
"""

from __future__ import annotations

from typing import Any, cast

import numba

from .._guards.state import F
from .machine_code import place

njit: Any = numba.njit  # its types know not all options


def cached(function: F, fastmath: set[str]) -> F:
    """Compile a function when it is first called, without the GIL, and keep its machine code on disk where possible."""
    made: Any = njit(nogil=True, fastmath=fastmath, no_cfunc_wrapper=True)(function)
    if hasattr(made, "enable_caching"):  # with NUMBA_DISABLE_JIT it is the function itself
        made._cache = place(function)
    return cast(F, made)

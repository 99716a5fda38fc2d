"""What a parameter may be; an error names the parameter, the value and the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    pass


def number(name: str, value: Any, remedy: str, low: float, *, closed: bool = False, high: float = np.inf) -> float:
    """``value`` as a float in (low, high), or [low, high) when closed; otherwise an error that names it."""
    fits = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not fits or not (low < value < high or (closed and value == low)):
        raise ValueError(f"{name}={value!r} is out of range: {remedy}.")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is beyond 1.8e308, the largest float: {remedy}.") from None


def choice(name: str, value: Any, options: Sequence[Any]) -> Any:
    """``value`` when it is one of the options; otherwise an error that lists them."""
    if not any(value is option or (isinstance(option, str | bool) and value == option) for option in options):
        raise ValueError(f"{name}={value!r} is unknown: choose one of {', '.join(map(repr, options))}.")
    return value

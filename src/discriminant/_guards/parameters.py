"""What a parameter may be: one table on each class, one form of message.

A class says it as ``_parameters = {"margin": Number("give a margin b >= 0", 0, closed=True), …}``; its bases' tables
hold too.  Errors read ``margin=-1 must be a number >= 0; give a margin b >= 0.``
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

Constraint = Callable[[str, Any], Any]  # name and value → the value as the procedure takes it, or ValueError


def refused(name: str, value: Any, wanted: str, remedy: str) -> ValueError:
    """The error for a value, in the one form that all of them have."""
    return ValueError(f"{name}={value!r} must be {wanted}; {remedy}.")


def suggestion(name: Any, known: Iterable[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known names that look most like this one, whatever the case."""
    folded = {each.casefold(): each for each in known}
    return [folded[near] for near in difflib.get_close_matches(str(name).casefold(), folded, count, cutoff)]


def unknown(name: str, value: Any, wanted: str, known: Iterable[str]) -> ValueError:
    """The error for a value that is none of the known names, with the one that it looks like."""
    near = suggestion(value, known) if isinstance(value, str) else []
    return ValueError(
        f"{name}={value!r} must be {wanted}; {f'did you mean {near[0]!r}?' if near else 'choose one of these.'}"
    )


@dataclass(frozen=True)
class Number:
    """A number in (low, high), or [low, high) when closed; ``whole`` for an integer, ``infinite`` for ∞ as well."""

    remedy: str
    low: float = -math.inf
    high: float = math.inf
    closed: bool = False
    whole: bool = False
    infinite: bool = False

    def __call__(self, name: str, value: Any) -> Any:
        kind = type(value)
        fits = kind is int or (kind is float and not self.whole) or self._fits(value)
        ends = [self.low] * self.closed + [math.inf] * self.infinite
        if not fits or not (self.low < value < self.high or value in ends):
            raise refused(name, value, str(self), self.remedy)
        try:
            return int(value) if self.whole else float(value)
        except OverflowError:
            raise ValueError(f"{name} must be at most 1.8e308, the largest float; {self.remedy}.") from None

    def _fits(self, value: Any) -> bool:
        return isinstance(value, Integral if self.whole else Real) and not isinstance(value, bool)

    def __str__(self) -> str:
        what = "a whole number" if self.whole else "a number"
        ends = [f"{'>=' if self.closed else '>'} {self.low:g}"] if self.low > -math.inf else []
        return " ".join([what, " and ".join([*ends, *([f"< {self.high:g}"] if self.high < math.inf else [])])]).strip()


@dataclass(frozen=True)
class Choice:
    """One of a few values; strings and flags are compared, all else must be the very object."""

    options: tuple[Any, ...]

    def __call__(self, name: str, value: Any) -> Any:
        for option in self.options:
            if value is option or (isinstance(option, str | bool) and type(value) is not int and _equal(value, option)):
                return value
        raise unknown(name, value, str(self), [option for option in self.options if isinstance(option, str)])

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, self.options))}"


@dataclass(frozen=True)
class Or:
    """One of a few values, or what another constraint allows: ``Or(("auto",), Number(…))``."""

    options: tuple[Any, ...]
    other: Number

    def __call__(self, name: str, value: Any) -> Any:
        if any(value is option or (isinstance(option, str) and _equal(value, option)) for option in self.options):
            return value
        try:
            return self.other(name, value)
        except ValueError:
            raise refused(name, value, str(self), self.other.remedy) from None

    def __str__(self) -> str:
        return f"{', '.join(map(repr, self.options))} or {self.other}"


def _equal(value: Any, option: Any) -> bool:
    return isinstance(value, str | bool | np.bool_) and bool(value == option)


FLAG = Choice((True, False))
ORDER = Choice(("cyclic", "random"))
DRAWS = Choice((*ORDER.options, "replacement"))
RECORD = Choice((None, "weights"))
PASSES = Number("give a whole number of passes, 1 or more", 1, closed=True, whole=True)
SECONDS = Or((None,), Number("give seconds, or set no limit", 0))
CACHE_SIZE = Number("give the megabytes that kernel rows may take", 0)

_TABLES: dict[type, dict[str, Constraint]] = {}


def table_of(kind: type) -> dict[str, Constraint]:
    """What the parameters of a class may be, its bases' included."""
    if kind not in _TABLES:
        bases = [vars(base).get("_parameters", {}) for base in reversed(kind.__mro__)]
        _TABLES[kind] = {name: constraint for table in bases for name, constraint in table.items()}
    return _TABLES[kind]


def check_parameters(estimator: Any) -> None:
    """Refuse parameters that are none, by name, before the data are looked at."""
    for name, constraint in table_of(type(estimator)).items():
        constraint(name, getattr(estimator, name))

"""A proof as JSON."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any

FORMAT = "discriminant separability certificate"


VERSION = 1


LARGEST = 256 * 2**20  # characters of a file that is read at all


DIGITS = 2**17  # hexadecimal digits of a number: the common divisor of two such takes half a second


DECIMALS = 400  # digits of a number in decimal form, such as a label: reading more takes quadratic time


def _written(value: int) -> int | str:
    return value if abs(value) < 2**53 else hex(value)


def _read(value: Any) -> int:
    if isinstance(value, str):
        if len(value) > DIGITS:
            raise ValueError(f"this is no certificate: it has a number of more than {DIGITS:,} digits.")
        return int(value, 16)
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    return value


def _short(digits: str) -> int:
    """A number in decimal form."""
    if len(digits) > DECIMALS:
        raise ValueError(f"this is no certificate: it has a decimal number of more than {DECIMALS} digits.")
    return int(digits)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a JSON object, none of which may be given twice."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("this is no certificate: it has a field twice.")
    return content


def _read_point(pairs: Any) -> tuple[Fraction, ...] | None:
    return None if pairs is None else tuple(Fraction(_read(m), _read(q)) for m, q in pairs)


def _one_of(value: Any, options: tuple[Any, ...]) -> Any:
    if not any(value is option or (isinstance(option, str) and value == option) for option in options):
        raise ValueError(f"this is no certificate: {value!r} is not one of {', '.join(map(str, options))}.")
    return value


def _label(value: Any) -> Any:
    if not isinstance(value, str | int | float):
        raise TypeError(f"{value!r} is no label")
    return value


def _dumped(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(_dumped(content).encode()).hexdigest()

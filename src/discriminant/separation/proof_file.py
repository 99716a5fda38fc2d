"""A proof as JSON: one line with a checksum, in which whole numbers beyond 2⁵³ are hexadecimal text.

A file is read with suspicion: it may be large, damaged, or made to mislead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

FORMAT = "discriminant separability certificate"
VERSION = 1
LARGEST = 256 * 2**20  # characters of a file that is read at all
DIGITS = 2**17  # hexadecimal digits of a number: the common divisor of two such takes half a second
DECIMALS = 400  # digits of a number in decimal form, such as a label: reading more takes quadratic time


def refused(why: str) -> ValueError:
    """The error for a text that is no certificate."""
    return ValueError(f"this is no certificate: {why}.")


def sealed(content: dict[str, Any]) -> str:
    """The fields of a proof as JSON, with format, version and checksum."""
    content = {"format": FORMAT, "version": VERSION, **content}
    return _dumped(content | {"checksum": _checksum(content)})


def opened(text: Any) -> dict[str, Any]:
    """The fields of a proof, once format, version and checksum are seen to fit."""
    if not isinstance(text, str) or len(text) > LARGEST:
        raise refused(f"give JSON text of at most {LARGEST:,} characters")
    content: dict[str, Any] = json.loads(text, parse_int=_decimal, object_pairs_hook=_once)
    checksum = content.pop("checksum")
    if [*content.items()][:2] != [("format", FORMAT), ("version", VERSION)]:
        raise refused(f"it should be {FORMAT!r}, version {VERSION}")
    if checksum != _checksum(content):
        raise refused("its checksum does not fit its content; it was changed after it was written")
    return content


@contextmanager
def suspicion() -> Iterator[None]:
    """Whatever goes wrong while a text is read means that it is no certificate."""
    try:
        yield
    except (RecursionError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise refused(f"its parts are not what they should be ({error!r})") from error
    except json.JSONDecodeError as error:
        raise refused(f"it is not JSON ({error})") from error


def written(value: Any) -> Any:
    """What stands in the file for a word, a whole number, a fraction, None, or a tuple of such."""
    if isinstance(value, tuple):
        return [written(part) for part in value]
    if isinstance(value, Fraction):
        return written(value.as_integer_ratio())
    return hex(value) if isinstance(value, int) and abs(value) >= 2**53 else value


def number(value: Any) -> int:
    """A whole number of the file."""
    if isinstance(value, str):
        if len(value) > DIGITS:
            raise refused(f"it has a number of more than {DIGITS:,} digits")
        return int(value, 16)
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    return value


def numbers(values: Any) -> tuple[int, ...]:
    """A vector of whole numbers."""
    return tuple(map(number, values))


def one_of(value: Any, options: tuple[Any, ...]) -> Any:
    """A word or a flag of the file."""
    if not any(value is option or (isinstance(option, str) and value == option) for option in options):
        raise refused(f"{value!r} is not one of {', '.join(map(str, options))}")
    return value


def labels(values: Any) -> tuple[Any, ...]:
    """Labels of classes: text or numbers."""
    if any(not isinstance(value, str | int | float) for value in values):
        raise TypeError(f"{values!r} are no labels")
    return tuple(values)


def _decimal(digits: str) -> int:
    if len(digits) > DECIMALS:
        raise refused(f"it has a decimal number of more than {DECIMALS} digits")
    return int(digits)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of a JSON object, none of which may be given twice."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise refused("it has a field twice")
    return content


def _dumped(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(_dumped(content).encode()).hexdigest()

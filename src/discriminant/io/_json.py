"""JSON read strictly: bounded in size and depth, no name twice, no NaN; and written so that a checksum can be taken."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from itertools import islice
from typing import IO, Any

from ._errors import ModelFileError, not_a_model

LARGEST = 2**30  # characters of a file
PIECE = 2**20  # characters that are read at a time
DEEPEST = 40  # lists and objects within each other
# A text without an end is one mark too: tried anew at each of its quotes, it would take quadratic time.
_MARKS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


def read_text(file: IO[str]) -> str:
    """All that a file holds, or more than ``parsed`` takes; to ask for that at once would take its memory at once."""
    return "".join(islice(iter(lambda: file.read(PIECE), ""), LARGEST // PIECE + 1))


def parsed(text: str) -> Any:
    """The value of a JSON text, or a ModelFileError that says what is wrong with it."""
    if not isinstance(text, str):
        raise not_a_model(f"give its text, not a {type(text).__name__}.")
    if len(text) > LARGEST:
        raise not_a_model(f"it has {len(text):,} characters, more than {LARGEST:,}.")
    _check_depth(text)
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise not_a_model(f"it is not JSON ({error}).") from None
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise not_a_model(f"{error}.") from None


def _check_depth(text: str) -> None:
    """Refuse deep nesting before a parser recurses into it."""
    depth = 0
    for mark in _MARKS.finditer(text):
        first = text[mark.start()]
        if first in "[{":
            depth += 1
            if depth > DEEPEST:
                raise not_a_model(f"it is nested more than {DEEPEST} deep.")
        elif first in "]}":
            depth -= 1


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise not_a_model(f"{twice!r} stands in it twice.")
    return found


def _no_constant(name: str) -> None:
    raise not_a_model(f"{name} is no number of JSON.")


def written(value: Any, canonical: bool = False) -> str:
    """A value on one line; floats as the shortest decimal text that gives the same bits back.

    The ``canonical`` text is the one that all ways of writing a value have in common.
    """
    return json.dumps(value, separators=(",", ":"), sort_keys=canonical, allow_nan=False)


def checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(written(content, canonical=True).encode()).hexdigest()

"""What a page may ask for: typed messages, checked field by field before anything is done with them.

Every message is one JSON object with ``v``, ``type`` and ``id``. ``parse`` gives it as a frozen dataclass, or raises
``MessageError`` with a sentence for the person at the page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NoReturn

VERSION = 1
MOST_POINTS = 5_000
MOST_CLASSES = 6
SLOTS = 4  # runs that a page shows side by side
LONGEST = 200  # characters of a name
MOST_PARAMETERS = 40
MARK = "#s="  # in a link, before the state that it holds
UNEXPECTED = "This is a fault of discriminant; please report it."
LARGEST = 2**53  # beyond it JavaScript has no whole numbers

Json = dict[str, Any]


class MessageError(ValueError):
    """A message that cannot be served; its ``id`` where it could be read."""

    def __init__(self, sentence: str, id: int | None = None) -> None:
        super().__init__(sentence)
        self.id = id


@dataclass(frozen=True)
class Points:
    """What is on the plane: a pair of numbers and the index of a class for each point."""

    x: list[list[float]]
    y: list[int]
    classes: list[str]
    features: list[str]


@dataclass(frozen=True)
class RunRequest:
    """Run a procedure on the points."""

    id: int
    slot: int
    procedure: str
    parameters: Json
    seed: int
    points: Points
    one_feature: bool


@dataclass(frozen=True)
class VerdictRequest:
    """Are the points separable?"""

    id: int
    points: Points
    one_feature: bool


@dataclass(frozen=True)
class DatasetRequest:
    """Load a data set of the package."""

    id: int
    name: str


@dataclass(frozen=True)
class GenerateRequest:
    """Draw points."""

    id: int
    name: str
    parameters: Json


@dataclass(frozen=True)
class PageRequest:
    """Give the runs of these slots as a page of their own."""

    id: int
    slots: list[int]


@dataclass(frozen=True)
class CancelRequest:
    """End the run of a slot."""

    id: int
    slot: int


Message = RunRequest | VerdictRequest | DatasetRequest | GenerateRequest | PageRequest | CancelRequest

KINDS: dict[str, type[Message]] = {
    "run": RunRequest,
    "verdict": VerdictRequest,
    "dataset": DatasetRequest,
    "generate": GenerateRequest,
    "page": PageRequest,
    "cancel": CancelRequest,
}


def parse(text: str) -> Message:
    """The message that a text holds; ``MessageError`` says what is wrong with it."""
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise MessageError("The message is not JSON; load the page again.") from None
    if not isinstance(found, dict):
        raise MessageError("The message is no object; load the page again.")
    number: Any = found.get("id")
    id = number if _is_whole(number) and 0 <= number <= LARGEST else None
    try:
        return _message(found)
    except MessageError as error:
        raise MessageError(str(error), id) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _message(found: Json) -> Message:
    if found.get("v") != VERSION or isinstance(found["v"], bool):
        raise MessageError(f"The page speaks version {_shown(found.get('v'))}, not {VERSION}; load it again.")
    kind = KINDS.get(found["type"]) if isinstance(found.get("type"), str) else None
    if kind is None:
        raise MessageError(f"type={_shown(found.get('type'))} must be one of {', '.join(KINDS)}.")
    wanted = {field.name for field in fields(kind)}
    if missing := sorted(wanted - found.keys()):
        raise MessageError(f"The message {found['type']!r} lacks {', '.join(missing)}.")
    if unknown := sorted(found.keys() - wanted - {"v", "type"}):
        raise MessageError(f"The message {found['type']!r} has no {_shown(unknown[0])}.")
    return kind(**{name: CHECKS[name](name, found[name]) for name in wanted})


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(low: int, high: int) -> Callable[[str, Any], int]:
    def check(name: str, value: Any) -> int:
        if not _is_whole(value) or not low <= value <= high:
            raise MessageError(f"{name}={_shown(value)} must be a whole number from {low} to {high}.")
        return int(value)

    return check


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        raise MessageError(f"{name}={_shown(value)} must be a text of at most {LONGEST} characters.")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise MessageError(f"{name}={_shown(value)} must be true or false.")
    return value


def _object(name: str, value: Any) -> Json:
    if not isinstance(value, dict) or len(value) > MOST_PARAMETERS or any(len(key) > LONGEST for key in value):
        raise MessageError(f"{name}={_shown(value)} must be an object of at most {MOST_PARAMETERS} values.")
    for key, each in value.items():
        few = each if isinstance(each, list) and len(each) <= 8 else [each]
        if not all(part is None or isinstance(part, bool | int | float | str) for part in few):
            raise MessageError(f"{_shown(key)}={_shown(each)} must be a number, a text, true, false or null.")
        if any(isinstance(part, str) and len(part) > LONGEST for part in few):
            raise MessageError(f"{_shown(key)} must be a text of at most {LONGEST} characters.")
        if any(isinstance(part, float) and not math.isfinite(part) for part in few):
            raise MessageError(f"{_shown(key)} must be a finite number.")
    return value


def _slots(name: str, value: Any) -> list[int]:
    if not isinstance(value, list) or not 1 <= len(value) <= SLOTS or len(set(map(repr, value))) < len(value):
        raise MessageError(f"{name}={_shown(value)} must be one to {SLOTS} different slots.")
    return [_whole(0, SLOTS - 1)(name, each) for each in value]


def _texts(name: str, value: Any, low: int, high: int) -> list[str]:
    if not isinstance(value, list) or not low <= len(value) <= high:
        raise MessageError(f"{name}={_shown(value)} must be {low} to {high} names.")
    return [_text(name, each) for each in value]


def _points(name: str, value: Any) -> Points:
    if not isinstance(value, dict) or value.keys() != {"x", "y", "classes", "features"}:
        raise MessageError(f"{name} must have x, y, classes and features.")
    x, y = value["x"], value["y"]
    if not isinstance(x, list) or not isinstance(y, list) or len(x) != len(y):
        raise MessageError("points.x and points.y must be lists of the same length.")
    if len(x) > MOST_POINTS:
        raise MessageError(f"There are {len(x):,} points; at most {MOST_POINTS:,} can be shown.")
    classes = _texts("points.classes", value["classes"], 1, MOST_CLASSES)
    if not all(map(_is_pair, x)):
        raise MessageError("points.x must hold pairs of finite numbers.")
    if not all(_is_whole(each) and 0 <= each < len(classes) for each in y):
        raise MessageError(f"points.y must hold indices of classes, from 0 to {len(classes) - 1}.")
    return Points(
        [[float(one), float(two)] for one, two in x], y, classes, _texts("points.features", value["features"], 2, 2)
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_finite, value))


def _is_finite(value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "id": _whole(0, LARGEST),
    "slot": _whole(0, SLOTS - 1),
    "slots": _slots,
    "seed": _whole(0, 2**32 - 1),
    "procedure": _text,
    "name": _text,
    "parameters": _object,
    "one_feature": _flag,
    "points": _points,
}

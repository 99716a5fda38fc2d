"""The state of a page from a link that it shared: what stands after the #, so that a link outlives its server.

It is JSON, deflated and written in the alphabet of URLs; it is checked as messages are, for it comes from anywhere.

Tests: ``tests/cli/test_explore.py``.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict
from typing import Any

from ..comparison.methods import full_name
from .messages import CHECKS, LARGEST, MARK, SLOTS, VERSION, Json, MessageError

LARGEST_STATE = 2 * 2**20  # bytes, once inflated
NAMES = ("points", "title", "procedure", "parameters", "race", "seed", "one_feature", "step")


def state_of(link: str) -> Json:
    """What the page begins with; ``ValueError`` says what is wrong with the link."""
    found = _unpacked(link.partition(MARK)[2].strip())
    if not isinstance(found, dict) or found.get("v") != VERSION:
        raise MessageError("The link holds no state of the explorer; copy it again with Share link.")
    if missing := [name for name in NAMES if name not in found]:
        raise MessageError(f"The link lacks {', '.join(missing)}; copy it again with Share link.")
    state = {name: CHECKS[name](name, found[name]) for name in ("seed", "one_feature")}
    state |= {"v": VERSION, "points": asdict(CHECKS["points"]("points", found["points"]))}
    state |= {"title": CHECKS["name"]("title", found["title"]), "step": _step(found["step"])}
    return state | _runner(found) | {"race": _race(found["race"])}


def _unpacked(text: str) -> Any:
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacked = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, LARGEST_STATE + 1)
        if len(unpacked) <= LARGEST_STATE:
            return json.loads(unpacked)
    except (ValueError, zlib.error, RecursionError):
        raise MessageError("The link is not whole; copy it again, and put it in quotes.") from None
    raise MessageError(f"The link holds more than {LARGEST_STATE // 2**20} MB; share fewer points.")


def _step(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST):
        return value
    raise MessageError(f"step={value!r:.60} must be a whole number or null.")


def _runner(found: Any) -> Json:
    """One procedure with its parameters."""
    if not isinstance(found, dict) or not {"procedure", "parameters"} <= found.keys():
        raise MessageError("race must hold procedures with their parameters.")
    chosen = {name: CHECKS[name](name, found[name]) for name in ("procedure", "parameters")}
    return chosen | {"procedure": full_name(chosen["procedure"])}


def _race(found: Any) -> list[Json] | None:
    if found is None:
        return None
    if not isinstance(found, list) or not 1 <= len(found) < SLOTS:
        raise MessageError(f"race={found!r:.60} must be null or one to {SLOTS - 1} procedures.")
    return [_runner(each) for each in found]

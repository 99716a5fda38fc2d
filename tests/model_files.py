"""Model files with other content under a right checksum."""

from __future__ import annotations

import json
from typing import Any

from io_cases import fitted

from discriminant import io
from discriminant.io._json import checksum


def signed(content: dict[str, Any]) -> str:
    """A content with a checksum that fits."""
    rest = {name: value for name, value in content.items() if name != "checksum"}
    try:
        return json.dumps(rest | {"checksum": checksum(rest)})
    except (ValueError, TypeError):
        return json.dumps(rest | {"checksum": "0" * 64})


def content_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(io.dumps(fitted(name)[0]))
    return found


def edited(path: str, value: Any, name: str = "Perceptron") -> str:
    """The file of a model with one value changed, or taken out, and the checksum made anew."""
    content = content_of(name)
    *steps, last = path.split("/")
    part = content
    for step in steps:
        part = part[int(step)] if isinstance(part, list) else part[step]
    if value is ...:
        del part[last]
    else:
        part[int(last) if isinstance(part, list) else last] = value
    return signed(content)

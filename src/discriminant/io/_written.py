"""What a user may say of a text file, and its bytes as UTF-8: unpacked where gzip has packed them, and decoded."""

from __future__ import annotations

import codecs
import gzip
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from .._guards.parameters import refused
from ._errors import TableError

BOM = b"\xef\xbb\xbf"
BOM_16 = (b"\xff\xfe", b"\xfe\xff")
GZIP = b"\x1f\x8b"
BLOCK = 2**24  # bytes that are unpacked at once: between two blocks, Ctrl-C is heard


class Written(NamedTuple):
    """How a CSV file is written, as far as its user says so: see ``read``."""

    header: bool | None = None
    na: Sequence[str] = ()
    decimal: str | None = None
    encoding: str | None = None
    comment: str | None = None

    @classmethod
    def checked(cls, given: Mapping[str, Any]) -> Written:
        """What was given, all of which must make sense."""
        for name, value in given.items():
            if name not in CHECKS:
                raise TableError(str(refused("file", name, f"one of {', '.join(CHECKS)}", "leave it out")))
            what, fits = CHECKS[name]
            if value is not None and not fits(value):
                raise TableError(str(refused(name, value, what, "give one, or leave it out")))
        told = {name: value for name, value in given.items() if value is not None}
        if isinstance(told.get("na"), str):
            told["na"] = [told["na"]]
        return cls(**told)

    @property
    def given(self) -> dict[str, Any]:
        """What was said, without what was left open."""
        told = {name: value for name, value in self._asdict().items() if value not in (None, (), [])}
        return told | ({"na": list(self.na)} if self.na else {})


def _is_encoding(value: Any) -> bool:
    try:
        return isinstance(value, str) and "x".encode(value).decode(value) == "x"
    except (LookupError, UnicodeError):
        return False


def _are_texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(each, str) for each in value))


CHECKS: dict[str, tuple[str, Any]] = {
    "header": ("True or False", lambda value: isinstance(value, bool)),
    "na": ("a list of texts", _are_texts),
    "decimal": ("'.' or ','", lambda value: value in (".", ",")),
    "encoding": ("an encoding that Python knows, such as 'latin-1', 'cp1252' or 'utf-16'", _is_encoding),
    "comment": ("a text such as '#' or '//'", lambda value: isinstance(value, str) and bool(value.strip())),
}


def opened(source: Any) -> IO[bytes]:
    return io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb")


def size_of(source: Any) -> int:
    return len(source) if isinstance(source, bytes) else os.path.getsize(source)


def unpacked(content: Path | bytes, room: float) -> Path | bytes:
    """The content, or what gzip has packed into it, for which there is ``room`` in memory."""
    with opened(content) as file:
        if file.read(len(GZIP)) != GZIP:
            return content
        file.seek(0)
        parts, size = [], 0
        with gzip.open(file) as packed:
            while part := packed.read(BLOCK):
                parts.append(part)
                size += len(part)
                if 2 * size > room:
                    raise TableError(
                        "unpacked it takes more than half the memory there is; unpack it into a file, as `gunzip` does."
                    )
        return b"".join(parts)


def in_utf8(content: Path | bytes, encoding: str | None) -> Path | bytes:
    """The content as UTF-8; a mark at its beginning tells more of its encoding than anybody."""
    with opened(content) as file:
        head = file.read(len(BOM))
    if head.startswith(BOM_16):
        encoding = "utf-16"
    if encoding is None or head == BOM or codecs.lookup(encoding).name == "utf-8":
        return content
    try:
        return (content if isinstance(content, bytes) else content.read_bytes()).decode(encoding).encode()
    except UnicodeError as error:
        where = (
            f"byte {error.start + 1:,} of it is no text" if isinstance(error, UnicodeDecodeError) else "it is no text"
        )
        raise TableError(f"{where} in {encoding}; give the encoding that it was written in.") from None

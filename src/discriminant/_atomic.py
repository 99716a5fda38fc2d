"""Files that are replaced as a whole: whoever looks finds the old content or the new one, never a part."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that takes the place of ``path`` when the block ends well, and vanishes when it does not.

    The temporary file stands in the same folder, so that renaming it is one step of the file system, and it has
    reached the disk before it is renamed. A link is followed; the permissions of an earlier file are kept. What is no
    file, as /dev/stdout or a named pipe, is written to and stays what it is.
    """
    if _is_stream(path):
        with open(path, "wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:80]}.{secrets.token_hex(6)}.part")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(target.parent)


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether there is something that must not be replaced: a device, a pipe, a socket."""
    with suppress(FileNotFoundError):
        mode = os.stat(path).st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def _sync_folder(folder: Path) -> None:
    """Make the renaming last through a power cut, where the system can."""
    with suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write ``content`` (text as UTF-8) in place of what ``path`` held."""
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)

"""Files that are replaced as a whole: whoever looks finds the old content or the new one, never a part."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MARK = "discriminant-"  # in the name of a temporary file, so that nobody else's is taken for one
PART = re.compile(rf"\..*\.{MARK}.*\.part", re.DOTALL)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that takes the place of ``path`` when the block ends well, and vanishes when it does not.

    The temporary file stands in the same folder, so that renaming it is one step of the file system, and it has
    reached the disk before it is renamed. Only its owner can read it until then. It is locked as long as its writer
    lives; what a killed one left behind, the next writer into the folder removes. A link is followed; the permissions
    of an earlier file are kept. What is no file, as /dev/stdout or a named pipe, is written to and stays what it is.
    """
    with _naming(path):
        if _is_stream(path):
            with open(path, "wb") as stream:
                yield stream
            return
        target = Path(os.path.realpath(path))
        _sweep(target.parent)
        temporary, file = _opened(target)
        try:
            with ExitStack() as held:
                if fcntl is not None:  # the lock lasts until the file has its name, though the file is closed before
                    held.callback(os.close, os.dup(file.fileno()))
                with file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(temporary, _mode(target))
                os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(target.parent)


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error name the file that could not be written: a full disk names none, the temporary file is ours."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL or PART.fullmatch(os.path.basename(os.fsdecode(error.filename or ""))):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


def _opened(target: Path) -> tuple[str, BinaryIO]:
    """A new file beside the target that only its owner can read, locked."""
    while True:
        handle, temporary = mkstemp(".part", f".{target.name[:40]}.{MARK}", target.parent)
        file = os.fdopen(handle, "wb")
        lock(file)
        if os.fstat(file.fileno()).st_nlink > 0:
            return temporary, file
        file.close()  # another writer took it for abandoned before it was locked


def lock(file: IO[Any]) -> None:
    """Wait until no other process holds the file, and hold it until it is closed, where the system has such locks."""
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)


def _sweep(folder: Path) -> None:
    """Remove the temporary files of writers that are no more: nobody holds their locks."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for part in [
            each.path for each in entries if PART.fullmatch(each.name) and each.is_file(follow_symlinks=False)
        ]:
            with suppress(OSError), open(part, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(part)


def _mode(target: Path) -> int:
    """The permissions of the file that is there, or those that a new one gets."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(target).st_mode)
    mask = os.umask(0o077)  # it can only be read by setting it
    os.umask(mask)
    return 0o666 & ~mask


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

"""Safe reading and writing of files in folders that drivers can reach, where a driver may leave links and pipes.

Writing never follows a link, and reading refuses everything that is no regular file.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

_CAREFUL: Final = os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags that refuse links and keep the descriptor from child processes."""
_UNFINISHED: Final = ".new"
"""Suffix of a file that will replace another one."""


MALFORMED: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""Errors with which msgspec refuses the text of a file: another form, no UTF-8, or nested without end."""

LARGEST: Final = 1 << 31
"""Most bytes of a file that is read whole."""


def read_file(path: Path) -> bytes:
    """Return the content of a file that the user has named.

    :raises OSError: like :func:`open_file`, or it has more than :data:`LARGEST` bytes.
    """
    with open_file(path) as file:
        return _whole(file, path, LARGEST)


def _whole(file: BinaryIO, path: Path, limit: int) -> bytes:
    if os.fstat(file.fileno()).st_size > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit:,} bytes", str(path))
    return file.read(limit)


def read_foreign(path: Path, limit: int) -> bytes:
    """Return the content of a file that an untrusted program may have written.

    :raises OSError: it cannot be read, is a link or not a regular file, or has more than ``limit`` bytes.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | _CAREFUL)
    with file_over(descriptor, "rb", buffering=-1) as file:
        check_file(file.fileno(), path)
        return _whole(file, path, limit)


def create_file(path: Path) -> int:
    """Replace whatever is at a path by a new empty file, without opening it; return a descriptor to read and append.

    :raises OSError: the file cannot be made.
    """
    path.unlink(missing_ok=True)
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | _CAREFUL, 0o666)


def unfinished(path: Path) -> Path:
    """Return the path at which a file is written until it takes its place."""
    return path.with_name(f"{path.name}{_UNFINISHED}")


def replace_file(path: Path, content: bytes | str) -> None:
    """Replace a file atomically; a link is replaced itself, and its target stays unchanged.

    :raises OSError: it cannot be written; the old file is unchanged.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    place = unfinished(path)
    try:
        # Unbuffered, because a buffer would try to write again when the file is closed.
        with file_over(create_file(place), "ab") as file:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) or 0 :]
        place.replace(path)
    except OSError:
        place.unlink(missing_ok=True)
        raise


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading; a link may lead to it, for the user has named it.

    :raises OSError: it cannot be opened, or is a pipe or a device, which could block for ever.
    """
    # Without this flag, opening a pipe without a writer would block for ever.
    file: BinaryIO = file_over(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=-1)
    try:
        check_file(file.fileno(), path)
    except BaseException:
        file.close()
        raise
    return file


def file_over(descriptor: int, mode: str, buffering: int = 0) -> Any:
    """Return a binary file over a descriptor, which is closed with the file, or at once in case of an error.

    :raises OSError: the file cannot be made.
    """
    try:
        return os.fdopen(descriptor, mode, buffering)
    except OSError:
        os.close(descriptor)
        raise


def check_file(descriptor: int, path: Path) -> None:
    """Check that a descriptor belongs to a regular file.

    :raises OSError: it is a pipe or a device, for which one could wait for ever.
    """
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "it is no file", str(path))

"""Files that others can reach: written without following what lies in their place, read only if they are files.

Folders of results are where drivers run, which may leave links and pipes in them.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, Final

_CAREFUL: Final = os.O_NOFOLLOW | os.O_CLOEXEC
_UNFINISHED: Final = ".new"


def read_file(path: Path) -> bytes:
    """Return the content of a file; raises as :func:`open_file`."""
    with open_file(path) as file:
        return file.read()


def create_file(path: Path) -> int:
    """Return a new empty file in place of whatever is there, which is not opened; a descriptor to read and append.

    :raises OSError: it cannot be made.
    """
    path.unlink(missing_ok=True)
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | _CAREFUL, 0o666)


def unfinished(path: Path) -> Path:
    """Return the path at which a file is written until it takes its place."""
    return path.with_name(f"{path.name}{_UNFINISHED}")


def replace_file(path: Path, content: bytes | str) -> None:
    """Put a file in place of what is there, all at once; a link is replaced, and what it leads to stays as it is.

    :raises OSError: it cannot be written; what was there is still there.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    place = unfinished(path)
    try:
        # Without a buffer, which would try again to write when it is closed.
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

    :raises OSError: it cannot be opened, or is a pipe or a device, for which one could wait for ever.
    """
    # Only with this flag does opening a pipe that nobody writes to come to an end.
    file: BinaryIO = file_over(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=-1)
    try:
        check_file(file.fileno(), path)
    except BaseException:
        file.close()
        raise
    return file


def file_over(descriptor: int, mode: str, buffering: int = 0) -> Any:
    """Return a binary file over a descriptor, which is closed with the file, or at once if there can be none.

    :raises OSError: there can be none.
    """
    try:
        return os.fdopen(descriptor, mode, buffering)
    except OSError:
        os.close(descriptor)
        raise


def check_file(descriptor: int, path: Path) -> None:
    """Check that what has been opened is a file.

    :raises OSError: it is a pipe or a device, for which one could wait for ever.
    """
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "it is no file", str(path))

"""Cache files as the suite itself touches them: a driver can reach their folder and may have put anything there.

A pipe in place of a file would keep whoever opens it for ever, a link leads into files of the user, and a file can say
that it has more bytes than there is memory. All of that is the driver's FAIL.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from nnvet.conformance.engine.outcome import CaseFailed, fail

RULE: Final = "cache/files.kept"
MOST_BYTES: Final = 256 << 20
"""Limit of a cache file of a model of some elements: more than the machine code of any driver."""

_CAREFUL: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_REPLACED: Final = {
    errno.ELOOP: "is a link now",
    errno.ENXIO: "is a pipe or a socket now",
    errno.EISDIR: "is a folder now",
    errno.ENOENT: "is not there any more",
    errno.ENOTDIR: "is not in a folder any more",
    errno.EACCES: "must not be opened any more",
}


def open_file(path: Path, flags: int) -> tuple[int, int]:
    """Open a cache file, for the caller to close: its descriptor and its size.

    :raises CaseFailed: the driver has put something else there, or it is too large.
    """
    try:
        fd = os.open(path, flags | _CAREFUL, 0o600)
    except OSError as error:
        if error.errno not in _REPLACED:
            raise
        raise _fail(path, _REPLACED[error.errno]) from error
    with ExitStack() as undo:
        undo.callback(os.close, fd)
        state = os.fstat(fd)
        if not stat.S_ISREG(state.st_mode):
            raise _fail(path, "is no regular file any more")
        if state.st_size > MOST_BYTES:
            raise _fail(path, f"has {state.st_size} bytes, more than {MOST_BYTES}")
        # The driver may get it: it has to look like any other.
        os.set_blocking(fd, True)
        undo.pop_all()
    return fd, state.st_size


def read_file(path: Path) -> bytes:
    """Return the content of a cache file.

    :raises CaseFailed: as :func:`open_file`.
    """
    with _opened(path, os.O_RDONLY) as (fd, size), os.fdopen(fd, "rb", closefd=False) as file:
        return file.read(size)


def write_file(path: Path, content: bytes) -> None:
    """Replace what a cache file holds.

    :raises CaseFailed: as :func:`open_file`.
    """
    with _opened(path, os.O_RDWR) as (fd, _), os.fdopen(fd, "wb", closefd=False) as file:
        file.truncate(0)
        file.write(content)


def size_of_file(path: Path) -> int:
    """Bytes of a cache file.

    :raises CaseFailed: as :func:`open_file`.
    """
    with _opened(path, os.O_RDONLY) as (_, size):
        return size


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[tuple[int, int]]:
    fd, size = open_file(path, flags)
    try:
        yield fd, size
    finally:
        os.close(fd)


def _fail(path: Path, what: str) -> CaseFailed:
    return fail(RULE, f"the driver has changed a cache file itself: {path.name} {what}")

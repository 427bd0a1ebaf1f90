"""Cache files as a driver gets them: descriptors of a client that may change, lock or damage what is behind them.

Reading and writing is by position: a client that moves the shared offset meanwhile changes nothing.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from nnvet.hal.errors import failure, invalid
from nnvet.hal.memory import MappableFile


def check_file(file: MappableFile) -> None:
    """Check that a cache file is a regular file, open for reading and writing.

    :raises HalError: INVALID_ARGUMENT without a valid descriptor, else GENERAL_FAILURE.
    """
    try:
        mode = os.fstat(file.handle.fd).st_mode
        access = fcntl.fcntl(file.handle.fd, fcntl.F_GETFL) & os.O_ACCMODE
    except OSError as error:
        raise invalid(f"a cache file has no valid descriptor: {error}", "cache/files.handle") from error
    if not stat.S_ISREG(mode):
        # Pipes and devices could make the driver wait for ever.
        raise failure("a cache file is no regular file", "cache/files.handle")
    if access != os.O_RDWR:
        raise failure("a cache file is not open for reading and writing", "cache/files.handle")


def file_size(fd: int) -> int:
    """Bytes in the file.

    :raises OSError: if it cannot be found out.
    """
    return os.fstat(fd).st_size


def read_at(fd: int, size: int, offset: int = 0) -> bytes:
    """``size`` bytes from ``offset``, fewer where the file ends.

    :raises OSError: if it cannot be read.
    """
    pieces: list[bytes] = []
    while size:
        piece = os.pread(fd, size, offset)
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
        offset += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def overwrite(fd: int, data: bytes, offset: int = 0) -> None:
    """End the file at ``offset``, whatever it holds, and write ``data`` there.

    :raises OSError: if that is not possible; the file may then hold a part.
    """
    os.ftruncate(fd, offset)
    rest = memoryview(data)
    while rest:
        written = os.pwrite(fd, rest, offset)
        rest = rest[written:]
        offset += written


@contextmanager
def lock_folder(fd: int) -> Iterator[None]:
    """Lock the file for this process while the block runs.

    :raises BlockingIOError: another process has locked it; waiting would let a client stop the driver.
    :raises OSError: if it cannot be locked at all.
    """
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)

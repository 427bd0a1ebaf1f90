"""A lock on a folder, so that one process at a time works in it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PAUSE_S: Final = 0.05


class FolderBusyError(Exception):
    """Another process has the folder for itself."""


@contextmanager
def alone_in(folder: Path, patience_s: float = 0.0) -> Iterator[None]:
    """Lock a folder while the block runs; wait for at most ``patience_s`` seconds.

    :raises FolderBusyError: another has it for longer.
    :raises OSError: there is no such folder, or it cannot be read.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    end = time.monotonic() + patience_s
    try:
        # The lock ends with this process, however it ends.
        while not _is_locked(descriptor):
            if time.monotonic() >= end:
                raise FolderBusyError(f"{folder} is in use by another process")
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

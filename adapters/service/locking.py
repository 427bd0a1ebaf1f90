"""A lock on a folder, so that only one process at a time works in it.

Runs lock the folder of their results (:mod:`nnvet.conformance.engine.runner`), and services the folder of their socket
while they make or remove it (:mod:`nnvet.adapters.service.main`).
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PAUSE_S: Final = 0.05
"""Pause between two attempts to lock a folder: flock(2) itself cannot wait for a limited time."""


class FolderBusyError(Exception):
    """Raised if another process has the folder locked."""


@contextmanager
def alone_in(folder: Path, patience_s: float = 0.0) -> Iterator[None]:
    """Lock a folder while the block runs, waiting up to ``patience_s`` seconds for it.

    :raises FolderBusyError: another process keeps the lock for longer.
    :raises OSError: the folder does not exist or cannot be read.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    end = time.monotonic() + patience_s
    try:
        # The kernel releases the lock when this process ends, however it ends.
        while not _try_lock(descriptor):
            if time.monotonic() >= end:
                raise FolderBusyError(f"{folder} is in use by another process")
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    """Lock the folder; return False if another process holds the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

"""The machine that a worker runs on: which it is, and that measurements have it for themselves.

All that nnvet runs for a cluster, whichever command and scheduler it comes from, holds a lock of the machine: shared by
what may run side by side, alone by what is measured. The kernel ends a lock with the process that holds it. Machines
without a folder that all users write to cannot be locked, and containers with a /tmp of their own do not see each
other's locks.
"""

from __future__ import annotations

import fcntl
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from nnvet.conformance.engine.work import Answer

LOCKS: Final = Path("/tmp")  # noqa: S108 - one place for all users; the files stay empty
"""Not the folder of temporary files, which schedulers of batch jobs give each job for itself."""
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
"""Number that the kernel made up when it started: the same in all containers of a machine."""

_INSIDE: Final = "nnvet-machine.lock"
_DOOR: Final = "nnvet-machine.door"
"""Whoever wants to be alone stands in the door: nobody enters any more, and those who are in leave one by one."""
_PAUSE_S: Final = 0.05


class NotWantedError(Exception):
    """Nobody waits for the work any more."""


def machine_id() -> str:
    """Return an id that all workers of a machine share, and no others."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return platform.node()


def lock_id() -> str:
    """Return an id that only workers share which hold one another off.

    :raises OSError: the machine cannot be locked.
    """
    descriptor = _opened(_INSIDE)
    try:
        state = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    return f"{state.st_dev}:{state.st_ino}"


@contextmanager
def machine_to_itself(is_wanted: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Nothing else of nnvet's runs on this machine while the block does.

    :raises NotWantedError: ``is_wanted()`` no longer held while this waited for others to end.
    :raises OSError: the machine cannot be locked.
    """
    with ExitStack() as stack:
        for name in (_DOOR, _INSIDE):
            descriptor = _opened(name)
            stack.callback(os.close, descriptor)
            _wait_for(descriptor, fcntl.LOCK_EX, is_wanted)
        yield


@contextmanager
def machine_shared(is_wanted: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Nothing has this machine to itself while the block runs; without locks that is not known, and not waited for.

    :raises NotWantedError: ``is_wanted()`` no longer held while this waited.
    """
    with ExitStack() as inside, ExitStack() as entering:
        try:
            for name, stack in ((_DOOR, entering), (_INSIDE, inside)):
                descriptor = _opened(name)
                stack.callback(os.close, descriptor)
                _wait_for(descriptor, fcntl.LOCK_SH, is_wanted)
        except OSError:
            pass
        entering.close()
        yield


def in_company(function: Callable[..., Answer], *args: Any) -> Answer:
    """Return the answer of a function while nothing has this machine to itself."""
    with machine_shared():
        return function(*args)


def _opened(name: str) -> int:
    """A descriptor of one of the files; whoever comes first makes it."""
    path = LOCKS / name
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        return os.open(path, flags | os.O_CREAT, 0o644)


def _wait_for(descriptor: int, kind: int, is_wanted: Callable[[], bool]) -> None:
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if not is_wanted():
                raise NotWantedError from None
            time.sleep(_PAUSE_S)
        else:
            return

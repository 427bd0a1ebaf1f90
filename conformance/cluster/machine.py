"""The machine of a worker: its identity, and a lock that keeps other work off the machine during measurements.

Work that may run beside other work holds the lock shared (:func:`machine_shared`), measured work holds it alone
(:func:`machine_to_itself`), whichever command and scheduler it comes from. The kernel releases a lock when its process
ends. A machine without a folder that all users can write to cannot be locked, and containers with a private /tmp do not
see each other's locks. Cases of one run take turns by the locks of :mod:`nnvet.conformance.engine.driver`.

All users of a machine share the lock, so any of them could hold it forever, or put something else in its place. So the
lock has to be a regular file, and nobody waits longer than ``PATIENCE_S``; a message names the holder.

:func:`own_identity` and :func:`differences` compare suite and driver, which must be the same on all workers of a run.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import logging
import math
import os
import platform
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import psutil

from nnvet.conformance.cluster.chunk import SuiteIdentity
from nnvet.conformance.engine.selection import BUNDLED_SPECS
from nnvet.conformance.engine.work import Answer
from nnvet.generators.specs import find_specs
from nnvet.reports.events import DriverFacts
from nnvet.reports.values import one_line

LOCKS: Final = Path("/tmp")  # noqa: S108 - one place for all users; the files stay empty
"""Folder of the lock files; the folder for temporary files would not do, as batch systems give each job its own."""
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
"""A random number of this start of the kernel, the same in all containers of a machine."""

_INSIDE: Final = "nnvet-machine.lock"
"""Name of the lock file that all work holds while it runs."""
_DOOR: Final = "nnvet-machine.door"
"""Name of the file that is locked before the inner one. Exclusive work holds it while it waits, so no work begins."""
_PAUSE_S: Final = 0.05
"""Seconds between two attempts to take the lock."""
PATIENCE_S: Final = 1800.0
"""The longest wait for the lock in seconds. A stress test, or a model of a benchmark, holds it for minutes."""
SAID_AFTER_S: Final = 10.0
"""Seconds of waiting after which a message names the holder."""
_SAID_EVERY_S: Final = 60.0
"""Seconds between two such messages."""
_KERNELS_LOCKS: Final = Path("/proc/locks")
"""List of all file locks, by the kernel."""
_LOGGER: Final = logging.getLogger("nnvet.machine")
"""Log of the worker, in which dask shows the messages."""


class NotWantedError(Exception):
    """Raised if the result of the work is not needed any more."""


def machine_id() -> str:
    """Return an id that all workers of a machine share, and workers of other machines do not."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return platform.node()


def lock_id() -> str:
    """Return the id of the lock file; workers exclude each other only if it is the same.

    :raises OSError: the machine cannot be locked.
    """
    descriptor = _open_lock_file(_INSIDE)
    try:
        state = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    return f"{state.st_dev}:{state.st_ino}"


@contextmanager
def machine_to_itself(is_wanted: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Hold the machine's lock alone, so that no other work of nnvet runs on the machine.

    :raises NotWantedError: ``is_wanted()`` became False during the wait for other work.
    :raises OSError: the machine cannot be locked.
    """
    with ExitStack() as stack:
        for name in (_DOOR, _INSIDE):
            descriptor = _open_lock_file(name)
            stack.callback(os.close, descriptor)
            _wait_for(descriptor, fcntl.LOCK_EX, is_wanted)
        yield


@contextmanager
def machine_shared(is_wanted: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Hold the machine's lock shared, so that no exclusive work runs on the machine.

    The block also runs without the lock if the machine cannot be locked, or after a wait of ``PATIENCE_S``.

    :raises NotWantedError: ``is_wanted()`` became False during the wait.
    """
    with ExitStack() as inside, ExitStack() as entering:
        try:
            for name, stack in ((_DOOR, entering), (_INSIDE, inside)):
                descriptor = _open_lock_file(name)
                stack.callback(os.close, descriptor)
                _wait_for(descriptor, fcntl.LOCK_SH, is_wanted)
        except OSError:
            pass
        entering.close()
        yield


def call_with_shared_lock(function: Callable[..., Answer], *args: Any) -> Answer:
    """Call a function while the machine's lock is held shared, and return its answer."""
    with machine_shared():
        return function(*args)


def _open_lock_file(name: str) -> int:
    """Return a descriptor of a lock file, which is created if necessary."""
    path = LOCKS / name
    # Without O_NONBLOCK, opening a pipe that somebody has put in its place would block.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        descriptor = os.open(path, flags | os.O_CREAT, 0o644)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no file, so no lock; have its owner remove it", str(path))
    return descriptor


def _wait_for(descriptor: int, kind: int, is_wanted: Callable[[], bool]) -> None:
    """Take a lock; during the wait, log the holder now and then.

    :raises OSError: others have held it for ``PATIENCE_S``.
    """
    begin, said_at = time.monotonic(), -math.inf
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if not is_wanted():
                raise NotWantedError from None
        else:
            return
        waited = time.monotonic() - begin
        if waited >= PATIENCE_S:
            reason = f"held for {PATIENCE_S:.0f} s by {_describe_holders(descriptor)}; end that"
            raise OSError(errno.ETIMEDOUT, reason, str(LOCKS / _INSIDE))
        if waited >= SAID_AFTER_S and waited - said_at >= _SAID_EVERY_S:
            _LOGGER.warning("waiting for the machine's lock, which is held by %s", _describe_holders(descriptor))
            said_at = waited
        time.sleep(_PAUSE_S)


def _describe_holders(descriptor: int) -> str:
    """Return the processes that hold a lock, in words."""
    state = os.fstat(descriptor)
    place = f"{os.major(state.st_dev):02x}:{os.minor(state.st_dev):02x}:{state.st_ino}"
    found = []
    with suppress(OSError):
        for line in _KERNELS_LOCKS.read_text().splitlines():
            fields = line.split()
            if place in fields and "->" not in fields:
                found.append(_describe_process(int(fields[fields.index(place) - 1])))
    return ", ".join(found) or "a process that cannot be seen from here"


def _describe_process(pid: int) -> str:
    """Return a process in words: id, name and user."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        return f"process {pid} ({one_line(process.name())}) of {process.username()}"
    return f"process {pid}"


@cache
def own_identity() -> SuiteIdentity:
    """Return the identity of this machine's suite, without a driver."""
    digest = hashlib.sha256()
    for path in find_specs(BUNDLED_SPECS):
        digest.update(path.relative_to(BUNDLED_SPECS).as_posix().encode())
        digest.update(path.read_bytes())
    return SuiteIdentity(version("nnvet"), digest.hexdigest()[:12])


def differences(wanted: SuiteIdentity, found: SuiteIdentity) -> str:
    """Describe the differences of ``found`` from ``wanted``; drivers are compared if both are known."""
    parts = [
        f"{what} {theirs} instead of {ours}"
        for what, ours, theirs in (
            ("nnvet", wanted.suite, found.suite),
            ("bundled specs", wanted.corpus, found.corpus),
            *_pair_drivers(wanted.driver, found.driver),
        )
        if ours != theirs
    ]
    return ", ".join(parts)


def _pair_drivers(wanted: DriverFacts | None, found: DriverFacts | None) -> list[tuple[str, str, str]]:
    """Return the facts to compare: name, and the value of each driver."""
    if wanted is None or found is None:
        return []
    names = ("name", "version", "type", "feature_level", "extensions")
    return [(f"driver {name}", str(getattr(wanted, name)), str(getattr(found, name))) for name in names]

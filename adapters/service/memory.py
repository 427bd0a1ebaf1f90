"""Memory of a service, for a watchdog that looks from outside.

A limit on the address space (RLIMIT_AS, RLIMIT_DATA) will not do: it makes allocations fail in places of the driver's
choice, counts shared pools or misses them, and forbids the terabytes that sanitizers and accelerators' libraries
reserve without using them. Pages that are there do harm, so these are counted.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

DEFAULT_LIMIT_MIB: Final = 4096
DEFAULT_LIMIT: Final = DEFAULT_LIMIT_MIB << 20
"""Bytes that a service may have, with all that it has started."""

RESERVED_BY_SANITIZERS: Final = 1 << 40
"""Bytes that a process has reserved only if it has a sanitizer, for shadow memory."""
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_BLOCK: Final = 512
_SHARED: Final = ("/memfd:", "/dev/shm/")  # noqa: S108 - nothing is put there
_RSS_SHMEM: Final = re.compile(r"^RssShmem:\s*(\d+) kB$", re.MULTILINE)
_MAPPING: Final = re.compile(r"(?P<begin>[0-9a-f]+)-(?P<end>[0-9a-f]+) ")
_DESCRIPTORS_EVERY: Final = 5
"""Weighings between two looks at descriptors, which cost more than all else."""


def limit_in_bytes(mib: int) -> int | None:
    """The limit that a user has given in MiB; None for 0, which is no limit."""
    return (mib << 20) or None


class Scale:
    """Weighs some processes, again and again."""

    def __init__(self) -> None:
        """Begin with a look at everything."""
        self._weighings = itertools.count()
        self._unmapped = 0

    def weigh(self, processes: Iterable[int]) -> int:
        """Bytes that the processes have; mapped pages that two of them share count twice. 0 for dead ones.

        Shared memory counts also where it is held by a descriptor alone. Descriptors are looked at now and then.
        """
        pids = list(processes)
        resident = sum(_resident(pid) for pid in pids)
        if next(self._weighings) % _DESCRIPTORS_EVERY == 0:
            held = dict(entry for pid in pids for entry in _shared_memory(pid))
            # What is mapped is among the resident pages already.
            self._unmapped = max(0, sum(held.values()) - sum(_mapped(pid) for pid in pids))
        return resident + self._unmapped


def _resident(pid: int) -> int:
    """Bytes of the resident pages of a process, but for the shadow memory of a sanitizer."""
    fields = _read(Path(f"/proc/{pid}/statm")).split()
    if not fields:
        return 0
    reserved, resident = (int(field) * _PAGE for field in fields[:2])
    return max(0, resident - _shadow(pid)) if reserved >= RESERVED_BY_SANITIZERS else resident


def _shadow(pid: int) -> int:
    """Bytes of the resident pages of mappings that are too large to be anything else."""
    found, is_shadow = 0, False
    for line in _read(Path(f"/proc/{pid}/smaps")).splitlines():
        if mapping := _MAPPING.match(line):
            is_shadow = int(mapping["end"], 16) - int(mapping["begin"], 16) >= RESERVED_BY_SANITIZERS
        elif is_shadow and line.startswith("Rss:"):
            found += int(line.split()[1]) << 10
    return found


def _mapped(pid: int) -> int:
    """Bytes of the shared memory among the resident pages of a process, without the pages of files."""
    found = _RSS_SHMEM.search(_read(Path(f"/proc/{pid}/status")))
    return int(found[1]) << 10 if found else 0


def _shared_memory(pid: int) -> Iterator[tuple[tuple[int, int], int]]:
    """Identity and bytes of the shared memory that a process has descriptors of."""
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return
    for descriptor in descriptors:
        with suppress(OSError):
            if str(descriptor.readlink()).startswith(_SHARED):
                status = descriptor.stat()
                yield (status.st_dev, status.st_ino), status.st_blocks * _BLOCK


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        # It has ended since it was listed, or this kernel does not tell.
        return ""

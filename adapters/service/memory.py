"""How much memory a service has, for a watchdog that looks from outside.

A limit on the address space (RLIMIT_AS, RLIMIT_DATA) will not do: it makes allocations fail in places of the driver's
choice, counts shared pools or misses them, and forbids the terabytes that sanitizers and accelerators' libraries
reserve without using them. Pages that are there do harm, so these are counted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

DEFAULT_LIMIT_MIB: Final = 4096
DEFAULT_LIMIT: Final = DEFAULT_LIMIT_MIB << 20
"""Bytes that a service may have, with all that it has started."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def limit_in_bytes(mib: int) -> int | None:
    """The limit that a user has given in MiB; None for 0, which is no limit."""
    return (mib << 20) or None


def resident_bytes(pid: int) -> int:
    """Memory of a process and of all that it has started; what two of them share counts twice. 0 for a dead one."""
    return sum(map(_resident, _tree(pid)))


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _read(thread).split():
            yield from _tree(int(child))


def _resident(pid: int) -> int:
    fields = _read(Path(f"/proc/{pid}/statm")).split()
    return int(fields[1]) * _PAGE if fields else 0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        # It has ended since it was listed, or this kernel does not tell.
        return ""

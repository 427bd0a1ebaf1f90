"""Shared memory that no driver can use: it must be refused, never touched (docs/contract/hal.md 8.2, 9 and 11.2)."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from nnvet.conformance.engine.arguments import read_only
from nnvet.generators.graphs.hal_model import create_pool
from nnvet.hal.enums import ErrorStatus
from nnvet.hal.memory import Ashmem, Handle, HardwareBuffer, MappableFile, Memory

_INVALID: Final = (ErrorStatus.INVALID_ARGUMENT,)
_REFUSED: Final = (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.GENERAL_FAILURE)
_READ_AND_WRITE: Final = mmap.PROT_READ | mmap.PROT_WRITE
_RGBA: Final = 1
_UNKNOWN_PROTECTION: Final = 0x100


@dataclass(frozen=True)
class InvalidMemory:
    """Memory that says it has ``size`` bytes, made by ``make``; using it ends with one of the ``statuses``.

    ``readable``: it can be read, just not written.
    """

    make: Callable[[int], Memory]
    statuses: tuple[ErrorStatus, ...] = _REFUSED
    readable: bool = False

    @property
    def is_described_wrongly(self) -> bool:
        """True if the description alone shows it, whatever the memory is."""
        return self.statuses == _INVALID


def _pages(size: int) -> int:
    """Memory of ``size`` bytes and a page behind them."""
    return -(-size // mmap.PAGESIZE) * mmap.PAGESIZE + mmap.PAGESIZE


def _file(size: int, protection: int = _READ_AND_WRITE, offset: int = 0) -> MappableFile:
    return MappableFile(create_pool(_pages(size), ()).handle, size, protection, offset)


def _pipe(size: int) -> Ashmem:
    ours, theirs = os.pipe()
    os.close(theirs)
    return Ashmem(Handle(ours), size)


def _short(size: int) -> Ashmem:
    return replace(create_pool(1, ()), size=_pages(size) + size)


INVALID_MEMORIES: Final = {
    "no_descriptor": InvalidMemory(lambda size: Ashmem(Handle(-1), size), _INVALID),
    "empty": InvalidMemory(lambda size: replace(create_pool(size, ()), size=0), _INVALID),
    "unknown_protection": InvalidMemory(lambda size: _file(size, _UNKNOWN_PROTECTION), _INVALID),
    "no_protection": InvalidMemory(lambda size: _file(size, 0)),
    "read_only_file": InvalidMemory(lambda size: _file(size, mmap.PROT_READ), readable=True),
    "read_only_descriptor": InvalidMemory(lambda size: read_only(create_pool(size, ())), readable=True),
    "offset_behind_end": InvalidMemory(lambda size: _file(size, offset=_pages(size))),
    "offset_negative": InvalidMemory(lambda size: _file(size, offset=-mmap.PAGESIZE)),
    "too_short": InvalidMemory(_short),
    "too_large": InvalidMemory(lambda size: replace(create_pool(size, ()), size=2**62)),
    "pipe": InvalidMemory(_pipe),
    "opaque": InvalidMemory(lambda size: HardwareBuffer(create_pool(size, ()).handle, size, format=_RGBA)),
}
"""Invalid memory by what is wrong with it."""

"""Counters for the edges of native code, in this process and in services, which guide libFuzzer.

The driver is compiled together with ``native_counters.c``, which counts in a file that :data:`VARIABLE` names. This
module maps the same file, so that the counters of a service guide the fuzzer as those of Python do.

The module also deals with preloaded libraries (LD_PRELOAD), such as the runtime of a sanitizer. They are meant for the
driver. In the fuzzer's own process they would slow it down, and end it when C++ throws an exception in a library that
was loaded later. So a fuzzer of a service starts without them and hands them on to the service.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from nnvet.hal.types import OwnedHandle

SOURCE: Final = Path(__file__).with_name("native_counters.c")
"""The C file that a driver is compiled together with."""
VARIABLE: Final = "NNVET_EDGES"
"""Environment variable with the path of the file of counters."""
NATIVE_EDGES: Final = "nnvet: native edges:"
"""Beginning of the line in which a process of the fuzzer prints the number of counted edges of native code."""
_MAGIC: Final = 0x6E766364
"""First number of the file; ``native_counters.c`` has the same constants."""
_MOST_AREAS: Final = 255
_SLOTS: Final = 1 << 17
_EDGES: Final = 1 << 16
_PAGE: Final = 1 << 16
"""Alignment, in bytes, of what follows the header of the file."""
_SIZE: Final = 1 << 26
"""Size of the file; most of it is never touched, and takes no memory."""
_LEAST: Final = 256
"""Size of the first block of counters; each further block doubles the number that libFuzzer has."""
_AHEAD: Final = 64
"""Spare counters that libFuzzer has in advance, so that an edge counts when it is taken for the first time."""


class _Area(ctypes.Structure):
    _fields_: ClassVar = [(name, ctypes.c_uint64) for name in ("key", "begin", "count")]


class _Slot(ctypes.Structure):
    _fields_: ClassVar = [(name, ctypes.c_uint64) for name in ("key", "number")]


class _Shared(ctypes.Structure):
    """``struct shared`` of ``native_counters.c``."""

    _fields_: ClassVar = [
        ("magic", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in ("size", "end", "edges")),
        ("areas", _Area * _MOST_AREAS),
        ("slots", _Slot * _SLOTS),
        ("counters", ctypes.c_uint8 * _EDGES),
    ]


class Counters(NamedTuple):
    """A block of counters: its offset in the memory, and their number."""

    begin: int
    size: int


class NativeEdges:
    """The counters of all native code in this process and its services, for as long as the process lives."""

    def __init__(self) -> None:
        """Create the memory, and name it in the environment for all code that is started or loaded from now on."""
        self._file = OwnedHandle(os.memfd_create("nnvet-edges"))
        os.ftruncate(self._file.fd, _SIZE)
        self.memory = mmap.mmap(self._file.fd, _SIZE)
        self._shared = _Shared.from_buffer(self.memory)
        self._shared.size = _SIZE
        self._shared.end = -(-ctypes.sizeof(_Shared) // _PAGE) * _PAGE
        self._shared.magic = _MAGIC
        self.given: list[Counters] = []
        self._areas: set[int] = set()
        self._edges = 0
        os.environ[VARIABLE] = f"/proc/{os.getpid()}/fd/{self._file.fd}"

    @property
    def address(self) -> int:
        """Return the address of the memory in this process."""
        return ctypes.addressof(self._shared)

    @property
    def count(self) -> int:
        """Return the number of counted edges: with gcc those that have been taken, with clang all that exist."""
        areas = sum(self._shared.areas[number].count for number in self._used())
        return int(areas + min(self._shared.edges, _EDGES))

    def _used(self) -> Iterator[int]:
        """Return the numbers of complete areas; a process may have died before it made the counters of its area."""
        for number in range(_MOST_AREAS):
            if not self._shared.areas[number].key:
                return
            if self._shared.areas[number].begin:
                yield number

    def new(self) -> Iterator[Counters]:
        """Return counters that have not been given to libFuzzer yet; each of them is 0."""
        for number in self._used():
            if number not in self._areas:
                self._areas.add(number)
                area = self._shared.areas[number]
                yield self._cleared(Counters(area.begin, area.count))
        while self._edges < min(self._shared.edges + _AHEAD, _EDGES):
            more = max(self._edges, _LEAST)
            yield self._cleared(Counters(_Shared.counters.offset + self._edges, more))
            self._edges += more

    def _cleared(self, counters: Counters) -> Counters:
        begin, size = counters
        self.memory[begin : begin + size] = bytes(size)
        self.given.append(counters)
        return counters

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Restore, after the block, the counters that have been given to libFuzzer."""
        kept = [(begin, self.memory[begin : begin + size]) for begin, size in self.given]
        try:
            yield
        finally:
            for begin, values in kept:
                self.memory[begin : begin + len(values)] = values


PRELOAD: Final = "LD_PRELOAD"
_KEPT: Final = "NNVET_SERVICE_PRELOAD"
"""Variable that keeps, for the service, the libraries that the fuzzer itself is started without."""
_SHADOW: Final = 2
"""Memory of a process with a sanitizer, relative to one without: an estimate."""
_QUARANTINE_MIB: Final = 512
"""Further memory of such a process: an estimate of the freed memory that a sanitizer holds back."""


def environment_of(*, in_process: bool) -> Mapping[str, str]:
    """Return the environment of a process that fuzzes a driver, in itself or in a service."""
    environment = dict(os.environ)
    preload = environment.pop(PRELOAD, "")
    if not preload:
        return environment
    return {**environment, PRELOAD if in_process else _KEPT: preload}


def enable_preload() -> None:
    """Let child processes preload the libraries that this process was started without."""
    preload = os.environ.pop(_KEPT, "")
    if preload:
        os.environ[PRELOAD] = preload


def kill_group(process: subprocess.Popen[Any]) -> None:
    """Kill a process that leads a session of its own, with all its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def memory_with_sanitizer(mib: int, *, in_process: bool) -> int:
    """Return the memory limit, in MiB, of a process whose driver may use ``mib``; a sanitizer needs more."""
    is_preloaded = in_process and "san" in os.environ.get(PRELOAD, "")
    return _SHADOW * mib + _QUARANTINE_MIB if is_preloaded else mib

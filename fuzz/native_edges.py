"""Counters for the edges of native code, in this process and in services, by which libFuzzer is guided.

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

from nnvet.hal.memory import OwnedHandle

SOURCE: Final = Path(__file__).with_name("native_counters.c")
"""The file that a driver is compiled together with."""
VARIABLE: Final = "NNVET_EDGES"
_MAGIC: Final = 0x6E766364
_MOST_AREAS: Final = 255
_SLOTS: Final = 1 << 17
_EDGES: Final = 1 << 16
_PAGE: Final = 1 << 16
_SIZE: Final = 1 << 26
"""Of the file, most of which is never touched."""
_LEAST: Final = 256
"""Counters of edges that become known one by one are given out so many at a time, then twice as many, and so on."""
_AHEAD: Final = 64
"""So many more of them are given out than are known: an edge is to count when it is taken for the first time."""


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
    """So many counters from an offset of the memory on."""

    begin: int
    size: int


class NativeEdges:
    """The counters of all native code that this process and its services run, for as long as it lives."""

    def __init__(self) -> None:
        """Make memory without counters, which whatever is started or loaded from now on finds by its environment."""
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
        """Address of the memory in this process."""
        return ctypes.addressof(self._shared)

    @property
    def count(self) -> int:
        """Edges that are counted. With gcc these are the edges that have been taken, with clang all that there are."""
        areas = sum(self._shared.areas[number].count for number in self._used())
        return int(areas + min(self._shared.edges, _EDGES))

    def _used(self) -> Iterator[int]:
        """Numbers of areas whose counters are there; a process may have died before it had made those of one."""
        for number in range(_MOST_AREAS):
            if not self._shared.areas[number].key:
                return
            if self._shared.areas[number].begin:
                yield number

    def new(self) -> Iterator[Counters]:
        """Counters that have not been given out yet, each of them 0."""
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
        """Let the block leave no trace in counters that have been given out."""
        kept = [(begin, self.memory[begin : begin + size]) for begin, size in self.given]
        try:
            yield
        finally:
            for begin, values in kept:
                self.memory[begin : begin + len(values)] = values


PRELOAD: Final = "LD_PRELOAD"
_KEPT: Final = "NNVET_SERVICE_PRELOAD"
_SHADOW: Final = 2
"""Memory that a process with a sanitizer has for each byte that it uses, about."""
_QUARANTINE_MIB: Final = 512


def environment_of(*, in_process: bool) -> Mapping[str, str]:
    """The environment of a process that asks a driver, in itself or in a service."""
    environment = dict(os.environ)
    preload = environment.pop(PRELOAD, "")
    if not preload:
        return environment
    return {**environment, PRELOAD if in_process else _KEPT: preload}


def enable_preload() -> None:
    """Let child processes preload the libraries without which this process was started."""
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

"""Readings of a running command: its own processes, its driver services, and whatever the command leaves behind.

:func:`watch` runs a command for ``__main__.py``; ``judging.py`` judges the :class:`Record` that it returns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import psutil

MARK_VARIABLE: Final = "NNVET_SOAK"
"""Environment variable that marks all processes that a soak test starts, to find those left behind."""

_SERVICE: Final = "nnvet.adapters.service.main"
"""Module that runs a driver in a process of its own, by which services are recognised."""
_SHARED: Final = Path("/dev/shm")  # noqa: S108 - it is only looked at
"""Folder of shared memory."""
_KEPT: Final = 2000
"""Number of characters of the end of the output that a record keeps."""
_MIB: Final = 1 << 20
"""Bytes of a MiB."""
_LEAVING_S: Final = 15.0
"""Seconds that services may take to end after their command."""


@dataclass(frozen=True)
class Reading:
    """Totals of some processes at one time; sizes in MiB."""

    at_s: float
    processes: int
    memory: float
    shared: float
    descriptors: int
    threads: int


@dataclass
class Record:
    """Readings of one command from its start to its end, and everything that the command has left behind.

    ``runner`` are readings of the suite's own processes, ``services`` those of driver services; ``output`` is the end
    of the command's output.
    """

    command: str
    exit_code: int = 0
    took_s: float = 0.0
    runner: list[Reading] = field(default_factory=list)
    services: list[Reading] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    output: str = ""

    def plain(self) -> dict[str, object]:
        """Return the record as values that JSON can express."""
        return asdict(self)


def watch(command: Sequence[str], place: Path, *, every_s: float, limit_s: float) -> Record:
    """Run a command to its end, and read its processes every ``every_s`` seconds; kill it after ``limit_s``.

    Its output and its temporary files are put into the folder ``place``.
    """
    temporary = place / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    before, mark = set(_SHARED.glob("*")), f"{os.getpid()}-{time.monotonic_ns()}"
    environment = {**os.environ, "TMPDIR": str(temporary), MARK_VARIABLE: mark}
    began = time.monotonic()
    record = Record(" ".join(command))
    with (place / "output.txt").open("wb") as output:
        process = psutil.Popen(command, stdout=output, stderr=output, env=environment)
        while process.poll() is None:
            now = time.monotonic() - began
            if now > limit_s:
                record.left.append(f"the command has not ended after {limit_s:.0f} s")
                process.kill()
            runner, services = _split(process)
            record.runner += _readings(now, runner)
            record.services += _readings(now, services)
            time.sleep(every_s)
        record.exit_code = process.wait()
    record.output = (place / "output.txt").read_text(encoding="utf-8", errors="replace")[-_KEPT:]
    record.took_s = time.monotonic() - began
    record.left += [f"process {name}" for name in _left_processes(mark)]
    record.left += [f"file {path.name}" for path in sorted(temporary.iterdir())]
    record.left += [f"shared memory {path.name}" for path in sorted(set(_SHARED.glob("*")) - before) if _is_ours(path)]
    return record


def _split(process: psutil.Process) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """Return the suite's own processes, and those of services with all that these have started."""
    runner, services = [process], list[psutil.Process]()
    with suppress(psutil.Error):
        for child in process.children(recursive=True):
            with suppress(psutil.Error):
                above = {parent.pid for parent in child.parents()}
                is_service = _SERVICE in child.cmdline() or above & {other.pid for other in services}
                (services if is_service else runner).append(child)
    return runner, services


def _readings(now: float, processes: Iterable[psutil.Process]) -> Iterator[Reading]:
    """Yield one reading of all processes together; nothing if none is alive."""
    found = []
    for process in processes:
        with suppress(psutil.Error), process.oneshot():
            memory = process.memory_info()
            found.append((memory.rss / _MIB, memory.shared / _MIB, process.num_fds(), process.num_threads()))
    if found:
        memory, shared, descriptors, threads = map(sum, zip(*found, strict=True))
        yield Reading(now, len(found), memory, shared, int(descriptors), int(threads))


def _left_processes(mark: str) -> list[str]:
    """Return the processes of an ended command that are still alive after the time that services may take to end."""
    until = time.monotonic() + _LEAVING_S
    while (names := list(_carriers(mark))) and time.monotonic() < until:
        time.sleep(0.1)
    return names


def _carriers(mark: str) -> Iterator[str]:
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARK_VARIABLE) == mark and process.status() != psutil.STATUS_ZOMBIE:
                yield f"{process.pid} {process.name()}"


def _is_ours(path: Path) -> bool:
    with suppress(OSError):
        return "nnvet" in path.name and path.stat().st_uid == os.geteuid()
    return False

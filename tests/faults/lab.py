"""Runs scenarios under faults, each in a fork of a process that has loaded the rewritten modules of the product."""

from __future__ import annotations

import gc
import os
import select
import shutil
import signal
import sys
import threading
import time
from marshal import dumps
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.faults.daily import FAILED, HISTORY, SHARDS
from tests.faults.injector import RUNNER, VARIABLE, Fault, Orders, install
from tests.faults.scenarios import WHOLE, Scenario, make
from tests.faults.sites import ROOT, product_files, rewritten

_WATCHDOG_MS: Final = 90_000
_SETTLED_S: Final = 10.0
_LOG: Final = "run.jsonl"
_KEPT: Final = {
    WHOLE: "whole",
    FAILED: "failed",
    HISTORY: "dated",
    **{shard: f"shard-{number}" for number, shard in enumerate(SHARDS, 1)},
}
"""Places of the results of these, which other scenarios use."""
_STAY: Final = ("MainThread", "launched", "reference-watchdog")
"""Threads of drivers in this process that wait for more work."""


class Ended(msgspec.Struct):
    """Remains of a fork: exit codes of the command and of its repetition, and additional resources.

    That is: descriptors, threads (by name) and child processes (by command).
    """

    code: int
    again: int
    descriptors: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()


class Try(msgspec.Struct):
    """A fork's folder, and how it ended; None if it did not."""

    folder: Path
    ended: Ended | None = None

    @property
    def out(self) -> Path:
        """Folder to which the command writes."""
        return self.folder / "out"

    @property
    def notes(self) -> Path:
        """See :class:`tests.faults.injector.Orders`; after a fault it holds the log as it was then."""
        return self.folder / "notes"

    @property
    def first_log(self) -> Path:
        """The log of the command, before it was run again."""
        return self.folder / "first.jsonl"

    @property
    def log(self) -> Path:
        """The log now."""
        return self.out / _LOG

    @property
    def printed(self) -> str:
        """Output of the command."""
        return (self.folder / "printed").read_text(errors="replace")


class Lab:
    """Forks tries in a folder."""

    def __init__(self, folder: Path) -> None:
        """Write the rewritten code, load it, and make what the scenarios find."""
        self._folder = folder
        self._made = folder / "made"
        self._code = folder / "code"
        self._count = 0
        self._code.mkdir(parents=True)
        make(self._made)
        self.failures = _write_code(self._code)
        os.environ |= {VARIABLE: _text(Orders(str(self._code))), "NNVET_DRIVER_STATE": str(folder / "state")}
        install(Orders(str(self._code)), RUNNER)
        _load()

    def run(self, scenario: Scenario, fault: Fault | None = None) -> Try:
        """Run a scenario in a fork, undisturbed, or under a fault and then once more without."""
        self._count += 1
        attempt = Try(self._folder / f"{self._count:05}")
        attempt.folder.mkdir()
        scenario.begin(attempt.out, self._made)
        child = os.fork()
        if child == 0:
            self._in_fork(scenario, fault, attempt)
        attempt.ended = _awaited(child, attempt.folder / "ended")
        if fault is None and scenario in _KEPT:
            shutil.copytree(attempt.out, self._made / _KEPT[scenario], dirs_exist_ok=True)
        return attempt

    def _in_fork(self, scenario: Scenario, fault: Fault | None, attempt: Try) -> None:
        code = 70
        try:
            os.setsid()
            descriptor = os.open(attempt.folder / "printed", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            os.close(descriptor)
            os.environ["NNVET_DRIVER_STATE"] = str(attempt.folder / "state")
            orders = Orders(str(self._code), str(attempt.notes), fault, str(attempt.log))
            os.environ[VARIABLE] = _text(orders)
            injector = install(orders, RUNNER)
            before = _descriptors()
            result = scenario.act(scenario.command(attempt.out, self._made))
            injector.disarm()
            os.environ[VARIABLE] = _text(Orders(str(self._code)))
            left = _left(before)
            if attempt.log.exists():
                shutil.copy(attempt.log, attempt.first_log)
            is_repeated = fault is not None and scenario.is_repeated
            again = scenario.act(scenario.command(attempt.out, self._made)) if is_repeated else scenario.code
            (attempt.folder / "ended").write_bytes(msgspec.json.encode(Ended(result, again, *left)))
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)


def _write_code(folder: Path) -> dict[str, tuple[int, ...]]:
    """Write the rewritten code of all modules with sites; returns the sites."""
    sites: dict[str, tuple[int, ...]] = {}
    for path in product_files():
        tree, found = rewritten(path)
        if found:
            sites |= found
            place = path.relative_to(ROOT)
            name = ".".join(("nnvet", *place.with_suffix("").parts)).removesuffix(".__init__")
            (folder / name).write_bytes(dumps(compile(tree, str(ROOT / "src" / "nnvet" / place), "exec")))
    return sites


def _load() -> None:
    """Import what the commands import when they run, without starting a thread."""
    from nnvet.commands import drawing, main, utilities  # noqa: F401, PLC0415
    from nnvet.commands.actions import bench, run  # noqa: F401, PLC0415
    from nnvet.conformance import smoke  # noqa: F401, PLC0415
    from nnvet.conformance.kit.checks import checks  # noqa: PLC0415
    from nnvet.reference_driver import create  # noqa: F401, PLC0415
    from nnvet.reference_driver.zoo import registry  # noqa: F401, PLC0415

    checks()
    gc.collect()
    gc.freeze()


def _awaited(child: int, place: Path) -> Ended | None:
    """Return the end of a fork; None if it does not end, or dies."""
    descriptor = os.pidfd_open(child)
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    if not poller.poll(_WATCHDOG_MS):
        os.killpg(child, signal.SIGKILL)
    os.close(descriptor)
    os.waitpid(child, 0)
    return msgspec.json.decode(place.read_bytes(), type=Ended) if place.exists() else None


def _left(before: set[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the additional resources of this process, once threads and processes that are ending have ended."""
    end = time.monotonic() + _SETTLED_S
    while True:
        gc.collect()
        threads = tuple(thread.name for thread in threading.enumerate() if thread.name not in _STAY)
        left = tuple(sorted(_descriptors() - before)), threads, _processes()
        if not any(left) or time.monotonic() > end:
            return left
        time.sleep(0.01)


def _descriptors() -> set[str]:
    """Open descriptors by number, with the files behind them."""
    found = set()
    for place in Path("/proc/self/fd").iterdir():
        try:
            found.add(f"{place.name} {place.readlink()}")
        except FileNotFoundError:
            continue
    return {path for path in found if "/proc/" not in path}


def _processes() -> tuple[str, ...]:
    """Commands of our children, and of theirs that have lost their parents."""
    import psutil  # noqa: PLC0415

    return tuple(" ".join(child.cmdline()) or child.name() for child in psutil.Process().children(recursive=True))


def _text(orders: Any) -> str:
    return msgspec.json.encode(orders).decode()

"""Runs of the suite under attack, each in its own process: starts them, and observes what they do and leave."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

import psutil

from nnvet.conformance.engine.catalogue import Catalogue
from nnvet.conformance.engine.selection import Selection
from nnvet.reports.log import Log, LogError, read_log

PATIENCE_S: Final = 300.0
"""After so long without an end something hangs, on a machine under any load."""
SLOW: Final = f"python:{Path(__file__).parents[1] / 'drivers' / 'slow_driver.py'}:slow"
POLL_S: Final = 0.02
_MARK: Final = "NNVET_ATTACK"
_ROLES: Final = {"worker": "nnvet.conformance.engine.worker", "service": "nnvet.adapters.service.main"}
_RESULTS: Final = {"run.jsonl", "report.html", "junit.xml", "summary.md", "result.json", "failures"}


@dataclass
class _Seen:
    """Position up to which a log has been read."""

    inode: int = 0
    offset: int = 0
    cases: int = 0


class Run:
    """``nnvet run`` into ``out`` of a folder, which can be started again and again.

    What it prints is in ``printed``, temporary files and the state of drivers are in folders of their own.
    """

    def __init__(self, folder: Path, only: str, *options: str, program: Sequence[str] = ()) -> None:
        """Cases are chosen by the glob ``only``; ``program`` runs the command in place of Python's ``-m``."""
        self.out, self.printed, self.temporary = folder / "out", folder / "printed.txt", folder / "tmp"
        self.temporary.mkdir(parents=True)
        self.log = self.out / "run.jsonl"
        self._mark = str(uuid4())
        self._program = program or (sys.executable, "-m", "nnvet.commands")
        self._options = ("--only", only, "--out", str(self.out), *options)
        state = {"TMPDIR": str(self.temporary), "NNVET_DRIVER_STATE": str(folder / "state")}
        self._seen = _Seen()
        self._environment = {**os.environ, **state, _MARK: self._mark}

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        """Start the runner, in a session of its own; the caller waits for it."""
        with self.printed.open("wb") as printed:
            return subprocess.Popen(
                [*self._program, "run", *self._options, *options],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,
            )

    def finish(self, *options: str) -> int:
        """Run to the end; the exit code."""
        with self.start(*options) as process:
            return ended(process)

    @property
    def said(self) -> str:
        """Output of the last runner and its processes."""
        return self.printed.read_text(encoding="utf-8", errors="replace")

    def finished_cases(self) -> int:
        """Return the number of cases that have ended according to the log."""
        with suppress(OSError), self.log.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_ino != self._seen.inode or status.st_size < self._seen.offset:
                self._seen = _Seen(status.st_ino)
            file.seek(self._seen.offset)
            whole = file.read()
            whole = whole[: whole.rfind(b"\n") + 1]
            self._seen.offset += len(whole)
            self._seen.cases += whole.count(b'"event":"case_finished"')
        return self._seen.cases

    def processes(self, role: str) -> list[psutil.Process]:
        """The living processes of a role, worker or service, oldest first."""
        found = [process for process in self._family() if _ROLES[role] in _command(process)]
        return sorted(found, key=lambda process: process.pid)

    def survivors(self) -> list[str]:
        """Command lines of the processes that are left, once there has been time to end."""
        left: list[psutil.Process] = []

        def all_gone() -> bool:
            left[:] = self._family()
            return not left

        until(all_gone, PATIENCE_S / 5)
        return [" ".join(_command(process)) for process in left]

    def leftovers(self) -> list[str]:
        """Temporary files, and what lies among the results that is none."""
        kept = [path.name for path in self.out.iterdir() if path.name not in _RESULTS] if self.out.exists() else []
        return sorted(kept + [path.name for path in self.temporary.iterdir()])

    def _family(self) -> Iterator[psutil.Process]:
        """The living processes that the runner has started, whatever their parent is now, and the runner."""
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get(_MARK) == self._mark and process.status() != psutil.STATUS_ZOMBIE:
                    yield process


def _command(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def until(holds: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Wait until something holds; whether it did in time."""
    end = time.monotonic() + patience_s
    while not (done := holds()) and time.monotonic() < end:
        time.sleep(POLL_S)
    return done


def ended(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a runner; one that does not end is killed."""
    try:
        return process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def listed(only: str, *, full: bool = False) -> set[str]:
    """The ids of the cases that a run is to have, as they are listed without running any."""
    return {case.id for case in Catalogue().cases(Selection((only,), full=full))}


def log_of(run: Run) -> Log | str:
    """The log, or a description of its damage."""
    try:
        return read_log(run.log)
    except LogError as error:
        return str(error)

"""Drivers that try to escape from a sandbox; reached as ``python:…/confined.py:NAME``."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from tests.drivers.misbehaving import WellBehaved, orphan

PORT_VARIABLE = "NNVET_TEST_PORT"
"""Port of this machine on which a test listens."""


def outcome_of(attempt: Callable[[], object]) -> str:
    """The result of an attempt, or the name of its error."""
    try:
        return str(attempt())
    except OSError as error:
        return type(error).__name__ if error.errno is None else os.strerror(error.errno)


class Explores(WellBehaved):
    """Tries forbidden actions, and returns the outcomes as its version."""

    def get_version_string(self) -> str:
        """Outcomes by attempt, as JSON."""
        here = Path(__file__).parent / "written.txt"
        shared = Path("/tmp/written.txt")
        address = ("127.0.0.1", int(os.environ[PORT_VARIABLE]))
        attempts: dict[str, Callable[[], object]] = {
            "beside its file": lambda: here.write_text("x"),
            "temporary": lambda: shared.write_text("x"),
            "network": lambda: socket.create_connection(address, 5).close(),
            "processes": lambda: sum(path.name.isdecimal() for path in Path("/proc").iterdir()),
            "its parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
            "capabilities": lambda: Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0],
            "devices": lambda: " ".join(sorted(path.name for path in Path("/dev").iterdir())),
            "run": lambda: sorted(Path("/run").iterdir()),
        }
        return json.dumps({name: outcome_of(attempt) for name, attempt in attempts.items()})


class Counts(WellBehaved):
    """Counts its starts in its private folder, and tells the number as its version."""

    def get_version_string(self) -> str:
        """The number of calls of all processes so far."""
        place = Path("/tmp/starts")
        place.write_text((place.read_text() if place.exists() else "") + "x")
        return str(len(place.read_text()))


class KillsParents(WellBehaved):
    """Has a process in a session of its own kill all of its parents, one after the other, and dies."""

    def get_version_string(self) -> str:
        """Never returns."""
        orphan(self._kill)
        # SystemExit would be a status of the driver like any other exception, and no death.
        os._exit(3)

    @staticmethod
    def _kill() -> None:
        while (parent := os.getppid()) > 1:
            os.kill(parent, signal.SIGKILL)
        # Those of other namespaces have to let it be, as the kernel does for the first process of each.
        os.kill(parent, signal.SIGKILL)


class LeavesASession(WellBehaved):
    """Starts a program in a session of its own and without environment during the first call, and leaves it running."""

    def get_version_string(self) -> str:
        """Any result; the program runs without end."""
        return str(orphan(lambda: os.execve("/bin/sleep", ["sleep", "1017"], {})))  # noqa: S606 - that is the misdeed

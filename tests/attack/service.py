"""A service process of the bundled driver, which attacks are made on or through."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from nnvet.adapters.driver import Driver
from nnvet.adapters.selector import parse_selector
from nnvet.adapters.service.process import ServiceProcess
from nnvet.transport.wire.client import unknown_state
from nnvet.transport.wire.failures import DeathEvidence
from tests.attack.middleman import Middleman

PATIENCE_S: Final = 30.0
"""Time that an honest driver or client may take on a busy machine."""
_START_S: Final = 240.0
"""Time for a service to start on a machine that has much else to do; it is not what is attacked."""

SERVICE: Final = (sys.executable, "-P", "-m", "nnvet.adapters.service.main")
Connect = Callable[[], socket.socket]


@contextmanager
def serving(folder: Path) -> Iterator[tuple[ServiceProcess, Connect]]:
    """A service that listens on a socket in ``folder`` while the block runs, and how to connect to it."""
    path = folder / "driver.socket"
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = (*SERVICE, "--socket", str(path), "reference")
        process = ServiceProcess(command, theirs.fileno(), {"NNVET_DRIVER_STATE": str(folder)})
    try:
        while "ready" not in process.output.text():
            process.output.heard.clear()
            if not process.output.heard.wait(_START_S):
                raise TimeoutError(process.output.text())
        yield process, partial(_connected, path)
    finally:
        process.kill()


def _connected(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE_S)
    connection.connect(str(path))
    return connection


class DriverBehind(Driver):
    """The bundled driver in a service, with a relay on each connection."""

    def __init__(self, connect: Connect, middleman: Middleman) -> None:
        """Connect; raises like any driver."""
        self._new_connection = connect
        self._middleman = middleman
        super().__init__(parse_selector("reference"), PATIENCE_S, PATIENCE_S)

    def take_time(self, timeout_s: float) -> None:
        """Set the time limit of each answer from now on, also after a restart."""
        self.timeout_s = self.start_timeout_s = self.session.timeout_s = timeout_s

    def _connect(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        self._middleman.link(theirs, self._new_connection())
        return ours

    def connection_of_client(self) -> socket.socket:
        """Another connection, which also has a relay."""
        return self._connect()

    def _diagnose(self, dead: bool) -> DeathEvidence:
        return unknown_state(dead)

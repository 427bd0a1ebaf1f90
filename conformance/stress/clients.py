"""Client processes of a test: started, given a connection to the driver each, heard, killed on purpose, accounted for.

A client gets its connection when its Python runs, not before: a service need not wait for whoever says nothing.

Which of them die early, and when, is drawn from the seed: of N clients just the asked share, each at its own time.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from nnvet.adapters import Driver
from nnvet.adapters.service.process import ServiceProcess
from nnvet.conformance.engine.driver import connection_to
from nnvet.conformance.engine.outcome import Outcome
from nnvet.conformance.stress.messages import Awake, Beat, ClientOrder, ClientReport
from nnvet.reports.events import Verdict
from nnvet.transport.wire.limits import longest_s
from nnvet.transport.wire.messages import CLIENT_STARTS_S

_COMMAND: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.conformance.stress.client")
_MESSAGE_S: Final = 60
_EARLIEST, _LATEST = 0.25, 0.75
"""Parts of the duration between which a client dies that is to die early (MLTS: a quarter and a half)."""
_STARTING_S: Final = CLIENT_STARTS_S
_ENDING_S: Final = 10.0
_LEAVING_S: Final = 120.0
"""A client that has nothing more to say gets so long to leave its Python: no driver has a part in that."""
_TRYING_S: Final = 60.0
"""Time in which a client that is to die gets to do something first, however busy the machine is."""


class ClientProcess:
    """One client. ``dies_at_s`` are the seconds of work after which it is killed; None: it may end."""

    def __init__(self, driver: Driver, order: ClientOrder, dies_at_s: float | None = None) -> None:
        """Start it.

        :raises OSError: it cannot be started.
        """
        self._driver = driver
        self.order = order
        self.dies_at_s = dies_at_s
        self.report: ClientReport | None = None
        self.done = 0
        self.began: float | None = None
        self.was_killed = self.is_silent = False
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", _MESSAGE_S, 0))
            command = (*_COMMAND, str(theirs.fileno()))
            self.process = ServiceProcess(command, theirs.fileno(), {}, prints_stacks=True)
            self.control = Connection(ours.detach())

    def hear(self) -> bool:
        """Take in a message; False if nothing more will come.

        :raises CaseFailed: UNSUPPORTED, if the driver takes one client only.
        :raises DriverGone: the driver is not there to be connected with.
        """
        self.is_silent = not self._hear()
        return not self.is_silent

    def _hear(self) -> bool:
        if self.report is not None:
            return False
        try:
            message = self.control.recv()
        except (EOFError, OSError):
            return False
        if isinstance(message, Awake):
            return self._connect()
        if self.began is None:
            self.began = time.monotonic()
        if isinstance(message, Beat):
            self.done = message.done
            return True
        self.report = message
        self.done = message.done
        return False

    def _connect(self) -> bool:
        """Give it a connection to the driver, and its order; False if it has died meanwhile."""
        connection = connection_to(self._driver)
        try:
            with connection, socket.socket(fileno=os.dup(self.control.fileno())) as control:
                socket.send_fds(control, [b"\0"], [connection.fileno()])
            self.control.send(self.order)
        except OSError:
            return False
        return True

    def kill_if_due(self) -> None:
        """Kill it if its time has come; before that it has done something, or tried to for long."""
        if self.dies_at_s is None or self.began is None or self.was_killed:
            return
        late_s = time.monotonic() - self.began - self.dies_at_s
        if late_s >= (0 if self.done else _TRYING_S):
            self.was_killed = True
            self.process.kill()

    def outcome(self) -> Outcome | None:
        """Return the fault in how it has ended; None if there is none."""
        if not self.process.wait(_LEAVING_S if self.is_silent else _ENDING_S):
            stacks = self.process.evidence(dead=False)
            self.process.kill()
            return Outcome(Verdict.HANG, "driver/hang", "a client does not come back", {"client": stacks.as_dict()})
        evidence = self.process.evidence(dead=True)
        if self.was_killed and evidence.exit_code == -signal.SIGKILL:
            return None
        if evidence.exit_code == 0 and self.report is not None:
            return None
        reason = f"a client process {evidence.state}, which nobody had asked for"
        return Outcome(Verdict.CRASH, "", reason, {"crashed": "client", **evidence.as_dict()})


@dataclass(frozen=True)
class ClientEndings:
    """Ends of a test's clients: reports of those that came to their end, and the faults of the others.

    ``done_by_killed`` are the units of work that clients had done when they were killed, as far as they had said.
    """

    reports: Sequence[ClientReport]
    faults: Sequence[Outcome]
    killed: int
    done_by_killed: int


def early_deaths(count: int, share: float, duration_s: float, numbers: random.Random) -> list[float | None]:
    """For each of ``count`` clients when it dies, in seconds of its work; None: not. Just ``share`` of them die."""
    dying = set(numbers.sample(range(count), round(share * count)))
    return [duration_s * numbers.uniform(_EARLIEST, _LATEST) if number in dying else None for number in range(count)]


def attend(clients: Sequence[ClientProcess], duration_s: float, timeout_s: float) -> ClientEndings:
    """Hear clients to their end, and kill those that are to die; at last all are gone.

    What takes longer than ``duration_s`` with a start and an unanswered call is ended.

    :raises CaseFailed, DriverGone: a client cannot be connected with the driver; see :meth:`ClientProcess.hear`.
    """
    latest = time.monotonic() + _STARTING_S + duration_s + 2 * longest_s(timeout_s)
    heard: dict[Any, ClientProcess] = {client.control: client for client in clients}
    while heard and time.monotonic() < latest:
        for control in wait(list(heard), timeout=0.05):
            if not heard[control].hear():
                del heard[control]
        for client in clients:
            client.kill_if_due()
    faults = [outcome for client in clients if (outcome := client.outcome()) is not None]
    for client in clients:
        client.control.close()
    reports = [client.report for client in clients if client.report is not None]
    killed = [client for client in clients if client.was_killed]
    return ClientEndings(reports, faults, len(killed), sum(client.done for client in killed if client.report is None))


def await_work(clients: Sequence[ClientProcess]) -> None:
    """Wait until each client has done something, or can do no more; raises like :func:`attend`."""
    latest = time.monotonic() + _STARTING_S
    busy: dict[Any, ClientProcess] = {client.control: client for client in clients}
    while busy and time.monotonic() < latest:
        for control in wait(list(busy), timeout=0.05):
            if not busy[control].hear() or busy[control].done:
                del busy[control]


def end(clients: Sequence[ClientProcess]) -> None:
    """Kill all that are left."""
    for client in clients:
        client.process.kill()
        client.control.close()

"""The interface of connected drivers, which can be restarted after a crash and give evidence of why they ended.

Cases, stress tests and the benchmark use a :class:`Driver`. :mod:`nnvet.adapters.drivers` has the classes for drivers
on this machine and opens them; :mod:`nnvet.adapters.remote.driver` has the class for other machines. The calls
themselves go over :class:`nnvet.transport.wire.client.Session`.
"""

from __future__ import annotations

import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import psutil

from nnvet.adapters.selector import Selector, SelectorError
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device
from nnvet.hal.types import Handle
from nnvet.transport.wire import framing
from nnvet.transport.wire.carriers import Carrier
from nnvet.transport.wire.client import Session, patience
from nnvet.transport.wire.failures import DeathEvidence, DriverGone, Unintended
from nnvet.transport.wire.limits import Activity
from nnvet.transport.wire.methods import METHODS, SERVICE_ID

SOCKET_VARIABLE: Final = "NNVET_SOCKET_FD"
"""Environment variable with the descriptor of the connection, for a program that ``exec:`` starts."""


class Holdings(NamedTuple):
    """Resources of a driver's processes: open descriptors, threads, bytes in memory, and bytes of address space."""

    descriptors: int
    threads: int
    memory_bytes: int
    address_bytes: int


class Driver(ABC):
    """A connected driver. After a crash or hang, :meth:`restart` gives a fresh one."""

    def __init__(self, selector: Selector, timeout_s: float | None, start_timeout_s: float | None) -> None:
        """Connect. ``timeout_s`` bounds every call, ``start_timeout_s`` the start; None waits for ever.

        :raises SelectorError: if there is no such driver.
        :raises DriverGone: if it crashes or hangs while it starts.
        """
        self.selector = selector
        self.timeout_s = timeout_s
        self.start_timeout_s = start_timeout_s
        self.unintended = Unintended()
        self.session = self._open()

    @property
    def device(self) -> Device:
        """The driver's device; its calls raise HalError, DriverCrash or DriverHang, and nothing else."""
        return self.session.device

    @property
    def round_trip_s(self) -> float:
        """Return the time that a message takes to another machine and back, in seconds; 0.0 on this one."""
        return 0.0

    @property
    def alive(self) -> bool:
        """Return True until driver or connection are known to be lost."""
        return self.session.alive

    def kill(self) -> None:
        """End the driver at once."""
        self.session.close()

    def close(self) -> None:
        """Close the connection to the driver; its objects are released."""
        self.session.close()

    def part(self) -> DriverGone | None:
        """Close the driver like :meth:`close`, but return the fault if the process does not end properly by itself."""
        self.close()
        return None

    @contextmanager
    def another_client(self) -> Iterator[Device]:
        """Give the device as a second client of the same service sees it, while the block runs.

        :raises HalError: INVALID_ARGUMENT with rule ``wire/method`` if the service takes one client only.
        :raises DriverGone: if it crashes or hangs.
        """
        session = self._open_session(self.connection_of_client())
        try:
            yield session.device
        finally:
            session.close()

    def connection_of_client(self) -> socket.socket:
        """Return a fresh connection to the same service, for a client in this or another process.

        :raises HalError: INVALID_ARGUMENT with rule ``wire/method`` if the service takes only one client.
        :raises DriverGone: the driver crashes or hangs.
        :raises SelectorError: the service does not listen any more.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self.session.call(SERVICE_ID, METHODS["Service.open_client"], (Handle(theirs.fileno()),))
        except BaseException:
            ours.close()
            raise
        return ours

    def forget(self) -> None:
        """Forget the driver's output until now, and errors of calls sent until now."""
        self.unintended = Unintended()
        self.session.forget(self.unintended)

    @property
    def output(self) -> str:
        """Return the end of the process's output since :meth:`forget`, if the suite can read it."""
        return ""

    @property
    def state(self) -> str:
        """Return the state of the driver's process, with the threads' stacks if the suite started a Python driver."""
        evidence = self._diagnose(dead=False)
        return f"{evidence.state}\n{evidence.stderr_tail}".rstrip()

    def restart(self) -> None:
        """Replace the driver by a fresh one; objects of the old one are dead.

        :raises SelectorError: like the constructor, and so :class:`nnvet.transport.wire.failures.DriverGone`.
        """
        self.kill()
        self.session = self._open()

    def _open(self) -> Session:
        """Connect and shake hands; if that fails, no process is left behind. Raises like the constructor."""
        try:
            framing.frame_log()
        except OSError as error:
            raise SelectorError(f"the trace of frames ({framing.VARIABLE}) cannot be written: {error}") from error
        connection = self._connect()
        try:
            with patience(self.start_timeout_s):
                return self._open_session(connection)
        except BaseException as error:
            self._abandon()
            if isinstance(error, HalError):
                raise SelectorError(error.message) from error
            if isinstance(error, OSError | RuntimeError):
                raise SelectorError(f"driver '{self.selector}': cannot be reached: {error}") from error
            if isinstance(error, DriverGone):
                error.message += error.last_output + self._advice
            raise

    def _open_session(self, connection: socket.socket | Carrier) -> Session:
        return Session(
            connection, timeout_s=self.timeout_s, diagnose=self._diagnose, unintended=self.unintended, look=self._look
        )

    @property
    def pid(self) -> int | None:
        """Return the id of the driver's process; None if it is this process."""
        return None

    def holdings(self) -> Holdings | None:
        """Return the resources of the driver's processes; None if they cannot be seen.

        :raises psutil.Error: the process has ended, or may not be looked at.
        """
        process = psutil.Process(self.pid or os.getpid())
        family = [process, *process.children(recursive=True)]
        sizes = [member.memory_info() for member in family]
        return Holdings(
            sum(member.num_fds() for member in family),
            sum(member.num_threads() for member in family),
            sum(size.rss for size in sizes),
            max(size.vms for size in sizes),
        )

    @property
    def is_ours(self) -> bool:
        """Return True if the suite has started the driver's process, so that it may kill it."""
        return False

    @property
    def _advice(self) -> str:
        """Return advice about what a third party's program has to do when it starts."""
        if self.selector.kind.name != "exec":
            return ""
        return f"; the program has to speak docs/protocol.md on the descriptor that {SOCKET_VARIABLE} names"

    @abstractmethod
    def _connect(self) -> socket.socket | Carrier:
        """Return a fresh connection."""

    def _abandon(self) -> None:  # noqa: B027 - most have nothing to undo
        """End the process that :meth:`_connect` has started, because no session could be opened on its connection."""

    @abstractmethod
    def _diagnose(self, dead: bool) -> DeathEvidence:  # noqa: FBT001 - the form of Session's diagnose
        """Return the evidence about the driver's process; ``dead`` if its connection is lost."""

    def _look(self) -> Activity | None:
        """Return the activity of the driver's processes; None if it is unknown, as for a driver in this process."""
        return None

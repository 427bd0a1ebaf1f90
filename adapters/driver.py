"""A connected driver of any kind, which can be restarted after a crash, and gives evidence of its end."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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
"""Environment variable that tells a program started by ``exec:`` the descriptor of its connection."""


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
        """The device; calls raise HalError, DriverCrash or DriverHang, and nothing else."""
        return self.session.device

    @property
    def alive(self) -> bool:
        """True while driver and connection stand, as far as is known."""
        return self.session.alive

    def kill(self) -> None:
        """Be rid of the driver at once."""
        self.session.close()

    def close(self) -> None:
        """Part from the driver; its objects are released."""
        self.session.close()

    def part(self) -> DriverGone | None:
        """Part from the driver as :meth:`close` does, with time to end well; what was wrong with its end."""
        self.close()
        return None

    @contextmanager
    def another_client(self) -> Iterator[Device]:
        """The device as a second client of the same service sees it, while the block runs.

        :raises HalError: INVALID_ARGUMENT with rule ``wire/method`` if the service takes one client only.
        :raises DriverGone: if it crashes or hangs.
        """
        session = self._session(self.connection_of_client())
        try:
            yield session.device
        finally:
            session.close()

    def connection_of_client(self) -> socket.socket:
        """A connection to the same service that nobody has spoken on yet, for a client in this or another process.

        :raises HalError: INVALID_ARGUMENT with rule ``wire/method`` if the service takes one client only.
        :raises DriverGone: if it crashes or hangs.
        :raises SelectorError: nobody listens any more.
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
        """The end of what the driver's process has printed since :meth:`forget`, if we hear it."""
        return ""

    @property
    def state(self) -> str:
        """State of the driver's process and, of a Python driver that we have started, the stacks of its threads."""
        evidence = self._diagnose(dead=False)
        return f"{evidence.state}\n{evidence.stderr_tail}".rstrip()

    def restart(self) -> None:
        """Replace the driver by a fresh one; what belonged to the old one is dead.

        :raises SelectorError: like the constructor, and so :class:`nnvet.transport.wire.failures.DriverGone`.
        """
        self.kill()
        self.session = self._open()

    def _open(self) -> Session:
        try:
            framing.frame_log()
        except OSError as error:
            raise SelectorError(f"the trace of frames ({framing.VARIABLE}) cannot be written: {error}") from error
        connection = self._connect()
        try:
            with patience(self.start_timeout_s):
                return self._session(connection)
        except BaseException as error:
            self._abandon()
            if isinstance(error, HalError):
                raise SelectorError(error.message) from error
            if isinstance(error, OSError | RuntimeError):
                raise SelectorError(f"driver '{self.selector}': cannot be reached: {error}") from error
            if isinstance(error, DriverGone):
                error.message += error.last_output + self._advice
            raise

    def _session(self, connection: socket.socket | Carrier) -> Session:
        return Session(
            connection, timeout_s=self.timeout_s, diagnose=self._diagnose, unintended=self.unintended, look=self._look
        )

    @property
    def pid(self) -> int | None:
        """Id of the process that the driver lives in; None if that is our own."""
        return None

    @property
    def is_ours(self) -> bool:
        """True if the driver's process is one that we have started, and may kill."""
        return False

    @property
    def _advice(self) -> str:
        """Advice about what a program that somebody else wrote has to do when it starts."""
        if self.selector.kind.name != "exec":
            return ""
        return f"; the program has to speak docs/protocol.md on the descriptor that {SOCKET_VARIABLE} names"

    @abstractmethod
    def _connect(self) -> socket.socket | Carrier:
        """A connection that nobody has spoken on yet."""

    def _abandon(self) -> None:  # noqa: B027 - most have nothing to undo
        """End what :meth:`_connect` has started, when no session could be opened on its connection."""

    @abstractmethod
    def _diagnose(self, dead: bool) -> DeathEvidence:  # noqa: FBT001 - the form of Session's diagnose
        """State of the driver's process."""

    def _look(self) -> Activity | None:
        """Return the activity of the driver's processes; None if nothing is known, as of a driver in this process."""
        return None

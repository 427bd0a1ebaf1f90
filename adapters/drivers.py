"""Opening of drivers: in a service process, behind a socket, or in this process, all through the same wire.

Other packages call :func:`open_driver`, or :func:`open_device` for a device that they make themselves. Selectors are
parsed in :mod:`nnvet.adapters.selector`; service processes are started and watched in
:mod:`nnvet.adapters.service.process`; drivers on other machines are in :mod:`nnvet.adapters.remote.driver`.
"""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.driver import SOCKET_VARIABLE, Driver
from nnvet.adapters.remote.driver import REMOTE, RemoteDriver
from nnvet.adapters.selector import Kind, Selector, SelectorError, create_device, parse_selector
from nnvet.adapters.service import sanitizers
from nnvet.adapters.service.activity import DEFAULT_LIMIT
from nnvet.adapters.service.peer import PeerProcess
from nnvet.adapters.service.process import ServiceProcess
from nnvet.adapters.service.sandbox import Confinement, Sandbox
from nnvet.hal.interfaces import Device
from nnvet.transport.wire import framing
from nnvet.transport.wire.carriers import Carrier
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import DeathEvidence, DriverCrash, DriverGone
from nnvet.transport.wire.limits import Activity, WaitLimit
from nnvet.transport.wire.server import ServiceSession

DEFAULT_TIMEOUT_S: Final = 60.0
"""Time limit for every call, unless the user gives another one (``--timeout``)."""
DEFAULT_START_TIMEOUT_S: Final = 60.0
"""Time limit for the start of a driver in Python, whatever the limit for calls is."""
_NATIVE: Final = ("ndk", "sl", "litert")
"""Kinds of libraries, whose constructors and first functions run while the service starts: their start is limited like
a call. A driver in Python may have to be compiled or fetched first, so it gets more time."""
_LEAST_START_S: Final = 5.0
"""The shortest time limit for the start of a library, because the imports of its service may wait for the disk."""

_BUNDLED: Final = ("reference", "zoo")
"""Kinds that use the bundled driver's machine code."""
_MAKE_CODE: Final = "from nnvet.reference_driver.fused.program import make_ready; make_ready()"
"""Program that compiles this code."""
_PYTHON: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.adapters.service.main")
"""Beginning of the command that starts the service of a driver in Python."""
_STARTED_BY: Final = "give a program that can be executed, such as exec:./my_service or exec:'python3 my_service.py'"
"""Advice in messages about a command that cannot be started."""
_GOODBYE_S: Final = 1.0
"""Time in which a process has to end by itself after its connection was closed."""
_EXIT: Final = "exit"
"""Name that stands for the call in evidence about a process that has to end because its client has gone."""
_UNTRACED: Final = {framing.VARIABLE: ""}
"""Environment variables withheld from services, since a trace has only the frames of the suite's end."""


def _make_code_outside() -> None:
    """Compile the bundled driver's machine code to the disk; inside a sandbox every start would compile it again."""
    from nnvet.reference_driver.fused import stamp  # noqa: PLC0415 - only for the bundled driver

    if not stamp.is_compiled():
        # If compiling fails, the driver itself reports that and works without the code.
        subprocess.run((sys.executable, "-P", "-c", _MAKE_CODE), stdin=subprocess.DEVNULL, check=False)


class ProcessDriver(Driver):
    """A driver in a process of its own, which the suite starts and ends."""

    _process: ServiceProcess
    _is_killed = False

    def __init__(
        self,
        selector: Selector,
        timeout_s: float | None,
        start_timeout_s: float | None,
        memory_limit: int | None = DEFAULT_LIMIT,
        sandbox: Sandbox | None = None,
    ) -> None:
        """Start the process and connect.

        The process is killed if it uses more than ``memory_limit`` bytes; None sets no limit. With a ``sandbox`` it
        runs in namespaces of its own.

        :raises SelectorError, DriverGone: as for any driver; the former also if no sandbox can be made.
        """
        self.memory_limit = memory_limit
        with ExitStack() as undo:
            self._confinement = None
            if sandbox is not None:
                self._confinement = Confinement(sandbox, selector.arguments)
                undo.callback(self._confinement.close)
                if selector.kind.name in _BUNDLED:
                    _make_code_outside()
            super().__init__(selector, timeout_s, start_timeout_s)
            self._leave = undo.pop_all().close

    @property
    def pid(self) -> int:
        """Return the id of the service process."""
        return self._process.pid

    @property
    def is_ours(self) -> bool:
        """Return True: the suite has started the process."""
        return True

    @property
    def alive(self) -> bool:
        """Return True while process and connection exist."""
        return self._process.alive and self.session.alive

    @property
    def output(self) -> str:
        """Return the end of the output of the process and its children."""
        return self._process.output.text()

    def forget(self) -> None:
        """Forget the output of the process until now; see :class:`Driver`."""
        super().forget()
        self._process.output.forget()

    def kill(self) -> None:
        """Kill the process and all that it has started."""
        self._is_killed = True
        self._process.kill()
        self.session.close()

    def start_process(
        self, command: Sequence[str], inherited: int, environment: Mapping[str, str], *, prints_stacks: bool
    ) -> ServiceProcess:
        """Start another process in the driver's sandbox; see :class:`ServiceProcess`, also for errors."""
        return ServiceProcess(
            command,
            inherited,
            environment,
            prints_stacks=prints_stacks,
            memory_limit=self.memory_limit,
            confinement=self._confinement,
        )

    def close(self) -> None:
        """Close the connection, and kill the process if it does not end by itself then."""
        self.session.close()
        if not self._process.wait(_GOODBYE_S):
            self.kill()
        self._leave()

    def part(self) -> DriverGone | None:
        """Close the connection, and wait for the end of the process as long as for an answer.

        Return the fault if the process does not end by then, and is killed, or if it exits with an error. A process
        that the suite has killed before has no such fault.
        """
        self.session.close()
        limit = WaitLimit(self.timeout_s, self._look)
        gone: DriverGone | None = None
        if self._is_killed:
            return None
        if not limit.wait(self._process.wait):
            gone = self.session.hang(_EXIT, limit)
            gone.message = f"the driver's process does not end within {limit} after its client has gone"
            self.kill()
        elif (evidence := self._process.evidence(dead=True)).exit_code:
            gone = DriverCrash(f"{_EXIT}: {evidence.end}", replace(evidence, call=_EXIT))
            gone.message += gone.last_output
        if gone is not None:
            gone.rule = "driver/exit"
        return gone

    def _connect(self) -> socket.socket:
        with ExitStack() as undo:
            try:
                ours, theirs = map(undo.enter_context, socket.socketpair())
                command, environment, prints_stacks = self._make_command(theirs.fileno())
                self._process = self.start_process(command, theirs.fileno(), environment, prints_stacks=prints_stacks)
                self._trap_signals()
                self._is_killed = False
                sanitizers.wait_for_debugger(self._process.pid, lambda: self._process.alive)
            except (OSError, RuntimeError, ValueError) as error:
                # The message has the program's name, because the system's error is about it rather than the selector.
                reason = f"cannot start the service: {error}"
                advice = f"; {_STARTED_BY}" if self.selector.kind.name == "exec" else ""
                raise SelectorError(f"driver '{self.selector}': {reason}{advice}") from error
            undo.pop_all()
            theirs.close()
        return ours

    def _make_command(self, descriptor: int) -> tuple[Sequence[str], Mapping[str, str], bool]:
        """Return the service's command, its additional environment, and whether it obeys the stack signals."""
        in_python = self.selector.kind.name != "exec"
        environment = {**sanitizers.environment(os.environ, self.selector.arguments, in_python=in_python), **_UNTRACED}
        if in_python:
            return (*_PYTHON, "--fd", str(descriptor), str(self.selector)), environment, True
        command = shlex.split(self.selector.arguments)
        if not command:
            raise ValueError("there is no command")
        return command, {**environment, SOCKET_VARIABLE: str(descriptor)}, False

    def _open_session(self, connection: socket.socket | Carrier) -> Session:
        session = super()._open_session(connection)
        # If the command was a wrapper, it has executed the driver's own program by now.
        self._trap_signals()
        return session

    def _trap_signals(self) -> None:
        """Trap fatal signals of a program started by ``exec:``, unless a debugger is expected, which must see them."""
        if self.selector.kind.name == "exec" and not sanitizers.is_asked_for():
            self._process.trap_signals()

    def _abandon(self) -> None:
        self._is_killed = True
        self._process.kill()

    def _diagnose(self, dead: bool) -> DeathEvidence:  # noqa: FBT001 - see above
        return self._process.evidence(dead)

    def _look(self) -> Activity | None:
        return self._process.activity.look()


class SocketDriver(Driver):
    """A driver behind a socket, which was started outside the suite."""

    _peer: PeerProcess

    @property
    def pid(self) -> int:
        """Return the id of the listening process."""
        return self._peer.pid

    def connection_of_client(self) -> socket.socket:
        """Return a connection of its own; see :class:`Driver`."""
        return self._connect()

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        path = self.selector.arguments
        try:
            connection.settimeout(self.start_timeout_s)
            connection.connect(path)
        except OSError as error:
            connection.close()
            advice = "start the service first, for example with: nnvet serve"
            raise SelectorError(f"driver '{self.selector}': {path}: {error.strerror or error}; {advice}") from error
        self._peer = PeerProcess(connection)
        return connection

    def _diagnose(self, dead: bool) -> DeathEvidence:  # noqa: FBT001 - see above
        return self._peer.evidence(dead=dead)

    def _look(self) -> Activity | None:
        return self._peer.activity.look()


class InProcessDriver(Driver):
    """A driver on threads of this process, for debuggers. It cannot be killed: its threads may live on."""

    def __init__(
        self,
        selector: Selector,
        timeout_s: float | None,
        start_timeout_s: float | None,
        factory: Callable[[], Device] | None = None,
    ) -> None:
        """Make the device, by ``factory`` if there is one; see :class:`Driver`."""
        self._factory = factory or partial(create_device, str(selector))
        super().__init__(selector, timeout_s, start_timeout_s)

    def _connect(self) -> socket.socket:
        device = self._factory()
        with ExitStack() as undo:
            try:
                ours, theirs = map(undo.enter_context, socket.socketpair())
                session = ServiceSession(device, theirs, "this process")
                threading.Thread(target=session.run, name="nnvet-in-process", daemon=True).start()
            except (OSError, RuntimeError) as error:
                raise SelectorError(f"driver '{self.selector}': cannot start its thread: {error}") from error
            undo.pop_all()
        return ours

    def _diagnose(self, dead: bool) -> DeathEvidence:  # noqa: FBT001 - see above
        return DeathEvidence(call="", state="in this process" + (", connection closed" if dead else ""))


@contextmanager
def open_driver(
    selector: str,
    *,
    in_process: bool = False,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
    start_timeout_s: float | None = None,
    memory_limit: int | None = DEFAULT_LIMIT,
    sandbox: Sandbox | None = None,
) -> Iterator[Driver]:
    """Open the driver that a selector names, and close it after the block.

    ``in_process`` runs it on threads of this process, for debuggers. ``timeout_s`` bounds every call; None waits for
    ever. ``start_timeout_s`` is by default ``timeout_s`` for a program that ``exec:`` starts, since it imports nothing
    of nnvet; the same, but at least five seconds, for a library; and a minute for others. ``memory_limit`` in bytes is
    for services that are started here; None sets no limit. With a ``sandbox`` they run in namespaces of their own.

    :raises SelectorError: there is no such driver, or no sandbox can be made for it.
    :raises DriverGone: the driver crashes or hangs while it starts.
    """
    parsed = parse_selector(selector)
    make: Callable[[Selector, float | None, float | None], Driver] = partial(
        ProcessDriver, memory_limit=memory_limit, sandbox=sandbox
    )
    if sandbox is not None and (in_process or parsed.kind.name in ("unix", *REMOTE)):
        where = "in this process" if in_process else "started by somebody else"
        raise SelectorError(f"driver '{selector}': it is {where}: --sandbox is for services that are started here")
    if in_process:
        make = InProcessDriver
    elif parsed.kind.name == "unix":
        make = SocketDriver
    elif parsed.kind.name in REMOTE:
        make = partial(RemoteDriver, memory_limit=memory_limit)
    if start_timeout_s is None:
        start_timeout_s = _choose_start_timeout(parsed.kind, timeout_s)
    if sanitizers.is_asked_for():
        # With a debugger, the first steps of a service may take any time.
        start_timeout_s = None
    driver = make(parsed, timeout_s, start_timeout_s)
    try:
        yield driver
    finally:
        driver.close()


def _choose_start_timeout(kind: Kind, timeout_s: float | None) -> float | None:
    """Return the default time limit for the start, in seconds; see :func:`open_driver`."""
    if kind.name == "exec" or timeout_s is None:
        return timeout_s
    return max(timeout_s, _LEAST_START_S) if kind.name in _NATIVE else DEFAULT_START_TIMEOUT_S


@contextmanager
def open_device(
    factory: Callable[[], Device], name: str, *, timeout_s: float | None = DEFAULT_TIMEOUT_S
) -> Iterator[Driver]:
    """Open the driver whose devices ``factory`` makes, in this process, and close it after the block.

    ``name`` stands for the selector in logs.
    """
    driver = InProcessDriver(
        Selector(Kind(name, name, "a function of the caller's")), timeout_s, DEFAULT_START_TIMEOUT_S, factory
    )
    try:
        yield driver
    finally:
        driver.close()

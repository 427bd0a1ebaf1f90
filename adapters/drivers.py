"""Drivers within reach: in a service process, behind a socket, or in this process, all behind the same wire."""

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
DEFAULT_START_TIMEOUT_S: Final = 60.0
_NATIVE: Final = ("ndk", "sl", "litert")
"""Kinds of libraries, whose constructors and first functions run as the service starts: they are held to what a call
may take. A driver in Python may have to be compiled or fetched first."""
_LEAST_START_S: Final = 5.0
"""Least limit of a library: the imports of its service may wait for the disk."""

_BUNDLED: Final = ("reference", "zoo")
"""Kinds that have machine code of the bundled driver."""
_MAKE_CODE: Final = "from nnvet.reference_driver.fused.program import make_ready; make_ready()"
_PYTHON: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.adapters.service.main")
_STARTED_BY: Final = "give a program that can be executed, such as exec:./my_service or exec:'python3 my_service.py'"
_GOODBYE_S: Final = 1.0
_EXIT: Final = "exit"
"""The call, in the evidence, of a process that ends since its client has gone."""
_UNTRACED: Final = {framing.VARIABLE: ""}
"""A trace of frames has those of the suite's end alone."""


def _make_code_outside() -> None:
    """Have the machine code of the bundled driver on the disk: in a sandbox every start would make it anew."""
    from nnvet.reference_driver.fused import stamp  # noqa: PLC0415 - of no use for others

    if not stamp.is_compiled():
        # Where it cannot be made the driver does without, and says so.
        subprocess.run((sys.executable, "-P", "-c", _MAKE_CODE), stdin=subprocess.DEVNULL, check=False)


class ProcessDriver(Driver):
    """A driver in a process of its own, which we start and end."""

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
        """Start and connect. A process that has more than ``memory_limit`` bytes is killed; None: it may have all.

        With a ``sandbox`` it is in namespaces of its own.

        :raises SelectorError: as for any driver, or there can be no sandbox; and so DriverGone.
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
        """Id of the service process."""
        return self._process.pid

    @property
    def is_ours(self) -> bool:
        """It is."""
        return True

    @property
    def alive(self) -> bool:
        """True while process and connection stand."""
        return self._process.alive and self.session.alive

    @property
    def output(self) -> str:
        """The end of what process and children have printed."""
        return self._process.output.text()

    def forget(self) -> None:
        """Forget the output of the process until now; see :class:`Driver`."""
        super().forget()
        self._process.output.forget()

    def kill(self) -> None:
        """Kill the process and whatever it has started."""
        self._is_killed = True
        self._process.kill()
        self.session.close()

    def start_process(
        self, command: Sequence[str], inherited: int, environment: Mapping[str, str], *, prints_stacks: bool
    ) -> ServiceProcess:
        """A process that is confined as the driver's; see :class:`ServiceProcess`, and what it raises."""
        return ServiceProcess(
            command,
            inherited,
            environment,
            prints_stacks=prints_stacks,
            memory_limit=self.memory_limit,
            confinement=self._confinement,
        )

    def close(self) -> None:
        """Hang up; a process that does not end by itself then is killed."""
        self.session.close()
        if not self._process.wait(_GOODBYE_S):
            self.kill()
        self._leave()

    def part(self) -> DriverGone | None:
        """Hang up and wait as long as for an answer; a process that has not ended by then is named, and killed.

        Nobody is blamed for a process that was killed here.
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
                command, environment, prints_stacks = self._command(theirs.fileno())
                self._process = self.start_process(command, theirs.fileno(), environment, prints_stacks=prints_stacks)
                self._trap_signals()
                self._is_killed = False
                sanitizers.wait_for_debugger(self._process.pid, lambda: self._process.alive)
            except (OSError, RuntimeError, ValueError) as error:
                # With the program's name, of which the error of the system has more to say than the selector.
                reason = f"cannot start the service: {error}"
                advice = f"; {_STARTED_BY}" if self.selector.kind.name == "exec" else ""
                raise SelectorError(f"driver '{self.selector}': {reason}{advice}") from error
            undo.pop_all()
            theirs.close()
        return ours

    def _command(self, descriptor: int) -> tuple[Sequence[str], Mapping[str, str], bool]:
        in_python = self.selector.kind.name != "exec"
        environment = {**sanitizers.environment(os.environ, self.selector.arguments, in_python=in_python), **_UNTRACED}
        if in_python:
            return (*_PYTHON, "--fd", str(descriptor), str(self.selector)), environment, True
        command = shlex.split(self.selector.arguments)
        if not command:
            raise ValueError("there is no command")
        return command, {**environment, SOCKET_VARIABLE: str(descriptor)}, False

    def _session(self, connection: socket.socket | Carrier) -> Session:
        session = super()._session(connection)
        # A wrapper has run the driver's own program by now.
        self._trap_signals()
        return session

    def _trap_signals(self) -> None:
        """Services of ours do it themselves; whoever debugs a program wants to see its signals."""
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
    """A driver that somebody else has started, behind a socket."""

    _peer: PeerProcess

    @property
    def pid(self) -> int:
        """Id of the process that listens."""
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
    """The driver that a selector names, for as long as the block runs.

    ``start_timeout_s`` is by default ``timeout_s`` for a program that ``exec:`` starts, since it has nothing of ours to
    import, the same but no less than five seconds for a library, and a minute for the others. ``memory_limit`` in
    bytes is for services that are started here; None: they may have all. With a ``sandbox`` these are in namespaces of
    their own.

    :raises SelectorError: if there is no such driver, or there can be no sandbox for it.
    :raises DriverGone: if it crashes or hangs while it starts.
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
        start_timeout_s = _start_timeout_s(parsed.kind, timeout_s)
    if sanitizers.is_asked_for():
        # Nobody knows how long somebody with a debugger looks at the first steps of a service.
        start_timeout_s = None
    driver = make(parsed, timeout_s, start_timeout_s)
    try:
        yield driver
    finally:
        driver.close()


def _start_timeout_s(kind: Kind, timeout_s: float | None) -> float | None:
    if kind.name == "exec" or timeout_s is None:
        return timeout_s
    return max(timeout_s, _LEAST_START_S) if kind.name in _NATIVE else DEFAULT_START_TIMEOUT_S


@contextmanager
def open_device(
    factory: Callable[[], Device], name: str, *, timeout_s: float | None = DEFAULT_TIMEOUT_S
) -> Iterator[Driver]:
    """The driver whose devices a function makes, in this process, for as long as the block runs.

    ``name`` stands for it in logs.
    """
    driver = InProcessDriver(
        Selector(Kind(name, name, "a function of the caller's")), timeout_s, DEFAULT_START_TIMEOUT_S, factory
    )
    try:
        yield driver
    finally:
        driver.close()

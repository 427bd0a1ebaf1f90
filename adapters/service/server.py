"""Serving a device on a socket, to several clients at once; whoever may not connect is refused with a reason.

Descriptors and signal handlers of a service that the driver in its process has to leave alone.

A library that closes or replaces them looks as if the connection had been lost, or as if it never crashed. The service
compares what there was before the library was loaded with what there is afterwards and at its end, and says so on the
standard error that it began with.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import itertools
import logging
import os
import re
import resource
import signal
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from nnvet.adapters.selector import SelectorError
from nnvet.adapters.service.activity import PROC
from nnvet.adapters.service.locking import FolderBusyError, alone_in
from nnvet.adapters.service.process import STACKS_SIGNAL, STUCK_SIGNAL
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.interfaces import Device
from nnvet.transport.wire.server import Load, ServiceSession

_log = logging.getLogger("nnvet.service")

_OWNER_ONLY: Final = 0o600
_EVERYBODY: Final = 0o666
_PROBE_S: Final = 1.0
_PAUSE_S: Final = 0.1
_PATIENCE_S: Final = 5.0
"""Services are in the folder of their sockets for a moment, a run in that of its results to its end."""
_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_ROOT: Final = 0


def serve(
    device: Device,
    socket_path: str | Path,
    ready: Callable[[], None] = lambda: None,
    *,
    any_user: bool = False,
    load: Load | None = None,
) -> None:
    """Serve until interrupted; each client has a session, and threads, of its own.

    ``ready`` is called once clients can connect. Only processes of our own user and of root can, unless ``any_user``.
    ``load`` counts what the clients use.

    :raises SelectorError: if the socket cannot be made.
    """
    _raise_descriptor_limit()
    load = load or Load()
    with _listening(Path(socket_path), _EVERYBODY if any_user else _OWNER_ONLY) as listener:
        ready()
        for number in itertools.count(1):
            connection = _accept(listener)
            refusal = None if any_user else refused_user(connection)
            session = ServiceSession(refusal or device, connection, f"client {number}", load)
            _start(session, connection)


def refused_user(connection: socket.socket) -> HalError | None:
    """Why the process at the other end may not use what belongs to us; None if it may."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    user: int = struct.unpack("3i", credentials)[1]
    if user in (os.geteuid(), _ROOT):
        return None
    return invalid(f"user {user} may not use this service; it belongs to user {os.geteuid()}", "wire/access")


def _start(session: ServiceSession, connection: socket.socket) -> None:
    try:
        threading.Thread(target=session.run, name="nnvet-client", daemon=True).start()
    except RuntimeError as error:
        _log.error("a client is refused: %s", error)
        connection.close()


def _accept(listener: socket.socket) -> socket.socket:
    """The next connection. Those that cannot be accepted wait until resources are free."""
    while True:
        try:
            return listener.accept()[0]
        except OSError as error:
            if error.errno in _EXHAUSTED:
                _log.warning("clients wait: %s", error.strerror)
                time.sleep(_PAUSE_S)
            elif error.errno != errno.ECONNABORTED:
                raise


def _raise_descriptor_limit() -> None:
    """Lanes and pools are descriptors: take as many as the system allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def _listening(path: Path, mode: int) -> Iterator[socket.socket]:
    """A listening socket at ``path``, with these permissions from the start; of it alone nothing is left behind."""
    with ExitStack() as undo:
        try:
            listener = undo.enter_context(socket.socket(socket.AF_UNIX))
            with alone_in(path.parent, _PATIENCE_S):
                if _is_abandoned(path):
                    _log.info("removing the abandoned socket %s", path)
                    path.unlink()
                # The file is made with the socket's own permissions, less those that the mask takes away.
                os.fchmod(listener.fileno(), _OWNER_ONLY)
                listener.bind(str(path))
                undo.callback(_remove, path, _identity_of(path))
                path.chmod(mode)
                listener.listen()
        except (OSError, FolderBusyError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SelectorError(f"cannot serve on {path}: {reason}; choose another path") from error
        yield listener


def _remove(path: Path, ours: tuple[int, int]) -> None:
    """Remove our socket, unless another one is there by now. Until ours is closed its number means no other."""
    with suppress(OSError, FolderBusyError), alone_in(path.parent, _PATIENCE_S):
        if _identity_of(path) == ours:
            path.unlink()


def _identity_of(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_dev, status.st_ino


def _is_abandoned(path: Path) -> bool:
    """Return True if a socket is there that nobody listens on."""
    if not path.exists() or not stat.S_ISSOCK(path.stat().st_mode):
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except (TimeoutError, BlockingIOError):
            # Somebody listens, and has much to do.
            return False
    return False


EXIT_TAKEN: Final = 3
"""Exit status of a service from which the driver has taken something that it said nothing of before."""

_STANDARD: Final = ("standard input", "standard output", "standard error")
_HIGH: Final = 700
"""Descriptors from here on are seldom closed by those who close all that they can think of."""
_SIGACTION_BYTES: Final = 256
"""More than a ``struct sigaction`` has anywhere. It begins with the handler; its mask is left undefined in part."""
_POINTER_BYTES: Final = ctypes.sizeof(ctypes.c_void_p)
_SAID: Final = re.compile(r"^nnvet\.service: (the driver has .*)$", re.MULTILINE)
_ASLEEP_S: Final = 2.0
_PROBE_PAUSE_S: Final = 0.02
_LOOP_TICKS: Final = os.sysconf("SC_CLK_TCK") // 2
"""Processor time of a probe that has come back from its fault again and again."""
_CAME_BACK: Final = 77
_NOWHERE: Final = 8
"""An address that nothing is ever mapped at."""


def taken_in(output: str) -> list[str]:
    """Find in the output of a service the things that its driver has taken from it."""
    return _SAID.findall(output)


class Belongings:
    """The standard descriptors, the connection, and the handlers of some signals, as they are now."""

    def __init__(self, connection: int) -> None:
        """Remember them; ``connection`` and standard error are kept a second time, in case that they are closed.

        The second descriptor of the connection is the one to use: the first then tells what happens to such.
        """
        named = {**dict(enumerate(_STANDARD)), connection: "the connection to the suite"}
        self._descriptors = {number: (name, _identity(number)) for number, name in named.items()}
        self._handlers = {number: _handler(number) for number in (STACKS_SIGNAL, STUCK_SIGNAL, signal.SIGSEGV)}
        kept = _kept(connection)
        self.connection = connection if kept < 0 else kept
        if kept < 0:
            # Whoever uses it closes it in the end.
            del self._descriptors[connection]
        self._stderr = _kept(2)
        self._said: set[str] = set()

    def is_taken(self) -> bool:
        """Look, and say what the driver has taken; whether there is anything that was not said before."""
        found = [text for text in self._taken() if text not in self._said]
        self._said.update(found)
        for text in found:
            line = f"nnvet.service: {text}\n".encode()
            for descriptor in (self._stderr, 2):
                with suppress(OSError):
                    os.write(descriptor, line)
                    break
        return bool(found)

    def _taken(self) -> Iterator[str]:
        for number, (name, identity) in self._descriptors.items():
            if _identity(number) != identity:
                yield f"the driver has closed descriptor {number}, which is not its own: {name}"
        for number, handler in self._handlers.items():
            if _handler(number) == handler:
                continue
            if number != signal.SIGSEGV:
                yield f"the driver has installed a handler for {number.name}, by which the suite asks for stacks"
            elif _survives_faults():
                yield "the driver has installed a handler for SIGSEGV that returns: a crash would pass for a hang"


def _kept(descriptor: int) -> int:
    """A second descriptor of the same file, with a high number; -1 if there is none."""
    with suppress(OSError):
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    return -1


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _handler(number: signal.Signals) -> bytes:
    """Return the kernel's handler of a signal; Python knows only of handlers in Python."""
    action = ctypes.create_string_buffer(_SIGACTION_BYTES)
    ctypes.CDLL(None).sigaction(int(number), None, action)
    return action.raw[:_POINTER_BYTES]


def _survives_faults() -> bool:
    """Try in a copy of this process whether it goes on after a fault; one that goes in circles is killed."""
    library = ctypes.CDLL(None)
    child = os.fork()
    if child == 0:
        _fault(library)
    ticks, since = 0, time.monotonic()
    # One that sleeps may be a handler that waits for a debugger, or for a lock of another thread: it hides nothing.
    while ticks < _LOOP_TICKS and time.monotonic() - since < _ASLEEP_S:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status) == _CAME_BACK
        state, used = _progress(child)
        if used > ticks or state == "R":
            ticks, since = used, time.monotonic()
        time.sleep(_PROBE_PAUSE_S)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return ticks >= _LOOP_TICKS


def _fault(library: ctypes.CDLL) -> None:
    """Touch an address that does not exist, and leave nothing of that behind."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nowhere, number)
    library.memset(ctypes.c_void_p(_NOWHERE), 0, 1)
    os._exit(_CAME_BACK)


def _progress(pid: int) -> tuple[str, int]:
    """State of a process, and its processor time in ticks of the clock."""
    fields = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return fields[0], int(fields[11]) + int(fields[12])

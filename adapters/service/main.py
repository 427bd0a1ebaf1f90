"""A driver's service process: ``python -P -m nnvet.adapters.service.main (--fd N | --socket PATH) SELECTOR``.

With ``--fd`` it serves one client over an inherited connection, and ends when the client does. If the selector names no
driver, the client receives the error. With ``--socket`` it serves every process of the same user that connects (with
``--any-user``, of any user) until it is interrupted. :func:`serve` is that second form for tests and other programs.
Clients of other users, and clients for which there are no resources, are refused with a reason.

:mod:`nnvet.adapters.service.process` starts the first form for every driver under test, and ``nnvet serve`` the second.
The protocol itself is :class:`nnvet.transport.wire.server.ServiceSession`; :mod:`nnvet.adapters.service.belongings`
checks that the driver leaves the connection and the service's signal handlers alone.
"""

from __future__ import annotations

import argparse
import errno
import gc
import itertools
import logging
import os
import resource
import signal
import socket
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

from nnvet.adapters.selector import SelectorError, create_device
from nnvet.adapters.service.belongings import EXIT_TAKEN, Belongings
from nnvet.adapters.service.locking import FolderBusyError, alone_in
from nnvet.adapters.service.stacks import print_stacks_on_signal
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.interfaces import Device
from nnvet.transport.wire.server import Load, ServiceSession

_log = logging.getLogger("nnvet.service")

_OWNER_ONLY: Final = 0o600
_EVERYBODY: Final = 0o666
"""Permissions of the socket's file: connecting to a Unix socket needs write permission for it; source: unix(7)."""
_PROBE_S: Final = 1.0
"""Time to wait for the answer of a service that may already listen at the path; a local connection takes far less."""
_PAUSE_S: Final = 0.1
"""Pause before the next attempt to accept a client after descriptors or memory were exhausted."""
_PATIENCE_S: Final = 5.0
"""Time to wait for the lock on the socket's folder. Other services hold the lock briefly, a run holds it to its end."""
_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Errors of accept(2) that pass when other clients leave: too few descriptors, or too little memory of the kernel."""
_ROOT: Final = 0
"""User id of the superuser, who may use every service."""
_CALLS_S: Final = 2.0
"""Time for running calls to end after their client has gone; then the service exits without them."""


def main(arguments: list[str] | None = None) -> int:
    """Run the service, and return the exit code: 0, or 2 if the selector names no driver."""
    parser = argparse.ArgumentParser(prog="nnvet-service", description="Serve one driver.")
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--fd", type=int, help="descriptor of a connected socket")
    place.add_argument("--socket", help="path on which to listen")
    parser.add_argument("--any-user", action="store_true", help="let other users connect")
    parser.add_argument("selector")
    options = parser.parse_args(arguments)
    print_stacks_on_signal()
    logging.basicConfig(format="%(name)s: %(message)s", level=logging.INFO)
    if options.fd is not None:
        return _serve_one(options.selector, Belongings(options.fd))
    # Without this, SIGTERM would leave the socket's file behind.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        serve(_create_ready_device(options.selector), options.socket, _announce, any_user=options.any_user)
    except KeyboardInterrupt:
        return 0
    except SelectorError as error:
        sys.stderr.write(f"nnvet: {error}\n")
        return 2
    return 0


def _serve_one(selector: str, belongings: Belongings) -> int:
    """Serve the client at the other end of the inherited connection, and return the exit code."""
    device = _create_device_or_error(selector)
    # Report what loading the library has changed now, so that it is not blamed on the last case.
    belongings.report_changes()
    try:
        connection = socket.socket(fileno=belongings.connection)
    except OSError:
        return EXIT_TAKEN
    # All objects made so far stay until the end, so the garbage collector need not examine them again.
    gc.freeze()
    session = ServiceSession(device, connection)
    session.run()
    has_changes = belongings.report_changes()
    if not session.is_quiet_within(_CALLS_S):
        # A call is still running. A normal exit would run the driver's destructors at the same time.
        os._exit(EXIT_TAKEN if has_changes else 0)
    # Destroy objects in reference cycles now: at interpreter exit their destructors could fail.
    gc.collect()
    return EXIT_TAKEN if has_changes else 0


def _create_ready_device(selector: str) -> Device:
    """Create the device and let it do its slow preparations, so that they count as start-up, not as a call.

    :raises SelectorError: the selector names no device.
    """
    device = create_device(selector)
    if isinstance(device, BaseDevice):
        device.get_ready()
    return device


def _create_device_or_error(selector: str) -> Device | HalError:
    """Return the device, or the error that the session sends in answer to every call if the selector names none."""
    try:
        return _create_ready_device(selector)
    except SelectorError as error:
        return invalid(str(error))


def _announce() -> None:
    """Print the line for which scripts that start a service wait before they connect."""
    # Clients can connect even if nobody reads standard output.
    with suppress(OSError):
        sys.stdout.write("ready\n")
        sys.stdout.flush()


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def serve(
    device: Device,
    socket_path: str | Path,
    ready: Callable[[], None] = lambda: None,
    *,
    any_user: bool = False,
    load: Load | None = None,
) -> None:
    """Serve until interrupted. Each client has a session and threads of its own.

    ``ready`` is called once clients can connect. Only processes of the same user and of root may, unless ``any_user``
    is set. ``load`` counts the resources that clients use.

    :raises SelectorError: the socket cannot be made.
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
    """Return the reason why the process at the other end may not connect; None if it may."""
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
    """Return the next connection. While descriptors or memory are exhausted, clients wait."""
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
    """Raise the limit of descriptors as far as allowed: each connection and each pool needs a descriptor."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def _listening(path: Path, mode: int) -> Iterator[socket.socket]:
    """Listen at ``path``, created with its final permissions, and remove the file after the block."""
    with ExitStack() as undo:
        try:
            listener = undo.enter_context(socket.socket(socket.AF_UNIX))
            with alone_in(path.parent, _PATIENCE_S):
                if _is_abandoned(path):
                    _log.info("removing the abandoned socket %s", path)
                    path.unlink()
                # The file gets the socket's permissions, less the umask; nobody may connect before the chmod below.
                os.fchmod(listener.fileno(), _OWNER_ONLY)
                listener.bind(str(path))
                undo.callback(_remove, path, _identify(path))
                path.chmod(mode)
                listener.listen()
        except (OSError, FolderBusyError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SelectorError(f"cannot serve on {path}: {reason}; choose another path") from error
        yield listener


def _remove(path: Path, ours: tuple[int, int]) -> None:
    """Remove the socket's file, unless another service has replaced it.

    ``ours`` identifies our file. While our socket is open, no other file can get its inode number.
    """
    with suppress(OSError, FolderBusyError), alone_in(path.parent, _PATIENCE_S):
        if _identify(path) == ours:
            path.unlink()


def _identify(path: Path) -> tuple[int, int]:
    """Return the numbers of the file system and of the inode, which together belong to one file."""
    status = path.lstat()
    return status.st_dev, status.st_ino


def _is_abandoned(path: Path) -> bool:
    """Return True if the path is a socket on which nobody listens."""
    if not path.exists() or not stat.S_ISSOCK(path.stat().st_mode):
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except (TimeoutError, BlockingIOError):
            # Somebody listens but is busy.
            return False
    return False


if __name__ == "__main__":
    sys.exit(main())

"""Serving a device on a socket, to several clients at once."""

from __future__ import annotations

import itertools
import logging
import socket
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from nnvet.adapters.selector import SelectorError
from nnvet.hal.interfaces import Device
from nnvet.transport.wire.server import ServiceSession

_log = logging.getLogger("nnvet.service")


def serve(device: Device, socket_path: str | Path, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until interrupted; each client has a session, and threads, of its own.

    ``ready`` is called once clients can connect.

    :raises SelectorError: if the socket cannot be made.
    """
    path = Path(socket_path)
    listener = _listen(path)
    try:
        ready()
        for number in itertools.count(1):
            connection, _ = listener.accept()
            session = ServiceSession(device, connection, f"client {number}")
            threading.Thread(target=session.run, name=f"nnvet-client-{number}", daemon=True).start()
    finally:
        listener.close()
        with suppress(FileNotFoundError):
            path.unlink()


def _listen(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        if _is_abandoned(path):
            _log.info("removing the abandoned socket %s", path)
            path.unlink()
        listener.bind(str(path))
        listener.listen()
    except OSError as error:
        listener.close()
        raise SelectorError(f"cannot serve on {path}: {error.strerror or error}; choose another path") from error
    return listener


def _is_abandoned(path: Path) -> bool:
    """Whether a socket is there that nobody listens on."""
    if not path.exists() or not stat.S_ISSOCK(path.stat().st_mode):
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
    return False

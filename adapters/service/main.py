"""A driver's service process: ``python -P -m nnvet.adapters.service.main (--fd N | --socket PATH) SELECTOR``.

With ``--fd`` it serves one client over an inherited connection, and ends when the client does. If the selector names no
driver, the client receives the error. With ``--socket`` it serves every process of the same user that connects (with
``--any-user``, of any user) until it is interrupted.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import signal
import socket
import sys
from contextlib import suppress
from typing import Final, NoReturn

from nnvet.adapters.selector import SelectorError, create_device
from nnvet.adapters.service.belongings import EXIT_TAKEN, Belongings
from nnvet.adapters.service.server import serve
from nnvet.adapters.service.stacks import print_stacks_on_signal
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.interfaces import Device
from nnvet.transport.wire.server import ServiceSession

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
        serve(_ready_device(options.selector), options.socket, _announce, any_user=options.any_user)
    except KeyboardInterrupt:
        return 0
    except SelectorError as error:
        sys.stderr.write(f"nnvet: {error}\n")
        return 2
    return 0


def _serve_one(selector: str, belongings: Belongings) -> int:
    """Serve the client at the other end of the inherited connection, and return the exit code."""
    device = _device_or_refusal(selector)
    belongings.is_taken()
    try:
        connection = socket.socket(fileno=belongings.connection)
    except OSError:
        return EXIT_TAKEN
    # All objects made so far stay until the end, so the garbage collector need not examine them again.
    gc.freeze()
    session = ServiceSession(device, connection)
    session.run()
    is_taken = belongings.is_taken()
    if not session.is_quiet_within(_CALLS_S):
        # A call is still running. A normal exit would run the driver's destructors at the same time.
        os._exit(EXIT_TAKEN if is_taken else 0)
    # Destroy objects in reference cycles now: at interpreter exit their destructors could fail.
    gc.collect()
    return EXIT_TAKEN if is_taken else 0


def _ready_device(selector: str) -> Device:
    """Create the device and let it do its slow preparations, so that they count as start-up, not as a call.

    :raises SelectorError: the selector names no device.
    """
    device = create_device(selector)
    if isinstance(device, BaseDevice):
        device.get_ready()
    return device


def _device_or_refusal(selector: str) -> Device | HalError:
    try:
        return _ready_device(selector)
    except SelectorError as error:
        return invalid(str(error))


def _announce() -> None:
    # Clients can connect even if nobody reads standard output.
    with suppress(OSError):
        sys.stdout.write("ready\n")
        sys.stdout.flush()


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())

"""Process of a single task on a worker; :func:`call_in_process` starts it and returns its answer.

The program is ``python -P -m nnvet.conformance.cluster.solo_process FD``, where FD is a socket to the worker.

A separate process keeps the worker clean of everything that the task loads and leaves behind. A task whose result is
not needed any more is ended by ending its process: the kernel then ends all processes that it has started, too
(:class:`nnvet.adapters.service.process.ServiceProcess`).
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Final

from nnvet.adapters.selector import SelectorError
from nnvet.adapters.service.process import ServiceProcess
from nnvet.adapters.service.stacks import print_stacks_on_signal
from nnvet.conformance.cluster.machine import NotWantedError
from nnvet.conformance.cluster.solo import LastMessage
from nnvet.conformance.kit.outcome import suite_error
from nnvet.transport.wire.failures import DriverGone

_COMMAND: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.conformance.cluster.solo_process")
"""Command of the process, without the number of its socket."""
_LOOK_S: Final = 0.2
"""Seconds between two questions whether the result is still needed."""
_GOODBYE_S: Final = 10.0
"""Seconds for the process to exit after its answer."""
_MESSAGE_S: Final = 60
"""Most seconds to wait for the rest of a message that has begun."""


class DiedError(Exception):
    """Raised if the task's process has died; ``evidence`` describes its death."""

    def __init__(self, evidence: dict[str, Any], state: str) -> None:
        """Keep the evidence; ``state`` describes the death in words."""
        super().__init__(f"its process {state}")
        self.evidence = evidence


def call_in_process(function: Callable[..., Any], arguments: tuple[Any, ...], is_wanted: Callable[[], bool]) -> Any:
    """Call a function in a process of its own and return its answer; no process is left afterwards.

    :raises NotWantedError: ``is_wanted()`` became False.
    :raises SelectorError: the driver of the task does not exist, or does not start.
    :raises DiedError: the process has died.
    :raises RuntimeError: the function has raised another exception.
    """
    with _start_process((function, arguments)) as (process, connection):
        while not connection.poll(_LOOK_S):
            if not is_wanted():
                raise NotWantedError
        try:
            said: LastMessage = connection.recv()
        except (EOFError, OSError):
            evidence = process.evidence(dead=True)
            raise DiedError(evidence.as_dict(), evidence.state) from None
        process.wait(_GOODBYE_S)
    if said.unfit:
        raise SelectorError(said.error)
    if said.error:
        raise RuntimeError(said.error)
    return said.value


@contextmanager
def _start_process(work: tuple[Callable[..., Any], tuple[Any, ...]]) -> Iterator[tuple[ServiceProcess, Connection]]:
    """Start the process of a task for as long as the block runs, and send it the work."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", _MESSAGE_S, 0))
        process = ServiceProcess((*_COMMAND, str(theirs.fileno())), theirs.fileno(), {}, prints_stacks=True)
        connection = Connection(ours.detach())
    with connection:
        try:
            connection.send(work)
            yield process, connection
        finally:
            process.kill()


def main(descriptor: int) -> None:
    """Do the work that the worker sends over a socket."""
    print_stacks_on_signal()
    with Connection(descriptor) as connection:
        function, arguments = connection.recv()
        try:
            said = LastMessage(function(*arguments))
        except (SelectorError, DriverGone) as error:
            said = LastMessage(error=str(error), unfit=True)
        except Exception as error:  # noqa: BLE001 - the worker raises it again
            said = LastMessage(error=suite_error(error).reason)
        connection.send(said)


if __name__ == "__main__":
    main(int(sys.argv[1]))

"""A process that performs sequences of calls: ``python -P -m nnvet.adapters.nnapi.sequence_process FD KIND LIBRARY``.

Over its connection the process first sends a description of the library, or the text of an error. Then it performs each
:class:`nnvet.adapters.nnapi.sequences.CallSequence` that it receives, and sends the number of each step before its
calls, so that the death of the process can be attributed to a call. :mod:`nnvet.adapters.nnapi.performing` makes the
calls themselves.

:func:`start` is the entry point of the suite, which holds the other end of the connection as a
:class:`SequenceProcess`. The cases of the C API (:mod:`nnvet.conformance.suites.c_api.checks`) and the fuzzer of its
calls (:mod:`nnvet.fuzz.calls.library`) use it.
"""

from __future__ import annotations

import os
import socket
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from nnvet.adapters.drivers import ProcessDriver
from nnvet.adapters.nnapi.sequences import CallSequence, Library, SequenceEnd
from nnvet.adapters.selector import SelectorError
from nnvet.adapters.service import sanitizers
from nnvet.adapters.service.process import ServiceProcess
from nnvet.adapters.service.stacks import print_stacks_on_signal
from nnvet.hal.errors import HalError
from nnvet.transport.wire.failures import DriverCrash, DriverHang
from nnvet.transport.wire.framing import Channel
from nnvet.transport.wire.limits import WaitLimit

_PYTHON: Final = (sys.executable, "-P", "-X", "faulthandler", "-m", "nnvet.adapters.nnapi.sequence_process")
"""Beginning of the command that starts the process."""
_FREEING: Final = "freeing what the case has made"
_LOADING: Final = "loading the library"
"""Names, in reports, of the times after the last call and before the first one."""

Message = Library | SequenceEnd | int | str
"""A message of the process: the library or an error in words, then the number of a step or the end of a sequence."""


class SequenceProcess:
    """The parent's side of the process, which ends when this object is dropped."""

    def __init__(self, process: ServiceProcess, connection: socket.socket, timeout_s: float) -> None:
        """Connect to a process that has just been started; ``timeout_s`` bounds the wait for each call.

        :raises SelectorError: the process cannot load the library.
        :raises DriverGone: the process dies while it loads the library, or never finishes loading.
        """
        self._process = process
        self._channel = Channel(connection)
        self._timeout_s = timeout_s
        self._end = weakref.finalize(self, _end, self._channel, process)
        found = self._receive(_LOADING)
        if not isinstance(found, Library):
            self.close()
            raise SelectorError(str(found))
        self.library: Library = found

    def perform(self, sequence: CallSequence) -> SequenceEnd:
        """Have a sequence performed.

        :raises DriverGone: the process has died, or a call does not return.
        """
        with suppress(OSError):
            self._channel.send(msgspec.msgpack.encode(sequence))
        call = sequence.steps[0].function
        while not isinstance(found := self._receive(call), SequenceEnd):
            if isinstance(found, int):
                call = sequence.steps[found].function if found < len(sequence.steps) else _FREEING
        return found

    def close(self) -> None:
        """End the process."""
        self._end()

    def _receive(self, call: str) -> Message:
        """Return the next message; ``call`` names the work in progress, in case the process dies or hangs."""
        limit = WaitLimit(self._timeout_s, self._process.activity.look)
        try:
            payload, _ = self._channel.receive(limit)
        except TimeoutError as error:
            evidence = replace(
                self._process.evidence(dead=False),
                call=call,
                waited_s=limit.seconds,
                processor_s=round(limit.processor_s) or None,
            )
            self.close()
            raise DriverHang(f"{call}: no answer within {limit}", evidence) from error
        except (EOFError, OSError) as error:
            evidence = replace(self._process.evidence(dead=True), call=call)
            self.close()
            raise DriverCrash(f"{call}: {evidence.end}", evidence) from error
        message: Message = msgspec.msgpack.decode(payload, type=Message)
        return message


def _end(channel: Channel, process: ServiceProcess) -> None:
    channel.close()
    process.kill()


def start(driver: ProcessDriver, timeout_s: float) -> SequenceProcess:
    """Start a process for the library of a driver, in the driver's sandbox if it has one.

    :raises SelectorError: the process cannot be started, or cannot load the library.
    :raises DriverGone: the process dies while it loads the library.
    """
    ours, theirs = socket.socketpair()
    selector = driver.selector
    command = (*_PYTHON, str(theirs.fileno()), selector.kind.name, selector.arguments)
    environment = sanitizers.environment(os.environ, selector.arguments, in_python=True)
    try:
        with theirs:
            process = driver.start_process(command, theirs.fileno(), environment, prints_stacks=True)
    except (OSError, RuntimeError) as error:
        ours.close()
        raise SelectorError(f"driver '{selector}': cannot start a process for its calls: {error}") from error
    return SequenceProcess(process, ours, timeout_s)


def _serve(channel: Channel, kind: str, arguments: str) -> None:
    from nnvet.adapters.nnapi.performing import describe, load, perform  # noqa: PLC0415 - needs an extra

    def send(message: Message) -> None:
        channel.send(msgspec.msgpack.encode(message))

    try:
        library, device = load(kind, arguments)
        description = describe(library, device)
    except (SelectorError, HalError) as error:
        send(str(error))
        return
    send(description)
    begins: Callable[[int], None] = send
    while True:
        payload, _ = channel.receive(None)
        sequence = msgspec.msgpack.decode(payload, type=CallSequence)
        send(perform(library, description.device, sequence, begins))


def main(descriptor: str, kind: str, arguments: str) -> None:
    """Serve the parent at the other end of a connection until it is closed."""
    print_stacks_on_signal()
    with socket.socket(fileno=int(descriptor)) as connection, suppress(EOFError, OSError):
        _serve(Channel(connection), kind, arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])

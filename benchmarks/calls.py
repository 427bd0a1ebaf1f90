"""Measures a call over the wire beside bare bytes on a socket, and the gain of sending preparations ahead.

``python benchmarks/calls.py`` calls the bundled driver in its service process, in turns with a process that echoes
bytes. Then it prepares and executes a model of one operation repeatedly: one step after the other, and with each
preparation begun while the client is busy with the previous case. Between two cases the client works for as long as a
case takes, as the suite does when it builds tests and judges answers.
"""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from burst import add_model, add_request

from nnvet.adapters.calls import begin_prepare, prepare
from nnvet.adapters.drivers import open_driver
from nnvet.hal.interfaces import Device
from nnvet.hal.types import NO_DEADLINE, ExecutionConfig

_TURNS = 30
_CALLS = 100
_CASES = 30
_WARM_UP = 3
_MESSAGE = bytes(29)
"""Bytes of a message as long as a call without arguments."""

_ECHO = """
import socket, sys
with socket.socket(fileno=int(sys.argv[1])) as connection:
    while data := connection.recv(4096):
        connection.sendall(data)
"""


@contextmanager
def bare_round_trip() -> Iterator[Callable[[], object]]:
    """Yield a function that sends bytes to a process and waits until they come back."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            command = [sys.executable, "-c", _ECHO, str(theirs.fileno())]
            echo = subprocess.Popen(command, pass_fds=(theirs.fileno(),))

        def round_trip() -> None:
            ours.sendall(_MESSAGE)
            ours.recv(len(_MESSAGE))

        yield round_trip
    echo.wait()


def one_after_the_other(device: Device, cases: int, work_s: float) -> None:
    """Prepare, execute and work, ``cases`` times."""
    request = add_request()
    for _ in range(cases):
        device.get_supported_operations(add_model())
        prepare(device, add_model()).execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
        _work(work_s)


def ahead(device: Device, cases: int, work_s: float) -> None:
    """Do the same, but begin the next preparation before the work."""
    request = add_request()
    pending = begin_prepare(device, add_model())
    for _ in range(cases):
        pending.supported()
        pending.result().execute_synchronously(request, ExecutionConfig(), NO_DEADLINE)
        pending = begin_prepare(device, add_model())
        _work(work_s)
    pending.result()


def medians_s(turns: int, *functions: Callable[[], object]) -> list[float]:
    """Return the median seconds of each function; the functions run in turns."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(_WARM_UP + turns):
        for function, seconds in zip(functions, times, strict=True):
            begin = time.perf_counter()
            function()
            seconds.append(time.perf_counter() - begin)
    return [statistics.median(seconds[_WARM_UP:]) for seconds in times]


def _repeated(function: Callable[[], object]) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(_CALLS):
            function()

    return repeated


def _work(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def main() -> None:
    """Print the figures."""
    with open_driver("reference") as driver, bare_round_trip() as bare:
        device = driver.device
        call, bytes_only = medians_s(_TURNS, _repeated(device.get_type), _repeated(bare))
        print(f"a call: {call / bytes_only:.1f} x a bare round trip, {call / _CALLS * 1e6:.0f} us")
        (case,) = medians_s(_TURNS, lambda: one_after_the_other(device, _CASES, 0))
        work = case / _CASES
        waiting, sent_ahead = medians_s(
            _TURNS, lambda: one_after_the_other(device, _CASES, work), lambda: ahead(device, _CASES, work)
        )
        print(f"cases with preparations ahead: {sent_ahead / waiting:.2f} x the same one step after the other")


if __name__ == "__main__":
    main()

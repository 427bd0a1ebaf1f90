"""Reusable executions of a service's prepared models: by calls at first, over queues once they are repeated."""

from __future__ import annotations

import threading
from typing import ClassVar, Final, Protocol

from nnvet.hal.enums import NO_DEADLINE
from nnvet.hal.errors import HalError
from nnvet.hal.types import ExecutionResult, Request
from nnvet.transport.burst.client import PacketRunner
from nnvet.transport.burst.interfaces import BurstContext
from nnvet.transport.burst.packets import DATUM_BYTES, encode_request
from nnvet.transport.burst.polling import client_window_s
from nnvet.transport.message_queue import QueueReader, QueueWriter, create_queue
from nnvet.transport.wire.bursts import QUEUE_DATUMS
from nnvet.transport.wire.connection import Reference
from nnvet.transport.wire.methods import METHODS, SERVICE_ID

CALLS_FIRST: Final = 8
"""Runs by calls: opening queues takes as long as several of them, and most executions are run once or twice."""

_RUN: Final = encode_request(Request((), (), ()), (), measure_timing=False) or b""
"""The service knows all about the execution but that it is to run now."""


class _Runner(PacketRunner):
    call: ClassVar[str] = "Execution.execute_synchronously"


class Runs:
    """The synchronous runs of one execution. With a deadline, or while another one is in flight, they are calls."""

    def __init__(self) -> None:
        """None yet."""
        self._in_flight = threading.Lock()
        self._calls = 0
        self._runner: _Runner | None = None

    def run(self, execution: Reference, deadline_ns: int) -> ExecutionResult:
        """See :class:`nnvet.hal.interfaces.Execution`; it is always the same ``execution``."""
        # Whether two runs at a time are refused is for the driver to say.
        if deadline_ns != NO_DEADLINE or not self._in_flight.acquire(blocking=False):
            return _call(execution, deadline_ns)
        try:
            runner = self._runner or self._repeated(execution)
            return _call(execution, deadline_ns) if runner is None else _run(runner)
        finally:
            self._in_flight.release()

    def _repeated(self, execution: Reference) -> _Runner | None:
        """The queues once they are worth while, unless the service has none."""
        self._calls += 1
        if self._calls == CALLS_FIRST + 1:
            self._runner = _open_runner(execution)
        return self._runner


class Runnable(Reference, Protocol):
    """A proxy of an execution."""

    @property
    def runs(self) -> Runs:
        """State of the runs of this execution."""


def run_execution(execution: Runnable, deadline_ns: int) -> ExecutionResult:
    """See :class:`nnvet.hal.interfaces.Execution`."""
    return execution.runs.run(execution, deadline_ns)


def _call(execution: Reference, deadline_ns: int) -> ExecutionResult:
    method = METHODS[_Runner.call]
    result: ExecutionResult = execution.session.call(execution.id, method, (deadline_ns,))
    return result


def _open_runner(execution: Reference) -> _Runner | None:
    session = execution.session
    try:
        polling_s = client_window_s()
        requests, results = (create_queue(DATUM_BYTES, QUEUE_DATUMS) for _ in range(2))
        context: BurstContext = session.call(
            SERVICE_ID, METHODS["Service.open_execution"], (execution, requests, results)
        )
        runner = _Runner(session, context, QueueWriter(requests), QueueReader(results), polling_s)
    except HalError:
        # A service in another language need not have queues, and this machine need not have futexes.
        return None
    session.watch(runner)
    return runner


def _run(runner: _Runner) -> ExecutionResult:
    try:
        return runner.run(_RUN)
    except HalError as error:
        runner.session.unintended.hear(error)
        raise

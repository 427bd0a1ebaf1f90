"""Measures the overhead of bursts and reusable executions beside that of calls and of the bare message queue.

``python benchmarks/burst.py`` executes a model of one operation on the bundled driver in its service process, with each
executor of the suite in turn, and sends the same packets through the same kind of queue to a process that answers at
once. The overhead "besides the kernels" is the client's time less the time on the device that the driver reports;
"besides the driver" it is the client's time less the time in the driver.
"""

from __future__ import annotations

import os
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import cast

from nnvet.adapters.calls import prepare
from nnvet.adapters.drivers import ProcessDriver, open_driver
from nnvet.conformance.kit.executing import Execution, Executor, TestConfig, open_execution
from nnvet.hal.memory import create_ashmem
from nnvet.hal.types import (
    DataLocation,
    ErrorStatus,
    Handle,
    Model,
    Operand,
    OperandLifeTime,
    OperandType,
    Operation,
    OperationType,
    OutputShape,
    Request,
    RequestArgument,
    Subgraph,
    Timing,
)
from nnvet.transport.burst.packets import DATUM_BYTES, ResultPacket, encode_request, encode_result
from nnvet.transport.burst.polling import polling_window_s
from nnvet.transport.message_queue import QueueDescriptor, QueueReader, QueueWriter, create_queue
from nnvet.transport.wire.proxies import QUEUE_DATUMS

_TURNS = 40
_EXECUTIONS = 100
_WARM_UP = 10
_PAIR_BYTES = 8
_NS_PER_US = 1000
_PATIENCE_S = 10.0
_BARE = "bare"
_EXECUTORS = (Executor.SYNC, Executor.BURST, Executor.REUSABLE)
_ROUNDED_US = {Executor.BURST.value: 0.5}
"""A packet has whole microseconds, rounded up: on average half of one was not spent in kernels or driver."""


def add_model() -> Model:
    """Return a model that adds two pairs of floats."""
    tensor = OperandType.TENSOR_FLOAT32
    operands = (
        Operand(tensor, (2,), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(tensor, (2,), lifetime=OperandLifeTime.SUBGRAPH_INPUT),
        Operand(OperandType.INT32, lifetime=OperandLifeTime.CONSTANT_COPY, location=DataLocation(length=4)),
        Operand(tensor, (2,), lifetime=OperandLifeTime.SUBGRAPH_OUTPUT),
    )
    main = Subgraph(operands, (Operation(OperationType.ADD, (0, 1, 2), (3,)),), (0, 1), (3,))
    return Model(main, operand_values=struct.pack("<i", 0))


def add_request() -> Request:
    """Return a request with both inputs and the output in one pool."""
    places = [RequestArgument(location=DataLocation(0, _PAIR_BYTES * index, _PAIR_BYTES)) for index in range(3)]
    return Request(tuple(places[:2]), tuple(places[2:]), (create_ashmem(3 * _PAIR_BYTES),))


def packets(request: Request) -> tuple[bytes, bytes]:
    """Return the packets of one execution in a burst."""
    sent = encode_request(request, (0,), measure_timing=True)
    if sent is None:
        raise ValueError("the request fits in no packet")
    return sent, encode_result(ResultPacket(ErrorStatus.NONE, (OutputShape((2,)),), Timing(_NS_PER_US, _NS_PER_US)))


def queue_ends(requests: QueueDescriptor, results: QueueDescriptor) -> tuple[QueueReader, QueueWriter]:
    """Return the queue ends of the answering process."""
    return QueueReader(requests), QueueWriter(results)


def answer(requests: int, results: int, polling_us: int) -> None:
    """Answer every packet on queues with these descriptors at once, until an empty one comes."""
    ends = (QueueDescriptor(Handle(descriptor), DATUM_BYTES, QUEUE_DATUMS) for descriptor in (requests, results))
    reader, writer = queue_ends(*ends)
    _, result = packets(add_request())
    while len(reader.read_blocking(polling_s=polling_us * 1e-6)) > DATUM_BYTES:
        writer.write_blocking(result)


@contextmanager
def bare_round_trips(polling_s: float) -> Iterator[Callable[[], None]]:
    """Yield a function that sends a request's packet to a process that answers it, and reads the answer."""
    requests, results = (create_queue(DATUM_BYTES, QUEUE_DATUMS) for _ in range(2))
    descriptors = (requests.handle.fd, results.handle.fd)
    command = [sys.executable, __file__, *map(str, descriptors), str(round(polling_s * 1e6))]
    writer, reader = QueueWriter(requests), QueueReader(results)
    sent, _ = packets(add_request())

    def round_trip() -> None:
        writer.write_blocking(sent)
        reader.read_blocking(polling_s=polling_s)

    with subprocess.Popen(command, pass_fds=descriptors, env=dict(os.environ)):
        try:
            yield round_trip
        finally:
            writer.write(bytes(DATUM_BYTES))


def on_core(number: int, pid: int = 0) -> None:
    """Keep a process on one of the cores, so that client and service do not share one while another is idle."""
    cores = sorted(os.sched_getaffinity(pid))
    # The system call moves a single thread, so it is made for each.
    for thread in Path(f"/proc/{pid or os.getpid()}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {cores[number % len(cores)]})


def costs_us(execute: Execution) -> tuple[float, float]:
    """Return the microseconds of one execution besides the kernels, and besides the driver.

    :raises RuntimeError: if it fails.
    """
    begin = time.perf_counter_ns()
    answer = execute()
    whole = time.perf_counter_ns() - begin
    timing = answer.timing
    if answer.status is not ErrorStatus.NONE:
        raise RuntimeError(answer.message)
    return (whole - timing.time_on_device_ns) / _NS_PER_US, (whole - timing.time_in_driver_ns) / _NS_PER_US


def time_us(action: Callable[[], None]) -> tuple[float, float]:
    """Return the microseconds of one round trip, which has neither kernels nor driver."""
    begin = time.perf_counter_ns()
    action()
    took = (time.perf_counter_ns() - begin) / _NS_PER_US
    return took, took


def medians(polling_s: float) -> dict[str, tuple[float, float]]:
    """Return the median microseconds of each executor, taken in turns: besides the kernels, and besides the driver."""
    request = add_request()
    with ExitStack() as stack:
        driver = stack.enter_context(open_driver("reference"))
        round_trip = stack.enter_context(bare_round_trips(polling_s))
        prepared = prepare(driver.device, add_model())
        executions = {
            executor: stack.enter_context(
                open_execution(prepared, request, TestConfig(executor, measure=True), _PATIENCE_S)
            )
            for executor in _EXECUTORS
        }
        methods = {executor.value: partial(costs_us, execution) for executor, execution in executions.items()}
        methods[_BARE] = partial(time_us, round_trip)
        measured: dict[str, list[tuple[float, float]]] = {name: [] for name in methods}
        on_core(1, cast("ProcessDriver", driver).pid)
        on_core(0)
        for _ in range(_TURNS):
            for name, measure in methods.items():
                # Whoever slept during the other turns wakes first.
                measured[name] += [measure() for _ in range(_WARM_UP + _EXECUTIONS)][_WARM_UP:]
    return {
        name: (
            statistics.median(a for a, _ in costs) + _ROUNDED_US.get(name, 0),
            statistics.median(b for _, b in costs) + _ROUNDED_US.get(name, 0),
        )
        for name, costs in measured.items()
    }


def main() -> None:
    """Print the figures."""
    costs = medians(polling_window_s())
    for name, (besides_kernels, besides_driver) in costs.items():
        print(f"{name:12s} {besides_kernels:6.1f} us besides the kernels, {besides_driver:6.1f} us besides the driver")
    (burst, transport), (bare, _) = costs[Executor.BURST.value], costs[_BARE]
    print(f"burst / synchronous, besides the kernels: {burst / costs[Executor.SYNC.value][0]:.2f}")
    print(
        f"burst / bare round trip, besides the kernels: {burst / bare:.1f}, besides the driver: {transport / bare:.1f}"
    )
    for executor in (Executor.BURST, Executor.REUSABLE):
        print(f"{executor.value}, besides the driver and a bare round trip: {costs[executor.value][1] - bare:.1f} us")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        on_core(1)
        answer(*map(int, sys.argv[1:]))
    else:
        main()

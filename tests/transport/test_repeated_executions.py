"""Reusable executions through a service, which run over queues once they are repeated, as they did by calls."""

from __future__ import annotations

import gc
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from nnvet.adapters import open_driver, prepare
from nnvet.adapters.drivers import Driver
from nnvet.driver_kit.arrays import Array
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, Execution
from nnvet.hal.memory import mapped
from nnvet.hal.types import NO_DEADLINE, Ashmem, ErrorStatus, ExecutionConfig, Request
from nnvet.transport.burst.packets import DATUM_BYTES, decode_result, encode_request
from nnvet.transport.message_queue import QueueReader, QueueWriter, create_queue
from nnvet.transport.wire.failures import DriverCrash, DriverHang
from nnvet.transport.wire.methods import METHODS, SERVICE_ID
from nnvet.transport.wire.proxies import CALLS_FIRST
from nnvet.transport.wire.server import ServiceSession
from tests.adapters.models import PAIR_BYTES, add_model, add_pool, add_request, result_of
from tests.drivers.burst_drivers import Adds
from tests.transport.wire_sessions import PATIENCE_S, session_with

DRIVERS = Path(__file__).parents[1] / "drivers" / "burst_drivers.py"
PLAIN = ExecutionConfig()
CALL = "Execution.execute_synchronously"

Open = Callable[..., Driver]


@pytest.fixture
def driver() -> Iterator[Open]:
    """Opens drivers of burst_drivers.py by name, each in a process of its own."""
    with ExitStack() as stack:
        yield lambda name, **options: stack.enter_context(open_driver(f"python:{DRIVERS}:{name}", **options))


def execution_of(device: Device, pool: Ashmem, config: ExecutionConfig = PLAIN) -> Execution:
    """The sum in a pool."""
    return prepare(device, add_model()).create_reusable_execution(add_request(pool), config)


def repeated(device: Device, pool: Ashmem, config: ExecutionConfig = PLAIN) -> Execution:
    """The sum in a pool, executed so often that further runs go over queues."""
    execution = execution_of(device, pool, config)
    for _ in range(CALLS_FIRST + 1):
        execution.execute_synchronously(NO_DEADLINE)
    return execution


def write(pool: Ashmem, *values: float) -> None:
    """Put the first numbers into a pool."""
    with mapped(pool) as view:
        struct.pack_into(f"<{len(values)}f", view, 0, *values)


def threads() -> list[threading.Thread]:
    """The threads of this process that serve queues."""
    gc.collect()
    return [thread for thread in threading.enumerate() if thread.name == "nnvet-burst"]


def test_every_run_computes_anew(driver: Open) -> None:
    """By calls and over queues, each run adds what is in the memory then: 1+n and 2+4."""
    with add_pool(0, 2, 1, 4) as pool:
        execution = execution_of(driver("Adds").device, pool)
        for number in range(3 * CALLS_FIRST):
            write(pool, number)
            assert execution.execute_synchronously(NO_DEADLINE).output_sufficient_size
            assert result_of(pool) == (1.0 + number, 6.0)


def test_queues_come_with_repetition_and_go_with_the_execution() -> None:
    """Few runs open nothing; the thread that serves the queues ends with the call after the execution is forgotten."""
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        execution = execution_of(session.device, pool)
        for _ in range(CALLS_FIRST):
            execution.execute_synchronously(NO_DEADLINE)
        assert threads() == []
        for _ in range(3):
            execution.execute_synchronously(NO_DEADLINE)
        (thread,) = threads()
        del execution
        gc.collect()
        session.device.get_type()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def test_times_and_sizes_arrive(driver: Open) -> None:
    """A measured run has its times; an output that is too small is no error."""
    adds = driver("Adds")
    with add_pool(1, 2, 3, 4) as pool:
        timing = (
            repeated(adds.device, pool, ExecutionConfig(measure_timing=True)).execute_synchronously(NO_DEADLINE).timing
        )
        assert 0 <= timing.time_on_device_ns <= timing.time_in_driver_ns
        prepared = prepare(adds.device, add_model((0,)))
        short = prepared.create_reusable_execution(add_request(pool, output_bytes=PAIR_BYTES // 2), PLAIN)
        for _ in range(CALLS_FIRST + 2):
            result = short.execute_synchronously(NO_DEADLINE)
            assert not result.output_sufficient_size
            assert [shape.is_sufficient for shape in result.output_shapes] == [False]


def test_deadlines_and_fenced_runs_reach_the_driver(driver: Open) -> None:
    """A packet has no place for them."""
    with add_pool(1, 2, 3, 4) as pool:
        execution = repeated(driver("Adds").device, pool)
        with pytest.raises(HalError) as late:
            execution.execute_synchronously(0)
        assert late.value.status is ErrorStatus.MISSED_DEADLINE_PERSISTENT
        write(pool, 5)
        execution.execute_fenced((), NO_DEADLINE, NO_DEADLINE)
        assert result_of(pool) == (8.0, 6.0)


def test_reasons_arrive(driver: Open) -> None:
    """Status, message and rule of a failure are the driver's, although packets have none of the three."""
    with add_pool(1, 2, 3, 4) as pool:
        execution = repeated(driver("Misses").device, pool)
        write(pool, -1)
        with pytest.raises(HalError) as missed:
            execution.execute_synchronously(NO_DEADLINE)
        assert missed.value.status is ErrorStatus.MISSED_DEADLINE_TRANSIENT
        assert (missed.value.message, missed.value.rule) == ("a negative number takes too long", "WHILE/timeout")


def test_death_is_a_crash(driver: Open) -> None:
    """A service that dies while it executes is noticed without time-out, with the call; so ever after."""
    with add_pool(1, 2, 3, 4) as pool:
        execution = repeated(driver("Dies", timeout_s=None).device, pool)
        write(pool, -1)
        for _ in range(2):
            with pytest.raises(DriverCrash) as crash:
                execution.execute_synchronously(NO_DEADLINE)
            assert (crash.value.evidence.signal, crash.value.evidence.call) == ("SIGKILL", CALL)


def test_silence_is_a_hang(driver: Open) -> None:
    """A run that takes too long is a hang, with the call and its limit."""
    hanging = driver("Hangs")
    with add_pool(1, 2, 3, 4) as pool:
        execution = repeated(hanging.device, pool)
        write(pool, -1)
        hanging.session.timeout_s = 0.2
        with pytest.raises(DriverHang) as hang:
            execution.execute_synchronously(NO_DEADLINE)
        assert (hang.value.evidence.waited_s, hang.value.evidence.call) == (0.2, CALL)


class _Slow(BasePreparedModel):
    """Waits in every execution until it may go on."""

    begun = threading.Semaphore(0)
    may_end = threading.Semaphore(0)

    def compute(self, inputs: list[Array]) -> list[Array]:  # type: ignore[override]
        """The sum."""
        self.begun.release()
        self.may_end.acquire()
        return [np.add(*inputs[:2])]


def test_two_runs_at_a_time_are_for_the_driver_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a run is in flight on the queues another one is a call, which the driver answers itself."""
    device = Adds()
    monkeypatch.setattr(device, "compile", lambda model, _: _Slow(model))
    with session_with(device) as session, add_pool(1, 2, 3, 4) as pool:
        for _ in range(CALLS_FIRST + 2):
            _Slow.may_end.release()
        execution = repeated(session.device, pool)
        execution.execute_synchronously(NO_DEADLINE)
        for _ in range(CALLS_FIRST + 2):
            _Slow.begun.acquire()
        first = threading.Thread(target=lambda: execution.execute_synchronously(NO_DEADLINE))
        first.start()
        _Slow.begun.acquire()
        with pytest.raises(HalError) as refused:
            execution.execute_synchronously(NO_DEADLINE)
        assert refused.value.rule == "execution/in_flight"
        _Slow.may_end.release()
        first.join(PATIENCE_S)
        assert not first.is_alive()


def test_a_service_without_queues_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """The C++ service of the documentation, for one, does not know them; it is asked once."""
    asked: list[object] = []

    def refuses(*arguments: object) -> None:
        asked.append(arguments)
        raise failure("no queues here", "wire/method")

    monkeypatch.setattr(ServiceSession, "open_execution", refuses)
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        execution = repeated(session.device, pool)
        execution.execute_synchronously(NO_DEADLINE)
        assert result_of(pool) == (4.0, 6.0)
        assert len(asked) == 1


def test_what_a_service_refuses() -> None:
    """No execution, and packets with operands or memory: these have been said when the execution was created."""
    queues = [create_queue(DATUM_BYTES, 64) for _ in range(2)]
    method = METHODS["Service.open_execution"]
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        with pytest.raises(HalError) as refused:
            session.call(SERVICE_ID, method, (None, *queues))
        assert refused.value.status is ErrorStatus.GENERAL_FAILURE
        prepared = prepare(session.device, add_model())
        sent = METHODS["PreparedModel.create_reusable_execution"]
        execution = session.call(prepared.id, sent, (add_request(pool), PLAIN))  # type: ignore[attr-defined]
        context = session.call(SERVICE_ID, method, (execution, *queues))
        writer, reader = QueueWriter(queues[0]), QueueReader(queues[1])
        request = add_request(pool)
        cases = (
            (Request((), request.outputs, ()), (), "burst/packet"),
            (Request((), (), (pool,)), (3,), "burst/slot"),
        )
        for content, slots, rule in cases:
            writer.write(encode_request(content, slots, measure_timing=False) or b"")
            answer = decode_result(reader.read_blocking())
            assert answer.status is ErrorStatus.INVALID_ARGUMENT
            assert context.explain()[-1] == rule
        writer.write(encode_request(Request((), (), ()), (), measure_timing=False) or b"")
        assert decode_result(reader.read_blocking()).status is ErrorStatus.NONE
        assert result_of(pool) == (4.0, 6.0)

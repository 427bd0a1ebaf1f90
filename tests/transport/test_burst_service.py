"""Bursts of drivers behind the wire, in service processes and in this one, and what remains when a side dies."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters import open_driver, prepare
from nnvet.adapters.drivers import Driver, ProcessDriver
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Burst, PreparedModel
from nnvet.hal.types import (
    NO_DEADLINE,
    Ashmem,
    DataLocation,
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    Request,
    RequestArgument,
)
from nnvet.transport.burst.client import QueueBurst
from nnvet.transport.burst.packets import DATUM_BYTES, encode_request
from nnvet.transport.burst.polling import POLLING_VARIABLE, polling_for
from nnvet.transport.burst.server import BurstServer
from nnvet.transport.message_queue import QueueDescriptor, QueueWriter, create_queue
from nnvet.transport.wire.client import Session
from nnvet.transport.wire.failures import DriverCrash, DriverHang
from nnvet.transport.wire.methods import METHODS, SERVICE_ID
from nnvet.transport.wire.server import ServiceSession
from tests.adapters.models import PAIR_BYTES, add_model, add_pool, add_request, result_of
from tests.drivers.burst_drivers import Adds
from tests.transport.wire_sessions import PATIENCE_S, session_with

ROOT = Path(__file__).parent.parent.parent
DRIVERS = Path(__file__).parents[1] / "drivers" / "burst_drivers.py"
PLAIN = ExecutionConfig()

Open = Callable[..., Driver]


@pytest.fixture
def driver() -> Iterator[Open]:
    """Opens drivers of burst_drivers.py by name, each in a process of its own unless asked otherwise."""
    with ExitStack() as stack:
        yield lambda name, **options: stack.enter_context(open_driver(f"python:{DRIVERS}:{name}", **options))


def burst_of(driver: Driver) -> QueueBurst:
    """A burst of the sum; it goes through queues."""
    burst = prepare(driver.device, add_model()).configure_execution_burst()
    assert isinstance(burst, QueueBurst)
    return burst


def execute(burst: Burst, pool: Ashmem, token: int = 0, deadline_ns: int = NO_DEADLINE) -> ExecutionResult:
    """Execute the sum in a pool."""
    return burst.execute_synchronously(add_request(pool), [token], PLAIN, deadline_ns)


@pytest.mark.parametrize("in_process", [False, True], ids=["service", "in-process"])
def test_executes_through_the_queue(driver: Open, in_process: bool) -> None:
    """Sums of several memories come out right, one after the other; by hand: 1+3, 2+4, 5-7, 6-8."""
    burst = burst_of(driver("Adds", in_process=in_process))
    with add_pool(1, 2, 3, 4) as first, add_pool(5, 6, -7, -8) as second:
        for _ in range(3):
            assert execute(burst, first, 0).output_sufficient_size
            assert execute(burst, second, 1).output_sufficient_size
        assert (result_of(first), result_of(second)) == ((4.0, 6.0), (-2.0, -2.0))
    assert burst._ordinary is None


def test_timing_and_shapes_arrive(driver: Open) -> None:
    """An output of unknown size is reported with its shape, and a measured execution with its times."""
    prepared = prepare(driver("Adds", in_process=True).device, add_model((0,)))
    burst = prepared.configure_execution_burst()
    with add_pool(1, 2, 3, 4) as pool:
        request = add_request(pool)
        result = burst.execute_synchronously(request, [0], ExecutionConfig(measure_timing=True), NO_DEADLINE)
        assert [shape.dimensions for shape in result.output_shapes] == [(2,)]
        assert 0 <= result.timing.time_on_device_ns <= result.timing.time_in_driver_ns
        short = burst.execute_synchronously(add_request(pool, output_bytes=4), [0], PLAIN, NO_DEADLINE)
        assert not short.output_sufficient_size
        assert [shape.is_sufficient for shape in short.output_shapes] == [False]


def test_a_released_token_may_stand_for_another_memory(driver: Open) -> None:
    """After a release the driver works on the new memory of a token, not on the one that it has kept mapped."""
    burst = burst_of(driver("Adds", in_process=True))
    with add_pool(1, 2, 3, 4) as first, add_pool(10, 20, 30, 40) as second:
        execute(burst, first)
        execute(burst, second)
        assert (result_of(first), result_of(second)) == ((4.0, 6.0), (0.0, 0.0))
        burst.release_memory_resource(0)
        execute(burst, second)
        assert result_of(second) == (40.0, 60.0)


def test_the_ordinary_way_remains(driver: Open) -> None:
    """A deadline, no identity and bad identities reach the driver over the socket, with its own answers."""
    burst = burst_of(driver("Adds", in_process=True))
    with add_pool(1, 2, 3, 4) as pool:
        execute(burst, pool, token=-1)
        assert result_of(pool) == (4.0, 6.0)
        with pytest.raises(HalError) as late:
            execute(burst, pool, deadline_ns=0)
        assert late.value.status is ErrorStatus.MISSED_DEADLINE_PERSISTENT
        with pytest.raises(HalError) as refused:
            execute(burst, pool, token=-2)
        assert (refused.value.status, refused.value.rule) == (ErrorStatus.INVALID_ARGUMENT, "burst/tokens")
        with pytest.raises(HalError, match="memory identifier -2"):
            burst.release_memory_resource(-2)


def test_invalid_requests_are_refused_with_the_rule(driver: Open) -> None:
    """A request is checked like that of a synchronous execution, and the rule arrives although packets have none."""
    burst = burst_of(driver("Adds", in_process=True))
    with add_pool(1, 2, 3, 4) as pool:
        for request, rule in (
            (Request((), add_request(pool).outputs, (pool,)), "request/inputs.count"),
            (add_request(pool, output_bytes=PAIR_BYTES + 1), "request/pool.bounds"),
            (add_request(pool, dimensions=(3,)), "request/dimensions.value"),
            (
                Request((RequestArgument(location=DataLocation(1, 0, 8)),) * 2, add_request(pool).outputs, (pool,)),
                "request/pool.index",
            ),
        ):
            with pytest.raises(HalError) as refused:
                burst.execute_synchronously(request, [0], PLAIN, NO_DEADLINE)
            assert (refused.value.status, refused.value.rule) == (ErrorStatus.INVALID_ARGUMENT, rule)
        execute(burst, pool)
        assert result_of(pool) == (4.0, 6.0)


def test_newer_statuses_are_sent_beside_the_packet(driver: Open) -> None:
    """A status that packets do not have arrives all the same, with message and rule."""
    burst = burst_of(driver("Misses", in_process=True))
    with add_pool(-1, 2, 3, 4) as pool, pytest.raises(HalError) as missed:
        execute(burst, pool)
    assert missed.value.status is ErrorStatus.MISSED_DEADLINE_TRANSIENT
    assert (missed.value.message, missed.value.rule) == ("a negative number takes too long", "WHILE/timeout")


def test_a_driver_that_refuses_bursts_is_heard(driver: Open) -> None:
    """The refusal of the driver reaches whoever wanted the burst."""
    prepared = prepare(driver("HasNoBursts", in_process=True).device, add_model())
    with pytest.raises(HalError, match="all bursts are taken") as refused:
        prepared.configure_execution_burst()
    assert refused.value.status is ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT


def test_a_driver_that_returns_no_burst_is_reported(driver: Open) -> None:
    """An object that is no burst is noticed when it is opened, not when it is used."""
    prepared = prepare(driver("HasNonsense", in_process=True).device, add_model())
    with pytest.raises(HalError) as refused:
        prepared.configure_execution_burst()
    assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "driver/reply")


def test_death_in_an_execution_is_a_crash(driver: Open) -> None:
    """A service that dies while it executes is noticed without time-out, and reported with evidence; so ever after."""
    dying = driver("Dies", timeout_s=None)
    burst = burst_of(dying)
    with add_pool(1, 2, 3, 4) as pool, add_pool(-1, 2, 3, 4) as deadly:
        execute(burst, pool)
        with pytest.raises(DriverCrash) as crash:
            execute(burst, deadly, token=1)
        assert (crash.value.evidence.signal, crash.value.evidence.call) == ("SIGKILL", "Burst.execute_synchronously")
        for token in (0, -1):
            with pytest.raises(DriverCrash):
                execute(burst, pool, token)
    assert not dying.alive


def test_death_between_executions_is_a_crash(driver: Open) -> None:
    """A service that has gone is noticed by the next execution."""
    killed = driver("Adds")
    assert isinstance(killed, ProcessDriver)
    burst = burst_of(killed)
    with add_pool(1, 2, 3, 4) as pool:
        execute(burst, pool)
        killed.kill()
        with pytest.raises(DriverCrash):
            execute(burst, pool)


def test_silence_is_a_hang(driver: Open) -> None:
    """An execution that takes too long is a hang, reported with evidence; the service can be restarted."""
    hanging = driver("Hangs")
    burst = burst_of(hanging)
    with add_pool(1, 2, 3, 4) as pool, add_pool(-1, 2, 3, 4) as endless:
        execute(burst, pool)
        hanging.session.timeout_s = 0.2
        with pytest.raises(DriverHang) as hang:
            execute(burst, endless, token=1)
        assert (hang.value.evidence.waited_s, hang.value.evidence.call) == (0.2, "Burst.execute_synchronously")
        hanging.session.timeout_s = PATIENCE_S
        with pytest.raises(HalError, match="given up"):
            execute(burst, pool)
        hanging.restart()
        execute(burst_of(hanging), pool)
        assert result_of(pool) == (4.0, 6.0)


def burst_threads() -> list[threading.Thread]:
    """The threads of this process that serve bursts."""
    gc.collect()
    return [thread for thread in threading.enumerate() if thread.name == "nnvet-burst"]


def wait_for_end(threads: list[threading.Thread]) -> None:
    """Wait until these threads have ended."""
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def open_memories() -> int:
    """Number of descriptors of queues and shared memories that this process, both client and service, has open."""
    gc.collect()
    return sum(
        link.readlink().name.startswith("memfd:") for link in Path("/proc/self/fd").iterdir() if link.is_symlink()
    )


def wait_for_memories(expected: int) -> None:
    """Wait until so many are open: a thread that has just answered may still have some in hand."""
    deadline = time.monotonic() + PATIENCE_S
    while open_memories() != expected:
        assert time.monotonic() < deadline, f"{open_memories()} memories are open instead of {expected}"


def test_forgotten_bursts_end() -> None:
    """With the next call after a burst is forgotten, its thread in the service ends; others go on."""
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        prepared = prepare(session.device, add_model())
        bursts = [prepared.configure_execution_burst() for _ in range(4)]
        for burst in bursts:
            execute(burst, pool)
        assert len(burst_threads()) == 4
        threads = burst_threads()
        session.settle()
        del bursts[1:], burst
        gc.collect()
        session.device.get_type()
        wait_for_end(threads[1:])
        execute(bursts[0], pool)
        assert threads[0].is_alive()
    wait_for_end(threads)


def test_bursts_leave_nothing_open() -> None:
    """However many bursts are used and forgotten, no descriptor of queues or memories remains on either side."""
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        prepared = prepare(session.device, add_model())
        before = open_memories()

        def use() -> None:
            burst = prepared.configure_execution_burst()
            execute(burst, pool)
            execute(burst, pool, token=-1)
            burst.release_memory_resource(0)

        for _ in range(20):
            use()
        # The callback that supplies a memory knows the burst, too, until it returns.
        session.settle()
        session.device.get_type()
        wait_for_end(burst_threads())
        wait_for_memories(before)


def test_a_freed_memory_is_let_go() -> None:
    """Releasing a token closes the service's descriptors of the memory, although the burst goes on."""
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        prepared = prepare(session.device, add_model())
        # Two queues, which Python's mmap keeps open at both ends.
        before = open_memories() + 4
        burst = prepared.configure_execution_burst()
        execute(burst, pool, 0)
        execute(burst, pool, 1)
        # Of each memory one of its own, and one that mmap keeps.
        wait_for_memories(before + 4)
        burst.release_memory_resource(1)
        wait_for_memories(before + 2)
        burst.release_memory_resource(0)
        wait_for_memories(before)


CLIENT = """
import socket, sys, time
from nnvet.adapters import prepare
from nnvet.hal.types import ExecutionConfig
from nnvet.transport.wire.client import Session
from tests.adapters.models import add_model, add_pool, add_request
session = Session(socket.socket(fileno=int(sys.argv[1])))
burst = prepare(session.device, add_model()).configure_execution_burst()
with add_pool(1, 2, 3, 4) as pool:
    burst.execute_synchronously(add_request(pool), [0], ExecutionConfig(), -1)
    print("executed", flush=True)
    sys.stdin.read()
"""


def test_death_of_the_client_ends_its_bursts() -> None:
    """When a client is killed in the middle of a burst, the service's thread for it ends."""
    ours, theirs = socket.socketpair()
    service = threading.Thread(target=ServiceSession(Adds(), ours).run)
    service.start()
    command = (sys.executable, "-c", CLIENT, str(theirs.fileno()))
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with theirs, subprocess.Popen(command, cwd=ROOT, pass_fds=(theirs.fileno(),), **pipes) as client:
        theirs.close()
        assert client.stdout is not None
        assert client.stdout.readline() == "executed\n"
        threads = burst_threads()
        assert len(threads) == 1
        client.kill()
    wait_for_end([service, *threads])


def test_lost_sessions_wake_executions() -> None:
    """A client that waits for a result when its session ends is notified at once."""
    begun, go_on = threading.Event(), threading.Event()

    class Waits(Adds):
        def compile(self, *arguments: Any) -> Any:
            prepared = super().compile(*arguments)
            compute = prepared.compute

            def waiting(inputs: Any) -> Any:
                begun.set()
                assert go_on.wait(PATIENCE_S)
                return compute(inputs)

            prepared.compute = waiting  # type: ignore[method-assign]
            return prepared

    outcomes: list[BaseException] = []
    with session_with(Waits(), timeout_s=3600) as session, add_pool(1, 2, 3, 4) as pool:
        burst = prepare(session.device, add_model()).configure_execution_burst()

        def run() -> None:
            try:
                execute(burst, pool)
            except DriverCrash as crash:
                outcomes.append(crash)

        thread = threading.Thread(target=run)
        thread.start()
        assert begun.wait(PATIENCE_S)
        session.lose(ConnectionResetError("gone"))
        wait_for_end([thread])
        go_on.set()
    assert [str(outcome) for outcome in outcomes] == ["Burst.execute_synchronously: connection closed [driver/crash]"]
    wait_for_end(burst_threads())


def test_services_without_queues_have_ordinary_bursts(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the service refuses queues, a burst works by calls, as before."""

    def refuses(*_: object) -> None:
        raise failure("no queues here", "wire/method")

    monkeypatch.setattr(ServiceSession, "open_burst", refuses)
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        burst = prepare(session.device, add_model()).configure_execution_burst()
        assert not isinstance(burst, QueueBurst)
        execute(burst, pool)
        assert result_of(pool) == (4.0, 6.0)
    assert burst_threads() == []


@pytest.mark.parametrize("window", ["", "-1", "1.5", "soon", "1000001"])
def test_bad_polling_windows_are_reported(window: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window that is no number of microseconds is an error that says what to write."""
    with session_with(Adds()) as session:
        prepared = prepare(session.device, add_model())
        monkeypatch.setenv(POLLING_VARIABLE, window)
        with pytest.raises(HalError, match="write a number from 0 to 1000000"):
            prepared.configure_execution_burst()


def test_polling_window_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window is in microseconds; 0 is none."""
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        prepared = prepare(session.device, add_model())
        for text, expected in (("0", 0.0), ("200", 0.0002)):
            monkeypatch.setenv(POLLING_VARIABLE, text)
            burst = prepared.configure_execution_burst()
            assert isinstance(burst, QueueBurst)
            assert burst._polling_s == expected
            execute(burst, pool)


def test_a_client_that_measures_may_look_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window holds for bursts opened in the block, on the client's side alone; the environment goes first."""
    windows: list[float] = []
    monkeypatch.delenv(POLLING_VARIABLE, raising=False)
    monkeypatch.setattr(BurstServer, "start", lambda server: windows.append(server._polling_s))
    with session_with(Adds()) as session:
        prepared = prepare(session.device, add_model())
        bursts = []
        with polling_for(0.007):
            bursts.append(prepared.configure_execution_burst())
            monkeypatch.setenv(POLLING_VARIABLE, "300")
            bursts.append(prepared.configure_execution_burst())
            monkeypatch.delenv(POLLING_VARIABLE)
        bursts.append(prepared.configure_execution_burst())
    assert [burst._polling_s for burst in bursts if isinstance(burst, QueueBurst)] == [0.007, 0.0003, 0.0002]
    assert windows == [0.0002, 0.0003, 0.0002]


class Silent:
    """A client's callback that never supplies a memory."""

    def __init__(self) -> None:
        """Not asked yet."""
        self.asked: list[tuple[int, ...]] = []
        self.notified = threading.Event()

    def notify(self, status: ErrorStatus, slots: tuple[int, ...]) -> None:
        """Keep what was asked for."""
        if status is ErrorStatus.NONE:
            self.asked.append(slots)
            self.notified.set()


def queues() -> tuple[QueueDescriptor, QueueDescriptor]:
    """Queues as a burst needs them."""
    return create_queue(DATUM_BYTES, 64), create_queue(DATUM_BYTES, 64)


def open_raw(session: Session, model: PreparedModel | None, callback: Silent | None, *ends: QueueDescriptor) -> Any:
    """The context of a burst that the test has queues for."""
    return session.call(SERVICE_ID, METHODS["Service.open_burst"], (model, callback, *ends))


def test_arguments_of_open_burst_are_checked() -> None:
    """No model, no callback and no queues are GENERAL_FAILURE (docs/contract/hal.md 12.4), and leave no thread."""
    with session_with(Adds()) as session:
        prepared = prepare(session.device, add_model())
        good = queues()
        bad = create_queue(DATUM_BYTES, 64, event_flag=False)
        wrong: list[tuple[Any, ...]] = [(None, Silent(), *good), (prepared, None, *good)]
        wrong += [(prepared, Silent(), good[0], bad), (prepared, Silent(), bad, good[1])]
        for arguments in wrong:
            with pytest.raises(HalError) as refused:
                open_raw(session, *arguments)
            assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "burst/queue")
    # Those of other tests that have just ended may need a moment.
    for thread in burst_threads():
        thread.join(10.0)
    assert burst_threads() == []


def rule_against_supplying(context: Any, pool: Ashmem) -> str:
    """The rule by which a memory is refused; what is raised must not keep the context."""
    try:
        context.supply_memories(ErrorStatus.NONE, (pool,))
    except HalError as error:
        return error.rule
    return ""


def test_a_client_that_supplies_no_memory_holds_up_nobody_else() -> None:
    """The service waits for a memory until the burst ends; memories that nobody asked for are refused."""
    with session_with(Adds()) as session, add_pool(1, 2, 3, 4) as pool:
        prepared = prepare(session.device, add_model())
        requests, results = queues()
        callback = Silent()
        context = open_raw(session, prepared, callback, requests, results)
        assert rule_against_supplying(context, pool) == "burst/slot"
        packet = encode_request(add_request(pool), (9,), measure_timing=False)
        assert packet is not None
        QueueWriter(requests).write(packet)
        assert callback.notified.wait(PATIENCE_S)
        assert callback.asked == [(9,)]
        execute(prepared.configure_execution_burst(), pool)
        assert result_of(pool) == (4.0, 6.0)
        (waiting, _) = burst_threads()
        del context
        session.device.get_type()
        wait_for_end([waiting])
